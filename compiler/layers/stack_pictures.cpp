// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds out which tensors may be stacked, then which of them should be.
#include "stack_pictures.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "layer_kind.h"
#include "picture_stack.h"

namespace fovea {
namespace {

/// A layer with its command, if it has one.
struct Step {
  Layer* layer = nullptr;
  std::optional<DeviceForm> form = std::nullopt;

  TensorId ifmap() const { return layer->inputs.at(form->ifmap); }
  TensorId residual() const { return layer->inputs.at(1 - form->ifmap); }
};

class Stacking {
 public:
  explicit Stacking(Network& network) : network_(network) {
    for (Layer& layer : network.layers) {
      Step step{&layer};
      if (layer.target == "dla" && !layer.is_view() && layer.kind->device_form != nullptr) {
        step.form = layer.kind->device_form(layer);
      }
      steps_.push_back(std::move(step));
    }
  }

  void run() {
    find_possible();
    choose();
    for (const Step& step : steps_) {
      mark(*step.layer);
    }
  }

 private:
  /// Tensors that are stacked only together: those of a command for all pictures, and a residual and its sum, whose
  /// bytes have to lie alike in their words.
  using Link = std::pair<TensorId, TensorId>;

  const TensorType& type(TensorId id) const { return network_.tensors[id].type; }

  /// Whether the map's result is read where it lies: a join may want it elsewhere.
  bool stacks(const Step& step) const {
    return stacks_pictures(*step.layer) && std::ranges::none_of(network_.layers, [&](const Layer& reader) {
             return std::holds_alternative<Qconcat>(reader.body) &&
                    std::ranges::count(reader.inputs, step.layer->output) != 0;
           });
  }

  bool can_write(const Step& step) const {
    return step.form ? may_be_stacked(*step.form, type(step.layer->output), true) : unstacks_pictures(*step.layer);
  }
  bool can_read(const Step& step, TensorId id) const {
    return step.form ? may_be_stacked(*step.form, type(id), false) : stacks(step);
  }

  void find_possible() {
    for (const Step& step : steps_) {
      const TensorId output = step.layer->output;
      if (is_batch(type(output)) && can_write(step)) {
        possible_.insert(output);
      }
      if (step.form && step.form->refusal.empty()) {
        if (step.form->pictures == 1) {
          links_.emplace_back(step.ifmap(), output);
        }
        if (step.form->residual) {
          links_.emplace_back(step.residual(), output);
        }
      }
    }
    for (const NetworkEnd& end : network_.outputs) {
      possible_.erase(end.tensor);
    }
    for (const Step& step : steps_) {
      for (const TensorId input : step.layer->inputs) {
        if (possible_.contains(input) && !can_read(step, input)) {
          possible_.erase(input);
        }
      }
    }
    spread([&](TensorId a, TensorId b) { return possible_.contains(a) ? possible_.erase(a) : possible_.erase(b); },
           [&](TensorId a, TensorId b) { return possible_.contains(a) != possible_.contains(b); });
  }

  void choose() {
    const auto add = [&](TensorId id) { return possible_.contains(id) && stacked_.insert(id).second; };
    for (const Step& step : steps_) {
      const TensorId output = step.layer->output;
      if (stacks(step)) {
        add(step.layer->inputs[0]);
      }
      if (unstacks_pictures(*step.layer)) {
        add(output);
      }
      if (step.form && possible_.contains(output) && possible_.contains(step.ifmap()) && stacked_rows(*step.form)) {
        add(step.ifmap());
        add(output);
      }
    }
    spread([&](TensorId a, TensorId b) { return stacked_.insert(stacked_.contains(a) ? b : a).second; },
           [&](TensorId a, TensorId b) {
             return stacked_.contains(a) != stacked_.contains(b) && possible_.contains(a) && possible_.contains(b);
           });
  }

  /// Makes linked tensors alike, until all are.
  void spread(const std::function<bool(TensorId, TensorId)>& make_alike,
              const std::function<bool(TensorId, TensorId)>& differ) {
    for (bool is_changed = true; is_changed;) {
      is_changed = false;
      for (const auto& [a, b] : links_) {
        is_changed = (differ(a, b) && make_alike(a, b)) || is_changed;
      }
    }
  }

  void mark(Layer& layer) const {
    const auto is_stacked = [&](TensorId id) { return stacked_.contains(id); };
    layer.has_stacked_output = is_stacked(layer.output);
    if (std::ranges::none_of(layer.inputs, is_stacked) && !layer.has_stacked_output) {
      return;
    }
    layer.stacked_inputs.clear();
    std::ranges::transform(layer.inputs, std::back_inserter(layer.stacked_inputs), is_stacked);
    if (auto* rearrange = std::get_if<Rearrange>(&layer.body)) {
      rearrange->in_place = true;
      move_to_writer(layer);
    }
  }

  /// As other views, it is where what it views is.
  void move_to_writer(Layer& view) const {
    const auto writer = std::ranges::find(network_.layers, view.inputs.at(0), &Layer::output);
    if (writer != network_.layers.end()) {
      view.target = writer->target;
      view.region = writer->region;
      view.reason = "";
    }
  }

  Network& network_;
  std::vector<Step> steps_;
  std::vector<Link> links_;
  std::set<TensorId> possible_, stacked_;
};

}  // namespace

void stack_pictures(Network& network) {
  if (std::ranges::any_of(network.tensors, [](const Activation& tensor) { return is_batch(tensor.type); })) {
    Stacking(network).run();
  }
}

}  // namespace fovea
