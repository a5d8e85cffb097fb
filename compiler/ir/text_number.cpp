// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints numbers, and checks them against the ranges of element types.
#include "text_number.h"

#include <sstream>
#include <utility>

namespace fovea {

std::string number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

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
  constexpr std::pair<std::string_view, ElementType> kSuffixes[] = {
      {"i64", ElementType::kInt64}, {"i32", ElementType::kInt32}, {"u8", ElementType::kUint8},
      {"i8", ElementType::kInt8},   {"b", ElementType::kBool},    {"f", ElementType::kFloat32}};
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
