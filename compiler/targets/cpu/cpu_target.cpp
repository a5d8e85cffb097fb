// SPDX-License-Identifier: Apache-2.0
/// \file
/// The host: the driver's kernels, for every kind of layer.
#include "layers/host_loops.h"
#include "targets/target.h"

namespace fovea {
namespace {

void add_weights(const Layer& layer, const std::vector<HostConstant>& constants, WeightFile& weights) {
  for (const HostConstant& constant : constants) {
    weights.add(layer.name + "_" + constant.name, constant.tensor->bytes());
  }
}

class CpuTarget : public Target {
 public:
  explicit CpuTarget(const TargetOptions& options) : schedule_(options.schedule) {}

  std::optional<std::string> refuse(const Layer&) override { return std::nullopt; }

  /// There is no call that takes a convolution and the mean of its outputs.
  bool prefers_parts(const Layer& fused, const std::vector<std::shared_ptr<const Layer>>&) override {
    const auto* conv = std::get_if<Qconv2d>(&fused.body);
    return conv != nullptr && conv->mean;
  }

  PlannedLayer plan(const Layer& layer, const Places& places, WeightFile& weights) override {
    PlannedLayer plan;
    plan.layer = &layer;
    const LayerKind& kind = *layer.kind;
    if (layer.is_view()) {
      return plan;
    }
    if (kind.host_loops != nullptr) {
      LoopNest loops = kind.host_loops(layer, places.rounding);
      loops.nest = schedule_(loops.nest, layer.name);
      add_weights(layer, loop_constants(loops), weights);
      plan.calls.push_back(loops_call(layer, loops, places));
      return plan;
    }
    add_weights(layer, host_constants_of(layer, places.rounding), weights);
    plan.calls.push_back(kind.host_call(layer, places));
    const auto tail = kind.host_tail == nullptr ? std::nullopt : kind.host_tail(layer, places);
    if (tail) {
      plan.calls.push_back(*tail);
    }
    return plan;
  }

 private:
  NestScheduler schedule_;
};

}  // namespace

std::shared_ptr<Target> make_cpu_target(const TargetOptions& options) { return std::make_shared<CpuTarget>(options); }

}  // namespace fovea
