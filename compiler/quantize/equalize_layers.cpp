// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds pairs of layers, scales their weights in double, writes them back.
#include "equalize_layers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "ops/operator.h"
#include "passes/rewrite.h"
#include "plan.h"

namespace fovea {
namespace {

constexpr int kMostRounds = 100;
constexpr double kSettled = 1e-3;  ///< Factors this near to 1 end it.
constexpr double kNoBound = std::numeric_limits<double>::infinity();

/// A layer, its bias if there is one, and the layer that alone reads them.
struct Pair {
  NodeId first, second;
  std::optional<NodeId> bias;   ///< A constant.
  std::vector<NodeId> bounded;  ///< Clips between them.
};

class Equalizer {
 public:
  Equalizer(const Graph& graph, ChannelMaxima maxima) : graph_(graph), maxima_(std::move(maxima)) {
    for (NodeId id = 0; id < graph.size(); ++id) {
      if (const auto pair = pair_from(id)) {
        pairs_.push_back(*pair);
      }
    }
  }

  Graph run() {
    for (int round = 0; round < kMostRounds && !pairs_.empty(); ++round) {
      double furthest = 0;
      for (const Pair& pair : pairs_) {
        furthest = std::max(furthest, equalize(pair));
      }
      if (furthest < kSettled) {
        break;
      }
    }
    return rewrite_graph(graph_, [&](GraphBuilder& builder, NodeId id, const std::vector<NodeId>&) {
      const auto changed = numbers_.find(id);
      if (changed == numbers_.end()) {
        return std::optional<NodeId>();
      }
      Tensor tensor(graph_[id].type);
      std::copy(changed->second.begin(), changed->second.end(), tensor.values<float>().begin());
      return std::optional<NodeId>(builder.constant(std::move(tensor), graph_[id].origin));
    });
  }

 private:
  /// A constant that one node reads.
  bool is_own_constant(NodeId id) const { return graph_[id].kind == NodeKind::kConstant && graph_.is_read_once(id); }

  bool has_own_weights(NodeId id) const { return is_product(graph_[id]) && is_own_constant(graph_[id].inputs[1]); }

  std::optional<NodeId> only_reader(NodeId id) const {
    return graph_.is_read_once(id) ? std::optional(graph_.users()[id][0]) : std::nullopt;
  }

  /// Whether f(s * x) = s * f(x) for s > 0, channel by channel.
  static bool keeps_factors(const Graph& graph, NodeId id) {
    const Node& node = graph[id];
    for (const char* name : {"nn.relu", "leaky_relu", "nn.max_pool2d", "nn.avg_pool2d", "nn.global_avg_pool2d"}) {
      if (is_call(node, name)) {
        return true;
      }
    }
    const Shape& from = graph[node.inputs.empty() ? id : node.inputs[0]].type.shape;
    const auto channels = [](const Shape& shape) { return shape.size() < 2 ? 0 : shape[1]; };
    return is_call(node, "reshape") && channels(from) == channels(node.type.shape) && from[0] == node.type.shape[0];
  }

  std::optional<Pair> pair_from(NodeId id) const {
    if (!has_own_weights(id)) {
      return std::nullopt;
    }
    Pair pair{id, 0, std::nullopt, {}};
    auto next = only_reader(id);
    if (next && is_call(graph_[*next], "nn.bias_add")) {
      pair.bias = graph_[*next].inputs[1];
      if (!is_own_constant(*pair.bias) || graph_[*next].inputs[0] != id ||
          int_attribute(graph_[*next], "axis", 1) != 1) {
        return std::nullopt;
      }
      next = only_reader(*next);
    }
    while (next && (keeps_factors(graph_, *next) || has_maxima(*next, filters_of(id)))) {
      if (maxima_.contains(*next)) {
        pair.bounded.push_back(*next);
      }
      next = only_reader(*next);
    }
    if (!next || !has_own_weights(*next) || graph_[graph_[*next].inputs[0]].type.shape[1] != filters_of(id)) {
      return std::nullopt;
    }
    pair.second = *next;
    return pair;
  }

  bool has_maxima(NodeId id, int64_t channels) const {
    const auto found = maxima_.find(id);
    return found != maxima_.end() && found->second.size() == static_cast<std::size_t>(channels);
  }

  /// The factor next to `wanted` by which a Clip's channel may be divided: what it cut stays, and what it did not cut
  /// stays below its bound.
  double allowed_factor(const Pair& pair, std::size_t channel, double wanted) const {
    for (const NodeId clip : pair.bounded) {
      const double most = maxima_.at(clip)[channel], bound = float_attribute(graph_[clip], "max", kNoBound);
      wanted = most >= bound ? 1 : std::max(wanted, most / bound);
    }
    return wanted;
  }

  int64_t filters_of(NodeId product) const { return graph_[graph_[product].inputs[1]].type.shape[0]; }

  std::vector<double>& numbers_of(NodeId constant) {
    const auto [found, is_new] = numbers_.try_emplace(constant);
    if (is_new) {
      const auto values = graph_[constant].constant->values<float>();
      found->second.assign(values.begin(), values.end());
    }
    return found->second;
  }

  /// Calls with each weight of the layer that multiplies input channel i.
  template <typename Visit>
  void visit_input_channel(NodeId product, int64_t i, Visit visit) {
    const Shape& shape = graph_[graph_[product].inputs[1]].type.shape;
    std::vector<double>& weights = numbers_of(graph_[product].inputs[1]);
    const int64_t groups = int_attribute(graph_[product], "groups", 1), filters = shape[0] / groups;
    const int64_t taps = count_elements(shape) / shape[0] / shape[1], group = i / shape[1];
    for (int64_t m = group * filters; m < (group + 1) * filters; ++m) {
      for (int64_t k = 0; k < taps; ++k) {
        visit(weights[static_cast<std::size_t>((m * shape[1] + i % shape[1]) * taps + k)]);
      }
    }
  }

  /// \return how far the factors are from 1, at most.
  double equalize(const Pair& pair) {
    double furthest = 0;
    std::vector<double>& first = numbers_of(graph_[pair.first].inputs[1]);
    const auto filters = static_cast<std::size_t>(filters_of(pair.first));
    const std::size_t taps = first.size() / filters;
    for (std::size_t i = 0; i < filters; ++i) {
      double r1 = 0, r2 = 0;
      for (std::size_t k = 0; k < taps; ++k) {
        r1 = std::max(r1, std::abs(first[i * taps + k]));
      }
      visit_input_channel(pair.second, static_cast<int64_t>(i), [&](double& w) { r2 = std::max(r2, std::abs(w)); });
      if (r1 == 0 || r2 == 0) {
        continue;
      }
      const double s = allowed_factor(pair, i, std::sqrt(r1 / r2));
      for (const NodeId clip : pair.bounded) {
        maxima_.at(clip)[i] /= s;
      }
      furthest = std::max(furthest, std::abs(s - 1));
      for (std::size_t k = 0; k < taps; ++k) {
        first[i * taps + k] /= s;
      }
      if (pair.bias) {
        numbers_of(*pair.bias)[i] /= s;
      }
      visit_input_channel(pair.second, static_cast<int64_t>(i), [&](double& w) { w *= s; });
    }
    return furthest;
  }

  const Graph& graph_;
  ChannelMaxima maxima_;  ///< As they are with the factors so far.
  std::vector<Pair> pairs_;
  std::map<NodeId, std::vector<double>> numbers_;  ///< Of constants.
};

}  // namespace

Graph equalize_layers(const Graph& graph, const ChannelMaxima& maxima) { return Equalizer(graph, maxima).run(); }

}  // namespace fovea
