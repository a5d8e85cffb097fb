// SPDX-License-Identifier: Apache-2.0
/// \file
/// Emitted code for a hand-made network with every kind of layer: it compiles freestanding, and says what was planned.
#include "emit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "codegen/c_text.h"
#include "emit_c.h"
#include "layers/device_pool.h"
#include "network_plan.h"
#include "summary.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
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

const LayerKind* find_kind(std::string_view name) {
  for (const LayerKind& kind : layer_kinds()) {
    if (kind.name == name) {
      return &kind;
    }
  }
  return nullptr;
}

Quantization scaled(float scale, ElementType element = ElementType::kUint8) {
  return per_tensor(element, scale, element == ElementType::kUint8 ? 128 : 0);
}

/// Weights and biases that ask for a right shift of `shift`.
Accumulation accumulation(Shape filter, int shift, bool relu) {
  const std::int64_t M = filter[0];
  return {filters(std::move(filter)),
          biases(M),
          scaled(0x1p-5F),
          scaled(std::ldexp(0x1p1F, -shift), ElementType::kInt8),
          scaled(0x1p-4F),
          relu};
}

/// Appends layers to a network, each reading the one before unless told otherwise.
class Builder {
 public:
  explicit Builder(Shape input) {
    network_.name = "tiny";
    network_.tensors.push_back({"input", {std::move(input), ElementType::kFloat32}});
    network_.inputs = {{"input", 0}};
  }

  Layer& add(std::string_view kind, std::string composite, std::string name, LayerBody body, Shape shape,
             ElementType element = ElementType::kUint8) {
    Layer layer;
    layer.kind = find_kind(kind);
    layer.composite = std::move(composite);
    layer.name = name;
    layer.body = std::move(body);
    layer.target = "cpu";
    layer.inputs = {network_.tensors.size() - 1};
    layer.input_types = {network_.tensors.back().type};
    layer.output = network_.tensors.size();
    layer.output_type = {std::move(shape), element};
    network_.tensors.push_back({std::move(name), layer.output_type});
    network_.outputs = {{"output", layer.output}};
    network_.layers.push_back(std::move(layer));
    return network_.layers.back();
  }

  /// Reads the tensors of these layers.
  void read(Layer& layer, const std::vector<TensorId>& inputs) {
    layer.inputs = inputs;
    layer.input_types.clear();
    for (const TensorId input : inputs) {
      layer.input_types.push_back(network_.tensors[input].type);
    }
  }

  Network take() { return std::move(network_); }

 private:
  Network network_;
};

/// Every kind of layer of a chain once; convolutions on `target`, one of them in two groups, the fully connected one on
/// `linear`.
Network every_kind(const std::string& target, const std::string& linear) {
  Builder chain({1, 3, 16, 16});
  chain.add("quantize", "quantize", "quantize", Quantize{scaled(0x1p-4F)}, {1, 3, 16, 16});
  const Window same = {{3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}};
  Layer& conv1 = chain.add("qconv2d", "qconv2d_relu_maxpool", "conv1",
                           Qconv2d{accumulation({8, 3, 3, 3}, 7, true), same, 1, kPlainPool}, {1, 8, 8, 8});
  conv1.target = target;
  conv1.onnx_name = "/net/*/conv1";
  chain.add("qconv2d", "qconv2d", "conv2", Qconv2d{accumulation({6, 4, 1, 1}, 0, false), {}, 2, {}}, {1, 6, 8, 8})
      .target = target;
  chain.add("requantize", "requantize", "scale", Requantize{scaled(0x1p-3F), scaled(0x1p-4F), false}, {1, 6, 8, 8});
  chain.add("maxpool", "maxpool", "pool", MaxPool{{{3, 3}, {2, 2}, {1, 1}, {0, 0, 0, 0}}, false}, {1, 6, 3, 3});
  chain.add("flatten", "flatten", "flat", View{}, {1, 54});
  Layer& fc = chain.add("qlinear", "qlinear_relu", "fc", Qlinear{accumulation({5, 54}, 0, true)}, {1, 5});
  fc.target = linear;
  fc.reason = linear == "cpu" ? "why not" : "";
  chain.add("dequantize", "dequantize", "dequantize", Dequantize{scaled(0x1p-4F)}, {1, 5}, ElementType::kFloat32);
  return chain.take();
}

