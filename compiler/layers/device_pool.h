// SPDX-License-Identifier: Apache-2.0
/// \file
/// Max-pools that the accelerator computes on the way out.
#pragma once

#include "ir/graph.h"
#include "ops/window.h"
#include "spec/dla_command.h"

namespace fovea {

/// What a command's fields take at the top, left, bottom and right.
inline constexpr std::array<int64_t, 4> kMostPads{DLA_SHAPE_PAD_TOP_MAX, DLA_SHAPE_PAD_LEFT_MAX,
                                                  DLA_SHAPE_PAD_BOTTOM_MAX, DLA_SHAPE_PAD_RIGHT_MAX};

/// 2x2 at a stride of 2, a last odd row or column dropped.
inline constexpr Window kPlainPool{.kernel = {2, 2}, .strides = {2, 2}, .dilations = {1, 1}, .pads = {}};

/// The window of a pool from [N, C, H, W] to [N, C, E, F], with as much padding below and on the right as its last
/// windows reach: what ceil_mode says is in it, and padding that no window has is not.
Window whole_windows(Window window, const Shape& x, const Shape& y);

/// The same of a call.
Window whole_windows(const Graph& graph, const Node& pool);

/// The window of a nn.conv2d.
Window conv_window(const Graph& graph, const Node& conv);

/// Whether a command can pool so behind a convolution of that window: 2x2 or 3x3 at a stride of 1 to 3, padded by less
/// than that, where the convolution's padding has room for the rows and columns under the pool's.
/// \param pool  By whole_windows().
bool is_device_pool(const Window& pool, const Window& conv);

/// Whether a convolution should end with the pool. Windows that share rows make the machine compute these again: of
/// C R S products an output about a sixth more, where a pass has seven rows of columns; a layer of the pool's own moves
/// each output through the array once more. On 6 x 8 PEs and one psum a cycle that is the same at 288 products; on
/// larger arrays passes have more rows, and psums more lanes. At a stride of 1 it is the same, by the cost model, at
/// 125 products of 3x3 filters or 54 of 1x1 filters where windows have three rows (96 are taken), at 340 or 100 where
/// they have two (192). \param pool, conv  nn.max_pool2d and nn.conv2d.
bool ends_convolution(const Graph& graph, const Node& pool, const Node& conv);

/// The convolution's padding with that of the pool behind it, which the machine computes as other outputs.
std::array<int64_t, 4> pads_under_pool(const Window& pool, const Window& conv);

}  // namespace fovea
