// SPDX-License-Identifier: Apache-2.0
/// \file
/// The host: the driver's kernels, for every kind of layer.
#include "targets/nest_rules.h"
#include "targets/target.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// The layer, its loops as the CPU wants them.
Layer with_schedule(const Layer& layer) {
  Layer scheduled_layer = layer;
  if (auto* loops = std::get_if<LoopNest>(&scheduled_layer.body)) {
    loops->nest = scheduled(loops->nest, cpu_nest_rules());
  }
  return scheduled_layer;
}

class CpuTarget : public Target {
 public:
  std::optional<std::string> refuse(const Layer&) override { return std::nullopt; }

  /// There is no call that takes a convolution and the mean of its outputs.
  bool prefers_parts(const Layer& fused, const std::vector<std::shared_ptr<const Layer>>&) override {
    const auto* conv = std::get_if<Qconv2d>(&fused.body);
    return conv != nullptr && conv->mean;
  }

  LayerPlan plan(const Layer& layer, const Places& places, WeightFile& weights) override {
    LayerPlan plan;
    plan.layer = &layer;
    const LayerKind& kind = *layer.kind;
    if (kind.host_call == nullptr || layer.is_view()) {
      internal_check(layer.is_view(), layer.name + ": a kind of layer without a call on the host");
      return plan;
    }
    if (kind.host_constants != nullptr) {
      for (const HostConstant& constant : kind.host_constants(layer, places.rounding)) {
        weights.add(layer.name + "_" + constant.name, constant.tensor->bytes());
      }
    }
    plan.calls.push_back(kind.host_call(with_schedule(layer), places));
    const auto tail = kind.host_tail == nullptr ? std::nullopt : kind.host_tail(layer, places);
    if (tail) {
      plan.calls.push_back(*tail);
    }
    return plan;
  }
};

}  // namespace

std::shared_ptr<Target> make_cpu_target(const TargetOptions&) { return std::make_shared<CpuTarget>(); }

}  // namespace fovea
