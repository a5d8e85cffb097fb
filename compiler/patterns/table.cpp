// SPDX-License-Identifier: Apache-2.0
/// \file
/// The rows: what fuses most comes first.
#include "table.h"

#include <algorithm>

#include "families.h"

namespace fovea {

const std::vector<Fusion>& fusions() {
  static const std::vector<Fusion> table{
      qconv2d({.relu = true, .pool = true}),
      qconv2d({.relu = false, .pool = true}),
      qconv2d({.relu = true, .pool = false}),
      qconv2d({.relu = false, .pool = false}),
      qlinear({.relu = true, .pool = false}),
      qlinear({.relu = false, .pool = false}),
      max_pool(),
      requantize({.relu = true, .pool = false}),
      requantize({.relu = false, .pool = false}),
      flatten(),
      quantize(),
      dequantize(),
  };
  return table;
}

const Fusion* find_fusion(std::string_view composite) {
  const auto& table = fusions();
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Fusion& fusion) { return fusion.composite == composite; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace fovea
