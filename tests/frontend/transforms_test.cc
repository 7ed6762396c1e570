// All ordered pairs of {jit, grad, jvp, vmap}, with and without captured outer values.
#include "tests/frontend/close.h"

namespace nacre {
namespace {

using testing::agree;
using testing::close;
using testing::numeric_gradient;

Array vec(const std::vector<double>& values) { return array<double>(values); }
Array mat(const std::vector<double>& values, const Shape& shape) {
  return array(std::span<const double>(values), shape);
}

// Functions from a vector of f64 to a scalar; each twice differentiable at the points used.
struct Case {
  const char* name;
  std::function<Array(const Array&)> f;
};

const Array& captured() {
  static const Array c = vec({0.5, -1.5, 2.0});
  return c;
}

std::vector<Case> cases() {
  return {
      {"sum of squares", [](const Array& x) { return sum(x * x); }},
      {"sin and exp", [](const Array& x) { return sum(sin(x) * exp(0.5 * x)); }},
      {"captured", [](const Array& x) { return sum(tanh(x * captured()) + captured()); }},
      {"captured matrix",
       [m = mat({1, 2, 3, 4, 5, 6, 7, 8, 10}, {3, 3})](const Array& x) { return matmul(x, matmul(m, x)); }},
      {"logsumexp", [](const Array& x) { return logsumexp(x); }},
      {"slices", [](const Array& x) { return index(x, {0}) * index(x, {1}) / (2.0 + square(index(x, {2}))); }},
      {"where", [](const Array& x) { return sum(where(x > 0.0, x * x * x, sin(x))); }},
      {"power", [](const Array& x) { return sum(power(x * x + 1.0, 1.5)); }},
  };
}

const std::vector<double> kAt = {0.3, -0.7, 1.1};
const std::vector<double> kDirection = {1.0, 0.5, -2.0};
const std::vector<double> kBatch = {0.3, -0.7, 1.1, -0.2, 0.4, 0.9};

double value(const Case& c, const Array& x) { return c.f(x).item(); }
std::vector<double> gradient(const Case& c, const Array& x) {
  return numeric_gradient([&](const Array& y) { return value(c, y); }, x);
}
// Hessian times direction, from differences of exact gradients.
std::vector<double> hessian_times(const Case& c, const Array& x, const std::vector<double>& direction) {
  std::vector<double> at = x.to_vector<double>(), out(at.size());
  const double h = 1e-5;
  auto along = [&](double step) {
    std::vector<double> moved = at;
    for (size_t i = 0; i < at.size(); ++i) moved[i] += step * direction[i];
    return grad(c.f)(vec(moved)).to_vector<double>();
  };
  std::vector<double> up = along(h), down = along(-h);
  for (size_t i = 0; i < at.size(); ++i) out[i] = (up[i] - down[i]) / (2 * h);
  return out;
}
double dot_of(const std::vector<double>& a, const std::vector<double>& b) {
  double s = 0;
  for (size_t i = 0; i < a.size(); ++i) s += a[i] * b[i];
  return s;
}
std::vector<double> row(int i) { return {kBatch.begin() + 3 * i, kBatch.begin() + 3 * i + 3}; }

}  // namespace

TEST_CASE("each transform alone") {
  for (const Case& c : cases()) {
    INFO(c.name);
    const Array x = vec(kAt), batch = mat(kBatch, {2, 3});
    CHECK(close(jit(c.f)(x), {value(c, x)}, 1e-12));
    CHECK(close(grad(c.f)(x), gradient(c, x), 1e-6, 1e-7));
    auto [v, t] = jvp(c.f, std::tuple{x}, std::tuple{vec(kDirection)});
    CHECK(close(v, {value(c, x)}, 1e-12));
    CHECK(close(t, {dot_of(gradient(c, x), kDirection)}, 1e-6, 1e-7));
    CHECK(close(vmap(c.f)(batch), {value(c, vec(row(0))), value(c, vec(row(1)))}, 1e-12));
  }
}

TEST_CASE("jit around and inside each transform") {
  for (const Case& c : cases()) {
    INFO(c.name);
    const Array x = vec(kAt), d = vec(kDirection), batch = mat(kBatch, {2, 3});
    const Array g = grad(c.f)(x), b = vmap(c.f)(batch);
    auto directional = [&](const auto& f) {
      return [f](const Array& x, const Array& d) { return jvp(f, std::tuple{x}, std::tuple{d}).second; };
    };
    const Array t = directional(c.f)(x, d);
    CHECK(agree(jit(jit(c.f))(x), c.f(x), 1e-12));
    CHECK(agree(jit(grad(c.f))(x), g, 1e-12));
    CHECK(agree(grad(jit(c.f))(x), g, 1e-12));
    CHECK(agree(jit(directional(c.f))(x, d), t, 1e-12));
    CHECK(agree(directional(jit(c.f))(x, d), t, 1e-12));
    CHECK(agree(jit(vmap(c.f))(batch), b, 1e-12));
    CHECK(agree(vmap(jit(c.f))(batch), b, 1e-12));
  }
}

TEST_CASE("grad, jvp and vmap of each other") {
  for (const Case& c : cases()) {
    INFO(c.name);
    const Array x = vec(kAt), d = vec(kDirection), batch = mat(kBatch, {2, 3});
    auto along = [&c](const Array& x, const Array& d) { return jvp(c.f, std::tuple{x}, std::tuple{d}).second; };
    const std::vector<double> second = hessian_times(c, x, kDirection);

    SECTION("grad of grad, of jvp; jvp of grad: Hessian times direction") {
      auto along_gradient = [&](const Array& x) { return sum(grad(c.f)(x) * vec(kDirection)); };
      CHECK(close(grad(along_gradient)(x), second, 1e-6, 1e-7));
      CHECK(close(grad(along)(x, d), second, 1e-6, 1e-7));
      CHECK(close(jvp(grad(c.f), std::tuple{x}, std::tuple{d}).second, second, 1e-6, 1e-7));
    }
    SECTION("jvp of jvp: direction times Hessian times direction") {
      auto once = [&](const Array& x) { return along(x, d); };
      CHECK(close(jvp(once, std::tuple{x}, std::tuple{d}).second, {dot_of(second, kDirection)}, 1e-6, 1e-7));
    }
    SECTION("vmap of grad, of jvp, of vmap") {
      std::vector<double> rows, slopes;
      for (int i = 0; i < 2; ++i) {
        std::vector<double> g = grad(c.f)(vec(row(i))).to_vector<double>();
        rows.insert(rows.end(), g.begin(), g.end());
        slopes.push_back(dot_of(g, kDirection));
      }
      CHECK(agree(vmap(grad(c.f))(batch), mat(rows, {2, 3}), 1e-10, 1e-12));
      CHECK(close(vmap(along, {0, std::nullopt})(batch, d), slopes, 1e-10, 1e-12));
      const Array twice = vmap(vmap(c.f))(reshape(batch, {1, 2, 3}));
      CHECK(twice.shape() == Shape{1, 2});
      CHECK(close(twice, vmap(c.f)(batch).to_vector<double>(), 1e-12));
    }
    SECTION("grad and jvp of vmap") {
      auto total = [&](const Array& rows) { return sum(vmap(c.f)(rows) * vec({1.0, 3.0})); };
      std::vector<double> wanted;
      for (int i = 0; i < 2; ++i)
        for (double g : grad(c.f)(vec(row(i))).to_vector<double>()) wanted.push_back(g * (i ? 3.0 : 1.0));
      CHECK(agree(grad(total)(batch), mat(wanted, {2, 3}), 1e-10, 1e-12));
      const Array directions = mat({1, 0, 0, 0, 1, 1}, {2, 3});
      std::vector<double> slopes;
      for (int i = 0; i < 2; ++i) {
        std::vector<double> g = grad(c.f)(vec(row(i))).to_vector<double>();
        slopes.push_back(i == 0 ? g[0] : g[1] + g[2]);
      }
      CHECK(close(jvp(vmap(c.f), std::tuple{batch}, std::tuple{directions}).second, slopes, 1e-10, 1e-12));
    }
  }
}

TEST_CASE("deeper nests") {
  const Array w = vec({2.0, -1.0, 0.5});
  auto f = [w](const Array& x) { return sum(sin(x * w)); };
  const Array batch = mat(kBatch, {2, 3});
  std::vector<double> wanted, fourth;
  for (int i = 0; i < 6; ++i) {
    const double k = w.to_vector<double>()[i % 3], v = kBatch[i];
    wanted.push_back(k * std::cos(k * v));
    fourth.push_back(k * k * k * k * std::sin(k * v));
  }
  CHECK(agree(jit(vmap(grad(f)))(batch), mat(wanted, {2, 3}), 1e-9));
  auto scalar = [](const Array& x) { return sin(2.0 * x); };
  auto d4 = jit(vmap(grad(grad(grad(grad(scalar))))));
  CHECK(close(d4(vec({0.1, 0.7})), {16 * std::sin(0.2), 16 * std::sin(1.4)}, 1e-9));
  auto hessian = [&](const Array& x) {
    return vmap([&](const Array& d) { return jvp(grad(f), std::tuple{x}, std::tuple{d}).second; })(eye(3, 3, 0, f64));
  };
  const Array h = jit(hessian)(vec(kAt));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double k = w.to_vector<double>()[i];
      CHECK(index(h, {i, j}).item() == Approx(i == j ? -k * k * std::sin(k * kAt[i]) : 0.0).margin(1e-12));
    }
}

