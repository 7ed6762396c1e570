// einsum of one or two operands: sums over labels of one operand first, then one dot_general, then a transpose.
#include <algorithm>
#include <array>
#include <string>

#include "frontend/core/weak.h"
#include "frontend/numpy/promote.h"
#include "nacre/detail/op.h"
#include "nacre/lax.h"

namespace nacre {

using detail::blame;
using Inputs = std::span<const Array>;
using Axes = std::vector<int64_t>;

namespace {

// Axis labels; the axes of "..." are upper-case control characters 1, 2, ... counted from the right.
using Labels = std::string;

struct Subscripts {
  std::vector<Labels> inputs;
  Labels output;
};

Labels parse_term(std::string_view term, std::string_view all, int64_t rank, size_t operand) {
  const std::string where = blame() + "subscripts \"" + std::string(all) + "\": ";
  Labels labels;
  bool ellipsis = false;
  for (size_t i = 0; i < term.size(); ++i) {
    if (term[i] == ' ') continue;
    if (term.substr(i, 3) == "...") {
      if (ellipsis) throw ShapeError(where + "\"...\" occurs twice in term " + std::to_string(operand));
      ellipsis = true;
      labels += '.';
      i += 2;
    } else if (isalpha(static_cast<unsigned char>(term[i]))) {
      labels += term[i];
    } else {
      throw ShapeError(where + "unexpected character '" + term[i] + "'; labels are letters");
    }
  }
  const auto named = static_cast<int64_t>(labels.size()) - ellipsis;
  if (rank < named || (!ellipsis && rank != named))
    throw ShapeError(where + "term " + std::to_string(operand) + " names " + std::to_string(named) +
                     " axes, but the operand has " + std::to_string(rank));
  if (ellipsis) {
    Labels rest;
    for (int64_t i = rank - named; i > 0; --i) rest += static_cast<char>(i);
    labels.replace(labels.find('.'), 1, rest);
  }
  return labels;
}

Subscripts parse(std::string_view text, Inputs operands) {
  Subscripts s;
  const size_t arrow = text.find("->");
  std::string_view left = text.substr(0, arrow);
  for (size_t i = 0; i < operands.size(); ++i) {
    const size_t comma = left.find(',');
    if ((comma == std::string_view::npos) != (i + 1 == operands.size()))
      throw ShapeError(blame() + "subscripts \"" + std::string(text) + "\" do not name " +
                       std::to_string(operands.size()) + " operands");
    s.inputs.push_back(parse_term(left.substr(0, comma), text, operands[i].ndim(), i));
    left = comma == std::string_view::npos ? "" : left.substr(comma + 1);
  }
  Labels all;
  for (const Labels& l : s.inputs) all += l;
  Labels broadcast;
  for (char c = 31; c > 0; --c)
    if (all.find(c) != Labels::npos) broadcast += c;
  if (arrow == std::string_view::npos) {
    // Implicit output: broadcast axes, then labels that occur once, in alphabetical order.
    s.output = broadcast;
    Labels once;
    for (char c : all)
      if (c > 31 && std::count(all.begin(), all.end(), c) == 1) once += c;
    std::sort(once.begin(), once.end());
    s.output += once;
    return s;
  }
  std::string_view right = text.substr(arrow + 2);
  for (size_t i = 0; i < right.size(); ++i) {
    if (right[i] == ' ') continue;
    if (right.substr(i, 3) == "...") {
      s.output += broadcast;
      i += 2;
    } else if (all.find(right[i]) == Labels::npos || s.output.find(right[i]) != Labels::npos) {
      throw ShapeError(blame() + "subscripts \"" + std::string(text) + "\": output label '" + right[i] +
                       "' is not in the inputs, or occurs twice");
    } else {
      s.output += right[i];
    }
  }
  return s;
}

bool has(const Labels& labels, char c) { return labels.find(c) != Labels::npos; }

// Takes diagonals for labels that occur twice, and sums over labels that nobody else wants.
Array reduced(Array a, Labels& labels, const Labels& wanted) {
  for (size_t i = 0; i < labels.size(); ++i) {
    const size_t j = labels.find(labels[i], i + 1);
    if (j == Labels::npos) continue;
    if (a.dim(static_cast<int64_t>(i)) != a.dim(static_cast<int64_t>(j)))
      throw ShapeError(blame() + "label '" + labels[i] + "' stands for two sizes of " + describe(a));
    Array row = lax::broadcasted_iota(DType::s32, a.shape(), static_cast<int64_t>(i));
    Array column = lax::broadcasted_iota(DType::s32, a.shape(), static_cast<int64_t>(j));
    a = lax::reduce_sum(lax::select(lax::eq(row, column), a, detail::constant_like(a, 0)), {static_cast<int64_t>(i)});
    labels.erase(i--, 1);
  }
  Axes summed;
  Labels kept;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (has(wanted, labels[i]))
      kept += labels[i];
    else
      summed.push_back(static_cast<int64_t>(i));
  }
  labels = kept;
  return summed.empty() ? a : lax::reduce_sum(a, summed);
}

Array permuted(const Array& a, const Labels& from, const Labels& to) {
  Axes order;
  for (char c : to) order.push_back(static_cast<int64_t>(from.find(c)));
  return lax::transpose(a, order);
}

Array contracted(std::string_view text, const Array& x, const Array& y, Subscripts s) {
  Labels &lx = s.inputs[0], &ly = s.inputs[1];
  Array a = reduced(x, lx, ly + s.output), b = reduced(y, ly, lx + s.output);
  // A size-1 axis meets a larger one: summed away where it stands alone.
  auto size_of_label = [](const Array& v, const Labels& l, char c) { return v.dim(static_cast<int64_t>(l.find(c))); };
  for (char c : Labels(lx)) {
    if (!has(ly, c)) continue;
    const int64_t p = size_of_label(a, lx, c), q = size_of_label(b, ly, c);
    if (p == q) continue;
    if (p != 1 && q != 1)
      throw ShapeError(blame() + "subscripts \"" + std::string(text) + "\": an axis has size " + std::to_string(p) +
                       " in " + describe(x) + " but " + std::to_string(q) + " in " + describe(y));
    Array& one = p == 1 ? a : b;
    Labels& labels = p == 1 ? lx : ly;
    one = lax::reduce_sum(one, {static_cast<int64_t>(labels.find(c))});
    labels.erase(labels.find(c), 1);
  }
  lax::DotDimensionNumbers dims;
  Labels result;
  for (char c : lx) {
    if (!has(ly, c)) continue;
    const bool batch = has(s.output, c);
    (batch ? dims.lhs_batch : dims.lhs_contracting).push_back(static_cast<int64_t>(lx.find(c)));
    (batch ? dims.rhs_batch : dims.rhs_contracting).push_back(static_cast<int64_t>(ly.find(c)));
    if (batch) result += c;
  }
  for (char c : lx)
    if (!has(ly, c)) result += c;
  for (char c : ly)
    if (!has(lx, c)) result += c;
  Array product = lax::dot_general(a, b, dims);
  // Labels summed away above because of size 1 on one side, and wanted by nobody.
  product = reduced(product, result, s.output);
  return permuted(product, result, s.output);
}

}  // namespace

Array einsum(std::string_view subscripts, const Operand& x) {
  return detail::run_op1("einsum", x.at, std::string(subscripts), {x.array}, [&](Inputs in) {
    Array a = detail::settled(in[0]);
    Subscripts s = parse(subscripts, in);
    a = reduced(a, s.inputs[0], s.output);
    return permuted(a, s.inputs[0], s.output);
  });
}

Array einsum(std::string_view subscripts, const Operand& x, const Operand& y) {
  return detail::run_op1("einsum", x.at, std::string(subscripts), {x.array, y.array}, [&](Inputs in) {
    std::vector<Array> both = detail::promoted(in);
    return contracted(subscripts, both[0], both[1], parse(subscripts, in));
  });
}

}  // namespace nacre
