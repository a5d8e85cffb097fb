// SPDX-License-Identifier: Apache-2.0
/// \file
/// What to say about a layer that was asked for and is not there.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "spec/near_name.h"

namespace fovea {

/// One line that names the layers that there are, each once.
inline std::string no_such_layer(const std::string& name, const std::vector<std::string>& layers) {
  std::string known;
  for (auto layer = layers.begin(); layer != layers.end(); ++layer) {
    if (std::find(layers.begin(), layer, *layer) == layer) {
      known += (known.empty() ? "" : ", ") + *layer;
    }
  }
  return name + ": no layer of that name runs on the device; " + (known.empty() ? "none does" : "choose " + known) +
         did_you_mean(name, layers);
}

}  // namespace fovea
