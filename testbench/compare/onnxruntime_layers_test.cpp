// SPDX-License-Identifier: Apache-2.0
/// \file
/// Are the values inside of a network that ONNX Runtime gives found equal to the layers that they belong to?
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "compare/comparison.h"
#include "compare/layer_dump_reader.h"
#include "compare/print_comparison.h"
#include "compare/run_side.h"
#include "files/child_process.h"
#include "onnx/model_builder.h"
#include "onnxruntime/onnxruntime_oracle.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class OnnxRuntimeLayers : public testing::Test {
 protected:
  OnnxRuntimeLayers() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~OnnxRuntimeLayers() override { fs::remove_all(folder_); }

  void run(const std::vector<std::string>& words) const {
    const auto status = run_child(words, folder_ / "log");
    ASSERT_EQ(status, 0) << words[0] << ": " << last_line(folder_ / "log");
  }

  static onnx::ModelProto read_network(const fs::path& path) {
    onnx::ModelProto model;
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(model.ParseFromIstream(&file)) << path;
    return model;
  }

  /// Has ONNX Runtime give every value of a network: as the script of docs/compare.md does it. \return the layers.
  /// \param job  The network and its inputs, as run_onnx.js takes them.
  Side ask(Json job) const {
    onnx::ModelProto all = read_network(job["model"].get<std::string>());
    std::map<std::string, std::string> nodes;  // By the values that they make.
    all.mutable_graph()->clear_output();
    for (const onnx::NodeProto& node : all.graph().node()) {
      for (const std::string& output : node.output()) {
        nodes[output] = node.name();
        all.mutable_graph()->add_output()->set_name(output);
      }
    }
    std::ofstream(folder_ / "all.onnx", std::ios::binary) << all.SerializeAsString();
    fs::create_directories(folder_ / "layers");
    job["model"] = (folder_ / "all.onnx").string();
    job["outputs"] = (folder_ / "layers/y").string();
    std::ofstream(folder_ / "jobs.json") << Json::array({job});
    run({"env", "NODE_PATH=build/onnxruntime/node_modules", "node", "testbench/onnxruntime/run_onnx.js",
         (folder_ / "jobs.json").string(), (folder_ / "answers.json").string()});
    Json index = Json::parse(std::ifstream(folder_ / "answers.json")).at(0).at("outputs");
    for (Json& entry : index) {
      entry["file"] = fs::path(entry["file"].get<std::string>()).filename().string();
      entry["node"] = nodes.at(entry["name"]);
    }
    std::ofstream(folder_ / "layers/index.json") << index;
    return read_layer_dump(folder_ / "layers", "ONNX Runtime");
  }

  /// Compiles and runs a network.
  Side answer(const fs::path& model, const std::string& input) const {
    const fs::path net = folder_ / "net";
    fs::remove_all(net);
    run({FOVEAC, model.string(), "-o", net.string(), "--target", "cpu"});
    run({C_COMPILER, "-std=c11", "-O1", "-fPIC", "-shared", "-Isim", "-Idriver", "-Idriver/runtime",
         (net / "model.c").string(), "-o", (net / "model.so").string()});
    return run_side(net, "here", {"cpu", "", input});
  }

  /// Whether it has products of tokens, which are transposed here: a square one would be compared with ONNX's. Or
  /// chains and parameters of other types than 8 bits: where all is an output, ONNX Runtime makes a constant twice.
  static bool is_left_out(const fs::path& model) {
    const onnx::ModelProto read = read_network(model);
    return std::ranges::any_of(read.graph().node(), [](const auto& node) {
      return std::ranges::any_of(std::initializer_list<std::string_view>{"tokens_", "loose_", "chain_"},
                                 [&](std::string_view kind) { return node.name().starts_with(kind); });
    });
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / "fovea_onnxruntime_layers";
};

std::string print(const Side& a, const Side& b, const Comparison& comparison) {
  std::ostringstream text;
  print_layers(a, b, comparison, text);
  return text.str();
}

TEST_F(OnnxRuntimeLayers, OfDrawnNetworksAreEqual) {
  run({"scripts/networks/draw_networks.py", folder_.string(), "1", "24", "--any-scales", "--form", "qoperator"});
  std::size_t compared = 0, layers = 0;
  for (const Json& job : Json::parse(std::ifstream(folder_ / "networks.json"))) {
    const fs::path model = job["model"].get<std::string>();
    SCOPED_TRACE(model);
    if (is_left_out(model)) {
      continue;
    }
    const Side theirs = ask(job);
    std::string files;
    for (const Json& input : job["inputs"]) {
      files += (files.empty() ? "" : ",") + input["name"].get<std::string>() + "=" + input["file"].get<std::string>();
    }
    const bool is_simple = job["inputs"].size() == 1 && read_network(model).graph().output_size() == 1;
    const Side ours = answer(model, is_simple ? files.substr(files.find('=') + 1) : files);
    // Sums of float32 have an order of their own.
    const Comparison comparison = compare_sides(ours, theirs, 2e-6);
    EXPECT_FALSE(comparison.first) << print(ours, theirs, comparison);
    compared += comparison.layers.size();
    layers += ours.values.size();
  }
  // ONNX has no values like those that are moved for products of tokens, or there as often as weights have parts.
  EXPECT_GT(compared, layers * 8 / 10) << "of " << layers;
}

TEST_F(OnnxRuntimeLayers, OfVgg8AreEqual) {
  const std::string original = "models/vgg8_cifar10_power2.onnx";
  const fs::path exported = folder_ / "q.onnx";
  run({FOVEAC, "export", "--qoperator", original, "-o", exported.string()});
  const std::string picture = (folder_ / "input.f32").string();
  NamedTensor input{"input", {1, 3, 32, 32}, {}};
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (int i = 0; i < 3072; ++i) {
    input.data.push_back(normal(random));
  }
  write_tensor(input, picture);
  const Json given = {{"name", input.name}, {"type", "float32"}, {"shape", input.shape}, {"file", picture}};
  const Side theirs = ask({{"model", exported.string()}, {"inputs", Json::array({given})}}),
             ours = answer(exported, picture);
  const Comparison comparison = compare_sides(ours, theirs, 0);
  EXPECT_FALSE(comparison.first) << print(ours, theirs, comparison);
  EXPECT_TRUE(comparison.only_a.empty()) << print(ours, theirs, comparison);
}

}  // namespace
}  // namespace fovea
