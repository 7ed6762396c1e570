#include "nacre/tree.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "frontend/tree/test_array.h"

namespace nc = nacre;
namespace tree = nacre::tree;
using nacre::Array;
using nacre::TreeDef;
using Strings = std::vector<std::string>;

namespace {

enum class Mode { train, test };
struct Linear {
  Array w, b;
};
struct Block {
  Linear qkv, out;
  int heads = 4;
};
struct Params {
  Array embed;
  std::vector<Block> layers;
  Linear head;
};
struct Everything {
  const float rate = 0.5f;
  std::tuple<Array, int> pair_of;
  std::pair<Array, std::string> named{{}, "n"};
  std::array<Linear, 2> fixed;
  std::map<std::string, Array> by_name;
  std::map<int, Linear> by_number;
  std::optional<Array> maybe;
  std::optional<std::vector<Linear>> list;
  Mode mode = Mode::test;
  std::vector<bool> flags;
  std::vector<int> axes;
  std::string text = "a\"b\n";
};
struct Nothing {};
struct Recursive {
  Array v;
  std::vector<Recursive> kids;
};
struct HasClosure {
  Array a;
  decltype([](float x) { return x + 1; }) f;
  Nothing nothing;
};
class Listed {
 public:
  Listed() = default;
  Listed(float a, float b, int units) : a_(a), b_(b), units_(units) {}
  int calls = 7;  // not part of the tree
  Array a() const { return a_; }
  int units() const { return units_; }

 private:
  Array a_, b_;
  int units_ = 1;
  NACRE_TREE(Listed, a_, b_, units_);
};
struct WithBase : Linear {
  Array scale;
  NACRE_TREE(WithBase, w, b, scale);
};
struct NoDefault {
  explicit NoDefault(Array x) : a(x) {}
  Array a;
  NACRE_TREE(NoDefault, a);
};
struct HoldsNoDefault {
  int first;
  NoDefault late;
};
struct Wide {
  Array a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, c0, c1, c2, c3, c4, c5, c6, c7,
      c8, c9, d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, f0, f1, f2, f3, f4, f5,
      f6, f7, f8, f9, g0, g1, g2, g3;
};

Params small_params() { return {1.f, {{{2, 3}, {4, 5}}, {{6, 7}, {8, 9}, 8}}, {10, 11}}; }

std::vector<float> values(const auto& t) {
  std::vector<float> out;
  tree::for_each([&](const Array& a) { out.push_back(a.value()); }, t);
  return out;
}

Everything full() {
  Everything e;
  e.pair_of = {1, 2};
  e.named = {2, "x"};
  e.fixed = {Linear{3, 4}, Linear{5, 6}};
  e.by_name = {{"b", 8}, {"a", 7}};
  e.by_number = {{-3, {9, 10}}};
  e.maybe = 11;
  e.list = std::vector<Linear>{{12, 13}};
  e.flags = {true, false};
  e.axes = {0, 2};
  return e;
}

}  // namespace

