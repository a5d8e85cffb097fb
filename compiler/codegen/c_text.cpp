// SPDX-License-Identifier: Apache-2.0
/// \file
/// Escapes and layout of emitted C.
#include "c_text.h"

#include <cstdio>

#include "spec/shown_text.h"

namespace fovea {

const char* c_rounding(dla_rounding rounding) { return rounding == kDlaFloor ? "kDlaFloor" : "kDlaNearestEven"; }

const char* c_bool(bool value) { return value ? "true" : "false"; }

std::string to_text(const CallText& call) {
  if (call.type.empty()) {
    return call.function;
  }
  std::string text = "  TRY(" + call.function + "(rt, &(const struct " + call.type + "){\n";
  for (const std::string& field : call.fields) {
    text += "      " + field + ",\n";
  }
  return text + "  }));\n";
}

std::string c_float(float value) {
  char text[32];
  std::snprintf(text, sizeof text, "%af", static_cast<double>(value));
  return text;
}

std::vector<std::uint32_t> shape_without_batch(const TensorType& type) {
  const Shape shape = type.shape.empty() ? Shape{1} : type.shape;
  const bool is_one_picture = shape.size() > 1 && shape[0] == 1;
  return {shape.begin() + (is_one_picture ? 1 : 0), shape.end()};
}

bool is_tensor_shape(const Shape& shape) {
  return shape_without_batch({shape, ElementType::kFloat32}).size() <= kMostDimensions;
}

std::string describe_tensor(const TensorType& type) {
  std::string dims;
  for (const std::uint32_t dim : shape_without_batch(type)) {
    dims += (dims.empty() ? "" : ", ") + std::to_string(dim);
  }
  return std::string(to_text(type.element)) + " [" + dims + "]";
}

std::string c_string(const std::string& text) {
  std::ostringstream out;
  out << '"';
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      out << '\\' << letter;
    } else if (code < 0x20 || code >= 0x7f || letter == '?') {
      out << '\\' << std::oct << (code >> 6) << (code >> 3 & 7) << (code & 7) << std::dec;
    } else {
      out << letter;
    }
  }
  out << '"';
  return out.str();
}

std::string c_comment(std::string text) {
  text = shown_text(text);
  for (const std::string bad : {"*/", "/*"}) {
    for (std::size_t at = text.find(bad); at != std::string::npos; at = text.find(bad, at)) {
      text.insert(at + 1, " ");
    }
  }
  return text;
}

}  // namespace fovea
