// SPDX-License-Identifier: Apache-2.0
/// \file
/// Factors the inputs of a fully connected layer, and prices each factoring as the convolution that it is.
#include "linear_mapping.h"

#include <span>
#include <tuple>

namespace fovea {
namespace {

/// What a layer command holds.
constexpr std::uint32_t kMostChannels = 65535, kMostFilterSide = 11;

/// Which of the command's limits no factoring keeps; "" where one may.
std::string describe_sizes(const std::vector<dla_shape>& shapes, std::uint32_t inputs, std::uint32_t outputs) {
  if (outputs > kMostChannels) {
    return std::to_string(outputs) + " outputs; the accelerator takes up to " + std::to_string(kMostChannels);
  }
  if (shapes.empty()) {
    const std::string side = std::to_string(kMostFilterSide);
    return std::to_string(inputs) + " inputs; the accelerator takes products C * R * S with C up to " +
           std::to_string(kMostChannels) + ", R and S up to " + side;
  }
  return "";
}

/// Whether the first of two choices is the better one. Of two without a plan, the first is as good.
bool is_better(const ShapeChoice& one, const ShapeChoice& other) {
  if (!one.mapping.plan || !other.mapping.plan) {
    return one.mapping.plan.has_value();
  }
  const auto price = [](const MappingChoice& choice) {
    return std::tuple(!choice.is_recorded, choice.plan->cost.cycles, choice.plan->cost.dram_bytes.read());
  };
  return price(one.mapping) < price(other.mapping);
}

}  // namespace

std::vector<dla_shape> linear_shapes(std::uint32_t inputs, std::uint32_t outputs) {
  std::vector<dla_shape> shapes;
  for (std::uint32_t R = 1; R <= kMostFilterSide; ++R) {
    for (std::uint32_t S = 1; S <= kMostFilterSide; ++S) {
      const std::uint32_t C = inputs / (R * S);
      if (C * R * S == inputs && C >= 1 && C <= kMostChannels) {
        shapes.push_back({.C = C, .H = R, .W = S, .M = outputs, .R = R, .S = S, .U = 1, .PAD = 0, .pool = false});
      }
    }
  }
  return shapes;
}

ShapeChoice choose_linear(std::uint32_t inputs, std::uint32_t outputs,
                          const std::function<MappingChoice(const dla_shape&)>& choose) {
  const std::vector<dla_shape> shapes = linear_shapes(inputs, outputs);
  ShapeChoice best;
  best.mapping.reason = describe_sizes(shapes, inputs, outputs);
  if (!best.mapping.reason.empty()) {
    return best;
  }
  best = {shapes.front(), choose(shapes.front())};
  for (const dla_shape& shape : std::span(shapes).subspan(1)) {
    ShapeChoice choice{shape, choose(shape)};
    if (is_better(choice, best)) {
      best = std::move(choice);
    }
  }
  return best;
}

}  // namespace fovea
