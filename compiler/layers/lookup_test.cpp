// SPDX-License-Identifier: Apache-2.0
/// \file
/// Tables of functions, against formulas in long double; and which functions are none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "fuse.h"
#include "layer_kind.h"
#include "on_integers.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// A result of one float32 operation: long double holds products of two floats exactly, and quotients so well that
/// rounding them once more changes nothing.
float rounded(long double x) { return static_cast<float>(x); }

struct Ends {
  float sx, sy;
  uint8_t zx, zy;
};

Ends draw_ends(std::mt19937& random) {
  const auto scale = [&] { return static_cast<float>(random() % 999 + 1) / 1024; };
  const auto zero_point = [&] {
    return static_cast<uint8_t>(random() % 4 == 0 ? 255 * (random() % 2) : random() % 256);
  };
  return {scale(), scale(), zero_point(), zero_point()};
}

using Function = std::function<float(float x, int64_t channel)>;

/// clamp(rne(f32(f(f32(sx * (x - zx))) / sy)) + zy, 0, 255).
uint8_t expected_byte(const Ends& e, int x, const Function& f, int64_t channel) {
  const float value = f(rounded(static_cast<long double>(e.sx) * (x - e.zx)), channel);
  const float steps = std::nearbyint(rounded(static_cast<long double>(value) / e.sy));
  return static_cast<uint8_t>(std::clamp(steps + static_cast<float>(e.zy), 0.0F, 255.0F));
}

/// quantize(f(dequantize(x))). \param add  Adds f.
Graph function_graph(const Ends& e, const Shape& shape, const std::function<NodeId(GraphBuilder&, NodeId)>& add) {
  GraphBuilder builder;
  const auto scalar = [&](auto value) { return builder.constant(Tensor::of({}, std::vector<decltype(value)>{value})); };
  const NodeId q = builder.input("q", {shape, ElementType::kUint8});
  const NodeId x = builder.call("qnn.dequantize", {q, scalar(e.sx), scalar(e.zx)}, {{"axis", int64_t{1}}});
  const NodeId y = add(builder, x);
  return builder.finish({builder.call("qnn.quantize", {y, scalar(e.sy), scalar(e.zy)}, {{"axis", int64_t{1}}})});
}

Lookup lookup_of(const Graph& graph) {
  const auto fused = fuse_at(graph, graph.outputs()[0]);
  EXPECT_TRUE(fused.has_value());
  EXPECT_EQ(fused->composite, "cpu.lookup");
  return std::get<Lookup>(fused->layer->body);
}

void expect_tables(const Lookup& lookup, const Ends& e, int64_t channels, const Function& f) {
  ASSERT_EQ(lookup.tables->type(), (TensorType{{channels, 256}, ElementType::kUint8}));
  for (int64_t c = 0; c < channels; ++c) {
    for (int x = 0; x < 256; ++x) {
      ASSERT_EQ(lookup.tables->integer_at(c * 256 + x), expected_byte(e, x, f, c)) << "x " << x << " channel " << c;
    }
  }
}

TEST(Lookup, IsTheFunctionBetweenTheScales) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const Ends e = draw_ends(random);
    const float alpha = static_cast<float>(random() % 1000) / 999;
    const auto add = [&](GraphBuilder& b, NodeId x) { return b.call("leaky_relu", {x}, {{"alpha", double{alpha}}}); };
    const auto f = [&](float x, int64_t) { return x >= 0 ? x : rounded(static_cast<long double>(alpha) * x); };
    expect_tables(lookup_of(function_graph(e, {1, 4}, add)), e, 1, f);
  }
}

TEST(Lookup, ChangesScaleWhereThatIsNoShift) {
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    Ends e = draw_ends(random);
    e.sx = i < 4 ? 1e-6F : e.sx;
    e.sy = i < 2 ? 1e6F : e.sy * 3;
    const bool relu = i % 4 == 3;
    const auto add = [&](GraphBuilder& b, NodeId x) { return relu ? b.call("nn.relu", {x}) : x; };
    const Graph graph = function_graph(e, {1, 4}, add);
    const Layer layer = *fuse_at(graph, graph.outputs()[0])->layer;
    ASSERT_EQ(layer.composite, relu ? "requantize_relu" : "requantize");
    const Lookup table{layer.kind->host_constants(layer, kDlaNearestEven).at(0).tensor, 0};
    expect_tables(table, e, 1, [&](float x, int64_t) { return relu ? std::max(x, 0.0F) : x; });
  }
}

