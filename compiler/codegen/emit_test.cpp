// SPDX-License-Identifier: Apache-2.0
/// \file
/// Emitted code for a hand-made network with every kind of layer: it compiles freestanding, and says what was planned.
#include "emit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "c_text.h"
#include "emit_c.h"
#include "emit_call.h"
#include "ir/error.h"
#include "network_plan.h"
#include "summary.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using testing::StartsWith;

std::shared_ptr<const Tensor> filters(Shape shape) {
  Tensor tensor({std::move(shape), ElementType::kInt8});
  for (std::size_t i = 0; i < tensor.values<std::int8_t>().size(); ++i) {
    tensor.values<std::int8_t>()[i] = static_cast<std::int8_t>(i * 7 + 1);
  }
  return std::make_shared<Tensor>(std::move(tensor));
}

std::shared_ptr<const Tensor> biases(std::int64_t count) {
  Tensor tensor({{count}, ElementType::kInt32});
  for (std::size_t i = 0; i < tensor.values<std::int32_t>().size(); ++i) {
    tensor.values<std::int32_t>()[i] = static_cast<std::int32_t>(i) - 3;
  }
  return std::make_shared<Tensor>(std::move(tensor));
}

/// Appends layers to a network, each reading the one before.
class Chain {
 public:
  explicit Chain(Shape input) {
    network_.name = "tiny";
    network_.tensors.push_back({"input", {std::move(input), ElementType::kFloat32}});
  }

  Layer& add(LayerKind kind, std::string composite, std::string name, Shape shape,
             ElementType element = ElementType::kUint8) {
    Layer layer;
    layer.kind = kind;
    layer.composite = std::move(composite);
    layer.name = name;
    layer.input = network_.tensors.size() - 1;
    layer.output = network_.tensors.size();
    layer.input_quant = {-5, 128};
    layer.output_quant = {-4, 128};
    network_.tensors.push_back({std::move(name), {std::move(shape), element}});
    network_.output = layer.output;
    network_.layers.push_back(layer);
    return network_.layers.back();
  }

  Network take() { return std::move(network_); }

 private:
  Network network_;
};

/// Every kind of layer once; convolutions on `target`, one of them in two groups, the fully connected one on `linear`.
Network every_kind(Target target, Target linear) {
  Chain chain({1, 3, 16, 16});
  chain.add(LayerKind::kQuantize, "quantize", "quantize", {1, 3, 16, 16});
  Layer& conv1 = chain.add(LayerKind::kQconv2d, "qconv2d_relu_maxpool", "conv1", {1, 8, 8, 8});
  conv1.target = target;
  conv1.onnx_name = "/net/*/conv1";
  conv1.weight = filters({8, 3, 3, 3});
  conv1.bias = biases(8);
  conv1.window = {{3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}};
  conv1.shift = 7;
  conv1.relu = conv1.pool = true;
  Layer& conv2 = chain.add(LayerKind::kQconv2d, "qconv2d", "conv2", {1, 6, 8, 8});
  conv2.target = target;
  conv2.groups = 2;
  conv2.weight = filters({6, 4, 1, 1});
  conv2.bias = biases(6);
  chain.add(LayerKind::kRequantize, "requantize", "scale", {1, 6, 8, 8}).shift = -1;
  chain.add(LayerKind::kMaxPool, "maxpool", "pool", {1, 6, 3, 3}).window = {{3, 3}, {2, 2}, {1, 1}, {0, 0, 0, 0}};
  chain.add(LayerKind::kFlatten, "flatten", "flat", {1, 54});
  Layer& fc = chain.add(LayerKind::kQlinear, "qlinear_relu", "fc", {1, 5});
  fc.weight = filters({5, 54});
  fc.bias = biases(5);
  fc.relu = true;
  fc.target = linear;
  fc.reason = linear == Target::kCpu ? "why not" : "";
  chain.add(LayerKind::kDequantize, "dequantize", "dequantize", {1, 5}, ElementType::kFloat32);
  return chain.take();
}

Network every_kind(Target target) { return every_kind(target, target); }

