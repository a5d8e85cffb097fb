// SPDX-License-Identifier: Apache-2.0
/// \file
/// Resize and Upsample: axis by axis to the nearest element, which is a list of places; or by weights between elements.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "converters.h"
#include "resize_taps.h"

namespace fovea {
namespace {

/// Interpolates along `axes` at once.
NodeId add_interpolation(ImportContext& context, const OnnxNode& node, NodeId x, const std::vector<std::size_t>& axes,
                         const std::vector<ResizeTaps>& taps) {
  std::vector<int64_t> sizes;
  std::vector<int32_t> places;
  std::vector<float> weights;
  for (const std::size_t axis : axes) {
    sizes.push_back(static_cast<int64_t>(taps[axis].places.size()) / taps[axis].count);
    places.insert(places.end(), taps[axis].places.begin(), taps[axis].places.end());
    weights.insert(weights.end(), taps[axis].weights.begin(), taps[axis].weights.end());
  }
  const Shape all{static_cast<int64_t>(places.size())};
  const NodeId where = context.builder.constant(Tensor::of<int32_t>(all, places), node.name());
  const NodeId how_much = context.builder.constant(Tensor::of<float>(all, weights), node.name());
  return context.call(
      node, "resample", {x, where, how_much},
      {{"axes", std::vector<int64_t>(axes.begin(), axes.end())}, {"sizes", sizes}, {"taps", taps[axes[0]].count}});
}

/// The axes of each interpolation, in ONNX Runtime's order, on which the last bit depends: linear goes along two axes
/// at once, or of three and five dimensions along three, also where one of them keeps its scale; cubic along the
/// innermost axis first.
std::vector<std::vector<std::size_t>> interpolations(const ResizeRule& rule, const std::vector<ResizedAxis>& axes) {
  std::vector<std::size_t> scaled;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis].scale != 1) {
      scaled.push_back(axis);
    }
  }
  if (scaled.empty()) {
    return {};
  }
  if (rule.mode == "cubic") {
    std::vector<std::vector<std::size_t>> each;
    for (std::size_t i = scaled.size(); i > 0; --i) {
      each.push_back({scaled[i - 1]});
    }
    return each;
  }
  const std::size_t rank = axes.size(), count = rank % 2 == 0 ? 2 : 3;
  const bool has_channels_last = rank == 4 && scaled.front() == 1 && scaled.back() == 2;
  const std::size_t last = has_channels_last ? 3 : rank, first = last - std::min(count, last);
  if (scaled.front() < first) {
    return {scaled};
  }
  std::vector<std::size_t> all(last - first);
  std::iota(all.begin(), all.end(), first);
  return {all};
}

/// Resizes; `fill` is what lies behind their ends, where the rule goes there. What keeps its shape is
/// x, whatever the scales are.
NodeId add_resize(ImportContext& context, OnnxNode& node, NodeId x, const ResizeRule& rule,
                  const std::vector<ResizedAxis>& axes, double fill) {
  if (std::all_of(axes.begin(), axes.end(), [](const ResizedAxis& axis) { return axis.to == axis.from; })) {
    return x;
  }
  const bool is_nearest = rule.mode == "nearest";
  node.check(is_nearest || context.type(x).element == ElementType::kFloat32,
             "mode=" + rule.mode + " takes float32, not " + std::string(to_text(context.type(x).element)));
  const std::size_t rank = axes.size();
  std::vector<std::vector<int64_t>> places;
  std::vector<ResizeTaps> taps;
  std::vector<int64_t> pads(2 * rank);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    node.check(axes[axis].to > 0, "leaves nothing of axis " + std::to_string(axis));
    places.push_back(is_nearest ? nearest_places(node, rule, axes[axis]) : std::vector<int64_t>());
    taps.push_back(is_nearest ? ResizeTaps() : interpolating_taps(node, rule, axes[axis]));
    const bool leaves = std::count(places[axis].begin(), places[axis].end(), axes[axis].from) > 0 ||
                        std::count(taps[axis].places.begin(), taps[axis].places.end(), axes[axis].from) > 0;
    pads[rank + axis] = leaves ? 1 : 0;
  }
  if (std::count(pads.begin(), pads.end(), 1) > 0) {
    x = context.call(node, "pad", {x}, {{"pads", pads}, {"value", fill}});
  }
  for (std::size_t axis = 0; is_nearest && axis < rank; ++axis) {
    x = context.take(node, x, axis, places[axis]);
  }
  for (const auto& together : is_nearest ? std::vector<std::vector<std::size_t>>() : interpolations(rule, axes)) {
    x = add_interpolation(context, node, x, together, taps);
  }
  return x;
}

std::vector<float> floats_input(ImportContext& context, const OnnxNode& node, int place) {
  const Tensor tensor = context.constant_input(node, place);
  node.check(tensor.type().element == ElementType::kFloat32,
             "input " + std::to_string(place + 1) + " of " + node.op() + " must be float32");
  const auto values = tensor.values<float>();
  return {values.begin(), values.end()};
}

