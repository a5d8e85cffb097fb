// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fills the fields of a user's calls, and places their constants.
#include "added_target.h"

#include <algorithm>
#include <cctype>

#include "layers/accumulation.h"
#include "layers/host_fields.h"
#include "ops/operator.h"
#include "spec/near_name.h"
#include "tensor/error.h"

namespace fovea {
namespace {

struct LayerQuantization {
  std::vector<Quantization> inputs;  ///< Of those that are activations.
  std::optional<Quantization> output;
};

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Types of a layer's results.
std::vector<ExternOutput> results_of(const Layer& layer) {
  const auto* several = std::get_if<Several>(&layer.body);
  return several == nullptr ? std::vector<ExternOutput>{{layer.output_type, 0}} : several->results;
}

/// The texts that the fields of a call stand for. Of constants only those that are named go into the weights.
class Fields {
 public:
  Fields(const OfferedLayer& offered, const EmittedCall& call, const std::string& target, const Places& places,
         WeightFile& weights)
      : layer_(offered.layer), call_(call), weights_(weights) {
    texts_ = {{"name", c_string(layer_.name)}, {"target", c_string(target)}};
    texts_["macs"] = std::to_string(count_macs(layer_)) + "u";
    texts_["rounding"] = c_rounding(offered.rounding);
    for (const auto& [letter, size] : letters_of(layer_)) {
      texts_[letter] = std::to_string(size) + "u";
    }
    add_tensors(places);
    for (const auto& [name, quantization] : quantizations_of(layer_)) {
      texts_[name + "_scale"] = c_float(quantization.scale());
      texts_[name + "_zero_point"] = std::to_string(quantization.zero_point());
    }
    constants_ = call.constants;
    if (const Accumulation* sum = accumulation_of(layer_)) {
      add_accumulation(*sum, offered.rounding);
    }
  }

  /// Where the layer writes, all of several results.
  const std::string& outputs() const { return texts_.at("outputs"); }

  /// \throws UserError where there is no such field.
  std::string operator[](const std::string& name) {
    if (const auto text = texts_.find(name); text != texts_.end()) {
      return text->second;
    }
    const bool is_place = name.ends_with("_offset");
    const std::string constant = is_place ? name.substr(0, name.size() - 7) : name;
    if (const auto found = constants_.find(constant); found != constants_.end()) {
      return is_place ? place_of(*found) : view_of(*found);
    }
    std::vector<std::string> names;
    std::string all;
    const auto add = [&](const std::string& each) {
      names.push_back(each);
      all += (all.empty() ? "" : ", ") + each;
    };
    for (const auto& [each, text] : texts_) {
      add(each);
    }
    for (const auto& [each, tensor] : constants_) {
      add(each);
    }
    user_error(layer_.name + ": $" + name + " is no field of its call, " + call_.place() + did_you_mean(name, names) +
               "; there are " + all + ", and of constants their _offset");
  }

 private:
  /// Where a tensor is: the host's view of it, and its place in the arena where it is there.
  /// \param offset  Of the tensor, in what is there.
  void add_tensor(const std::string& name, TensorId id, const TensorType& type, const Places& places,
                  int64_t offset = 0) {
    const std::string text = places.float_end(name, id), in_arena = "." + name + " = ";
    if (text.starts_with(in_arena)) {
      const std::string place =
          text.substr(in_arena.size()) + (offset == 0 ? "" : " + " + std::to_string(offset) + "u");
      texts_[name + "_offset"] = place;
      texts_[name] = "dla_arena_view(rt, " + place + ", " + std::to_string(size_bytes(type)) + "u)";
    } else {
      texts_[name] = text.substr(text.find(" = ") + 3);
    }
    texts_[name + "_bytes"] = std::to_string(size_bytes(type)) + "u";
  }

  void add_tensors(const Places& places) {
    for (std::size_t i = 0; i < layer_.inputs.size(); ++i) {
      add_tensor("input" + std::to_string(i), layer_.inputs[i], layer_.input_types[i], places);
      if (i == 0) {
        add_tensor("input", layer_.inputs[i], layer_.input_types[i], places);
      }
    }
    const std::vector<ExternOutput> results = results_of(layer_);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const std::string number = std::to_string(i);
      add_tensor("output" + number, layer_.output, *results[i].type, places, results[i].offset);
    }
    add_tensor("output", layer_.output, *results[0].type, places);
    add_tensor("outputs", layer_.output, layer_.output_type, places);
  }

