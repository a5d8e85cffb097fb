// SPDX-License-Identifier: Apache-2.0
/// \file
/// Parses the text form of the IR by recursive descent: graph, value, operand, type.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ops/operator.h"
#include "tensor/error.h"
#include "text.h"
#include "text_lexer.h"
#include "text_number.h"
#include "verify.h"

namespace fovea {
namespace {

/// What constants may take whose elements one number says: a short text must not fill the memory.
constexpr std::size_t kMostRepeatedBytes = std::size_t{16} << 20;

/// Values in reach, by name.
using Scope = std::map<std::string, NodeId>;

/// What may stand behind a value: its type, its origin.
struct Ending {
  std::optional<TensorType> type;
  std::string origin;
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& file, std::filesystem::path folder,
         const std::vector<OwnOperator>& operators)
      : lexer_(text, file), folder_(std::move(folder)), operators_(operators) {}

  Graph parse() {
    GraphBuilder builder;
    Scope scope;
    lexer_.expect("fn");
    lexer_.expect("(");
    while (!lexer_.accept(")")) {
      parse_parameter(builder, scope);
      if (lexer_.peek().text != ")") {
        lexer_.expect(",");
      }
    }
    Graph graph = parse_body(builder, scope);
    if (lexer_.peek().kind != TokenKind::kEnd) {
      lexer_.fail("the graph has ended; expected the end of the text, not \"" + lexer_.peek().text + "\"");
    }
    return graph;
  }

 private:
  void parse_parameter(GraphBuilder& builder, Scope& scope) {
    const Token name = lexer_.expect(TokenKind::kName, "the name of an input");
    lexer_.expect(":");
    TensorType type = parse_type();
    define(scope, name, builder.input(parse_origin(), std::move(type)));
  }

  Graph parse_body(GraphBuilder& builder, Scope& scope) {
    const TextLexer::Inside inside(lexer_);
    lexer_.expect("{");
    while (!lexer_.accept("return")) {
      const Token name = lexer_.expect(TokenKind::kName, "a value or \"return\"");
      lexer_.expect("=");
      define(scope, name, parse_value(builder, scope, name));
    }
    std::vector<NodeId> outputs;
    std::vector<std::string> names;
    do {
      outputs.push_back(parse_operand(builder, scope));
      names.push_back(lexer_.peek().kind == TokenKind::kString ? lexer_.take().text : "");
    } while (lexer_.accept(","));
    lexer_.expect("}");
    return builder.finish(std::move(outputs), std::move(names));
  }

  void define(Scope& scope, const Token& name, NodeId id) {
    if (!scope.emplace(name.text, id).second) {
      lexer_.fail(name.text + " is already a value", name.line);
    }
  }

  NodeId parse_value(GraphBuilder& builder, const Scope& scope, const Token& name) {
    if (lexer_.accept("constant")) {
      return parse_constant(builder);
    }
    if (lexer_.accept("composite")) {
      return parse_function(builder, scope, name, false);
    }
    if (lexer_.accept("region")) {
      return parse_function(builder, scope, name, true);
    }
    return parse_call(builder, scope, name);
  }

  NodeId parse_constant(GraphBuilder& builder) {
    const std::size_t line = lexer_.peek().line;
    if (lexer_.accept("in")) {
      return parse_long_constant(builder, line);
    }
    const bool is_list = lexer_.accept("[");
    std::vector<std::string> elements;
    while (!is_list || !lexer_.accept("]")) {
      elements.push_back(lexer_.expect(TokenKind::kWord, "a number").text);
      if (!is_list) {
        break;
      }
      if (lexer_.peek().text != "]") {
        lexer_.expect(",");
      }
    }
    const Ending ending = parse_constant_ending(line);
    return builder.constant(make_tensor(*ending.type, elements, is_list, line), ending.origin);
  }

  Ending parse_constant_ending(std::size_t line) {
    Ending ending = parse_ending();
    if (!ending.type) {
      lexer_.fail("a constant needs its type, such as \": Tensor[(2,), int8]\"", line);
    }
    return ending;
  }

  NodeId parse_long_constant(GraphBuilder& builder, std::size_t line) {
    const std::string name = lexer_.expect(TokenKind::kString, "the name of a file, in quotes").text;
    lexer_.expect("at");
    const int64_t place = parse_integer();
    lexer_.expect("crc32");
    const int64_t expected = parse_integer();
    const Ending ending = parse_constant_ending(line);
    try {
      return builder.constant(read_constant(folder_, {name, place, *ending.type, expected}), ending.origin);
    } catch (const UserError& error) {
      lexer_.fail(error.what(), line);
    }
  }

