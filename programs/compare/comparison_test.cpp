// SPDX-License-Identifier: Apache-2.0
/// \file
/// Are layers paired by the surest names, and their numbers compared as what they stand for?
#include "comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tensor/error.h"

namespace fovea {
namespace {

LayerValue bytes(const std::string& name, const std::vector<uint8_t>& values,
                 std::optional<Quantization> quantization = std::nullopt) {
  return {name,
          {{}, {name}, std::move(quantization)},
          Tensor::of<uint8_t>({static_cast<int64_t>(values.size())}, values),
          std::nullopt};
}

LayerValue floats(const std::string& name, const std::vector<float>& values) {
  return {
      name, {{}, {name}, std::nullopt}, Tensor::of<float>({static_cast<int64_t>(values.size())}, values), std::nullopt};
}

Quantization scale(float scale, int64_t zero_point) { return per_tensor(ElementType::kUint8, scale, zero_point); }

TEST(Difference, IsInRealNumbersWhereTheScaleIsKnown) {
  const Difference d =
      difference_of(bytes("a", {130, 126, 128, 128}, scale(0.5f, 128)), bytes("a", {130, 128, 128, 129}), 0);
  EXPECT_EQ(d.elements, 4u);
  EXPECT_EQ(d.equal, 2u);
  EXPECT_EQ(d.first, 1u);
  EXPECT_DOUBLE_EQ(d.largest, 1);
  EXPECT_DOUBLE_EQ(d.mean, 1.5 / 4);
  EXPECT_NEAR(d.noise_ratio, 10 * std::log10(2 / 1.25), 1e-12);  // a is 1, -1, 0, 0; b - a is 0, 1, 0, 0.5.
  EXPECT_FALSE(d.quantization_differs);
}

TEST(Difference, OfAFloatIsWhatItIsRoundedTo) {
  const LayerValue a = bytes("a", {130, 127, 255, 0}, scale(0.5f, 128));
  const Difference d = difference_of(a, floats("a", {1.2f, -0.25f, 1000, NAN}), 0);
  EXPECT_EQ(d.first, 1u) << "-0.5 steps are rounded to the even 0";
  EXPECT_EQ(d.equal, 3u);
  EXPECT_EQ(difference_of(floats("a", {1.2f, -0.3f, 1000, NAN}), a, 0).equal, 4u);
}

TEST(Difference, TakesInt8ForUint8Less128) {
  LayerValue b = bytes("a", {0});
  b.values = Tensor::of<int8_t>({3}, {2, -2, 0});
  const LayerValue a = bytes("a", {130, 126, 128}, scale(0.5f, 100));
  EXPECT_TRUE(difference_of(a, b, 0).is_none());
  b.notes.quantization = per_tensor(ElementType::kInt8, 0.5f, -28);
  EXPECT_TRUE(difference_of(a, b, 0).is_none());
  b.notes.quantization = per_tensor(ElementType::kInt8, 0.5f, -27);
  EXPECT_TRUE(difference_of(a, b, 0).quantization_differs);
}

TEST(Difference, IsNoneWithinTheTolerance) {
  const LayerValue a = floats("a", {100, 1, NAN}), b = floats("a", {100, 1.5f, NAN});
  EXPECT_EQ(difference_of(a, b, 0).equal, 2u);
  EXPECT_EQ(difference_of(a, b, 0.004).equal, 2u);
  EXPECT_EQ(difference_of(a, b, 0.005).equal, 3u);
  EXPECT_TRUE(std::isinf(difference_of(a, a, 0).noise_ratio));
}

TEST(Comparison, PairsByNodesFirst) {
  Side a{"A", {bytes("conv1", {1, 2})}, nullptr, {}}, b{"B", {bytes("conv1", {1, 3}), bytes("y", {1, 2})}, nullptr, {}};
  EXPECT_EQ(compare_sides(a, b, 0).layers.at(0).b, 0u);
  a.values[0].notes.nodes = {"relu1"};
  b.values[1].notes = {{"relu1"}, {}, std::nullopt};
  const Comparison comparison = compare_sides(a, b, 0);
  EXPECT_EQ(comparison.layers.at(0).b, 1u);
  EXPECT_FALSE(comparison.first);
  EXPECT_EQ(comparison.only_b, std::vector<std::string>{"conv1"});
  // What is known by its node is not found by another name.
  b.values = {bytes("z", {1, 3})};
  b.values[0].notes = {{"conv1"}, {}, std::nullopt};
  EXPECT_THROW(compare_sides(a, b, 0), UserError);
}

TEST(Comparison, NamesTheFirstOfTheNetworksOrder) {
  const Side a{"A", {bytes("one", {1}), bytes("two", {2}), bytes("three", {3})}, nullptr, {}};
  const Side b{"B", {bytes("three", {4}), bytes("two", {1}), bytes("one", {1})}, nullptr, {}};
  const Comparison comparison = compare_sides(a, b, 0);
  EXPECT_EQ(comparison.first, 1u);
  EXPECT_EQ(a.values[comparison.layers[1].a].name, "two");
}

std::string refusal(const Side& a, const Side& b) {
  try {
    compare_sides(a, b, 0);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Comparison, SaysWhyNothingIsCompared) {
  const Side a{"A", {bytes("one", {1, 2})}, nullptr, {}};
  EXPECT_EQ(refusal(a, {"B", {bytes("two", {1, 2})}, nullptr, {}}),
            "A and B: no layer has the same name in both (one ... and two ...)");
  EXPECT_EQ(refusal(a, {"B", {bytes("one", {1, 2, 3})}, nullptr, {}}),
            "A and B: no layer has the same shape in both (one: [2] and [3])");
  EXPECT_EQ(refusal(a, {"B", {floats("one", {1, 2})}, nullptr, {}}),
            "A and B: no layer that both have can be compared (one: uint8 of no known scale and float32)");
}

}  // namespace
}  // namespace fovea
