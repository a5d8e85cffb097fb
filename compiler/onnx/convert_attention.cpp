// SPDX-License-Identifier: Apache-2.0
/// \file
/// Attention and RotaryEmbedding of ONNX, Attention and QAttention of com.microsoft, as products of matrices and a
/// softmax between them.
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "converters.h"
#include "products.h"

namespace fovea {
namespace {

NodeId reshaped(ImportContext& context, const OnnxNode& node, NodeId x, const Shape& shape) {
  return context.call(node, "reshape", {x}, {{"newshape", shape}});
}

NodeId reordered(ImportContext& context, const OnnxNode& node, NodeId x, const std::vector<int64_t>& axes) {
  return context.call(node, "transpose", {x}, {{"axes", axes}});
}

/// Of an axis, `size` places from `begin` on, `stride` apart.
NodeId sliced(ImportContext& context, const OnnxNode& node, NodeId x, std::size_t axis, int64_t begin, int64_t size,
              int64_t stride = 1) {
  const std::size_t rank = context.shape(x).size();
  std::vector<int64_t> begins(rank, 0), sizes = context.shape(x), strides(rank, 1);
  begins[axis] = begin;
  sizes[axis] = size;
  strides[axis] = stride;
  return context.call(node, "strided_slice", {x}, {{"begin", begins}, {"sizes", sizes}, {"strides", strides}});
}

NodeId joined(ImportContext& context, const OnnxNode& node, const std::vector<NodeId>& parts, std::size_t axis) {
  return context.call(node, "concatenate", parts, {{"axis", static_cast<int64_t>(axis)}});
}

/// [N, S, heads * size] as [N, S, heads, size].
NodeId split_heads(ImportContext& context, const OnnxNode& node, NodeId x, int64_t heads) {
  const Shape shape = context.shape(x);
  node.check(heads > 0 && shape[2] % heads == 0, "cuts " + to_text(shape) + " into " + std::to_string(heads) +
                                                     " heads; a number that divides its last size works");
  return reshaped(context, node, x, {shape[0], shape[1], heads, shape[2] / heads});
}

/// [N, S, heads * size] as [N, heads, S, size].
NodeId to_heads(ImportContext& context, const OnnxNode& node, NodeId x, int64_t heads) {
  return reordered(context, node, split_heads(context, node, x, heads), {0, 2, 1, 3});
}

/// ... and back.
NodeId from_heads(ImportContext& context, const OnnxNode& node, NodeId x) {
  const Shape shape = context.shape(x);
  return reshaped(context, node, reordered(context, node, x, {0, 2, 1, 3}), {shape[0], shape[2], shape[1] * shape[3]});
}

/// What scores add: 0 up to the diagonal that is `first` keys to the right, and `beyond` behind it.
NodeId causal_bias(ImportContext& context, const OnnxNode& node, int64_t queries, int64_t keys, int64_t first,
                   float beyond) {
  Tensor bias({{queries, keys}, ElementType::kFloat32});
  for (int64_t i = 0; i < queries * keys; ++i) {
    bias.set(static_cast<std::size_t>(i), i % keys > i / keys + first ? beyond : 0);
  }
  return context.builder.constant(std::move(bias), node.name());
}

NodeId as_float(ImportContext& context, const OnnxNode& node, NodeId x) {
  return context.call(node, "cast", {x}, {{"dtype", std::string("float32")}});
}

/// `otherwise` where a mask, broadcast, is 0; 0 elsewhere.
NodeId mask_bias(ImportContext& context, const OnnxNode& node, NodeId mask, float otherwise) {
  const NodeId is_kept = context.type(mask).element == ElementType::kBool
                             ? mask
                             : context.call(node, "cast", {mask}, {{"dtype", std::string("bool")}});
  return context.call(node, "where", {is_kept, context.number(node, 0), context.number(node, otherwise)});
}

/// q [N, heads, S, size], k and v likewise, of so many keys.
struct Heads {
  NodeId q, k, v;
};

/// q * k, scaled.
NodeId add_scores(ImportContext& context, const OnnxNode& node, const Heads& heads, float scale) {
  const NodeId q = scaled(context, node, heads.q, scale);
  return context.call(node, "matmul", {q, reordered(context, node, heads.k, {0, 1, 3, 2})});
}

NodeId add_last_softmax(ImportContext& context, const OnnxNode& node, NodeId scores) {
  const auto axis = static_cast<int64_t>(context.shape(scores).size()) - 1;
  return context.call(node, "nn.softmax", {scores}, {{"axis", axis}});
}

float scale_of(OnnxNode& node, const Shape& q) {
  const auto given = node.read_float("scale", 0);
  return given != 0 ? given : 1 / std::sqrt(static_cast<float>(q.back()));
}

/// \name Of com.microsoft
/// @{

/// What scores add for a mask of keys: [N, S] or [N, S, S] with 1 where a key counts, or [N], how many do.
NodeId add_key_mask(ImportContext& context, const OnnxNode& node, NodeId mask, int64_t keys, float otherwise) {
  const Shape shape = context.shape(mask);
  if (shape.size() == 1) {
    std::vector<float> places(static_cast<std::size_t>(keys));
    std::iota(places.begin(), places.end(), 0.0F);
    const NodeId place = context.builder.constant(Tensor::of<float>({keys}, places), node.name());
    const NodeId count = reshaped(context, node, as_float(context, node, mask), {shape[0], 1, 1, 1});
    return mask_bias(context, node, context.call(node, "less", {place, count}), otherwise);
  }
  node.check(shape.size() == 2 || shape.size() == 3,
             "its mask has the shape " + to_text(shape) + "; one number a picture, [N, S] and [N, S, S] work");
  const Shape spread = shape.size() == 2 ? Shape{shape[0], 1, 1, shape[1]} : Shape{shape[0], 1, shape[1], shape[2]};
  return mask_bias(context, node, reshaped(context, node, mask, spread), otherwise);
}

/// Of q, k and v one behind another, [N, S, 3 * heads * size], with the node's mask.
NodeId add_self_attention(ImportContext& context, OnnxNode& node, NodeId qkv, int mask_place, int bias_place) {
  const Shape shape = context.shape(qkv);
  const int64_t heads = node.read_int("num_heads", 0), hidden = shape[2] / 3;
  node.check(shape[2] % 3 == 0, "its weights have " + std::to_string(shape[2]) + " columns; three equal parts work");
  const float otherwise = node.read_float("mask_filter_value", -10000);
  const bool is_causal = node.read_int("unidirectional", 0) != 0;
  for (const char* name : {"do_rotary", "past_present_share_buffer", "rotary_embedding_dim"}) {
    node.require_int(name, 0);
  }
  const auto part = [&](int64_t i) {
    return to_heads(context, node, sliced(context, node, qkv, 2, i * hidden, hidden), heads);
  };
  const Heads parts{part(0), part(1), part(2)};
  NodeId scores = add_scores(context, node, parts, scale_of(node, context.shape(parts.q)));
  if (is_causal) {
    scores = context.call(node, "add", {scores, causal_bias(context, node, shape[1], shape[1], 0, otherwise)});
  }
  if (const auto mask = context.optional_input(node, mask_place)) {
    scores = context.call(node, "add", {scores, add_key_mask(context, node, *mask, shape[1], otherwise)});
  }
  if (const auto bias = bias_place < 0 ? std::nullopt : context.optional_input(node, bias_place)) {
    scores = context.call(node, "add", {scores, *bias});
  }
  const NodeId weighted = context.call(node, "matmul", {add_last_softmax(context, node, scores), parts.v});
  return from_heads(context, node, weighted);
}

/// Integers less their zero point times their scale, of one axis or of all.
NodeId dequantized(ImportContext& context, const OnnxNode& node, int place, int scale_place, int zero_place,
                   int64_t axis) {
  const NodeId q = context.input(node, place);
  const Tensor given = context.constant_input(node, scale_place);
  const int64_t count = count_elements(given.type().shape);
  const Shape shape = count == 1 ? Shape{} : Shape{count};
  Tensor scale({shape, ElementType::kFloat32}), zero({shape, context.type(q).element});
  const std::optional<Tensor> zeros =
      node.has_input(zero_place) ? std::optional(context.constant_input(node, zero_place)) : std::nullopt;
  const int64_t zero_count = zeros ? count_elements(zeros->type().shape) : 1;
  node.check(zero_count == 1 || zero_count == count, "its zero point must be one number, or one for each scale");
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    scale.set(i, given.at(i));
    zero.set(i, zeros ? zeros->at(zero_count == 1 ? 0 : i) : 0);
  }
  return context.call(node, "qnn.dequantize",
                      {q, context.builder.constant(std::move(scale), node.name()),
                       context.builder.constant(std::move(zero), node.name())},
                      {{"axis", count == 1 ? int64_t{0} : axis}});
}

/// @}
/// \name Of ONNX
/// @{

/// Keys or values for as many heads as the queries have: each of them so many times, one beside another.
NodeId repeat_heads(ImportContext& context, const OnnxNode& node, NodeId x, int64_t heads) {
  const int64_t own = context.shape(x)[1];
  node.check(own > 0 && heads % own == 0, "has " + std::to_string(heads) + " heads of queries and " +
                                              std::to_string(own) + " of keys; a multiple works");
  std::vector<int64_t> places(static_cast<std::size_t>(heads));
  for (int64_t i = 0; i < heads; ++i) {
    places[static_cast<std::size_t>(i)] = i / (heads / own);
  }
  return context.take(node, x, 1, places);
}

/// Defines output `place` of a node, where it is asked for.
void define_output(ImportContext& context, const OnnxNode& node, std::size_t place, NodeId value) {
  const std::vector<std::string> names = node.outputs();
  if (place < names.size() && !names[place].empty()) {
    context.define(names[place], value);
  }
}

/// @}

}  // namespace