Network every_kind(const std::string& target) { return every_kind(target, target); }

/// Kinds of layers that say their scale, at scales that are no powers of two; conv1 has one a filter.
Network at_any_scales() {
  Builder chain({1, 3, 16, 16});
  chain.add("quantize", "quantize", "quantize", Quantize{scaled(0.1F)}, {1, 3, 16, 16});
  Accumulation per_filter = accumulation({2, 3, 3, 3}, 7, true);
  per_filter.w.scales = {0.5F, 0.75F};
  chain.add("qconv2d", "qconv2d_relu_maxpool", "conv1",
            Qconv2d{per_filter, {{3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}}, 1, kPlainPool}, {1, 2, 8, 8});
  const auto tables = std::make_shared<const Tensor>(TensorType{{2, 256}, ElementType::kUint8});
  chain.add("lookup", "lookup", "prelu", Lookup{tables, 1}, {1, 2, 8, 8});
  chain.add("flatten", "flatten", "flat", View{}, {1, 128});
  Accumulation per_layer = accumulation({5, 128}, 0, false);
  per_layer.y = scaled(0.3F);
  chain.add("qlinear", "qlinear", "fc", Qlinear{per_layer}, {1, 5});
  chain.add("dequantize", "dequantize", "dequantize", Dequantize{scaled(0.3F)}, {1, 5}, ElementType::kFloat32);
  return chain.take();
}

/// Two inputs and two outputs: quantized, added, joined with one of them; the sum and the join are given.
Network two_ends() {
  Builder graph({1, 2, 2, 2});
  graph.add("quantize", "quantize", "qa", Quantize{scaled(0x1p-4F)}, {1, 2, 2, 2});
  Layer& b = graph.add("quantize", "quantize", "qb", Quantize{scaled(0x1p-3F)}, {1, 2, 2, 2});
  graph.read(b, {0});
  const Shape shape{1, 2, 2, 2};
  Layer& sum = graph.add(
      "qadd", "qadd_relu", "sum",
      Qbinary{kDlaAdd, {scaled(0x1p-4F), nullptr, shape}, {scaled(0x1p-3F), nullptr, shape}, scaled(0x1p-2F), true},
      shape);
  graph.read(sum, {1, 2});
  Layer& join = graph.add("qconcat", "qconcat", "join", Qconcat{1, {scaled(0x1p-2F), scaled(0x1p-4F)}, scaled(0x1p-3F)},
                          {1, 4, 2, 2});
  graph.read(join, {3, 1});
  graph.add("dequantize", "dequantize", "y1", Dequantize{scaled(0x1p-3F)}, {1, 4, 2, 2}, ElementType::kFloat32);
  Layer& y2 =
      graph.add("dequantize", "dequantize", "y2", Dequantize{scaled(0x1p-2F)}, {1, 2, 2, 2}, ElementType::kFloat32);
  graph.read(y2, {3});
  Network network = graph.take();
  network.tensors.push_back({"other", network.tensors[0].type});
  network.inputs.push_back({"other", network.tensors.size() - 1});
  network.layers[1].inputs = {network.tensors.size() - 1};
  network.outputs = {{"joined", 5}, {"sum \"relu\"", 6}};
  return network;
}

std::shared_ptr<Mapper> mapper_for(MappingMode mode) {
  return std::make_shared<Mapper>(read_machine("sim/spec/machines/eyeriss_6x8.json"), mode);
}

