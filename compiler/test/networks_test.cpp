// SPDX-License-Identifier: Apache-2.0
/// \file
/// The two trained networks through the whole compiler: one in the repository, one beside it, from two exporters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "emit/emit.h"
#include "ir/text.h"
#include "layers/collect_layers.h"
#include "onnx/import.h"
#include "passes/pipeline.h"
#include "passes/same_graph.h"
#include "spec/machine_json.h"

namespace fovea {
namespace {

using testing::ElementsAre;

const std::filesystem::path kMachine = "sim/spec/machines/eyeriss_6x8.json";

struct TrainedNetwork {
  const char* path;
  std::vector<int> shifts;  ///< Of conv1 to conv5 and fc6 to fc8.
};

class Networks : public testing::TestWithParam<TrainedNetwork> {
 protected:
  void SetUp() override {
    if (std::string_view(GetParam().path).starts_with("../shared") && !std::filesystem::exists("../shared")) {
      GTEST_SKIP() << "nothing to test here: ../shared is not present";
    }
    imported_ = import_onnx(GetParam().path);
  }

  static std::vector<NamedTarget> targets_of(const std::string& target) {
    return make_targets(target,
                        {[] { return std::make_shared<Mapper>(read_machine(kMachine), MappingMode::kSearch); }, {}});
  }

  Network compile(const std::string& target) const {
    PipelineOptions options;
    options.targets = targets_of(target);
    return collect_layers(run_pipeline(imported_, options), "net");
  }

  Graph imported_;
};

TEST_P(Networks, BecomeTheSameLayers) {
  std::vector<std::string> layers;
  std::vector<int> shifts;
  for (const Layer& layer : compile("dla").layers) {
    layers.push_back(layer.name + " " + layer.composite + " " + layer.target);
    if (const Accumulation* sum = accumulation_of(layer)) {
      shifts.push_back(static_cast<int>(shift_of(*sum).value()));
    }
  }
  EXPECT_THAT(layers, ElementsAre("quantize quantize cpu", "conv1 qconv2d_relu_maxpool dla",
                                  "conv2 qconv2d_relu_maxpool dla", "conv3 qconv2d_relu dla", "conv4 qconv2d_relu dla",
                                  "conv5 qconv2d_relu_maxpool dla", "flatten flatten dla", "fc6 qlinear_relu dla",
                                  "fc7 qlinear_relu dla", "fc8 qlinear dla", "dequantize dequantize cpu"));
  EXPECT_EQ(shifts, GetParam().shifts);
}

TEST_P(Networks, RunWhollyOnTheCpuWhereAsked) {
  for (const Layer& layer : compile("cpu").layers) {
    EXPECT_EQ(layer.target, "cpu") << layer.name;
    EXPECT_EQ(layer.reason, "the network is compiled for the CPU") << layer.name;
  }
}

TEST_P(Networks, ComeBackFromTheirText) {
  for (const Graph& graph : {imported_, run_pipeline(imported_, {targets_of("cpu"), "", {}})}) {
    const std::string text = print_graph(graph);
    EXPECT_TRUE(print_graph(parse_graph(text, "net.txt")) == text);
  }
}

TEST_P(Networks, CompileAgainFromTheFilesBesideTheirCode) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) /
                                       ("fovea_text_" + std::filesystem::path(GetParam().path).stem().string());
  const auto compile = [](const std::filesystem::path& network, const std::filesystem::path& output) {
    const std::string command = std::string(FOVEAC) + " " + network.string() + " -o " + output.string() + " >/dev/null";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  };
  const auto read = [](const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  compile(GetParam().path, folder / "onnx");
  const std::filesystem::path named =  // The code carries the network's name, which is the file's.
      folder / "onnx" / std::filesystem::path(GetParam().path).filename().replace_extension(".txt");
  for (const char* text : {"ir_before.txt", "ir_after.txt"}) {
    std::filesystem::rename(folder / "onnx" / text, named);
    compile(named, folder / text);
    for (const char* same : {"model.c", "weight.bin"}) {
      EXPECT_TRUE(read(folder / text / same) == read(folder / "onnx" / same)) << same << " from " << text;
    }
  }
  std::filesystem::remove_all(folder);
}

TEST_P(Networks, StayAsTheyAreInASecondRun) {
  PipelineOptions options;
  options.stop_after = "eliminate-dead-code";
  const Graph once = run_pipeline(imported_, options);
  EXPECT_TRUE(is_same_graph(once, run_pipeline(once, options)));
}

TEST_P(Networks, BecomeCThatCompiles) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("fovea_" + std::filesystem::path(GetParam().path).stem().string());
  for (const std::string target : {"dla", "cpu"}) {
    std::filesystem::remove_all(folder);
    EmitOptions options;
    options.folder = folder;
    options.targets = targets_of(target);
    emit_network(compile(target), options);
    EXPECT_TRUE(std::filesystem::exists(folder / "weight.bin"));
    const std::string command = std::string(FOVEA_C_COMPILER) +
                                " -std=c11 -Wall -Wextra -Werror -fsyntax-only -Isim -Idriver -Idriver/runtime " +
                                (folder / "model.c").string();
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
  std::filesystem::remove_all(folder);
}

const TrainedNetwork kNetworks[] = {{"models/vgg8_cifar10_power2.onnx", {7, 9, 9, 11, 7, 14, 8, 8}},
                                    {"../shared/models/alexnetbn_v2-power2.onnx", {7, 6, 8, 8, 8, 8, 8, 11}}};

std::string network_name(const testing::TestParamInfo<TrainedNetwork>& info) {
  return info.index == 0 ? "OurVgg8" : "AlexNet";
}

INSTANTIATE_TEST_SUITE_P(Trained, Networks, testing::ValuesIn(kNetworks), network_name);

}  // namespace
}  // namespace fovea
