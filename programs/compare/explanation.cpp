// SPDX-License-Identifier: Apache-2.0
/// \file
/// Goes from an element back to its inputs, on each side with its own network, or the other's where it has none.
#include "explanation.h"

#include <algorithm>

#include "accumulator.h"
#include "network_tensors.h"

namespace fovea {
namespace {

/// A side seen through a network: its own or the other's.
struct SeenLayer {
  const NetworkNotes& notes;
  std::size_t layer;  ///< Place among the network's layers.
  NetworkTensors tensors;

  const Layer& value() const { return notes.network.layers[layer]; }
};

std::vector<const LayerValue*> own_values(const Side& side) {
  std::vector<const LayerValue*> values(side.network->network.layers.size());
  for (const LayerValue& value : side.values) {
    if (value.layer) {
      values[*value.layer] = &value;
    }
  }
  return values;
}

/// What a dump says of another side's layers. \param mine, theirs  Which of a pair is whose.
std::vector<const LayerValue*> paired_values(const Side& dump, const Side& other, const Comparison& comparison,
                                             std::size_t ComparedLayer::*mine, std::size_t ComparedLayer::*theirs) {
  std::vector<const LayerValue*> values(other.network->network.layers.size());
  for (const ComparedLayer& pair : comparison.layers) {
    if (const auto layer = other.values[pair.*theirs].layer; layer) {
      values[*layer] = &dump.values[pair.*mine];
    }
  }
  return values;
}

std::optional<SeenLayer> view_of(const Side& side, const Side& other, const Comparison& comparison, std::size_t pair,
                                 std::size_t ComparedLayer::*mine, std::size_t ComparedLayer::*theirs) {
  const bool has_own = side.network != nullptr;
  const Side& known = has_own ? side : other;
  if (known.network == nullptr) {
    return std::nullopt;
  }
  const auto layer = known.values[comparison.layers[pair].*(has_own ? mine : theirs)].layer;
  if (!layer) {
    return std::nullopt;
  }
  auto values = has_own ? own_values(side) : paired_values(side, other, comparison, mine, theirs);
  return SeenLayer{*known.network, *layer, NetworkTensors(*known.network, std::move(values), known.inputs)};
}

std::optional<uint8_t> residual_of(const SeenLayer& view, std::size_t place) {
  if (view.value().inputs.size() < 2) {
    return std::nullopt;
  }
  const std::optional<Tensor> residual = view.tensors.find(view.value().inputs[1]);
  const bool has_it = residual && residual->type().element == ElementType::kUint8 && place < residual->bytes().size();
  return has_it ? std::optional(residual->values<uint8_t>()[place]) : std::nullopt;
}

ElementOfSide element_of(const LayerValue& value, const std::optional<Quantization>& quantization,
                         const std::optional<SeenLayer>& view, std::size_t place) {
  ElementOfSide element{value.values.at(place), quantization, {}, 1, std::nullopt};
  if (view) {
    const std::optional<Tensor> x = view->tensors.find(view->value().inputs.at(0));
    if (x) {
      element.accumulators = accumulators_at(view->value(), *x, place);
      element.step = accumulator_step(view->value(), place);
      element.requantized =
          requantized(view->value(), element.accumulators, place, residual_of(*view, place), view->notes.rounding);
    }
  }
  return element;
}

/// Elements of a field that are not the same; nothing where a side does not have the input.
std::optional<std::size_t> count_differing(const InputField& field, const SeenLayer& a, const SeenLayer& b) {
  if (field.input >= b.value().inputs.size()) {
    return std::nullopt;
  }
  const std::optional<Tensor> x = a.tensors.find(a.value().inputs[field.input]);
  const std::optional<Tensor> y = b.tensors.find(b.value().inputs[field.input]);
  if (!x || !y || x->type() != y->type()) {
    return std::nullopt;
  }
  std::size_t count = 0;
  field.for_each([&](std::size_t place) { count += x->at(place) != y->at(place) ? 1 : 0; });
  return count;
}

std::vector<ComparedField> compare_fields(const SeenLayer& a, const SeenLayer& b, std::size_t place) {
  std::vector<ComparedField> fields;
  for (const InputField& field : receptive_field(a.value(), place)) {
    const std::string& from = a.notes.network.tensors[a.value().inputs[field.input]].name;
    fields.push_back({from, field, count_differing(field, a, b)});
  }
  return fields;
}

/// Whether a side gave what its own layer makes of its accumulators.
bool is_as_computed(const ElementOfSide& element) { return element.value == element.requantized; }

std::string judge_accumulators(const ElementOfSide& a, const ElementOfSide& b) {
  const std::string equal = "Input and accumulator are the same; ";
  if (a.accumulators != b.accumulators) {
    return "The input is the same and the accumulators are not: weights, bias, pads or the input's zero point.";
  }
  if (a.requantized && b.requantized && *a.requantized != *b.requantized) {
    return equal + "the layers requantize it in two ways: scales, zero points, bounds or rounding.";
  }
  if (a.requantized && is_as_computed(a) != is_as_computed(b)) {
    return equal + "what " + (is_as_computed(a) ? "B" : "A") +
           " gives is not what its layer makes of that: requantization or rounding.";
  }
  return equal + "requantization or what follows it differs.";
}

bool are_of_one_type(const SeenLayer& a, const SeenLayer& b) {
  return a.value().output_type.element == b.value().output_type.element;
}

std::string judge(const Explanation& e, bool has_first, bool has_same_quantization, bool has_one_type) {
  const bool knows_fields =
      std::ranges::all_of(e.fields, [](const auto& field) { return field.differing.has_value(); });
  const bool has_same_input = std::ranges::all_of(e.fields, [](const auto& field) { return field.differing == 0u; });
  if (!has_first) {
    return "All elements stand for the same numbers; scale or zero point of the output differ.";
  }
  if (e.operation.empty()) {
    return "No network is known that says what the layer computes.";
  }
  if (!has_one_type) {
    return "One side computes this layer on 8-bit values, the other in float32.";
  }
  if (!knows_fields) {
    return "A side does not have the layer's input.";
  }
  if (!has_same_input) {
    return "The input differs already, in a tensor that is not compared or equals the other within the tolerance.";
  }
  if (!e.a.accumulators.empty() && !e.b.accumulators.empty()) {
    return judge_accumulators(e.a, e.b);
  }
  return std::string("The input is the same and ") +
         (has_same_quantization ? "what the layer computes is not." : "scale or zero point of the output is not.");
}

}  // namespace

Explanation explain(const Side& a, const Side& b, const Comparison& comparison, std::size_t layer) {
  const ComparedLayer& pair = comparison.layers.at(layer);
  const LayerValue &x = a.values[pair.a], &y = b.values[pair.b];
  const std::size_t place = pair.difference.first.value_or(0);
  const auto view_a = view_of(a, b, comparison, layer, &ComparedLayer::a, &ComparedLayer::b);
  const auto view_b = view_of(b, a, comparison, layer, &ComparedLayer::b, &ComparedLayer::a);
  const auto [qa, qb] = quantizations_of(x, y);
  Explanation e;
  e.layer = a.network || !b.network ? x.name : y.name;
  e.shape = x.values.type().shape;
  if (view_a) {
    e.operation = view_a->value().composite;
    e.onnx_name = view_a->value().onnx_name;
    e.shape = without_batch(view_a->value().output_type.shape);
  }
  e.at = indices_of(place, e.shape);
  e.a = element_of(x, qa, view_a, place);
  e.b = element_of(y, qb, view_b, place);
  if (view_a && view_b) {
    e.fields = compare_fields(*view_a, *view_b, place);
    e.settings = settings_that_differ(view_a->value(), view_b->value(), place);
  }
  const bool has_one_type = !view_a || !view_b || are_of_one_type(*view_a, *view_b);
  e.verdict = judge(e, pair.difference.first.has_value(), !pair.difference.quantization_differs, has_one_type);
  return e;
}

}  // namespace fovea