  void add_accumulation(const Accumulation& sum, dla_rounding rounding) {
    constants_.emplace("weights", sum.weight);
    constants_.emplace("bias", sum.bias);
    const std::string quant = quant_field(sum, rounding);
    texts_["quant"] = "(struct dla_quant)" + quant.substr(quant.find('{'));
    const std::vector<dla_requantization> all = requantizations_of(sum, rounding);
    if (all.size() == 1) {
      texts_["weights_scale"] = c_float(sum.w.scale());
      texts_["multiplier"] = c_float(all[0].scale);
    }
    auto multipliers =
        std::make_shared<Tensor>(TensorType{{static_cast<std::int64_t>(all.size())}, ElementType::kFloat32});
    std::ranges::transform(all, multipliers->values<float>().begin(), &dla_requantization::scale);
    constants_.emplace("multipliers", std::move(multipliers));
    if (const auto shift = shift_of(sum)) {
      texts_["shift"] = std::to_string(*shift) + "u";
    }
  }

  std::string place_of(const std::pair<const std::string, std::shared_ptr<const Tensor>>& constant) {
    const std::string entry = layer_.name + "_" + constant.first;
    if (std::ranges::find(weights_.entries(), entry, &WeightEntry::name) == weights_.entries().end()) {
      weights_.add(entry, constant.second->bytes());
    }
    return "WEIGHT(" + entry + ")";
  }

  std::string view_of(const std::pair<const std::string, std::shared_ptr<const Tensor>>& constant) {
    return "dla_weights_view(rt, " + place_of(constant) + ", " + std::to_string(size_bytes(constant.second->type())) +
           "u)";
  }

  const Layer& layer_;
  const EmittedCall& call_;
  WeightFile& weights_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, std::shared_ptr<const Tensor>> constants_;
};

/// The text with fields in the place of their names.
std::string fill(const Layer& layer, const EmittedCall& call, Fields& fields) {
  std::string text;
  for (std::size_t at = 0; at < call.text.size(); ++at) {
    if (call.text[at] != '$') {
      text += call.text[at];
      continue;
    }
    if (call.text.compare(at, 2, "$$") == 0) {
      text += call.text[at++];
      continue;
    }
    const bool has_braces = call.text.compare(at, 2, "${") == 0;
    const std::size_t begin = at + (has_braces ? 2 : 1);
    const std::size_t end = static_cast<std::size_t>(
        std::find_if_not(call.text.begin() + static_cast<std::ptrdiff_t>(begin), call.text.end(), is_letter) -
        call.text.begin());
    if (end == begin || (has_braces && (end == call.text.size() || call.text[end] != '}'))) {
      user_error(layer.name + ": a $ in its call has no name behind it, " + call.place() + "; $$ is a dollar");
    }
    text += fields[call.text.substr(begin, end - begin)];
    at = end - (has_braces ? 0 : 1);
  }
  return text;
}

class Added : public Target {
 public:
  Added(const AddedTarget& target, dla_rounding rounding) : target_(target), rounding_(rounding) {}

  std::optional<std::string> refuse(const Layer& layer) override {
    return layer.is_view() ? "it moves no data" : target_.refuse({layer, rounding_});
  }

  std::optional<std::uint64_t> cost(const Layer& layer) override {
    return target_.cost ? target_.cost({layer, rounding_}) : std::nullopt;
  }

  PlannedLayer plan(const Layer& layer, const Places& places, WeightFile& weights) override {
    PlannedLayer plan;
    plan.layer = &layer;
    if (layer.is_view()) {
      return plan;
    }
    const OfferedLayer offered{layer, rounding_};
    const EmittedCall call = target_.emit(offered);
    Fields fields(offered, call, target_.name, places, weights);
    const std::string text = fill(layer, call, fields);
    plan.own_cycles = target_.cycles ? target_.cycles(offered) : 0;
    const std::string line =
        call.line == 0 ? "" : "#line " + std::to_string(call.line) + " " + c_string(call.file) + "\n";
    plan.calls = {{"  TRY(dla_begin_target(rt, " + fields["name"] + "));\n" + line + "  TRY(" + text + ");\n" +
                       (line.empty() ? "" : kOwnLines) +
                       "  TRY(dla_end_target(rt, &(const struct dla_target_layer){\n      " + name_field(layer) +
                       ", .target = " + fields["target"] + ", .cycles = " + std::to_string(*plan.own_cycles) +
                       "u,\n      .data = " + fields.outputs() + ", " + type_fields(layer.output_type) + ",\n      " +
                       shape_fields(layer.output_type) + "}));\n",
                   "",
                   {}}};
    plan.layout = text + ";";
    return plan;
  }

  std::string header() const override { return target_.header.empty() ? Target::header() : target_.header; }
  std::map<std::string, std::string> files() const override { return target_.files; }

 private:
  AddedTarget target_;
  dla_rounding rounding_;
};

}  // namespace

