// SPDX-License-Identifier: Apache-2.0
/// \file
/// Networks with functions of their own compute what the same nodes compute without.
#include "inline_functions.h"

#include <gtest/gtest.h>

#include "import.h"
#include "ir/evaluate.h"
#include "model_builder.h"
#include "tensor/error.h"

namespace fovea {
namespace {

onnx::NodeProto node_of(const std::string& op, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs) {
  return ModelBuilder().node(op, "", inputs, outputs);
}

onnx::NodeProto local(const std::string& op, const std::vector<std::string>& inputs,
                      const std::vector<std::string>& outputs) {
  onnx::NodeProto node = node_of(op, inputs, outputs);
  node.set_domain("local");
  return node;
}

/// LeakyRelu whose alpha is the function's attribute `slope`.
onnx::NodeProto leaky_relu(const std::string& x, const std::string& y) {
  onnx::NodeProto node = node_of("LeakyRelu", {x}, {y});
  add_attribute(node, "alpha", onnx::AttributeProto::FLOAT).set_ref_attr_name("slope");
  return node;
}

class InlineFunctionsTest : public testing::Test {
 protected:
  onnx::FunctionProto& function(const std::string& name, const std::vector<std::string>& inputs,
                                const std::vector<std::string>& outputs, const std::vector<onnx::NodeProto>& nodes) {
    onnx::FunctionProto& function = *model_.model().add_functions();
    function.set_domain("local");
    function.set_name(name);
    function.mutable_input()->Add(inputs.begin(), inputs.end());
    function.mutable_output()->Add(outputs.begin(), outputs.end());
    function.mutable_node()->Add(nodes.begin(), nodes.end());
    function.add_opset_import()->set_version(13);
    return function;
  }

  onnx::NodeProto& call(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs) {
    onnx::NodeProto& node = model_.node(op, name, inputs, outputs);
    node.set_domain("local");
    return node;
  }

  /// What a network makes of x = [-4, -1, 2, 3].
  static std::vector<float> computed(ModelBuilder& model) {
    const Tensor x = Tensor::of<float>({1, 4}, {-4, -1, 2, 3});
    const Tensor y = evaluate(import_model(model.output("y").model(), "net.onnx"), {x}).at(0);
    return {y.values<float>().begin(), y.values<float>().end()};
  }

