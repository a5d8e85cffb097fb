// SPDX-License-Identifier: Apache-2.0
/// \file
/// Resize and Upsample to the nearest element, which is what each axis takes by a list of places; the coordinates are
/// ONNX Runtime's, float32 for float32.
#include <algorithm>
#include <cmath>

#include "converters.h"

namespace fovea {
namespace {

/// Elements of an axis that is listed place by place.
constexpr int64_t kMostPlaces = 1 << 24;

/// One axis before and after.
struct ResizedAxis {
  int64_t from = 1, to = 1;
  float scale = 1, roi_start = 0, roi_end = 1;
};

/// How a node goes from places in its result to places in x. Where nothing else is said, as before opset 11.
struct Rule {
  std::string coordinates = "asymmetric", nearest = "simple";
};

/// Where index `i` of the result lies in x.
float original_coordinate(const OnnxNode& node, const std::string& mode, const ResizedAxis& axis, int64_t i) {
  const auto x = static_cast<float>(i), from = static_cast<float>(axis.from), to = static_cast<float>(axis.to);
  if (mode == "asymmetric") {
    return x / axis.scale;
  }
  if (mode == "half_pixel" || mode == "pytorch_half_pixel") {
    return mode == "half_pixel" || axis.to > 1 ? (x + 0.5F) / axis.scale - 0.5F : 0;
  }
  if (mode == "tf_half_pixel_for_nn") {
    return (x + 0.5F) / axis.scale;
  }
  if (mode == "align_corners") {
    return axis.to == 1 ? 0 : x * (from - 1) / (to - 1);
  }
  if (mode == "half_pixel_symmetric") {
    const float offset = from / 2 * (1 - to / (axis.scale * from));
    return static_cast<float>(double{offset} + (double{x} + 0.5) / double{axis.scale} - 0.5);
  }
  node.check(mode == "tf_crop_and_resize", "coordinate_transformation_mode=" + mode +
                                               " is not supported; asymmetric, half_pixel, half_pixel_symmetric, "
                                               "pytorch_half_pixel, align_corners, tf_half_pixel_for_nn and "
                                               "tf_crop_and_resize are");
  return axis.to > 1 ? axis.roi_start * (from - 1) + x * (axis.roi_end - axis.roi_start) * (from - 1) / (to - 1)
                     : static_cast<float>(0.5 * double{axis.roi_start + axis.roi_end} * double{from - 1});
}

/// The place that `x` is nearest to; what is less than 1e-6 from the middle of two is a tie.
int64_t nearest_place(const OnnxNode& node, const std::string& mode, float x, bool is_smaller) {
  if (mode == "simple") {
    return static_cast<int64_t>(is_smaller ? std::ceil(x) : std::trunc(x));
  }
  if (mode == "round_prefer_floor" || mode == "round_prefer_ceil") {
    const bool is_tie = std::abs(x - std::floor(x) - 0.5F) < 1e-6F;
    const float at_tie = mode == "round_prefer_floor" ? std::floor(x) : std::ceil(x);
    return static_cast<int64_t>(is_tie ? at_tie : std::round(x));
  }
  node.check(mode == "floor" || mode == "ceil",
             "nearest_mode=" + mode + " is not supported; floor, ceil, round_prefer_floor and round_prefer_ceil are");
  return static_cast<int64_t>(mode == "floor" ? std::floor(x) : std::ceil(x));
}

/// Where each element of the result is taken; `axis.from`, behind the end, where tf_crop_and_resize leaves x.
std::vector<int64_t> places_of(const OnnxNode& node, const Rule& rule, const ResizedAxis& axis) {
  std::vector<int64_t> places;
  for (int64_t i = 0; i < axis.to; ++i) {
    if (axis.scale == 1) {
      places.push_back(i);
      continue;
    }
    const float x = original_coordinate(node, rule.coordinates, axis, i);
    const bool is_outside =
        rule.coordinates == "tf_crop_and_resize" && (x < 0 || x > static_cast<float>(axis.from - 1));
    places.push_back(is_outside
                         ? axis.from
                         : std::clamp<int64_t>(nearest_place(node, rule.nearest, x, axis.scale < 1), 0, axis.from - 1));
  }
  return places;
}

/// Takes the places; `fill` where they are behind the end. What keeps its shape is x, whatever the scales are.
NodeId add_resize(ImportContext& context, OnnxNode& node, NodeId x, const Rule& rule,
                  const std::vector<ResizedAxis>& axes, double fill) {
  if (std::all_of(axes.begin(), axes.end(), [](const ResizedAxis& axis) { return axis.to == axis.from; })) {
    return x;
  }
  const std::size_t rank = axes.size();
  std::vector<std::vector<int64_t>> places;
  std::vector<int64_t> pads(2 * rank);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    node.check(axes[axis].to > 0, "leaves nothing of axis " + std::to_string(axis));
    places.push_back(places_of(node, rule, axes[axis]));
    pads[rank + axis] = std::count(places[axis].begin(), places[axis].end(), axes[axis].from) > 0 ? 1 : 0;
  }
  if (std::count(pads.begin(), pads.end(), 1) > 0) {
    x = context.call(node, "pad", {x}, {{"pads", pads}, {"value", fill}});
  }
  for (std::size_t axis = 0; axis < rank; ++axis) {
    x = context.take(node, x, axis, places[axis]);
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
               "scales must be positive, and give at most 2^24 elements");
    axes[i]->scale = scales[i];
    axes[i]->to = static_cast<int64_t>(static_cast<float>(axes[i]->from) * scales[i]);
  }
}

void set_sizes(OnnxNode& node, const std::vector<int64_t>& sizes, const std::vector<ResizedAxis*>& axes) {
  node.check(sizes.size() == axes.size(),
             "sizes must be a number for each of " + std::to_string(axes.size()) + " axes");
  std::vector<float> scales;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    node.check(sizes[i] > 0 && sizes[i] <= kMostPlaces, "sizes must be 1 to 2^24");
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

void check_nearest(OnnxNode& node) {
  const std::string mode = node.read_text("mode", "nearest");
  node.check(mode == "nearest", "mode=" + mode + " is not supported; nearest is");
}

}  // namespace

NodeId convert_upsample(ImportContext& context, OnnxNode& node) {
  check_nearest(node);
  const NodeId x = context.input(node, 0);
  std::vector<ResizedAxis> axes = axes_of(context.shape(x));
  set_scales(node, node.has_input(1) ? floats_input(context, node, 1) : node.read_floats("scales"), all_of(axes));
  return add_resize(context, node, x, Rule(), axes, 0);
}

/// Until opset 10: x and scales; from 11: x, roi, scales or sizes.
NodeId convert_resize(ImportContext& context, OnnxNode& node) {
  if (node.inputs().size() == 2) {
    return convert_upsample(context, node);
  }
  check_nearest(node);
  node.require_int("antialias", 0);
  node.require_int("exclude_outside", 0);
  node.read_float("cubic_coeff_a", 0);  // Of another mode.
  const Rule rule{node.read_text("coordinate_transformation_mode", "half_pixel"),
                  node.read_text("nearest_mode", "round_prefer_floor")};
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
