// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks numbers against the ranges of element types.
#include "text_number.h"

#include <limits>
#include <utility>

namespace fovea {
namespace {

/// Smallest and largest integer of an element type.
std::pair<int64_t, int64_t> range_of(ElementType element) {
  switch (element) {
    case ElementType::kUint8:
      return {0, 255};
    case ElementType::kInt8:
      return {-128, 127};
    case ElementType::kInt32:
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
    default:
      return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  }
}

}  // namespace

bool store_element(Tensor& tensor, std::size_t index, std::string_view text) {
  const ElementType element = tensor.type().element;
  if (element == ElementType::kFloat32) {
    const auto value = parse_number<float>(text);
    tensor.set(index, value.value_or(0));
    return value.has_value();
  }
  const auto value = parse_number<int64_t>(text);
  const auto [least, most] = range_of(element);
  tensor.set_integer(index, value.value_or(0));
  return value && *value >= least && *value <= most;
}

std::optional<Tensor> parse_literal(std::string_view text) {
  constexpr std::pair<std::string_view, ElementType> kSuffixes[] = {{"i64", ElementType::kInt64},
                                                                    {"i32", ElementType::kInt32},
                                                                    {"u8", ElementType::kUint8},
                                                                    {"i8", ElementType::kInt8},
                                                                    {"f", ElementType::kFloat32}};
  for (const auto& [suffix, element] : kSuffixes) {
    if (text.ends_with(suffix)) {
      Tensor tensor({{}, element});
      text.remove_suffix(suffix.size());
      return store_element(tensor, 0, text) ? std::optional<Tensor>(std::move(tensor)) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace fovea
