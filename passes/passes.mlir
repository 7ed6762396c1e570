// RUN: not nacre-opt %s --nacre-grad=func=missing 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not nacre-opt %s --nacre-grad=func=vector 2>&1 | FileCheck %s --check-prefix=VECTOR
// RUN: not nacre-opt %s --nacre-grad="func=scalar wrt=1" 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: nacre-opt %s --nacre-grad=func=scalar --nacre-grad=func=scalar | FileCheck %s

// MISSING: nacre-grad: the module has no function 'missing'

// VECTOR: 'vector' has type {{.*}} a gradient needs one result, a floating-point scalar
func.func @vector(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// A name that is taken gets a number.
// INDEX: 'scalar': index 1 is out of range; there are 1
// CHECK-DAG: func.func @scalar.grad(
// CHECK-DAG: func.func @scalar.grad_2(
func.func @scalar(%x: tensor<f32>) -> tensor<f32> {
  %y = nacre.sine %x : tensor<f32>
  return %y : tensor<f32>
}
