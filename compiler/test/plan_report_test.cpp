// SPDX-License-Identifier: Apache-2.0
/// \file
/// What is said of a network's tensors on chip: where they lie, how long, and what they save of DRAM.
#include "commands/plan_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "mapped_network.h"
#include "tensor/tensor.h"

namespace fovea {
namespace {

struct Planned : MappedNetwork {
  Planned(const std::string& model, const std::string& machine, const ImportOptions& import = {})
      : MappedNetwork(model, machine, import),
        plan(describe_plan(network, plan_residency(network, *mapper), *mapper)) {}

  const PlanTensor& tensor(const std::string& name) const {
    return *std::ranges::find(plan.tensors, name, &PlanTensor::name);
  }

  std::size_t place_of(const std::string& layer) const {
    return static_cast<std::size_t>(std::ranges::find(network.layers, layer, &Layer::name) - network.layers.begin());
  }

  NetworkOnChip plan;
};

/// The first convolution's map of 16 x 32 x 32 is an ifmap, and a residual two layers later.
TEST(PlanReportTest, ATensorSavesOneWriteAndAReadOfEachReader) {
  const Planned planned("models/resnet8_cifar10.onnx", "eyeriss_6x8");
  const PlanTensor& tensor = planned.tensor("qconv2d");
  EXPECT_EQ(tensor.first, "qconv2d");
  EXPECT_EQ(tensor.last, "body_1");
  EXPECT_EQ(tensor.readers, 2u);
  EXPECT_EQ(tensor.bytes, 16u * 32 * 32);
  EXPECT_EQ(tensor.saved, 3u * 16 * 32 * 32);
  EXPECT_EQ(tensor.end - tensor.begin, 16u * 32 * 32) << "four planes under each other in four columns";
  EXPECT_EQ(tensor.plane_rows, tensor.rows);
}

/// By the network's own edges: ResNet-8 has neither joins nor views between its convolutions. And the layers move about
/// that much less: but for rows that a stride leaves out, and more where mappings read some again.
TEST(PlanReportTest, WhatTensorsSaveAreTheNetworksEdges) {
  for (const char* const machine : {"eyeriss_6x8", "eyeriss_12x14", "fovea_16x16"}) {
    const Planned planned("models/resnet8_cifar10.onnx", machine);
    std::uint64_t saved = 0, less = 0;
    for (const PlanTensor& tensor : planned.plan.tensors) {
      const Layer& writer = planned.network.layers[planned.place_of(tensor.name)];
      std::uint64_t edges = 1;
      for (const Layer& layer : planned.network.layers) {
        edges += static_cast<std::uint64_t>(std::ranges::count(layer.inputs, writer.output));
      }
      EXPECT_EQ(tensor.saved, edges * static_cast<std::uint64_t>(count_elements(writer.output_type.shape)))
          << tensor.name;
      saved += tensor.saved;
    }
    for (const PlanStep& step : planned.plan.steps) {
      less += step.dram_bytes_alone - step.dram_bytes;
    }
    EXPECT_GT(planned.plan.tensors.size(), 5u);
    EXPECT_GT(10 * less, 9 * saved) << machine;
  }
}

/// Among them rings of layers that run depth first.
TEST(PlanReportTest, TensorsThatLiveTogetherShareNoByte) {
  const Planned planned("models/mobilenet_v2_cifar10.onnx", "eyeriss_6x8");
  const std::vector<PlanTensor>& tensors = planned.plan.tensors;
  const std::uint64_t glb_bytes = planned.mapper->machine().geometry.glb_bytes;
  std::size_t together = 0;
  for (const PlanTensor& one : tensors) {
    EXPECT_LT(one.begin, one.end);
    EXPECT_LE(one.end, glb_bytes);
    EXPECT_LE(one.plane_rows, one.rows);
    EXPECT_GE(one.saved, 2 * one.bytes) << one.name << ": it is written, and read by someone";
    for (const PlanTensor& other : tensors) {
      const bool live_together = planned.place_of(one.first) <= planned.place_of(other.last) &&
                                 planned.place_of(other.first) <= planned.place_of(one.last);
      if (&one != &other && live_together) {
        ++together;
        EXPECT_TRUE(one.end <= other.begin || other.end <= one.begin) << one.name << " and " << other.name;
      }
    }
  }
  EXPECT_GT(together, 0u);
}

/// Convolutions of a batch are a command a picture.
TEST(PlanReportTest, StepsCountAllPicturesOfABatch) {
  ImportOptions two;
  two.batch = 2;
  const Planned one("models/vgg8_cifar10_power2.onnx", "eyeriss_6x8");
  const Planned both("models/vgg8_cifar10_power2.onnx", "eyeriss_6x8", two);
  EXPECT_EQ(both.plan.steps.front().layers, one.plan.steps.front().layers);
  EXPECT_EQ(both.plan.steps.front().cycles_alone, 2 * one.plan.steps.front().cycles_alone);
  EXPECT_EQ(both.plan.steps.front().dram_bytes_alone, 2 * one.plan.steps.front().dram_bytes_alone);
}

TEST(PlanReportTest, AStepAndATensorHaveARowEach) {
  const Planned planned("models/resnet8_cifar10.onnx", "eyeriss_6x8");
  std::ostringstream out;
  print_plan(planned.plan, out);
  const std::string text = out.str();
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  EXPECT_EQ(lines, planned.plan.steps.size() + 2 + 1 + planned.plan.tensors.size() + 2) << text;
  const nlohmann::ordered_json json = plan_json(planned.plan);
  EXPECT_EQ(json["steps"].size(), planned.plan.steps.size());
  EXPECT_EQ(json["tensors"].size(), planned.plan.tensors.size());
}

}  // namespace
}  // namespace fovea
