// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fully connected layers as convolutions: the shapes that the machine may take them for, and the best of them.
#ifndef FOVEA_COMPILER_MAPPING_LINEAR_MAPPING_H_
#define FOVEA_COMPILER_MAPPING_LINEAR_MAPPING_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "mapping.h"

namespace fovea {

/// The convolutions that a fully connected layer is: C * R * S = `inputs`, M = `outputs`, and filters as large as the
/// ifmap, H = R and W = S, so that E = F = 1. All of them multiply the same bytes, as ifmap and filters are dense in
/// the order of C, R, S. C is up to 65535 and R, S up to 11, the limits of a layer command; empty where `inputs` has no
/// such factors.
std::vector<dla_shape> linear_shapes(std::uint32_t inputs, std::uint32_t outputs);

/// A shape and how it is cut, or why none can be.
struct ShapeChoice {
  dla_shape shape{};
  MappingChoice mapping;
};

/// Chooses the shape whose mapping by `choose` is a record's, or else costs the fewest predicted cycles, of equal ones
/// the fewest DRAM bytes.
ShapeChoice choose_linear(std::uint32_t inputs, std::uint32_t outputs,
                          const std::function<MappingChoice(const dla_shape&)>& choose);

}  // namespace fovea

#endif  // FOVEA_COMPILER_MAPPING_LINEAR_MAPPING_H_
