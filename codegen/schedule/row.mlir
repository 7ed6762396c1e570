// Softmax: three passes over a row; the exponential is computed once and kept in scratch.
// RUN: emit_tiles %s | FileCheck %s

// CHECK-LABEL: tile.func @softmax_tile
// CHECK: tile.scratch : <256xf32>
// CHECK: scf.for
// CHECK: tile.reduce max
// CHECK: nacre.exponential
// CHECK: tile.store %{{.*}} -> <256xf32>
// CHECK: tile.reduce add
// CHECK-NOT: nacre.exponential
// CHECK: tile.load {{.*}} : <256xf32> -> tensor<16xf32>
// CHECK: nacre.divide
// CHECK: tile.store
func.func private @softmax(%a: tensor<8x256xf32>) -> tensor<8x256xf32> attributes {nacre.kernel = "row", nacre.domain = array<i64: 8, 256>} {
  %m = nacre.reduce max (%a), dims = [1] : (tensor<8x256xf32>) -> tensor<8xf32>
  %mb = nacre.broadcast_in_dim %m, dims = [0] : (tensor<8xf32>) -> tensor<8x256xf32>
  %d = nacre.subtract %a, %mb : tensor<8x256xf32>
  %e = nacre.exponential %d : tensor<8x256xf32>
  %s = nacre.reduce add (%e), dims = [1] : (tensor<8x256xf32>) -> tensor<8xf32>
  %sb = nacre.broadcast_in_dim %s, dims = [0] : (tensor<8xf32>) -> tensor<8x256xf32>
  %r = nacre.divide %e, %sb : tensor<8x256xf32>
  return %r : tensor<8x256xf32>
}
