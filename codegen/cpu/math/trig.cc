#include <limits>

#include "codegen/cpu/math/core.h"

namespace nacre::cpu::math {

static constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54;
static constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;

// 2^n modulo 2 pi for n = 0..104, as sums of two f64.
static constexpr double kPowersHigh[] = {
    0x1.0000000000000p+0, 0x1.0000000000000p+1, 0x1.0000000000000p+2, 0x1.b7812aeef4b9fp+0, 0x1.b7812aeef4b9fp+1,
    0x1.2b0bad558f435p-1, 0x1.2b0bad558f435p+0, 0x1.2b0bad558f435p+1, 0x1.2b0bad558f435p+2, 0x1.87ef4acdb76a3p+1,
    0x1.87ef4acdb76a3p+2, 0x1.7dbee0572c02ep+2, 0x1.695e0b6a15344p+2, 0x1.409c618fe7971p+2, 0x1.de321bb718b92p+1,
    0x1.304999cb579e8p+0, 0x1.304999cb579e8p+1, 0x1.304999cb579e8p+2, 0x1.9ce6fca4d8d6ep+1, 0x1.58e8ec12c0aa8p-3,
    0x1.58e8ec12c0aa8p-2, 0x1.58e8ec12c0aa8p-1, 0x1.58e8ec12c0aa8p+0, 0x1.58e8ec12c0aa8p+1, 0x1.58e8ec12c0aa8p+2,
    0x1.1fb222e13e839p+2, 0x1.5a8920fc746b2p+1, 0x1.5a8920fc746b2p+2, 0x1.22f28cb4a604bp+2, 0x1.678ac84a126fap+1,
    0x1.678ac84a126fap+2, 0x1.3cf5db4fe20ddp+2, 0x1.cf9802b702942p+1, 0x1.ebc26b95fe14fp-1, 0x1.ebc26b95fe14fp+0,
    0x1.ebc26b95fe14fp+1, 0x1.668ad946ed0dap+0, 0x1.668ad946ed0dap+1, 0x1.668ad946ed0dap+2, 0x1.3af5fd499749bp+2,
    0x1.c7988a9dd783bp+1, 0x1.abc6aacca5912p-1, 0x1.abc6aacca5912p+0, 0x1.abc6aacca5912p+1, 0x1.9a6f58862bf99p-2,
    0x1.9a6f58862bf99p-1, 0x1.9a6f58862bf99p+0, 0x1.9a6f58862bf99p+1, 0x1.09f4683d25023p-3, 0x1.09f4683d25023p-2,
    0x1.09f4683d25023p-1, 0x1.09f4683d25023p+0, 0x1.09f4683d25023p+1, 0x1.09f4683d25023p+2, 0x1.0392366c0e65cp+1,
    0x1.0392366c0e65cp+2, 0x1.d412de4f67e7ep+0, 0x1.d412de4f67e7ep+1, 0x1.07cca42c94599p+0, 0x1.07cca42c94599p+1,
    0x1.07cca42c94599p+2, 0x1.f5e64c5397865p+0, 0x1.f5e64c5397865p+1, 0x1.8f1a5c3d52d34p+0, 0x1.8f1a5c3d52d34p+1,
    0x1.8f1a5c3d52d34p+2, 0x1.8c15033662d50p+2, 0x1.860a512882d88p+2, 0x1.79f4ed0cc2df7p+2, 0x1.61ca24d542ed6p+2,
    0x1.3174946643093p+2, 0x1.a192e7108681bp+1, 0x1.ee6639887604dp-3, 0x1.ee6639887604dp-2, 0x1.ee6639887604dp-1,
    0x1.ee6639887604dp+0, 0x1.ee6639887604dp+1, 0x1.711a1110cccd4p+0, 0x1.711a1110cccd4p+1, 0x1.711a1110cccd4p+2,
    0x1.50146cdd56c8fp+2, 0x1.0e0924766ac06p+2, 0x1.13e52751255e7p+1, 0x1.13e52751255e7p+2, 0x1.2b5532bc0fd6bp+1,
    0x1.2b5532bc0fd6bp+2, 0x1.89156067b9b7bp+1, 0x1.89156067b9b7bp+2, 0x1.800b0b8b309ddp+2, 0x1.6df661d21e6a2p+2,
    0x1.49cd0e5ffa02cp+2, 0x1.017a677bb133fp+2, 0x1.c35466cc7e59ap+0, 0x1.c35466cc7e59ap+1, 0x1.89a58c41dc40cp-1,
    0x1.89a58c41dc40cp+0, 0x1.89a58c41dc40cp+1, 0x1.89a58c41dc40cp+2, 0x1.812b633f75affp+2, 0x1.7037113aa88e6p+2,
    0x1.4e4e6d310e4b4p+2, 0x1.0a7d251dd9c4fp+2, 0x1.05b529eee170cp+1, 0x1.05b529eee170cp+2, 0x1.e52a7a6600402p+0,
};
static constexpr double kPowersLow[] = {
    0x0.0p+0,
    0x0.0p+0,
    0x0.0p+0,
    -0x1.a62633145c06ep-56,
    -0x1.a62633145c06ep-55,
    -0x1.f5f7fb2e61132p-59,
    -0x1.f5f7fb2e61132p-58,
    -0x1.f5f7fb2e61132p-57,
    -0x1.f5f7fb2e61132p-56,
    0x1.4dbd3ad1dc3a6p-53,
    0x1.4dbd3ad1dc3a6p-52,
    0x1.8118127272b44p-52,
    0x1.e7cdc1b39fa82p-52,
    -0x1.4ac6dfca06703p-52,
    0x1.403f74eab57cfp-54,
    -0x1.e90aa2efac07ep-54,
    -0x1.e90aa2efac07ep-53,
    -0x1.e90aa2efac07ep-52,
    -0x1.d8ef52213ba05p-53,
    0x1.95c955afd3e7bp-57,
    0x1.95c955afd3e7bp-56,
    0x1.95c955afd3e7bp-55,
    0x1.95c955afd3e7bp-54,
    0x1.95c955afd3e7bp-53,
    0x1.95c955afd3e7bp-52,
    -0x1.eecfb7d19df11p-52,
    -0x1.f003a5a903450p-53,
    -0x1.f003a5a903450p-52,
    -0x1.f4d35d069894fp-53,
    0x1.e1947f9043554p-53,
    0x1.e1947f9043554p-52,
    -0x1.57396410bf160p-52,
    0x1.b956a569e09d0p-55,
    -0x1.6065ceb66cc97p-55,
    -0x1.6065ceb66cc97p-54,
    -0x1.6065ceb66cc97p-53,
    -0x1.eb20c79eca277p-54,
    -0x1.eb20c79eca277p-53,
    -0x1.eb20c79eca277p-52,
    -0x1.e147e4ddb41ebp-53,
    -0x1.f754901df3be4p-53,
    -0x1.1b6f34f397eb5p-56,
    -0x1.1b6f34f397eb5p-55,
    -0x1.1b6f34f397eb5p-54,
    0x1.7e60254ee49ebp-56,
    0x1.7e60254ee49ebp-55,
    0x1.7e60254ee49ebp-54,
    0x1.7e60254ee49ebp-53,
    0x1.fee10ecf6f246p-59,
    0x1.fee10ecf6f246p-58,
    0x1.fee10ecf6f246p-57,
    0x1.fee10ecf6f246p-56,
    0x1.fee10ecf6f246p-55,
    0x1.fee10ecf6f246p-54,
    -0x1.af1dbc98e2e42p-56,
    -0x1.af1dbc98e2e42p-55,
    0x1.e758b6a2061a3p-54,
    0x1.e758b6a2061a3p-53,
    -0x1.984d6479fd323p-55,
    -0x1.984d6479fd323p-54,
    -0x1.984d6479fd323p-53,
    0x1.3540e152f4359p-54,
    0x1.3540e152f4359p-53,
    0x1.ade7e21ae7526p-56,
    0x1.ade7e21ae7526p-55,
    0x1.ade7e21ae7526p-54,
    -0x1.0db9c88f485cfp-54,
    -0x1.a13f4778e9eefp-52,
    -0x1.7383c88c66790p-54,
    -0x1.d424477778fcfp-52,
    -0x1.8555e4406f74ap-53,
    -0x1.3f708ee36a6a2p-53,
    0x1.8b437ad3f55e0p-58,
    0x1.8b437ad3f55e0p-57,
    0x1.8b437ad3f55e0p-56,
    0x1.8b437ad3f55e0p-55,
    0x1.8b437ad3f55e0p-54,
    -0x1.5302971d2c45bp-54,
    -0x1.5302971d2c45bp-53,
    -0x1.5302971d2c45bp-52,
    0x1.fcc374a30da1ap-55,
    -0x1.36630c1104b01p-53,
    -0x1.4315bd0929c20p-54,
    -0x1.4315bd0929c20p-53,
    -0x1.75e080e9be09ap-54,
    -0x1.75e080e9be09ap-53,
    -0x1.2085c83607941p-53,
    -0x1.2085c83607941p-52,
    0x1.492418c5562eep-53,
    0x1.760daca08373ap-55,
    -0x1.79bdf01249c71p-53,
    0x1.6bdfacbc70789p-52,
    -0x1.0a8c26e1933d7p-54,
    -0x1.0a8c26e1933d7p-53,
    -0x1.27745096c7eeep-55,
    -0x1.27745096c7eeep-54,
    -0x1.27745096c7eeep-53,
    -0x1.27745096c7eeep-52,
    0x1.2d69f74254c3bp-53,
    0x1.30794110f0348p-56,
    -0x1.e8a6761e4f73cp-53,
    0x1.f9ee4d60d597bp-53,
    0x1.bf17d45f1fae7p-53,
    0x1.bf17d45f1fae7p-52,
    0x1.8f351633e671fp-54,
};

// x = quadrant pi/2 + rest. Up to 2^30, by Cody and Waite with pi/2 in two parts: the first fused product is exact, as
// rest is a multiple of the last place of pi/2. Beyond, x is a 24-bit integer times a power of two, which a table
// gives modulo 2 pi with 106 bits; the product is reduced as before. No f32 is nearer to a multiple of pi/2 than
// 2^-32, so 2^-80 of absolute error is enough.
Reduced reduceAngle(Emit& e, Value x) {
  Type f64 = e.b.getF64Type();
  Value wide = e.fpext(x, f64);
  Rounded n = roundToInteger(e, e.fmul(wide, kTwoOverPi));
  Value rest = e.fma(n.value, -kHalfPi, wide);
  rest = e.fma(n.value, -kHalfPiLow, rest);
  Value large = e.fcmp(FCmpPredicate::uge, e.fabs(x), 0x1p30);
  auto reduced = e.branchIf(e.any(large), {n.integer, rest}, [&]() -> llvm::SmallVector<Value> {
    Value bits = e.toBits(x);
    Value exponent = e.sub(e.and_(e.lshr(bits, 23), 255), 150);
    Value index = e.smin(e.smax(exponent, e.integer(exponent, 0)), e.integer(exponent, 104));
    Value mantissa = e.sitofp(e.or_(e.and_(bits, 0x7fffff), 0x800000), f64);
    Value high = e.lookup("nacre.powers_mod_2pi.high", kPowersHigh, index);
    Value low = e.lookup("nacre.powers_mod_2pi.low", kPowersLow, index);
    Value product = e.fmul(mantissa, high);
    Value lost = e.fma(mantissa, high, e.fneg(product));
    Rounded m = roundToInteger(e, e.fmul(product, kTwoOverPi));
    Value r = e.fma(m.value, -kHalfPi, product);
    Value small = e.fma(mantissa, low, e.fma(m.value, -kHalfPiLow, lost));
    r = e.fadd(r, small);
    Value negative = e.icmp(ICmpPredicate::slt, bits, int64_t(0));
    r = e.select(negative, e.fneg(r), r);
    Value quadrant = e.select(negative, e.sub(e.integer(m.integer, 0), m.integer), m.integer);
    return {e.select(large, quadrant, n.integer), e.select(large, r, rest)};
  });
  return {reduced[0], reduced[1]};
}

// By Remez' algorithm; errors 2^-58 and 2^-64.
Value sinCore(Emit& e, Value r) {
  Value z = e.fmul(r, r);
  Value p = e.polynomialEstrin(z, {-0x1.5555555555549p-3, 0x1.111111110f87ap-7, -0x1.a01a019c11990p-13,
                                   0x1.71de3577b4e8ap-19, -0x1.ae5e6638965ebp-26, 0x1.5d93004970b69p-33});
  return e.fma(e.fmul(r, z), p, r);
}

Value cosCore(Emit& e, Value r) {
  Value z = e.fmul(r, r);
  Value p = e.polynomialEstrin(z, {0x1.555555555554cp-5, -0x1.6c16c16c1517ep-10, 0x1.a01a019cb1cb3p-16,
                                   -0x1.27e4f809f91cfp-22, 0x1.1ee9ebee3999ep-29, -0x1.8fae9ec410aeap-37});
  return e.fma(e.fmul(z, z), p, e.fma(z, -0.5, e.constant(z, 1)));
}

// atan of a ratio in [0, 1], reduced to |t| <= tan(pi/8) by atan(t) = pi/4 + atan((t - 1) / (t + 1)); odd polynomial
// by Remez' algorithm, error 2^-54.
Value atan2Core(Emit& e, Value y, Value x) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity(), kPi = 2 * kHalfPi;
  Value ay = e.fabs(y), ax = e.fabs(x), one = e.constant(x, 1);
  Value steep = e.fcmp(FCmpPredicate::ogt, ay, ax);
  Value small = e.select(steep, ax, ay), large = e.select(steep, ay, ax);
  // 0/0 counts as 0/1, inf/inf as 1/1.
  large = e.select(e.fcmp(FCmpPredicate::oeq, large, 0.0), one, large);
  Value bothInfinite = e.fcmp(FCmpPredicate::oeq, small, kInfinity);
  small = e.select(bothInfinite, one, small);
  large = e.select(bothInfinite, one, large);
  Value shifted = e.fcmp(FCmpPredicate::ogt, small, e.fmul(large, 0x1.a827999fcef32p-2));
  Value t = e.fdiv(e.select(shifted, e.fsub(small, large), small), e.select(shifted, e.fadd(small, large), large));
  Value z = e.fmul(t, t);
  Value p =
      e.polynomialEstrin(z, {-0x1.555555555531ap-2, 0x1.99999999498acp-3, -0x1.249249057b4c1p-3, 0x1.c71c65cc53894p-4,
                             -0x1.745bc2aa9c588p-4, 0x1.3afc2b224f0cep-4, -0x1.1004bf4ad8995p-4, 0x1.d24f92ed5e8f7p-5,
                             -0x1.6506627c9be90p-5, 0x1.5c200ede927f3p-6});
  Value angle = e.fma(e.fmul(t, z), p, t);
  angle = e.select(shifted, e.fadd(angle, kHalfPi / 2), angle);
  angle = e.select(steep, e.fsub(e.constant(angle, kHalfPi), angle), angle);
  Value left = e.icmp(ICmpPredicate::slt, e.toBits(x), int64_t(0));
  angle = e.copysign(e.select(left, e.fsub(e.constant(angle, kPi), angle), angle), y);
  return e.select(e.fcmp(FCmpPredicate::uno, x, y), e.fadd(x, y), angle);
}

}  // namespace nacre::cpu::math