EmitOptions options_for(const std::string& target, const fs::path& folder = {},
                        MappingMode mode = MappingMode::kSearch) {
  EmitOptions options;
  options.folder = folder;
  options.targets = make_targets(target, {[mode] { return mapper_for(mode); }, {}});
  options.ir_before = "before\n";
  options.ir_after = "after\n";
  options.ir_constants = {std::byte{'a'}, std::byte{'b'}, std::byte{'c'}};
  return options;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class EmitTest : public testing::TestWithParam<std::string> {
 protected:
  EmitTest() : folder_(fs::path(testing::TempDir()) / ("fovea_emit_" + GetParam())) { fs::remove_all(folder_); }
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

TEST_P(EmitTest, CompilesAtScalesOfAnyKind) {
  emit_network(at_any_scales(), options_for(GetParam(), folder_));
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
  EXPECT_EQ(summary["target"], GetParam());
  EXPECT_EQ(summary["arena_bytes"], report.arena_bytes);
  EXPECT_EQ(summary["layers"].size(), 8u);
  EXPECT_EQ(summary["layers"][6]["reason"], GetParam() == "dla" ? "" : "why not");
  EXPECT_EQ(report.layers[6].mapping.starts_with("C="), GetParam() == "dla");
  EXPECT_EQ(summary["layers"][2].value("calls", nlohmann::json::array()).size(), GetParam() == "dla" ? 1u : 0u);
  EXPECT_EQ(read(folder_ / kIrConstants), "abc");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 7)
      << "the six, and the list of them";
}

TEST_P(EmitTest, SummaryPlacesEveryBufferInTheArena) {
  const Network network = every_kind(GetParam());
  const EmitOptions options = options_for(GetParam());
  const auto summary = nlohmann::json::parse(summarize_as_json(plan_network(network, options), options));
  const auto alignment = summary["arena_alignment"].get<std::uint64_t>();
  EXPECT_EQ(alignment, 16u);
  std::uint64_t peak = 0, naive = 0;
  for (const auto& buffer : summary["arena"]) {
    const std::uint64_t padded = (buffer["bytes"].get<std::uint64_t>() + alignment - 1) & ~(alignment - 1);
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
      const std::uint32_t g = call["mapping"].value("g", 0u), G = call["shape"].value("G", 1u);
      const std::uint32_t M = (g == 0 ? 1 : G) * call["shape"]["M"].get<std::uint32_t>();
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

TEST_P(EmitTest, SeveralEndsCompileToo) {
  emit_network(two_ends(), options_for(GetParam(), folder_));
  const std::string command = std::string(FOVEA_C_COMPILER) +
                              " -std=c11 -ffreestanding -Wall -Wextra -Wpedantic -Wconversion -Werror -I sim"
                              " -I driver -I driver/runtime -c " +
                              (folder_ / "model.c").string() + " -o " + (folder_ / "model.o").string();
  EXPECT_EQ(std::system(command.c_str()), 0) << command << "\n" << read(folder_ / "model.c");
  const auto summary = nlohmann::json::parse(read(folder_ / "tiny.json"));
  EXPECT_EQ(summary["inputs"][1]["name"], "other");
  EXPECT_EQ(summary["outputs"][0]["shape"], (std::vector<int>{4, 2, 2}));
  EXPECT_EQ(summary["layers"][2]["inputs"][1]["from"], "qb");
}

INSTANTIATE_TEST_SUITE_P(Targets, EmitTest, testing::Values("dla", "cpu"),
                         [](const auto& target) { return target.param; });

TEST(EmitC, LayerReadsAsAPersonWouldWriteIt) {
  const Network network = every_kind("dla", "cpu");
  EmitOptions options = options_for("dla", {}, MappingMode::kLab);
  NetworkPlan plan = plan_network(network, options);
  const std::string cycles = std::to_string(plan.layers[1].predicted_cycles);
  EXPECT_EQ(emit_layer(plan.layers[1]), R"(
  /* conv1 = qconv2d_relu_maxpool:  uint8 [3, 16, 16] -> uint8 [8, 8, 8]
     ONNX: /net/ * /conv1 */
  TRY(dla_run_on_device(rt, &(const struct dla_device_layer){
      .operation = "qconv2d_relu_maxpool", .name = "conv1",
      .ifmap = ARENA(quantize), .ofmap = ARENA(conv1), .filter = WEIGHT(conv1_filter),
      .shape = {.C = 3, .H = 16, .W = 16, .M = 8, .R = 3, .S = 3, .U = 1, .V = 1, .pad_top = 1,
                .pad_left = 1, .pad_bottom = 1, .pad_right = 1, .pool = true, .scaled = false, .filter_scales = false},
      .mapping = {.m = 8, .n = 1, .e = 8, .p = 4, .q = 3, .r = 1, .t = 2, .e_glb = 8, .ifmap_resident = false,
                  .filter_buffers = 2, .order = kDlaLoopOrderRowsFiltersChannels},
      .glb = {.ifmap = {0x800, 0x2000}, .filter = {0xf800, 0x800}, .psum = {0x2800, 0}, .out = {0, 0x800}},
      .quant = {.shift = 7, .rounding = kDlaNearestEven, .lowest = 128, .ifmap_zero_point = 128, .ofmap_zero_point = 128},
      .predicted_cycles = )" + cycles + R"(,
  }));
)");
  EXPECT_EQ(emit_layer(plan.layers[5]), R"(
  /* flat = flatten:  uint8 [6, 3, 3] -> uint8 [54], the same bytes */
)");
  options.rounding = kDlaFloor;
  plan = plan_network(network, options);
  EXPECT_EQ(emit_layer(plan.layers[6]), R"(
  /* fc = qlinear_relu:  uint8 [54] -> uint8 [5]
     On the CPU: why not */
  TRY(dla_qlinear_cpu(rt, &(const struct dla_qlinear_cpu){
      .name = "fc",
      .ifmap = ARENA(pool), .ofmap = ARENA(fc), .filter = WEIGHT(fc_filter), .bias = WEIGHT(fc_bias),
      .C = 54, .M = 5,
      .quant = {.shift = 0, .rounding = kDlaFloor, .lowest = 128, .ifmap_zero_point = 128, .ofmap_zero_point = 128},
  }));
)");
}

TEST(EmitC, ScalesOfAnyKindAreFloatsOrConstants) {
  const Network network = at_any_scales();
  const NetworkPlan plan = plan_network(network, options_for("cpu"));
  EXPECT_EQ(emit_layer(plan.layers[0]), R"(
  /* quantize = quantize:  float32 [3, 16, 16] -> uint8 [3, 16, 16] */
  TRY(dla_quantize_cpu(rt, &(const struct dla_quantize){
      .name = "quantize",
      .input_host = input, .output = ARENA(quantize),
      .rank = 3, .shape = {3, 16, 16},
      .scale = 0x1.99999ap-4f, .zero_point = 128, .rounding = kDlaNearestEven,
  }));
)");
  EXPECT_EQ(emit_layer(plan.layers[1]), R"(
  /* conv1 = qconv2d_relu_maxpool:  uint8 [3, 16, 16] -> uint8 [2, 8, 8] */
  TRY(dla_qconv2d_cpu(rt, &(const struct dla_qconv2d_cpu){
      .name = "conv1",
      .ifmap = ARENA(quantize), .ofmap = ARENA(conv1), .filter = WEIGHT(conv1_filter), .bias = WEIGHT(conv1_bias),
      .C = 3, .H = 16, .W = 16, .M = 2, .groups = 1,
      .window = {.kernel = {3, 3}, .strides = {1, 1}, .dilations = {1, 1}, .pads = {1, 1, 1, 1}},
      .quant = {.shift = 0, .rounding = kDlaNearestEven, .lowest = 128, .ifmap_zero_point = 128, .ofmap_zero_point = 128},
      .scaling = kDlaByScales, .scales = WEIGHT(conv1_scale),
      .pool = true,
  }));
)");
  EXPECT_EQ(emit_layer(plan.layers[2]), R"(
  /* prelu = lookup:  uint8 [2, 8, 8] -> uint8 [2, 8, 8] */
  TRY(dla_lookup_cpu(rt, &(const struct dla_lookup_cpu){
      .name = "prelu",
      .ifmap = ARENA(conv1), .ofmap = ARENA(prelu),
      .rank = 3, .shape = {2, 8, 8},
      .tables = WEIGHT(prelu_table), .count = 2, .run = 64,
  }));
)");
  EXPECT_EQ(emit_layer(plan.layers[4]), R"(
  /* fc = qlinear:  uint8 [128] -> uint8 [5] */
  TRY(dla_qlinear_cpu(rt, &(const struct dla_qlinear_cpu){
      .name = "fc",
      .ifmap = ARENA(prelu), .ofmap = ARENA(fc), .filter = WEIGHT(fc_filter), .bias = WEIGHT(fc_bias),
      .C = 128, .M = 5,
      .quant = {.shift = 0, .rounding = kDlaNearestEven, .lowest = 0, .ifmap_zero_point = 128, .ofmap_zero_point = 128, .scale = 0x1.aaaaaap-3f},
      .scaling = kDlaByScale,
  }));
)");
  const std::vector<WeightEntry>& entries = plan.weights.entries();
  const auto scale = std::find_if(entries.begin(), entries.end(),
                                  [](const WeightEntry& entry) { return entry.name == "conv1_scale"; });
  ASSERT_NE(scale, entries.end());
  std::array<float, 2> scales{};
  ASSERT_EQ(scale->bytes, sizeof scales);
  std::memcpy(scales.data(), plan.weights.payload().data() + scale->offset, sizeof scales);
  EXPECT_EQ(scales, (std::array<float, 2>{0x1p-5F * 0.5F / 0x1p-4F, 0x1p-5F * 0.75F / 0x1p-4F}));
}

TEST(EmitC, OnlyPowersOfTwoAreRoundedDown) {
  EmitOptions options = options_for("cpu");
  options.rounding = kDlaFloor;
  try {
    plan_network(at_any_scales(), options);
    FAIL();
  } catch (const UserError& error) {
    const char* advice =
        ": has scales that are not powers of two, and only those can be rounded down; --rounding nearest_even "
        "takes any";
    EXPECT_THAT(error.what(), StartsWith(std::string("quantize") + advice + "\nconv1" + advice));
  }
}

TEST(DlaTarget, TakesAnyScale) {
  const std::shared_ptr<Target> target = options_for("dla").targets.at(0).target;
  const Network network = at_any_scales();
  EXPECT_EQ(target->refuse(network.layers[1]), std::nullopt) << "a scale a filter";
  EXPECT_EQ(target->refuse(network.layers[4]), std::nullopt);
  Layer left = network.layers[4];
  std::get<Qlinear>(left.body).sum = accumulation({5, 128}, -1, false);
  EXPECT_EQ(target->refuse(left), std::nullopt) << "a shift to the left";
}

TEST(DlaTarget, GivesTheScaleWhereThereIsNoShift) {
  Network network = at_any_scales();
  network.layers[1].target = network.layers[4].target = "dla";
  const NetworkPlan plan = plan_network(network, options_for("dla"));
  EXPECT_THAT(emit_layer(plan.layers[4]), HasSubstr(".pool = false, .scaled = true, .filter_scales = false}"));
  EXPECT_THAT(emit_layer(plan.layers[1]), HasSubstr(".pool = true, .scaled = true, .filter_scales = true}"));
  EXPECT_THAT(emit_layer(plan.layers[4]), HasSubstr(".quant = {.shift = 0, .rounding = kDlaNearestEven, .lowest = 0, "
                                                    ".ifmap_zero_point = 128, .ofmap_zero_point = 128, "
                                                    ".scale = 0x1.aaaaaap-3f}"));
}

TEST(EmitC, FullyConnectedLayerIsAConvolutionOfItsFactors) {
  const Network network = every_kind("dla");
  const NetworkPlan plan = plan_network(network, options_for("dla"));
  ASSERT_EQ(plan.layers[6].json.size(), 1u);
  const nlohmann::ordered_json& s = plan.layers[6].json[0]["shape"];
  EXPECT_EQ(s["C"].get<int>() * s["R"].get<int>() * s["S"].get<int>(), 54);
  const std::string R = s["R"].dump(), S = s["S"].dump();
  EXPECT_THAT(emit_layer(plan.layers[6]), StartsWith(R"(
  /* fc = qlinear_relu:  uint8 [54] -> uint8 [5] */
  TRY(dla_run_on_device(rt, &(const struct dla_device_layer){
      .operation = "qlinear_relu", .name = "fc", .is_flat = true,
      .ifmap = ARENA(pool), .ofmap = ARENA(fc), .filter = WEIGHT(fc_filter),
      .shape = {.C = )" + s["C"].dump() + ", .H = " + R +
                                                     ", .W = " + S + ", .M = 5, .R = " + R + ", .S = " + S +
                                                     R"(, .U = 1, .V = 1, .pad_top = 0,
                .pad_left = 0, .pad_bottom = 0, .pad_right = 0, .pool = false, .scaled = false, .filter_scales = false},
      .mapping = {.m = )"));
}

TEST(EmitC, SumsAndJoinsReadSeveralTensors) {
  const Network network = two_ends();
  const NetworkPlan plan = plan_network(network, options_for("cpu"));
  EXPECT_EQ(emit_layer(plan.layers[2]), R"(
  /* sum = qadd_relu:  uint8 [2, 2, 2], uint8 [2, 2, 2] -> uint8 [2, 2, 2] */
  TRY(dla_qbinary_cpu(rt, &(const struct dla_qbinary_cpu){
      .name = "sum", .op = kDlaAdd,
      .a = {.data = ARENA(qa), .shape = {2, 2, 2}, .scale = 0x1p-4f, .zero_point = 128},
      .b = {.data = ARENA(qb), .shape = {2, 2, 2}, .scale = 0x1p-3f, .zero_point = 128},
      .ofmap = ARENA(sum),
      .rank = 3, .shape = {2, 2, 2},
      .ofmap_scale = 0x1p-2f, .ofmap_zero_point = 128,
      .relu = true, .rounding = kDlaNearestEven,
  }));
)");
  EXPECT_EQ(emit_layer(plan.layers[3]), R"(
  /* join = qconcat:  uint8 [2, 2, 2], uint8 [2, 2, 2] -> uint8 [4, 2, 2] */
  TRY(dla_concat_cpu(rt, &(const struct dla_concat_cpu){
      .name = "join",
      .y = ARENA(join), .type = "uint8", .element_bytes = 1,
      .rank = 3, .shape = {4, 2, 2},
      .runs = 1, .inputs = (const struct dla_concat_input[]){
          {.x = ARENA(sum), .run_bytes = 8, .has_table = true, .table = WEIGHT(join_table0)},
          {.x = ARENA(qa), .run_bytes = 8, .has_table = true, .table = WEIGHT(join_table1)},
      },
      .count = 2,
  }));
)");
}

TEST(PlanNetwork, AValueLivesUntilItsLastReader) {
  const Network network = two_ends();
  const NetworkPlan plan = plan_network(network, options_for("cpu"));
  ASSERT_EQ(plan.buffers.size(), 4u) << "qa, qb, sum, join; the outputs are the host's";
  EXPECT_EQ(plan.buffers[0].life.last, 3u) << "the join reads qa after the sum has";
  EXPECT_EQ(plan.buffers[1].life.last, 2u);
  EXPECT_EQ(plan.buffers[2].life.last, 5u) << "the second output reads the sum";
  const std::string text = emit_c(plan, kDlaNearestEven);
  EXPECT_THAT(text, HasSubstr(".input_host = inputs[1], .output = ARENA(qb)"));
  EXPECT_THAT(text, HasSubstr(".input = ARENA(sum), .output_host = outputs[1]"));
  EXPECT_THAT(text, HasSubstr("{.name = \"sum \\\"relu\\\"\", .rank = 3, .shape = {2, 2, 2}}"));
}

TEST(PlanNetwork, GroupsAreOneCommand) {
  const Network network = every_kind("dla");
  const NetworkPlan plan = plan_network(network, options_for("dla"));
  const PlannedLayer& conv2 = plan.layers[2];
  ASSERT_EQ(conv2.calls.size(), 1u);
  EXPECT_EQ(conv2.calls[0].fields[1], ".ifmap = ARENA(conv1), .ofmap = ARENA(conv2), .filter = WEIGHT(conv2_filter)");
  EXPECT_EQ(conv2.json[0]["shape"]["G"], 2);
  EXPECT_EQ(conv2.json[0]["shape"]["C"], 4);
  EXPECT_EQ(conv2.json[0]["shape"]["M"], 3);
  EXPECT_EQ(plan.weights.entries()[1].name, "conv2_filter");
}

TEST(PlanNetwork, ViewsShareTheirBytes) {
  const Network network = every_kind("cpu");
  const NetworkPlan plan = plan_network(network, options_for("cpu"));
  EXPECT_THAT(plan.layers[6].calls[0].fields[1], StartsWith(".ifmap = ARENA(pool), "));
  EXPECT_EQ(plan.buffers[4].name, "pool");
  EXPECT_EQ(plan.buffers[4].life.last, 6u) << "pool's bytes live until fc has read them";
  EXPECT_THAT(plan.layers[0].calls[0].fields[1], StartsWith(".input_host = input, "));
  EXPECT_THAT(plan.layers[7].calls[0].fields[1], HasSubstr(".output_host = output"));
  EXPECT_EQ(plan.machine, "");
  EXPECT_LT(plan.arena_bytes, plan.naive_arena_bytes);
}

TEST(PlanNetwork, KeyTellsMappingsAndWeightsApart) {
  const Network network = every_kind("dla", "cpu");
  const std::uint32_t key = plan_network(network, options_for("dla")).model_key;
  EXPECT_NE(plan_network(network, options_for("dla", {}, MappingMode::kLab)).model_key, key);
  Network other = every_kind("dla", "cpu");
  auto& weight = std::get<Qconv2d>(other.layers[1].body).sum.weight;
  Tensor changed = *weight;
  changed.values<std::int8_t>()[0] = 99;
  weight = std::make_shared<Tensor>(changed);
  EXPECT_NE(plan_network(other, options_for("dla")).model_key, key);
  EXPECT_EQ(plan_network(network, options_for("dla")).model_key, key);
}

std::string plan_error(const Network& network, const std::string& target) {
  try {
    plan_network(network, options_for(target));
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(PlanNetwork, RefusesANetworkOfNothing) {
  Builder chain({1, 4});
  chain.add("flatten", "flatten", "flat", View{}, {1, 4}, ElementType::kFloat32);
  EXPECT_EQ(plan_error(chain.take(), "cpu"), "tiny: its output is its input; there is nothing to compile");
  Network network = two_ends();
  network.outputs[1].tensor = 0;
  EXPECT_EQ(plan_error(network, "cpu"),
            "tiny: the output sum \"relu\" is the input input; a network whose outputs are computed works");
}

TEST(PlanNetwork, RefusesALayerOfAnotherTarget) {
  EXPECT_EQ(plan_error(every_kind("dla", "cpu"), "cpu"),
            "conv1: is for the target dla, which this network is not compiled for");
}

TEST(CText, IsSafeInStringsAndComments) {
  EXPECT_EQ(c_string("a\"b\\c\n?\?/"), "\"a\\\"b\\\\c\\012\\077\\077/\"");
  EXPECT_EQ(c_comment("a*/b/*c\nd"), R"(a* /b/ *c\x0ad)");
  EXPECT_EQ(c_comment("*/*"), "* / *");
}

}  // namespace
}  // namespace fovea
