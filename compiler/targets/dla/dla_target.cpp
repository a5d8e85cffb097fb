// SPDX-License-Identifier: Apache-2.0
/// \file
/// The row-stationary accelerator: maps each layer, lays its filters out and calls the driver.
#include <algorithm>

#include "call_json.h"
#include "device_call.h"
#include "dla_work.h"
#include "layers/accumulation.h"
#include "network_on_chip.h"
#include "slice_mapping.h"
#include "targets/target.h"
#include "tensor/error.h"

namespace fovea {
namespace {

/// How the inputs of a fully connected layer or a mean were factored, and the rows of windows under each other; or how
/// a convolution's pixels were joined. Nothing where its shape is its own.
std::string describe_shape(const DlaWork& work) {
  const dla_shape& s = work.choice.shape;
  if (work.form.is_product) {
    return "C=" + std::to_string(s.C) + (s.H > s.R ? " H=" + std::to_string(s.H) : "") + " R=" + std::to_string(s.R) +
           " S=" + std::to_string(s.S) + " ";
  }
  return work.form.shape.H != s.H ? "H=" + std::to_string(s.H) + " W=" + std::to_string(s.W) + " " : "";
}

class DlaTarget : public Target {
 public:
  explicit DlaTarget(const TargetOptions& options)
      : mapper_(options.mapper()),
        on_mapping_(options.on_mapping),
        keeps_tensors_(options.keeps_tensors),
        residency_seed_(options.residency_seed) {}

  void expect(const std::vector<std::shared_ptr<const Layer>>& layers) override {
    MappingsAhead ahead;
    for (const auto& layer : layers) {
      ahead.add(*layer);
    }
    if (on_mapping_) {
      on_mapping_(ahead.convolutions.size() + ahead.linears.size());
    }
    mapper_->prepare(ahead.convolutions, ahead.linears);
  }

  std::optional<std::string> refuse(const Layer& layer) override {
    if (layer.is_view()) {
      return std::nullopt;
    }
    const auto work = find_dla_work(layer, *mapper_);
    if (!work) {
      return std::string(layer.kind->why_on_host);
    }
    return work->choice.mapping.plan ? std::nullopt : std::optional<std::string>(work->choice.mapping.reason);
  }

  std::optional<std::uint64_t> cost(const Layer& layer) override { return predict_cycles(layer); }

  /// By the cycles, where they are what counts: parts move more bytes. As of mappings, a few percent are not enough.
  bool prefers_parts(const Layer& fused, const std::vector<std::shared_ptr<const Layer>>& parts) override {
    if (mapper_->mode() == MappingMode::kLab || mapper_->goal().objective != Objective::kCycles) {
      return false;
    }
    std::uint64_t cycles = 0;
    for (const auto& part : parts) {
      const std::optional<std::uint64_t> part_cycles = predict_cycles(*part);
      if (!part_cycles) {
        return false;
      }
      cycles += *part_cycles;
    }
    const std::optional<std::uint64_t> fused_cycles = predict_cycles(fused);
    return !fused_cycles || same_cycles_as(cycles, mapper_->goal().slack_percent) < *fused_cycles;
  }

  void begin(const Network& network) override {
    residency_ = keeps_tensors_ ? plan_residency(network, *mapper_, residency_seed_) : ResidencyPlan();
    on_chip_ = keeps_tensors_ ? plan_json(describe_plan(network, residency_, *mapper_)) : nullptr;
    filters_before_ = {};
    others_end_before_ = 0;
  }

  PlannedLayer plan(const Layer& layer, const Places& places, WeightFile& weights) override {
    PlannedLayer plan;
    plan.layer = &layer;
    const auto found = residency_.find(layer.name);
    const LayerResidency where = found == residency_.end() ? LayerResidency() : found->second;
    const auto work = find_dla_work(layer, *mapper_, &where);
    if (!work) {
      internal_check(layer.is_view(), layer.name + ": the accelerator has no " + layer.composite);
      return plan;
    }
    const MappingChoice& mapping = work->choice.mapping;
    internal_check(mapping.plan.has_value(), layer.name + " was put on the accelerator, but " + mapping.reason);
    plan.mapping = describe_shape(*work) +
                   (where.depth_first ? "slices=" + std::to_string(where.depth_first->slices()) + " " : "") +
                   to_text(mapping.plan->mapping) + (mapping.is_recorded ? ", recorded" : "");
    const DeviceCall call = plan_call(layer, *work, where, weights);
    add_calls(device_call_text(layer, *work, call, places), where, plan.calls);
    plan.json.push_back(call_json(mapper_->machine().geometry, call));
    plan.layout += call.filter + ":" + to_text(call.plan.mapping) + ";";
    plan.predicted_cycles += call.commands * call.plan.cost.cycles;
    plan.dram_bytes += call.commands * call.plan.cost.dram_bytes.total();
    return plan;
  }

