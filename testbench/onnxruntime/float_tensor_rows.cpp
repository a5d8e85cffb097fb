// SPDX-License-Identifier: Apache-2.0
/// \file
/// How random float networks grow by windows, products, reductions, quantization, and what moves elements.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "random_float_network.h"

namespace fovea {
namespace {

using Net = RandomFloatNetwork;
using Shape = std::vector<int64_t>;

int64_t count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

/// An axis other than the batch.
int64_t draw_axis(Net& net, const Shape& shape) { return net.draw(1, static_cast<int64_t>(shape.size()) - 1); }

void add_arg(Net& net) {
  const DrawnValue x = net.any_exact();
  const int64_t axis = draw_axis(net, x.shape);
  const std::string place = net.node(draw_name(net, {"ArgMax", "ArgMin"}), {x.name}).output(0);
  set_int(*net.model().mutable_graph()->mutable_node()->rbegin(), "axis", axis);
  set_int(net.node("Cast", {place}), "to", onnx::TensorProto::FLOAT);
  Shape shape = x.shape;
  shape[static_cast<std::size_t>(axis)] = 1;
  net.keep(shape, true, static_cast<double>(x.shape[static_cast<std::size_t>(axis)]));
}

void add_constant(Net& net) { net.keep_constant(net.any().shape); }

/// By an index that is computed.
void add_gather(Net& net) {
  const DrawnValue x = net.any();
  const int64_t axis = draw_axis(net, x.shape);
  const std::string flat = net.node("Flatten", {net.any_exact().name}).output(0);
  auto& place = net.node("ArgMax", {flat});
  set_int(place, "axis", 1);
  set_int(place, "keepdims", 0);
  const std::string size = net.integers({x.shape[static_cast<std::size_t>(axis)] - 1});
  const std::string inside = net.node("Min", {place.output(0), size}).output(0);
  set_int(net.node("Gather", {x.name, inside}), "axis", axis);
  Shape shape = x.shape;
  shape[static_cast<std::size_t>(axis)] = 1;
  net.keep(shape, x.is_exact, x.size);
}

void add_conv(Net& net) {
  const DrawnValue x = net.any_plane();
  const int64_t kernel = net.draw(1, 3), filters = net.draw(1, 6);
  auto& conv =
      net.node("Conv", {x.name, net.floats({filters, x.shape[1], kernel, kernel}, 0.3F), net.floats({filters}, 1)});
  set_ints(conv, "pads", {1, 1, 1, 1});
  net.keep({1, filters, x.shape[2] + 3 - kernel, x.shape[3] + 3 - kernel}, false,
           x.size * 0.3 * std::sqrt(static_cast<double>(x.shape[1] * kernel * kernel)));
}

void add_conv_transpose(Net& net) {
  const DrawnValue x = net.any_plane();
  const int64_t filters = net.draw(1, 4);
  auto& conv = net.node("ConvTranspose", {x.name, net.floats({x.shape[1], filters, 2, 2}, 0.3F)});
  set_ints(conv, "strides", {2, 2});
  net.keep({1, filters, 2 * x.shape[2], 2 * x.shape[3]}, false,
           x.size * 0.3 * std::sqrt(static_cast<double>(x.shape[1])));
}

void add_pool(Net& net) {
  const DrawnValue x = net.any_plane();
  if (x.shape[2] < 2 || x.shape[3] < 2) {
    return;
  }
  const bool is_max = net.draw(0, 1) == 0;
  auto& pool = net.node(is_max ? "MaxPool" : "AveragePool", {x.name});
  set_ints(pool, "kernel_shape", {2, 2});
  set_ints(pool, "strides", {1, 1});
  net.keep({1, x.shape[1], x.shape[2] - 1, x.shape[3] - 1}, is_max && x.is_exact, x.size);
}

void add_global_pool(Net& net) {
  const DrawnValue x = net.any_plane();
  net.node(draw_name(net, {"GlobalAveragePool", "GlobalMaxPool"}), {x.name});
  net.keep({1, x.shape[1], 1, 1}, false, x.size);
}

void add_batch_normalization(Net& net) {
  const DrawnValue x = net.any_plane();
  const Shape one{x.shape[1]};
  net.node("BatchNormalization",
           {x.name, net.floats(one, 2), net.floats(one, 2), net.floats(one, 2), net.floats(one, 2, 0.5F)});
  net.keep(x.shape, false, 2 * x.size + 2);
}

/// By their own variance, which is not nearly nothing for the input.
void add_normalization(Net& net) {
  const Shape shape = net.input_shape();
  if (net.draw(0, 1) == 0) {
    net.node("InstanceNormalization", {"x", net.floats({shape[1]}, 2), net.floats({shape[1]}, 2)});
  } else {
    net.node("LayerNormalization", {"x", net.floats({shape[3]}, 2), net.floats({shape[3]}, 2)});
  }
  net.keep(shape, false, 6);
}

void add_lrn(Net& net) {
  const DrawnValue x = net.any_plane();
  auto& lrn = net.node("LRN", {x.name});
  set_int(lrn, "size", 2 * net.draw(0, 2) + 1);
  set_float(lrn, "alpha", 0.02F);
  net.keep(x.shape, false, x.size);
}

void add_softmax(Net& net) {
  const DrawnValue x = net.any_exact();
  set_int(net.node(draw_name(net, {"Softmax", "LogSoftmax"}), {x.name}), "axis", draw_axis(net, x.shape));
  net.keep(x.shape, false, x.size + 4);
}

void add_reduction(Net& net) {
  const DrawnValue x = net.any();
  const int64_t axis = draw_axis(net, x.shape);
  net.node(draw_name(net, {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2",
                           "ReduceSumSquare", "ReduceLogSumExp"}),
           {x.name, net.integers({axis})});
  Shape shape = x.shape;
  shape[static_cast<std::size_t>(axis)] = 1;
  net.keep(shape, false, x.size * x.size * static_cast<double>(x.shape[static_cast<std::size_t>(axis)]));
}

void add_product(Net& net) {
  const DrawnValue a = net.any_plane(), b = net.any_of(a.shape);
  auto& turned = net.node("Transpose", {b.name});
  set_ints(turned, "perm", {0, 1, 3, 2});
  net.node("MatMul", {a.name, turned.output(0)});
  net.keep({1, a.shape[1], a.shape[2], a.shape[2]}, false,
           a.size * b.size * std::sqrt(static_cast<double>(a.shape[3])));
}

void add_dense(Net& net) {
  const DrawnValue x = net.any();
  const int64_t inputs = count(x.shape), outputs = net.draw(1, 6);
  const std::string flat = net.node("Flatten", {x.name}).output(0);
  auto& gemm = net.node("Gemm", {flat, net.floats({inputs, outputs}, 0.2F), net.floats({outputs}, 1)});
  set_float(gemm, "alpha", 0.5F);
  set_float(gemm, "beta", 2);
  net.keep({1, outputs}, false, x.size * 0.1 * std::sqrt(static_cast<double>(inputs)) + 2);
}

void add_transpose(Net& net) {
  const DrawnValue x = net.any_plane();
  const bool is_swapped = net.draw(0, 1) == 0;
  set_ints(net.node("Transpose", {x.name}), "perm", is_swapped ? Shape{0, 2, 1, 3} : Shape{0, 3, 1, 2});
  net.keep(is_swapped ? Shape{1, x.shape[2], x.shape[1], x.shape[3]} : Shape{1, x.shape[3], x.shape[1], x.shape[2]},
           x.is_exact, x.size);
}

void add_slice(Net& net) {
  const DrawnValue x = net.any();
  const int64_t axis = draw_axis(net, x.shape);
  const auto at = static_cast<std::size_t>(axis);
  const int64_t first = net.draw(0, x.shape[at] - 1), last = net.draw(first + 1, x.shape[at]);
  net.node("Slice", {x.name, net.integers({first}), net.integers({last}), net.integers({axis})});
  Shape shape = x.shape;
  shape[at] = last - first;
  if (x.name != "x" || shape != x.shape) {  // foveac refuses the input as an output.
    net.keep(shape, x.is_exact, x.size);
  }
}

void add_concat(Net& net) {
  const DrawnValue a = net.any(), b = net.any_of(a.shape);
  const int64_t axis = draw_axis(net, a.shape);
  set_int(net.node("Concat", {a.name, b.name}), "axis", axis);
  Shape shape = a.shape;
  shape[static_cast<std::size_t>(axis)] *= 2;
  net.keep(shape, a.is_exact && b.is_exact, std::max(a.size, b.size));
}

void add_pad(Net& net) {
  const DrawnValue x = net.any_plane();
  net.node("Pad", {x.name, net.integers({0, 0, 1, 0, 0, 0, 0, 2}), net.floats({}, 1)});
  net.keep({1, x.shape[1], x.shape[2] + 1, x.shape[3] + 2}, x.is_exact, x.size);
}

void add_resize(Net& net) {
  const DrawnValue x = net.any_plane();
  const Shape shape{1, x.shape[1], net.draw(1, 9), net.draw(1, 9)};
  auto& resize = net.node("Resize", {x.name, "", "", net.integers(shape)});
  const bool is_linear = net.draw(0, 1) == 0;
  set_text(resize, "mode", is_linear ? "linear" : "nearest");
  set_text(resize, "coordinate_transformation_mode",
           draw_name(net, {"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"}));
  net.keep(shape, !is_linear && x.is_exact, x.size);
}

/// The value as 8 bits, and back.
void add_quantization(Net& net) {
  const DrawnValue x = net.any_exact();
  const std::string bytes = net.node("QuantizeLinear", {x.name, "scale", "zero"}).output(0);
  net.node("DequantizeLinear", {bytes, "scale", "zero"});
  net.keep(x.shape, true, 4);
}

/// A convolution of the input on integers.
void add_quantized_conv(Net& net) {
  const Shape x = net.input_shape();
  const int64_t filters = net.draw(1, 6);
  const std::string w = net.int8s({filters, x[1], 1, 1}), w_scale = net.floats({}, 0.02F, 0.01F);
  const std::string w_zero = net.zero_of_int8(), y_scale = net.floats({}, 0.06F, 0.03F);
  const std::string q =
      net.node("QLinearConv", {"x_q", "scale", "zero", w, w_scale, w_zero, y_scale, "zero"}).output(0);
  net.node("DequantizeLinear", {q, y_scale, "zero"});
  net.keep({1, filters, x[2], x[3]}, true, 8);
}

}  // namespace

std::vector<FloatOperatorRow> float_tensor_rows() {
  return {
      {"place of the largest", add_arg},
      {"constant", add_constant},
      {"gather", add_gather},
      {"convolution", add_conv},
      {"transposed convolution", add_conv_transpose},
      {"pool", add_pool},
      {"global pool", add_global_pool},
      {"batch normalization", add_batch_normalization},
      {"normalization", add_normalization},
      {"lrn", add_lrn},
      {"softmax", add_softmax},
      {"reduction", add_reduction},
      {"matrix product", add_product},
      {"fully connected", add_dense},
      {"transpose", add_transpose},
      {"slice", add_slice},
      {"concat", add_concat},
      {"pad", add_pad},
      {"resize", add_resize},
      {"quantization", add_quantization},
      {"quantized convolution", add_quantized_conv},
  };
}

}  // namespace fovea
