// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shapes, element types and the storage of constants.
#include "tensor.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>

#include "error.h"

namespace fovea {
namespace {

struct ElementRow {
  ElementType type;
  std::string_view name;
  std::size_t bytes;
};

constexpr std::array<ElementRow, 6> kElements{{{ElementType::kFloat32, "float32", 4},
                                               {ElementType::kUint8, "uint8", 1},
                                               {ElementType::kInt8, "int8", 1},
                                               {ElementType::kInt32, "int32", 4},
                                               {ElementType::kInt64, "int64", 8},
                                               {ElementType::kBool, "bool", 1}}};

const ElementRow& row_of(ElementType type) { return kElements.at(static_cast<std::size_t>(type)); }

template <typename T>
constexpr ElementType element_of() {
  if constexpr (std::is_same_v<T, float>) {
    return ElementType::kFloat32;
  } else if constexpr (std::is_same_v<T, uint8_t>) {
    return ElementType::kUint8;
  } else if constexpr (std::is_same_v<T, int8_t>) {
    return ElementType::kInt8;
  } else if constexpr (std::is_same_v<T, int32_t>) {
    return ElementType::kInt32;
  } else if constexpr (std::is_same_v<T, bool>) {
    return ElementType::kBool;
  } else {
    return ElementType::kInt64;
  }
}

}  // namespace

std::size_t size_bytes(ElementType type) { return row_of(type).bytes; }

bool is_8_bit(ElementType type) { return type == ElementType::kUint8 || type == ElementType::kInt8; }

std::string_view to_text(ElementType type) { return row_of(type).name; }

std::optional<ElementType> parse_element_type(std::string_view text) {
  for (const ElementRow& row : kElements) {
    if (row.name == text) {
      return row.type;
    }
  }
  return std::nullopt;
}

std::pair<int64_t, int64_t> range_of(ElementType integer) {
  return with_element(integer, [](auto zero) {
    using Limits = std::numeric_limits<decltype(zero)>;
    return std::pair(static_cast<int64_t>(Limits::min()), static_cast<int64_t>(Limits::max()));
  });
}

int64_t count_elements(const Shape& shape) {
  int64_t elements = 1;
  for (const int64_t size : shape) {
    if (__builtin_mul_overflow(elements, size, &elements)) {
      return std::numeric_limits<int64_t>::max();
    }
  }
  return elements;
}

void check_shape(const Shape& shape, const std::string& owner) {
  constexpr int64_t kMostElements = int64_t{1} << 31;
  const bool has_negative = std::any_of(shape.begin(), shape.end(), [](int64_t size) { return size < 0; });
  if (has_negative || count_elements(shape) > kMostElements) {
    user_error(owner + ": has the impossible shape " + to_text(shape) + "; at most 2^31 elements work");
  }
}

std::string to_text(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string to_text(const TensorType& type) {
  return "Tensor[" + to_text(type.shape) + ", " + std::string(to_text(type.element)) + "]";
}

std::size_t size_bytes(const TensorType& type) {
  return static_cast<std::size_t>(count_elements(type.shape)) * size_bytes(type.element);
}

Tensor::Tensor(TensorType type) : type_(std::move(type)), bytes_(size_bytes(type_)) {}

template <typename T>
Tensor Tensor::of(Shape shape, const std::vector<T>& values) {
  Tensor tensor({std::move(shape), element_of<T>()});
  internal_check(tensor.bytes_.size() == values.size() * sizeof(T), "a constant has as many values as its shape says");
  if (!values.empty()) {
    std::memcpy(tensor.bytes_.data(), values.data(), tensor.bytes_.size());
  }
  return tensor;
}

namespace {

/// internal_check() without a string where all is well, as this is asked for each element.
void check_read(bool fits, const char* what) {
  if (!fits) {
    internal_check(false, what);
  }
}

}  // namespace

template <typename T>
std::span<const T> Tensor::values() const {
  check_read(type_.element == element_of<T>(), "a constant is read as the type it has");
  return {reinterpret_cast<const T*>(bytes_.data()), bytes_.size() / sizeof(T)};
}

template <typename T>
std::span<T> Tensor::values() {
  check_read(type_.element == element_of<T>(), "a constant is written as the type it has");
  return {reinterpret_cast<T*>(bytes_.data()), bytes_.size() / sizeof(T)};
}

double Tensor::at(std::size_t index) const {
  return with_element(type_.element, [&](auto zero) { return static_cast<double>(values<decltype(zero)>()[index]); });
}

int64_t Tensor::integer_at(std::size_t index) const {
  check_read(type_.element != ElementType::kFloat32, "an integer is read from an integer constant");
  return with_element(type_.element, [&](auto zero) { return static_cast<int64_t>(values<decltype(zero)>()[index]); });
}

void Tensor::set(std::size_t index, double value) {
  if (type_.element == ElementType::kFloat32) {
    values<float>()[index] = static_cast<float>(value);
  } else {
    set_integer(index, type_.element == ElementType::kBool ? (value != 0 ? 1 : 0) : static_cast<int64_t>(value));
  }
}

void Tensor::set_integer(std::size_t index, int64_t value) {
  with_element(type_.element, [&](auto zero) {
    using T = decltype(zero);
    values<T>()[index] = static_cast<T>(value);
  });
}

#define FOVEA_INSTANTIATE_VALUES(T)                      \
  template std::span<const T> Tensor::values<T>() const; \
  template std::span<T> Tensor::values<T>();
#define FOVEA_INSTANTIATE(T)                                   \
  template Tensor Tensor::of<T>(Shape, const std::vector<T>&); \
  FOVEA_INSTANTIATE_VALUES(T)
FOVEA_INSTANTIATE(float)
FOVEA_INSTANTIATE(uint8_t)
FOVEA_INSTANTIATE(int8_t)
FOVEA_INSTANTIATE(int32_t)
FOVEA_INSTANTIATE(int64_t)
FOVEA_INSTANTIATE_VALUES(bool)
#undef FOVEA_INSTANTIATE
#undef FOVEA_INSTANTIATE_VALUES

}  // namespace fovea
