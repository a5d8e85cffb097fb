// SPDX-License-Identifier: Apache-2.0
/// \file
/// Numbers in the text form of the IR.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tensor/tensor.h"

namespace fovea {

/// As a message says it: six digits, "0.5", "1e-06".
std::string number(double value);

/// The whole text as a number; nothing where it is none, or none of type T.
template <typename T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = result.ec == std::errc() && result.ptr == text.data() + text.size();
  return is_whole ? std::optional<T>(value) : std::nullopt;
}

/// Stores the number that `text` says; false where it is none, or out of the element type's range.
bool store_element(Tensor& tensor, std::size_t index, std::string_view text);

/// "128u8" as a scalar; nothing where the suffix is no element type's or the number does not fit it.
std::optional<Tensor> parse_literal(std::string_view text);

}  // namespace fovea
