// SPDX-License-Identifier: Apache-2.0
/// \file
/// The drawings as files, through `dot`.
#include "visu.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace fovea {
namespace {

TEST(WriteDrawings, MakesSvgFiles) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "fovea_visu";
  std::filesystem::remove_all(folder);
  GraphBuilder builder;
  const NodeId x = builder.input("x", {{1, 4}, ElementType::kFloat32});
  const Graph graph = builder.finish({builder.call("nn.relu", {x}, {}, "/act <1> & \"2\"")});
  write_drawings(graph, graph, {}, "net", folder);
  for (const char* name : {"net_before.svg", "net_after.svg", "net.svg"}) {
    std::ifstream file(folder / name);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(text.find("<svg"), std::string::npos) << name;
    EXPECT_NE(text.find("/act &lt;1&gt; &amp; &quot;2&quot;"), std::string::npos) << name << text;
  }
  std::filesystem::remove_all(folder);
  EXPECT_NE(draw_graph(graph).find("/act &lt;1&gt; &amp; &quot;2&quot;"), std::string::npos);
}

}  // namespace
}  // namespace fovea