TEST_CASE("values captured from an outer transform get no derivative of the inner one") {
  // d/dx [x * d/dy (x + y)] = d/dx x = 1; confusing the two would give 2.
  auto outer = [](const Array& x) { return x * grad([&](const Array& y) { return x + y; })(Array(array({1.0}, {}))); };
  CHECK(grad(outer)(array({3.0}, {})).item() == Approx(1.0));
  // d/dx [x * d/dy (x y)] = d/dx x^2 = 2x.
  auto product = [](const Array& x) { return x * grad([&](const Array& y) { return x * y; })(array({5.0}, {})); };
  CHECK(grad(product)(array({3.0}, {})).item() == Approx(6.0));
  auto forward = [](const Array& x) {
    auto inner = [&](const Array& y) { return x * y; };
    return x * jvp(inner, std::tuple{array({5.0}, {})}, std::tuple{array({1.0}, {})}).second;
  };
  CHECK(jvp(forward, std::tuple{array({3.0}, {})}, std::tuple{array({1.0}, {})}).second.item() == Approx(6.0));
  // The inner function uses only the outer value.
  auto constant = [](const Array& x) { return grad([&](const Array&) { return x * x; })(array({5.0}, {})); };
  CHECK(grad(constant)(array({3.0}, {})).item() == 0.0);
  // grad of grad with two captured levels: d/dx d/dy (w x y^2) at x = 3, y = x.
  const Array w = array({0.5}, {});
  auto nested = [&](const Array& x) { return grad([&](const Array& y) { return w * x * y * y; })(x); };
  CHECK(grad(nested)(array({3.0}, {})).item() == Approx(4 * 0.5 * 3));
  // A mapped outer value inside an inner vmap.
  const Array xs = vec({1.0, 2.0}), ys = vec({10.0, 20.0, 30.0});
  const Array table = vmap([&](const Array& x) { return vmap([&](const Array& y) { return x * y; })(ys); })(xs);
  CHECK(table.shape() == Shape{2, 3});
  CHECK(close(table, {10, 20, 30, 20, 40, 60}));
}

