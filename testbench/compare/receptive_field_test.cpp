// SPDX-License-Identifier: Apache-2.0
/// \file
/// Does an element of a layer's output change with the inputs in its receptive field, and with no others?
#include "compare/receptive_field.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>

#include "files/child_process.h"
#include "ir/evaluate.h"
#include "ir/graph.h"
#include "ir/text.h"
#include "layers/fuse.h"
#include "layers/layer_kind.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

/// Float operators that become loops of their own.
constexpr const char* kFloatLayers = R"(fn (%x: Tensor[(1, 4, 6, 5), float32] from "x") {
  %a = nn.softmax(%x, axis=1) from "softmax"
  %b = nn.softmax(%a, axis=3) from "softmax2"
  %s = sigmoid(%b) from "sigmoid"
  %t = transpose(%s, axes=[0, 1, 3, 2]) from "transpose"
  %m = sum(%t, axes=[2], keepdims=1) from "sum"
  %y = subtract(%t, %m) from "subtract"
  return %y
}
)";

/// What was tried, by the kind of layer: how often, and how often the element changed.
struct Tried {
  int inside = 0, changed = 0, outside = 0;
};

class ReceptiveField : public testing::Test {
 protected:
  ReceptiveField() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~ReceptiveField() override { fs::remove_all(folder_); }

  void try_network(const fs::path& model) {
    const fs::path net = folder_ / "net";
    fs::remove_all(net);
    ASSERT_EQ(run_child({FOVEAC, model.string(), "-o", net.string(), "--target", "cpu"}, folder_ / "log"), 0)
        << last_line(folder_ / "log");
    std::ifstream file(net / "ir_after.txt");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    try_graph(parse_graph(text, "ir_after.txt", net));
  }

  std::map<std::string, Tried> tried_;
  const fs::path folder_ = fs::path(testing::TempDir()) / "fovea_receptive_field";

 private:
  void try_graph(const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      if (node.kind == NodeKind::kFunction) {
        node.function->is_region ? try_graph(node.function->body) : try_layer(*node.function);
      }
    }
  }

  int64_t draw(int64_t least, int64_t most) { return std::uniform_int_distribution<int64_t>(least, most)(random_); }

  void fill(Tensor& tensor) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count_elements(tensor.type().shape)); ++i) {
      change(tensor, i);
    }
  }
  void change(Tensor& tensor, std::size_t i) {
    if (tensor.type().element == ElementType::kFloat32) {
      tensor.set(i, std::normal_distribution<double>()(random_));
    } else {
      tensor.set_integer(i, draw(0, 255));
    }
  }

  void try_layer(const Function& composite) {
    const Layer layer = *layer_of(composite);
    const Graph& body = composite.body;
    std::vector<Tensor> arguments;
    for (const NodeId input : body.inputs()) {
      fill(arguments.emplace_back(body[input].type));
    }
    const auto place = static_cast<std::size_t>(draw(0, count_elements(layer.output_type.shape) - 1));
    std::vector<std::set<std::size_t>> fields(layer.inputs.size());
    for (const InputField& field : receptive_field(layer, place)) {
      field.for_each([&](std::size_t i) { fields.at(field.input).insert(i); });
    }
    for (std::size_t input = 0; input < fields.size(); ++input) {
      try_input(layer, body, arguments, place, input, fields[input]);
    }
  }

  /// Some elements inside of the field and some outside.
  void try_input(const Layer& layer, const Graph& body, std::vector<Tensor>& arguments, std::size_t place,
                 std::size_t input, const std::set<std::size_t>& field) {
    // One argument may be two operands; then the other's field counts too, and the layer is left out.
    if (std::count(layer.inputs.begin(), layer.inputs.end(), layer.inputs[input]) > 1) {
      return;
    }
    Tried& tried = tried_[std::string(layer.kind->name)];
    Tensor& tensor = arguments.at(layer.inputs[input]);
    const double before = evaluate(body, arguments).at(0).at(place);
    const int64_t elements = count_elements(tensor.type().shape);
    for (int i = 0; i < 30; ++i) {
      auto at = static_cast<std::size_t>(draw(0, elements - 1));
      if (i % 2 == 0 && !field.empty()) {
        at = *std::next(field.begin(), draw(0, static_cast<int64_t>(field.size()) - 1));
      }
      const Tensor kept = tensor;
      change(tensor, at);
      const bool is_changed = evaluate(body, arguments).at(0).at(place) != before;
      tensor = kept;
      const bool is_inside = field.contains(at);
      ++(is_inside ? tried.inside : tried.outside);
      tried.changed += is_inside && is_changed ? 1 : 0;
      ASSERT_TRUE(is_inside || !is_changed) << layer.composite << ": element " << place << ", input " << at;
    }
  }

  std::mt19937 random_{1};
};

TEST_F(ReceptiveField, HasAllThatAnElementDependsOn) {
  const fs::path log = folder_ / "log";
  ASSERT_EQ(run_child({"scripts/networks/draw_networks.py", folder_.string(), "1", "40"}, log), 0) << last_line(log);
  for (int seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    try_network(folder_ / (std::to_string(seed) + ".onnx"));
  }
  std::ofstream(folder_ / "float.txt") << kFloatLayers;
  try_network(folder_ / "float.txt");
  for (const char* kind : {"qconv2d", "qlinear", "qadd", "qconcat", "index_map", "lookup", "softmax", "nest"}) {
    EXPECT_TRUE(tried_[kind].outside > 0 || std::string(kind) == "qlinear") << kind;
    EXPECT_GT(tried_[kind].changed, 0) << kind;
  }
  for (const auto& [kind, tried] : tried_) {
    RecordProperty(kind, std::to_string(tried.changed) + " of " + std::to_string(tried.inside) + " inside, none of " +
                             std::to_string(tried.outside) + " outside");
  }
}

/// A 3x3 window of stride 2 with a pad of 1, behind a group of channels and under a pool.
TEST_F(ReceptiveField, OfAWindowIsWhatTheFormulaSays) {
  const LayerKind kind{};
  Layer layer;
  layer.kind = &kind;
  Qconv2d conv;
  conv.window = {{3, 3}, {2, 1}, {1, 2}, {1, 2, 1, 2}};
  conv.groups = 2;
  conv.pool = Window{{2, 2}, {2, 2}, {1, 1}, {0, 0, 0, 0}};
  layer.body = conv;
  layer.input_types = {{{1, 4, 16, 16}, ElementType::kUint8}};
  layer.output_type = {{1, 6, 4, 8}, ElementType::kUint8};
  const std::vector<InputField> fields = receptive_field(layer, (4 * 4 + 1) * 8 + 7);  // Element [4, 1, 7].
  ASSERT_EQ(fields.size(), 1u);
  const auto is = [&](std::size_t axis, int64_t low, int64_t high) {
    EXPECT_EQ(fields[0].axes.at(axis).low, low) << axis;
    EXPECT_EQ(fields[0].axes.at(axis).high, high) << axis;
  };
  is(0, 2, 3);
  is(1, 2 * 2 - 1, 3 * 2 - 1 + 2);
  is(2, 14 - 2, 15);
}

}  // namespace
}  // namespace fovea
