// The type-erased core of grad, jvp, vmap and eval_shape.
#include "nacre/transforms.h"

#include "frontend/core/run.h"
#include "frontend/core/weak.h"
#include "nacre/lax.h"
#include "passes/batch.h"
#include "passes/dump.h"
#include "passes/jvp.h"
#include "passes/vjp.h"

using namespace mlir;

namespace nacre::detail {

namespace {

// A callable traced on abstract versions of `leaves`, and what it captured.
struct Function {
  OwningOpRef<ModuleOp> module;
  func::FuncOp main;
  std::vector<const Descriptor*> results;
  std::vector<Array> captures;

  size_t arguments() { return main.getNumArguments(); }
};

Function trace(const char* name, std::span<const Descriptor* const> types, Body body) {
  Function f;
  Trace trace(types);
  std::vector<Array> arguments = trace.arguments();
  Arrays results = body(arguments);
  settle_results(name, results);
  for (const Array& r : results) f.results.push_back(type_of(r));
  f.main = trace.finish(results);
  f.captures.assign(trace.captures().begin(), trace.captures().end());
  f.module = trace.take_module();
  return f;
}

std::vector<Array> with_captures(std::span<const Array> leaves, const Function& f) {
  std::vector<Array> inputs(leaves.begin(), leaves.end());
  inputs.insert(inputs.end(), f.captures.begin(), f.captures.end());
  return inputs;
}

// Runs a pass; its diagnostics become the error.
template <class F>
func::FuncOp transformed(const char* name, F&& pass) {
  DiagnosticCollector diagnostics;
  FailureOr<func::FuncOp> made = pass();
  if (failed(made)) throw Error(std::string(name) + ": " + diagnostics.text());
  return *made;
}

// Arrays of `types`, made in the current trace or at once.
Array filled(const Descriptor* type, double value) { return lax::full(type->shape, value, type->dtype); }

std::vector<bool> weakness(std::span<const Descriptor* const> types) {
  std::vector<bool> weak;
  for (const Descriptor* d : types) weak.push_back(d->weak);
  return weak;
}

std::vector<const Descriptor*> checked_types(const char* name, std::span<const Array> leaves,
                                             FunctionRef<std::string(size_t)> path) {
  std::vector<const Descriptor*> types;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].is_null())
      throw ValueError(std::string(name) + ": " + path(i) + " is a default-constructed (null) Array; assign it first");
    types.push_back(type_of(leaves[i]));
  }
  return types;
}

}  // namespace

Gradients value_and_grad(const char* name, std::span<const Array> leaves, const std::vector<bool>& active,
                         FunctionRef<std::string(size_t)> path, Body body) {
  std::lock_guard lock(tracing_mutex());
  std::vector<const Descriptor*> types = checked_types(name, leaves, path);
  for (size_t i = 0; i < leaves.size(); ++i)
    if (active[i] && !is_floating(types[i]->dtype))
      throw DTypeError(std::string(name) + ": " + path(i) + " is " + to_string(*types[i]) +
                       ", which has no derivative; differentiate by other arguments (grad<N>), or convert it with "
                       "astype first");
  Function f = trace(name, types, body);
  const Descriptor* value = f.results.front();
  if (!value->shape.empty() || !is_floating(value->dtype))
    throw ShapeError(std::string(name) + ": the callable returned " + to_string(*value) +
                     ", but only floating-point scalars have a gradient; reduce it, for instance with mean or sum");

  SmallVector<bool> by(f.arguments(), false), seeded(f.results.size(), false);
  for (size_t i = 0; i < leaves.size(); ++i) by[i] = active[i];
  seeded[0] = true;
  func::FuncOp reverse = transformed(name, [&] { return passes::vjp(f.main, by, seeded, name); });

  std::vector<Array> inputs = with_captures(leaves, f);
  inputs.push_back(with_dtype(Array(1.0), value->dtype));
  std::vector<bool> weak = weakness(f.results);
  for (size_t i = 0; i < leaves.size(); ++i)
    if (active[i]) weak.push_back(types[i]->weak);
  Arrays all = apply(reverse, inputs, weak);
  auto middle = all.begin() + static_cast<ptrdiff_t>(f.results.size());
  return {Arrays(all.begin(), middle), Arrays(middle, all.end())};
}

