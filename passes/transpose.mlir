// RUN: nacre-opt %s --nacre-transpose="func=f first=1" | FileCheck %s

// Fan-out of %t becomes a sum, last use first; the part that only feeds a known value is gone.
// CHECK-LABEL: func.func @f.transpose(
// CHECK-SAME: %[[K:.*]]: tensor<2x3xf32>, %[[CT:.*]]: tensor<2x3xf32>, %[[CS:.*]]: tensor<f32>) -> tensor<3xf32>
// CHECK-NEXT: %[[W:.*]] = nacre.broadcast_in_dim %[[CS]], dims = []
// CHECK-NEXT: %[[M:.*]] = nacre.multiply %[[CT]], %[[K]]
// CHECK-NEXT: %[[R:.*]] = nacre.reduce{{ +}}add(%[[M]]), dims = [0]
// CHECK-NEXT: %[[SUM:.*]] = nacre.add %[[W]], %[[R]]
// CHECK-NEXT: return %[[SUM]]
func.func @f(%k: tensor<2x3xf32>, %t: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<f32>) {
  %unused = nacre.exponential %k : tensor<2x3xf32>
  %b = nacre.broadcast_in_dim %t, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %m = nacre.multiply %b, %k : tensor<2x3xf32>
  %s = nacre.reduce add(%t), dims = [0] : (tensor<3xf32>) -> tensor<f32>
  return %m, %s : tensor<2x3xf32>, tensor<f32>
}
