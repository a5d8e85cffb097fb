// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which tensors of a network may lie in the GLB between layers, and which commands write and read them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "dla_work.h"
#include "layers/tensor_bytes.h"

namespace fovea {

/// A part of a tensor that a command reads or writes.
struct Use {
  std::size_t tensor = 0;  ///< Number of a Stay.
  std::uint32_t channel = 0;
};

/// A layer that is no view, and what its command reads and writes of tensors that may stay.
struct Uses {
  std::size_t layer = 0;           ///< In the network.
  std::optional<DeviceForm> form;  ///< Nothing where it is no lone command.
  std::optional<Use> ifmap, ofmap, residual;
};

/// A tensor that may stay.
struct Stay {
  std::uint32_t channels = 0, rows = 0, cols = 0;  ///< A vector's have one row and one column.
  std::uint32_t plane_rows = 0;                    ///< Rows of a plane: all, or of a ring fewer.
  std::uint32_t stride = 0;                        ///< Bytes of a plane, whole words.
  std::uint32_t height_bytes = 0;                  ///< Of each column.
  std::size_t first = 0, last = 0;                 ///< Of the commands that write and read it.
  std::set<std::size_t> never_with;                ///< Tensors that may share no row of banks with it.
};

/// The tensors that may stay: commands alone write and read them, one picture at a time, and none of them sees them in
/// other rows and columns.
class Stays {
 public:
  Stays(const Network& network, const dla_machine& machine);

  const Stay& operator[](std::size_t tensor) const { return stays_[tensor]; }

  /// All layers that are no views, in their order.
  const std::vector<Uses>& uses() const { return uses_; }
  const Layer& layer_of(const Uses& uses) const { return network_.layers[uses.layer]; }

  bool may_stay(std::size_t tensor) const { return !excluded_.contains(tensor); }

  /// From now on it may not.
  void exclude(std::size_t tensor) { excluded_.insert(tensor); }

  /// The tensor as a ring of at least so many rows, from one command to another. \pre it has planes of whole rows.
  Stay ring_of(std::size_t tensor, std::uint32_t rows, std::size_t first, std::size_t last) const;

 private:
  std::optional<std::uint32_t> channel_of(const DeviceForm& form, TensorId id, const TensorType& seen,
                                          bool is_ifmap) const;
  std::optional<Use> note_use(const DeviceForm& form, TensorId id, const TensorType& seen, bool is_ifmap);
  void note_command(const Layer& layer, Uses& uses);
  void size(Stay& stay) const;

  const Network& network_;
  const dla_machine& machine_;
  std::vector<TensorBytes> bytes_;
  std::vector<Stay> stays_;
  std::vector<Uses> uses_;
  std::vector<std::optional<std::size_t>> numbers_;  ///< By TensorId.
  std::set<std::size_t> excluded_;
};

}  // namespace fovea
