#!/usr/bin/env bash
# Types that trees refuse: each snippet must fail to compile with its sentence, in every compiler of the machine.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 compilers=()

cat >"$work/prefix.h" <<'HEADERS'
#include <functional>
#include <memory>
#include <unordered_map>
#include <variant>
#include "nacre/tree.h"
#include "frontend/tree/test_array.h"
using nacre::Array;
HEADERS
for compiler in clang++-22 g++; do
  command -v "$compiler" >/dev/null || continue
  compilers+=("$compiler")
  extension=gch && [[ $compiler == clang* ]] && extension=pch
  "$compiler" -std=c++20 -I"$here" -I"$root" -x c++-header "$work/prefix.h" -o "$work/prefix.h.$extension" || exit 1
done
((${#compilers[@]})) || { echo "no compiler found" && exit 1; }

# refuses SENTENCE DECLARATIONS: a `struct T` or alias T must be refused as a tree.
refuses() {
  for compiler in "${compilers[@]}"; do
    prefix=(-include "$work/prefix.h") && [[ $compiler == clang* ]] && prefix=(-include-pch "$work/prefix.h.pch")
    out=$("$compiler" -std=c++20 -fsyntax-only -I"$here" -I"$root" "${prefix[@]}" -x c++ - 2>&1 \
      <<<"$2"$'\n''auto use(const T& t) { return nacre::tree::structure(t); }')
    status=$?
    if ((status == 0)); then
      echo "FAIL: $compiler accepts: $2" && failed=1
    elif ! grep -qF "$1" <<<"$out"; then
      printf 'FAIL: %s does not say "%s" of: %s\n%s\n' "$compiler" "$1" "$2" "$out" && failed=1
    fi
  done
}

refuses 'cannot see through base classes' 'struct B { Array a; }; struct T : B { Array b; };'
refuses 'cannot see through base classes' 'struct B {}; struct T : B { Array b; };'
refuses 'cannot hold C arrays' 'struct T { Array a[3]; int n; };'
refuses 'cannot hold C arrays' 'struct T { int n; float a[2]; };'
refuses 'cannot hold C arrays' 'struct L { Array w, b; }; struct T { L a[2]; };'
refuses 'cannot hold C arrays' 'struct T { int a[1]; };'
refuses 'cannot hold reference members' 'struct T { Array a; const Array& b; };'
refuses 'at most 64 fields' "struct T { $(for i in {1..65}; do printf 'Array a%d; ' "$i"; done) };"
refuses 'cannot hold pointers' 'struct T { Array* a; };'
refuses 'cannot hold pointers' 'struct T { Array a; const char* name; };'
refuses 'cannot hold pointers' 'struct T { Array (*f)(Array); };'
refuses 'cannot hold long double' 'struct T { long double x; };'
refuses 'neither a tree nor a static value' 'struct T { Array a; std::unordered_map<int, Array> m; };'
refuses 'neither a tree nor a static value' 'struct T { std::variant<int, Array> v; };'
refuses 'neither a tree nor a static value' 'struct T { std::shared_ptr<Array> p; };'
refuses 'neither a tree nor a static value' 'struct T { std::function<void()> f; };'
refuses 'neither a tree nor a static value' 'class T { Array a; public: T(); };'
refuses 'neither a tree nor a static value' 'union T { int a; float b; };'
refuses 'neither a tree nor a static value' 'int n = 3; auto f = [n = n] { return n; }; using T = decltype(f);'
refuses 'The keys of a std::map' 'using T = std::map<std::pair<int, int>, Array>;'
refuses 'takes arrays and returns an Array' 'using T = Array; struct S {}; auto g(const Array& a) { return nacre::tree::map([](const Array&) { return S{}; }, a); }'
refuses 'needs a default constructor' 'struct T { T(int) {} Array a; NACRE_TREE(T, a); }; auto g(const nacre::TreeDef& d) { return nacre::tree::unflatten<T>(d, {}); }'
refuses 'neither a tree nor a static value' 'class B { Array a; NACRE_TREE(B, a); }; class T : public B { public: T(); Array b; };'

exit $failed
