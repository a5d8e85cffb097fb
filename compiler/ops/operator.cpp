// SPDX-License-Identifier: Apache-2.0
/// \file
/// Builds the operator table from ops.def and checks calls against it.
#include "operator.h"

#include <algorithm>
#include <sstream>

#include "ops.h"
#include "tensor/error.h"

namespace fovea {
namespace {

std::vector<std::string> split_words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

AttributeSpec parse_spec(const std::string& word) {
  const auto colon = word.find(':');
  const std::string kind = word.substr(colon + 1);
  const AttributeKind parsed = kind == "int"     ? AttributeKind::kInt
                               : kind == "float" ? AttributeKind::kFloat
                               : kind == "ints"  ? AttributeKind::kInts
                                                 : AttributeKind::kText;
  return {word.substr(0, colon), parsed};
}

/// What of a row is a function.
struct RowFunctions {
  TypeFunction infer_type = nullptr;
  EvaluateFunction evaluate = nullptr;
  MoveFunction move = nullptr;
  DefineFunction define = nullptr;
  UnaryFunction unary = nullptr;
  BinaryFunction binary = nullptr;
};

Operator make_operator(std::string_view name, std::string_view inputs, std::string_view attributes,
                       const RowFunctions& functions) {
  Operator op{std::string(name),    split_words(inputs), false,          {},
              functions.infer_type, functions.evaluate,  functions.move, functions.define,
              functions.unary,      functions.binary};
  if (!op.inputs.empty() && op.inputs.back().ends_with("...")) {
    op.is_variadic = true;
    op.inputs.back().resize(op.inputs.back().size() - 3);
  }
  for (const std::string& word : split_words(attributes)) {
    op.attributes.push_back(parse_spec(word));
  }
  return op;
}

void check_inputs(const Call& call, std::size_t inputs) {
  const Operator& op = *call.op;
  const bool fits = op.is_variadic ? inputs >= op.inputs.size() : inputs == op.inputs.size();
  check_call(fits, call,
             op.name + " takes " + std::to_string(op.inputs.size()) + (op.is_variadic ? " inputs or more" : " inputs") +
                 ", not " + std::to_string(inputs));
}

void check_attributes(const Call& call) {
  for (const AttributeSpec& spec : call.op->attributes) {
    const auto found = call.attributes.find(spec.name);
    check_call(found != call.attributes.end(), call, call.op->name + " needs the attribute " + spec.name);
    check_call(found->second.index() == static_cast<std::size_t>(spec.kind), call,
               "attribute " + spec.name + " of " + call.op->name + " has the wrong kind of value");
  }
  for (const auto& [name, value] : call.attributes) {
    const bool known = std::any_of(call.op->attributes.begin(), call.op->attributes.end(),
                                   [&, &wanted = name](const AttributeSpec& spec) { return spec.name == wanted; });
    check_call(known, call, call.op->name + " has no attribute " + name);
  }
}

}  // namespace

const std::vector<Operator>& operators() {
  static const std::vector<Operator> table{
#define FOVEA_UNARY(name_, attributes_, type_, value_)                              \
  make_operator(name_, "x", attributes_,                                            \
                {.infer_type = (type_),                                             \
                 .evaluate = evaluate_defined,                                      \
                 .unary = [](const Call& call, const Expression& x) -> Expression { \
                   const auto attribute = [&](const char* name) -> Expression {     \
                     return float_attribute(call, name, 0);                         \
                   };                                                               \
                   (void)attribute;                                                 \
                   return value_;                                                   \
                 }}),
#define FOVEA_BINARY(name_, type_, value_) \
  make_operator(                           \
      name_, "a b", "",                    \
      {.infer_type = (type_),              \
       .evaluate = evaluate_defined,       \
       .binary = [](const Call&, const Expression& a, const Expression& b) -> Expression { return value_; }}),
#define FOVEA_DEFINED(name_, inputs_, attributes_, type_, define_) \
  make_operator(name_, inputs_, attributes_,                       \
                {.infer_type = (type_), .evaluate = evaluate_defined, .define = (define_)}),
#define FOVEA_MOVE(name_, inputs_, attributes_, type_, move_) \
  make_operator(name_, inputs_, attributes_, {.infer_type = (type_), .evaluate = evaluate_moved, .move = (move_)}),
#define FOVEA_OP(name_, inputs_, attributes_, type_, evaluate_) \
  make_operator(name_, inputs_, attributes_, {.infer_type = (type_), .evaluate = (evaluate_)}),
#include "ops.def"
#undef FOVEA_UNARY
#undef FOVEA_BINARY
#undef FOVEA_DEFINED
#undef FOVEA_MOVE
#undef FOVEA_OP
  };
  return table;
}

const Operator* find_operator(std::string_view name) {
  const auto& table = operators();
  const auto found = std::find_if(table.begin(), table.end(), [&](const Operator& op) { return op.name == name; });
  return found == table.end() ? nullptr : &*found;
}

Call find_call(std::string_view name, const std::vector<OwnOperator>& operators) {
  Call call;
  call.op = find_operator(name);
  const auto found = std::ranges::find(operators, name, [](const OwnOperator& each) { return each.op->name; });
  if (call.op == nullptr && found != operators.end()) {
    call.own = found->op;
    call.op = call.own.get();
  }
  return call;
}

TensorType infer_type(const Call& call, const std::vector<TensorType>& inputs) {
  check_inputs(call, inputs.size());
  check_attributes(call);
  TensorType type = call.op->infer_type(call, inputs);
  check_shape(type.shape, call_name(call));
  return type;
}

}  // namespace fovea
