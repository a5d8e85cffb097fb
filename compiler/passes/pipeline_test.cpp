// SPDX-License-Identifier: Apache-2.0
/// \file
/// The pipeline as a whole: what it keeps, what it reports, what it refuses. Single passes: compiler/test/passes.
#include "pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "ir/evaluate.h"
#include "ir/text.h"
#include "layers/collect_layers.h"
#include "spec/machine_json.h"
#include "tensor/error.h"

namespace fovea {
namespace {

using testing::ElementsAre;

/// A network with every kind of layer, written as exporters do: pools between dequantize and quantize, casts, a clip.
/// %w1 to %w3 are inputs here; small_network() makes them constants.
constexpr const char* kNetwork = R"(
fn (%x: Tensor[(1, 2, 9, 9), float32] from "input", %w1: Tensor[(4, 1, 3, 3), int8], %w2: Tensor[(3, 4, 3, 3), int8],
    %w3: Tensor[(5, 3), int8]) {
  %q = qnn.quantize(%x, 0.0625f, 128u8, axis=1) from "quant"
  %qc = cast(%q, dtype="uint8")
  %d1 = qnn.dequantize(%qc, 0.0625f, 128u8, axis=1)
  %v1 = qnn.dequantize(%w1, 0.03125f, 0i8, axis=0)
  %b1 = constant [700, -90, 3, 44] : Tensor[(4,), int32]
  %e1 = qnn.dequantize(%b1, 0.001953125f, 0i32, axis=0)
  %c1 = nn.conv2d(%d1, %v1, strides=[1, 1], pads=[1, 1, 1, 1], dilations=[1, 1], groups=2) from "/net/conv1/Conv"
  %s1 = nn.bias_add(%c1, %e1, axis=1) from "/net/conv1/Conv"
  %r1 = clip(%s1, min=0.0, max=16.0) from "/net/conv1/Clip"
  %q1 = qnn.quantize(%r1, 0.125f, 128u8, axis=1)
  %p0 = qnn.dequantize(%q1, 0.125f, 128u8, axis=1)
  %p1 = nn.max_pool2d(%p0, kernel=[2, 2], strides=[2, 2], pads=[0, 0, 0, 0], dilations=[1, 1], ceil_mode=0) from "/net/pool1"
  %q2 = qnn.quantize(%p1, 0.125f, 128u8, axis=1)
  %d2 = qnn.dequantize(%q2, 0.125f, 128u8, axis=1)
  %v2 = qnn.dequantize(%w2, 0.0625f, 0i8, axis=0)
  %c2 = nn.conv2d(%d2, %v2, strides=[2, 1], pads=[0, 1, 0, 1], dilations=[1, 1], groups=1) from "/net/conv2/Conv"
  %q3 = qnn.quantize(%c2, 0.5f, 120u8, axis=1)
  %d3 = qnn.dequantize(%q3, 0.5f, 120u8, axis=1)
  %p3 = nn.max_pool2d(%d3, kernel=[1, 4], strides=[1, 1], pads=[0, 0, 0, 0], dilations=[1, 1], ceil_mode=0) from "/net/pool2"
  %f = reshape(%p3, newshape=[1, 3]) from "/net/Flatten"
  %v3 = qnn.dequantize(%w3, 0.25f, 0i8, axis=0)
  %g = nn.dense(%f, %v3) from "/net/fc/Gemm"
  %q4 = qnn.quantize(%g, 1f, 128u8, axis=1)
  %d4 = qnn.dequantize(%q4, 1f, 128u8, axis=1)
  %r4 = nn.relu(%d4)
  %q5 = qnn.quantize(%r4, 2f, 128u8, axis=1) from "/net/rescale"
  %y = qnn.dequantize(%q5, 2f, 128u8, axis=1) from "dequant"
  return %y
}
)";

Tensor random_tensor(const TensorType& type, std::mt19937& random) {
  Tensor tensor(type);
  for (int64_t i = 0; i < count_elements(type.shape); ++i) {
    tensor.set(i, type.element == ElementType::kFloat32 ? std::normal_distribution<>(0, 3)(random)
                                                        : std::uniform_int_distribution<>(-128, 127)(random));
  }
  return tensor;
}

/// Branches that meet again, a layer of the CPU in one of them; a convolution and a ReLU that are quantized in two
/// ways; a dequantized value that is an output and an input of a layer.
constexpr const char* kBranches = R"(
fn (%x: Tensor[(1, 2, 6, 6), float32] from "input", %w1: Tensor[(4, 2, 3, 3), int8], %w2: Tensor[(4, 4, 3, 3), int8]) {
  %q = qnn.quantize(%x, 0.0625f, 128u8, axis=1) from "quant"
  %d1 = qnn.dequantize(%q, 0.0625f, 128u8, axis=1)
  %v1 = qnn.dequantize(%w1, 0.03125f, 0i8, axis=0)
  %c1 = nn.conv2d(%d1, %v1, strides=[1, 1], pads=[1, 1, 1, 1], dilations=[1, 1], groups=1) from "conv1"
  %r1 = nn.relu(%c1)
  %q1 = qnn.quantize(%r1, 0.125f, 0u8, axis=1)
  %q2 = qnn.quantize(%r1, 0.25f, 7u8, axis=1)
  %q3 = qnn.quantize(%c1, 0.5f, 100u8, axis=1)
  %d2 = qnn.dequantize(%q1, 0.125f, 0u8, axis=1)
  %d3 = qnn.dequantize(%q2, 0.25f, 7u8, axis=1)
  %d4 = qnn.dequantize(%q3, 0.5f, 100u8, axis=1)
  %v2 = qnn.dequantize(%w2, 0.0625f, 0i8, axis=0)
  %c2 = nn.conv2d(%d2, %v2, strides=[1, 1], pads=[2, 2, 2, 2], dilations=[2, 2], groups=1) from "dilated"
  %q4 = qnn.quantize(%c2, 0.5f, 120u8, axis=1)
  %d5 = qnn.dequantize(%q4, 0.5f, 120u8, axis=1)
  %c3 = nn.conv2d(%d5, %v2, strides=[1, 1], pads=[1, 1, 1, 1], dilations=[1, 1], groups=1) from "conv3"
  %q5 = qnn.quantize(%c3, 4f, 130u8, axis=1)
  %d6 = qnn.dequantize(%q5, 4f, 130u8, axis=1)
  %s1 = add(%d6, %d3) from "sum"
  %q6 = qnn.quantize(%s1, 4f, 90u8, axis=1)
  %y = qnn.dequantize(%q6, 4f, 90u8, axis=1)
  return %y, %d4, %d2
}
)";

