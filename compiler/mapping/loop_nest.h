// SPDX-License-Identifier: Apache-2.0
/// \file
/// A mapped layer as a loop nest: what runs after what, what side by side, and which memory holds what meanwhile.
#ifndef FOVEA_COMPILER_MAPPING_LOOP_NEST_H_
#define FOVEA_COMPILER_MAPPING_LOOP_NEST_H_

#include <string>

#include "spec/dla_layer.h"

namespace fovea {

/// Writes the nest, a line a loop, inner ones indented. `for M by 16: 12 x (m)` cuts what there is of the dimension M
/// into pieces of 16, at most 12 of them, the last of which may be smaller, and goes through them; `parallel-for` works
/// on them at the same time. The dimensions are those of docs/machine.md; E and F count outputs before pooling. A line
/// `GLB: ...` inside a loop names tiles that stay in that memory while the loops below it run, with their bytes.
/// \pre dla_check_mapping() and dla_plan_glb() accept the mapping. Test: loop_nest_test.cpp runs the text.
std::string print_nest(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping);

}  // namespace fovea

#endif  // FOVEA_COMPILER_MAPPING_LOOP_NEST_H_
