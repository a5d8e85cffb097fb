// SPDX-License-Identifier: Apache-2.0
/// \file
/// Small pieces of C text: literals, lists, comments, calls.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "spec/dla_arith.h"
#include "tensor/tensor.h"

namespace fovea {

/// Name of the enumerator.
const char* c_rounding(dla_rounding rounding);

const char* c_bool(bool value);

/// "{1, 2, 3}".
template <typename List>
std::string c_list(const List& values) {
  std::ostringstream out;
  for (const auto& value : values) {
    out << (out.tellp() == 0 ? "{" : ", ") << value;
  }
  return out.str() + "}";
}

/// A text as a C string literal, quotes included.
std::string c_string(const std::string& text);

/// A text as it may stand in a C comment.
std::string c_comment(std::string text);

/// "uint8 [3, 32, 32]", without the batch.
std::string describe_tensor(const TensorType& type);

/// A call of the runtime.
struct CallText {
  std::string function, type;       ///< What is called, and the struct of its arguments; "": whole statements.
  std::vector<std::string> fields;  ///< Designated initializers, a line each.
  std::string definition = {};      ///< Functions that it needs, in front of run(); they use spec/dla_real.h.
};

/// Behind code with lines of another file (#line): those of the emitted file go on. emit_c() puts the number in.
inline constexpr const char* kOwnLines = "#line own\n";

/// `  TRY(function(rt, &(const struct type){...}));`
std::string to_text(const CallText& call);

/// A float32 without rounding: "0x1.8p-3f".
std::string c_float(float value);

/// Shape without a batch of 1, which a vector and a number, [1], have not: [C, H, W] or [C]; [N, C, H, W] of a larger
/// one.
std::vector<std::uint32_t> shape_without_batch(const TensorType& type);

/// Of the runtime's tensors: its DLA_MOST_DIMENSIONS.
inline constexpr std::size_t kMostDimensions = 8;

/// Whether the runtime's tensors have such a shape: at most kMostDimensions, or a batch of 1 and as many behind it.
bool is_tensor_shape(const Shape& shape);

}  // namespace fovea