/// A network with random weights: all its inputs but the first become constants.
Graph small_network(std::mt19937& random, const char* text = kNetwork) {
  const Graph open = parse_graph(text, "network");
  GraphBuilder builder;
  std::vector<NodeId> places;
  for (NodeId id = 0; id < open.size(); ++id) {
    std::vector<NodeId> inputs;
    for (const NodeId input : open[id].inputs) {
      inputs.push_back(places[input]);
    }
    const bool is_weight = open[id].kind == NodeKind::kInput && id != open.inputs()[0];
    places.push_back(is_weight ? builder.constant(random_tensor(open[id].type, random))
                               : builder.copy(open[id], std::move(inputs)));
  }
  std::vector<NodeId> outputs;
  for (const NodeId output : open.outputs()) {
    outputs.push_back(places[output]);
  }
  return builder.finish(outputs);
}

PipelineOptions for_the_accelerator() {
  const auto mapper = [] {
    return std::make_shared<Mapper>(read_machine("sim/spec/machines/eyeriss_6x8.json"), MappingMode::kSearch);
  };
  PipelineOptions options;
  options.targets = make_targets("dla", {mapper, {}});
  return options;
}

TEST(RunPipeline, KeepsWhatTheNetworkComputes) {
  std::mt19937 random(1);
  for (int round = 0; round < 10; ++round) {
    const Graph before = small_network(random, round % 2 == 0 ? kNetwork : kBranches);
    const Graph after = run_pipeline(before, for_the_accelerator());
    const std::vector<Tensor> input{random_tensor(before[before.inputs()[0]].type, random)};
    EXPECT_EQ(evaluate(after, input), evaluate(before, input)) << "round " << round;
  }
}

