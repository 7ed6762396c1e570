// Rows of a broadcast: vectors of the machine's width, four a step, no division inside.
// RUN: emit_tiles %s | FileCheck %s
// RUN: emit_tiles --target=x86-64-v3 %s | FileCheck %s --check-prefix=AVX2
// RUN: emit_tiles --explain %s | FileCheck %s --check-prefix=WHY

// CHECK-LABEL: tile.func @add_tile
// CHECK-SAME: grid 2 inputs 2 "pointwise" in_place [0, 0]
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tile.load %arg1, affine_map<(d0, d1, d2) -> (d0 * 128 + d1 + d2)>{{.*}} -> tensor<16xf32>
// CHECK: tile.load %arg2, affine_map<(d0, d1) -> (d0 + d1)>{{.*}} -> tensor<16xf32>
// CHECK: nacre.add %{{.*}} : tensor<16xf32>
// CHECK: tile.store %{{.*}}, %arg3
// CHECK-COUNT-3: tile.store
// CHECK-NOT: tile.store
// AVX2: tensor<8xf32>
// WHY: add (pointwise): 2 programs, rows
// WHY-NEXT: -> pointwise: {{[0-9]+}} ns
func.func private @add(%a: tensor<64x128xf32>, %b: tensor<128xf32>) -> tensor<64x128xf32> attributes {nacre.kernel = "pointwise"} {
  %0 = nacre.broadcast_in_dim %b, dims = [1] : (tensor<128xf32>) -> tensor<64x128xf32>
  %1 = nacre.add %a, %0 : tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}