std::vector<NamedTarget> make_added_targets(const std::vector<AddedTarget>& added, dla_rounding rounding) {
  std::vector<NamedTarget> made;
  for (const AddedTarget& target : added) {
    const std::string& name = target.name;
    const std::string place = target.place.empty() ? "" : " (" + target.place + ")";
    if (name.empty() || !std::ranges::all_of(name, is_letter) || std::isdigit(static_cast<unsigned char>(name[0]))) {
      throw UsageError("target " + name + ": no name of a target; letters, digits and _ work" + place);
    }
    if (std::ranges::count(targets(), name, &TargetRow::name) != 0 ||
        std::ranges::count(made, name, &NamedTarget::name) != 0) {
      throw UsageError("target " + name + ": there is one of this name; give it another" + place);
    }
    made.push_back({name, std::make_shared<Added>(target, rounding), true});
  }
  return made;
}

std::map<std::string, Quantization> quantizations_of(const Layer& layer) {
  LayerQuantization all;
  std::visit(
      [&all](const auto& body) {
        if constexpr (requires { body.sum; }) {
          all.inputs = {body.sum.x};
          all.output = body.sum.table == nullptr ? body.sum.y : body.sum.z;
        } else if constexpr (requires { body.a.quantization; }) {
          for (const Operand* operand : {&body.a, &body.b}) {
            if (operand->constant == nullptr && !operand->is_float()) {
              all.inputs.push_back(operand->quantization);
            }
          }
          all.output = body.y;
        } else if constexpr (requires { body.xs; }) {
          all.inputs = body.xs;
          all.output = body.y;
        } else {
          if constexpr (requires { body.x; }) {
            all.inputs = {body.x};
          }
          if constexpr (requires { body.y; }) {
            all.output = body.y;
          }
        }
      },
      layer.body);
  if (const auto* conv = std::get_if<Qconv2d>(&layer.body)) {
    if (conv->residual) {
      all.inputs.push_back(conv->residual->x);
      all.output = conv->residual->y;
    }
    all.output = conv->mean ? conv->mean->y : all.output;
  }
  std::map<std::string, Quantization> named;
  const auto add = [&named](const std::string& name, const Quantization& quantization) {
    if (quantization.scales.size() == 1) {
      named.emplace(name, quantization);
    }
  };
  for (std::size_t i = 0; i < all.inputs.size(); ++i) {
    add("input" + std::to_string(i), all.inputs[i]);
  }
  if (!all.inputs.empty()) {
    add("input", all.inputs[0]);
  }
  if (all.output) {
    add("output", *all.output);
  }
  return named;
}

std::map<std::string, std::int64_t> letters_of(const Layer& layer) {
  std::map<std::string, std::int64_t> letters;
  const auto name = [&](const std::vector<const char*>& names, const Shape& shape) {
    for (std::size_t i = 0; i < shape.size() && i < names.size(); ++i) {
      letters[names[i]] = shape[i];
    }
  };
  if (!layer.input_types.empty() && layer.input_types[0].shape.size() <= 4) {
    name({"N", "C", "H", "W"}, layer.input_types[0].shape);
  }
  if (const Shape shape = results_of(layer)[0].type->shape; shape.size() <= 4) {
    name({"N", "M", "E", "F"}, shape);
  }
  const auto* conv = std::get_if<Qconv2d>(&layer.body);
  const auto* product = std::get_if<FloatProduct>(&layer.body);
  const Accumulation* sum = accumulation_of(layer);
  const Tensor* weight = sum != nullptr ? sum->weight.get() : product != nullptr ? product->weight.get() : nullptr;
  if (weight == nullptr) {
    return letters;
  }
  const Shape& filter = weight->type().shape;
  letters["M"] = filter[0];
  const Window* place = conv != nullptr ? &conv->window : product != nullptr ? &product->window : nullptr;
  if (filter.size() == 4 && place != nullptr) {
    const Window& window = *place;
    letters["groups"] = filter[1] == 0 ? 1 : letters["C"] / filter[1];
    name({"M", "C", "R", "S"}, {filter[0], letters["C"], filter[2], filter[3]});
    letters["U"] = window.strides[0];
    letters["V"] = window.strides[1];
    letters["E"] = window_steps(Node(), window, 0, letters["H"], false);
    letters["F"] = window_steps(Node(), window, 1, letters["W"], false);
    name({"pad_top", "pad_left", "pad_bottom", "pad_right"}, {window.pads.begin(), window.pads.end()});
  } else {
    for (const char* one : {"H", "W", "R", "S", "E", "F", "U", "V"}) {
      letters[one] = 1;
    }
  }
  return letters;
}

}  // namespace fovea
