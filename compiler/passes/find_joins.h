// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds the inputs of joins that need no copy, and operands that are slices.
#pragma once

#include <memory>
#include <vector>

#include "layers/layer.h"

namespace fovea {

/// The layers of a graph's composites, in its order, with Qconcat::in_place. The layer that makes an input writes it
/// where the join wants it, if input and output have one scale and zero point, each input is one run of the output's
/// bytes, and the bytes are the input's alone: not part of another tensor, as a slice's are, and not promised to
/// another join. What else reads them, reads them there. And with Operand::is_slice, of views that begin anywhere in a
/// word.
/// \param alignment  Bytes of the words in which a residual and its sum lie alike.
std::vector<std::shared_ptr<const Layer>> layers_with_joins(const Graph& graph, std::uint64_t alignment);

}  // namespace fovea