TEST(RunPipeline, KeepsItWithoutAnyPassThatCanBeLeftOut) {
  std::mt19937 random(1);
  for (const char* network : {kNetwork, kBranches}) {
    const Graph before = small_network(random, network);
    const std::vector<Tensor> input{random_tensor(before[before.inputs()[0]].type, random)};
    const std::vector<Tensor> expected = evaluate(before, input);
    PipelineOptions options = for_the_accelerator();
    options.passes.level = kRequired;
    EXPECT_EQ(evaluate(run_pipeline(before, options), input), expected) << "level 0";
    options.passes.level = kMostLevel;
    for (const PassInfo& pass : list_passes()) {
      if (pass.level != kRequired) {
        options.passes.disabled = {pass.name};
        EXPECT_EQ(evaluate(run_pipeline(before, options), input), expected) << "without " << pass.name;
      }
    }
  }
}

TEST(RunPipeline, CutsBranchesIntoRegionsThatRunOneAfterAnother) {
  std::mt19937 random(1);
  const Graph graph = run_pipeline(small_network(random, kBranches), for_the_accelerator());
  std::vector<std::string> layers;
  for (const Layer& layer : collect_layers(graph, "net").layers) {
    layers.push_back(layer.region + ": " + layer.name);
  }
  EXPECT_THAT(layers, ElementsAre("cpu_region_0: quantize", "dla_region_1: conv1", "cpu_region_2: dilated",
                                  "dla_region_3: conv1_2", "dla_region_3: conv3", "cpu_region_4: dequantize",
                                  "dla_region_5: conv1_3", "cpu_region_6: dequantize_2", "cpu_region_7: dequantize_3"));
}

TEST(RunPipeline, PutsEachLayerInItsPlace) {
  std::mt19937 random(1);
  std::vector<std::string> layers;
  for (const Layer& layer : collect_layers(run_pipeline(small_network(random), for_the_accelerator()), "net").layers) {
    layers.push_back(layer.region + ": " + layer.name + " " + layer.composite);
  }
  EXPECT_THAT(layers,
              ElementsAre("cpu_region_0: quantize quantize", "dla_region_1: conv1 qconv2d_relu_maxpool",
                          "dla_region_1: conv2 qconv2d", "cpu_region_2: pool2 maxpool", "cpu_region_2: flatten flatten",
                          "dla_region_3: fc qlinear_lookup", "cpu_region_4: dequantize dequantize"));
}

/// Takes nothing, and says what it was offered.
class Refuser : public Target {
 public:
  std::optional<std::string> refuse(const Layer& layer) override {
    offered.push_back(layer.composite);
    return "too small for " + layer.composite;
  }
  PlannedLayer plan(const Layer&, const Places&, WeightFile&) override { return {}; }

  std::vector<std::string> offered;
};

TEST(RunPipeline, OffersEachLayerToTheTargetsInTheirOrder) {
  std::mt19937 random(1);
  const auto first = std::make_shared<Refuser>(), second = std::make_shared<Refuser>();
  PipelineOptions options;
  options.targets = {{"first", first}, {"second", second}, make_targets("cpu", {})[0]};
  const Network network = collect_layers(run_pipeline(small_network(random), options), "net");
  EXPECT_THAT(first->offered,
              ElementsAre("quantize", "qconv2d_relu_maxpool", "qconv2d", "maxpool", "qlinear_lookup", "dequantize"));
  EXPECT_EQ(second->offered, first->offered);
  for (const Layer& layer : network.layers) {
    EXPECT_EQ(layer.target, "cpu");
    EXPECT_EQ(layer.reason, layer.is_view() ? "" : "too small for " + layer.composite)
        << "a view follows what it views";
  }
}

std::vector<std::string> composites_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) {
    if (is_composite(node)) {
      names.push_back(node.function->name + (node.function->note.empty() ? "" : " (" + node.function->note + ")"));
    }
  }
  return names;
}

