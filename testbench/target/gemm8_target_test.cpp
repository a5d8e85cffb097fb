// SPDX-License-Identifier: Apache-2.0
/// \file
/// A network on the matrix unit, as far as it goes, against the same network on the CPU alone.
#include "gemm8_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>

#include "emit/emit.h"
#include "gemm8.h"
#include "hal/dla_host_memory.h"
#include "layers/collect_layers.h"
#include "passes/pipeline.h"
#include "program/network.h"
#include "targets/added_target.h"
#include "tensor/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// A target is a row: these are the tables that a network is compiled with.
std::vector<NamedTarget> targets_of(const std::string& name) {
  std::vector<NamedTarget> targets = make_targets("cpu", {});
  if (name == "gemm8") {
    targets.insert(targets.begin(), {"gemm8", make_gemm8_target({})});
  }
  return targets;
}

/// Adds quantize(relu?(dense(dequantize(x), w) + b)) with random weights.
NodeId add_dense(GraphBuilder& graph, NodeId x, std::int64_t C, std::int64_t M, bool relu, std::mt19937& random) {
  Tensor weights({{M, C}, ElementType::kInt8}), biases({{M}, ElementType::kInt32});
  for (std::int8_t& weight : weights.values<std::int8_t>()) {
    weight = static_cast<std::int8_t>(std::uniform_int_distribution<>(-128, 127)(random));
  }
  for (std::int32_t& bias : biases.values<std::int32_t>()) {
    bias = std::uniform_int_distribution<>(-4000, 4000)(random);
  }
  const auto scale = [&](float value) { return graph.constant(Tensor::of<float>({}, {value})); };
  const auto dequantize = [&](NodeId value, float by, NodeId zero_point) {
    return graph.call("qnn.dequantize", {value, scale(by), zero_point}, {{"axis", std::int64_t{0}}});
  };
  const NodeId middle = graph.constant(Tensor::of<std::uint8_t>({}, {128}));
  const std::string name = "fc" + std::to_string(C);
  const NodeId w =
      dequantize(graph.constant(std::move(weights)), 0x1p-6F, graph.constant(Tensor::of<std::int8_t>({}, {0})));
  const NodeId b =
      dequantize(graph.constant(std::move(biases)), 0x1p-10F, graph.constant(Tensor::of<std::int32_t>({}, {0})));
  NodeId y = graph.call("nn.dense", {dequantize(x, 0x1p-4F, middle), w}, {}, name);
  y = graph.call("nn.bias_add", {y, b}, {{"axis", std::int64_t{1}}}, name);
  y = relu ? graph.call("nn.relu", {y}, {}, name) : y;
  return graph.call("qnn.quantize", {y, scale(0x1p-4F), middle}, {{"axis", std::int64_t{0}}}, name);
}

/// Three fully connected layers; the second is too wide for the unit.
Graph three_layers(std::mt19937& random) {
  GraphBuilder graph;
  const NodeId x = graph.input("x", {{1, 40}, ElementType::kFloat32});
  const NodeId scale = graph.constant(Tensor::of<float>({}, {0x1p-4F}));
  const NodeId middle = graph.constant(Tensor::of<std::uint8_t>({}, {128}));
  NodeId y = graph.call("qnn.quantize", {x, scale, middle}, {{"axis", std::int64_t{0}}});
  y = add_dense(graph, y, 40, 32, true, random);
  y = add_dense(graph, y, 32, 50, true, random);
  y = add_dense(graph, y, 50, 7, false, random);
  return graph.finish({graph.call("qnn.dequantize", {y, scale, middle}, {{"axis", std::int64_t{0}}})});
}

class Gemm8 : public testing::Test {
 protected:
  Gemm8() { fs::remove_all(root_); }
  ~Gemm8() override { fs::remove_all(root_); }

  /// Compiles the network for a target and its C with cc. \return its folder.
  fs::path compile(const Graph& graph, const std::string& target) const {
    PipelineOptions options;
    options.targets = targets_of(target);
    EmitOptions emit;
    emit.folder = root_ / target;
    emit.targets = options.targets;
    emit_network(collect_layers(run_pipeline(graph, options), "net"), emit);
    const std::string command = C_COMPILER
                                " -std=c11 -fPIC -shared -Wall -Wextra -Werror -Isim -Idriver -Idriver/runtime"
                                " -Itestbench/target -o " +
                                (emit.folder / "model.so").string() + " " + (emit.folder / "model.c").string();
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return emit.folder;
  }

