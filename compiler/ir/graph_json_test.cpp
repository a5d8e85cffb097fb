// SPDX-License-Identifier: Apache-2.0
/// \file
/// What is written as JSON is read again, and what is no graph is refused where it is wrong.
#include "graph_json.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "checksum.h"
#include "tensor/error.h"
#include "text.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

const std::string kWhole = R"(fn (%0: Tensor[(1, 4), float32] from "in \"put\"\\", %1: Tensor[(), int64]) {
  %2 = constant 0 : Tensor[(64,), int32]
  %3 = constant [] : Tensor[(0,), int64] from "none"
  %4 = qnn.quantize(%0, 0.1f, 128u8, axis=1) : Tensor[(1, 4), uint8] from "q"
  %5 = region cpu_region_0(%4) [target=cpu, reason="a, b"] : Tensor[(4,), uint8] {
    %6 = composite cpu.two(%4) [target=cpu, layer="two_1", region="cpu_region_0"] : Tensor[(4,), uint8] from "r" {
      %7 = reshape(%4, newshape=[4]) : Tensor[(4,), uint8]
      return %7
    }
    return %6
  }
  %8 = full(shape=[2], value=1.0, dtype="float32") : Tensor[(2,), float32]
  %9 = clip(%0, min=-inf, max=0.1) : Tensor[(1, 4), float32]
  return %5 "y", %9 "z"
}
)";

class GraphJsonTest : public testing::Test {
 protected:
  GraphJsonTest() {
    fs::create_directories(folder_);
    const auto [text, constants] = print_graph_json(parse_graph(kWhole, "whole.txt"), "constants.bin");
    text_ = text;
    std::ofstream(folder_ / "constants.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(constants.data()), static_cast<std::streamsize>(constants.size()));
    constants_ = constants;
  }
  ~GraphJsonTest() override { fs::remove_all(folder_); }

  /// What is said of the graph with a value replaced; "" where it is read.
  std::string refusal(const std::string& pointer, const Json& value) const {
    Json json = Json::parse(text_);
    json[Json::json_pointer(pointer)] = value;
    return refusal(json.dump());
  }

  std::string refusal(const std::string& text) const {
    try {
      parse_graph_json(text, "net.json", folder_);
      return "";
    } catch (const UserError& error) {
      return error.what();
    }
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("fovea_graph_json_" + std::to_string(getpid()));
  std::string text_;
  std::vector<std::byte> constants_;
};

TEST_F(GraphJsonTest, ComesBackAsItWas) {
  EXPECT_EQ(print_graph(parse_graph_json(text_, "net.json", folder_)), kWhole);
}

TEST_F(GraphJsonTest, SaysWhereConstantsAre) {
  const Json json = Json::parse(text_);
  const Json& zeros = json["nodes"][2];
  EXPECT_EQ(zeros["kind"], "constant");
  EXPECT_EQ(zeros["offset"].get<std::size_t>() % 64, 0U);
  const auto bytes = std::span(constants_).subspan(zeros["offset"], zeros["bytes"]);
  EXPECT_EQ(bytes.size(), 256U);
  EXPECT_EQ(zeros["crc32"], checksum(bytes));
}

TEST_F(GraphJsonTest, SaysHowIntegersStandForNumbers) {
  const Json json = Json::parse(text_);
  for (const Json& node : json["nodes"]) {
    if (node.value("op", "") == "qnn.quantize") {
      EXPECT_EQ(node["quantization"].dump(),
                R"({"dtype":"uint8","scales":[0.10000000149011612],"zero_points":[128],"axis":0})");
      EXPECT_NE(refusal("/nodes/" + node["id"].dump() + "/quantization/axis", 1).find("axis\":0"), std::string::npos);
      return;
    }
  }
  FAIL() << "no quantize";
}

TEST_F(GraphJsonTest, RefusesWhatIsNoGraph) {
  EXPECT_EQ(refusal("{"), "net.json: not JSON (at byte 2)");
  EXPECT_EQ(refusal("[]"), "net.json: no graph: its \"format\" is not \"fovea-graph\"");
  EXPECT_EQ(refusal("/version", 2), "net.json: its \"version\" is 2; 1 works");
  EXPECT_EQ(refusal("/node", 1), "net.json: there is no key \"node\" here; did you mean nodes?");
  EXPECT_EQ(refusal("/nodes/1/id", 7), "net.json: nodes[1]: a node is an object whose \"id\" is its place, 1");
  EXPECT_EQ(refusal("/nodes/1/kind", "inputs"),
            "net.json: nodes[1]: \"kind\" is \"inputs\"; it must be input, constant, call, composite or region");
  EXPECT_EQ(refusal("/nodes/1/shape", "a"),
            "net.json: nodes[1]: \"shape\" is \"a\"; it must be whole numbers in brackets");
  EXPECT_EQ(refusal("/nodes/1/shape", Json{-1}).substr(0, 19), "net.json: nodes[1]:");
  EXPECT_EQ(refusal("/nodes/1/dtype", "int4"),
            "net.json: nodes[1]: \"dtype\" is \"int4\"; it must be float32, uint8, int8, int32, int64 or bool");
  EXPECT_EQ(refusal("/nodes/2/bytes", 9),
            "net.json: nodes[2]: \"bytes\" is 9; it must be 256, as a Tensor[(64,), int32] has");
  EXPECT_EQ(refusal("/nodes/2/offset", 64),
            "net.json: nodes[2]: this constant is not what constants.bin holds at 64; take both files from one run of "
            "the compiler");
  EXPECT_EQ(refusal("/constants", "../constants.bin"),
            "net.json: nodes[2]: this constant is in ../constants.bin, outside the folder of this text; put it there");
  EXPECT_EQ(refusal("/outputs/0/node", 99), "net.json: outputs[0]: there is no node 99 before it");
}

TEST_F(GraphJsonTest, RefusesCallsThatDoNotFit) {
  const Json nodes = Json::parse(text_)["nodes"];
  const auto place_of = [&](const std::string& name) {
    for (const Json& node : nodes) {
      if (node.value("op", node.value("name", "")) == name) {
        return "/nodes/" + node["id"].dump();
      }
    }
    return std::string("none");
  };
  const std::string clip = place_of("clip");
  const std::string region = place_of("cpu_region_0");
  const auto said = [&](const std::string& pointer, const Json& value) {
    const std::string text = refusal(pointer, value);
    return text.substr(std::min(text.size(), text.find("]: ") + 3));
  };
  EXPECT_EQ(said(clip + "/op", "clap"), "there is no operator clap");
  EXPECT_EQ(said(clip + "/attributes/min", "low"),
            "\"min\" is \"low\"; it must be a number, \"inf\", \"-inf\" or \"nan\"");
  EXPECT_EQ(said(clip + "/attributes/mix", 1), "there is no key \"mix\" here; did you mean min?");
  EXPECT_EQ(said(clip + "/inputs", Json{0, 0}), "clip: clip takes 1 inputs, not 2");
  EXPECT_EQ(said(clip + "/inputs/0", 40), "there is no node 40 before it");
  EXPECT_EQ(said(clip + "/shape", Json{4}), "is a Tensor[(1, 4), float32], not a Tensor[(4,), float32]");
  EXPECT_EQ(said(region + "/name", "a b"),
            "names of functions and targets are of letters, digits, \"_\" and \".\", not a b");
  EXPECT_EQ(refusal(region + "/target", "dla"),
            "r: cpu.two does not run where its region does (in net.json, in cpu_region_0)");
  EXPECT_EQ(said(region + "/body/outputs", Json::array()), "cpu_region_0 returns no value");
}

}  // namespace
}  // namespace fovea
