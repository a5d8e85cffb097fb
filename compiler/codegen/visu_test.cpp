// SPDX-License-Identifier: Apache-2.0
/// \file
/// DOT text of a small graph with a composite in a region.
#include "visu.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace fovea {
namespace {

const TensorType kFloats = {{1, 4}, ElementType::kFloat32};

/// input -> region { composite { relu } }.
Graph make_fused() {
  GraphBuilder inner;
  const NodeId x = inner.input("x", kFloats);
  Function composite;
  composite.name = "cpu.relu";
  composite.target = Target::kCpu;
  composite.reason = "no device for it";
  composite.layer = "act1";
  composite.body = inner.finish({inner.call("nn.relu", {x}, {}, "/act \"1\"")});
  GraphBuilder middle;
  const NodeId y = middle.input("y", kFloats);
  Function region;
  region.name = "cpu_region_0";
  region.is_region = true;
  region.target = Target::kCpu;
  region.body = middle.finish({middle.call(composite, {y})});
  GraphBuilder outer;
  const NodeId z = outer.input("data", kFloats);
  return outer.finish({outer.call(region, {z})});
}

TEST(GraphToDot, DrawsFunctionsAsBoxes) {
  EXPECT_EQ(graph_to_dot(make_fused(), "net"), R"dot(digraph network {
label="net";
labelloc=t;
fontname="Helvetica";
node [shape=box, style=rounded, fontname="Helvetica", fontsize=10];
edge [arrowsize=0.7];
n0 [label="data\ninput\nTensor[(1, 4), float32]", shape=oval];
subgraph cluster_1 {
label="cpu_region_0 (cpu)";
color="#b35c00";
fontcolor="#b35c00";
style=dashed;
subgraph cluster_2 {
label="act1: cpu.relu (cpu)\nno device for it";
color="#b35c00";
fontcolor="#b35c00";
style=bold;
n3 [label="/act \"1\"\nnn.relu\nTensor[(1, 4), float32]"];
n0 -> n3;
}
}
}
)dot");
}

TEST(WriteDrawings, MakesSvgFiles) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "fovea_visu";
  std::filesystem::remove_all(folder);
  const Graph graph = make_fused();
  write_drawings(graph, graph, "net", folder);
  for (const char* name : {"net_before.svg", "net_after.svg"}) {
    std::ifstream file(folder / name);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(text.find("<svg"), std::string::npos) << name;
    EXPECT_NE(text.find("no device for it"), std::string::npos) << name;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace fovea