  const fs::path root_ = fs::path(testing::TempDir()) / "fovea_gemm8";
};

/// Runs a compiled network on host memory.
class HostRun {
 public:
  explicit HostRun(const fs::path& folder)
      : compiled_(folder), memory_(compiled_.memory_bytes() + DLA_HOST_MEMORY_ALIGN) {
    const auto at = reinterpret_cast<std::uintptr_t>(memory_.data());
    void* aligned = memory_.data() + (DLA_HOST_MEMORY_ALIGN - at % DLA_HOST_MEMORY_ALIGN);
    EXPECT_EQ(dla_host_memory_open(&host_, aligned, compiled_.memory_bytes(), &hal_), kDlaOk);
    network_.emplace(compiled_, hal_);
  }

  std::vector<float> run(const std::vector<float>& input) { return network_->run(input); }

 private:
  CompiledNetwork compiled_;
  std::vector<std::byte> memory_;
  dla_host_memory host_{};
  dla_hal_t hal_{};
  std::optional<LoadedNetwork> network_;
};

TEST_F(Gemm8, TakesWhatItCanAndAnswersAsTheCpu) {
  std::mt19937 random(1);
  const Graph graph = three_layers(random);
  HostRun on_unit(compile(graph, "gemm8")), on_cpu(compile(graph, "cpu"));
  for (int round = 0; round < 50; ++round) {
    std::vector<float> input(40);
    for (float& value : input) {
      value = std::normal_distribution<float>(0, 3)(random);
    }
    const std::uint64_t before = gemm8_macs;
    const std::vector<float> answer = on_unit.run(input);
    EXPECT_EQ(gemm8_macs - before, 40U * 32 + 50 * 7);
    EXPECT_EQ(answer, on_cpu.run(input)) << "round " << round;
    EXPECT_EQ(gemm8_macs - before, 40U * 32 + 50 * 7) << "the CPU does not use the unit";
  }
}

TEST_F(Gemm8, SaysWhyALayerIsNotOnIt) {
  std::mt19937 random(1);
  PipelineOptions options;
  options.targets = targets_of("gemm8");
  std::vector<std::string> places;
  for (const Layer& layer : collect_layers(run_pipeline(three_layers(random), options), "net").layers) {
    places.push_back(layer.name + " " + layer.target + " " + layer.reason);
  }
  EXPECT_THAT(places, ElementsAre("quantize cpu the CPU converts from and to float32", "fc40 gemm8 ",
                                  "fc32 cpu 32 inputs and 50 outputs; the matrix unit takes up to 64 and 32",
                                  "fc50 gemm8 ", "dequantize cpu the CPU converts from and to float32"));
}

TEST_F(Gemm8, EmittedCodeNamesTheUnit) {
  std::mt19937 random(1);
  std::ifstream file(compile(three_layers(random), "gemm8") / "model.c");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, HasSubstr("/* net for gemm8, compiled by foveac."));
  EXPECT_THAT(text, HasSubstr("#include \"dla_runtime.h\"\n#include \"gemm8.h\"\n"));
  EXPECT_THAT(text, HasSubstr(".target = \"gemm8\",\n    .machine = \"gemm8\","));
}

/// A user's target of fully connected layers with up to so many inputs.
AddedTarget dense_on(const std::string& name, std::int64_t most_inputs, std::optional<std::uint64_t> cost) {
  AddedTarget target;
  target.name = name;
  target.refuse = [most_inputs](const OfferedLayer& offered) -> std::optional<std::string> {
    const auto* linear = std::get_if<Qlinear>(&offered.layer.body);
    if (linear == nullptr) {
      return "is not fully connected";
    }
    const bool fits = linear->sum.weight->type().shape[1] <= most_inputs;
    return fits ? std::nullopt : std::optional<std::string>("has too many inputs");
  };
  target.cost = [cost](const OfferedLayer&) { return cost; };
  target.emit = [](const OfferedLayer&) {
    return EmittedCall{"run_dense($input, ${weights}, $C, $$)", {}, "mine.cpp", 7};
  };
  return target;
}

/// "fc40 near: why" of each fully connected layer.
std::vector<std::string> places_of(const std::vector<AddedTarget>& added) {
  std::mt19937 random(1);
  PipelineOptions options;
  options.targets = make_added_targets(added, kDlaNearestEven);
  options.targets.push_back(make_targets("cpu", {})[0]);
  std::vector<std::string> places;
  for (const Layer& layer : collect_layers(run_pipeline(three_layers(random), options), "net").layers) {
    if (std::holds_alternative<Qlinear>(layer.body)) {
      places.push_back(layer.name + " " + layer.target + ": " + layer.reason);
    }
  }
  return places;
}

