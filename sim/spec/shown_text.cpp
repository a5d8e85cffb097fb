// SPDX-License-Identifier: Apache-2.0
/// \file
/// Walks UTF-8, one character after another.
#include "shown_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>

namespace fovea {
namespace {

struct Range {
  std::uint32_t first, last;
};

/// Controls (C0, DEL, C1), then marks of direction and separators of lines and paragraphs.
constexpr Range kHidden[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                             {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069}};

/// The forms of UTF-8: bits of the first byte, how many bytes, and the least character that needs as many.
struct Form {
  std::uint8_t mask, bits;
  std::size_t size;
  std::uint32_t least;
};

constexpr Form kForms[] = {{0x80, 0x00, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};

/// A character, and how many bytes it has: 0 where they are no UTF-8.
struct Character {
  std::uint32_t code = 0;
  std::size_t size = 0;
};

std::uint8_t byte(char letter) { return static_cast<std::uint8_t>(letter); }

Character first_of(std::string_view text) {
  for (const Form& form : kForms) {
    if ((byte(text[0]) & form.mask) != form.bits) {
      continue;
    }
    std::uint32_t code = byte(text[0]) & static_cast<std::uint8_t>(~form.mask);
    for (std::size_t i = 1; i < form.size; ++i) {
      if (i == text.size() || (byte(text[i]) & 0xc0) != 0x80) {
        return {};
      }
      code = code << 6 | (byte(text[i]) & 0x3fu);
    }
    const bool is_half = code >= 0xd800 && code < 0xe000;  // Of a pair in UTF-16.
    return code < form.least || code > 0x10ffff || is_half ? Character{} : Character{code, form.size};
  }
  return {};
}

bool is_hidden(std::uint32_t code) {
  return std::any_of(std::begin(kHidden), std::end(kHidden),
                     [&](const Range& range) { return code >= range.first && code <= range.last; });
}

std::string escaped(std::uint32_t code) {
  char text[8];
  std::snprintf(text, sizeof text, code < 0x100 ? "\\x%02x" : "\\u%04x", code & 0xffffu);
  return text;
}

}  // namespace

std::string shown_text(std::string_view text) {
  if (std::all_of(text.begin(), text.end(), [](char letter) { return letter >= ' ' && letter <= '~'; })) {
    return std::string(text);  // As nearly all are.
  }
  std::string out;
  while (!text.empty()) {
    const Character character = first_of(text);
    if (character.size == 0) {
      out += escaped(byte(text[0]));
    } else if (is_hidden(character.code)) {
      out += escaped(character.code);
    } else {
      out += text.substr(0, character.size);
    }
    text.remove_prefix(std::max<std::size_t>(character.size, 1));
  }
  return out;
}

}  // namespace fovea