Tangents jvp(std::span<const Array> leaves, std::span<const Array> tangents, FunctionRef<std::string(size_t)> path,
             Body body) {
  std::lock_guard lock(tracing_mutex());
  std::vector<const Descriptor*> types = checked_types("jvp", leaves, path);
  std::vector<const Descriptor*> directions = checked_types("jvp (tangent)", tangents, path);
  Function f = trace("jvp", types, body);
  SmallVector<bool> active(f.arguments(), false);
  std::vector<Array> inputs = with_captures(leaves, f);
  for (size_t i = 0; i < leaves.size(); ++i) {
    active[i] = is_floating(types[i]->dtype);
    if (!active[i]) continue;
    if (directions[i]->shape != types[i]->shape || (directions[i]->dtype != types[i]->dtype && !directions[i]->weak))
      throw ShapeError("jvp: " + path(i) + " is " + to_string(*types[i]) + " but its tangent is " +
                       to_string(*directions[i]) + "; they must agree");
    inputs.push_back(directions[i]->dtype == types[i]->dtype ? tangents[i]
                                                             : lax::convert_element_type(tangents[i], types[i]->dtype));
  }
  func::FuncOp forward = transformed("jvp", [&] { return passes::jvp(f.main, active, "jvp"); });
  std::vector<bool> weak = weakness(f.results);
  for (const Descriptor* d : f.results)
    if (is_floating(d->dtype)) weak.push_back(d->weak);
  Arrays all = apply(forward, inputs, weak);
  Tangents out;
  out.results.assign(all.begin(), all.begin() + static_cast<ptrdiff_t>(f.results.size()));
  size_t next = f.results.size();
  for (const Descriptor* d : f.results) out.tangents.push_back(is_floating(d->dtype) ? all[next++] : filled(d, 0));
  return out;
}

Arrays vmap(std::span<const Array> leaves, const std::vector<std::optional<int64_t>>& axes, const AxisSpec& out_axes,
            std::optional<int64_t> axis_size, FunctionRef<std::string(size_t)> path, Body body) {
  std::lock_guard lock(tracing_mutex());
  std::vector<const Descriptor*> types = checked_types("vmap", leaves, path);
  SmallVector<int64_t> in_axes;
  std::string size_from = "axis_size";
  for (size_t i = 0; i < leaves.size(); ++i) {
    in_axes.push_back(-1);
    if (!axes[i]) continue;
    const auto rank = static_cast<int64_t>(types[i]->shape.size());
    const int64_t axis = *axes[i] < 0 ? *axes[i] + rank : *axes[i];
    if (axis < 0 || axis >= rank)
      throw ShapeError("vmap: axis " + std::to_string(*axes[i]) + " of " + path(i) + ", which is " +
                       to_string(*types[i]) + ", is out of range");
    Shape shape = types[i]->shape;
    const int64_t size = shape[static_cast<size_t>(axis)];
    if (axis_size && *axis_size != size)
      throw ShapeError("vmap: " + path(i) + " has size " + std::to_string(size) + " along its mapped axis but " +
                       size_from + " has " + std::to_string(*axis_size) + "; all mapped axes must agree");
    if (!axis_size) size_from = path(i);
    axis_size = size;
    in_axes.back() = axis;
    shape.erase(shape.begin() + axis);
    types[i] = Descriptor::get(types[i]->dtype, shape, types[i]->weak);
  }
  if (!axis_size) throw ShapeError("vmap: no argument is mapped; give axis_size, or map one");
  Function f = trace("vmap", types, body);
  in_axes.resize(f.arguments(), -1);
  if (out_axes.per_leaf && out_axes.axes.size() != f.results.size())
    throw TreeError("vmap: out_axes has " + std::to_string(out_axes.axes.size()) + " entries for " +
                    std::to_string(f.results.size()) + " result arrays");
  SmallVector<int64_t> outs;
  for (size_t i = 0; i < f.results.size(); ++i) {
    std::optional<int64_t> axis = out_axes.axes[out_axes.per_leaf ? i : 0];
    const auto rank = static_cast<int64_t>(f.results[i]->shape.size()) + 1;
    if (axis && (*axis < -rank || *axis >= rank))
      throw ShapeError("vmap: out axis " + std::to_string(*axis) + " is out of range for a batch of " +
                       to_string(*f.results[i]));
    outs.push_back(!axis ? -1 : *axis < 0 ? *axis + rank : *axis);
  }
  func::FuncOp batched = transformed("vmap", [&] { return passes::batch(f.main, in_axes, *axis_size, outs, "vmap"); });
  return apply(batched, with_captures(leaves, f), weakness(f.results));
}

Arrays eval_shape(std::span<const Array> leaves, FunctionRef<std::string(size_t)> path, Body body) {
  std::lock_guard lock(tracing_mutex());
  Function f = trace("eval_shape", checked_types("eval_shape", leaves, path), body);
  Arrays out;
  for (const Descriptor* d : f.results) out.push_back(Access::abstract(d));
  return out;
}

namespace {
thread_local std::vector<std::unique_ptr<UserScope>> user_scopes;
}

void enter_user_code() { user_scopes.push_back(std::make_unique<UserScope>()); }
void leave_user_code() { user_scopes.pop_back(); }

}  // namespace nacre::detail
