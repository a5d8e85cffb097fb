// SPDX-License-Identifier: Apache-2.0
/// \file
/// One table of letters for writing and reading.
#include "shape_text.h"

#include <charconv>
#include <set>
#include <sstream>
#include <stdexcept>

namespace fovea {
namespace {

struct Letter {
  const char* name;
  std::uint32_t dla_shape::*member;
  bool is_needed;
};

constexpr Letter kLetters[] = {{"C", &dla_shape::C, true},  {"H", &dla_shape::H, true},     {"W", &dla_shape::W, true},
                               {"M", &dla_shape::M, true},  {"R", &dla_shape::R, true},     {"S", &dla_shape::S, true},
                               {"U", &dla_shape::U, false}, {"PAD", &dla_shape::PAD, false}};
constexpr char kWhatWorks[] = "; \"C=64 H=16 W=16 M=192 R=3 S=3 U=1 PAD=1 pool\" works";

/// Sets the letter that `word` is about. \return its name.
std::string read_word(const std::string& word, dla_shape& shape) {
  if (word == "pool") {
    shape.pool = true;
    return word;
  }
  for (const Letter& letter : kLetters) {
    const std::string start = std::string(letter.name) + "=";
    if (word.compare(0, start.size(), start) == 0) {
      const char* end = word.data() + word.size();
      const auto [stop, error] = std::from_chars(word.data() + start.size(), end, shape.*letter.member);
      if (error == std::errc() && stop == end) {
        return letter.name;
      }
    }
  }
  throw std::invalid_argument("shape \"" + word + "\": not a letter with a number" + kWhatWorks);
}

}  // namespace

std::string to_text(const dla_shape& shape) {
  std::string text;
  for (const Letter& letter : kLetters) {
    text += (text.empty() ? "" : " ") + std::string(letter.name) + "=" + std::to_string(shape.*letter.member);
  }
  return text + (shape.pool ? " pool" : "");
}

dla_shape parse_shape(const std::string& text) {
  dla_shape shape{};
  shape.U = 1;
  std::set<std::string> given;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!given.insert(read_word(word, shape)).second) {
      throw std::invalid_argument("shape \"" + word + "\": given twice" + kWhatWorks);
    }
  }
  for (const Letter& letter : kLetters) {
    if (letter.is_needed && given.count(letter.name) == 0) {
      throw std::invalid_argument("shape \"" + text + "\": " + letter.name + " is missing" + kWhatWorks);
    }
  }
  return shape;
}

}  // namespace fovea
