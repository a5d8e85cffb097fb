// SPDX-License-Identifier: Apache-2.0
/// \file
/// A mapped layer in the loop IR: what runs after what, what side by side, and which memory holds what meanwhile.
#pragma once

#include "loops/nest.h"
#include "spec/dla_layer.h"

namespace fovea {

/// The loops of dla_mapping around what the units of the machine do by themselves: `load_...` from DRAM to the GLB, the
/// `feed` of a filter set to the PEs, the `array` for a pass, the `pool` behind it and the `store` to DRAM. Inside of
/// the array, parallel loops are over PEs. Loops of one turn are left out. Units run one after another here, where the
/// machine overlaps them: it has the buffers for that, and they are the nest's.
///
/// Inputs, of `groups` = dla_groups(): ifmap uint8 [groups, C, H, W], filter int8 [groups, M, C, R, S], bias int32
/// [groups, M], the scalars ifmap_zero, ofmap_zero, lowest and highest uint8, and scale float32: of the layer, 2^-shift
/// of one that is not scaled, or with filter_scales [groups, M]. With lookup: table uint8 [256]. With a residual: that,
/// uint8 [groups, M, E, F], the scalars output_ratio, residual_ratio and offset float32, sum_lowest and sum_highest
/// uint8. With the mean: mean_ratio float32, mean_zero, sum_lowest and sum_highest uint8.
/// Output: ofmap uint8 [groups, M, E, F] as pooled, or [groups, M, 1, 1] of means.
/// It is computed as dla_output.h says for rounding to nearest, residual_first being false; where a residual is added,
/// a sum of two terms is rounded to double on its way to float32.
///
/// \pre dla_check_mapping() and dla_plan_glb() accept the mapping.
/// Test: loop_nest_test.cpp interprets the nests of random layers, and counts their loads and passes.
Nest layer_nest(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping);

}  // namespace fovea