/// quantize(relu(bias_add(conv2d(x, w), b))) as a user writes it.
Pattern convolution() {
  const auto read = [](const char* name) { return op("qnn.dequantize", {anything().as(name)}).or_copied(); };
  const Pattern sum = op("nn.bias_add", {op("nn.conv2d", {read("x"), read("w")}).as("conv"), read("b")});
  return op("qnn.quantize", {op("nn.relu", {sum})});
}

/// The composites that a user's fusions make of the small network.
std::vector<std::string> fused_by(const AddedFusion& fusion) {
  std::mt19937 random(1);
  const Graph before = small_network(random);
  PipelineOptions options = for_the_accelerator();
  options.passes.fusions = {fusion};
  options.stop_after = "merge-composites";
  const Graph after = run_pipeline(before, options);
  const std::vector<Tensor> input{random_tensor(before[before.inputs()[0]].type, random)};
  EXPECT_EQ(evaluate(after, input), evaluate(before, input));
  return composites_of(after);
}

TEST(AddedFusions, BecomeWhatTheyAreCalled) {
  EXPECT_THAT(fused_by({"qconv2d_relu", convolution(), "", {}}),
              ElementsAre("cpu.quantize", "dla.qconv2d_relu", "dla.maxpool", "dla.qconv2d", "dla.maxpool",
                          "dla.flatten", "dla.qlinear_lookup", "cpu.dequantize"))
      << "the pool stays out, which the compiler would take in";
}

TEST(AddedFusions, KeepANameOfTheirOwn) { EXPECT_EQ(fused_by({"mine.conv", convolution(), "", {}})[1], "mine.conv"); }

TEST(AddedFusions, AreRunByWhoeverRunsSuchALayer) {
  std::mt19937 random(1);
  PipelineOptions options = for_the_accelerator();
  options.passes.fusions = {{"mine.conv", convolution(), "", {}}};
  std::vector<FusionReport> reports;
  options.passes.on_fusion = [&](const FusionReport& report) { reports.push_back(report); };
  const Graph graph = run_pipeline(small_network(random), options);
  const Layer conv = collect_layers(graph, "net").layers.at(1);
  EXPECT_EQ(conv.composite + " " + conv.target + " " + conv.name, "mine.conv dla conv1");
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].fusion + " " + reports[0].why, "mine.conv ");
  const Graph again = parse_graph(print_graph(graph), "again");
  EXPECT_EQ(collect_layers(again, "net").layers.at(1).composite, "mine.conv") << "read from a text";
}

TEST(AddedFusions, AreLeftOutWithTheReason) {
  const auto refuse = [](const Match& match) {
    return "reads " + std::to_string(match["x"].type.shape[1]) + " channels";
  };
  EXPECT_EQ(fused_by({"mine.conv", convolution(), "", refuse})[1],
            "dla.qconv2d_relu_maxpool (not mine.conv: reads 2 channels)");
  EXPECT_EQ(fused_by({"dla.qlinear", convolution(), "", {}})[1],
            "dla.qconv2d_relu_maxpool (not dla.qlinear: qnn.dequantize, qnn.dequantize, qnn.dequantize, "
            "nn.conv2d, nn.bias_add, nn.relu, qnn.quantize is not what dla.qlinear computes)");
}

TEST(AddedFusions, ThatMatchNothingAreSaid) {
  std::mt19937 random(1);
  PipelineOptions options = for_the_accelerator();
  options.passes.fusions = {{"mine.cast", op("cast", {convolution()}), "", {}},
                            {"mine.exp", op("exp", {op("erf", {any()})}), "", {}},
                            {"mine.twice", op("nn.relu", {op("nn.relu", {any()})}), "", {}}};
  std::vector<std::string> reports;
  options.passes.on_fusion = [&](const FusionReport& report) {
    reports.push_back(report.fusion + report.node + ": " + report.why);
  };
  run_pipeline(small_network(random), options);
  EXPECT_THAT(reports,
              ElementsAre("mine.cast: nothing matches; the graph has no cast",
                          "mine.exp: nothing matches; the graph has no erf, no exp", "mine.twice: nothing matches"));
}

