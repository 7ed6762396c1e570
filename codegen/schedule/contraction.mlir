// Panels of both operands, the left one transposed in registers; the epilogue reads the block of the product.
// RUN: emit_tiles --target=x86-64-v3 %s | FileCheck %s
// RUN: emit_tiles --target=x86-64-v3 --explain %s | FileCheck %s --check-prefix=WHY

// CHECK-LABEL: tile.func @mm_tile
// CHECK-DAG: tile.scratch : <66x96xf32>
// CHECK-DAG: tile.scratch : <6x128x16xf32>
// CHECK-DAG: tile.scratch : <11x128x6xf32>
// CHECK: tile.transpose
// CHECK: tile.contract {{.*}} accumulate false : <11x128x6xf32>, <6x128x16xf32> -> <66x96xf32>
// CHECK: tile.load {{.*}} : <66x96xf32> -> tensor<8xf32>
// CHECK: nacre.add
// CHECK: tile.store
// WHY: mm (contraction): 1 programs, packed 64x96x128
// WHY: -> packed
func.func private @mm(%a: tensor<64x128xf32>, %b: tensor<128x96xf32>, %c: tensor<96xf32>) -> tensor<64x96xf32> attributes {nacre.kernel = "contraction"} {
  %0 = nacre.dot_general %a, %b, batching = [] x [], contracting = [1] x [0] : (tensor<64x128xf32>, tensor<128x96xf32>) -> tensor<64x96xf32>
  %1 = nacre.broadcast_in_dim %c, dims = [1] : (tensor<96xf32>) -> tensor<64x96xf32>
  %2 = nacre.add %0, %1 : tensor<64x96xf32>
  return %2 : tensor<64x96xf32>
}
