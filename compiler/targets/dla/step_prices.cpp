// SPDX-License-Identifier: Apache-2.0
/// \file
/// Maps layers, alone or slice by slice, and remembers what they take.
#include "step_prices.h"

#include <algorithm>
#include <random>

#include "spec/dla_planes.h"

namespace fovea {
namespace {

/// Of a layer's unhidden beginning and end: what each slice but the first costs at least.
constexpr std::uint64_t kSliceCycles = 250;

/// Filters that stay are planned with such a part more, for padding; beside them and the tensors on chip, such a part
/// of the GLB is left.
constexpr std::uint32_t kMoreFilters = 8, kPartForRegions = 4;

/// What all commands but one keep.
std::uint32_t others_of(const FilterRooms& rooms, std::size_t at) {
  std::uint32_t sum = 0;
  for (const auto& [keeper, bytes] : rooms) {
    sum += keeper == at ? 0 : bytes;
  }
  return sum;
}

bool holds(const Tensors& set, const std::optional<Use>& use) { return use && set.contains(use->tensor); }

}  // namespace

StepPrices::StepPrices(const Stays& stays, Mapper& mapper, std::uint32_t seed)
    : stays_(stays), mapper_(mapper), machine_(mapper.machine().geometry), seed_(seed) {}

void StepPrices::forget() {
  slice_rows_.clear();
  chains_.clear();
  slices_.clear();
  depth_first_.clear();
  wider_rooms_.clear();
}

/// A residual's bytes lie in its beats as the ofmap's in theirs: if one of them alone is on chip, where planes begin
/// with a word, those of the other have to be whole words. And a bank of the ifmap's region has no port for a
/// residual, so a tensor can't be added to itself there.
bool StepPrices::can_add(const Uses& uses, const Tensors& there) const {
  if (!uses.form->residual) {
    return true;
  }
  const bool is_twice = uses.ifmap && uses.residual && uses.ifmap->tensor == uses.residual->tensor;
  const TensorType& type = stays_.layer_of(uses).output_type;
  std::uint64_t plane = 1;
  for (std::size_t i = 2; i < type.shape.size(); ++i) {
    plane *= static_cast<std::uint64_t>(type.shape[i]);
  }
  return (holds(there, uses.residual) == holds(there, uses.ofmap) || plane % machine_.bus_bytes == 0) &&
         !(is_twice && holds(there, uses.ifmap));
}

LayerResidency StepPrices::alone(const Uses& uses, const Tensors& there, std::uint32_t kept) const {
  const auto place = [&](const std::optional<Use>& use) {
    return holds(there, use) ? std::optional(0u) : std::nullopt;
  };
  LayerResidency where;
  where.ifmap = place(uses.ifmap);
  where.ofmap = place(uses.ofmap);
  where.residual = place(uses.residual);
  where.ifmap_channels = where.ifmap ? stays_[uses.ifmap->tensor].channels : 0;
  where.kept_front_bytes = kept;
  return where;
}

StepPrices::WholeKey StepPrices::key_of(std::size_t at, const Tensors& there, std::uint32_t kept) const {
  const Uses& uses = stays_.uses()[at];
  return {at, holds(there, uses.ifmap), holds(there, uses.ofmap), holds(there, uses.residual), kept};
}

StepPrices::SlicesKey StepPrices::key_of(const LayerChain& chain, std::size_t at, const Tensors& there,
                                         std::uint32_t kept, const FilterRooms& rooms) {
  return {key_of(at, there, kept + others_of(rooms, at)), rows_of(chain).rows_of(at), rooms.contains(at)};
}

StepPrices::SlicesKey StepPrices::key_of(const LayerChain& chain, std::size_t at, const Tensors& there,
                                         std::uint32_t kept) {
  return key_of(chain, at, there, kept, rooms_for_filters(chain, there, kept));
}

/// Beside them and the tensors, so much of the GLB is left to the regions of each layer.
FilterRooms StepPrices::rooms_for_filters(const LayerChain& chain, const Tensors& there, std::uint32_t kept) {
  FilterRooms rooms;
  if (!chain.keeps_filters) {
    return rooms;
  }
  const auto wider = wider_rooms_.find(ChainKey(chain, there, kept));
  std::vector<std::pair<std::uint32_t, std::size_t>> needs;
  for (std::size_t at = chain.first; at <= chain.last; ++at) {
    const bool is_wider = wider != wider_rooms_.end() && wider->second.contains(at);
    needs.emplace_back(is_wider ? wider->second.at(at) : usual_room(at), at);
  }
  std::ranges::sort(needs);
  std::uint64_t taken = std::uint64_t{kept} + machine_.glb_bytes / kPartForRegions;
  for (const auto& [bytes, at] : needs) {
    taken += bytes;
    if (taken > machine_.glb_bytes) {
      break;
    }
    rooms.emplace(at, bytes);
  }
  return rooms;
}

/// A little more than the filters have where one command loads them, in whole banks of each column of their region.
/// Beside a table, filters may not stay: so much that they never fit.
std::uint32_t StepPrices::usual_room(std::size_t at) {
  const auto [place, is_new] = usual_rooms_.try_emplace(at, machine_.glb_bytes);
  const PlannedMapping* whole = is_new ? map_whole(at, {}, 0) : nullptr;
  if (whole != nullptr && !stays_.uses()[at].form->shape.lookup) {
    const std::uint64_t banks = std::uint64_t{machine_.glb_bank_bytes} * dla_filter_columns(&machine_);
    const std::uint64_t bytes = dla_filter_stream_bytes(&machine_, &stays_.uses()[at].form->shape, &whole->mapping);
    const std::uint64_t room = (bytes + bytes / kMoreFilters + banks - 1) / banks * banks;
    place->second = static_cast<std::uint32_t>(std::min<std::uint64_t>(room, machine_.glb_bytes));
  }
  return place->second;
}

std::uint32_t StepPrices::filters_of(const LayerChain& chain, std::size_t at, const Tensors& there,
                                     std::uint32_t kept) {
  return slices_.at(key_of(chain, at, there, kept))->filters_bytes;
}

const PlannedMapping* StepPrices::map_whole(std::size_t at, const Tensors& there, std::uint32_t kept) {
  const Uses& uses = stays_.uses()[at];
  const auto [place, is_new] = whole_.try_emplace(key_of(at, there, kept));
  if (is_new && can_add(uses, there)) {
    place->second = map(uses, alone(uses, there, kept));
  }
  return place->second ? &*place->second : nullptr;
}

std::optional<PlannedMapping> StepPrices::map(const Uses& uses, const LayerResidency& where) {
  const auto work = find_dla_work(stays_.layer_of(uses), mapper_, &where);
  return work ? work->choice.mapping.plan : std::nullopt;
}

Price StepPrices::price_of(const PlannedMapping& plan) const {
  return {static_cast<double>(plan.cost.cycles), static_cast<double>(plan.cost.dram_bytes.total()),
          price_energy(mapper_.machine().access_energy(), plan.accesses).total(), 0};
}

/// The price with its weight by the goal; with a seed one that is drawn for the step.
Price StepPrices::weighed(Price price, const LayerChain& step, const Tensors& there) const {
  if (seed_ != 0) {
    std::vector<std::size_t> words = {seed_, step.first, step.last, step.slice_rows, step.keeps_filters ? 1u : 0u};
    words.insert(words.end(), there.begin(), there.end());
    std::seed_seq sequence(words.begin(), words.end());
    std::mt19937 generator(sequence);
    price.weight = std::uniform_real_distribution<>(0, static_cast<double>(step.last - step.first + 1))(generator);
    return price;
  }
  switch (mapper_.goal().objective) {
    case Objective::kDram:
      price.weight = price.bytes;
      break;
    case Objective::kEnergy:
      price.weight = price.energy;
      break;
    default:
      price.weight = price.cycles + word_cycles_ * price.bytes / machine_.bus_bytes;
  }
  return price;
}

std::optional<Price> StepPrices::of_layer(std::size_t at, const Tensors& there, std::uint32_t kept) {
  if (!stays_.uses()[at].form) {
    return Price();
  }
  const PlannedMapping* plan = map_whole(at, there, kept);
  return plan != nullptr ? std::optional(weighed(price_of(*plan), {at, at, 0}, there)) : std::nullopt;
}

const SliceRows& StepPrices::rows_of(const LayerChain& chain) {
  const auto found = slice_rows_.find(chain);
  return found != slice_rows_.end() ? found->second
                                    : slice_rows_.emplace(chain, SliceRows(stays_, chain)).first->second;
}

/// \param loads  How many of the slices load the filters.
std::optional<Price> StepPrices::estimate_slices(std::size_t at, const Tensors& there, std::size_t slices,
                                                 std::size_t loads) {
  const PlannedMapping* whole = map_whole(at, there, 0);
  if (whole == nullptr) {
    return std::nullopt;
  }
  PlannedMapping plan = *whole;
  const dla_shape& shape = stays_.uses()[at].form->shape;
  DramBytes& bytes = plan.cost.dram_bytes;
  bytes.filter = loads * dla_filter_stream_bytes(&machine_, &shape, &plan.mapping);
  plan.cost.cycles = std::max(plan.cost.cycles, bytes.total() / machine_.bus_bytes) + kSliceCycles * (slices - 1);
  plan.accesses.dram_bytes = bytes;
  return price_of(plan);
}

std::optional<Price> StepPrices::estimate(const LayerChain& chain, const Tensors& there, std::uint32_t kept) {
  if (const auto found = chains_.find(ChainKey(chain, there, kept)); found != chains_.end()) {
    return found->second ? std::optional(weighed(*found->second, chain, there)) : std::nullopt;
  }
  const FilterRooms rooms = rooms_for_filters(chain, there, kept);
  Price sum;
  for (std::size_t at = chain.first; at <= chain.last; ++at) {
    const auto known = slices_.find(key_of(chain, at, there, kept, rooms));
    std::optional<Price> price;
    if (known == slices_.end()) {
      const std::size_t slices = rows_of(chain).slices();
      price = estimate_slices(at, there, slices, rooms.contains(at) ? 1 : slices);
    } else if (known->second) {
      price = known->second->price;
    }
    if (!price) {
      return std::nullopt;
    }
    sum += *price;
  }
  return weighed(sum, chain, there);
}

LayerResidency StepPrices::in_chain(const LayerChain& chain, std::size_t at, const Tensors& there, std::uint32_t kept) {
  const Uses& uses = stays_.uses()[at];
  LayerResidency where = alone(uses, there, kept);
  const auto& rings = rows_of(chain).rings();
  const auto rows_in = [&](const std::optional<Use>& use) {
    const auto found = use ? rings.find(use->tensor) : rings.end();
    return found == rings.end() ? 0u : stays_.ring_of(found->first, found->second, chain.first, chain.last).plane_rows;
  };
  where.ifmap_plane_rows = rows_in(uses.ifmap);
  where.ofmap_plane_rows = rows_in(uses.ofmap);
  where.residual_plane_rows = rows_in(uses.residual);
  where.depth_first = depth_first_of(chain);
  where.place = at - chain.first;
  const FilterRooms rooms = rooms_for_filters(chain, there, kept);
  where.filters = rooms.contains(at) ? std::optional(0u) : std::nullopt;
  where.other_filters_bytes = others_of(rooms, at);
  return where;
}

std::shared_ptr<const DepthFirst> StepPrices::depth_first_of(const LayerChain& chain) {
  std::shared_ptr<const DepthFirst>& found = depth_first_[chain];
  if (!found) {
    auto made = std::make_shared<DepthFirst>();
    for (std::size_t at = chain.first; at <= chain.last; ++at) {
      made->layers.push_back(stays_.layer_of(stays_.uses()[at]).name);
      made->rows.push_back(rows_of(chain).rows_of(at));
    }
    found = made;
  }
  return found;
}

std::optional<Price> StepPrices::of_chain(const LayerChain& chain, const Tensors& there, std::uint32_t kept) {
  const ChainKey key(chain, there, kept);
  auto found = chains_.find(key);
  if (found == chains_.end()) {
    found = chains_.emplace(key, map_chain(chain, there, kept)).first;
  }
  return found->second ? std::optional(weighed(*found->second, chain, there)) : std::nullopt;
}

/// Again where filters that stay need more room than was planned for them.
std::optional<Price> StepPrices::map_chain(const LayerChain& chain, const Tensors& there, std::uint32_t kept) {
  Price sum;
  do {
    sum = {};
    prepare(chain, there, kept);
    for (std::size_t at = chain.first; at <= chain.last; ++at) {
      const std::optional<Slices>& slices = map_slices(chain, at, there, kept);
      if (!slices) {
        return std::nullopt;
      }
      sum += slices->price;
    }
  } while (widen_rooms(chain, there, kept));
  return sum;
}

/// \return whether filters of the chain need more room than was planned for them; it is from now on.
bool StepPrices::widen_rooms(const LayerChain& chain, const Tensors& there, std::uint32_t kept) {
  FilterRooms wider;
  for (const auto& [keeper, bytes] : rooms_for_filters(chain, there, kept)) {
    if (const std::uint32_t needs = filters_of(chain, keeper, there, kept); needs > bytes) {
      wider.emplace(keeper, needs);
    }
  }
  for (const auto& [keeper, bytes] : wider) {
    wider_rooms_[ChainKey(chain, there, kept)][keeper] = bytes;
  }
  return !wider.empty();
}

bool StepPrices::is_mapped(const LayerChain& chain, const Tensors& there, std::uint32_t kept) const {
  return chains_.contains(ChainKey(chain, there, kept));
}

/// Searches for the layers that are not mapped yet, side by side.
void StepPrices::prepare(const LayerChain& chain, const Tensors& there, std::uint32_t kept) {
  std::vector<std::pair<const Layer*, LayerResidency>> layers;
  for (std::size_t at = chain.first; at <= chain.last; ++at) {
    const Uses& uses = stays_.uses()[at];
    if (!slices_.contains(key_of(chain, at, there, kept)) && can_add(uses, there)) {
      layers.emplace_back(&stays_.layer_of(uses), in_chain(chain, at, there, kept));
    }
  }
  prepare_depth_first(layers, mapper_);
}

/// A layer of a chain. What rings it has matters so little that it is mapped once for all with such slices.
const std::optional<StepPrices::Slices>& StepPrices::map_slices(const LayerChain& chain, std::size_t at,
                                                                const Tensors& there, std::uint32_t kept) {
  const auto [place, is_new] = slices_.try_emplace(key_of(chain, at, there, kept));
  if (is_new && can_add(stays_.uses()[at], there)) {
    const auto plan = map(stays_.uses()[at], in_chain(chain, at, there, kept));
    place->second = plan ? std::optional(Slices{price_of(*plan), plan->glb.filter.size_bytes}) : std::nullopt;
  }
  return place->second;
}

}  // namespace fovea
