// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prints and parses nests.
#include "nest_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "ir/text_lexer.h"
#include "ir/text_number.h"

namespace fovea {
namespace {

bool stands_between(ScalarFunction function) {
  switch (function) {
    case ScalarFunction::kAdd:
    case ScalarFunction::kSubtract:
    case ScalarFunction::kMultiply:
    case ScalarFunction::kDivide:
    case ScalarFunction::kRemainder:
    case ScalarFunction::kLess:
    case ScalarFunction::kLessEqual:
    case ScalarFunction::kEqual:
    case ScalarFunction::kAnd:
    case ScalarFunction::kOr:
      return true;
    default:
      return false;
  }
}

std::string real_text(double number, bool is_float32) {
  if (!std::isfinite(number)) {
    const std::string name = std::isnan(number) ? "nan" : number < 0 ? "-inf" : "inf";
    return is_float32 ? "f32(" + name + ")" : name;
  }
  std::array<char, 32> text{};
  const auto end = is_float32 ? std::to_chars(text.begin(), text.end(), static_cast<float>(number))
                              : std::to_chars(text.begin(), text.end(), number);
  std::string shortest(text.begin(), end.ptr);
  if (shortest.find_first_of(".e") == std::string::npos) {
    shortest += ".0";
  }
  return shortest + (is_float32 ? "f" : "");
}

class NestPrinter {
 public:
  explicit NestPrinter(const Nest& nest) : nest_(nest) {}

  std::string run() {
    // A buffer a line where they are many.
    const std::string_view between = nest_.buffers.size() > kMostInALine ? ",\n    " : ", ";
    out_ << "nest " << nest_.name << "(";
    for (std::size_t i = 0; i < nest_.buffers.size(); ++i) {
      const NestBuffer& buffer = nest_.buffers[i];
      out_ << (i == 0 ? "" : between) << buffer.name << ": " << to_text(buffer.scope) << " " << to_text(buffer.type);
      if (!is_scalar(buffer)) {
        out_ << "[";
        for (std::size_t axis = 0; axis < buffer.shape.size(); ++axis) {
          out_ << (axis == 0 ? "" : ", ") << buffer.shape[axis];
        }
        out_ << "]";
      }
    }
    out_ << ") {\n";
    statements(nest_.body, 2);
    out_ << "}\n";
    return out_.str();
  }

 private:
  static constexpr std::size_t kMostInALine = 12;

  /// Whether it has no indices, as most registers.
  static bool is_scalar(const NestBuffer& buffer) {
    return buffer.scope == MemoryScope::kRegister && buffer.shape.empty();
  }

  void statements(const std::vector<Statement>& all, std::size_t indent) {
    const std::string blanks(indent, ' ');
    for (const Statement& each : all) {
      if (each.kind == StatementKind::kStore) {
        out_ << blanks << place(each.buffer, each.indices) << " = " << text(each.value) << "\n";
        continue;
      }
      if (each.kind == StatementKind::kLoop) {
        names_[each.axis.id] = each.name;
      }
      out_ << blanks << head(each) << " {\n";
      statements(each.body, indent + 2);
      out_ << blanks << "}\n";
    }
  }

  /// What stands before a body.
  std::string head(const Statement& statement) const {
    if (statement.kind != StatementKind::kLoop) {
      return statement.kind == StatementKind::kIf ? "if " + text(statement.value) : "unit " + statement.name;
    }
    return "for " + statement.name + " in " + std::to_string(statement.axis.size) +
           (statement.step == 1 ? "" : " by " + std::to_string(statement.step)) +
           (statement.loop == LoopKind::kSerial ? "" : " " + std::string(to_text(statement.loop)));
  }

  std::string place(int buffer, const std::vector<Expression>& indices) const {
    const NestBuffer& of = nest_.buffers[static_cast<std::size_t>(buffer)];
    return is_scalar(of) ? of.name : of.name + "[" + list(indices) + "]";
  }

  std::string list(const std::vector<Expression>& all) const {
    std::string joined;
    for (const Expression& each : all) {
      joined += (joined.empty() ? "" : ", ") + text(each);
    }
    return joined;
  }

  std::string text(const Expression& x) const {
    switch (x->kind) {
      case ExpressionKind::kNumber:
        return x->type == ScalarType::kBool    ? (x->integer != 0 ? "true" : "false")
               : x->type == ScalarType::kInt64 ? "i64(" + std::to_string(x->integer) + ")"
               : x->type == ScalarType::kIndex ? std::to_string(x->integer)
                                               : real_text(x->real, x->type == ScalarType::kFloat32);
      case ExpressionKind::kVariable: {
        const auto found = names_.find(x->id);
        return found == names_.end() ? "?" + std::to_string(x->id) : found->second;
      }
      case ExpressionKind::kElement: {
        const std::string at = place(x->id, x->arguments);
        return x->outside ? "(" + at + " else " + text(x->outside) + ")" : at;
      }
      default:
        break;
    }
    const std::string function(to_text(x->function));
    return stands_between(x->function)
               ? "(" + text(x->arguments[0]) + " " + function + " " + text(x->arguments[1]) + ")"
               : function + "(" + list(x->arguments) + ")";
  }

