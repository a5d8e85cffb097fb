// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the tensors of a network hold on one side, also where no layer was seen to write them.
#pragma once

#include <optional>
#include <vector>

#include "side.h"

namespace fovea {

class NetworkTensors {
 public:
  /// \param value_of_layer  For each layer of `notes`, what it gave; null where that is not known.
  /// \param inputs          Of the network; may be none.
  /// All must outlive this object.
  NetworkTensors(const NetworkNotes& notes, std::vector<const LayerValue*> value_of_layer,
                 const std::vector<Tensor>& inputs);

  /// A tensor in the network's own element type, without the batch; nothing where it can't be told. float32 is
  /// quantized where the network has it quantized, int8 becomes uint8. What no call writes is read off what it views.
  std::optional<Tensor> find(TensorId tensor) const;

 private:
  std::optional<Tensor> find_output(std::size_t place) const;
  std::optional<Tensor> find_viewed(const Layer& layer) const;

  const NetworkNotes& notes_;
  std::vector<const LayerValue*> value_of_layer_;
  const std::vector<Tensor>& inputs_;
};

}  // namespace fovea
