// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tokens by their first letter.
#include "text_lexer.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "tensor/error.h"

namespace fovea {
namespace {

bool is_word_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.' || letter == '-' ||
         letter == '+';
}

std::string shown(const Token& token) {
  return token.kind == TokenKind::kEnd ? "the end of the text" : "\"" + token.text + "\"";
}

}  // namespace

TextLexer::TextLexer(std::string_view text, std::string file) : text_(text), file_(std::move(file)) { next_ = scan(); }

Token TextLexer::take() {
  Token token = std::move(next_);
  next_ = scan();
  return token;
}

bool TextLexer::accept(std::string_view text) {
  const bool is_it = (next_.kind == TokenKind::kWord || next_.kind == TokenKind::kSymbol) && next_.text == text;
  if (is_it) {
    take();
  }
  return is_it;
}

void TextLexer::expect(std::string_view text) {
  if (!accept(text)) {
    fail("expected \"" + std::string(text) + "\", not " + shown(next_));
  }
}

Token TextLexer::expect(TokenKind kind, const std::string& what) {
  if (next_.kind != kind) {
    fail("expected " + what + ", not " + shown(next_));
  }
  return take();
}

void TextLexer::fail(const std::string& problem, std::size_t line) const {
  user_error(file_ + ":" + std::to_string(line == 0 ? next_.line : line) + ": " + problem);
}

void TextLexer::skip_blanks() {
  while (place_ < text_.size()) {
    if (text_.substr(place_, 2) == "//") {
      place_ = std::min(text_.find('\n', place_), text_.size());
    } else if (std::isspace(static_cast<unsigned char>(text_[place_])) != 0) {
      line_ += text_[place_++] == '\n' ? 1 : 0;
    } else {
      return;
    }
  }
}

Token TextLexer::scan() {
  skip_blanks();
  if (place_ == text_.size()) {
    return {TokenKind::kEnd, "", line_};
  }
  const char first = text_[place_];
  if (first == '"') {
    return scan_string();
  }
  const bool is_name = first == '%';
  std::size_t end = place_ + (is_name ? 1 : 0);
  while (end < text_.size() && is_word_letter(text_[end])) {
    ++end;
  }
  if (end == place_) {
    if (std::string_view("()[]{},:=*/<").find(first) == std::string_view::npos) {
      fail("\"" + std::string(1, first) + "\" has no meaning here", line_);
    }
    ++end;
    return {TokenKind::kSymbol, std::string(text_.substr(std::exchange(place_, end), 1)), line_};
  }
  Token token{is_name ? TokenKind::kName : TokenKind::kWord, std::string(text_.substr(place_, end - place_)), line_};
  place_ = end;
  return token;
}

Token TextLexer::scan_string() {
  Token token{TokenKind::kString, "", line_};
  for (++place_; place_ < text_.size() && text_[place_] != '"' && text_[place_] != '\n'; ++place_) {
    const bool is_escape = text_[place_] == '\\' && place_ + 1 < text_.size();
    if (is_escape) {
      ++place_;
    }
    token.text += is_escape && text_[place_] == 'n' ? '\n' : text_[place_];
  }
  if (place_ == text_.size() || text_[place_] != '"') {
    fail("the text in quotes does not end in its line", token.line);
  }
  ++place_;
  return token;
}

}  // namespace fovea