  const Nest& nest_;
  std::ostringstream out_;
  std::map<int, std::string> names_;
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : lexer_(text, file) {}

  Nest run() {
    lexer_.expect("nest");
    nest_.name = word("the nest's name");
    lexer_.expect("(");
    while (!lexer_.accept(")")) {
      buffer();
      lexer_.accept(",");
    }
    nest_.body = block();
    if (lexer_.peek().kind != TokenKind::kEnd) {
      lexer_.fail("expected the end of the text behind the nest");
    }
    return std::move(nest_);
  }

 private:
  std::string word(const std::string& what) { return lexer_.expect(TokenKind::kWord, what).text; }

  int64_t size(const std::string& what) {
    const std::string text = word(what);
    const auto number = parse_number<int64_t>(text);
    if (!number || *number < 0) {
      lexer_.fail("expected " + what + ", a number of 0 or more, not \"" + text + "\"");
    }
    return *number;
  }

  /// The one of `count` values of an enumeration that is called so.
  template <typename Enum>
  Enum named(const std::string& text, int count, const std::string& what) {
    for (int i = 0; i < count; ++i) {
      if (to_text(static_cast<Enum>(i)) == text) {
        return static_cast<Enum>(i);
      }
    }
    lexer_.fail("there is no " + what + " " + text);
  }

  void buffer() {
    NestBuffer buffer;
    buffer.name = word("a buffer's name");
    lexer_.expect(":");
    buffer.scope = named<MemoryScope>(word("a memory scope"), 5, "memory scope");
    buffer.type = named<StoredType>(word("an element type"), 7, "element type");
    if (buffer.scope != MemoryScope::kRegister || lexer_.peek().text == "[") {
      lexer_.expect("[");
      while (!lexer_.accept("]")) {
        buffer.shape.push_back(size("a size"));
        lexer_.accept(",");
      }
    }
    buffers_[buffer.name] = static_cast<int>(nest_.buffers.size());
    nest_.buffers.push_back(std::move(buffer));
  }

  std::vector<Statement> block() {
    const TextLexer::Inside inside(lexer_);
    std::vector<Statement> statements;
    lexer_.expect("{");
    while (!lexer_.accept("}")) {
      statements.push_back(lexer_.accept("for")    ? loop()
                           : lexer_.accept("if")   ? where()
                           : lexer_.accept("unit") ? unit()
                                                   : store());
    }
    return statements;
  }

  Statement where() {
    const Expression condition = expression();
    if (condition->type != ScalarType::kBool) {
      lexer_.fail("what stands behind \"if\" is no condition", line_);
    }
    return make_if(condition, block());
  }

  Statement unit() {
    Statement unit;
    unit.kind = StatementKind::kUnit;
    unit.name = word("a unit's name");
    unit.body = block();
    return unit;
  }

  Statement loop() {
    const std::string name = word("a variable");
    lexer_.expect("in");
    const Axis axis{next_id_++, size("how often a loop runs")};
    const int64_t step = lexer_.accept("by") ? size("by how much a loop goes on") : 1;
    const LoopKind kind = lexer_.peek().kind == TokenKind::kWord
                              ? named<LoopKind>(lexer_.take().text, 4, "kind of loop")
                              : LoopKind::kSerial;
    const auto outer = variables_;  // One of this name is hidden in the body.
    variables_[name] = axis.id;
    std::vector<Statement> body = block();
    variables_ = outer;
    Statement loop = make_loop(name, axis, std::move(body), kind);
    loop.step = step;
    return loop;
  }

  Statement store() {
    const std::string name = word("a statement");
    const int id = buffer_of(name);
    std::vector<Expression> indices;
    if (lexer_.accept("[")) {
      indices = list("]");
    }
    lexer_.expect("=");
    return make_store(id, std::move(indices), expression());
  }

  int buffer_of(const std::string& name) {
    const auto found = buffers_.find(name);
    if (found == buffers_.end()) {
      lexer_.fail("nothing is called " + name + " here");
    }
    return found->second;
  }

  std::vector<Expression> list(std::string_view end) {
    std::vector<Expression> all;
    while (!lexer_.accept(end)) {
      all.push_back(expression());
      lexer_.accept(",");
    }
    return all;
  }

  Expression expression() {
    const TextLexer::Inside inside(lexer_);
    line_ = lexer_.peek().line;
    if (lexer_.accept("(")) {
      Expression left = expression();
      if (lexer_.accept("else")) {
        left = guarded(left);
      } else {
        const ScalarFunction function = between();
        left = applied(function, {left, expression()});
      }
      lexer_.expect(")");
      return left;
    }
    const std::string name = word("an expression");
    if (const auto number = parse_literal_number(name)) {
      return *number;
    }
    if (lexer_.accept("(")) {
      return call(name);
    }
    if (const auto found = variables_.find(name); found != variables_.end()) {
      return variable(found->second);
    }
    const int id = buffer_of(name);
    std::vector<Expression> indices;
    if (lexer_.accept("[")) {
      indices = list("]");
    }
    for (const Expression& each : indices) {
      if (each->type != ScalarType::kIndex) {
        lexer_.fail("an index of " + name + " is none", line_);
      }
    }
    return element(id, std::move(indices), value_type(nest_.buffers[static_cast<std::size_t>(id)].type));
  }

