// Lanes along the kept dimension, four vectors of accumulators; bf16 sums in f32 and rounds once.
// RUN: emit_tiles %s | FileCheck %s

// CHECK-LABEL: tile.func @sum_tile
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
// CHECK: tile.load {{.*}} -> tensor<16xbf16>
// CHECK: nacre.convert {{.*}} (tensor<16xbf16>) -> tensor<16xf32>
// CHECK: nacre.add
// CHECK: scf.yield
// CHECK: nacre.convert {{.*}} (tensor<16xf32>) -> tensor<16xbf16>
// CHECK: tile.store
func.func private @sum(%a: tensor<50x64xbf16>) -> tensor<64xbf16> attributes {nacre.kernel = "column", nacre.domain = array<i64: 1, 50, 64>} {
  %m = nacre.reduce add (%a), dims = [0] : (tensor<50x64xbf16>) -> tensor<64xbf16>
  return %m : tensor<64xbf16>
}
