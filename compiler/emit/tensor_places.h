// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where each tensor of a network lies: host memory at the network's ends, the arena in between.
#pragma once

#include <string>
#include <vector>

#include "layers/layer_kind.h"
#include "layers/tensor_bytes.h"
#include "memory_plan.h"

namespace fovea {

/// A piece of the arena with the name that emitted code gives it.
struct ArenaBuffer {
  std::string name;  ///< Of the layer that writes it.
  Buffer life;       ///< In layers.
  std::uint64_t offset = 0;
};

/// Each tensor's place, and how long those in the arena live. A view has the place of what it views, and what is joined
/// without a copy is a place in what it is joined to.
class TensorPlaces {
 public:
  /// \throws UserError where an output of the network is one of its inputs, or is another output's memory.
  explicit TensorPlaces(const Network& network);

  /// C text of places; valid as long as this object. InternalError where a tensor is not in such memory.
  Places texts(dla_rounding rounding);

  /// Those that a text was asked for: no call has the others, which lie elsewhere.
  std::vector<ArenaBuffer> take_buffers();

 private:
  enum class Memory { kArena, kHostInput, kHostOutput };
  struct Place {
    Memory memory = Memory::kArena;
    std::size_t index = 0;    ///< Of the buffer, input or output.
    bool has_buffer = false;  ///< In the arena: from the first layer on that writes some of it.
  };

  void place_ends();
  void visit(const Layer& layer, std::size_t index);
  std::string arena(TensorId id);
  std::string float_end(const std::string& field, TensorId id);

  const Network& network_;
  std::vector<TensorBytes> bytes_;  ///< Of each tensor.
  std::vector<Place> places_;       ///< Of the tensors that are no part of others.
  std::vector<bool> is_written_;
  std::vector<ArenaBuffer> buffers_;
  std::vector<std::string> buffer_names_;
  std::vector<bool> is_used_;  ///< Of each buffer.
};

/// For each tensor, the tensors that calls write, or the network is given, of which its bytes are.
std::vector<std::vector<TensorId>> find_sources(const Network& network);

/// Whether emitted code has one input and one output by name, or arrays of them.
bool has_single_ends(const Network& network);

}  // namespace fovea
