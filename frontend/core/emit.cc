#include "frontend/core/emit.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace nacre::detail {

Arrays emit_op(const char* name, std::source_location at, const std::string& statics, std::span<const Array> inputs,
               Emit emit, size_t weak_from) {
  auto body = [&](std::span<const Array> in) {
    Trace& trace = *Trace::current();
    SmallVector<Value> values;
    bool weak = !in.empty();
    for (size_t i = 0; i < in.size(); ++i) {
      values.push_back(trace.lift(in[i]));
      if (i >= weak_from) weak &= type_of(in[i])->weak;
    }
    return trace.wrap(emit(trace.builder(), values), weak);
  };
  return run_op(name, at, statics, inputs, body);
}

Value checked(Value made) {
  Operation* op = made.getDefiningOp();
  DiagnosticCollector diagnostics;
  if (succeeded(verify(op))) return made;
  std::string message = diagnostics.text();
  op->erase();
  throw ShapeError(blame() + message);
}

}  // namespace nacre::detail
