#include "codegen/schedule/index_expr.h"

#include <algorithm>
#include <numeric>

using namespace mlir;
using llvm::ArrayRef;

namespace nacre::schedule {
namespace {

int64_t floorDivide(int64_t a, int64_t b) {
  int64_t q = a / b;
  return q * b > a ? q - 1 : q;
}

// Order in which terms are written: dimensions, symbols, then the rest as found.
std::pair<int, int64_t> rank(AffineExpr atom) {
  if (auto dim = dyn_cast<AffineDimExpr>(atom)) return {0, dim.getPosition()};
  if (auto symbol = dyn_cast<AffineSymbolExpr>(atom)) return {2, symbol.getPosition()};
  return {1, 0};
}

struct Division {
  bool isMod;
  AffineExpr value;
  int64_t divisor;
};

std::optional<Division> asDivision(AffineExpr atom) {
  if (atom.getKind() != AffineExprKind::FloorDiv && atom.getKind() != AffineExprKind::Mod) return std::nullopt;
  auto binary = cast<AffineBinaryOpExpr>(atom);
  return Division{atom.getKind() == AffineExprKind::Mod, binary.getLHS(),
                  cast<AffineConstantExpr>(binary.getRHS()).getValue()};
}

// Binary node as it is, without MLIR's own rewriting.
AffineExpr makeDivision(bool isMod, AffineExpr value, int64_t divisor) {
  return isMod ? value % divisor : value.floorDiv(divisor);
}

}  // namespace

int64_t LinearForm::coefficient(AffineExpr atom) const {
  for (auto& [a, c] : terms)
    if (a == atom) return c;
  return 0;
}

void LinearForm::add(AffineExpr atom, int64_t coefficient) {
  for (auto& [a, c] : terms)
    if (a == atom) {
      c += coefficient;
      llvm::erase_if(terms, [](auto& t) { return t.second == 0; });
      return;
    }
  if (coefficient) terms.push_back({atom, coefficient});
}

void LinearForm::add(const LinearForm& other, int64_t factor) {
  for (auto& [a, c] : other.terms) add(a, c * factor);
  constant += other.constant * factor;
}

AffineExpr IndexSpace::addDim(Fact fact) {
  dims.push_back(fact);
  return getAffineDimExpr(dims.size() - 1, context);
}

AffineExpr IndexSpace::addSymbol(Fact fact) {
  symbols.push_back(fact);
  return getAffineSymbolExpr(symbols.size() - 1, context);
}

void IndexSpace::pushAssumption(AffineExpr expr, int64_t lower, int64_t upper) {
  assumptions.push_back({linear(expr), {lower, upper - 1}});
}

std::pair<int64_t, int64_t> IndexSpace::atomRange(AffineExpr atom) const {
  auto of = [](const Fact& f) {
    int64_t highest = floorDivide(f.upper - 1, f.multiple) * f.multiple;
    return std::make_pair(f.lower, std::max(f.lower, highest));
  };
  if (auto dim = dyn_cast<AffineDimExpr>(atom)) return of(dims[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(atom)) return of(symbols[symbol.getPosition()]);
  Division d = *asDivision(atom);
  auto [low, high] = range(linear(d.value));
  if (d.isMod) return {0, low >= 0 ? std::min(high, d.divisor - 1) : d.divisor - 1};
  return {floorDivide(low, d.divisor), floorDivide(high, d.divisor)};
}

int64_t IndexSpace::atomMultiple(AffineExpr atom) const {
  if (auto dim = dyn_cast<AffineDimExpr>(atom)) return dims[dim.getPosition()].multiple;
  if (auto symbol = dyn_cast<AffineSymbolExpr>(atom)) return symbols[symbol.getPosition()].multiple;
  return 1;
}

std::pair<int64_t, int64_t> IndexSpace::range(const LinearForm& form) const {
  int64_t low = form.constant, high = form.constant;
  for (auto& [atom, c] : form.terms) {
    auto [l, h] = atomRange(atom);
    low += c * (c > 0 ? l : h);
    high += c * (c > 0 ? h : l);
  }
  for (auto& [assumed, bounds] : assumptions) {
    if (assumed.terms.size() != form.terms.size() || form.terms.empty()) continue;
    bool same = llvm::all_of(form.terms, [&](auto& t) { return assumed.coefficient(t.first) == t.second; });
    if (!same) continue;
    int64_t shift = form.constant - assumed.constant;
    low = std::max(low, bounds.first + shift);
    high = std::min(high, bounds.second + shift);
  }
  return {low, std::max(low, high)};
}

LinearForm IndexSpace::splitSmall(LinearForm& form, int64_t divisor) const {
  // Terms by how much of the divisor they are known to hold, most first; the split is at a place in this order.
  llvm::SmallVector<std::pair<int64_t, size_t>> order;
  for (size_t i = 0; i < form.terms.size(); ++i) {
    int64_t step = std::abs(form.terms[i].second) * atomMultiple(form.terms[i].first);
    order.push_back({-std::gcd(step, divisor), i});
  }
  std::stable_sort(order.begin(), order.end(), [](auto& a, auto& b) { return a.first < b.first; });
  for (size_t big = order.size(); big >= 1; --big) {
    int64_t grain = divisor;
    for (size_t i = 0; i < big; ++i) grain = std::gcd(grain, -order[i].first);
    int64_t rest = floorDivide(form.constant, grain) * grain;
    LinearForm small, large;
    small.constant = form.constant - rest;
    large.constant = rest;
    for (size_t i = 0; i < order.size(); ++i) {
      auto& [atom, c] = form.terms[order[i].second];
      (i < big ? large : small).add(atom, c);
    }
    auto [low, high] = range(small);
    bool nothing = small.terms.empty() && small.constant == 0;
    if (nothing || low < 0 || high >= grain) continue;
    form = large;
    return small;
  }
  return {};
}

LinearForm IndexSpace::floorDiv(LinearForm form, int64_t divisor) const {
  if (divisor == 1) return form;
  LinearForm result, rest;
  for (auto& [atom, c] : form.terms) {
    int64_t whole = c % divisor == 0 ? c / divisor : 0;
    result.add(atom, whole);
    rest.add(atom, c - whole * divisor);
  }
  result.constant = floorDivide(form.constant, divisor);
  rest.constant = form.constant - result.constant * divisor;
  auto [low, high] = range(rest);
  if (floorDivide(low, divisor) == floorDivide(high, divisor)) {
    result.constant += floorDivide(low, divisor);
    return result;
  }
  splitSmall(rest, divisor);
  int64_t common = std::gcd(divisor, rest.constant);
  for (auto& t : rest.terms) common = std::gcd(common, t.second);
  if (common > 1) {
    for (auto& t : rest.terms) t.second /= common;
    rest.constant /= common;
    result.add(floorDiv(rest, divisor / common), 1);
    return result;
  }
  if (rest.terms.size() == 1 && rest.terms[0].second == 1 && rest.constant == 0) {
    if (auto inner = asDivision(rest.terms[0].first); inner && !inner->isMod) {
      result.add(floorDiv(linear(inner->value), inner->divisor * divisor), 1);
      return result;
    }
  }
  result.add(makeDivision(false, rebuild(rest), divisor), 1);
  return result;
}

LinearForm IndexSpace::mod(LinearForm form, int64_t divisor) const {
  LinearForm rest;
  if (divisor == 1) return rest;
  rest.constant = form.constant - floorDivide(form.constant, divisor) * divisor;
  for (auto& [atom, c] : form.terms) {
    if (c % divisor == 0) continue;
    auto inner = asDivision(atom);
    if (inner && inner->isMod && c == 1 && inner->divisor % divisor == 0) {
      LinearForm reduced = mod(linear(inner->value), divisor);
      if (form.terms.size() == 1 && form.constant == 0) return reduced;
    }
    rest.add(atom, c);
  }
  auto [low, high] = range(rest);
  if (floorDivide(low, divisor) == floorDivide(high, divisor)) {
    rest.constant -= floorDivide(low, divisor) * divisor;
    return rest;
  }
  LinearForm small = splitSmall(rest, divisor);
  int64_t common = std::gcd(divisor, rest.constant);
  for (auto& t : rest.terms) common = std::gcd(common, t.second);
  if (common > 1) {
    for (auto& t : rest.terms) t.second /= common;
    rest.constant /= common;
    small.add(mod(rest, divisor / common), common);
    return small;
  }
  small.add(makeDivision(true, rebuild(rest), divisor), 1);
  return small;
}

void IndexSpace::recombine(LinearForm& form) const {
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < form.terms.size() && !changed; ++i) {
      auto low = asDivision(form.terms[i].first);  // k * (x mod c)
      if (!low || !low->isMod) continue;
      int64_t k = form.terms[i].second;
      for (size_t j = 0; j < form.terms.size() && !changed; ++j) {
        if (i == j || form.terms[j].second != k * low->divisor) continue;
        auto high = asDivision(form.terms[j].first);
        if (!high) continue;
        std::optional<LinearForm> whole;
        if (!high->isMod && high->divisor == low->divisor) {
          // (x floordiv c, x mod c) and ((x mod a) floordiv c, x mod c) with c dividing a.
          auto inner = asDivision(high->value);
          if (high->value == low->value)
            whole = linear(high->value);
          else if (inner && inner->isMod && inner->value == low->value && inner->divisor % low->divisor == 0)
            whole = linear(high->value);
        } else if (high->isMod) {
          // ((x floordiv c) mod b, x mod c) is x mod (b * c).
          auto inner = asDivision(high->value);
          if (inner && !inner->isMod && inner->divisor == low->divisor && inner->value == low->value)
            whole = mod(linear(low->value), high->divisor * low->divisor);
        }
        if (!whole) continue;
        LinearForm next;
        next.constant = form.constant;
        for (size_t t = 0; t < form.terms.size(); ++t)
          if (t != i && t != j) next.add(form.terms[t].first, form.terms[t].second);
        next.add(*whole, k);
        form = next;
        changed = true;
      }
    }
  }
}