std::shared_ptr<Mapper> mapper_for(MappingMode mode) {
  return std::make_shared<Mapper>(read_machine("sim/spec/machines/eyeriss_6x8.json"), mode);
}

EmitOptions options_for(Target target, const fs::path& folder = {}) {
  EmitOptions options;
  options.folder = folder;
  options.ir_before = "before\n";
  options.ir_after = "after\n";
  if (target == Target::kDla) {
    options.mapper = mapper_for(MappingMode::kSearch);
  }
  return options;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class EmitTest : public testing::TestWithParam<Target> {
 protected:
  EmitTest() : folder_(fs::path(testing::TempDir()) / ("fovea_emit_" + std::string(to_text(GetParam())))) {
    fs::remove_all(folder_);
  }
  ~EmitTest() override { fs::remove_all(folder_); }

  const fs::path folder_;
};

TEST_P(EmitTest, CompilesFreestandingWithoutAWarning) {
  emit_network(every_kind(GetParam()), options_for(GetParam(), folder_));
  const std::string command = std::string(FOVEA_C_COMPILER) +
                              " -std=c11 -ffreestanding -Wall -Wextra -Wpedantic -Wconversion -Werror -I sim"
                              " -I driver -I driver/runtime -c " +
                              (folder_ / "model.c").string() + " -o " + (folder_ / "model.o").string();
  EXPECT_EQ(std::system(command.c_str()), 0) << command << "\n" << read(folder_ / "model.c");
}

TEST_P(EmitTest, IsDeterministic) {
  const Network network = every_kind(GetParam());
  const EmitOptions options = options_for(GetParam());
  EXPECT_EQ(emit_c(plan_network(network, options), kDlaFloor), emit_c(plan_network(network, options), kDlaFloor));
}

TEST_P(EmitTest, WritesAllFiles) {
  const EmitReport report = emit_network(every_kind(GetParam()), options_for(GetParam(), folder_));
  EXPECT_EQ(read(folder_ / "ir_before.txt"), "before\n");
  EXPECT_EQ(read(folder_ / "ir_after.txt"), "after\n");
  EXPECT_EQ(fs::file_size(folder_ / "weight.bin"), 64 + report.weights_bytes);
  const auto summary = nlohmann::json::parse(read(folder_ / "tiny.json"));
  EXPECT_EQ(summary["target"], to_text(GetParam()));
  EXPECT_EQ(summary["arena_bytes"], report.arena_bytes);
  EXPECT_EQ(summary["layers"].size(), 8u);
  EXPECT_EQ(summary["layers"][6]["reason"], GetParam() == Target::kDla ? "" : "why not");
  EXPECT_EQ(report.layers[6].mapping.starts_with("C="), GetParam() == Target::kDla);
  EXPECT_EQ(summary["layers"][2].value("calls", nlohmann::json::array()).size(), GetParam() == Target::kDla ? 2u : 0u);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 5);
}

TEST_P(EmitTest, SummaryPlacesEveryBufferInTheArena) {
  const Network network = every_kind(GetParam());
  const EmitOptions options = options_for(GetParam());
  const auto summary = nlohmann::json::parse(summarize_as_json(plan_network(network, options), options));
  std::uint64_t peak = 0, naive = 0;
  for (const auto& buffer : summary["arena"]) {
    const std::uint64_t padded = (buffer["bytes"].get<std::uint64_t>() + kArenaAlignment - 1) & ~(kArenaAlignment - 1);
    peak = std::max(peak, buffer["offset"].get<std::uint64_t>() + padded);
    naive += padded;
    EXPECT_EQ(buffer["name"], summary["layers"][buffer["first"].get<std::size_t>()]["name"]);
    EXPECT_GT(buffer["last"], buffer["first"]);
  }
  EXPECT_EQ(peak, summary["arena_bytes"]);
  EXPECT_EQ(naive, summary["naive_arena_bytes"]);
}