TEST(AddedTargets, TheCheapestOfThoseThatTakeALayerRunsIt) {
  EXPECT_THAT(places_of({dense_on("near", 45, 100), dense_on("far", 40, 20)}),
              ElementsAre("fc40 far: near: 100 cycles, more than far with 20 cycles",
                          "fc32 far: near: 100 cycles, more than far with 20 cycles",
                          "fc50 cpu: near: has too many inputs; far: has too many inputs"));
  EXPECT_THAT(
      places_of({dense_on("near", 45, 20), dense_on("far", 32, 20)}),
      ElementsAre("fc40 near: far: has too many inputs", "fc32 near: far: 20 cycles, and behind near with 20 cycles",
                  "fc50 cpu: near: has too many inputs; far: has too many inputs"));
}

TEST(AddedTargets, WithoutACostTheFirstRunsIt) {
  EXPECT_THAT(
      places_of({dense_on("near", 45, std::nullopt), dense_on("far", 60, 20)}),
      ElementsAre("fc40 near: far: 20 cycles, and behind near with no cost",
                  "fc32 near: far: 20 cycles, and behind near with no cost", "fc50 far: near: has too many inputs"));
  EXPECT_THAT(places_of({dense_on("near", 45, 50), dense_on("free", 60, std::nullopt), dense_on("far", 60, 20)}),
              ElementsAre(HasSubstr("fc40 far: near: 50 cycles, more than far"), HasSubstr("fc32 far: "),
                          "fc50 free: near: has too many inputs; far: 20 cycles, and behind free with no cost"));
}

TEST(AddedTargets, FieldsOfACallAreFilledIn) {
  std::mt19937 random(1);
  PipelineOptions options;
  options.targets = make_added_targets({dense_on("near", 40, std::nullopt)}, kDlaNearestEven);
  options.targets.push_back(make_targets("cpu", {})[0]);
  const Network network = collect_layers(run_pipeline(three_layers(random), options), "net");
  WeightFile weights;
  const Places places{
      [](TensorId id) { return "ARENA(t" + std::to_string(id) + ")"; },
      [](const std::string& field, TensorId id) { return "." + field + " = ARENA(t" + std::to_string(id) + ")"; },
      kDlaNearestEven};
  const PlannedLayer plan = options.targets[0].target->plan(network.layers.at(1), places, weights);
  EXPECT_THAT(to_text(plan.calls.at(0)),
              HasSubstr("#line 7 \"mine.cpp\"\n  TRY(run_dense(dla_arena_view(rt, ARENA(t1), 40u), "
                        "dla_weights_view(rt, WEIGHT(fc40_weights), 1280u), 40u, $));\n"));
  ASSERT_EQ(weights.entries().size(), 1U) << "constants that no field names are left out";
  EXPECT_EQ(weights.entries()[0].bytes, 1280U);
}

TEST(AddedTargets, AnUnknownFieldNamesTheLine) {
  std::mt19937 random(1);
  AddedTarget target = dense_on("near", 40, std::nullopt);
  target.emit = [](const OfferedLayer&) { return EmittedCall{"run_dense($ouput)", {}, "mine.cpp", 7}; };
  PipelineOptions options;
  options.targets = make_added_targets({target}, kDlaNearestEven);
  options.targets.push_back(make_targets("cpu", {})[0]);
  EmitOptions emit;
  emit.folder = fs::path(testing::TempDir()) / "fovea_added";
  emit.targets = options.targets;
  try {
    emit_network(collect_layers(run_pipeline(three_layers(random), options), "net"), emit);
    FAIL() << "it was taken";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("fc40: $ouput is no field of its call, mine.cpp:7; did you mean output?"));
  }
  EXPECT_FALSE(fs::exists(emit.folder / "model.c"));
}

TEST(AddedTargets, NamesAreTheirOwn) {
  EXPECT_THROW(make_added_targets({dense_on("cpu", 1, 1)}, kDlaNearestEven), UsageError);
  EXPECT_THROW(make_added_targets({dense_on("a", 1, 1), dense_on("a", 1, 1)}, kDlaNearestEven), UsageError);
  EXPECT_THROW(make_added_targets({dense_on("my unit", 1, 1)}, kDlaNearestEven), UsageError);
}

}  // namespace
}  // namespace fovea
