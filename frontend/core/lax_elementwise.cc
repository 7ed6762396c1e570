// nacre::lax: elementwise ops.
#include "frontend/core/emit.h"
#include "frontend/core/weak.h"
#include "nacre/lax.h"

using namespace mlir;

namespace nacre::lax {

using detail::Arrays;
using detail::blame;
using detail::Descriptor;
using detail::type_of;

namespace {

enum class Accepts { floating, integer, integer_or_bool, number, any };

const char* words(Accepts accepts) {
  switch (accepts) {
    case Accepts::floating: return "floating-point";
    case Accepts::integer: return "integer";
    case Accepts::integer_or_bool: return "integer or bool";
    case Accepts::number: return "integer or floating-point";
    case Accepts::any: return "any";
  }
  return "";
}

void check_dtype(const Array& a, Accepts accepts) {
  DType t = a.dtype();
  bool ok = accepts == Accepts::any || (accepts == Accepts::floating && is_floating(t)) ||
            (accepts == Accepts::integer && is_integer(t)) ||
            (accepts == Accepts::integer_or_bool && (is_integer(t) || t == DType::pred)) ||
            (accepts == Accepts::number && t != DType::pred);
  if (!ok) throw DTypeError(blame() + "takes " + words(accepts) + " arrays, not " + describe(a) + "; use astype first");
}

template <class Op>
Array unary(const char* name, const Operand& x, Accepts accepts) {
  return detail::run_op1(name, x.at, "", {x.array}, [&](std::span<const Array> in) {
    Array a = detail::settled(in[0]);
    check_dtype(a, accepts);
    return detail::emit_op(name, x.at, "", {&a, 1},
                           [](ir::Builder& b, ArrayRef<Value> v) { return SmallVector<Value>{b.make<Op>(v[0])}; })[0];
  });
}

template <class Op>
Array binary(const char* name, const Operand& x, const Operand& y, Accepts accepts) {
  return detail::run_op1(name, x.at, "", {x.array, y.array}, [&](std::span<const Array> in) {
    std::vector<Array> a = detail::matched(in);
    check_dtype(a[0], accepts);
    return detail::emit_op(name, x.at, "", a, [](ir::Builder& b, ArrayRef<Value> v) {
      return SmallVector<Value>{b.make<Op>(v[0], v[1])};
    })[0];
  });
}

Array compare(const char* name, ir::ComparisonDirection direction, const Operand& x, const Operand& y) {
  return detail::run_op1(name, x.at, "", {x.array, y.array}, [&](std::span<const Array> in) {
    return detail::emit_op(name, x.at, "", detail::matched(in), [&](ir::Builder& b, ArrayRef<Value> v) {
      return SmallVector<Value>{b.compare(direction, v[0], v[1])};
    })[0];
  });
}

}  // namespace

#define NACRE_UNARY(function, Op, accepts) \
  Array function(const Operand& x) { return unary<ir::Op>("lax." #function, x, Accepts::accepts); }
NACRE_UNARY(exp, ExpOp, floating)
NACRE_UNARY(expm1, Expm1Op, floating)
NACRE_UNARY(log, LogOp, floating)
NACRE_UNARY(log1p, Log1pOp, floating)
NACRE_UNARY(sin, SinOp, floating)
NACRE_UNARY(cos, CosOp, floating)
NACRE_UNARY(tan, TanOp, floating)
NACRE_UNARY(asin, AsinOp, floating)
NACRE_UNARY(acos, AcosOp, floating)
NACRE_UNARY(atan, AtanOp, floating)
NACRE_UNARY(sinh, SinhOp, floating)
NACRE_UNARY(cosh, CoshOp, floating)
NACRE_UNARY(tanh, TanhOp, floating)
NACRE_UNARY(asinh, AsinhOp, floating)
NACRE_UNARY(acosh, AcoshOp, floating)
NACRE_UNARY(atanh, AtanhOp, floating)
NACRE_UNARY(logistic, LogisticOp, floating)
NACRE_UNARY(erf, ErfOp, floating)
NACRE_UNARY(erfc, ErfcOp, floating)
NACRE_UNARY(erf_inv, ErfInvOp, floating)
NACRE_UNARY(sqrt, SqrtOp, floating)
NACRE_UNARY(rsqrt, RsqrtOp, floating)
NACRE_UNARY(cbrt, CbrtOp, floating)
NACRE_UNARY(floor, FloorOp, floating)
NACRE_UNARY(ceil, CeilOp, floating)
NACRE_UNARY(round_nearest_even, RoundNearestEvenOp, floating)
NACRE_UNARY(round_nearest_afz, RoundNearestAfzOp, floating)
NACRE_UNARY(abs, AbsOp, number)
NACRE_UNARY(neg, NegOp, number)
NACRE_UNARY(sign, SignOp, number)
NACRE_UNARY(bitwise_not, NotOp, integer_or_bool)
NACRE_UNARY(population_count, PopcntOp, integer)
NACRE_UNARY(clz, ClzOp, integer)
NACRE_UNARY(is_finite, IsFiniteOp, floating)
NACRE_UNARY(stop_gradient, StopGradientOp, any)
#undef NACRE_UNARY

#define NACRE_BINARY(function, Op, accepts)                          \
  Array function(const Operand& x, const Operand& y) {               \
    return binary<ir::Op>("lax." #function, x, y, Accepts::accepts); \
  }
NACRE_BINARY(add, AddOp, any)
NACRE_BINARY(sub, SubOp, number)
NACRE_BINARY(mul, MulOp, any)
NACRE_BINARY(div, DivOp, number)
NACRE_BINARY(rem, RemOp, number)
NACRE_BINARY(pow, PowOp, number)
NACRE_BINARY(atan2, Atan2Op, floating)
NACRE_BINARY(max, MaxOp, any)
NACRE_BINARY(min, MinOp, any)
NACRE_BINARY(bitwise_and, AndOp, integer_or_bool)
NACRE_BINARY(bitwise_or, OrOp, integer_or_bool)
NACRE_BINARY(bitwise_xor, XorOp, integer_or_bool)
NACRE_BINARY(shift_left, ShiftLeftOp, integer)
NACRE_BINARY(shift_right_arithmetic, ShiftRightArithmeticOp, integer)
NACRE_BINARY(shift_right_logical, ShiftRightLogicalOp, integer)
#undef NACRE_BINARY

#define NACRE_COMPARE(function, direction)                                      \
  Array function(const Operand& x, const Operand& y) {                          \
    return compare("lax." #function, ir::ComparisonDirection::direction, x, y); \
  }
NACRE_COMPARE(eq, EQ)
NACRE_COMPARE(ne, NE)
NACRE_COMPARE(lt, LT)
NACRE_COMPARE(le, LE)
NACRE_COMPARE(gt, GT)
NACRE_COMPARE(ge, GE)
#undef NACRE_COMPARE

Array select(const Operand& pred, const Operand& on_true, const Operand& on_false) {
  return detail::run_op1(
      "lax.select", pred.at, "", {pred.array, on_true.array, on_false.array}, [&](std::span<const Array> in) {
        std::vector<Array> choices = detail::matched(in.subspan(1));
        if (in[0].dtype() != DType::pred) throw DTypeError(blame() + "chooses by a bool array, not " + describe(in[0]));
        Array p = in[0].ndim() == 0 ? broadcast_in_dim(in[0], choices[0].shape(), {}) : in[0];
        return detail::emit_op(
            "lax.select", pred.at, "", {{p, choices[0], choices[1]}},
            [](ir::Builder& b, ArrayRef<Value> v) { return detail::inferred<ir::SelectOp>(b, v, [](auto&) {}); },
            /*weak_from=*/1)[0];
      });
}

Array clamp(const Operand& min, const Operand& x, const Operand& max) {
  return detail::run_op1("lax.clamp", x.at, "", {min.array, x.array, max.array}, [&](std::span<const Array> in) {
    // Scalars of x's dtype are broadcast too, as in JAX.
    std::vector<Array> a = detail::matched(in, /*scalars=*/true);
    check_dtype(a[1], Accepts::number);
    return detail::emit_op("lax.clamp", x.at, "", a, [](ir::Builder& b, ArrayRef<Value> v) {
      return SmallVector<Value>{b.make<ir::ClampOp>(v[0], v[1], v[2])};
    })[0];
  });
}

std::pair<Array, Array> threefry2x32(const Operand& k0, const Operand& k1, const Operand& x0, const Operand& x1) {
  Array inputs[] = {k0.array, k1.array, x0.array, x1.array};
  Arrays out = detail::run_op("lax.threefry2x32", k0.at, "", inputs, [&](std::span<const Array> in) {
    for (const Array& a : in)
      if (a.dtype() != DType::u32) throw DTypeError(blame() + "takes uint32 arrays, not " + describe(a));
    return detail::emit_op("lax.threefry2x32", k0.at, "", in, [](ir::Builder& b, ArrayRef<Value> v) {
      return detail::inferred<ir::Threefry2x32Op>(b, v, [](auto&) {});
    });
  });
  return {out[0], out[1]};
}

}  // namespace nacre::lax
