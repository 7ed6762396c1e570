// Square blocks: vectors are loaded along the input's contiguous dimension and stored along the output's.
// RUN: emit_tiles --target=x86-64-v3 %s | FileCheck %s

// CHECK-LABEL: tile.func @turn_tile
// CHECK-COUNT-8: tile.load {{.*}} -> tensor<8xf32>
// CHECK: tile.transpose
// CHECK-COUNT-8: tile.store
// CHECK-NOT: tile.gather
func.func private @turn(%a: tensor<64x128xf32>) -> tensor<128x64xf32> attributes {nacre.kernel = "transpose"} {
  %0 = nacre.transpose %a, dims = [1, 0] : (tensor<64x128xf32>) -> tensor<128x64xf32>
  return %0 : tensor<128x64xf32>
}
