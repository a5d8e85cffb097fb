// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares windows with the limits of a command's fields.
#include "device_pool.h"

#include <algorithm>

namespace fovea {
namespace {

/// Pools whose windows share rows, and the C R S products of an output up to which a convolution ends with one.
struct SharedRows {
  int64_t size, stride, most_products;
};
constexpr std::array<SharedRows, 3> kSharedRows = {{{3, 2, 288}, {3, 1, 96}, {2, 1, 192}}};

}  // namespace

Window whole_windows(Window window, const Shape& x, const Shape& y) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const int64_t reach = window.dilations[axis] * (window.kernel[axis] - 1) + 1;
    const int64_t end = (y.at(axis + 2) - 1) * window.strides[axis] + reach - window.pads[axis];
    window.pads[axis + 2] = std::max<int64_t>(0, end - x.at(axis + 2));
  }
  return window;
}

Window whole_windows(const Graph& graph, const Node& pool) {
  const std::vector<int64_t> kernel = ints_attribute(pool, "kernel", {});
  return whole_windows(read_window(pool, {kernel.at(0), kernel.at(1)}), graph[pool.inputs[0]].type.shape,
                       pool.type.shape);
}

Window conv_window(const Graph& graph, const Node& conv) {
  const Shape& filter = graph[conv.inputs[1]].type.shape;
  return read_window(conv, {filter[2], filter[3]});
}

std::array<int64_t, 4> pads_under_pool(const Window& pool, const Window& conv) {
  std::array<int64_t, 4> pads = conv.pads;
  for (std::size_t side = 0; side < pads.size(); ++side) {
    pads[side] += pool.pads[side] * conv.strides[side % 2];
  }
  return pads;
}

bool is_device_pool(const Window& pool, const Window& conv) {
  const int64_t size = pool.kernel[0], stride = pool.strides[0];
  const bool is_square = pool.kernel[1] == size && pool.strides[1] == stride;
  const bool is_dense = pool.dilations == std::array<int64_t, 2>{1, 1};
  const bool has_size = (size == 2 || size == 3) && stride >= 1 && stride <= 3;
  const bool is_padded = std::ranges::any_of(pool.pads, [](int64_t pad) { return pad != 0; });
  return is_square && is_dense && has_size && std::ranges::all_of(pool.pads, [&](int64_t pad) { return pad < size; }) &&
         (!is_padded || std::ranges::equal(pads_under_pool(pool, conv), kMostPads, std::less_equal<>()));
}

bool ends_convolution(const Graph& graph, const Node& pool, const Node& conv) {
  const Shape& filter = graph[conv.inputs[1]].type.shape;
  const Window window = whole_windows(graph, pool);
  const bool is_long = std::ranges::any_of(kSharedRows, [&](const SharedRows& rows) {
    return rows.size == window.kernel[0] && rows.stride == window.strides[0] &&
           filter[1] * filter[2] * filter[3] > rows.most_products;
  });
  return is_device_pool(window, conv_window(graph, conv)) && !is_long;
}

}  // namespace fovea
