// SPDX-License-Identifier: Apache-2.0
/// \file
/// Are the values inside of a network that ONNX Runtime gives found equal to the layers that they belong to?
#include <gtest/gtest.h>

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
#include "onnxruntime/network_writer.h"

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

  /// Has ONNX Runtime give every value of a network: as the script of docs/compare.md does it. \return the layers.
  Side ask(const fs::path& model, const std::vector<NamedTensor>& inputs) const {
    onnx::ModelProto all;
    std::ifstream file(model, std::ios::binary);
    EXPECT_TRUE(all.ParseFromIstream(&file));
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
    Json job = {{"model", (folder_ / "all.onnx").string()}, {"outputs", (folder_ / "layers/y").string()}};
    for (const NamedTensor& input : inputs) {
      const std::string name = (folder_ / (input.name + ".f32")).string();
      write_tensor(input, name);
      job["inputs"].push_back({{"name", input.name}, {"type", "float32"}, {"shape", input.shape}, {"file", name}});
    }
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

  const fs::path folder_ = fs::path(testing::TempDir()) / "fovea_onnxruntime_layers";
};

std::string print(const Side& a, const Side& b, const Comparison& comparison) {
  std::ostringstream text;
  print_layers(a, b, comparison, text);
  return text.str();
}

TEST_F(OnnxRuntimeLayers, OfDrawnNetworksAreEqual) {
  std::size_t compared = 0, layers = 0;
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    const DrawnNetwork network = draw_network(seed, DrawnScales::kAny);
    const std::vector<NamedTensor> inputs = inputs_of(network);
    write_network(network, NetworkForm::kQOperator, folder_ / "net.onnx");
    const Side theirs = ask(folder_ / "net.onnx", inputs);
    std::string files;
    for (const NamedTensor& input : inputs) {
      files += (files.empty() ? "" : ",") + input.name + "=" + (folder_ / (input.name + ".f32")).string();
    }
    const bool is_simple = inputs.size() == 1 && network.outputs.size() == 1;
    const Side ours = answer(folder_ / "net.onnx", is_simple ? files.substr(files.find('=') + 1) : files);
    const Comparison comparison = compare_sides(ours, theirs, 0);
    EXPECT_FALSE(comparison.first) << print(ours, theirs, comparison);
    compared += comparison.layers.size();
    layers += ours.values.size();
  }
  EXPECT_GT(compared, layers * 9 / 10) << "of " << layers;
}

TEST_F(OnnxRuntimeLayers, OfVgg8AreEqual) {
  const std::string original = "models/vgg8_cifar10_power2.onnx";
  const fs::path exported = folder_ / "q.onnx";
  run({FOVEAC, "export", "--qoperator", original, "-o", exported.string()});
  NamedTensor input{"input", {1, 3, 32, 32}, {}};
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (int i = 0; i < 3072; ++i) {
    input.data.push_back(normal(random));
  }
  const Side theirs = ask(exported, {input}), ours = answer(exported, (folder_ / "input.f32").string());
  const Comparison comparison = compare_sides(ours, theirs, 0);
  EXPECT_FALSE(comparison.first) << print(ours, theirs, comparison);
  EXPECT_TRUE(comparison.only_a.empty()) << print(ours, theirs, comparison);
}

}  // namespace
}  // namespace fovea
