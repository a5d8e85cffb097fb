// SPDX-License-Identifier: Apache-2.0
/// \file
/// DOT text of a small graph with a composite in a region: names, types, quantization, boxes and links.
#include "dot_text.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

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
  composite.body =
      inner.finish({inner.call("qnn.quantize", {x, scale, zero_point}, {{"axis", std::int64_t{1}}}, "/act <1>")});
  GraphBuilder middle;
  const NodeId y = middle.input("y", kFloats);
  Function region;
  region.name = "cpu_region_0";
  region.is_region = true;
  region.target = "cpu";
  region.body = middle.finish({middle.call(composite, {y})});
  GraphBuilder outer;
  const NodeId z = outer.input("data", kFloats);
  return outer.finish({outer.call(region, {z})});
}

TEST(GraphsToDot, DrawsFunctionsAsBoxesThatLeadToTheirLayers) {
  EXPECT_EQ(graphs_to_dot({{make_fused(), "net & co", {"act1"}}}), R"dot(digraph network {
newrank=true;
ranksep=0.35;
fontname="Helvetica";
fontsize=12;
node [shape=box, style="rounded,filled", fillcolor=white, fontname="Helvetica", fontsize=11];
edge [arrowsize=0.7, color="#5a6675"];
subgraph cluster_a {
label=<<b>net &amp; co</b>>;
color=transparent;
a0 [class=input, shape=oval, label=<<b>input</b><br/><font point-size="9" color="#5a6675">data</font><br/>float32 (1, 4)>];
subgraph cluster_a1 {
class=cpu;
label=<cpu_region_0 on the CPU>;
color="#b35c00";
fontcolor="#b35c00";
style="rounded,dashed";
subgraph cluster_a2 {
class=cpu;
label=<<b>act1</b>  cpu.quantize on the CPU<br/><font point-size="9" color="#5a6675">no device for it</font>>;
color="#b35c00";
fontcolor="#b35c00";
style="rounded,filled";
fillcolor="#fdf3e7";
id="graph-act1";
URL="#layer-act1";
a3 [class=operator, label=<<b>qnn.quantize</b><br/><font point-size="9" color="#5a6675">/act &lt;1&gt;</font><br/><font point-size="9" color="#5a6675">scale 0.25, zero_point 128</font><br/><font point-size="9" color="#5a6675">axis 1</font><br/>uint8 (1, 4)>];
a0 -> a3 [weight=100, penwidth=1.6];
}
}
}
}
)dot");
}

TEST(GraphsToDot, DataRunsStraightAndParametersBeside) {
  GraphBuilder builder;
  const NodeId x = builder.input("x", kFloats);
  const NodeId bias = builder.constant(Tensor::of<float>({1, 4}, {1, 2, 3, 4}), "bias");
  const std::string text = graphs_to_dot({{builder.finish({builder.call("add", {x, bias})}), "net", {}}});
  EXPECT_NE(text.find("a0 -> a2 [weight=100"), std::string::npos) << text;
  EXPECT_NE(text.find("a1 -> a2;"), std::string::npos) << text;
}

TEST(GraphsToDot, DrawsTwoGraphsSideBySide) {
  const Graph graph = make_fused();
  const std::string text = graphs_to_dot({{graph, "one", {}}, {graph, "two", {}}});
  EXPECT_NE(text.find("subgraph cluster_a {\nlabel=<<b>one</b>>"), std::string::npos) << text;
  EXPECT_NE(text.find("subgraph cluster_b {\nlabel=<<b>two</b>>"), std::string::npos) << text;
  EXPECT_NE(text.find("\nb0 [class=input"), std::string::npos) << text;
}

}  // namespace
}  // namespace fovea
