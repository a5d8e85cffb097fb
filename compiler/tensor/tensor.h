// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tensor types and constant tensors: shape, element type and dense row-major data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea {

/// Element types a value can have.
enum class ElementType { kFloat32, kUint8, kInt8, kInt32, kInt64, kBool };

/// Bytes of one element.
std::size_t size_bytes(ElementType type);

/// "float32", "uint8", "int8", "int32", "int64", "bool".
std::string_view to_text(ElementType type);

/// Whether it is uint8 or int8.
bool is_8_bit(ElementType type);

/// Calls `visit` with a value of the C++ type of `type`.
template <typename Visit>
auto with_element(ElementType type, Visit visit) {
  switch (type) {
    case ElementType::kFloat32:
      return visit(float{});
    case ElementType::kUint8:
      return visit(uint8_t{});
    case ElementType::kInt8:
      return visit(int8_t{});
    case ElementType::kInt32:
      return visit(int32_t{});
    case ElementType::kBool:
      return visit(bool{});
    case ElementType::kInt64:
      break;
  }
  return visit(int64_t{});
}

/// Inverse of to_text(); nothing where there is no such type.
std::optional<ElementType> parse_element_type(std::string_view text);

/// Smallest and largest number of an integer type; 0 and 1 of bool.
std::pair<int64_t, int64_t> range_of(ElementType integer);

/// Dimensions, outermost first. Activations are [N, C, H, W] or [N, C] with N = 1; filters [M, C, R, S]; scalars [].
using Shape = std::vector<int64_t>;

/// Number of elements of a shape; 1 for a scalar. The largest int64 where they are more than that.
int64_t count_elements(const Shape& shape);

/// A value has no negative sizes and at most 2^31 elements. UserError, beginning with `owner`, where not.
void check_shape(const Shape& shape, const std::string& owner);

/// "(1, 3, 32, 32)"; "(8,)" for rank 1, as Relay writes it.
std::string to_text(const Shape& shape);

/// What a value is: its shape and element type.
struct TensorType {
  Shape shape;
  ElementType element = ElementType::kFloat32;

  bool operator==(const TensorType&) const = default;
};

/// "Tensor[(1, 3, 32, 32), uint8]".
std::string to_text(const TensorType& type);

/// Bytes of a dense tensor.
std::size_t size_bytes(const TensorType& type);

/// A constant: a type and its data, dense, row major, host byte order.
class Tensor {
 public:
  /// All zeros.
  explicit Tensor(TensorType type);

  /// Takes values; they must be as many as the shape has elements. T must be the element type's C++ type, not bool.
  template <typename T>
  static Tensor of(Shape shape, const std::vector<T>& values);

  const TensorType& type() const { return type_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::span<std::byte> bytes() { return bytes_; }

  /// Typed view. \pre T is the element type's C++ type (float, uint8_t, int8_t, int32_t, int64_t, bool).
  template <typename T>
  std::span<const T> values() const;
  template <typename T>
  std::span<T> values();

  /// One element as a number, whatever its type. int64 beyond 2^53 lose digits.
  double at(std::size_t index) const;
  /// One element as an integer. \pre the element type is an integer, or bool: 0 or 1.
  int64_t integer_at(std::size_t index) const;
  /// Stores a number; rounds toward zero and wraps where the element type is an integer, as a C cast does. Of bool,
  /// whether it is other than 0.
  void set(std::size_t index, double value);
  void set_integer(std::size_t index, int64_t value);

  bool operator==(const Tensor&) const = default;

 private:
  TensorType type_;
  std::vector<std::byte> bytes_;
};

}  // namespace fovea
