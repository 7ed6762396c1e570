// RUN: nacre-opt %s --nacre-inline --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

func.func private @inner(%x: tensor<f32>) -> tensor<f32> {
  %y = nacre.sine %x : tensor<f32>
  return %y : tensor<f32>
}
func.func private @outer(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %y = call @inner(%x) : (tensor<f32>) -> tensor<f32>
  return %y, %x : tensor<f32>, tensor<f32>
}
// Calls of both dialects, calls in callees, and a callee that returns its argument.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<f32>
// CHECK-NEXT: %[[A:.*]] = nacre.sine %[[X]] {{.*}} loc(callsite(callsite("{{.*}}":4:{{.*}} at "{{.*}}":8:{{.*}}) at "{{.*}}":[[# @LINE + 5]]:
// CHECK-NEXT: %[[B:.*]] = nacre.sine %[[A]]
// CHECK-NEXT: %[[C:.*]] = nacre.add %[[X]], %[[B]]
// CHECK-NEXT: return %[[C]]
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %a:2 = nacre.call @outer(%x) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  %b = nacre.call @inner(%a#0) : (tensor<f32>) -> tensor<f32>
  %c = nacre.add %a#1, %b : tensor<f32>
  return %c : tensor<f32>
}
