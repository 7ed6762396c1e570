#include "nacre/jit.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <unordered_map>

#include "frontend/core/run.h"
#include "frontend/core/weak.h"

using namespace mlir;

namespace nacre::detail {

struct JitEntry {
  std::vector<TreeDef> trees;
  std::vector<const Descriptor*> arguments;
  std::shared_ptr<const Executable> executable;
  std::vector<const Descriptor*> results;
  std::vector<Array> captures;
  std::any prototype;
};

class JitCache {
 public:
  // Null when the signature is new. Entries are never removed, so pointers stay valid.
  const JitEntry* find(uint64_t hash, std::span<const TreeDef> trees, std::span<const Array> leaves) {
    std::lock_guard lock(mutex_);
    auto [begin, end] = entries_.equal_range(hash);
    for (; begin != end; ++begin) {
      const JitEntry& e = *begin->second;
      bool same = e.arguments.size() == leaves.size() && std::equal(trees.begin(), trees.end(), e.trees.begin());
      for (size_t i = 0; same && i < leaves.size(); ++i) same = Access::impl(leaves[i])->type == e.arguments[i];
      if (same) return &e;
    }
    return nullptr;
  }

  const JitEntry* add(uint64_t hash, std::unique_ptr<JitEntry> entry) {
    std::lock_guard lock(mutex_);
    warn_of_static(*entry);
    return entries_.emplace(hash, std::move(entry))->second.get();
  }

 private:
  // A static value that keeps changing costs a compilation each time: after four, say which it is.
  void warn_of_static(const JitEntry& made) {
    for (const auto& [hash, e] : entries_) {
      if (e->arguments != made.arguments || e->trees.size() != made.trees.size()) continue;
      for (size_t a = 0; a < made.trees.size(); ++a) {
        auto difference = e->trees[a].difference(made.trees[a], "arg" + std::to_string(a));
        if (!difference) continue;
        if (++recompilations_[difference->path] == 4)
          std::fprintf(
              stderr,
              "nacre: jit has compiled a function 5 times because the static value %s changes (now %s). Pass it "
              "as an Array to trace it instead.\n",
              difference->path.c_str(), difference->right.c_str());
        return;
      }
    }
  }

