// SPDX-License-Identifier: Apache-2.0
/// \file
/// Plain loops over dense tensors.
#include "float_value.h"

#include <algorithm>
#include <limits>

#include "ops/operator.h"
#include "ops/window.h"

namespace fovea {
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

Tensor sum(const Node& call, const Tensor& a, const Tensor& b) {
  Tensor y(call.type);
  const auto first = a.values<float>(), second = b.values<float>();
  const auto to = y.values<float>();
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = first[i] + second[i];
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
  if (is_float && is_call(call, "add") && inputs[0]->type() == inputs[1]->type()) {
    return sum(call, *inputs[0], *inputs[1]);
  }
  if (is_float && is_call(call, "nn.max_pool2d")) {
    return max_pool(call, *inputs[0]);
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