TEST_P(EmitTest, SummaryPlacesEveryPeSetAndCountsEveryCycle) {
  const Network network = every_kind(GetParam());
  const EmitOptions options = options_for(GetParam());
  const auto summary = nlohmann::json::parse(summarize_as_json(plan_network(network, options), options));
  for (const auto& layer : summary["layers"]) {
    for (const auto& call : layer.value("calls", nlohmann::json::array())) {
      const std::uint32_t r = call["mapping"]["r"], t = call["mapping"]["t"], m = call["mapping"]["m"];
      const std::uint32_t M = call["shape"]["M"];
      EXPECT_EQ(call["array"]["sets"].size(), r * t);
      EXPECT_EQ(call["array"]["m_tiles"], (M + m - 1) / m);
      std::uint64_t cycles = 0;
      for (const auto& cause : call["predicted_causes"]) {
        cycles += cause.get<std::uint64_t>();
      }
      EXPECT_EQ(cycles, call["predicted_cycles"]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, EmitTest, testing::Values(Target::kDla, Target::kCpu),
                         [](const auto& target) { return std::string(to_text(target.param)); });

TEST(EmitC, LayerReadsAsAPersonWouldWriteIt) {
  const Network network = every_kind(Target::kDla, Target::kCpu);
  EmitOptions options = options_for(Target::kDla);
  options.mapper = mapper_for(MappingMode::kLab);
  const NetworkPlan plan = plan_network(network, options);
  const std::string cycles = std::to_string(plan.layers[1].device_calls[0].plan.cost.cycles);
  EXPECT_EQ(emit_layer(plan, plan.layers[1], kDlaNearestEven), R"(
  /* conv1 = qconv2d_relu_maxpool:  uint8 [3, 16, 16] -> uint8 [8, 8, 8]
     ONNX: /net/ * /conv1 */
  TRY(dla_qconv2d_relu_maxpool(rt, &(const struct dla_qconv2d){
      .name = "conv1",
      .ifmap = ARENA(quantize), .ofmap = ARENA(conv1), .filter = WEIGHT(conv1_filter),
      .shape = {.C = 3, .H = 16, .W = 16, .M = 8, .R = 3, .S = 3, .U = 1, .PAD = 1, .pool = true},
      .mapping = {.m = 8, .n = 1, .e = 8, .p = 4, .q = 3, .r = 1, .t = 2, .e_glb = 8, .ifmap_resident = false,
                  .filter_buffers = 2, .order = kDlaLoopOrderRowsFiltersChannels},
      .glb = {.ifmap = {0, 0x2000}, .filter = {0x2000, 0x800}, .psum = {0x2800, 0}, .out = {0x2800, 0x800}},
      .quant = {.shift = 7, .rounding = kDlaNearestEven, .relu = true, .ifmap_zero_point = 128, .ofmap_zero_point = 128},
      .predicted_cycles = )" + cycles + R"(,
  }));
)");
  EXPECT_EQ(emit_layer(plan, plan.layers[5], kDlaNearestEven), R"(
  /* flat = flatten:  uint8 [6, 3, 3] -> uint8 [54], the same bytes */
)");
  EXPECT_EQ(emit_layer(plan, plan.layers[6], kDlaFloor), R"(
  /* fc = qlinear_relu:  uint8 [54] -> uint8 [5]
     On the CPU: why not */
  TRY(dla_qlinear_relu_cpu(rt, &(const struct dla_qlinear_cpu){
      .name = "fc",
      .ifmap = ARENA(pool), .ofmap = ARENA(fc), .filter = WEIGHT(fc_filter), .bias = WEIGHT(fc_bias),
      .C = 54, .M = 5,
      .quant = {.shift = 0, .rounding = kDlaFloor, .relu = true, .ifmap_zero_point = 128, .ofmap_zero_point = 128},
  }));
)");
}

TEST(EmitC, FullyConnectedLayerIsAConvolutionOfItsFactors) {
  const Network network = every_kind(Target::kDla);
  const NetworkPlan plan = plan_network(network, options_for(Target::kDla));
  ASSERT_EQ(plan.layers[6].device_calls.size(), 1u);
  const dla_shape& s = plan.layers[6].device_calls[0].shape;
  EXPECT_EQ(s.C * s.R * s.S, 54u);
  const std::string R = std::to_string(s.R), S = std::to_string(s.S);
  EXPECT_THAT(emit_layer(plan, plan.layers[6], kDlaFloor), StartsWith(R"(
  /* fc = qlinear_relu:  uint8 [54] -> uint8 [5] */
  TRY(dla_qlinear_relu(rt, &(const struct dla_qconv2d){
      .name = "fc",
      .ifmap = ARENA(pool), .ofmap = ARENA(fc), .filter = WEIGHT(fc_filter),
      .shape = {.C = )" + std::to_string(s.C) + ", .H = " + R + ", .W = " +
                                                                      S + ", .M = 5, .R = " + R + ", .S = " + S +
                                                                      R"(, .U = 1, .PAD = 0, .pool = false},
      .mapping = {.m = 5, )"));
}

TEST(PlanNetwork, GroupsAreCutInChannels) {
  const Network network = every_kind(Target::kDla);
  const NetworkPlan plan = plan_network(network, options_for(Target::kDla));
  const LayerPlan& conv2 = plan.layers[2];
  ASSERT_EQ(conv2.device_calls.size(), 2u);
  EXPECT_EQ(conv2.device_calls[0].ifmap_skip, 0u);
  EXPECT_EQ(conv2.device_calls[1].ifmap_skip, 4u * 8 * 8);
  EXPECT_EQ(conv2.device_calls[1].ofmap_skip, 3u * 8 * 8);
  EXPECT_EQ(conv2.device_calls[1].shape.C, 4u);
  EXPECT_EQ(conv2.device_calls[1].shape.M, 3u);
  const WeightEntry& second = plan.weights.entries()[2];
  EXPECT_EQ(second.name, "conv2_group1_filter");
  std::int32_t bias = 0;
  std::memcpy(&bias, plan.weights.payload().data() + second.offset, sizeof bias);
  EXPECT_EQ(bias, 0) << "bias 3 of 6 is the second group's first";
}

TEST(PlanNetwork, ViewsShareTheirBytes) {
  const Network network = every_kind(Target::kCpu);
  const NetworkPlan plan = plan_network(network, options_for(Target::kCpu));
  EXPECT_EQ(plan.layers[5].output.buffer, plan.layers[4].output.buffer);
  EXPECT_EQ(plan.buffers[plan.layers[4].output.buffer].life.last, 6u) << "pool's bytes live until fc has read them";
  EXPECT_EQ(plan.layers[0].input.memory, Memory::kHostInput);
  EXPECT_EQ(plan.layers[7].output.memory, Memory::kHostOutput);
  EXPECT_EQ(plan.machine, "");
  EXPECT_LT(plan.arena_bytes, plan.naive_arena_bytes);
}

TEST(PlanNetwork, KeyTellsMappingsAndWeightsApart) {
  const Network network = every_kind(Target::kDla, Target::kCpu);
  EmitOptions options = options_for(Target::kDla);
  const std::uint32_t key = plan_network(network, options).model_key;
  options.mapper = mapper_for(MappingMode::kLab);
  EXPECT_NE(plan_network(network, options).model_key, key);
  options.mapper = mapper_for(MappingMode::kSearch);
  Network other = every_kind(Target::kDla, Target::kCpu);
  Tensor changed = *other.layers[1].weight;
  changed.values<std::int8_t>()[0] = 99;
  other.layers[1].weight = std::make_shared<Tensor>(changed);
  EXPECT_NE(plan_network(other, options).model_key, key);
  EXPECT_EQ(plan_network(network, options).model_key, key);
}

TEST(PlanNetwork, RefusesANetworkOfNothing) {
  Chain chain({1, 4});
  chain.add(LayerKind::kFlatten, "flatten", "flat", {1, 4}, ElementType::kFloat32);
  const Network network = chain.take();
  try {
    plan_network(network, options_for(Target::kCpu));
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "tiny: its output is its input; there is nothing to compile");
  }
}

TEST(CText, IsSafeInStringsAndComments) {
  EXPECT_EQ(c_string("a\"b\\c\n?\?/"), "\"a\\\"b\\\\c\\012\\077\\077/\"");
  EXPECT_EQ(c_comment("a*/b/*c\nd"), "a* /b/ *c d");
  EXPECT_EQ(c_comment("*/*"), "* / *");
}

}  // namespace
}  // namespace fovea
