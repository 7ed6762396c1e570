// RUN: nacre-opt %s --nacre-jvp="func=product active=0" --nacre-jvp="func=choose name=choose_d" | FileCheck %s
// RUN: nacre-opt %s --nacre-jvp="func=product active=0" --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC

// Only %x is active: one tangent, and none for what does not depend on it.
// CHECK-LABEL: func.func @product.jvp(
// CHECK-SAME: %[[X:.*]]: tensor<3xf32> {nacre.name = "x"}, %[[W:.*]]: tensor<3xf32>, %[[T:.*]]: tensor<3xf32> {nacre.name = "tangent x"})
// CHECK-SAME: -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
// CHECK-NEXT: %[[E:.*]] = nacre.exponential %[[W]]
// CHECK-NEXT: %[[P:.*]] = nacre.multiply %[[X]], %[[E]]
// CHECK-NEXT: %[[D:.*]] = nacre.multiply %[[T]], %[[E]]
// CHECK-NEXT: %[[ZERO:.*]] = nacre.constant dense<0.000000e+00>
// CHECK-NEXT: return %[[P]], %[[E]], %[[D]], %[[ZERO]]
// LOC: nacre.multiply %arg2, {{.*}} loc("tangent"("{{.*}}jvp.mlir":[[# @LINE + 3]]:
func.func @product(%x: tensor<3xf32> {nacre.name = "x"}, %w: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %e = nacre.exponential %w : tensor<3xf32>
  %p = nacre.multiply %x, %e : tensor<3xf32>
  return %p, %e : tensor<3xf32>, tensor<3xf32>
}

// Calls are inlined; integers and what stop_gradient passes have no tangent.
func.func private @cut(%x: tensor<2xf32>) -> tensor<2xf32> {
  %s = nacre.stop_gradient %x : tensor<2xf32>
  return %s : tensor<2xf32>
}
// CHECK-LABEL: func.func @choose_d(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>, %[[I:.*]]: tensor<2xi32>, %[[T:.*]]: tensor<2xf32>)
// CHECK-NEXT: %[[S:.*]] = nacre.stop_gradient %[[X]]
// CHECK-NEXT: %[[Y:.*]] = nacre.add %[[X]], %[[S]]
// CHECK-NEXT: return %[[Y]], %[[I]], %[[T]]
func.func @choose(%x: tensor<2xf32>, %i: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %s = nacre.call @cut(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %y = nacre.add %x, %s : tensor<2xf32>
  return %y, %i : tensor<2xf32>, tensor<2xi32>
}