  std::mutex mutex_;
  std::unordered_multimap<uint64_t, std::unique_ptr<JitEntry>> entries_;
  std::map<std::string, int> recompilations_;
};

std::shared_ptr<JitCache> make_jit_cache() { return std::make_shared<JitCache>(); }

bool tracing() { return Trace::current() != nullptr; }

namespace {

uint64_t hash_of(std::span<const TreeDef> trees, std::span<const Array> leaves) {
  uint64_t h = 0x9e3779b97f4a7c15u;
  for (const TreeDef& t : trees) h = (h ^ t.hash()) * 0xff51afd7ed558ccdu;
  for (const Array& a : leaves) h = (h ^ reinterpret_cast<uintptr_t>(Access::impl(a)->type)) * 0xff51afd7ed558ccdu;
  return h ^ (h >> 29);
}

void name_arguments(func::FuncOp main, const JitCall& call) {
  MLIRContext* context = main.getContext();
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    if (i >= call.leaves.size()) {
      main.setArgAttr(i, ir::kHiddenAttr, UnitAttr::get(context));
      continue;
    }
    main.setArgAttr(i, ir::kNameAttr, StringAttr::get(context, call.path(i)));
    if (call.donated && (*call.donated)[i]) main.setArgAttr(i, ir::kDonatedAttr, UnitAttr::get(context));
  }
}

struct Traced {
  OwningOpRef<ModuleOp> module;
  std::vector<const Descriptor*> arguments, results;
  std::vector<Array> captures;
};

Traced trace_main(const JitCall& call, Body body) {
  Traced out;
  out.arguments = types_of(call.leaves);
  Trace trace(out.arguments);
  std::vector<Array> arguments = trace.arguments();
  Arrays results = body(arguments);
  settle_results("jit", results);
  for (const Array& r : results) out.results.push_back(type_of(r));
  func::FuncOp main = trace.finish(results);
  name_arguments(main, call);
  out.captures.assign(trace.captures().begin(), trace.captures().end());
  out.module = trace.take_module();
  return out;
}

// A donated array that is also another argument. Arrays of the same bytes are neighbours when sorted by address.
void check_doubles(const JitCall& call) {
  if (std::find(call.donated->begin(), call.donated->end(), true) == call.donated->end()) return;
  thread_local std::vector<std::pair<const std::byte*, size_t>> by_address;
  by_address.clear();
  for (size_t i = 0; i < call.leaves.size(); ++i) {
    const ArrayImpl* impl = Access::impl(call.leaves[i]);
    if (impl->kind == ArrayImpl::Kind::concrete && impl->buffer.bytes() > 0)
      by_address.emplace_back(impl->buffer.data(), i);
  }
  std::sort(by_address.begin(), by_address.end());
  for (size_t k = 1; k < by_address.size(); ++k) {
    size_t i = by_address[k - 1].second, j = by_address[k].second;
    if (by_address[k - 1].first != by_address[k].first || (!(*call.donated)[i] && !(*call.donated)[j])) continue;
    if (!(*call.donated)[i]) std::swap(i, j);
    throw ValueError("jit: " + call.path(i) + " is donated but " + call.path(j) +
                     " is the same array; pass a copy for one of them");
  }
}

// A donated array that the function has captured too would be gone at the next call.
void check_captures(const JitCall& call, std::span<const Array> captures) {
  for (size_t i = 0; i < call.leaves.size(); ++i) {
    if (!(*call.donated)[i]) continue;
    for (const Array& captured : captures)
      if (Access::impl(captured) == Access::impl(call.leaves[i]))
        throw ValueError("jit: " + call.path(i) +
                         " is donated but the function has captured the same array; pass a copy, or make the captured "
                         "one an argument");
  }
}

// Null, abstract, donated or doubly donated arguments, by key path.
void check_arguments(const JitCall& call) {
  for (size_t i = 0; i < call.leaves.size(); ++i) {
    const ArrayImpl* impl = Access::impl(call.leaves[i]);
    if (!impl)
      throw ValueError("jit: " + call.path(i) + " is a default-constructed (null) Array; assign it before the call");
    if (impl->kind == ArrayImpl::Kind::abstract)
      throw ValueError("jit: " + call.path(i) + " is abstract (" + to_string(*impl->type) +
                       ") and has no value to run on");
    if (impl->kind == ArrayImpl::Kind::traced)
      throw TraceError("jit: " + call.path(i) + ": " + escaped_message(*impl->type));
    if (impl->kind == ArrayImpl::Kind::donated)
      throw ValueError("jit: " + call.path(i) + ", a " + to_string(*impl->type) + " array, was donated to " +
                       impl->donated_to + "; use what that call returned, or do not donate it");
  }
  check_doubles(call);
}

std::unique_ptr<JitEntry> compiled(const JitCall& call, Body body, FunctionRef<std::any()> prototype) {
  Traced traced = trace_main(call, body);
  auto made = std::make_unique<JitEntry>();
  made->trees.assign(call.trees.begin(), call.trees.end());
  made->arguments = traced.arguments;
  made->results = traced.results;
  made->captures = traced.captures;
  made->prototype = prototype();
  made->executable = compile_main(std::move(traced.module));
  return made;
}

}  // namespace

std::pair<Arrays, const std::any*> run_jit(JitCache& cache, const JitCall& call, Body body,
                                           FunctionRef<std::any()> prototype) {
  check_arguments(call);
  const uint64_t hash = hash_of(call.trees, call.leaves);
  const JitEntry* entry = cache.find(hash, call.trees, call.leaves);
  if (!entry) {
    std::lock_guard lock(tracing_mutex());
    // Another thread may have compiled it meanwhile.
    entry = cache.find(hash, call.trees, call.leaves);
    if (!entry) entry = cache.add(hash, compiled(call, body, prototype));
  }
  // Donation marks are per leaf; std::vector<bool> has no span.
  std::array<bool, 256> few;
  std::unique_ptr<bool[]> many;
  bool* donated = few.data();
  if (call.leaves.size() > few.size()) donated = (many = std::make_unique<bool[]>(call.leaves.size())).get();
  for (size_t i = 0; i < call.leaves.size(); ++i) donated[i] = (*call.donated)[i];
  std::span<const bool> flags(donated, call.leaves.size());
  if (entry->captures.empty())
    return {execute(*entry->executable, entry->results, call.leaves, flags, "a jit call"), &entry->prototype};
  check_captures(call, entry->captures);
  std::vector<Array> inputs(call.leaves.begin(), call.leaves.end());
  inputs.insert(inputs.end(), entry->captures.begin(), entry->captures.end());
  return {execute(*entry->executable, entry->results, inputs, flags, "a jit call"), &entry->prototype};
}

std::string traced_ir(std::span<const Array> leaves, FunctionRef<std::string(size_t)> path, Body body, bool locations) {
  std::lock_guard lock(tracing_mutex());
  for (size_t i = 0; i < leaves.size(); ++i)
    if (leaves[i].is_null()) throw ValueError("ir: " + path(i) + " is a default-constructed (null) Array");
  Traced traced = trace_main({leaves, {}, nullptr, path}, body);
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  if (locations) flags.enableDebugInfo(true, /*prettyForm=*/true);
  traced.module->print(stream, flags);
  return text;
}

}  // namespace nacre::detail
