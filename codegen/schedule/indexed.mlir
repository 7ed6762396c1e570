// Rows are added where the indices say, in order; programs share the columns. The output already holds the operand.
// RUN: emit_tiles %s | FileCheck %s

// CHECK-LABEL: tile.func @embed_tile
// CHECK-SAME: grid 4 inputs 3 "indexed" in_place [0, 0]
// CHECK: scf.for
// CHECK: tile.to_index
// CHECK: scf.if
// CHECK: tile.load %arg4
// CHECK: tile.load %arg3
// CHECK: nacre.add
// CHECK: tile.store %{{.*}}, %arg4
func.func private @embed(%x: tensor<60x256xf32>, %i: tensor<90xi32>, %u: tensor<90x256xf32>) -> tensor<60x256xf32> attributes {nacre.kernel = "indexed", nacre.in_place_operand = 0 : i64} {
  %0 = nacre.scatter add %x, %i, %u {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : (tensor<60x256xf32>, tensor<90xi32>, tensor<90x256xf32>) -> tensor<60x256xf32>
  return %0 : tensor<60x256xf32>
}