  Expression guarded(const Expression& x) {
    const Expression outside = expression();
    if (x->kind != ExpressionKind::kElement || outside->type != x->type) {
      lexer_.fail("else stands between an element and a value of its type", line_);
    }
    return element(x->id, x->arguments, x->type, outside);
  }

  static std::optional<Expression> parse_literal_number(const std::string& text) {
    const bool is_float32 = text.ends_with("f") && text != "inf" && text != "-inf";
    if (text == "true" || text == "false") {
      return integer_number(text == "true" ? 1 : 0, ScalarType::kBool);
    }
    if (const auto whole = parse_number<int64_t>(text)) {
      return integer_number(*whole, ScalarType::kIndex);
    }
    const auto real = parse_number<double>(is_float32 ? text.substr(0, text.size() - 1) : text);
    return real ? std::optional(number_of(*real, is_float32 ? ScalarType::kFloat32 : ScalarType::kFloat64))
                : std::nullopt;
  }

  ScalarFunction between() {
    const Token token = lexer_.take();
    const std::string_view text = token.text;
    if (text == "<") {
      return lexer_.accept("=") ? ScalarFunction::kLessEqual : ScalarFunction::kLess;
    }
    if (text == "=") {
      lexer_.expect("=");
      return ScalarFunction::kEqual;
    }
    for (const ScalarFunction each :
         {ScalarFunction::kAdd, ScalarFunction::kSubtract, ScalarFunction::kMultiply, ScalarFunction::kDivide,
          ScalarFunction::kRemainder, ScalarFunction::kAnd, ScalarFunction::kOr}) {
      if (to_text(each) == text) {
        return each;
      }
    }
    lexer_.fail("expected an operation, not \"" + token.text + "\"");
  }

  Expression call(const std::string& name) {
    const std::vector<Expression> arguments = list(")");
    const auto function = parse_function(name);
    if (!function) {
      lexer_.fail("there is no function " + name, line_);
    }
    return applied(*function, arguments);
  }

  Expression applied(ScalarFunction function, const std::vector<Expression>& arguments) {
    const bool takes_two = stands_between(function) || function == ScalarFunction::kMinimum ||
                           function == ScalarFunction::kMaximum || function == ScalarFunction::kPower;
    const std::size_t count = function == ScalarFunction::kSelect ? 3 : takes_two ? 2 : 1;
    if (arguments.size() != count) {
      lexer_.fail(std::string(to_text(function)) + " takes " + std::to_string(count) + " values, not " +
                      std::to_string(arguments.size()),
                  line_);
    }
    switch (function) {
      case ScalarFunction::kFloat32:
        return converted(arguments[0], ScalarType::kFloat32);
      case ScalarFunction::kFloat64:
        return converted(arguments[0], ScalarType::kFloat64);
      case ScalarFunction::kInt64:
        return arguments[0]->kind == ExpressionKind::kNumber && arguments[0]->type == ScalarType::kIndex
                   ? integer_number(arguments[0]->integer)
                   : converted(arguments[0], ScalarType::kInt64);
      case ScalarFunction::kIndex:
        return converted(arguments[0], ScalarType::kIndex);
      default:
        break;
    }
    const std::size_t first = count == 3 ? 1 : 0;
    const bool is_logical =
        function == ScalarFunction::kAnd || function == ScalarFunction::kOr || function == ScalarFunction::kNot;
    const auto is_real = [](const Expression& x) {
      return x->type == ScalarType::kFloat32 || x->type == ScalarType::kFloat64;
    };
    const bool fits = std::all_of(arguments.begin() + static_cast<std::ptrdiff_t>(first), arguments.end(),
                                  [&](const Expression& x) { return x->type == arguments.back()->type; }) &&
                      (!(is_logical || count == 3) || arguments[0]->type == ScalarType::kBool) &&
                      (!(is_real_function(function) || function == ScalarFunction::kPower) || is_real(arguments[0]));
    if (!fits) {
      lexer_.fail(std::string(to_text(function)) + " does not take values of these types", line_);
    }
    return apply(function, arguments);
  }

  TextLexer lexer_;
  Nest nest_;
  std::map<std::string, int> buffers_, variables_;
  int next_id_ = 0;
  std::size_t line_ = 1;  ///< Of the expression that was begun last.
};

}  // namespace

std::string to_text(const Nest& nest) { return NestPrinter(nest).run(); }

Nest parse_nest(std::string_view text, const std::string& file) { return Parser(text, file).run(); }

}  // namespace fovea
