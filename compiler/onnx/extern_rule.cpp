// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads the rules of a C file's outputs, and computes their sizes.
#include <algorithm>
#include <cctype>
#include <optional>
#include <sstream>

#include "extern.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// One rule: `float32 [x0[0], k]`.
class Rule {
 public:
  Rule(const std::string& text, const ExternNode& node, std::string place)
      : text_(text), node_(node), place_(std::move(place)) {}

  TensorType read() {
    const std::string word = read_word();
    const OptionalType* like = find_input(word, 'x');
    const auto element = like == nullptr ? parse_element_type(word) : std::optional((*like)->element);
    check(element.has_value(),
          "\"" + word + "\" is no element type; float32, uint8, int8, int32, int64, bool and x0 work");
    TensorType type{{}, *element};
    if (accept('[')) {
      while (!accept(']')) {
        type.shape.push_back(read_sum());
        check(type.shape.back() > 0, "a size is " + std::to_string(type.shape.back()) + "; 1 or more work");
        check(next() == ',' || next() == ']', "a comma or ] is missing");
        accept(',');
      }
    } else {
      type.shape = (like != nullptr ? *like : require_input(0, "x0"))->shape;
    }
    check(next() == '\0', "\"" + text_.substr(at_) + "\" follows");
    check_shape(type.shape, place_);
    return type;
  }

 private:
  void check(bool condition, const std::string& problem) const {
    if (!condition) {
      user_error(node_.name + ": " + problem + " (" + place_ + ")");
    }
  }

  char next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
      ++at_;
    }
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char letter) {
    const bool is_there = next() == letter;
    at_ += is_there ? 1 : 0;
    return is_there;
  }

  std::string read_word() {
    std::string word;
    for (next(); at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_');
         ++at_) {
      word += text_[at_];
    }
    return word;
  }

  const OptionalType& require_input(std::size_t i, const std::string& word) const {
    check(i < node_.inputs.size() && node_.inputs[i], word + ": the node has no such input");
    return node_.inputs[i];
  }

  /// The input that a word such as x1 is of; nothing for another word.
  std::optional<std::size_t> input_of(const std::string& word, char letter) const {
    const bool is_one = word.size() > 1 && word.size() < 4 && word[0] == letter &&
                        std::all_of(word.begin() + 1, word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    return is_one ? std::optional(static_cast<std::size_t>(std::stoi(word.substr(1)))) : std::nullopt;
  }

  const OptionalType* find_input(const std::string& word, char letter) const {
    const auto input = input_of(word, letter);
    return input ? &require_input(*input, word) : nullptr;
  }

  int64_t read_sum() {
    const Deeper deeper(*this);
    int64_t value = read_product();
    for (char op = next(); op == '+' || op == '-'; op = next()) {
      ++at_;
      const int64_t other = read_product();
      value = within(
          op == '+' ? __builtin_add_overflow(value, other, &value) : __builtin_sub_overflow(value, other, &value),
          value);
    }
    return value;
  }

  int64_t read_product() {
    int64_t value = read_factor();
    for (char op = next(); op == '*' || op == '/' || op == '%'; op = next()) {
      ++at_;
      const int64_t other = read_factor();
      if (op == '*') {
        value = within(__builtin_mul_overflow(value, other, &value), value);
        continue;
      }
      check(other > 0, "it divides by " + std::to_string(other));
      value = op == '/' ? value / other : value % other;
    }
    return value;
  }

  int64_t within(bool is_outside, const int64_t& value) const {
    check(!is_outside, "a size is beyond 64 bits");
    return value;
  }

  int64_t read_factor() {
    const Deeper deeper(*this);
    if (accept('(')) {
      const int64_t value = read_sum();
      check(accept(')'), "a ) is missing");
      return value;
    }
    if (accept('-')) {
      return -read_factor();
    }
    const std::string word = read_word();
    check(!word.empty(), "a number or a name is missing");
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) {
      return read_number(word);
    }
    std::optional<int64_t> place;
    if (accept('[')) {
      place = read_sum();
      check(accept(']'), "a ] is missing");
    }
    return read_name(word, place);
  }

  int64_t read_number(const std::string& word) const {
    check(word.size() < 16 && std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; }),
          "\"" + word + "\" is no number");
    return std::stoll(word);
  }

  int64_t read_name(const std::string& word, const std::optional<int64_t>& place) const {
    if (const OptionalType* input = find_input(word, 'x')) {
      check(place.has_value(), word + ": which size of it? " + word + "[0] is its first");
      const auto rank = static_cast<int64_t>((*input)->shape.size());
      check(*place >= -rank && *place < rank, word + " has " + std::to_string(rank) + " sizes");
      return (*input)->shape[static_cast<std::size_t>(*place < 0 ? *place + rank : *place)];
    }
    if (const auto input = input_of(word, 'v')) {
      require_input(*input, word);
      const std::optional<Tensor> value = node_.constant(*input);
      check(value.has_value(), word + ": the input is no constant");
      const int64_t at = place.value_or(0);
      check(at >= 0 && at < count_elements(value->type().shape), word + " has no such element");
      return static_cast<int64_t>(value->at(static_cast<std::size_t>(at)));
    }
    const auto found = node_.attributes.find(word);
    check(found != node_.attributes.end(), "there is no input and no attribute " + word);
    const nlohmann::ordered_json& all = *found;
    const int64_t at = place.value_or(0);
    check(!all.is_array() || (at >= 0 && at < static_cast<int64_t>(all.size())), word + " has no such element");
    const nlohmann::ordered_json& one = all.is_array() ? all[static_cast<std::size_t>(at)] : all;
    check(one.is_number_integer(), word + " is no integer");
    return one.get<int64_t>();
  }

  /// Parentheses in each other, no more than a line of a person's has.
  struct Deeper {
    explicit Deeper(Rule& of) : rule(of) { of.check(++of.depth_ < 64, "too many parentheses"); }
    ~Deeper() { --rule.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    Rule& rule;
  };

  const std::string& text_;
  const ExternNode& node_;
  std::string place_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

/// The rule in a line that is a comment with one for the function; nothing in others.
std::optional<std::string> rule_in(const std::string& line, const std::string& function) {
  const std::size_t begin = line.find_first_not_of(" \t");
  const bool is_comment = begin != std::string::npos && (line.compare(begin, 2, "//") == 0 ||
                                                         line.compare(begin, 2, "/*") == 0 || line[begin] == '*');
  const std::size_t mark = is_comment ? line.find_first_not_of("/*! \t", begin) : std::string::npos;
  if (mark == std::string::npos) {
    return std::nullopt;
  }
  std::size_t end = std::string::npos;
  for (const std::string& start : {std::string("output:"), "output of " + function + ":"}) {
    end = line.compare(mark, start.size(), start) == 0 ? mark + start.size() : end;
  }
  if (end == std::string::npos) {
    return std::nullopt;
  }
  std::string rule = line.substr(end, line.find("*/", end) - end);
  rule.erase(rule.find_last_not_of(" \t\r") + 1);
  return rule;
}

}  // namespace

std::optional<std::vector<TensorType>> types_by_rule(const Extern& binding, const ExternNode& node) {
  std::vector<TensorType> types;
  std::istringstream lines(binding.source);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto rule = types.size() < node.outputs ? rule_in(line, binding.function()) : std::nullopt;
    if (rule) {
      types.push_back(Rule(*rule, node, binding.file.string() + ":" + std::to_string(number)).read());
    }
  }
  return types.empty() ? std::nullopt : std::optional(types);
}

}  // namespace fovea
