// SPDX-License-Identifier: Apache-2.0
/// \file
/// extern: an ONNX node that a C function of the user's computes; extern_output: one of several packed tensors.
#include "extern.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "operator.h"
#include "ops.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// Of packed outputs, so that any element may be at their beginning.
constexpr int64_t kAlignment = 16;

std::string type_word(const OptionalType& type) {
  if (!type) {
    return "-";
  }
  std::string word(to_text(type->element));
  for (std::size_t i = 0; i < type->shape.size(); ++i) {
    word += (i == 0 ? ":" : ",") + std::to_string(type->shape[i]);
  }
  return word;
}

/// "float32:1,3", or "-" of an output that is left out.
OptionalType parse_type(const Call& call, const std::string& word) {
  if (word == "-") {
    return std::nullopt;
  }
  const std::size_t colon = word.find(':');
  const auto element = parse_element_type(word.substr(0, colon));
  check_call(element.has_value(), call, "output " + word + ": no element type and its sizes, as float32:1,3");
  TensorType type{{}, *element};
  std::istringstream sizes(colon == std::string::npos ? "" : word.substr(colon + 1));
  for (std::string size; std::getline(sizes, size, ',');) {
    const bool is_number = !size.empty() && size.size() < 12 &&
                           std::ranges::all_of(size, [](unsigned char c) { return std::isdigit(c) != 0; });
    type.shape.push_back(is_number ? std::stoll(size) : 0);
    check_call(type.shape.back() > 0, call, "output " + word + ": a size is no number above 0");
  }
  check_shape(type.shape, call_name(call));
  return type;
}

bool are_attributes(const std::string& text) {
  const auto object = nlohmann::json::parse(text, nullptr, false);
  return object.is_object() && std::ranges::all_of(object, [](const nlohmann::json& value) {
           const auto list = value.is_array() ? value : nlohmann::json::array({value});
           return std::ranges::all_of(list, [](const auto& each) { return each.is_number(); }) ||
                  std::ranges::all_of(list, [](const auto& each) { return each.is_string(); });
         });
}

}  // namespace

bool is_c_identifier(const std::string& name) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::ranges::all_of(name, is_letter);
}

std::string extern_symbol(const std::string& op) {
  std::string symbol = "extern_" + op;
  std::ranges::replace_if(
      symbol, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return symbol;
}

std::vector<ExternOutput> extern_outputs(const Call& call) {
  std::vector<OptionalType> types;
  std::istringstream words(text_attribute(call, "outputs", ""));
  for (std::string word; words >> word;) {
    types.push_back(parse_type(call, word));
  }
  return packed(types);
}

std::vector<ExternOutput> packed(const std::vector<OptionalType>& types) {
  std::vector<ExternOutput> outputs;
  int64_t offset = 0;
  for (const OptionalType& type : types) {
    outputs.push_back({type, offset});
    const auto bytes = type ? static_cast<int64_t>(size_bytes(*type)) : 0;
    offset += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  return outputs;
}

TensorType type_of_packed(const std::vector<ExternOutput>& outputs) {
  const auto is_given = [](const ExternOutput& output) { return output.type.has_value(); };
  if (std::ranges::count_if(outputs, is_given) == 1) {
    return *std::ranges::find_if(outputs, is_given)->type;
  }
  const ExternOutput& last = *std::find_if(outputs.rbegin(), outputs.rend(), is_given);
  return {{last.offset + static_cast<int64_t>(size_bytes(*last.type))}, ElementType::kUint8};
}

Attributes extern_attributes(const std::string& op, const std::vector<int64_t>& inputs,
                             const std::vector<OptionalType>& outputs, std::string attributes) {
  std::string words;
  for (const OptionalType& output : outputs) {
    words += (words.empty() ? "" : " ") + type_word(output);
  }
  return {{"op", op}, {"inputs", inputs}, {"outputs", words}, {"attributes", std::move(attributes)}};
}

Attributes extern_output_attributes(const ExternOutput& output) {
  return {{"type", type_word(output.type)}, {"offset", output.offset}};
}

TensorType extern_type(const Call& call, const std::vector<TensorType>& inputs) {
  const std::string op = text_attribute(call, "op", "");
  check_call(is_c_identifier(op.substr(op.rfind('.') + 1)), call, "\"" + op + "\" is no operator's name");
  const std::vector<int64_t> given = ints_attribute(call, "inputs", {});
  const bool is_counted = std::ranges::all_of(given, [](int64_t is) { return is == 0 || is == 1; }) &&
                          std::ranges::count(given, 1) <= static_cast<std::ptrdiff_t>(inputs.size());
  check_call(is_counted, call, "inputs has a 1 for each that is given, and a 0 for one left out");
  check_call(are_attributes(text_attribute(call, "attributes", "")), call,
             "attributes is no JSON object of numbers, texts and lists of these");
  const std::vector<ExternOutput> outputs = extern_outputs(call);
  check_call(std::ranges::any_of(outputs, [](const ExternOutput& output) { return output.type.has_value(); }), call,
             "it has no output");
  return type_of_packed(outputs);
}

Tensor evaluate_extern(const Call& call, const std::vector<const Tensor*>&) {
  user_error(call_name(call) + ": " + text_attribute(call, "op", "") +
             " is a C function, which only a compiled network calls");
}

TensorType extern_output_type(const Call& call, const std::vector<TensorType>& inputs) {
  const OptionalType type = parse_type(call, text_attribute(call, "type", ""));
  const int64_t offset = int_attribute(call, "offset", 0);
  check_call(type && inputs[0].element == ElementType::kUint8 && offset >= 0 && offset % kAlignment == 0 &&
                 offset + static_cast<int64_t>(size_bytes(*type)) <= count_elements(inputs[0].shape),
             call, "it is outside of what its operator makes");
  return *type;
}

Tensor evaluate_extern_output(const Call& call, const std::vector<const Tensor*>& inputs) {
  Tensor output(extern_output_type(call, {inputs[0]->type()}));
  const auto bytes = inputs[0]->bytes().subspan(static_cast<std::size_t>(int_attribute(call, "offset", 0)));
  std::ranges::copy(bytes.first(output.bytes().size()), output.bytes().begin());
  return output;
}

}  // namespace fovea