void set_scales(const OnnxNode& node, const std::vector<float>& scales, const std::vector<ResizedAxis*>& axes) {
  node.check(scales.size() == axes.size(),
             "scales must be a number for each of " + std::to_string(axes.size()) + " axes");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    node.check(scales[i] > 0 && scales[i] * static_cast<float>(axes[i]->from) <= kMostPlaces,
               "scales must be positive, and give at most 2^20 elements");
    axes[i]->scale = scales[i];
    axes[i]->to = static_cast<int64_t>(static_cast<float>(axes[i]->from) * scales[i]);
  }
}

void set_sizes(OnnxNode& node, const std::vector<int64_t>& sizes, const std::vector<ResizedAxis*>& axes) {
  node.check(sizes.size() == axes.size(),
             "sizes must be a number for each of " + std::to_string(axes.size()) + " axes");
  std::vector<float> scales;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    node.check(sizes[i] > 0 && sizes[i] <= kMostPlaces, "sizes must be 1 to 2^20");
    scales.push_back(static_cast<float>(sizes[i]) / static_cast<float>(axes[i]->from));
  }
  const std::string policy = node.read_text("keep_aspect_ratio_policy", "stretch");
  node.check(policy == "stretch" || policy == "not_larger" || policy == "not_smaller",
             "keep_aspect_ratio_policy=" + policy + " is not supported; stretch, not_larger and not_smaller are");
  const auto [least, most] = std::minmax_element(scales.begin(), scales.end());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    axes[i]->scale = policy == "stretch" ? scales[i] : policy == "not_larger" ? *least : *most;
    axes[i]->to = policy == "stretch"
                      ? sizes[i]
                      : static_cast<int64_t>(std::round(axes[i]->scale * static_cast<float>(axes[i]->from)));
  }
}

std::vector<ResizedAxis> axes_of(const Shape& shape) {
  std::vector<ResizedAxis> axes;
  for (const int64_t size : shape) {
    axes.push_back({size, size});
  }
  return axes;
}

std::vector<ResizedAxis*> all_of(std::vector<ResizedAxis>& axes) {
  std::vector<ResizedAxis*> all;
  for (ResizedAxis& axis : axes) {
    all.push_back(&axis);
  }
  return all;
}

std::string read_mode(OnnxNode& node) {
  std::string mode = node.read_text("mode", "nearest");
  node.check(mode == "nearest" || mode == "linear" || (mode == "cubic" && node.op() == "Resize"),
             "mode=" + mode + " is not supported; nearest, linear and, of Resize, cubic are");
  return mode;
}

}  // namespace

NodeId convert_upsample(ImportContext& context, OnnxNode& node) {
  ResizeRule rule;
  rule.mode = read_mode(node);
  const NodeId x = context.input(node, 0);
  std::vector<ResizedAxis> axes = axes_of(context.shape(x));
  set_scales(node, node.has_input(1) ? floats_input(context, node, 1) : node.read_floats("scales"), all_of(axes));
  return add_resize(context, node, x, rule, axes, 0);
}

/// Until opset 10: x and scales; from 11: x, roi, scales or sizes.
NodeId convert_resize(ImportContext& context, OnnxNode& node) {
  if (node.inputs().size() == 2) {
    return convert_upsample(context, node);
  }
  node.require_int("antialias", 0);
  const ResizeRule rule{read_mode(node), node.read_text("coordinate_transformation_mode", "half_pixel"),
                        node.read_text("nearest_mode", "round_prefer_floor"), node.read_float("cubic_coeff_a", -0.75F),
                        node.read_int("exclude_outside", 0) != 0};
  const float fill = node.read_float("extrapolation_value", 0);
  const NodeId x = context.input(node, 0);
  std::vector<ResizedAxis> axes = axes_of(context.shape(x));
  std::vector<ResizedAxis*> resized = node.has_attribute("axes") ? std::vector<ResizedAxis*>() : all_of(axes);
  for (const int64_t axis : node.read_ints("axes", {})) {
    resized.push_back(&axes[node.normalize_axis(axis, axes.size())]);
  }
  const bool has_roi = node.has_input(1),
             has_scales = node.has_input(2);  // May be there and empty, or for another mode.
  if (rule.coordinates == "tf_crop_and_resize") {
    node.check(has_roi, "tf_crop_and_resize needs a roi");
    const std::vector<float> roi = floats_input(context, node, 1);
    node.check(roi.size() == 2 * resized.size(), "roi must be two numbers an axis");
    for (std::size_t i = 0; i < resized.size(); ++i) {
      resized[i]->roi_start = roi[i];
      resized[i]->roi_end = roi[i + resized.size()];
    }
  }
  if (node.has_input(3)) {
    set_sizes(node, context.ints_input(node, 3), resized);
  } else {
    node.check(has_scales, "Resize needs scales or sizes");
    node.read_text("keep_aspect_ratio_policy", "stretch");  // Of sizes.
    set_scales(node, floats_input(context, node, 2), resized);
  }
  return add_resize(context, node, x, rule, axes, double{fill});
}

}  // namespace fovea
