// SPDX-License-Identifier: Apache-2.0
/// \file
/// Plain loops over dense tensors.
#include "float_value.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "ops/channels.h"
#include "ops/expression.h"
#include "ops/operator.h"
#include "ops/window.h"
#include "product.h"
#include "spec/dla_real.h"
#include "wide_vectors.h"

namespace fovea {

// map_<name>() for each function of one number.
#define FOVEA_FUNCTION(enumerator, name, value)                                                        \
  FOVEA_WIDE_VECTORS [[gnu::flatten]] static void map_##name(std::span<const float> from, float* to) { \
    for (std::size_t i = 0; i < from.size(); ++i) {                                                    \
      to[i] = dla_real_##name(from[i]);                                                                \
    }                                                                                                  \
  }
#include "ops/functions.def"
#undef FOVEA_FUNCTION

namespace {

Tensor clipped(const Node& call, const Tensor& x, float least, float most) {
  Tensor y(call.type);
  const auto from = x.values<float>();
  const auto to = y.values<float>();
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = from[i] < least ? least : from[i] > most ? most : from[i];  // What is no number stays none.
  }
  return y;
}

Tensor leaky_relu(const Node& call, const Tensor& x, float alpha) {
  Tensor y(call.type);
  const auto from = x.values<float>();
  const auto to = y.values<float>();
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = from[i] >= 0 ? from[i] : alpha * from[i];
  }
  return y;
}

/// The function that a unary or binary operator applies to its operands as they are; nothing where it does more.
std::optional<ScalarFunction> function_of(const Call& call) {
  const Expression x = variable(0), y = variable(1);
  const bool is_unary = call.op->unary != nullptr;
  if (!is_unary && call.op->binary == nullptr) {
    return std::nullopt;
  }
  const Expression a = element(0, {x}, ScalarType::kFloat64), b = element(1, {y}, ScalarType::kFloat64);
  const Expression value = is_unary ? call.op->unary(call, a) : call.op->binary(call, a, b);
  const bool is_plain = value->kind == ExpressionKind::kApply && value->arguments[0].is_same(a) &&
                        (is_unary || value->arguments[1].is_same(b));
  return is_plain && value->arguments.size() == (is_unary ? 1 : 2) ? std::optional(value->function) : std::nullopt;
}

/// Of one number, as the driver's runtime computes it.
std::optional<Tensor> mapped(const Node& call, ScalarFunction function, const Tensor& x) {
  Tensor y(call.type);
  switch (function) {
#define FOVEA_FUNCTION(enumerator, name, value)              \
  case ScalarFunction::enumerator:                           \
    map_##name(x.values<float>(), y.values<float>().data()); \
    return y;
#include "ops/functions.def"
#undef FOVEA_FUNCTION
    default:
      return std::nullopt;
  }
}

/// Of two tensors of one shape, or of a tensor and a number.
template <typename Function>
Tensor paired(const Node& call, const Tensor& a, const Tensor& b, Function function) {
  Tensor y(call.type);
  const auto first = a.values<float>(), second = b.values<float>();
  const auto to = y.values<float>();
  if (second.size() == 1 && first.size() == to.size()) {
    std::transform(first.begin(), first.end(), to.begin(), [&](float each) { return function(each, second[0]); });
  } else if (first.size() == 1 && second.size() == to.size()) {
    std::transform(second.begin(), second.end(), to.begin(), [&](float each) { return function(first[0], each); });
  } else {
    std::transform(first.begin(), first.end(), second.begin(), to.begin(), function);
  }
  return y;
}

std::optional<Tensor> paired(const Node& call, ScalarFunction function, const Tensor& a, const Tensor& b) {
  const auto is_number = [](const Tensor& x) { return x.values<float>().size() == 1; };
  if (a.type().shape != b.type().shape && !is_number(a) && !is_number(b)) {
    return std::nullopt;
  }
  switch (function) {
    case ScalarFunction::kAdd:
      return paired(call, a, b, std::plus<>());
    case ScalarFunction::kSubtract:
      return paired(call, a, b, std::minus<>());
    case ScalarFunction::kMultiply:
      return paired(call, a, b, std::multiplies<>());
    case ScalarFunction::kDivide:
      return paired(call, a, b, std::divides<>());
    default:
      return std::nullopt;
  }
}

