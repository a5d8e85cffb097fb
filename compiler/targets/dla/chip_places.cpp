// SPDX-License-Identifier: Apache-2.0
/// \file
/// One tensor after another, in the order in which they begin to live.
#include "chip_places.h"

#include <algorithm>
#include <vector>

#include "spec/dla_planes.h"

namespace fovea {

ChipPlaces::ChipPlaces(const dla_machine& machine, std::map<std::size_t, Stay> tensors)
    : machine_(machine), tensors_(std::move(tensors)) {
  std::vector<std::size_t> order;
  for (const auto& [tensor, stay] : tensors_) {
    order.push_back(tensor);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t tensor) { return tensors_.at(tensor).first; });
  for (const std::size_t tensor : order) {
    if (!put(tensor)) {
      misfit_ = tensor;
      return;
    }
  }
}

std::set<std::size_t> ChipPlaces::there_at(std::size_t command) const {
  std::set<std::size_t> there;
  for (const auto& [tensor, stay] : tensors_) {
    if (stay.first <= command && command <= stay.last) {
      there.insert(tensor);
    }
  }
  return there;
}

/// Bytes of each column that a tensor must leave to another at the same time.
std::pair<std::uint32_t, std::uint32_t> ChipPlaces::extent_of(std::size_t tensor, bool is_apart) const {
  const std::uint32_t bank = machine_.glb_bank_bytes, begin = places_.at(tensor).byte;
  const std::uint32_t end = begin + tensors_.at(tensor).height_bytes;
  return is_apart ? std::pair(begin / bank * bank, (end + bank - 1) / bank * bank) : std::pair(begin, end);
}

bool ChipPlaces::is_free(std::size_t tensor) const {
  const Stay& stay = tensors_.at(tensor);
  return std::ranges::none_of(places_, [&](const auto& other) {
    const Stay& beside = tensors_.at(other.first);
    if (other.first == tensor || stay.last < beside.first || beside.last < stay.first) {
      return false;
    }
    const bool is_apart = stay.never_with.contains(other.first);
    const auto [begin, end] = extent_of(tensor, is_apart);
    const auto [from, to] = extent_of(other.first, is_apart);
    return begin < to && from < end;
  });
}

std::pair<std::uint32_t, std::uint32_t> ChipPlaces::kept_at(std::size_t command) const {
  const std::uint32_t columns = dla_ifmap_columns(&machine_), bank = machine_.glb_bank_bytes;
  std::uint32_t front = 0, back = dla_column_bytes(&machine_);
  bool is_back = false;
  for (const auto& [tensor, place] : places_) {
    const Stay& stay = tensors_.at(tensor);
    if (stay.first <= command && command <= stay.last) {
      (place.is_behind ? back : front) =
          place.is_behind ? std::min(back, place.byte / bank * bank) : std::max(front, extent_of(tensor, true).second);
      is_back = is_back || place.is_behind;
    }
  }
  return {front * columns, is_back ? machine_.glb_bytes - back * columns : 0};
}

std::uint64_t ChipPlaces::kept_while(const Stay& stay) const {
  std::uint64_t most = 0;
  for (std::size_t command = stay.first; command <= stay.last; ++command) {
    const auto [front, back] = kept_at(command);
    most = std::max(most, std::uint64_t{front} + back);
  }
  return most;
}

/// Puts a tensor where the least of the GLB is kept while it lives. \return false where there is no place.
bool ChipPlaces::put(std::size_t tensor) {
  const Stay& stay = tensors_.at(tensor);
  const std::uint32_t word = machine_.bus_bytes, room = dla_column_bytes(&machine_) - stay.height_bytes;
  std::optional<std::pair<std::uint64_t, Place>> best;
  for (const bool is_behind : {false, true}) {
    for (std::uint32_t moved = 0; moved <= room; moved += word) {
      places_[tensor] = {is_behind ? room / word * word - moved : moved, is_behind};
      if (is_free(tensor)) {
        if (const std::uint64_t kept = kept_while(stay); !best || kept < best->first) {
          best.emplace(kept, places_[tensor]);
        }
        break;
      }
    }
  }
  if (!best) {
    places_.erase(tensor);
    return false;
  }
  places_[tensor] = best->second;
  return true;
}

std::uint32_t ChipPlaces::address_of(const Use& use) const {
  const std::uint32_t columns = dla_ifmap_columns(&machine_);
  const std::uint32_t byte = places_.at(use.tensor).byte + use.channel / columns * tensors_.at(use.tensor).stride;
  return use.channel % columns << kDlaColumnLsb | byte;
}

}  // namespace fovea