TEST_CASE("leaves come in the order of the fields, with key paths") {
  Params p = small_params();
  CHECK(values(p) == std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(tree::structure(p).key_paths("params") ==
        Strings{"params.embed", "params.layers[0].qkv.w", "params.layers[0].qkv.b", "params.layers[0].out.w",
                "params.layers[0].out.b", "params.layers[1].qkv.w", "params.layers[1].qkv.b", "params.layers[1].out.w",
                "params.layers[1].out.b", "params.head.w", "params.head.b"});
  CHECK(tree::structure(p).key_paths()[1] == "layers[0].qkv.w");
  CHECK(tree::structure(Array(1)).key_paths("x") == Strings{"x"});
  CHECK(tree::structure(std::pair{Array(1), Linear{}}).key_paths("out") == Strings{"out[0]", "out[1].w", "out[1].b"});
}

TEST_CASE("every kind of node: paths, statics, printing") {
  TreeDef d = tree::structure(full());
  CHECK(d.num_leaves() == 13);
  CHECK(d.key_paths("e") == Strings{"e.pair_of[0]", "e.named[0]", "e.fixed[0].w", "e.fixed[0].b", "e.fixed[1].w",
                                    "e.fixed[1].b", "e.by_name[\"a\"]", "e.by_name[\"b\"]", "e.by_number[-3].w",
                                    "e.by_number[-3].b", "e.maybe", "e.list[0].w", "e.list[0].b"});
  Strings statics;
  for (const auto& s : d.statics()) statics.push_back(s.path + "=" + s.value);
  CHECK(statics == Strings{"rate=0.5", "pair_of[1]=2", "named[1]=\"x\"", "mode=Mode(1)", "flags[0]=true",
                           "flags[1]=false", "axes[0]=0", "axes[1]=2", "text=\"a\\\"b\\x0a\""});
  CHECK(d.to_string() ==
        "Everything{rate: 0.5, pair_of: (*, 2), named: (*, \"x\"), fixed: [Linear{w: *, b: *}, Linear{w: *, b: *}], "
        "by_name: {\"a\": *, \"b\": *}, by_number: {-3: Linear{w: *, b: *}}, maybe: *, list: [Linear{w: *, b: *}], "
        "mode: Mode(1), flags: [true, false], axes: [0, 2], text: \"a\\\"b\\x0a\"}");
  CHECK(tree::structure(Everything{}).key_paths() ==
        Strings{"pair_of[0]", "named[0]", "fixed[0].w", "fixed[0].b", "fixed[1].w", "fixed[1].b"});
  CHECK(tree::structure(std::optional<Array>()).to_string() == "none");
  CHECK(TreeDef().to_string() == "nothing");
  CHECK(tree::structure(Nothing{}).to_string() == "Nothing{}");
}

TEST_CASE("unflatten gives back what flatten took apart") {
  Everything e = full();
  std::vector<Array> leaves;
  TreeDef def;
  tree::flatten(e, leaves, def);
  for (Array& a : leaves) a = Array(a.value() * 10);
  auto check = [&](const Everything& r) {
    CHECK(tree::structure(r) == def);
    CHECK(values(r) == std::vector<float>{10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130});
    CHECK(std::get<1>(r.pair_of) == 2);
    CHECK(r.text == e.text);
    CHECK(r.flags == e.flags);
  };
  check(tree::unflatten_like(e, leaves));
  check(tree::unflatten<Everything>(def, leaves));
}

TEST_CASE("flatten appends leaves and replaces the definition") {
  std::vector<Array> leaves;
  TreeDef def;
  tree::flatten(Linear{1, 2}, leaves, def);
  tree::flatten(Block{}, leaves, def);
  CHECK(leaves.size() == 6);
  CHECK(def.num_leaves() == 4);
  CHECK(def == tree::structure(Block{}));
}

TEST_CASE("a struct of arrays has no bytes in its definition") {
  CHECK(tree::structure(Wide{}).encoded_values().empty());
  CHECK(tree::structure(Wide{}).num_leaves() == 64);
  CHECK(tree::structure(Wide{}).key_paths()[63] == "g3");
  CHECK(values(tree::map([](const Array&) { return 2; }, Wide{})) == std::vector<float>(64, 2));
}

TEST_CASE("definitions are equal when structure, lengths and statics are") {
  auto def = [](const auto& t) { return tree::structure(t); };
  Params p = small_params();
  CHECK(def(p) == def(small_params()));
  CHECK(def(p).hash() == def(small_params()).hash());
  auto differs = [&](const Params& q) {
    CHECK_FALSE(def(p) == def(q));
    CHECK(def(p).hash() != def(q).hash());
  };
  Params q = p;
  q.layers[1].heads = 9;
  differs(q);
  q = p;
  q.layers.pop_back();
  differs(q);
  CHECK_FALSE(def(Linear{}) == def(std::pair<Array, Array>()));
  CHECK_FALSE(def(std::optional<Array>(1)) == def(std::optional<Array>()));
  CHECK_FALSE(def(std::map<std::string, Array>{{"a", 1}}) == def(std::map<std::string, Array>{{"b", 1}}));
  CHECK_FALSE(def(0.0f) == def(-0.0f));
  CHECK(def(std::nanf("")) == def(std::nanf("")));
  CHECK_FALSE(TreeDef() == def(Linear{}));
  CHECK(TreeDef() == TreeDef());
  CHECK(TreeDef().hash() != def(Linear{}).hash());
  auto f = [](int) { return 1; };
  auto g = [](int) { return 2; };
  CHECK_FALSE(def(f) == def(g));
  CHECK(def(f) == def(f));
}

TEST_CASE("map over one tree and over several") {
  Params p = small_params();
  Params q = tree::map([](const Array& a) { return a.value() * 2; }, p);
  CHECK(values(q) == std::vector<float>{2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22});
  CHECK(q.layers[1].heads == 8);
  Params r = tree::map([](auto a, auto b, auto c) { return a.value() + b.value() - 3 * c.value(); }, q, p, p);
  CHECK(values(r) == std::vector<float>(11, 0));
  Everything e = tree::map([](const Array& a) { return a.value() + 1; }, full());
  CHECK(values(e)[12] == 14);
}

TEST_CASE("map names the key path where trees differ, and both structures") {
  auto add = [](const Array& a, const Array& b) { return a.value() + b.value(); };
  auto message = [&](const auto& a, const auto& b) -> std::string {
    try {
      tree::map(add, a, b);
    } catch (const nc::TreeError& e) {
      return e.what();
    }
    return "no error";
  };
  Params p = small_params(), q = p;
  q.layers[1].heads = 2;
  CHECK(message(p, q) ==
        "tree::map: tree 2 differs from tree 1 at layers[1].heads: tree 1 has 8, tree 2 has 2; structures and static "
        "values must be equal in all trees");
  q = p;
  q.layers.resize(1);
  CHECK_THAT(message(p, q),
             Catch::Contains("at layers: tree 1 has [Block{qkv: Linear{w: *, b: *}, out: Linear{w: *, b: *}, "
                             "heads: 4}, Block{") &&
                 Catch::Contains("tree 2 has [Block{"));
  std::map<std::string, Array> m{{"a", 1}}, n{{"b", 1}};
  CHECK_THAT(message(m, n), Catch::Contains("at the root: tree 1 has {\"a\": *}, tree 2 has {\"b\": *}"));
  CHECK_THAT(message(Linear{}, std::tuple<Array, Array>()),
             Catch::Contains("at the root: tree 1 has Linear{w: *, b: *}, tree 2 has (*, *)"));
  std::optional<Array> full(1), empty;
  CHECK_THAT(message(full, empty), Catch::Contains("tree 1 has *, tree 2 has none"));
  CHECK_THAT(message(1, 1u), Catch::Contains("tree 1 has 1 of type int, tree 2 has 1 of type unsigned int"));
  CHECK_THROWS_WITH(tree::map([](auto a, auto, auto) { return a; }, p, p, q), Catch::Contains("tree 3 differs"));
}

TEST_CASE("unflatten refuses a wrong number of leaves and a definition of another type") {
  std::vector<Array> three(3);
  CHECK_THROWS_WITH(tree::unflatten_like(Linear{}, three),
                    "tree::unflatten: the tree Linear{w: *, b: *} has 2 arrays, but 3 were given");
  CHECK_THROWS_WITH(tree::unflatten<Linear>(tree::structure(Linear{}), three), Catch::Contains("but 3 were given"));
  CHECK_THROWS_WITH(tree::unflatten<Linear>(tree::structure(Params{}), three),
                    Catch::Contains("Params{embed: *, layers: []") && Catch::Contains("asked for, Linear"));
  CHECK_THROWS_AS(tree::unflatten<Linear>(TreeDef(), three), nc::TreeError);
}

TEST_CASE("leaves, leaves_with_path, map_with_path, reduce, all") {
  Linear l{3, 4};
  CHECK(tree::leaves(l).size() == 2);
  auto with_path = tree::leaves_with_path(l, "l");
  CHECK(with_path[1].first == "l.b");
  CHECK(with_path[1].second.value() == 4);
  Strings seen;
  Linear m = tree::map_with_path(
      [&](const std::string& path, const Array& a) { return seen.push_back(path), a.value() + 1; }, l, "m");
  CHECK(seen == Strings{"m.w", "m.b"});
  CHECK(m.b.value() == 5);
  CHECK(tree::reduce([](float sum, const Array& a) { return sum + a.value(); }, l, 0.f) == 7);
  CHECK(tree::all([](const Array& a) { return a.value() > 2; }, l));
  int asked = 0;
  CHECK_FALSE(tree::all([&](const Array& a) { return ++asked, a.value() > 3; }, l));
  CHECK(asked == 1);
}

TEST_CASE("types that reflection finds hard") {
  Recursive r{1, {{2, {}}, {3, {{4, {}}}}}};
  CHECK(tree::structure(r).key_paths() == Strings{"v", "kids[0].v", "kids[1].v", "kids[1].kids[0].v"});
  CHECK(values(tree::unflatten<Recursive>(tree::structure(r), tree::leaves(r))) == std::vector<float>{1, 2, 3, 4});

  HasClosure h{5, {}, {}};
  CHECK(tree::unflatten<HasClosure>(tree::structure(h), tree::leaves(h)).f(1) == 2);
  CHECK(tree::structure(h).key_paths() == Strings{"a"});
  CHECK(tree::map([](const Array& a) { return a; }, h).a.value() == 5);

  struct Local {
    Array here;
    std::array<Array, 2> two;
  };
  CHECK(tree::structure(Local{}).key_paths("l") == Strings{"l.here", "l.two[0]", "l.two[1]"});
  CHECK(values(tree::map([](const Array& a) { return a.value() + 1; }, Local{0, {1, 2}})) ==
        std::vector<float>{1, 2, 3});

  HoldsNoDefault hold{3, NoDefault(4)};
  CHECK(tree::structure(hold).key_paths() == Strings{"late.a"});
  CHECK(tree::map([](const Array& a) { return a.value() + 1; }, hold).late.a.value() == 5);
}

TEST_CASE("NACRE_TREE shows private members and bases") {
  Listed l(1, 2, 3);
  l.calls = 9;
  CHECK(tree::structure(l).to_string() == "Listed{a_: *, b_: *, units_: 3}");
  Listed m = tree::map([](const Array& a) { return a.value() * 10; }, l);
  CHECK(m.a().value() == 10);
  CHECK(m.units() == 3);
  CHECK(m.calls == 9);
  Listed n = tree::unflatten<Listed>(tree::structure(l), tree::leaves(l));
  CHECK(n.units() == 3);
  CHECK(n.calls == 7);
  WithBase b;
  CHECK(tree::structure(b).key_paths() == Strings{"w", "b", "scale"});
}

TEST_CASE("tuples of references stand for tuples of values") {
  Linear l{1, 2};
  const int units = 3;
  auto arguments = std::tie(l, units);
  CHECK(tree::structure(arguments) == tree::structure(std::tuple<Linear, int>{l, 3}));
  auto back = tree::unflatten_like(arguments, tree::leaves(arguments));
  static_assert(std::is_same_v<decltype(back), std::tuple<Linear, int>>);
  CHECK(std::get<0>(back).b.value() == 2);
}

TEST_CASE("whether a type holds arrays is known while compiling") {
  STATIC_REQUIRE(tree::contains_arrays_v<Params>);
  STATIC_REQUIRE(tree::contains_arrays_v<const std::map<int, Linear>&>);
  STATIC_REQUIRE(tree::contains_arrays_v<Recursive>);
  STATIC_REQUIRE_FALSE(tree::contains_arrays_v<int>);
  STATIC_REQUIRE_FALSE(tree::contains_arrays_v<std::tuple<int, std::string, Nothing>>);
}
