// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layers that change nothing but where a tensor lies: they bring planes on chip, and fetch them from there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/dla_planes.h"

namespace fovea {

/// Where the rows of a tensor go.
enum class CopyTo { kChip, kDram };

/// A layer that copies all rows of the planes of a tensor on chip: a depthwise convolution by 1. Its addresses in DRAM
/// are 0. \param kept  Banks that none of its regions may meet, those of the planes among them; but an ifmap on chip is
/// read there. \return nothing where the GLB has no room for its regions.
std::optional<dla_layer> plan_copy(const dla_machine& machine, const dla_planes& planes, CopyTo to,
                                   const dla_region& kept);

/// The banks from the first of a layer's tensors on chip to the last; of its filters too. \pre there are some.
dla_region chip_banks(const dla_machine& machine, const dla_layer& layer);

/// Whether it has no table, its filter buffers hold all chunks, and layers that copy its tensors have room beside them.
bool may_have_filters_on_chip(const dla_machine& machine, dla_layer layer);

/// Planes with the rows of a dense tensor [channels, rows, cols] in them: [channels, plane_rows, cols].
/// \param other  Each byte of the other rows.
std::vector<uint8_t> put_into_planes(const dla_planes& planes, const std::vector<uint8_t>& tensor, uint8_t other);

/// The tensor in such planes. \param other  \return with whether each byte of the other rows is still this.
struct TensorOfPlanes {
  std::vector<uint8_t> tensor;
  bool others_kept = true;
};
TensorOfPlanes take_out_of_planes(const dla_planes& planes, const std::vector<uint8_t>& bytes, uint8_t other);

}  // namespace fovea
