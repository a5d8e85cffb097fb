// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes and reads by the table of fields.
#include "command_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "codegen/c_text.h"
#include "command_fields.h"

namespace fovea {
namespace {

constexpr char kWhatWorks[] = "; \"C=64 H=16 W=16 M=192 R=3 S=3 U=1 PAD=1 pool\" works";

std::string text_name(const dla_field& field) { return field.text != nullptr ? field.text : field.name; }

/// "" where there is nothing to say.
std::string word_of(const dla_field& field, const void* of) {
  if (is_left_out(field, of)) {
    return "";
  }
  const std::uint32_t value = dla_get_field(&field, of);
  if (field.kind == kDlaFieldFlag) {
    return value != 0 ? text_name(field) : field.text_off != nullptr ? field.text_off : "";
  }
  return field.kind == kDlaFieldNumber && !field.is_fixed ? text_name(field) + "=" + std::to_string(value) : "";
}

/// Fields that one letter gives together: those of a shape whose values are the same more often than not.
struct Together {
  std::string letter;
  std::vector<std::string> names;
};

const std::vector<Together> kTogether = {{"U", {"U", "V"}},
                                         {"PAD", {"pad_top", "pad_left", "pad_bottom", "pad_right"}}};

const dla_field& field_named(const dla_field_group& group, const std::string& name) {
  const auto fields = fields_of(group);
  return *std::ranges::find_if(fields, [&](const dla_field& field) { return field.name == name; });
}

/// Whether all of them have the value of `field`.
bool have_one_value(const dla_field_group& group, const Together& together, const dla_field& field, const void* of) {
  return std::ranges::all_of(together.names, [&](const std::string& name) {
    return dla_get_field(&field_named(group, name), of) == dla_get_field(&field, of);
  });
}

/// "" where there is nothing to say, or another field's word says it.
std::string word_of_field(const dla_field_group& group, const dla_field& field, const void* of) {
  for (const Together& together : kTogether) {
    if (std::ranges::count(together.names, field.name) != 0 && have_one_value(group, together, field, of)) {
      const bool is_first = field.name == together.names.front();
      return is_first ? together.letter + "=" + std::to_string(dla_get_field(&field, of)) : "";
    }
  }
  return word_of(field, of);
}

std::string words_of(const dla_field_group& group, const void* of) {
  std::string text;
  for (const dla_field& field : fields_of(group)) {
    const std::string word = word_of_field(group, field, of);
    text += (text.empty() || word.empty() ? "" : " ") + word;
  }
  return text;
}

std::string letter_of(const std::string& word) { return word.substr(0, word.find('=')); }

/// The number behind the letter.
std::optional<std::uint32_t> number_of(const std::string& word) {
  const std::size_t letter_end = word.find('=');
  if (letter_end == std::string::npos) {
    return std::nullopt;
  }
  const char* end = word.data() + word.size();
  std::uint32_t value = 0;
  const auto [stop, error] = std::from_chars(word.data() + letter_end + 1, end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

/// Whether the letter gives fields together. Sets them where `value` is a number.
bool set_together(const std::string& letter, std::optional<std::uint32_t> value, dla_shape& shape) {
  const auto together = std::ranges::find(kTogether, letter, &Together::letter);
  if (together == kTogether.end()) {
    return false;
  }
  for (const std::string& name : together->names) {
    dla_set_field(&field_named(group_of(shape), name), &shape, value.value_or(0));
  }
  return value.has_value();
}

/// Whether the word is about a field. Sets it.
bool set_field(const std::string& word, std::optional<std::uint32_t> value, dla_shape& shape) {
  for (const dla_field& field : fields_of(group_of(shape))) {
    const bool is_flag = field.kind == kDlaFieldFlag;
    if (text_name(field) == (is_flag ? word : letter_of(word)) && (is_flag || value)) {
      dla_set_field(&field, &shape, is_flag ? 1 : *value);
      return true;
    }
  }
  return false;
}

/// The words of a text, each once; those that give several fields before those that give one of them.
std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::set<std::string> letters;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    if (!letters.insert(letter_of(word)).second) {
      throw std::invalid_argument("shape \"" + word + "\": given twice" + kWhatWorks);
    }
    words.push_back(word);
  }
  std::stable_partition(words.begin(), words.end(), [](const std::string& word) {
    return std::ranges::count(kTogether, letter_of(word), &Together::letter) != 0;
  });
  return words;
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
    if (is_left_out(group.fields[i], &value)) {
      continue;
    }
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
  for (const dla_field& field : fields_of(group_of(shape))) {
    dla_set_field(&field, &shape, field.otherwise);
  }
  const std::vector<std::string> words = split_words(text);
  for (const std::string& word : words) {
    const std::optional<std::uint32_t> value = number_of(word);
    if (!set_together(letter_of(word), value, shape) && !set_field(word, value, shape)) {
      throw std::invalid_argument("shape \"" + word + "\": not a letter with a number" + kWhatWorks);
    }
  }
  for (const dla_field& field : fields_of(group_of(shape))) {
    const bool is_given = std::ranges::count(words, text_name(field), letter_of) != 0;
    if (field.kind != kDlaFieldFlag && !field.is_optional && !is_given) {
      throw std::invalid_argument("shape \"" + text + "\": " + field.name + " is missing" + kWhatWorks);
    }
  }
  return shape;
}

std::string c_initializer(const dla_shape& shape) { return initializer_of(shape); }
std::string c_initializer(const dla_mapping& mapping) { return initializer_of(mapping); }
std::string c_initializer(const dla_glb_plan& glb) { return initializer_of(glb); }
std::string c_initializer(const dla_quant& quant) { return initializer_of(quant); }

}  // namespace fovea