TEST_CASE("arguments, auxiliary results and trees of gradients") {
  auto f = [](const Array& a, const Array& b, const Array& c) { return a * b * b + c; };
  const Array a = array({2.0f}, {}), b = array({3.0f}, {}), c = array({4.0f}, {});
  CHECK(grad(f)(a, b, c).item() == 9.0);
  CHECK(grad<1>(f)(a, b, c).item() == 12.0);
  auto [ga, gc] = grad<0, 2>(f)(a, b, c);
  CHECK(ga.item() == 9.0);
  CHECK(gc.item() == 1.0);
  auto [v, gs] = value_and_grad<2, 1>(f)(a, b, c);
  CHECK(v.item() == 22.0);
  CHECK(std::get<0>(gs).item() == 1.0);
  CHECK(std::get<1>(gs).item() == 12.0);

  auto with_aux = [](const Array& x) { return std::pair{sum(x * x), std::tuple{x + 1.0f, argmax(x)}}; };
  const Array x = array<float>({1, 3, 2});
  auto [gx, aux] = grad(with_aux, has_aux)(x);
  CHECK(close(gx, {2, 6, 4}));
  CHECK(close(std::get<0>(aux), {2, 4, 3}));
  CHECK(std::get<1>(aux).item<int>() == 1);
  auto [result, gradients] = jit(value_and_grad(with_aux, has_aux))(x);
  CHECK(result.first.item() == 14.0);
  CHECK(std::get<1>(result.second).item<int>() == 1);
  CHECK(close(gradients, {2, 6, 4}));
}