  Tensor make_tensor(const TensorType& type, const std::vector<std::string>& elements, bool is_list, std::size_t line) {
    const auto count = static_cast<std::size_t>(count_elements(type.shape));
    if (elements == std::vector<std::string>{"..."}) {
      lexer_.fail(
          "the elements of this constant were left out when the text was printed; foveac prints them with "
          "--all-elements, and ir_before.txt and ir_after.txt have them in a file beside them",
          line);
    }
    if (is_list && elements.size() != count) {
      lexer_.fail(std::to_string(elements.size()) + " elements for a " + to_text(type), line);
    }
    repeated_bytes_ += is_list ? 0 : std::min(count, kMostRepeatedBytes + 1) * size_bytes(type.element);
    if (repeated_bytes_ > kMostRepeatedBytes) {
      lexer_.fail("constants that are one number each take more than " + std::to_string(kMostRepeatedBytes) +
                      " bytes; a file beside the text works",
                  line);
    }
    Tensor tensor(type);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string& text = is_list ? elements[i] : elements[0];
      if (!store_element(tensor, i, text)) {
        lexer_.fail(text + " is no " + std::string(to_text(type.element)), line);
      }
    }
    return tensor;
  }

  NodeId parse_call(GraphBuilder& builder, const Scope& scope, const Token& name) {
    const Token op_name = lexer_.expect(TokenKind::kWord, "an operator");
    Call call = find_call(op_name.text, operators_);
    if (call.op == nullptr) {
      lexer_.fail("there is no operator " + op_name.text, op_name.line);
    }
    lexer_.expect("(");
    std::vector<NodeId> inputs;
    while (!lexer_.accept(")")) {
      const AttributeSpec* attribute = find_attribute(*call.op, lexer_.peek());
      if (attribute == nullptr) {
        inputs.push_back(parse_operand(builder, scope));
      } else {
        lexer_.take();
        lexer_.expect("=");
        call.attributes[attribute->name] = parse_attribute(attribute->kind);
      }
      if (lexer_.peek().text != ")") {
        lexer_.expect(",");
      }
    }
    check_nesting(nullptr, name.line);
    const Ending ending = parse_ending();
    call.origin = ending.origin;
    const NodeId id = add_call(builder, call, std::move(inputs), name.line);
    check_type(builder[id].type, ending, name);
    return id;
  }

  static const AttributeSpec* find_attribute(const Operator& op, const Token& token) {
    for (const AttributeSpec& spec : op.attributes) {
      if (token.kind == TokenKind::kWord && token.text == spec.name) {
        return &spec;
      }
    }
    return nullptr;
  }

  /// Adds a call; where it does not fit, says in which line it stands.
  NodeId add_call(GraphBuilder& builder, const Call& call, std::vector<NodeId> inputs, std::size_t line) {
    try {
      return builder.call(call, std::move(inputs));
    } catch (const UserError& error) {
      lexer_.fail(error.what(), line);
    }
  }

  NodeId parse_function(GraphBuilder& builder, const Scope& scope, const Token& name, bool is_region) {
    Function function;
    function.is_region = is_region;
    function.name = lexer_.expect(TokenKind::kWord, "the name of a function").text;
    lexer_.expect("(");
    std::vector<NodeId> inputs;
    GraphBuilder inner;
    Scope inner_scope;
    while (!lexer_.accept(")")) {
      const Token input = lexer_.expect(TokenKind::kName, "a value");
      inputs.push_back(look_up(scope, input));
      const Node& argument = builder[inputs.back()];
      define(inner_scope, input, inner.input(argument.origin, argument.type));
      if (lexer_.peek().text != ")") {
        lexer_.expect(",");
      }
    }
    parse_properties(function);
    check_nesting(&function, name.line);
    const Ending ending = parse_ending();
    const Function* const around = std::exchange(owner_, &function);
    function.body = parse_body(inner, inner_scope);
    owner_ = around;
    if (function.body.outputs().empty()) {
      lexer_.fail(function.name + " returns no value", name.line);
    }
    const NodeId id = builder.call(std::move(function), std::move(inputs), ending.origin);
    check_type(builder[id].type, ending, name);
    return id;
  }

  void check_nesting(const Function* inner, std::size_t line) const {
    if (const std::string problem = nesting_problem(owner_, inner); !problem.empty()) {
      lexer_.fail(problem, line);
    }
  }

