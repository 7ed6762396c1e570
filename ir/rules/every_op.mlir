// One function per op and notable form: read by ir/rules/rules_test.cc, which applies every rule to every op here.

func.func @exponential(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.exponential %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @exponential_minus_one(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.exponential_minus_one %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @log(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.log %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @log_plus_one(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.log_plus_one %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @sine(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.sine %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @cosine(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.cosine %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @tan(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.tan %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @asin(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.asin %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @acos(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.acos %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @atan(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.atan %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @sinh(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.sinh %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @cosh(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.cosh %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @tanh(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.tanh %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @asinh(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.asinh %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @acosh(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.acosh %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @atanh(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.atanh %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @logistic(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.logistic %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @erf(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.erf %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @erfc(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.erfc %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @erf_inv(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.erf_inv %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @sqrt(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.sqrt %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @rsqrt(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.rsqrt %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @cbrt(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.cbrt %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @floor(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.floor %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @ceil(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.ceil %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @round_nearest_even(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.round_nearest_even %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @round_nearest_afz(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.round_nearest_afz %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @abs(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.abs %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @negate(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.negate %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @sign(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.sign %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @stop_gradient(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.stop_gradient %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @not(%x: tensor<4xi32>) -> tensor<4xi32> {
  %r = nacre.not %x : tensor<4xi32>
  return %r : tensor<4xi32>
}
func.func @popcnt(%x: tensor<4xi32>) -> tensor<4xi32> {
  %r = nacre.popcnt %x : tensor<4xi32>
  return %r : tensor<4xi32>
}
func.func @count_leading_zeros(%x: tensor<4xi32>) -> tensor<4xi32> {
  %r = nacre.count_leading_zeros %x : tensor<4xi32>
  return %r : tensor<4xi32>
}
func.func @add(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.add %x, %y : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @subtract(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.subtract %x, %y : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @multiply(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.multiply %x, %y : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @divide(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.divide %x, %y : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @remainder(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.remainder %x, %y : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @power(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.power %x, %y : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @atan2(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.atan2 %x, %y : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @maximum(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.maximum %x, %y : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @minimum(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.minimum %x, %y : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @and(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %r = nacre.and %x, %y : tensor<4xi32>
  return %r : tensor<4xi32>
}
func.func @or(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %r = nacre.or %x, %y : tensor<4xi32>
  return %r : tensor<4xi32>
}
func.func @xor(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %r = nacre.xor %x, %y : tensor<4xi32>
  return %r : tensor<4xi32>
}
func.func @shift_left(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %r = nacre.shift_left %x, %y : tensor<4xi32>
  return %r : tensor<4xi32>
}
func.func @shift_right_arithmetic(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %r = nacre.shift_right_arithmetic %x, %y : tensor<4xi32>
  return %r : tensor<4xi32>
}
func.func @shift_right_logical(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %r = nacre.shift_right_logical %x, %y : tensor<4xi32>
  return %r : tensor<4xi32>
}
func.func @is_finite(%x: tensor<2x3xf32>) -> tensor<2x3xi1> {
  %r = nacre.is_finite %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
  return %r : tensor<2x3xi1>
}
func.func @compare(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xi1> {
  %r = nacre.compare GE %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  return %r : tensor<2x3xi1>
}
func.func @select(%p: tensor<2x3xi1>, %x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.select %p, %x, %y : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @clamp(%l: tensor<2x3xf32>, %x: tensor<2x3xf32>, %h: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.clamp %l, %x, %h : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @convert(%x: tensor<2x3xf32>) -> tensor<2x3xbf16> {
  %r = nacre.convert %x : (tensor<2x3xf32>) -> tensor<2x3xbf16>
  return %r : tensor<2x3xbf16>
}
func.func @bitcast_convert(%x: tensor<2x3xf32>) -> tensor<2x3xui32> {
  %r = nacre.bitcast_convert %x : (tensor<2x3xf32>) -> tensor<2x3xui32>
  return %r : tensor<2x3xui32>
}
func.func @threefry2x32(%k0: tensor<4xui32>, %k1: tensor<4xui32>, %x0: tensor<4xui32>, %x1: tensor<4xui32>) -> (tensor<4xui32>, tensor<4xui32>) {
  %r:2 = nacre.threefry2x32 %k0, %k1, %x0, %x1 : (tensor<4xui32>, tensor<4xui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<4xui32>, tensor<4xui32>)
  return %r#0, %r#1 : tensor<4xui32>, tensor<4xui32>
}

func.func @constant() -> tensor<2x3xf32> {
  %r = nacre.constant dense<1.5> : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @constant_unsigned() -> tensor<2xui32> {
  %r = nacre.constant dense<[1, 4294967295]> : tensor<2xui32>
  return %r : tensor<2xui32>
}
func.func @iota() -> tensor<2x3xi32> {
  %r = nacre.iota dim = 1 : tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}
func.func @broadcast_scalar(%x: tensor<f32>) -> tensor<2x3xf32> {
  %r = nacre.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @broadcast_stretch(%x: tensor<3x1xf32>) -> tensor<4x2x3xf32> {
  %r = nacre.broadcast_in_dim %x, dims = [2, 1] : (tensor<3x1xf32>) -> tensor<4x2x3xf32>
  return %r : tensor<4x2x3xf32>
}
func.func @broadcast_empty(%x: tensor<1x3xf32>) -> tensor<0x3xf32> {
  %r = nacre.broadcast_in_dim %x, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<0x3xf32>
  return %r : tensor<0x3xf32>
}
func.func @reshape(%x: tensor<2x3x4xf32>) -> tensor<6x2x1x2xf32> {
  %r = nacre.reshape %x : (tensor<2x3x4xf32>) -> tensor<6x2x1x2xf32>
  return %r : tensor<6x2x1x2xf32>
}
func.func @reshape_scalar(%x: tensor<1x1xf32>) -> tensor<f32> {
  %r = nacre.reshape %x : (tensor<1x1xf32>) -> tensor<f32>
  return %r : tensor<f32>
}
func.func @reshape_empty(%x: tensor<2x0xf32>) -> tensor<0x5xf32> {
  %r = nacre.reshape %x : (tensor<2x0xf32>) -> tensor<0x5xf32>
  return %r : tensor<0x5xf32>
}
func.func @transpose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %r = nacre.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  return %r : tensor<4x2x3xf32>
}
func.func @reverse(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.reverse %x, dims = [1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @slice(%x: tensor<5x7xf32>) -> tensor<2x3xf32> {
  %r = nacre.slice %x, start = [1, 0], limit = [3, 6], strides = [1, 2] : (tensor<5x7xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @slice_nothing(%x: tensor<5xf32>) -> tensor<0xf32> {
  %r = nacre.slice %x, start = [2], limit = [2], strides = [1] : (tensor<5xf32>) -> tensor<0xf32>
  return %r : tensor<0xf32>
}
func.func @pad(%x: tensor<2x3xf32>, %p: tensor<f32>) -> tensor<3x6xf32> {
  %r = nacre.pad %x, %p, low = [1, 2], high = [0, -1], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x6xf32>
  return %r : tensor<3x6xf32>
}
func.func @pad_empty(%x: tensor<0xf32>, %p: tensor<f32>) -> tensor<3xf32> {
  %r = nacre.pad %x, %p, low = [1], high = [2], interior = [4] : (tensor<0xf32>, tensor<f32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
func.func @concatenate(%x: tensor<2x3xf32>, %y: tensor<2x0xf32>, %z: tensor<2x1xf32>) -> tensor<2x4xf32> {
  %r = nacre.concatenate(%x, %y, %z), dim = 1 : (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

func.func @dynamic_slice(%x: tensor<5x4xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<2x4xf32> {
  %r = nacre.dynamic_slice %x at(%i, %j), sizes = [2, 4] : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
func.func @dynamic_slice_scalar(%x: tensor<f32>) -> tensor<f32> {
  %r = nacre.dynamic_slice %x at(), sizes = [] : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
func.func @dynamic_update_slice(%x: tensor<5x4xf32>, %u: tensor<2x1xf32>, %i: tensor<ui8>, %j: tensor<ui8>) -> tensor<5x4xf32> {
  %r = nacre.dynamic_update_slice %x, %u at(%i, %j) : (tensor<5x4xf32>, tensor<2x1xf32>, tensor<ui8>, tensor<ui8>) -> tensor<5x4xf32>
  return %r : tensor<5x4xf32>
}
func.func @gather_rows(%x: tensor<5x4xf32>, %i: tensor<2x3x1xi32>) -> tensor<2x3x4xf32> {
  %r = nacre.gather %x, %i {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 0>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 0>, index_vector_dim = 2 : i64, slice_sizes = array<i64: 1, 4>} : (tensor<5x4xf32>, tensor<2x3x1xi32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}
func.func @gather_implicit_vector(%x: tensor<5x4xf32>, %i: tensor<3xi64>) -> tensor<2x3xf32> {
  %r = nacre.gather %x, %i {offset_dims = array<i64: 0>, collapsed_slice_dims = array<i64: 1>, operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>, start_index_map = array<i64: 1>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 2, 1>, indices_are_sorted = true} : (tensor<5x4xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @gather_batching(%x: tensor<3x6x5xf32>, %i: tensor<2x4x3xui32>) -> tensor<4x3x2xf32> {
  %r = nacre.gather %x, %i {offset_dims = array<i64: 2>, collapsed_slice_dims = array<i64: 1>, operand_batching_dims = array<i64: 0>, start_indices_batching_dims = array<i64: 2>, start_index_map = array<i64: 2, 1>, index_vector_dim = 0 : i64, slice_sizes = array<i64: 1, 1, 2>} : (tensor<3x6x5xf32>, tensor<2x4x3xui32>) -> tensor<4x3x2xf32>
  return %r : tensor<4x3x2xf32>
}
func.func @scatter_add_rows(%x: tensor<5x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) -> tensor<5x4xf32> {
  %r = nacre.scatter add %x, %i, %u {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : (tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  return %r : tensor<5x4xf32>
}
func.func @scatter_set_rows(%x: tensor<5x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) -> tensor<5x4xf32> {
  %r = nacre.scatter set %x, %i, %u {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64} : (tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  return %r : tensor<5x4xf32>
}
func.func @scatter_set_unique(%x: tensor<5x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) -> tensor<5x4xf32> {
  %r = nacre.scatter set %x, %i, %u {update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64, unique_indices = true} : (tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<5x4xf32>
  return %r : tensor<5x4xf32>
}
func.func @scatter_windows(%x: tensor<3x6x5xf32>, %i: tensor<2x4xi64>, %u: tensor<4x2x3xf32>) -> tensor<3x6x5xf32> {
  %r = nacre.scatter set %x, %i, %u {update_window_dims = array<i64: 1, 2>, inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 2, 0>, index_vector_dim = 0 : i64} : (tensor<3x6x5xf32>, tensor<2x4xi64>, tensor<4x2x3xf32>) -> tensor<3x6x5xf32>
  return %r : tensor<3x6x5xf32>
}
func.func @scatter_batching(%x: tensor<3x6x5xf32>, %i: tensor<4x3xui32>, %u: tensor<4x3x2xf32>) -> tensor<3x6x5xf32> {
  %r = nacre.scatter add %x, %i, %u {update_window_dims = array<i64: 2>, inserted_window_dims = array<i64: 1>, input_batching_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64: 1>, scatter_dims_to_operand_dims = array<i64: 1>, index_vector_dim = 2 : i64} : (tensor<3x6x5xf32>, tensor<4x3xui32>, tensor<4x3x2xf32>) -> tensor<3x6x5xf32>
  return %r : tensor<3x6x5xf32>
}

func.func @reduce_add(%x: tensor<2x5x4xf32>) -> tensor<5xf32> {
  %r = nacre.reduce add(%x), dims = [2, 0] : (tensor<2x5x4xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}
func.func @reduce_mul(%x: tensor<2x5x4xf32>) -> tensor<5xf32> {
  %r = nacre.reduce mul(%x), dims = [2, 0] : (tensor<2x5x4xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}
func.func @reduce_min(%x: tensor<2x5x4xf32>) -> tensor<5xf32> {
  %r = nacre.reduce min(%x), dims = [2, 0] : (tensor<2x5x4xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}
func.func @reduce_max(%x: tensor<2x5x4xf32>) -> tensor<5xf32> {
  %r = nacre.reduce max(%x), dims = [2, 0] : (tensor<2x5x4xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}
func.func @reduce_and(%x: tensor<2x3xi32>) -> tensor<2xi32> {
  %r = nacre.reduce and(%x), dims = [1] : (tensor<2x3xi32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}
func.func @reduce_or(%x: tensor<2x3xi32>) -> tensor<2xi32> {
  %r = nacre.reduce or(%x), dims = [1] : (tensor<2x3xi32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}
func.func @reduce_xor(%x: tensor<2x3xi32>) -> tensor<2xi32> {
  %r = nacre.reduce xor(%x), dims = [1] : (tensor<2x3xi32>) -> tensor<2xi32>
  return %r : tensor<2xi32>
}
func.func @reduce_two(%x: tensor<2x3xf32>, %y: tensor<2x3xf64>) -> (tensor<f32>, tensor<f64>) {
  %r:2 = nacre.reduce add(%x, %y), dims = [0, 1] : (tensor<2x3xf32>, tensor<2x3xf64>) -> (tensor<f32>, tensor<f64>)
  return %r#0, %r#1 : tensor<f32>, tensor<f64>
}
func.func @reduce_nothing(%x: tensor<2x0xf32>) -> tensor<2xf32> {
  %r = nacre.reduce max(%x), dims = [1] : (tensor<2x0xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func @arg_reduce(%x: tensor<2x5x4xf32>) -> tensor<2x4xi32> {
  %r = nacre.arg_reduce max %x, dim = 1 : (tensor<2x5x4xf32>) -> tensor<2x4xi32>
  return %r : tensor<2x4xi32>
}
func.func @dot_plain(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %r = nacre.dot_general %x, %y, batching = [] x [], contracting = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
func.func @dot_batched(%x: tensor<3x5x2x4xf32>, %y: tensor<4x7x5x3xf32>) -> tensor<5x2x7xf32> {
  %r = nacre.dot_general %x, %y, batching = [1] x [2], contracting = [3, 0] x [0, 3] : (tensor<3x5x2x4xf32>, tensor<4x7x5x3xf32>) -> tensor<5x2x7xf32>
  return %r : tensor<5x2x7xf32>
}
func.func @dot_preferred(%x: tensor<3x2xbf16>, %y: tensor<4x2xbf16>) -> tensor<3x4xf32> {
  %r = nacre.dot_general %x, %y, batching = [] x [], contracting = [1] x [1], preferred = f32 : (tensor<3x2xbf16>, tensor<4x2xbf16>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}
func.func @dot_outer(%x: tensor<3xf32>, %y: tensor<0xf32>) -> tensor<3x0xf32> {
  %r = nacre.dot_general %x, %y, batching = [] x [], contracting = [] x [] : (tensor<3xf32>, tensor<0xf32>) -> tensor<3x0xf32>
  return %r : tensor<3x0xf32>
}
func.func @dot_scalar(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %r = nacre.dot_general %x, %y, batching = [] x [], contracting = [] x [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

func.func @optimization_barrier(%x: tensor<2xf32>, %i: tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {
  %r:2 = nacre.optimization_barrier %x, %i : (tensor<2xf32>, tensor<i32>) -> (tensor<2xf32>, tensor<i32>)
  return %r#0, %r#1 : tensor<2xf32>, tensor<i32>
}
func.func @call(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.call @abs(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @fusion(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.fusion "pointwise"(%x) {
  ^bb0(%a: tensor<2x3xf32>):
    %b = nacre.abs %a : tensor<2x3xf32>
    nacre.yield %b : tensor<2x3xf32>
  } {why = "one op"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func private @kernel(%x: tensor<2x3xf32>) -> tensor<2x3xf32> attributes {nacre.kernel = "pointwise"} {
  %r = nacre.negate %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @launch(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = nacre.launch @kernel(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
