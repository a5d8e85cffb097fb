// SPDX-License-Identifier: Apache-2.0
/// \file
/// Cuts the text form of the IR into tokens.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fovea {

enum class TokenKind {
  kName,    ///< %x, with its percent sign.
  kWord,    ///< fn, nn.conv2d, -12, 0.5f, ...
  kString,  ///< "...", without quotes and escapes.
  kSymbol,  ///< One of ( ) [ ] { } , : = * / <
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;
  std::size_t line = 1;
};

/// Hands out the tokens of a text, one after another; blanks and comments (`//` to the end of the line) are skipped.
class TextLexer {
 public:
  /// \param file  Name of the text, for messages.
  TextLexer(std::string_view text, std::string file);

  /// The next token, which stays next.
  const Token& peek() const { return next_; }

  /// The next token, taken. \throws UserError where the one behind it is no token.
  Token take();

  /// Takes the next token where it is the symbol or word `text`.
  bool accept(std::string_view text);

  /// Takes the next token. \throws UserError where it is not the symbol or word `text`.
  void expect(std::string_view text);

  /// Takes the next token. \throws UserError "... expected <what>" where it is of another kind.
  Token expect(TokenKind kind, const std::string& what);

  /// Throws UserError "<file>:<line>: <problem>". `line` 0 is the line of the next token.
  [[noreturn]] void fail(const std::string& problem, std::size_t line = 0) const;

  /// How deep things in a text stand in each other, at most.
  static constexpr int kMostDepth = 256;

  /// What the text says while this lives stands in something else. \throws UserError where it is too deep.
  class Inside {
   public:
    explicit Inside(TextLexer& lexer) : depth_(lexer.depth_) {
      if (++depth_ > kMostDepth) {
        lexer.fail("more than " + std::to_string(kMostDepth) + " things in each other");
      }
    }
    ~Inside() { --depth_; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    int& depth_;
  };

 private:
  void skip_blanks();
  Token scan();
  Token scan_string();

  std::string_view text_;
  std::string file_;
  std::size_t place_ = 0, line_ = 1;
  int depth_ = 0;
  Token next_;
};

}  // namespace fovea