namespace {
struct Layer {
  Array w, b;
  int units = 1;
};
struct Net {
  std::vector<Layer> layers;
  std::optional<Array> scale;
  std::map<std::string, Array> named;
};
Net net(bool scaled) {
  Net n;
  n.layers.push_back({array<float>({1, 2}), array({0.5f}, {}), 2});
  n.layers.push_back({array<float>({3, 4}), array({-1.0f}, {}), 3});
  if (scaled) n.scale = array({2.0f}, {});
  n.named["x"] = array<float>({1, -1});
  return n;
}
Array total(const Net& n) {
  Array s = sum(n.named.at("x") * n.named.at("x"));
  for (const Layer& l : n.layers) s = s + static_cast<float>(l.units) * (sum(l.w) + l.b * l.b);
  return n.scale ? s * *n.scale : s;
}
}  // namespace

TEST_CASE("trees go through every transform") {
  for (bool scaled : {false, true}) {
    const Net n = net(scaled);
    const double k = scaled ? 2 : 1;
    for (const Net& g : {grad(total)(n), jit(grad(total))(n)}) {
      REQUIRE(g.layers.size() == 2);
      CHECK(g.layers[1].units == 3);
      CHECK(close(g.layers[0].w, {2 * k, 2 * k}));
      CHECK(close(g.layers[1].b, {3 * -2 * k}));
      CHECK(close(g.named.at("x"), {2 * k, -2 * k}));
      CHECK(g.scale.has_value() == scaled);
      if (scaled) CHECK(g.scale->item() == total(net(false)).item());
    }
    auto [v, t] = jvp(total, std::tuple{n}, std::tuple{n});
    CHECK(v.item() == total(n).item());
    const Net twice = jit([](const Net& n) { return tree::map([](const Array& a) { return 2.0f * a; }, n); })(n);
    CHECK(close(twice.layers[1].w, {6, 8}));
    CHECK(twice.layers[1].units == 3);
    // Mapped over a new leading axis of every array.
    const Net batch = tree::map([](const Array& a) { return stack({a, 2.0f * a}); }, n);
    const Array totals = vmap(total)(batch);
    const Net doubled = tree::map([](const Array& a) { return 2.0f * a; }, n);
    CHECK(close(totals, {total(n).item(), total(doubled).item()}));
  }
}

TEST_CASE("axes of vmap") {
  const Array m = array<float>({1, 2, 3, 4, 5, 6}, {2, 3}), v = array<float>({10, 20, 30});
  auto add_them = [](const Array& a, const Array& b) { return a + b; };
  CHECK(close(vmap(add_them, {0, std::nullopt})(m, v), {11, 22, 33, 14, 25, 36}));
  // Over columns, one element of v each.
  const Array columns = vmap(add_them, {1, 0})(m, v);
  CHECK(columns.shape() == Shape{3, 2});
  CHECK(close(columns, {11, 14, 22, 25, 33, 36}));
  CHECK(vmap(add_them, {-1, -1}, -1)(m, v).shape() == Shape{2, 3});
  CHECK(close(vmap(add_them, {-1, -1}, -1)(m, v), {11, 22, 33, 14, 25, 36}));
  CHECK(close(vmap(add_them, {1, 0}, 1)(m, v), {11, 22, 33, 14, 25, 36}));

  // Results: one mapped, one not; by leaf.
  auto both = [v](const Array& a) { return std::tuple{sum(a), v * 2.0f, a}; };
  auto [s, w, t] = vmap(both, {0}, leaf_axes({0, std::nullopt, 1}))(m);
  CHECK(close(s, {6, 15}));
  CHECK(w.shape() == Shape{3});
  CHECK(close(w, {20, 40, 60}));
  CHECK(t.shape() == Shape{3, 2});
  // Unmapped results are repeated where an axis is asked for.
  CHECK(std::get<1>(vmap(both)(m)).shape() == Shape{2, 3});

  auto pair_sum = [](const std::pair<Array, Array>& p) { return p.first + p.second; };
  CHECK(close(vmap(pair_sum, {leaf_axes({0, std::nullopt})})(std::pair{v, array({1.0f}, {})}), {11, 21, 31}));

  VmapOptions repeat;
  repeat.in_axes = {std::nullopt};
  repeat.axis_size = 4;
  CHECK(close(vmap([](const Array& a) { return a * 2.0f; }, repeat)(array({3.0f}, {})), {6, 6, 6, 6}));
  // Matrix products under two maps.
  const Array a = mat(kBatch, {2, 3}), b = mat({1, 2, 3, 4, 5, 6}, {3, 2});
  const Array rows = vmap([&](const Array& r) { return vmap([&](const Array& c) { return dot(r, c); }, {1})(b); })(a);
  CHECK(agree(rows, matmul(a, b), 1e-12));
}