NodeId convert_microsoft_attention(ImportContext& context, OnnxNode& node) {
  NodeId qkv = add_mat_mul(context, node, context.input(node, 0), context.input(node, 1));
  if (const auto bias = context.optional_input(node, 2)) {
    qkv = context.call(node, "add", {qkv, *bias});
  }
  return add_self_attention(context, node, qkv, 3, 5);
}

/// input, weight, bias, input scale, weight scale, mask, input zero point, weight zero point.
NodeId convert_qattention(ImportContext& context, OnnxNode& node) {
  const NodeId x = dequantized(context, node, 0, 3, 6, 0), w = dequantized(context, node, 1, 4, 7, 1);
  const NodeId product = add_mat_mul(context, node, x, w);
  const NodeId qkv = context.call(node, "add", {product, context.input(node, 2)});
  return add_self_attention(context, node, qkv, 5, -1);
}

/// Q, K, V, attn_mask, past_key, past_value: softmax(Q * K + bias) * V. Products are capped before the bias is added,
/// as ONNX Runtime does.
NodeId convert_attention(ImportContext& context, OnnxNode& node) {
  constexpr float kNever = -std::numeric_limits<float>::infinity();
  Heads heads{context.input(node, 0), context.input(node, 1), context.input(node, 2)};
  const bool is_flat = context.shape(heads.q).size() == 3;
  node.check(is_flat || context.shape(heads.q).size() == 4,
             "attends with " + to_text(context.shape(heads.q)) + "; three or four dimensions work");
  const int64_t q_heads = node.read_int("q_num_heads", 0), kv_heads = node.read_int("kv_num_heads", 0);
  if (is_flat) {
    heads = {to_heads(context, node, heads.q, q_heads), to_heads(context, node, heads.k, kv_heads),
             to_heads(context, node, heads.v, kv_heads)};
  }
  int64_t past = 0;
  if (const auto key = context.optional_input(node, 4)) {
    past = context.shape(*key).at(2);
    heads.k = joined(context, node, {*key, heads.k}, 2);
    heads.v = joined(context, node, {context.input(node, 5), heads.v}, 2);
  }
  define_output(context, node, 1, heads.k);
  define_output(context, node, 2, heads.v);
  const Shape q = context.shape(heads.q);
  heads.k = repeat_heads(context, node, heads.k, q[1]);
  heads.v = repeat_heads(context, node, heads.v, q[1]);
  node.read_int("softmax_precision", 1);  // Of float32 none is less.
  // By qk_matmul_output_mode: products, the same capped, with the bias, and their softmax.
  std::array<NodeId, 4> stages{};
  NodeId scores = stages[0] = add_scores(context, node, heads, scale_of(node, q));
  if (const float cap = node.read_float("softcap", 0); cap != 0) {
    scores = scaled(context, node, context.call(node, "tanh", {scaled(context, node, scores, 1 / cap)}), cap);
  }
  stages[1] = scores;
  if (node.read_int("is_causal", 0) != 0) {
    const NodeId bias = causal_bias(context, node, q[2], context.shape(heads.k)[2], past, kNever);
    scores = context.call(node, "add", {scores, bias});
  }
  if (const auto mask = context.optional_input(node, 3)) {
    const bool is_bias = context.type(*mask).element == ElementType::kFloat32;
    scores = context.call(node, "add", {scores, is_bias ? *mask : mask_bias(context, node, *mask, kNever)});
  }
  stages[2] = scores;
  stages[3] = add_last_softmax(context, node, scores);
  const int64_t mode = node.read_int("qk_matmul_output_mode", 0);
  node.check(mode >= 0 && mode <= 3, "qk_matmul_output_mode=" + std::to_string(mode) + " is none; 0 to 3 are");
  define_output(context, node, 3, stages[static_cast<std::size_t>(mode)]);
  const NodeId y = context.call(node, "matmul", {stages[3], heads.v});
  return is_flat ? from_heads(context, node, y) : y;
}

