// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes and reads by the table of fields.
#include "command_text.h"

#include <bit>
#include <charconv>
#include <set>
#include <sstream>
#include <stdexcept>

#include "codegen/c_text.h"
#include "command_fields.h"

namespace fovea {
namespace {

constexpr char kWhatWorks[] = "; \"C=64 H=16 W=16 M=192 R=3 S=3 U=1 PAD=1 pool\" works";

std::string text_name(const dla_field& field) { return field.text != nullptr ? field.text : field.name; }

/// "" where there is nothing to say.
std::string word_of(const dla_field& field, const void* of) {
  const std::uint32_t value = dla_get_field(&field, of);
  if (field.kind == kDlaFieldFlag) {
    return value != 0 ? text_name(field) : field.text_off != nullptr ? field.text_off : "";
  }
  return field.kind == kDlaFieldNumber && !field.is_fixed ? text_name(field) + "=" + std::to_string(value) : "";
}

std::string words_of(const dla_field_group& group, const void* of) {
  std::string text;
  for (const dla_field& field : fields_of(group)) {
    const std::string word = word_of(field, of);
    text += (text.empty() || word.empty() ? "" : " ") + word;
  }
  return text;
}

/// Sets the field if `word` is about it.
bool read_field(const std::string& word, const dla_field& field, void* of) {
  if (field.kind == kDlaFieldFlag) {
    const bool is_set = word == text_name(field);
    if (is_set) {
      dla_set_field(&field, of, 1);
    }
    return is_set;
  }
  const std::string start = text_name(field) + "=";
  const char* end = word.data() + word.size();
  std::uint32_t value = 0;
  if (word.compare(0, start.size(), start) != 0) {
    return false;
  }
  const auto [stop, error] = std::from_chars(word.data() + start.size(), end, value);
  dla_set_field(&field, of, value);
  return error == std::errc() && stop == end;
}

/// Sets the field that `word` is about. \return its name.
std::string read_word(const std::string& word, dla_shape& shape) {
  for (const dla_field& field : fields_of(group_of(shape))) {
    if (read_field(word, field, &shape)) {
      return field.name;
    }
  }
  throw std::invalid_argument("shape \"" + word + "\": not a letter with a number" + kWhatWorks);
}

std::string c_value(const dla_field& field, const void* of) {
  std::ostringstream out;
  if (field.kind == kDlaFieldRegion) {
    const dla_region& region = region_of(field, of);
    out << std::hex << std::showbase << "{" << region.base_bytes << ", " << region.size_bytes << "}";
    return out.str();
  }
  const std::uint32_t value = dla_get_field(&field, of);
  if (field.kind == kDlaFieldChoice) {
    if (value >= field.choice_count) {
      throw std::logic_error(std::string(field.name) + " " + std::to_string(value) + " has no name in C");
    }
    return field.choices[value];
  }
  if (field.is_float) {
    return c_float(std::bit_cast<float>(value));
  }
  return field.kind == kDlaFieldFlag ? (value != 0 ? "true" : "false") : std::to_string(value);
}

template <typename Struct>
std::string initializer_of(const Struct& value) {
  constexpr std::size_t kFieldsALine = 9, kIndent = 6;
  const dla_field_group& group = group_of(value);
  std::string text = std::string(".") + group.name + " = {";
  const std::string new_line = ",\n" + std::string(kIndent + text.size(), ' ');
  for (std::size_t i = 0; i < group.count; ++i) {
    text += i == 0 ? "" : i % kFieldsALine == 0 ? new_line : ", ";
    text += std::string(".") + group.fields[i].name + " = " + c_value(group.fields[i], &value);
  }
  return text + "}";
}

}  // namespace

std::string to_text(const dla_shape& shape) { return words_of(group_of(shape), &shape); }

std::string to_text(const dla_mapping& mapping) { return words_of(group_of(mapping), &mapping); }

dla_shape parse_shape(const std::string& text) {
  dla_shape shape{};
  std::set<std::string> given;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!given.insert(read_word(word, shape)).second) {
      throw std::invalid_argument("shape \"" + word + "\": given twice" + kWhatWorks);
    }
  }
  for (const dla_field& field : fields_of(group_of(shape))) {
    if (field.kind == kDlaFieldFlag || given.count(field.name) != 0) {
      continue;
    }
    if (!field.is_optional) {
      throw std::invalid_argument("shape \"" + text + "\": " + field.name + " is missing" + kWhatWorks);
    }
    dla_set_field(&field, &shape, field.otherwise);
  }
  return shape;
}

std::string c_initializer(const dla_shape& shape) { return initializer_of(shape); }
std::string c_initializer(const dla_mapping& mapping) { return initializer_of(mapping); }
std::string c_initializer(const dla_glb_plan& glb) { return initializer_of(glb); }
std::string c_initializer(const dla_quant& quant) { return initializer_of(quant); }

}  // namespace fovea
