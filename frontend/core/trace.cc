#include "frontend/core/trace.h"

#include <atomic>

#include "ir/nacre.h"
#include "llvm/Support/raw_ostream.h"
#include "nacre/detail/op.h"

using namespace mlir;

namespace nacre::detail {

MLIRContext& tracing_context() {
  static MLIRContext& context = *[] {
    auto* made = new MLIRContext(MLIRContext::Threading::DISABLED);
    made->loadDialect<ir::NacreDialect, func::FuncDialect>();
    return made;
  }();
  return context;
}

std::recursive_mutex& tracing_mutex() {
  static auto& mutex = *new std::recursive_mutex;
  return mutex;
}

Type element_type(DType dtype) {
  MLIRContext* context = &tracing_context();
  switch (dtype) {
    case DType::pred: return IntegerType::get(context, 1);
    case DType::s32: return IntegerType::get(context, 32);
    case DType::s64: return IntegerType::get(context, 64);
    case DType::u8: return IntegerType::get(context, 8, IntegerType::Unsigned);
    case DType::u32: return IntegerType::get(context, 32, IntegerType::Unsigned);
    case DType::bf16: return BFloat16Type::get(context);
    case DType::f32: return Float32Type::get(context);
    case DType::f64: return Float64Type::get(context);
  }
  return {};
}

RankedTensorType tensor_type(const Descriptor& type) {
  return RankedTensorType::get(type.shape, element_type(type.dtype));
}

DType dtype_of_element(Type element) {
  for (DType dtype : kAllDTypes)
    if (element == element_type(dtype)) return dtype;
  std::string text;
  llvm::raw_string_ostream(text) << element;
  throw DTypeError("element type " + text + " has no dtype in this version");
}

DiagnosticCollector::DiagnosticCollector()
    : handler_(&tracing_context(), [this](Diagnostic& diagnostic) {
        if (!text_.empty()) text_ += "\n";
        text_ += diagnostic.str();
        return success();
      }) {}

namespace {
thread_local Trace* innermost = nullptr;
std::atomic<uint64_t> next_trace{1};

struct Call {
  int depth = 0;
  const char* name = "";
  std::source_location at;
};
thread_local Call call;
}  // namespace

CallScope::CallScope(const char* name, std::source_location at) : outermost_(call.depth++ == 0) {
  if (!outermost_) return;
  call.name = name;
  call.at = at;
}
CallScope::~CallScope() { --call.depth; }
bool CallScope::inside() { return call.depth > 0; }

UserScope::UserScope() : depth_(std::exchange(call.depth, 0)), name_(call.name), at_(call.at) {}
UserScope::~UserScope() { call = {depth_, name_, at_}; }

std::string escaped_message(const Descriptor& type) {
  return "a traced " + to_string(type) +
         " array is used after the function that made it was traced: it escaped, for instance into a captured or "
         "global variable. Return it from the function instead";
}

Location current_location() {
  MLIRContext* context = &tracing_context();
  if (!CallScope::inside()) return UnknownLoc::get(context);
  return FileLineColLoc::get(context, call.at.file_name(), call.at.line(), call.at.column());
}

std::string blame() {
  if (!CallScope::inside()) return "";
  return std::string(call.name) + " (" + format(call.at) + "): ";
}

Trace* Trace::current() { return innermost; }

Trace::Trace(std::span<const Descriptor* const> arguments)
    : lock_(tracing_mutex()),
      id_(next_trace++),
      outer_(innermost),
      ops_(&tracing_context()),
      builder_(ops_, UnknownLoc::get(&tracing_context())) {
  Location unknown = UnknownLoc::get(&tracing_context());
  module_ = ModuleOp::create(unknown);
  SmallVector<Type> types;
  for (const Descriptor* type : arguments) types.push_back(tensor_type(*type));
  ops_.setInsertionPointToStart(module_->getBody());
  function_ = func::FuncOp::create(ops_, unknown, "main", ops_.getFunctionType(types, {}));
  ops_.setInsertionPointToStart(function_.addEntryBlock());
  for (auto [type, value] : llvm::zip_equal(arguments, function_.getArguments()))
    arguments_.push_back(Access::traced(type, id_, value.getAsOpaquePointer()));
  innermost = this;
}

Trace::~Trace() { pop(); }

void Trace::pop() {
  if (!active_) return;
  active_ = false;
  innermost = outer_;
}

Value Trace::capture(const Array& a) {
  Value& value = captured_[Access::impl(a)];
  if (value) return value;
  captures_.push_back(a);
  return value = function_.front().addArgument(tensor_type(*type_of(a)), UnknownLoc::get(&tracing_context()));
}

Value Trace::lift(const Array& a) {
  const Descriptor* type = nullptr;
  try {
    type = type_of(a);
    if (Access::impl(a)->kind == ArrayImpl::Kind::literal) check_fits(*Access::impl(a));
  } catch (const ValueError& e) {
    throw ValueError(blame() + e.what());
  }
  ArrayImpl& impl = *Access::impl(a);
  switch (impl.kind) {
    case ArrayImpl::Kind::traced: {
      if (impl.trace == id_) return Value::getFromOpaquePointer(impl.value);
      for (Trace* t = outer_; t; t = t->outer_)
        if (t->id_ == impl.trace) return capture(a);
      throw TraceError(blame() + escaped_message(*type));
    }
    case ArrayImpl::Kind::literal: {
      RankedTensorType tensor = tensor_type(*type);
      Attribute scalar = is_floating(type->dtype)
                             ? Attribute(FloatAttr::get(tensor.getElementType(), impl.float_value))
                             : Attribute(IntegerAttr::get(tensor.getElementType(), impl.int_value));
      return ir::ConstantOp::create(ops_, builder_.loc, tensor, DenseElementsAttr::get(tensor, scalar));
    }
    case ArrayImpl::Kind::abstract:
      throw ValueError(blame() + "an abstract " + to_string(*type) +
                       " array has no value; pass it as an argument of eval_shape or trace instead of capturing it");
    case ArrayImpl::Kind::donated:
    case ArrayImpl::Kind::concrete: break;
  }
  try {
    (void)buffer_of(a, "");
  } catch (const ValueError& e) {
    throw ValueError(blame() + e.what());
  }
  return capture(a);
}

Array Trace::wrap(Value value, bool weak) {
  auto type = ir::typeOf(value);
  const DType dtype = dtype_of_element(type.getElementType());
  // As in JAX, booleans are never weak: comparisons of numbers are plain bools.
  const Descriptor* d =
      Descriptor::get(dtype, Shape(type.getShape().begin(), type.getShape().end()), weak && dtype != DType::pred);
  return Access::traced(d, id_, value.getAsOpaquePointer());
}

std::vector<Array> Trace::wrap(ValueRange values, bool weak) {
  std::vector<Array> out;
  for (Value v : values) out.push_back(wrap(v, weak));
  return out;
}

func::FuncOp Trace::finish(std::span<const Array> results) {
  SmallVector<Value> values;
  SmallVector<Type> types;
  for (const Array& a : results) {
    values.push_back(lift(a));
    types.push_back(values.back().getType());
  }
  func::ReturnOp::create(ops_, UnknownLoc::get(&tracing_context()), values);
  function_.setFunctionType(ops_.getFunctionType(function_.front().getArgumentTypes(), types));
  pop();
  return function_;
}

}  // namespace nacre::detail
