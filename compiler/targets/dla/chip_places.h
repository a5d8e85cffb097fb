// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where tensors that stay lie in the GLB.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "stays.h"

namespace fovea {

/// Places of tensors, each as far in front of the layers' regions or behind them as is free.
class ChipPlaces {
 public:
  /// \param tensors  By number; each lives from its first command to its last.
  ChipPlaces(const dla_machine& machine, std::map<std::size_t, Stay> tensors);

  /// The first tensor for which there is no place, if any; it and those behind it have none then.
  std::optional<std::size_t> misfit() const { return misfit_; }

  /// Those that are there while a command runs.
  std::set<std::size_t> there_at(std::size_t command) const;

  /// Bytes of the GLB, whole banks, that are kept in front and behind while a command runs. Both may cross.
  std::pair<std::uint32_t, std::uint32_t> kept_at(std::size_t command) const;

  /// The address of a tensor's channel (spec/dla_planes.h).
  std::uint32_t address_of(const Use& use) const;

  bool holds(const std::optional<Use>& use) const { return use && tensors_.contains(use->tensor); }
  const Stay& operator[](std::size_t tensor) const { return tensors_.at(tensor); }

 private:
  struct Place {
    std::uint32_t byte = 0;  ///< Of a column.
    bool is_behind = false;
  };

  std::pair<std::uint32_t, std::uint32_t> extent_of(std::size_t tensor, bool is_apart) const;
  bool is_free(std::size_t tensor) const;
  std::uint64_t kept_while(const Stay& stay) const;
  bool put(std::size_t tensor);

  const dla_machine& machine_;
  std::map<std::size_t, Stay> tensors_;
  std::map<std::size_t, Place> places_;
  std::optional<std::size_t> misfit_;
};

}  // namespace fovea