  void parse_properties(Function& function) {
    if (!lexer_.accept("[")) {
      return;
    }
    do {
      const Token name = lexer_.expect(TokenKind::kWord, "target, layer, region, reason or note");
      lexer_.expect("=");
      if (name.text == "target") {
        function.target = lexer_.expect(TokenKind::kWord, "the name of a target").text;
        continue;
      }
      std::string* field = name.text == "layer"    ? &function.layer
                           : name.text == "region" ? &function.region
                           : name.text == "reason" ? &function.reason
                           : name.text == "note"   ? &function.note
                                                   : nullptr;
      if (field == nullptr) {
        lexer_.fail("a function has no " + name.text + "; it has target, layer, region, reason and note", name.line);
      }
      *field = lexer_.expect(TokenKind::kString, "a text in quotes").text;
    } while (lexer_.accept(","));
    lexer_.expect("]");
  }

  NodeId look_up(const Scope& scope, const Token& name) const {
    const auto found = scope.find(name.text);
    if (found == scope.end()) {
      lexer_.fail("there is no value " + name.text + " before this line", name.line);
    }
    return found->second;
  }

  /// A value's name, or a scalar with its type: 0.5f, 128u8.
  NodeId parse_operand(GraphBuilder& builder, const Scope& scope) {
    if (lexer_.peek().kind == TokenKind::kName) {
      return look_up(scope, lexer_.take());
    }
    const Token token = lexer_.expect(TokenKind::kWord, "a value");
    std::optional<Tensor> literal = parse_literal(token.text);
    if (!literal) {
      lexer_.fail("\"" + token.text + "\" is no value; a scalar shows its type: 0.5f, 128u8, 0i8, 1i32, 1i64, 1b",
                  token.line);
    }
    return builder.constant(std::move(*literal));
  }

  Attribute parse_attribute(AttributeKind kind) {
    switch (kind) {
      case AttributeKind::kInt:
        return parse_integer();
      case AttributeKind::kFloat:
        return parse_float();
      case AttributeKind::kInts:
        return parse_integers("[", "]");
      case AttributeKind::kText:
        break;
    }
    return lexer_.expect(TokenKind::kString, "a text in quotes").text;
  }

  int64_t parse_integer() {
    const Token token = lexer_.expect(TokenKind::kWord, "a whole number");
    const auto value = parse_number<int64_t>(token.text);
    if (!value) {
      lexer_.fail("\"" + token.text + "\" is no whole number", token.line);
    }
    return *value;
  }

  double parse_float() {
    const Token token = lexer_.expect(TokenKind::kWord, "a number");
    const auto value = parse_number<double>(token.text);
    if (!value) {
      lexer_.fail("\"" + token.text + "\" is no number", token.line);
    }
    return *value;
  }

  std::vector<int64_t> parse_integers(std::string_view open, std::string_view close) {
    lexer_.expect(open);
    std::vector<int64_t> values;
    while (!lexer_.accept(close)) {
      values.push_back(parse_integer());
      if (lexer_.peek().text != close) {
        lexer_.expect(",");
      }
    }
    return values;
  }

  /// Tensor[(1, 4), uint8]
  TensorType parse_type() {
    lexer_.expect("Tensor");
    lexer_.expect("[");
    TensorType type;
    const std::size_t line = lexer_.peek().line;
    type.shape = parse_integers("(", ")");
    for (const int64_t size : type.shape) {
      if (size < 0) {
        lexer_.fail("a shape has no negative numbers", line);
      }
    }
    lexer_.expect(",");
    const Token element = lexer_.expect(TokenKind::kWord, "an element type");
    const auto parsed = parse_element_type(element.text);
    if (!parsed) {
      lexer_.fail("there is no element type " + element.text, element.line);
    }
    type.element = *parsed;
    lexer_.expect("]");
    return type;
  }

  std::string parse_origin() {
    return lexer_.accept("from") ? lexer_.expect(TokenKind::kString, "the name of an ONNX node, in quotes").text : "";
  }

  Ending parse_ending() {
    Ending ending;
    if (lexer_.accept(":")) {
      ending.type = parse_type();
    }
    ending.origin = parse_origin();
    return ending;
  }

  void check_type(const TensorType& type, const Ending& ending, const Token& name) const {
    if (ending.type && *ending.type != type) {
      lexer_.fail(name.text + " is a " + to_text(type) + ", not a " + to_text(*ending.type), name.line);
    }
  }

  TextLexer lexer_;
  std::size_t repeated_bytes_ = 0;   ///< Of constants of which one number says all elements.
  const Function* owner_ = nullptr;  ///< The function whose body is read.
  const std::filesystem::path folder_;
  const std::vector<OwnOperator>& operators_;
};

}  // namespace

Graph parse_graph(std::string_view text, const std::string& file, const std::filesystem::path& folder,
                  const std::vector<OwnOperator>& operators) {
  return Parser(text, file, folder, operators).parse();
}

}  // namespace fovea
