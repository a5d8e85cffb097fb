// SPDX-License-Identifier: Apache-2.0
/// \file
/// Histograms of a thread each, added up.
#include "calibrate.h"

#include "ir/text_number.h"
#include "mapping/side_by_side.h"
#include "ops/operator.h"
#include "tensor/error.h"

namespace fovea {
namespace {

class ActivationStudy {
 public:
  ActivationStudy(const Graph& graph, const QuantizationPlan& plan)
      : graph_(graph), plan_(plan), ends_(graph.size()), counts_(graph.size()), seen_(most_threads()) {
    for (auto& histograms : seen_) {
      histograms.resize(plan.scales);
    }
  }

  void look_at(NodeId id, const ValueBank& values, std::size_t inputs) {
    if (graph_[id].type.element != ElementType::kFloat32 || !values.has(id)) {
      return;
    }
    std::vector<Ends> ends(inputs);
    run_side_by_side(inputs, [&](std::size_t input, std::size_t thread) {
      const auto numbers = values.at(id, input).values<float>();
      ends[input] = ends_of(numbers);
      check_finite(id, ends[input]);
      if (const auto scale = plan_.nodes[id].scale) {
        seen_[thread][*scale].add(numbers, ends[input]);
      }
    });
    for (const Ends& one : ends) {
      ends_[id].add(one);
    }
    counts_[id] += inputs * static_cast<std::size_t>(count_elements(graph_[id].type.shape));
  }

  std::vector<Histogram> result() {
    for (NodeId id = 0; id < graph_.size(); ++id) {
      check_alive(id);
      if (graph_[id].kind == NodeKind::kConstant && plan_.nodes[id].scale) {
        seen_[0][*plan_.nodes[id].scale].add(graph_[id].constant->values<float>());
      }
    }
    for (std::size_t thread = 1; thread < seen_.size(); ++thread) {
      for (std::size_t scale = 0; scale < plan_.scales; ++scale) {
        seen_[0][scale].add(seen_[thread][scale]);
      }
    }
    return std::move(seen_[0]);
  }

 private:
  void check_finite(NodeId id, const Ends& ends) const {
    if (!ends.is_finite) {
      const bool is_input = graph_[id].kind == NodeKind::kInput;
      user_error(describe(graph_, id) + ": " + (is_input ? "the calibration data have" : "gives") +
                 " infinite values or values that are no numbers; " +
                 (is_input ? "finite numbers work" : "calibrate with inputs of the size that it was trained on"));
    }
  }

  /// A value that never changes has no range.
  void check_alive(NodeId id) const {
    const bool is_looked_at = plan_.nodes[id].scale && graph_[id].kind != NodeKind::kConstant &&
                              (plan_.nodes[id].is_on_integers || graph_[id].kind == NodeKind::kInput);
    if (is_looked_at && counts_[id] > 1 && ends_[id].least == ends_[id].most) {
      const bool is_input = graph_[id].kind == NodeKind::kInput;
      user_error(describe(graph_, id) + ": all its values are " + number(ends_[id].least) +
                 " on the calibration data; " +
                 (is_input ? "inputs that differ work" : "calibrate with other inputs, or keep it: --keep-float"));
    }
  }

  const Graph& graph_;
  const QuantizationPlan& plan_;
  std::vector<Ends> ends_;                    ///< Of what each node gave,
  std::vector<std::size_t> counts_;           ///< and how many numbers that were.
  std::vector<std::vector<Histogram>> seen_;  ///< By thread and scale.
};

}  // namespace

std::vector<Histogram> calibrate(const Graph& graph, const QuantizationPlan& plan,
                                 std::span<const CalibrationInput> inputs, const SayProgress& progress) {
  ActivationStudy study(graph, plan);
  const auto look = [&](NodeId id, const ValueBank& values, std::size_t count) { study.look_at(id, values, count); };
  run_float(graph, plan, inputs, look, "calibrating", progress);
  return study.result();
}

}  // namespace fovea
