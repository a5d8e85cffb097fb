// SPDX-License-Identifier: Apache-2.0
/// \file
/// Draws networks of operators on float32, some with quantized values among them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "onnx/model_builder.h"

namespace fovea {

/// A value of the network: float32, with a batch of 1.
struct DrawnValue {
  std::string name;
  std::vector<int64_t> shape;
  /// Whether each element is the same number whoever computes it: no sum in another order, no function's last digit.
  /// What has steps, compares, or divides by what nearly is nothing reads only such.
  bool is_exact = true;
  /// About how large its numbers are. Large ones are not read: beside them a last digit is much to a function.
  double size = 4;
};

/// A network of an input "x" [1, C, H, W] and of up to ten operators, each of which reads values that are there; its
/// outputs are some of them, also such that depend on no input. The same seed draws the same network.
class RandomFloatNetwork {
 public:
  explicit RandomFloatNetwork(uint64_t seed);

  onnx::ModelProto& model() { return model_.model(); }
  const std::vector<int64_t>& input_shape() const { return values_[0].shape; }
  /// Values for the input: -4 to 4.
  std::vector<float> input_values();
  /// ONNX's operators in the order in which they stand, for messages.
  std::string operators() const;

  // For the rows of operators.

  int64_t draw(int64_t least, int64_t most) { return std::uniform_int_distribution<int64_t>(least, most)(random_); }
  float real(float most) { return std::uniform_real_distribution<float>(-most, most)(random_); }
  /// An initializer of numbers of at most that size.
  std::string floats(const std::vector<int64_t>& shape, float most, float least = 0);
  std::string integers(const std::vector<int64_t>& values);
  /// An initializer of int8 numbers.
  std::string int8s(const std::vector<int64_t>& shape);
  std::string zero_of_int8();
  onnx::NodeProto& node(const std::string& op, const std::vector<std::string>& inputs);
  /// The name of what the last node makes.
  std::string last() const;
  /// Adds what the last node makes as a value.
  void keep(std::vector<int64_t> shape, bool is_exact, double size);
  /// Adds an initializer of numbers of at most 4 as a value.
  void keep_constant(const std::vector<int64_t>& shape);
  /// Any value; one that is exact, or of so many axes, where there is one: the input is both.
  const DrawnValue& any() {
    return pick([](const DrawnValue&) { return true; });
  }
  const DrawnValue& any_exact() {
    return pick([](const DrawnValue& value) { return value.is_exact; });
  }
  const DrawnValue& any_plane() {
    return pick([](const DrawnValue& value) { return value.shape.size() == 4; });
  }
  const DrawnValue& any_of(const std::vector<int64_t>& shape) {
    return pick([&](const DrawnValue& value) { return value.shape == shape; });
  }

 private:
  template <typename Condition>
  const DrawnValue& pick(Condition fits) {
    std::vector<const DrawnValue*> all;
    for (const DrawnValue& value : values_) {
      if (value.size <= kMostSize && fits(value)) {
        all.push_back(&value);
      }
    }
    const auto least = draw(0, 1) == 0 ? static_cast<int64_t>(all.size()) - 1 : int64_t{0};  // Often the newest.
    return *all[static_cast<std::size_t>(draw(least, static_cast<int64_t>(all.size()) - 1))];
  }

  static constexpr double kMostSize = 20;

  std::mt19937_64 random_;
  ModelBuilder model_;
  std::vector<DrawnValue> values_;
  int names_ = 0;
};

/// A way to add operators, and what it is called.
struct FloatOperatorRow {
  const char* name;
  void (*add)(RandomFloatNetwork& net);
};

/// What works element by element, and all else.
std::vector<FloatOperatorRow> float_elementwise_rows();
std::vector<FloatOperatorRow> float_tensor_rows();

/// One of the names.
template <std::size_t N>
const char* draw_name(RandomFloatNetwork& net, const char* const (&names)[N]) {
  return names[net.draw(0, N - 1)];
}

}  // namespace fovea
