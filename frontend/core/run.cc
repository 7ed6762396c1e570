#include "frontend/core/run.h"

#include <algorithm>
#include <unordered_map>

#include "codegen/compile.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "nacre/compile_error.h"
#include "nacre/detail/op.h"
#include "passes/dump.h"
#include "passes/structural_hash.h"
#include "runtime/errors.h"

using namespace mlir;

namespace nacre::detail {

namespace {

// Executables by structural key.
std::unordered_map<std::string, std::shared_ptr<const Executable>>& executables() {
  static auto& table = *new std::unordered_map<std::string, std::shared_ptr<const Executable>>;
  return table;
}

// A program that ran once outside every trace: an operation with its statics and the types of its inputs.
struct EagerProgram {
  std::shared_ptr<const Executable> executable;
  std::vector<const Descriptor*> results;
  std::vector<Array> captures;
};

// Outside a trace a C++ number keeps its full precision until the operation has decided on a dtype.
const Descriptor* eager_type(const Array& a) {
  const Descriptor* type = type_of(a);
  if (Access::impl(a)->kind != ArrayImpl::Kind::literal) return type;
  if (type->dtype == DType::f32) return Descriptor::get(DType::f64, {}, type->weak);
  if (type->dtype == DType::s32) return Descriptor::get(DType::s64, {}, type->weak);
  return type;
}

Array as_eager_input(const Array& a, const Descriptor* type) {
  if (type == type_of(a)) return a;
  const ArrayImpl& literal = *Access::impl(a);
  Buffer buffer = Buffer::allocate(static_cast<int64_t>(size_of(type->dtype)));
  write_number(type->dtype, buffer.data(), literal.float_value, literal.int_value);
  return Access::concrete(type, std::move(buffer));
}

}  // namespace

std::vector<const Descriptor*> types_of(std::span<const Array> arrays) {
  std::vector<const Descriptor*> types;
  for (const Array& a : arrays) types.push_back(type_of(a));
  return types;
}

std::shared_ptr<const Executable> compile_main(OwningOpRef<ModuleOp> module) {
  std::lock_guard lock(tracing_mutex());
  std::string key = passes::structuralKey(module->lookupSymbol("main"));
  auto& slot = executables()[key];
  if (slot) return slot;
  CompileOptions options;
  options.dump_directory = passes::Dump::nextDirectory();
  auto compiled = nacre::compile(std::move(module), options);
  if (!compiled.ok()) throw CompileError(blame() + std::string(compiled.status().message()));
  return slot = *compiled;
}

std::vector<Array> execute(const Executable& executable, std::span<const Descriptor* const> results,
                           std::span<const Array> inputs, std::span<const bool> donated, const char* by) {
  // Reused between calls, so that the hot path allocates nothing.
  thread_local std::vector<Buffer> arguments, outputs;
  arguments.clear();
  outputs.clear();
  outputs.resize(results.size());
  for (const Array& a : inputs) arguments.push_back(buffer_of(a, "an argument of a compiled function"));
  for (size_t i = 0; i < donated.size(); ++i) {
    ArrayImpl& impl = *Access::impl(inputs[i]);
    if (!donated[i] || impl.kind != ArrayImpl::Kind::concrete) continue;
    impl.kind = ArrayImpl::Kind::donated;
    impl.donated_to = by;
    impl.buffer = Buffer();
  }
  absl::Status status = executable.run(arguments, outputs);
  arguments.clear();
  if (!status.ok()) {
    if (absl::IsResourceExhausted(status)) {
      const int64_t needed = executable.plan().peak_bytes();
      throw OutOfMemory(
          blame() + "a compiled function that needs " + std::to_string(needed) +
              " bytes for arguments, temporaries and results cannot run: " + std::string(status.message()),
          needed, memory_stats().live_bytes);
    }
    throw CompileError(blame() + std::string(status.message()));
  }
  std::vector<Array> arrays;
  arrays.reserve(results.size());
  for (size_t i = 0; i < results.size(); ++i) arrays.push_back(Access::concrete(results[i], std::move(outputs[i])));
  outputs.clear();
  return arrays;
}

std::vector<Array> apply(func::FuncOp f, std::span<const Array> inputs, const std::vector<bool>& weak) {
  std::vector<Array> results;
  if (Trace* trace = Trace::current()) {
    IRMapping map;
    for (auto [argument, input] : llvm::zip_equal(f.getArguments(), inputs)) map.map(argument, trace->lift(input));
    for (Operation& op : f.front().without_terminator()) trace->builder().ops.clone(op, map);
    for (auto [i, value] : llvm::enumerate(f.front().getTerminator()->getOperands()))
      results.push_back(trace->wrap(map.lookup(value), weak[i]));
    return results;
  }
  std::lock_guard lock(tracing_mutex());
  OwningOpRef<ModuleOp> module = ModuleOp::create(f.getLoc());
  auto main = cast<func::FuncOp>(f->clone());
  main.setName("main");
  main.setPublic();
  module->push_back(main);
  std::vector<const Descriptor*> types;
  for (auto [type, is_weak] : llvm::zip_equal(main.getResultTypes(), weak)) {
    auto tensor = cast<RankedTensorType>(type);
    types.push_back(Descriptor::get(dtype_of_element(tensor.getElementType()),
                                    Shape(tensor.getShape().begin(), tensor.getShape().end()), is_weak));
  }
  return execute(*compile_main(std::move(module)), types, inputs);
}

namespace {

// Throws for what has no value, before anything is compiled.
void check_operand(const Array& a) {
  if (a.is_null()) throw ValueError(blame() + "an operand is a default-constructed (null) Array; assign one first");
  const Descriptor& type = *type_of(a);
  switch (Access::impl(a)->kind) {
    case ArrayImpl::Kind::traced: throw TraceError(blame() + escaped_message(type));
    case ArrayImpl::Kind::abstract:
      throw ValueError(blame() + "an operand is an abstract " + to_string(type) +
                       " array, which has only a shape and a dtype; use eval_shape to compute with such");
    case ArrayImpl::Kind::donated: {
      try {
        (void)buffer_of(a, "");
      } catch (const ValueError& e) {
        throw ValueError(blame() + e.what());
      }
      break;
    }
    case ArrayImpl::Kind::concrete:
    case ArrayImpl::Kind::literal: break;
  }
}

// The compiled body for inputs of these types. Programs are never removed, so references stay valid without the lock.
const EagerProgram& eager_program(std::string key, std::span<const Descriptor* const> types, Body body) {
  std::lock_guard lock(tracing_mutex());
  static auto& programs = *new std::unordered_map<std::string, EagerProgram>;
  auto found = programs.find(key);
  if (found != programs.end()) return found->second;
  EagerProgram program;
  Trace trace(types);
  trace.builder().loc = current_location();
  std::vector<Array> arguments = trace.arguments();
  Arrays results = body(arguments);
  trace.finish(results);
  for (const Array& r : results) program.results.push_back(type_of(r));
  program.captures.assign(trace.captures().begin(), trace.captures().end());
  program.executable = compile_main(trace.take_module());
  return programs.emplace(std::move(key), std::move(program)).first->second;
}

}  // namespace

Arrays run_op(const char* name, std::source_location at, const std::string& statics, std::span<const Array> inputs,
              Body body) {
  CallScope scope(name, at);
  if (Trace* trace = Trace::current()) {
    Location outer = std::exchange(trace->builder().loc, current_location());
    struct Restore {
      Trace* trace;
      Location loc;
      ~Restore() { trace->builder().loc = loc; }
    } restore{trace, outer};
    return body(inputs);
  }
  std::vector<const Descriptor*> types;
  std::string key;
  append_static(key, std::string_view(name));
  append_static(key, statics);
  for (const Array& a : inputs) {
    check_operand(a);
    types.push_back(eager_type(a));
    append_static(key, reinterpret_cast<uintptr_t>(types.back()));
  }
  const EagerProgram& program = eager_program(std::move(key), types, body);
  std::vector<Array> arguments;
  for (size_t i = 0; i < inputs.size(); ++i) arguments.push_back(as_eager_input(inputs[i], types[i]));
  arguments.insert(arguments.end(), program.captures.begin(), program.captures.end());
  return execute(*program.executable, program.results, arguments);
}

}  // namespace nacre::detail
