// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fully connected layers for the matrix unit: its limits, its order of weights, its call.
#include "gemm8_target.h"

#include <cstring>

#include "gemm8.h"
#include "layers/accumulation.h"
#include "layers/host_fields.h"

namespace fovea {
namespace {

/// Biases, then the weights transposed: [C, M].
std::vector<std::byte> lay_out(const Accumulation& sum) {
  const auto biases = std::as_bytes(sum.bias->values<std::int32_t>());
  std::vector<std::byte> bytes(biases.begin(), biases.end());
  const auto M = static_cast<std::size_t>(sum.weight->type().shape[0]);
  const auto C = static_cast<std::size_t>(sum.weight->type().shape[1]);
  for (std::size_t c = 0; c < C; ++c) {
    for (std::size_t m = 0; m < M; ++m) {
      bytes.push_back(static_cast<std::byte>(sum.weight->values<std::int8_t>()[m * C + c]));
    }
  }
  return bytes;
}

class Gemm8Target : public Target {
 public:
  std::optional<std::string> refuse(const Layer& layer) override {
    const auto* linear = std::get_if<Qlinear>(&layer.body);
    if (linear == nullptr) {
      return layer.is_view() ? std::nullopt : std::optional<std::string>(layer.kind->why_on_host);
    }
    if (!shift_of(linear->sum)) {
      return "its scales are not powers of two; the matrix unit shifts";
    }
    const Shape& filter = linear->sum.weight->type().shape;
    if (filter[0] > GEMM8_MOST_M || filter[1] > GEMM8_MOST_C) {
      return std::to_string(filter[1]) + " inputs and " + std::to_string(filter[0]) +
             " outputs; the matrix unit takes up to " + std::to_string(GEMM8_MOST_C) + " and " +
             std::to_string(GEMM8_MOST_M);
    }
    return std::nullopt;
  }

  PlannedLayer plan(const Layer& layer, const Places& places, WeightFile& weights) override {
    PlannedLayer plan;
    plan.layer = &layer;
    if (layer.is_view()) {
      return plan;
    }
    const Accumulation& sum = std::get<Qlinear>(layer.body).sum;
    weights.add(layer.name + "_columns", lay_out(sum));
    const Shape& filter = sum.weight->type().shape;
    plan.calls = {
        {"gemm8_run",
         "gemm8_layer",
         {name_field(layer), ifmap_ofmap_fields(layer, places) + ", .weights = WEIGHT(" + layer.name + "_columns)",
          ".C = " + std::to_string(filter[1]) + ", .M = " + std::to_string(filter[0]),
          quant_field(sum, places.rounding)}}};
    return plan;
  }

  std::string machine() const override { return "gemm8"; }
  std::string header() const override { return "gemm8.h"; }
};

}  // namespace

std::shared_ptr<Target> make_gemm8_target(const TargetOptions&) { return std::make_shared<Gemm8Target>(); }

}  // namespace fovea