constexpr const char* kSwish = R"(
fn (%x: Tensor[(1, 4, 3, 3), float32] from "input", %w: Tensor[(4,), float32]) {
  %s = sigmoid(%x) from "sigmoid"
  %m = multiply(%x, %s) from "swish"
  %r = sum(%m, axes=[2, 3], keepdims=1) from "sum"
  %t = nn.softmax(%r, axis=1) from "softmax"
  %y = nn.softmax(%t, axis=1) from "again"
  return %y
}
)";

TEST(AddedFusions, OfFloatsAreOneNest) {
  const Graph before = parse_graph(kSwish, "swish");
  const Pattern x = anything().once(1), swish = op("multiply", {x, op("sigmoid", {x})});
  const auto run = [&](const Pattern& pattern) {
    PipelineOptions options = for_the_accelerator();
    options.passes.fusions = {{"mine.swish", pattern, "", {}}};
    return run_pipeline(before, options);
  };
  const Network network = collect_layers(run(op("sum", {swish})), "net");
  EXPECT_EQ(network.layers[0].composite, "mine.swish");
  EXPECT_EQ(network.layers[0].target, "cpu");
  EXPECT_EQ(network.layers[0].inputs.size(), 2U) << "x, which is read in two places";
  PipelineOptions options;
  options.stop_after = "merge-composites";
  options.passes.fusions = {{"mine.twice", op("nn.softmax", {op("nn.softmax", {anything()})}), "", {}}};
  const std::vector<std::string> names = composites_of(run_pipeline(before, options));
  EXPECT_EQ(names.back(),
            "cpu.nest_softmax (not mine.twice: no layer computes nn.softmax, nn.softmax: nn.softmax has several "
            "passes over its input, and not at the end of the nest)");
}

TEST(AddedFusions, HaveNamesThatCompositesMayHave) {
  const auto refused = [](const char* name) -> std::string {
    PassContext context;
    context.fusions = {{name, op("nn.relu", {anything()}), "mine.py:3", {}}};
    try {
      list_passes(context);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused("mine.swish"), "");
  EXPECT_EQ(refused("dla.qconv2d_rely"),
            "fusion dla.qconv2d_rely: the compiler has no such composite; did you mean dla.qconv2d_relu?; another "
            "prefix than dla and cpu makes it your own (mine.py:3)");
  EXPECT_EQ(refused("my fusion"),
            "fusion my fusion: no name of a composite; letters, digits, _ and dots work, as in mine.swish (mine.py:3)");
}

TEST(RunPipeline, ReportsEachPassAndWhetherItChangedAnything) {
  std::mt19937 random(1);
  PipelineOptions options;
  options.stop_after = "fold-batch-norm";
  std::vector<std::string> reports;
  options.passes.on_pass = [&](const PassReport& report) {
    reports.push_back(report.pass.name + (report.changed ? "" : " (unchanged)"));
  };
  run_pipeline(small_network(random), options);
  EXPECT_THAT(
      reports,
      ElementsAre("float-outputs (unchanged)", "quantize-integers (unchanged)", "tokens-to-pixels (unchanged)",
                  "move-to-integers", "fold-constants (unchanged)", "remove-redundant-casts",
                  "settle-signs (unchanged)", "split-weights", "split-slopes (unchanged)", "fold-affine (unchanged)",
                  "lower-conversions (unchanged)", "lower-clips", "remove-redundant-qdq (unchanged)",
                  "move-layout (unchanged)", "place-pools (unchanged)", "eliminate-common-subexpressions",
                  "rescale-joins (unchanged)", "fold-batch-norm (unchanged)"));
}

TEST(RunPipeline, NamesAPassThatIsNotThere) {
  PipelineOptions options;
  options.stop_after = "fuse";
  try {
    run_pipeline(parse_graph("fn (%x: Tensor[(1,), int8]) { return %x }", "x"), options);
    FAIL() << "ran";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "stop after fuse: there is no such pass; foveac --passes lists all");
  }
}

}  // namespace
}  // namespace fovea