TEST(Lookup, RunsAChainOfFunctionsWithEachStepRounded) {
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    const Ends e = draw_ends(random);
    const float addend = static_cast<float>(random() % 1000) / 77 - 6;
    const auto add = [&](GraphBuilder& b, NodeId x) {
      const NodeId number = b.constant(Tensor::of({1}, std::vector<float>{addend}));
      return b.call("clip", {b.call("add", {b.call("sqrt", {b.call("nn.relu", {x})}), number})},
                    {{"min", -0.25}, {"max", 3.0}});
    };
    const auto f = [&](float x, int64_t) {
      const float root = rounded(std::sqrt(static_cast<long double>(std::max(x, 0.0F))));
      return std::clamp(rounded(static_cast<long double>(root) + addend), -0.25F, 3.0F);
    };
    expect_tables(lookup_of(function_graph(e, {1, 4}, add)), e, 1, f);
  }
}

TEST(Lookup, HasATableAChannelWhereItsNumbersDo) {
  const std::vector<float> slopes{0.1F, -0.7F, 3};
  const Ends e{0.3F, 0.7F, 100, 50};
  const auto f = [&](float x, int64_t c) {
    return x >= 0 ? x : rounded(static_cast<long double>(slopes[static_cast<std::size_t>(c)]) * x);
  };
  const std::pair<Shape, Shape> shapes[] = {
      {{1, 3, 2, 5}, {3, 1, 1}}, {{1, 2, 5, 3}, {3}}, {{1, 2, 3, 5}, {1, 1, 3, 1}}};
  for (const auto& [shape, slope_shape] : shapes) {
    const auto add = [&, &slope = slope_shape](GraphBuilder& b, NodeId x) {
      return b.call("nn.prelu", {x, b.constant(Tensor::of(slope, slopes))});
    };
    const Graph graph = function_graph(e, shape, add);
    const Lookup lookup = lookup_of(graph);
    EXPECT_EQ(shape[lookup.axis], 3);
    expect_tables(lookup, e, 3, f);
  }
}

TEST(Lookup, IsOneTableForAllOnlyWhereItsNumbersAre) {
  const auto has_table = [](const Shape& slope) {
    const Graph graph = function_graph({0.3F, 0.7F, 100, 50}, {1, 3, 2, 5}, [&](GraphBuilder& b, NodeId x) {
      return b.call("nn.prelu", {x, b.constant(Tensor({slope, ElementType::kFloat32}))});
    });
    return tabulate(graph, graph.inputs()[0], graph.outputs()[0]) != nullptr;
  };
  EXPECT_TRUE(has_table({1}));
  EXPECT_TRUE(has_table({1, 1, 1}));
  EXPECT_FALSE(has_table({3, 1, 1}));
  EXPECT_FALSE(has_table({5}));
}

TEST(Lookup, IsNoFunctionOfTwoAxesOrOfALargerResult) {
  const Ends e{0.3F, 0.7F, 100, 50};
  const auto fuses = [&](const Shape& shape, const Shape& operand) {
    const Graph graph = function_graph(e, shape, [&](GraphBuilder& b, NodeId x) {
      return b.call("add", {x, b.constant(Tensor({operand, ElementType::kFloat32}))});
    });
    return fuse_at(graph, graph.outputs()[0])->composite == "cpu.lookup";  // Else it only quantizes a float value.
  };
  EXPECT_TRUE(fuses({1, 2, 3, 5}, {2, 1, 1}));
  EXPECT_FALSE(fuses({1, 2, 3, 5}, {2, 3, 1}));
  EXPECT_FALSE(fuses({1, 2, 1, 1}, {2, 3, 1}));
}

TEST(Lookup, IsCalledWithItsTablesAndTheirRuns) {
  const Ends e{0.3F, 0.7F, 100, 50};
  const auto call = [&](const Shape& shape, const Shape& slope) {
    const Graph graph = function_graph(e, shape, [&](GraphBuilder& b, NodeId x) {
      return b.call("nn.prelu", {x, b.constant(Tensor({slope, ElementType::kFloat32}))});
    });
    Layer layer = *fuse_at(graph, graph.outputs()[0])->layer;
    layer.name = "f";
    const Places places{[](TensorId) { return ""; }, {}, kDlaNearestEven};
    return layer.kind->host_call(layer, places).fields.back();
  };
  EXPECT_EQ(call({1, 3, 2, 5}, {1}), ".tables = WEIGHT(f_table), .count = 1, .run = 30");
  EXPECT_EQ(call({1, 3, 2, 5}, {3, 1, 1}), ".tables = WEIGHT(f_table), .count = 3, .run = 10");
  EXPECT_EQ(call({1, 3, 2, 5}, {5}), ".tables = WEIGHT(f_table), .count = 5, .run = 1");
}

}  // namespace
}  // namespace fovea
