#!/usr/bin/env bash
# nacre-run on good and bad input, nacre-opt on text that would crash MLIR's parser. $1 and $2 are the binaries.
set -u
run=$PWD/$1
opt=$PWD/$2
cd "$TEST_TMPDIR"
failures=0

# npy FILE DESCR SHAPE BYTES: a NumPy file, version 1; BYTES in printf's notation.
npy() {
  local header="{'descr': '$2', 'fortran_order': False, 'shape': $3, }"
  printf '\x93NUMPY\x01\x00\x76\x00' >"$1"
  printf '%-117s\n' "$header" >>"$1"
  printf "$4" >>"$1"
}

# expect STATUS TEXT ARGUMENTS...: the exit status, and text that the output must have.
expect() {
  local status=$1 text=$2
  shift 2
  local output got
  output=$("$run" "$@" 2>&1)
  got=$?
  if [[ $got != "$status" || $output != *"$text"* ]]; then
    printf 'FAILED: nacre-run %s\n  exit status %s, want %s\n  want the text: %s\n  output: %s\n' "$*" "$got" "$status" \
      "$text" "$output"
    failures=$((failures + 1))
  fi
}

npy x.npy '<f4' '(2,)' '\x00\x00\x80\x3f\x00\x00\x00\x40'         # 1, 2
npy three.npy '<f4' '(3,)' '\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x00\x00'
npy ints.npy '<i4' '(2,)' '\x01\x00\x00\x00\x02\x00\x00\x00'
cat >double.mlir <<'IR'
func.func @main(%x: tensor<2xf32> {nacre.name = "weights"}) -> tensor<2xf32> {
  %y = nacre.add %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
IR

for mode in --interpret --compile --compare; do
  expect 0 '[2, 4]' double.mlir --input x.npy $mode
done
expect 0 'agree, the largest distance is 0 ulp' double.mlir --input x.npy
expect 0 'result 0: float32[2]' double.mlir --input x.npy --interpret

# Results can be read back.
expect 0 '' double.mlir --input x.npy --interpret --output out_
expect 0 '[4, 8]' double.mlir --input out_0.npy --interpret

# Wrong usage.
expect 0 'usage: nacre-run' --help
expect 2 'no FILE.mlir given'
expect 2 'unknown option --inptu' double.mlir --inptu x.npy
expect 2 '--input needs a value' double.mlir --input
expect 2 '--interpret and --compile exclude each other' double.mlir --interpret --compile
expect 2 'two files given' double.mlir double.mlir

# Wrong inputs.
expect 1 'no --input left for argument 0 (weights) of @main, float32[2]' double.mlir
expect 1 '2 inputs given, @main takes 1' double.mlir --input x.npy --input x.npy
expect 1 'three.npy holds float32[3], but argument 0 (weights) of @main is float32[2]' double.mlir --input three.npy
expect 1 'ints.npy holds int32[2]' double.mlir --input ints.npy
expect 1 'absent.npy' double.mlir --input absent.npy
printf 'not numpy' >bad.npy
expect 1 'bad.npy' double.mlir --input bad.npy
head -c 133 x.npy >cut.npy
expect 1 'cut.npy' double.mlir --input cut.npy

# Wrong programs.
expect 1 'absent.mlir: No such file' absent.mlir
printf 'func.func @main(%%x: tensor<2xf32>) {\n  nacre.ad\n}' >wrong.mlir
expect 1 'wrong.mlir:2:' wrong.mlir
printf '[%.0s' {1..50000} >deep.mlir
expect 1 'deep.mlir:1:201: brackets nest more than 200 deep' deep.mlir
run=$opt expect 1 'deep.mlir:1:201: brackets nest more than 200 deep' deep.mlir
printf 'func.func @other() {\n  return\n}' >nomain.mlir
expect 1 'no function @main with a body' nomain.mlir
printf 'func.func @main(%%x: tensor<?xf32>) -> tensor<?xf32> {\n  return %%x : tensor<?xf32>\n}' >dynamic.mlir
expect 1 'tensor<?xf32>' dynamic.mlir --input x.npy

# Hidden arguments are in an archive beside the file.
cat >hidden.mlir <<'IR'
func.func @main(%x: tensor<2xf32>, %h: tensor<2xf32> {nacre.hidden}) -> tensor<2xf32> {
  %y = nacre.multiply %x, %h : tensor<2xf32>
  return %y : tensor<2xf32>
}
IR
expect 1 'hidden.mlir.npz' hidden.mlir --input x.npy --interpret

if ((failures)); then exit 1; fi
echo "all passed"