/// Of matrices that have the same batches, or one b for all.
std::optional<Tensor> matrix_product(const Node& call, const Tensor& a, const Tensor& b) {
  const Shape &left = a.type().shape, &right = b.type().shape;
  if (left.size() < 2 || right.size() < 2) {
    return std::nullopt;
  }
  const int64_t rows = left[left.size() - 2], depth = left.back(), columns = right.back();
  const Shape batches(left.begin(), left.end() - 2), of_right(right.begin(), right.end() - 2);
  const bool is_one = count_elements(of_right) == 1 && right.size() <= left.size();
  if (!is_one && batches != of_right) {
    return std::nullopt;
  }
  Tensor y(call.type);
  for (int64_t n = 0; n < count_elements(batches); ++n) {
    multiply_matrices(a.values<float>().data() + n * rows * depth,
                      b.values<float>().data() + (is_one ? 0 : n * depth * columns), rows, depth, columns,
                      y.values<float>().data() + n * rows * columns);
  }
  return y;
}

Tensor joined(const Node& call, const std::vector<const Tensor*>& parts) {
  Tensor y(call.type);
  const int64_t outer = elements_before(call.type.shape, read_axis(call, call.type.shape));
  auto to = y.values<float>().begin();
  for (int64_t i = 0; i < outer; ++i) {
    for (const Tensor* part : parts) {
      const auto from = part->values<float>();
      const std::size_t run = from.size() / static_cast<std::size_t>(outer);
      to = std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(i) * run), run, to);
    }
  }
  return y;
}

Tensor max_pool(const Node& call, const Tensor& x) {
  const auto kernel = ints_attribute(call, "kernel", {});
  const Window window = read_window(call, {kernel[0], kernel[1]});
  const Shape &in = x.type().shape, &out = call.type.shape;
  Tensor y(call.type);
  const auto to = y.values<float>();
  std::size_t at = 0;
  for (int64_t plane = 0; plane < in[0] * in[1]; ++plane) {
    const float* from = x.values<float>().data() + plane * in[2] * in[3];
    for (int64_t e = 0; e < out[2]; ++e) {
      for (int64_t f = 0; f < out[3]; ++f, ++at) {
        float most = -std::numeric_limits<float>::infinity();
        for (int64_t r = 0; r < window.kernel[0]; ++r) {
          const int64_t row = e * window.strides[0] + r * window.dilations[0] - window.pads[0];
          for (int64_t s = 0; row >= 0 && row < in[2] && s < window.kernel[1]; ++s) {
            const int64_t column = f * window.strides[1] + s * window.dilations[1] - window.pads[1];
            if (column >= 0 && column < in[3]) {
              most = std::max(most, from[row * in[3] + column]);
            }
          }
        }
        to[at] = most;
      }
    }
  }
  return y;
}

/// Of float32; nothing where there is no loop for it.
std::optional<Tensor> fast_value(const Node& call, const std::vector<const Tensor*>& inputs) {
  if (is_call(call, "matmul")) {
    return matrix_product(call, *inputs[0], *inputs[1]);
  }
  const auto function = function_of(call);
  if (!function) {
    return std::nullopt;
  }
  return inputs.size() == 2 ? paired(call, *function, *inputs[0], *inputs[1]) : mapped(call, *function, *inputs[0]);
}

}  // namespace

Tensor float_value(const Node& call, const std::vector<const Tensor*>& inputs) {
  constexpr float kMost = std::numeric_limits<float>::infinity();
  const bool is_float = call.type.element == ElementType::kFloat32 &&
                        std::all_of(inputs.begin(), inputs.end(),
                                    [](const Tensor* input) { return input->type().element == ElementType::kFloat32; });
  if (is_float && is_call(call, "nn.relu")) {
    return clipped(call, *inputs[0], 0, kMost);
  }
  if (is_float && is_call(call, "clip")) {
    return clipped(call, *inputs[0], static_cast<float>(float_attribute(call, "min", 0)),
                   static_cast<float>(float_attribute(call, "max", 0)));
  }
  if (is_float && is_call(call, "leaky_relu")) {
    return leaky_relu(call, *inputs[0], static_cast<float>(float_attribute(call, "alpha", 0)));
  }
  if (is_float && is_call(call, "concatenate") && count_elements(call.type.shape) > 0) {
    return joined(call, inputs);
  }
  if (is_float && is_call(call, "nn.max_pool2d")) {
    return max_pool(call, *inputs[0]);
  }
  if (auto value = is_float ? fast_value(call, inputs) : std::nullopt) {
    return std::move(*value);
  }
  return call.op->evaluate(call, inputs);
}

void add_bias(Tensor& sums, std::span<const float> bias) {
  const auto values = sums.values<float>();
  const std::size_t inner = values.size() / static_cast<std::size_t>(sums.type().shape[0]) / bias.size();
  for (std::size_t i = 0; i < values.size(); i += inner) {
    const float add = bias[i / inner % bias.size()];
    for (std::size_t k = 0; k < inner; ++k) {
      values[i + k] += add;
    }
  }
}

}  // namespace fovea