  std::string error() {
    try {
      computed(model_);
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  }

  ModelBuilder model_{{1, 4}};
};

TEST_F(InlineFunctionsTest, NothingWhereNothingIsCalled) {
  EXPECT_FALSE(inline_functions(model_.model(), model_.graph()).has_value());
  function("Twice", {"a"}, {"b"}, {node_of("Add", {"a", "a"}, {"b"})});
  EXPECT_FALSE(inline_functions(model_.model(), model_.graph()).has_value());
}

TEST_F(InlineFunctionsTest, CallsOfOneFunctionWithinAnother) {
  function("Twice", {"a"}, {"b"}, {node_of("Add", {"a", "a"}, {"b"})});
  function("Square", {"a", "b"}, {"y", "unread"},
           {local("Twice", {"a"}, {"t"}), node_of("Mul", {"t", "b"}, {"y"}), node_of("Neg", {"t"}, {"unread"})});
  call("one", "Square", {"x", "x"}, {"v"});
  call("two", "Square", {"v", "x"}, {"y"});
  EXPECT_EQ(computed(model_), (std::vector<float>{4 * -64, 4 * -1, 4 * 8, 4 * 27}));
}

TEST_F(InlineFunctionsTest, AttributesAreTheCallsOrTheDefaultOrLeftOut) {
  for (const float expected : {-2.0F, -1.0F, -0.04F}) {
    model_ = ModelBuilder({1, 4});
    onnx::FunctionProto& leaky = function("Leaky", {"a"}, {"b"}, {leaky_relu("a", "b")});
    if (expected == -0.04F) {
      leaky.add_attribute("slope");
    } else {
      onnx::AttributeProto fallback;
      fallback.set_name("slope");
      fallback.set_type(onnx::AttributeProto::FLOAT);
      fallback.set_f(0.25F);
      leaky.mutable_unknown_fields()->AddLengthDelimited(11, fallback.SerializeAsString());  // attribute_proto
    }
    onnx::NodeProto& node = call("f", "Leaky", {"x"}, {"y"});
    if (expected == -2) {
      set_float(node, "slope", 0.5F);
    }
    EXPECT_EQ(computed(model_)[0], expected);
  }
}

TEST_F(InlineFunctionsTest, InputsMayBeLeftOut) {
  model_.floats("most", {}, {2});
  function("Bound", {"a", "least", "most"}, {"b"}, {node_of("Clip", {"a", "least", "most"}, {"b"})});
  call("one", "Bound", {"x", "", "most"}, {"v"});
  call("two", "Bound", {"v"}, {"y"});
  EXPECT_EQ(computed(model_), (std::vector<float>{-4, -1, 2, 2}));
}

TEST_F(InlineFunctionsTest, OverloadsAreFunctionsOfTheirOwn) {
  function("F", {"a"}, {"b"}, {node_of("Neg", {"a"}, {"b"})}).mutable_unknown_fields()->AddLengthDelimited(13, "minus");
  function("F", {"a"}, {"b"}, {node_of("Relu", {"a"}, {"b"})});
  call("one", "F", {"x"}, {"v"}).mutable_unknown_fields()->AddLengthDelimited(8, "minus");
  call("two", "F", {"v"}, {"y"});
  EXPECT_EQ(computed(model_), (std::vector<float>{4, 1, 0, 0}));
}

TEST_F(InlineFunctionsTest, AnOperatorComesBeforeAFunctionOfItsName) {
  function("Relu", {"a"}, {"b"}, {node_of("Neg", {"a"}, {"b"})}).clear_domain();
  model_.node("Relu", "relu", {"x"}, {"y"});
  EXPECT_EQ(computed(model_), (std::vector<float>{0, 0, 2, 3})) << "as ONNX Runtime has it";
}

TEST_F(InlineFunctionsTest, NamesAreTheCallsAndUnused) {
  onnx::NodeProto sum = node_of("Add", {"t", "t"}, {"b"});
  sum.set_name("sum");
  function("F", {"a"}, {"b"}, {node_of("Neg", {"a"}, {"t"}), sum});
  model_.node("Relu", "relu", {"x"}, {"f/t"});
  call("f", "F", {"f/t"}, {"v"});
  call("", "F", {"v"}, {"y"});
  const onnx::GraphProto graph = *inline_functions(model_.model(), model_.graph());
  ASSERT_EQ(graph.node_size(), 6);
  EXPECT_EQ(graph.node(2).output(0), "f/t_");
  EXPECT_EQ(graph.node(3).name(), "f/sum");
  EXPECT_EQ(graph.node(4).output(0), "y/t");
  EXPECT_EQ(graph.node(5).output(0), "y");
  EXPECT_EQ(computed(model_), (std::vector<float>{0, 0, 8, 12}));
}

TEST_F(InlineFunctionsTest, Recursion) {
  function("A", {"a"}, {"b"}, {local("B", {"a"}, {"b"})});
  function("B", {"a"}, {"b"}, {local("A", {"a"}, {"b"})});
  call("f", "A", {"x"}, {"y"});
  EXPECT_EQ(error(), "y: calls the function A: it calls itself; unroll the recursion");
}

TEST_F(InlineFunctionsTest, MoreNodesThanMemory) {
  for (int level = 0; level < 40; ++level) {
    const std::string next = "F" + std::to_string(level + 1);
    function("F" + std::to_string(level), {"a"}, {"b"}, {local(next, {"a"}, {"t"}), local(next, {"t"}, {"b"})});
  }
  function("F40", {"a"}, {"b"}, {node_of("Relu", {"a"}, {"b"})});
  call("f", "F0", {"x"}, {"y"});
  EXPECT_NE(error().find("its nodes and those of other calls are more than 2^28 bytes"), std::string::npos);
}

TEST_F(InlineFunctionsTest, CallsThatDoNotFit) {
  onnx::FunctionProto& f = function("F", {"a"}, {"b"}, {node_of("Relu", {"a"}, {"b"})});
  onnx::NodeProto& node = call("f", "F", {"x", "x"}, {"y"});
  EXPECT_EQ(error(), "f: calls the function F: it takes 1 inputs, not 2");
  node.mutable_input()->RemoveLast();
  f.mutable_opset_import(0)->set_version(5);
  EXPECT_EQ(error(), "f: calls the function F: opset 5 is not supported; 7 to 25 are");
  f.mutable_opset_import(0)->set_version(13);
  f.set_output(0, "c");
  EXPECT_EQ(error(), "f: calls the function F: its output c is made by none of its nodes; export the model again");
  f.set_output(0, "b");
  *model_.model().add_functions() = f;
  EXPECT_EQ(error(), "function local.F: is there twice; give each a name of its own");
}

}  // namespace
}  // namespace fovea