TEST_CASE("eval_shape computes nothing") {
  const Net shapes = eval_shape(
      [](const Array& key) {
        Net n = net(true);
        n.layers[0].w = random::normal(key, {100000, 40000});
        return n;
      },
      random::abstract_key());
  CHECK(shapes.layers[0].w.is_abstract());
  CHECK(shapes.layers[0].w.shape() == Shape{100000, 40000});
  CHECK(shapes.layers[1].units == 3);
  CHECK(shapes.scale->dtype() == f32);
  const Array y = eval_shape([](const Array& x) { return matmul(x, x.T()); }, abstract({3, 5}, bf16));
  CHECK(describe(y) == "bfloat16[3,3]");
  CHECK(describe(eval_shape(grad([](const Array& x) { return sum(x); }), abstract({7}, f64))) == "float64[7]");
}

TEST_CASE("stop_gradient") {
  const Array x = vec({1.0, 2.0});
  CHECK(close(grad([](const Array& x) { return sum(x * stop_gradient(x)); })(x), {1, 2}));
  CHECK(close(jit(grad([](const Array& x) { return sum(stop_gradient(x * x)); }))(x), {0, 0}));
  auto [v, t] = jvp([](const Array& x) { return stop_gradient(x) * 3.0; }, std::tuple{x}, std::tuple{x});
  CHECK(close(v, {3, 6}));
  CHECK(close(t, {0, 0}));
}

TEST_CASE("where keeps NaN of the branch not taken out of gradients, given safe operands") {
  auto f = [](const Array& x) {
    Array positive = x > 0.0;
    return sum(where(positive, log(where(positive, x, 1.0)), 0.0));
  };
  CHECK(close(grad(f)(vec({2.0, 0.0, -1.0})), {0.5, 0, 0}));
  CHECK(close(jit(grad(f))(vec({2.0, 0.0, -1.0})), {0.5, 0, 0}));
  CHECK(close(jit(vmap(grad([](const Array& x) { return where(x > 0.0, x, 0.0 * x); })))(vec({1.0, -1.0})), {1, 0}));
}

TEST_CASE("integer results and arguments of derivatives") {
  auto f = [](const Array& x, const Array& i) { return std::tuple{x * astype(i, f32), i + 1}; };
  const Array x = array<float>({1, 2}), i = array<int32_t>({3, 4});
  auto [results, tangents] = jvp(f, std::tuple{x, i}, std::tuple{x, i});
  CHECK(close(std::get<0>(tangents), {3, 8}));
  CHECK(close(std::get<1>(results), {4, 5}));
  CHECK(close(std::get<1>(tangents), {0, 0}));
  // An argument that the result does not depend on.
  CHECK(close(grad([](const Array& a, const Array& b) { return sum(b); })(x, x), {0, 0}));
  CHECK(close(grad([](const Array&) { return Array(2.0f); })(x), {0, 0}));
}

TEST_CASE("static parameters below transforms") {
  auto f = [](const Array& x, int power, const std::string& kind) {
    Array y = x;
    for (int i = 1; i < power; ++i) y = y * x;
    return kind == "sum" ? sum(y) : prod(y);
  };
  const Array x = vec({2.0, 3.0});
  CHECK(close(grad(f)(x, 3, "sum"), {12, 27}));
  CHECK(close(jit(grad(f))(x, 3, "sum"), {12, 27}));
  CHECK(close(jit(vmap(f, {0, std::nullopt, std::nullopt}))(x, 2, "prod"), {4, 9}));
}

}  // namespace nacre