/// X, cos_cache, sin_cache, position_ids: pairs of numbers turned by an angle for each place.
NodeId convert_rotary_embedding(ImportContext& context, OnnxNode& node) {
  const NodeId given = context.input(node, 0);
  const Shape shape = context.shape(given);
  const int64_t count = node.read_int("num_heads", 0);
  node.check(shape.size() == 3 || shape.size() == 4, "turns " + to_text(shape) + "; three or four dimensions work");
  const NodeId x =
      shape.size() == 3 ? split_heads(context, node, given, count) : reordered(context, node, given, {0, 2, 1, 3});
  const Shape heads = context.shape(x);
  const int64_t asked = node.read_int("rotary_embedding_dim", 0), turned = asked == 0 ? heads[3] : asked;
  node.check(turned % 2 == 0 && turned <= heads[3],
             "turns " + std::to_string(turned) + " of " + std::to_string(heads[3]) + " numbers; an even number works");
  const int64_t pairs = turned / 2;
  const auto angles = [&](int place) {
    NodeId cache = context.input(node, place);
    if (const auto positions = context.optional_input(node, 3)) {
      cache = context.call(node, "gather", {cache, *positions}, {{"axis", int64_t{0}}});
    }
    node.check(context.shape(cache).size() == 3 && context.shape(cache)[2] >= pairs,
               "its cache has the shape " + to_text(context.shape(cache)) + "; one of " + std::to_string(pairs) +
                   " numbers a place works");
    const NodeId used = sliced(context, node, cache, 2, 0, pairs);
    const Shape of = context.shape(used);
    return reshaped(context, node, used, {of[0], of[1], 1, of[2]});
  };
  const NodeId cosine = angles(1), sine = angles(2);
  const bool is_interleaved = node.read_int("interleaved", 0) != 0;
  const int64_t stride = is_interleaved ? 2 : 1;
  const NodeId a = sliced(context, node, x, 3, 0, pairs, stride);
  const NodeId b = sliced(context, node, x, 3, is_interleaved ? 1 : pairs, pairs, stride);
  const auto product = [&](NodeId left, NodeId right) { return context.call(node, "multiply", {left, right}); };
  NodeId real = context.call(node, "subtract", {product(cosine, a), product(sine, b)});
  NodeId imaginary = context.call(node, "add", {product(sine, a), product(cosine, b)});
  if (is_interleaved) {
    const Shape single{heads[0], heads[1], heads[2], pairs, 1};
    real = reshaped(context, node, real, single);
    imaginary = reshaped(context, node, imaginary, single);
  }
  NodeId y = joined(context, node, {real, imaginary}, is_interleaved ? 4 : 3);
  if (is_interleaved) {
    y = reshaped(context, node, y, {heads[0], heads[1], heads[2], turned});
  }
  if (turned < heads[3]) {
    y = joined(context, node, {y, sliced(context, node, x, 3, turned, heads[3] - turned)}, 3);
  }
  return shape.size() == 3 ? reshaped(context, node, y, shape) : reordered(context, node, y, {0, 2, 1, 3});
}

}  // namespace fovea
