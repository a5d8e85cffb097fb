// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the steps of a residency plan take: a layer, or a chain that runs depth first, beside what stays on chip.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "residency.h"
#include "slice_rows.h"
#include "stays.h"

namespace fovea {

/// Numbers of stays.
using Tensors = std::set<std::size_t>;

/// Bytes of the GLB that are planned for filters that stay, by command.
using FilterRooms = std::map<std::size_t, std::uint32_t>;

/// What a step takes, and what it is compared by.
struct Price {
  double cycles = 0, bytes = 0, energy = 0;
  double weight = 0;  ///< Of the goal; or drawn.

  Price& operator+=(const Price& other) {
    cycles += other.cycles;
    bytes += other.bytes;
    energy += other.energy;
    weight += other.weight;
    return *this;
  }
};

/// Prices of steps by the best mappings of their layers, each searched for once.
class StepPrices {
 public:
  /// \param seed  If not 0, weights are drawn.
  StepPrices(const Stays& stays, Mapper& mapper, std::uint32_t seed);

  /// Of the weight, what a bus word from or to DRAM counts as, in cycles.
  void set_word_cycles(double cycles) { word_cycles_ = cycles; }

  /// A layer as one command with these tensors on chip, and so much of the GLB kept. One that has no command costs the
  /// same wherever tensors are. Nothing where it can't run.
  std::optional<Price> of_layer(std::size_t at, const Tensors& there, std::uint32_t kept);

  /// A chain, mapped slice by slice.
  std::optional<Price> of_chain(const LayerChain& chain, const Tensors& there, std::uint32_t kept);

  /// Either of them.
  std::optional<Price> of_step(const LayerChain& step, const Tensors& there, std::uint32_t kept) {
    return step.is_alone() ? of_layer(step.first, there, kept) : of_chain(step, there, kept);
  }

  bool is_mapped(const LayerChain& chain, const Tensors& there, std::uint32_t kept) const;

  /// A chain as far as it is mapped: its layers as they would be as one command each, but that each slice loads the
  /// filters, and begins and ends.
  std::optional<Price> estimate(const LayerChain& chain, const Tensors& there, std::uint32_t kept);

  const SliceRows& rows_of(const LayerChain& chain);

  /// Tensors of a layer on chip, at no place yet, where it runs alone, or in a chain.
  LayerResidency alone(const Uses& uses, const Tensors& there, std::uint32_t kept) const;
  LayerResidency in_chain(const LayerChain& chain, std::size_t at, const Tensors& there, std::uint32_t kept);

  /// Commands of a chain that keep their filters, the smallest, and bytes of the GLB that are planned for them.
  FilterRooms rooms_for_filters(const LayerChain& chain, const Tensors& there, std::uint32_t kept);

  /// Bytes of the filter region of one of them. \pre of_chain() found a mapping.
  std::uint32_t filters_of(const LayerChain& chain, std::size_t at, const Tensors& there, std::uint32_t kept);

  /// Forgets what depends on which tensors may stay.
  void forget();

 private:
  using WholeKey = std::tuple<std::size_t, bool, bool, bool, std::uint32_t>;
  using SlicesKey = std::tuple<WholeKey, std::vector<std::uint32_t>, bool>;
  /// A layer of a chain.
  struct Slices {
    Price price;
    std::uint32_t filters_bytes = 0;  ///< Of its filter region.
  };
  using ChainKey = std::tuple<LayerChain, Tensors, std::uint32_t>;

  bool can_add(const Uses& uses, const Tensors& there) const;
  WholeKey key_of(std::size_t at, const Tensors& there, std::uint32_t kept) const;
  SlicesKey key_of(const LayerChain& chain, std::size_t at, const Tensors& there, std::uint32_t kept);
  SlicesKey key_of(const LayerChain& chain, std::size_t at, const Tensors& there, std::uint32_t kept,
                   const FilterRooms& rooms);
  const PlannedMapping* map_whole(std::size_t at, const Tensors& there, std::uint32_t kept);
  std::optional<PlannedMapping> map(const Uses& uses, const LayerResidency& where);
  std::optional<Price> estimate_slices(std::size_t at, const Tensors& there, std::size_t slices, std::size_t loads);
  std::uint32_t least_room() const;
  std::uint32_t usual_room(std::size_t at);
  bool widen_rooms(const LayerChain& chain, const Tensors& there, std::uint32_t kept);
  std::optional<Price> map_chain(const LayerChain& chain, const Tensors& there, std::uint32_t kept);
  void prepare(const LayerChain& chain, const Tensors& there, std::uint32_t kept);
  const std::optional<Slices>& map_slices(const LayerChain& chain, std::size_t at, const Tensors& there,
                                          std::uint32_t kept);
  std::shared_ptr<const DepthFirst> depth_first_of(const LayerChain& chain);
  Price price_of(const PlannedMapping& plan) const;
  Price weighed(Price price, const LayerChain& step, const Tensors& there) const;

  const Stays& stays_;
  Mapper& mapper_;
  const dla_machine& machine_;
  std::uint32_t seed_;
  double word_cycles_ = 1;
  std::map<WholeKey, std::optional<PlannedMapping>> whole_;
  std::map<ChainKey, std::optional<Price>> chains_;  ///< No weights.
  std::map<SlicesKey, std::optional<Slices>> slices_;
  // Bytes for filters that stay, by command: as planned at first, and what a mapping needs beyond that.
  FilterRooms usual_rooms_;
  std::map<ChainKey, FilterRooms> wider_rooms_;
  std::unordered_map<LayerChain, SliceRows, LayerChain::Hash> slice_rows_;
  std::map<LayerChain, std::shared_ptr<const DepthFirst>> depth_first_;
};

}  // namespace fovea
