// SPDX-License-Identifier: Apache-2.0
/// \file
/// DOT text of a small graph with a composite in a region: names, types, quantization, boxes and links.
#include "dot_text.h"

#include <gmock/gmock.h>

namespace fovea {
namespace {

using testing::HasSubstr;
using testing::Not;

const TensorType kFloats = {{1, 4}, ElementType::kFloat32};

/// input -> region { composite { quantize } }.
Graph make_fused() {
  GraphBuilder inner;
  const NodeId x = inner.input("x", kFloats);
  const NodeId scale = inner.constant(Tensor::of<float>({}, {0.25f}));
  const NodeId zero_point = inner.constant(Tensor::of<std::uint8_t>({}, {128}));
  Function composite;
  composite.name = "cpu.quantize";
  composite.target = "cpu";
  composite.reason = "no device for it";
  composite.body = inner.finish({inner.call("qnn.quantize", {x, scale, zero_point}, {{"axis", std::int64_t{1}}})});
  GraphBuilder middle;
  const NodeId y = middle.input("y", kFloats);
  Function region;
  region.name = "cpu_region_0";
  region.is_region = true;
  region.target = "cpu";
  region.body = middle.finish({middle.call(composite, {y}, "/act <1>")});
  GraphBuilder outer;
  const NodeId z = outer.input("data", kFloats);
  return outer.finish({outer.call(region, {z})});
}

/// input -> quantize, dequantize -> conv2d -> bias_add -> relu -> quantize, dequantize, with weights of integers.
Graph make_quantized() {
  GraphBuilder builder;
  const NodeId scale = builder.constant(Tensor::of<float>({}, {0.5f}));
  const NodeId zero_point = builder.constant(Tensor::of<std::uint8_t>({}, {128}));
  const NodeId zero = builder.constant(Tensor::of<std::int8_t>({}, {0}));
  const NodeId zeros = builder.constant(Tensor::of<std::int8_t>({2}, {0, 0}));
  const NodeId scales = builder.constant(Tensor::of<float>({2}, {0.25f, 0.125f}));
  const Attributes axis = {{"axis", std::int64_t{1}}}, axis0 = {{"axis", std::int64_t{0}}};
  const auto as_integers = [&](NodeId value) {
    const NodeId integers = builder.call("qnn.quantize", {value, scale, zero_point}, axis);
    return builder.call("qnn.dequantize", {integers, scale, zero_point}, axis);
  };
  const NodeId x = as_integers(builder.input("x", {{1, 1, 2, 2}, ElementType::kFloat32}));
  const NodeId w8 = builder.constant(Tensor::of<std::int8_t>({2, 1, 1, 1}, {1, 2}));
  const NodeId w = builder.call("qnn.dequantize", {w8, scales, zeros}, axis0);
  using Numbers = std::vector<std::int64_t>;
  const NodeId conv = builder.call("nn.conv2d", {x, w},
                                   {{"strides", Numbers{2, 2}},
                                    {"pads", Numbers{0, 0, 0, 0}},
                                    {"dilations", Numbers{1, 1}},
                                    {"groups", std::int64_t{1}}},
                                   "conv");
  const NodeId b8 = builder.constant(Tensor::of<std::int8_t>({2}, {1, 2}));
  const NodeId b = builder.call("qnn.dequantize", {b8, scale, zero}, axis0);
  const NodeId sum = builder.call("nn.bias_add", {conv, b}, axis);
  return builder.finish({as_integers(builder.call("nn.relu", {sum}))}, {"y"});
}

std::string drawn(const Graph& graph) { return graphs_to_dot({{graph, "net", {}}}); }

/// A line in small letters.
std::string small(const std::string& text) { return "<font point-size=\"9\" color=\"#5a6675\">" + text + "</font>"; }

TEST(GraphsToDot, DrawsCompositesAsBoxesThatLeadToTheirLayers) {
  EXPECT_EQ(graphs_to_dot({{make_fused(), "net & co", {"act1"}}}), R"dot(digraph network {
newrank=true;
ranksep=0.2;
nodesep=0.2;
fontname="Helvetica";
fontsize=12;
node [shape=box, style="rounded,filled", fillcolor=white, fontname="Helvetica", fontsize=11, height=0.3, margin="0.1,0.04"];
edge [arrowsize=0.7, color="#5a6675", fontname="Helvetica"];
subgraph cluster_a0 {
label=<<b>net &amp; co</b>>;
color=transparent;
a0 [class=input, shape=oval, label=<<b>input</b>  data<br/><font point-size="9" color="#5a6675">float32 4</font>>];
a2 [class=output, shape=oval, label=<<b>output</b><br/><font point-size="9" color="#5a6675">uint8 4</font>>];
subgraph cluster_a1 {
label=<cpu_region_0 on the CPU>;
class=cpu;
color="#b35c00";
fontcolor="#b35c00";
style="rounded,dashed";
a1 [class=cpu, color="#b35c00", fillcolor="#fdf3e7", id="graph-act1", URL="#layer-act1", label=<<b>act1</b>  cpu.quantize<br/><font point-size="9" color="#5a6675">/act &lt;1&gt;</font><br/><font point-size="9" color="#5a6675">no device for it</font>>];
}
a0 -> a1 [label=<<font point-size="9" color="#5a6675">float32 4</font>>];
a1 -> a2 [label=<<font point-size="9" color="#5a6675">uint8 4</font><br/><font point-size="9" color="#5a6675">scale 0.25, zero point 128</font>>];
}
}
)dot");
}

TEST(GraphsToDot, SaysScalesAtEdgesAndConstantsInBoxes) {
  const std::string text = drawn(make_quantized());
  EXPECT_THAT(text, HasSubstr("[class=operator, label=<<b>conv2d + bias_add + relu</b><br/>" + small("conv") + "<br/>" +
                              small("strides 2") + "<br/>" + small("w int8 2x1x1x1, 2 scales") + "<br/>" +
                              small("b int8 2, scale 0.5") + ">]"));
  EXPECT_THAT(text, HasSubstr("a0 -> a1 [label=<" + small("uint8 1x2x2") + "<br/>" +
                              small("scale 0.5, zero point 128") + ">]"));
  EXPECT_THAT(text, HasSubstr("a1 -> a2 [label=<" + small("uint8 2x1x1") + "<br/>"));
  EXPECT_THAT(text, HasSubstr("a2 [class=output, shape=oval, label=<<b>output</b>  y<br/>" + small("float32 2x1x1")));
  EXPECT_THAT(text, Not(HasSubstr("antize")));
}

TEST(GraphsToDot, AnotherScaleAndTwoReadersAreBoxes) {
  GraphBuilder builder;
  const NodeId x = builder.input("x", kFloats);
  const NodeId zero_point = builder.constant(Tensor::of<std::uint8_t>({}, {0}));
  NodeId value = x;
  for (const float scale : {0.5f, 0.25f}) {
    value = builder.call("qnn.quantize", {value, builder.constant(Tensor::of<float>({}, {scale})), zero_point},
                         {{"axis", std::int64_t{1}}});
    value = builder.call("qnn.dequantize", {value, builder.constant(Tensor::of<float>({}, {scale})), zero_point},
                         {{"axis", std::int64_t{1}}});
  }
  const NodeId a = builder.call("nn.relu", {value}), b = builder.call("sigmoid", {value});
  const std::string text = drawn(builder.finish({builder.call("add", {a, b})}));
  for (const char* box : {"<b>quantize</b>", "<b>relu</b>", "<b>sigmoid</b>", "<b>add</b>"}) {
    EXPECT_THAT(text, HasSubstr(box));
  }
}

TEST(GraphsToDot, KeepsTheEndOfALongName) {
  GraphBuilder builder;
  const NodeId x = builder.input("x", kFloats);
  const std::string text = drawn(builder.finish({builder.call("nn.relu", {x}, {}, std::string(80, 'a') + "/Relu")}));
  EXPECT_THAT(text, HasSubstr(small("..." + std::string(44, 'a') + "/Relu")));
}

TEST(GraphsToDot, DrawsTwoGraphsSideBySide) {
  const Graph graph = make_fused();
  const std::string text = graphs_to_dot({{graph, "one", {}}, {graph, "two", {}}});
  EXPECT_THAT(text, HasSubstr("subgraph cluster_a0 {\nlabel=<<b>one</b>>"));
  EXPECT_THAT(text, HasSubstr("subgraph cluster_b0 {\nlabel=<<b>two</b>>"));
  EXPECT_THAT(text, HasSubstr("\nb0 [class=input"));
}

}  // namespace
}  // namespace fovea
