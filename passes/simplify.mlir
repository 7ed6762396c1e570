// RUN: nacre-opt %s --nacre-simplify | FileCheck %s

// --- Arithmetic: what holds for every IEEE value, -0 and NaN included. ---

// CHECK-LABEL: func.func @neutral(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @neutral(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %one = nacre.constant dense<1.0> : tensor<2xf32>
  %zero = nacre.constant dense<0.0> : tensor<2xf32>
  %minus_zero = nacre.constant dense<-0.0> : tensor<2xf32>
  %a = nacre.multiply %one, %x : tensor<2xf32>
  %b = nacre.divide %x, %one : tensor<2xf32>
  %c = nacre.subtract %x, %zero : tensor<2xf32>
  %d = nacre.add %x, %minus_zero : tensor<2xf32>
  %n = nacre.negate %x : tensor<2xf32>
  %e = nacre.negate %n : tensor<2xf32>
  return %a, %b, %c, %d, %e : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// x + 0 turns -0 into 0, x * 0 may be NaN or -0, x - x may be NaN, x - (-0) turns -0 into 0.
// CHECK-LABEL: func.func @not_neutral(
// CHECK: nacre.add
// CHECK: nacre.multiply
// CHECK: nacre.subtract
// CHECK: nacre.subtract
func.func @not_neutral(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %zero = nacre.constant dense<0.0> : tensor<2xf32>
  %minus_zero = nacre.constant dense<-0.0> : tensor<2xf32>
  %a = nacre.add %x, %zero : tensor<2xf32>
  %b = nacre.multiply %x, %zero : tensor<2xf32>
  %c = nacre.subtract %x, %x : tensor<2xf32>
  %d = nacre.subtract %x, %minus_zero : tensor<2xf32>
  return %a, %b, %c, %d : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// exp is never -0, so that 0 can go; division by a power of two is an exact product, by 3 it stays.
// CHECK-LABEL: func.func @exact(
// CHECK-DAG: %[[E:.*]] = nacre.exponential
// CHECK-DAG: %[[Q:.*]] = nacre.constant dense<2.500000e-01>
// CHECK-DAG: %[[M:.*]] = nacre.multiply %{{.*}}, %[[Q]]
// CHECK-DAG: %[[D:.*]] = nacre.divide
// CHECK: return %[[E]], %[[M]], %[[D]]
func.func @exact(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %zero = nacre.constant dense<0.0> : tensor<2xf32>
  %four = nacre.constant dense<4.0> : tensor<2xf32>
  %three = nacre.constant dense<3.0> : tensor<2xf32>
  %e = nacre.exponential %x : tensor<2xf32>
  %a = nacre.add %e, %zero : tensor<2xf32>
  %b = nacre.divide %x, %four : tensor<2xf32>
  %c = nacre.divide %x, %three : tensor<2xf32>
  return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @signs(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<2xf32>)
// CHECK-NEXT: %[[A:.*]] = nacre.subtract %[[X]], %[[Y]]
// CHECK-NEXT: %[[B:.*]] = nacre.add %[[X]], %[[Y]]
// CHECK-NEXT: %[[C:.*]] = nacre.multiply %[[X]], %[[Y]]
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
func.func @signs(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %nx = nacre.negate %x : tensor<2xf32>
  %ny = nacre.negate %y : tensor<2xf32>
  %a = nacre.add %x, %ny : tensor<2xf32>
  %b = nacre.subtract %x, %ny : tensor<2xf32>
  %c = nacre.multiply %nx, %ny : tensor<2xf32>
  return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @integers(
// CHECK-SAME: %[[X:.*]]: tensor<2xi32>)
// CHECK-NEXT: %[[ZERO:.*]] = nacre.constant dense<0>
// CHECK-NEXT: return %[[X]], %[[ZERO]], %[[ZERO]], %[[X]], %[[X]]
func.func @integers(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
  %zero = nacre.constant dense<0> : tensor<2xi32>
  %ones = nacre.constant dense<-1> : tensor<2xi32>
  %a = nacre.add %zero, %x : tensor<2xi32>
  %b = nacre.multiply %x, %zero : tensor<2xi32>
  %c = nacre.xor %x, %x : tensor<2xi32>
  %d = nacre.and %x, %ones : tensor<2xi32>
  %e = nacre.shift_left %x, %zero : tensor<2xi32>
  return %a, %b, %c, %d, %e : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
}

// --- Moves that cancel or merge. ---

// CHECK-LABEL: func.func @cancel(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @cancel(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %t = nacre.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %a = nacre.transpose %t, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %r = nacre.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>
  %b = nacre.reshape %r : (tensor<6xf32>) -> tensor<2x3xf32>
  %v = nacre.reverse %x, dims = [1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = nacre.reverse %v, dims = [1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %d = nacre.slice %x, start = [0, 0], limit = [2, 3], strides = [1, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %z = nacre.constant dense<7.0> : tensor<f32>
  %e = nacre.pad %x, %z, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %a, %b, %c, %d, %e : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @merge(
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>, %[[Y:.*]]: tensor<9xf32>, %[[I:.*]]: tensor<1x4xf32>)
// CHECK-NEXT: %[[A:.*]] = nacre.broadcast_in_dim %[[X]], dims = [2]
// CHECK-NEXT: %[[B:.*]] = nacre.slice %[[Y]], start = [3], limit = [8], strides = [4]
// CHECK-NEXT: %[[C:.*]] = nacre.reshape %[[I]]
// CHECK-NEXT: %[[D:.*]] = nacre.slice %[[Y]], start = [5], limit = [9], strides = [1]
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]], %[[D]]
func.func @merge(%x: tensor<3xf32>, %y: tensor<9xf32>, %i: tensor<1x4xf32>) -> (tensor<2x5x3xf32>, tensor<2xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r = nacre.reshape %x : (tensor<3xf32>) -> tensor<1x3xf32>
  %b = nacre.broadcast_in_dim %r, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<5x3xf32>
  %a = nacre.broadcast_in_dim %b, dims = [1, 2] : (tensor<5x3xf32>) -> tensor<2x5x3xf32>
  %s = nacre.slice %y, start = [1], limit = [9], strides = [2] : (tensor<9xf32>) -> tensor<4xf32>
  %t = nacre.slice %s, start = [1], limit = [4], strides = [2] : (tensor<4xf32>) -> tensor<2xf32>
  %c = nacre.reduce add(%i), dims = [0] : (tensor<1x4xf32>) -> tensor<4xf32>
  %far = nacre.constant dense<100> : tensor<i32>
  %d = nacre.dynamic_slice %y at(%far), sizes = [4] : (tensor<9xf32>, tensor<i32>) -> tensor<4xf32>
  return %a, %t, %c, %d : tensor<2x5x3xf32>, tensor<2xf32>, tensor<4xf32>, tensor<4xf32>
}

// Chains that lose nothing; a negative number saturates on the way through floats, so that one stays.
// CHECK-LABEL: func.func @converts(
// CHECK-SAME: %[[X:.*]]: tensor<2xbf16>, %[[I:.*]]: tensor<2xi32>)
// CHECK-NEXT: %[[F:.*]] = nacre.convert %[[I]] : (tensor<2xi32>) -> tensor<2xf64>
// CHECK-NEXT: %[[U:.*]] = nacre.convert %[[F]] : (tensor<2xf64>) -> tensor<2xui32>
// CHECK-NEXT: return %[[X]], %[[U]]
func.func @converts(%x: tensor<2xbf16>, %i: tensor<2xi32>) -> (tensor<2xbf16>, tensor<2xui32>) {
  %y = nacre.convert %x : (tensor<2xbf16>) -> tensor<2xf32>
  %z = nacre.convert %y : (tensor<2xf32>) -> tensor<2xbf16>
  %f = nacre.convert %i : (tensor<2xi32>) -> tensor<2xf64>
  %u = nacre.convert %f : (tensor<2xf64>) -> tensor<2xui32>
  return %z, %u : tensor<2xbf16>, tensor<2xui32>
}

// --- Constants. ---

// Exact ops are folded; exp is not, as its value is that of the code at run time.
// CHECK-LABEL: func.func @fold(
// CHECK-DAG: %[[A:.*]] = nacre.constant dense<[3.000000e+00, 5.000000e+00]>
// CHECK-DAG: %[[B:.*]] = nacre.constant dense<true> : tensor<1000xi1>
// CHECK-DAG: %[[C:.*]] = nacre.constant dense<{{\[\[}}1, 3], [2, 4]]>
// CHECK-DAG: %[[D:.*]] = nacre.exponential
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
func.func @fold() -> (tensor<2xf32>, tensor<1000xi1>, tensor<2x2xi32>, tensor<2xf32>) {
  %x = nacre.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = nacre.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %a = nacre.add %x, %y : tensor<2xf32>
  %s = nacre.constant dense<1.0> : tensor<f32>
  %t = nacre.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<1000xf32>
  %two = nacre.constant dense<2.0> : tensor<1000xf32>
  %b = nacre.compare LT %t, %two : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xi1>
  %m = nacre.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %c = nacre.transpose %m, dims = [1, 0] : (tensor<2x2xi32>) -> tensor<2x2xi32>
  %d = nacre.exponential %x : tensor<2xf32>
  return %a, %b, %c, %d : tensor<2xf32>, tensor<1000xi1>, tensor<2x2xi32>, tensor<2xf32>
}

// --- Sharing, dead ops, barriers, stop_gradient. ---

// CHECK-LABEL: func.func @share(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<2xf32>)
// CHECK-NEXT: %[[A:.*]] = nacre.add %[[X]], %[[Y]]
// CHECK-NEXT: return %[[A]], %[[A]]
func.func @share(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %dead = nacre.sine %x : tensor<2xf32>
  %a = nacre.add %x, %y : tensor<2xf32>
  %b = nacre.add %y, %x : tensor<2xf32>
  %s = nacre.stop_gradient %b : tensor<2xf32>
  return %a, %s : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @barrier(
// CHECK-COUNT-2: nacre.optimization_barrier
// CHECK-COUNT-2: nacre.sine
func.func @barrier(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = nacre.optimization_barrier %x : (tensor<2xf32>) -> tensor<2xf32>
  %b = nacre.optimization_barrier %x : (tensor<2xf32>) -> tensor<2xf32>
  %c = nacre.sine %a : tensor<2xf32>
  %d = nacre.sine %b : tensor<2xf32>
  return %c, %d : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @choose(
// CHECK-SAME: %[[P:.*]]: tensor<2xi1>, %[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<2xf32>)
// CHECK-NEXT: %[[S:.*]] = nacre.select %[[P]], %[[Y]], %[[X]]
// CHECK-NEXT: return %[[X]], %[[X]], %[[S]]
func.func @choose(%p: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %true = nacre.constant dense<true> : tensor<2xi1>
  %not = nacre.not %p : tensor<2xi1>
  %a = nacre.select %true, %x, %y : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %b = nacre.select %p, %x, %x : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %c = nacre.select %not, %x, %y : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %a, %b, %c : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @reductions(
// CHECK-SAME: %[[X:.*]]: tensor<2x0xf32>, %[[Y:.*]]: tensor<2xf32>)
// CHECK-NEXT: %[[Z:.*]] = nacre.constant dense<0.0{{.*}}> : tensor<3xf32>
// CHECK-NEXT: return %[[Y]], %[[Z]], %[[Y]]
func.func @reductions(%x: tensor<2x0xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>) {
  %a = nacre.reduce max(%y), dims = [] : (tensor<2xf32>) -> tensor<2xf32>
  %z = nacre.constant dense<0.0> : tensor<3x4xf32>
  %b = nacre.reduce add(%z), dims = [1] : (tensor<3x4xf32>) -> tensor<3xf32>
  %e = nacre.reshape %x : (tensor<2x0xf32>) -> tensor<0xf32>
  %c = nacre.concatenate(%e, %y), dim = 0 : (tensor<0xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %a, %b, %c : tensor<2xf32>, tensor<3xf32>, tensor<2xf32>
}