  std::vector<std::vector<std::string>> together() const override {
    std::vector<std::vector<std::string>> groups;
    for (const auto& [name, where] : residency_) {
      if (where.depth_first && where.place == 0) {
        groups.push_back(where.depth_first->layers);
      }
    }
    return groups;
  }

  nlohmann::ordered_json on_chip() const override { return on_chip_; }

  std::uint64_t alignment() const override { return mapper_->machine().geometry.bus_bytes; }
  std::string machine() const override { return mapper_->machine().name; }
  std::string mapping_mode() const override { return mapper_->mode() == MappingMode::kLab ? "lab" : "search"; }

 private:
  /// Nothing where the accelerator does not take the layer.
  std::optional<std::uint64_t> predict_cycles(const Layer& layer) const {
    const auto work = find_dla_work(layer, *mapper_);
    return work && work->choice.mapping.plan ? std::optional(work->choice.mapping.plan->cost.cycles * work->commands)
                                             : std::nullopt;
  }

  /// The layer's command; adds its filter stream.
  DeviceCall plan_call(const Layer& layer, const DlaWork& work, const LayerResidency& where, WeightFile& weights) {
    const dla_machine& machine = mapper_->machine().geometry;
    const dla_shape& s = work.choice.shape;
    DeviceCall call;
    call.shape = s;
    call.plan = *work.choice.mapping.plan;
    call.is_recorded = work.choice.mapping.is_recorded;
    call.where = where;
    call.commands = work.commands;
    if (where.is_any()) {
      call.plan.glb = plan_glb_beside(machine, s, call.plan, where);
    }
    part_filters(call.plan.glb, where.filters.has_value());
    call.name = layer.name;
    call.filter = call.name + "_filter";
    const std::vector<float> scales = scales_of(work.form.sum);
    std::vector<std::byte> stream(dla_filter_stream_bytes(&machine, &s, &call.plan.mapping));
    dla_lay_out_filters(&machine, &s, &call.plan.mapping, work.form.sum.weight->values<std::int8_t>().data(),
                        work.form.sum.bias->values<std::int32_t>().data(), s.filter_scales ? scales.data() : nullptr,
                        s.lookup ? work.form.sum.table->values<std::uint8_t>().data() : nullptr,
                        reinterpret_cast<std::uint8_t*>(stream.data()));
    weights.add(call.filter, stream);
    return call;
  }

  /// Where filters would lie on those of the call before, puts them behind the other regions of both: a list loads them
  /// while that one is computed. But not where they have a place of their own.
  void part_filters(dla_glb_plan& glb, bool are_placed) {
    const std::uint32_t others_end = glb.psum.base_bytes + glb.psum.size_bytes;
    const dla_region parted = {std::max(others_end, others_end_before_), glb.filter.size_bytes};
    if (!are_placed && dla_regions_overlap(&glb.filter, &filters_before_) &&
        !dla_regions_overlap(&parted, &filters_before_) && parted.base_bytes < glb.filter.base_bytes) {
      glb.filter = parted;
    }
    filters_before_ = glb.filter;
    others_end_before_ = others_end;
  }

  std::shared_ptr<Mapper> mapper_;
  std::function<void(std::size_t layers)> on_mapping_;
  bool keeps_tensors_;
  std::uint32_t residency_seed_;
  ResidencyPlan residency_;
  nlohmann::ordered_json on_chip_;
  // Of the call before.
  dla_region filters_before_{};
  std::uint32_t others_end_before_ = 0;
};

}  // namespace

std::shared_ptr<Target> make_dla_target(const TargetOptions& options) { return std::make_shared<DlaTarget>(options); }

}  // namespace fovea