LinearForm IndexSpace::linear(AffineExpr expr) const {
  LinearForm form;
  switch (expr.getKind()) {
    case AffineExprKind::Constant: form.constant = cast<AffineConstantExpr>(expr).getValue(); return form;
    case AffineExprKind::DimId:
    case AffineExprKind::SymbolId: {
      auto [low, high] = atomRange(expr);
      if (low == high)
        form.constant = low;
      else
        form.add(expr, 1);
      return form;
    }
    default: break;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  LinearForm left = linear(binary.getLHS()), right = linear(binary.getRHS());
  switch (expr.getKind()) {
    case AffineExprKind::Add:
      left.add(right, 1);
      recombine(left);
      return left;
    case AffineExprKind::Mul:
      if (right.terms.empty())
        form.add(left, right.constant);
      else
        form.add(right, left.constant);
      return form;
    case AffineExprKind::FloorDiv: return floorDiv(left, right.constant);
    case AffineExprKind::Mod: return mod(left, right.constant);
    default: break;
  }
  llvm_unreachable("no other expressions are built");
}

AffineExpr IndexSpace::rebuild(const LinearForm& form) const {
  LinearForm sorted = form;
  std::stable_sort(sorted.terms.begin(), sorted.terms.end(),
                   [](auto& a, auto& b) { return rank(a.first) < rank(b.first); });
  AffineExpr sum = constant(0);
  for (auto& [atom, c] : sorted.terms) sum = sum + atom * c;
  return sum + form.constant;
}

AffineExpr IndexSpace::linearize(ArrayRef<AffineExpr> index, ArrayRef<int64_t> shape) const {
  AffineExpr position = constant(0);
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    position = index[i] * stride + position;
    stride *= shape[i];
  }
  return simplify(position);
}

Index IndexSpace::delinearize(AffineExpr position, ArrayRef<int64_t> shape) const {
  Index index(shape.size(), constant(0));
  int64_t stride = 1;
  int64_t total = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  if (total == 0) return index;
  for (size_t i = shape.size(); i-- > 0;) {
    AffineExpr quotient = position.floorDiv(stride);
    // The outermost dimension that varies needs no mod: the position is inside the array.
    stride *= shape[i];
    index[i] = simplify(stride == total ? quotient : quotient % shape[i]);
    if (shape[i] == 1) index[i] = constant(0);
  }
  return index;
}

bool dependsOnSymbols(AffineExpr expr) {
  return expr
      .walk([](AffineExpr e) { return isa<AffineSymbolExpr>(e) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

bool dependsOnDim(AffineExpr expr, unsigned dim) { return expr.isFunctionOfDim(dim); }

}  // namespace nacre::schedule
