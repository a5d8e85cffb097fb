// SPDX-License-Identifier: Apache-2.0
/// \file
/// The dynamic program, and the places of what it chose.
#include "residency.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "chip_places.h"
#include "spec/dla_list.h"
#include "spec/dla_planes.h"
#include "stays.h"
#include "step_prices.h"

namespace fovea {
namespace {

/// How often the program runs again because a step that it took was only estimated.
constexpr int kMostRounds = 48;

/// So many numbers of slices are tried that leave room for the layers' regions.
constexpr int kSliceChoices = 3;

constexpr std::uint32_t kSliceCounts[] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 19, 22, 28, 37, 56};

/// The best way to run the commands so far.
struct State {
  Price price;
  Tensors chosen;
  std::vector<LayerChain> chains;
  std::vector<Price> chain_prices;
};

/// Cycles that a bus word from or to DRAM counts as: more and less than any plan depends on, and how often what is
/// between is halved.
constexpr double kLeastWordCycles = 0.02, kMostWordCycles = 2;
constexpr int kHalvings = 7;

/// Chains that are left out at most to keep within the goal's cycles.
constexpr int kMostClosed = 8;

class Planner {
 public:
  Planner(const Network& network, Mapper& mapper, std::uint32_t seed)
      : goal_(mapper.goal()),
        machine_(mapper.machine().geometry),
        is_drawn_(seed != 0),
        stays_(network, machine_),
        prices_(stays_, mapper, seed) {}

  ResidencyPlan plan() {
    for (;;) {
      const State best = choose();
      const ChipPlaces places(machine_, tensors_of(best));
      if (!leaves_out_misfit(best, places) && !takes_too_long(best, places)) {
        return plan_of(best, places);
      }
    }
  }

 private:
  std::uint32_t kept_bytes(std::uint64_t height_bytes) const {
    const std::uint32_t bank = machine_.glb_bank_bytes;
    return static_cast<std::uint32_t>((height_bytes + bank - 1) / bank * bank * dla_ifmap_columns(&machine_));
  }

  std::uint64_t height_of(const Tensors& tensors) const {
    std::uint64_t height = 0;
    for (const std::size_t tensor : tensors) {
      height += stays_[tensor].height_bytes;
    }
    return height;
  }

  /// What is kept while a chain runs beside whole tensors, as far as places are known.
  std::uint32_t kept_in(const LayerChain& chain, const Tensors& whole) {
    const auto more = more_kept_.find(chain);
    return kept_bytes(height_of(whole) + height_of_rings(chain)) + (more == more_kept_.end() ? 0 : more->second);
  }

  std::uint64_t height_of_rings(const LayerChain& chain) {
    std::uint64_t height = 0;
    for (const auto& [tensor, rows] : prices_.rows_of(chain).rings()) {
      height += stays_.ring_of(tensor, rows, chain.first, chain.last).height_bytes;
    }
    return height;
  }

  /// Tensors on chip while a chain runs.
  Tensors there_in(const LayerChain& chain, Tensors whole) {
    for (const auto& [tensor, rows] : prices_.rows_of(chain).rings()) {
      whole.insert(tensor);
    }
    return whole;
  }

  /// Calls visit() with each set of tensors that may be added to those that stay.
  template <class Visit>
  void for_choices(const Tensors& outlets, const Tensors& there, Visit visit) {
    std::vector<std::size_t> may;
    for (const std::size_t tensor : outlets) {
      if (stays_.may_stay(tensor) && !there.contains(tensor)) {
        may.push_back(tensor);
      }
    }
    may.resize(std::min<std::size_t>(may.size(), 3));
    for (std::size_t set = 0; set < std::size_t{1} << may.size(); ++set) {
      Tensors added;
      for (std::size_t i = 0; i < may.size(); ++i) {
        if ((set >> i & 1) != 0) {
          added.insert(may[i]);
        }
      }
      visit(added);
    }
  }

  /// A step from a state: its price, and the tensors that stay then.
  void take(const State& from, const Price& price, const Tensors& added, const std::optional<LayerChain>& chain,
            Tensors there, std::size_t last) {
    State state = from;
    state.price += price;
    state.chosen.insert(added.begin(), added.end());
    if (chain) {
      state.chains.push_back(*chain);
      state.chain_prices.push_back(price);
    }
    std::erase_if(there, [&](std::size_t tensor) { return stays_[tensor].last <= last; });
    auto [place, is_new] = states_[last + 1].try_emplace(std::move(there), state);
    if (!is_new && state.price.weight < place->second.price.weight) {
      place->second = std::move(state);
    }
  }

  void step_alone(std::size_t at, const Tensors& there, const State& state) {
    const Uses& uses = stays_.uses()[at];
    Tensors outlets;
    if (uses.ofmap && stays_[uses.ofmap->tensor].first == at) {
      outlets.insert(uses.ofmap->tensor);
    }
    for_choices(outlets, there, [&](const Tensors& added) {
      Tensors with = there;
      with.insert(added.begin(), added.end());
      const std::uint64_t height = height_of(with);
      if (height > dla_column_bytes(&machine_)) {
        return;
      }
      if (const std::optional<Price> price = prices_.of_layer(at, with, kept_bytes(height))) {
        take(state, *price, added, std::nullopt, std::move(with), at);
      }
    });
  }

  bool is_closed(std::size_t first, std::size_t last) const {
    return std::ranges::any_of(closed_,
                               [&](const LayerChain& chain) { return first <= chain.last && chain.first <= last; });
  }

  void step_depth_first(std::size_t first, const Tensors& there, const State& state, bool must_know) {
    for (std::size_t last = first + 1; last < stays_.uses().size() && may_run_depth_first(stays_, first, last) &&
                                       last - first < DLA_DEPTH_FIRST_LAYERS;
         ++last) {
      if (is_closed(first, last)) {
        return;
      }
      const std::uint32_t rows = stays_[stays_.uses()[last].ofmap->tensor].rows;
      int tried = 0;
      std::uint32_t before = rows;
      for (const std::uint32_t count : kSliceCounts) {
        const std::uint32_t slice_rows = (rows + count - 1) / count;
        if (slice_rows == before || (last - first + 1) * count > DLA_LIST_LAYERS) {
          continue;
        }
        before = slice_rows;
        const LayerChain chain{first, last, slice_rows};
        if (!banned_.contains(chain) && step_in_slices(chain, there, state, must_know) && ++tried == kSliceChoices) {
          break;
        }
      }
    }
  }

  /// \param must_know  Whether an estimate does not do.
  std::optional<Price> price_of(const LayerChain& chain, const Tensors& there, std::uint32_t kept, bool must_know) {
    const bool is_known = !must_know || prices_.is_mapped(chain, there, kept);
    return is_known ? prices_.estimate(chain, there, kept) : std::nullopt;
  }

  /// \return whether there is room.
  bool step_in_slices(const LayerChain& chain, const Tensors& there, const State& state, bool must_know) {
    if (kept_in(chain, there) >= machine_.glb_bytes) {
      return false;
    }
    for_choices(prices_.rows_of(chain).outlets(), there, [&](const Tensors& added) {
      Tensors with = there;
      with.insert(added.begin(), added.end());
      const std::uint32_t kept = kept_in(chain, with);
      if (kept >= machine_.glb_bytes) {
        return;
      }
      if (const std::optional<Price> price = price_of(chain, there_in(chain, with), kept, must_know)) {
        take(state, *price, added, chain, std::move(with), chain.last);
      }
    });
    return true;
  }

  State run_program(bool must_know) {
    states_.assign(stays_.uses().size() + 1, {});
    states_[0][{}] = {};
    for (std::size_t at = 0; at < stays_.uses().size(); ++at) {
      for (const auto& [there, state] : states_[at]) {
        step_alone(at, there, state);
        step_depth_first(at, there, state, must_know);
      }
    }
    return states_.back().at({});
  }

  /// Maps the chains that a way takes. \return whether one of them was only estimated.
  bool map_chains(const State& state) {
    bool is_new = false;
    Tensors there;
    std::size_t next = 0;
    for (std::size_t at = 0; at < stays_.uses().size(); ++at) {
      const bool is_chain = next < state.chains.size() && state.chains[next].first == at;
      const std::size_t last = is_chain ? state.chains[next].last : at;
      for (const std::size_t tensor : state.chosen) {
        if (at <= stays_[tensor].first && stays_[tensor].first <= last) {
          there.insert(tensor);
        }
      }
      if (is_chain) {
        const LayerChain& chain = state.chains[next++];
        const std::uint32_t kept = kept_in(chain, there);
        const Tensors with = there_in(chain, there);
        if (!prices_.is_mapped(chain, with, kept)) {
          is_new = true;
          prices_.of_chain(chain, with, kept);
        }
      }
      std::erase_if(there, [&](std::size_t tensor) { return stays_[tensor].last <= last; });
      at = last;
    }
    return is_new;
  }

  /// The best way where a bus word from or to DRAM counts as so many cycles.
  State choose_weighed(double word_cycles) {
    prices_.set_word_cycles(word_cycles_ = word_cycles);
    for (int round = 0; round < kMostRounds; ++round) {
      State best = run_program(false);
      if (!map_chains(best)) {
        return best;
      }
    }
    return run_program(true);
  }

  /// What all layers take with nothing on chip, and the percent more that the goal allows for fewer bytes.
  double most_cycles() {
    double cycles = 0;
    for (std::size_t at = 0; at < stays_.uses().size(); ++at) {
      const std::optional<Price> price = prices_.of_layer(at, {}, 0);
      cycles += price ? price->cycles : 0;
    }
    return cycles * (1 + goal_.slack_percent / 100.0);
  }

  bool counts_cycles() const {
    return goal_.objective != Objective::kDram && goal_.objective != Objective::kEnergy && !is_drawn_;
  }

  /// The way with the fewest bytes in the cycles that the goal allows, as far as a weight of bytes finds it.
  State choose() {
    if (!counts_cycles()) {
      return choose_weighed(word_cycles_);
    }
    double least = kLeastWordCycles, most = kMostWordCycles;
    std::optional<State> best, too_long;
    for (int i = 0; i < kHalvings; ++i) {
      State state = choose_weighed(i == 0 ? most : std::sqrt(least * most));
      if (state.price.cycles > most_cycles() - fewer_cycles_) {
        most = word_cycles_;
        too_long = std::move(state);
        continue;
      }
      least = word_cycles_;
      best = std::move(state);
      if (i == 0) {
        break;
      }
    }
    if (!best) {
      best = choose_weighed(0);
    }
    if (too_long) {
      shorten(*too_long, most, *best);
    }
    return *best;
  }

  /// Between the best way of one weight and that of the next, which takes too long, there may be others: without the
  /// chains of the latter that save the fewest bytes for their cycles.
  void shorten(State state, double word_cycles, State& best) {
    for (int i = 0; i < kMostClosed && !state.chains.empty(); ++i) {
      closed_.push_back(dearest_chain(state));
      state = choose_weighed(word_cycles);
      if (state.price.cycles <= most_cycles() - fewer_cycles_) {
        if (state.price.bytes < best.price.bytes) {
          best = std::move(state);
        }
        break;
      }
    }
    closed_.clear();
  }

  const LayerChain& dearest_chain(const State& state) {
    std::size_t dearest = 0;
    double most = 0;
    for (std::size_t i = 0; i < state.chains.size(); ++i) {
      Price alone;
      for (std::size_t at = state.chains[i].first; at <= state.chains[i].last; ++at) {
        alone += prices_.of_layer(at, {}, 0).value_or(Price());
      }
      const Price& price = state.chain_prices[i];
      const double cycles_of_a_byte = (price.cycles - alone.cycles) / std::max(1.0, alone.bytes - price.bytes);
      if (cycles_of_a_byte > most) {
        most = cycles_of_a_byte;
        dearest = i;
      }
    }
    return state.chains[dearest];
  }

  /// The tensors that stay, each as long as it has to: while layers run depth first, all that is there stays.
  std::map<std::size_t, Stay> tensors_of(const State& state) {
    std::map<std::size_t, Stay> tensors;
    for (const std::size_t tensor : state.chosen) {
      Stay stay = stays_[tensor];
      for (const LayerChain& chain : state.chains) {
        stay.first = chain.first <= stay.first && stay.first <= chain.last ? chain.first : stay.first;
        stay.last = chain.first <= stay.last && stay.last <= chain.last ? chain.last : stay.last;
      }
      tensors.emplace(tensor, stay);
    }
    for (const LayerChain& chain : state.chains) {
      for (const auto& [tensor, rows] : prices_.rows_of(chain).rings()) {
        tensors.emplace(tensor, stays_.ring_of(tensor, rows, chain.first, chain.last));
      }
    }
    return tensors;
  }

  static const LayerChain* chain_at(const State& state, std::size_t at) {
    const auto found = std::ranges::find_if(
        state.chains, [&](const LayerChain& chain) { return chain.first <= at && at <= chain.last; });
    return found == state.chains.end() ? nullptr : &*found;
  }

  /// Leaves out what has no place: a tensor, or the chain that has it as a ring; or of what is kept at the first
  /// layer that can't run beside it the largest, or its chain. \return false where all have places.
  bool leaves_out_misfit(const State& state, const ChipPlaces& places) {
    if (const auto misfit = places.misfit()) {
      leave_out(state, *misfit, places[*misfit].first);
      return true;
    }
    for (std::size_t at = 0; at < stays_.uses().size(); ++at) {
      const Tensors there = places.there_at(at);
      if (there.empty()) {
        continue;
      }
      const auto [front, back] = places.kept_at(at);
      const LayerChain* chain = chain_at(state, at);
      const bool is_crossed = std::uint64_t{front} + back > machine_.glb_bytes;
      if (is_crossed || !(chain != nullptr ? prices_.of_chain(*chain, there, front + back)
                                           : prices_.of_layer(at, there, front + back))) {
        leave_out(state,
                  *std::ranges::max_element(there, {}, [&](std::size_t tensor) { return places[tensor].height_bytes; }),
                  at);
        return true;
      }
      if (chain != nullptr) {
        if (takes_more(*chain, there, front + back)) {
          return true;
        }
        at = chain->last;
      }
    }
    return false;
  }

  /// With the places that tensors have, layers may take more cycles than was planned. \return whether the goal does not
  /// allow them: then fewer may be planned.
  bool takes_too_long(const State& state, const ChipPlaces& places) {
    double cycles = 0;
    for (std::size_t at = 0; at < stays_.uses().size(); ++at) {
      const auto [front, back] = places.kept_at(at);
      const LayerChain* chain = chain_at(state, at);
      const std::optional<Price> price = chain != nullptr ? prices_.of_chain(*chain, places.there_at(at), front + back)
                                                          : prices_.of_layer(at, places.there_at(at), front + back);
      cycles += price ? price->cycles : 0;
      at = chain != nullptr ? chain->last : at;
    }
    if (!counts_cycles() || cycles <= most_cycles() || word_cycles_ == 0) {
      return false;
    }
    fewer_cycles_ = std::max(cycles - state.price.cycles, fewer_cycles_ + most_cycles() / 1000);
    return true;
  }

  /// Places may keep more than the sum of heights. \return whether that is so, and costs something: it is known then.
  bool takes_more(const LayerChain& chain, const Tensors& there, std::uint32_t kept) {
    Tensors whole = there;
    for (const auto& [tensor, rows] : prices_.rows_of(chain).rings()) {
      whole.erase(tensor);
    }
    const std::uint32_t planned = kept_in(chain, whole);
    const auto weight = [&](std::uint32_t of) {
      const std::optional<Price> price = prices_.of_chain(chain, there, of);
      return price ? price->weight : 0;
    };
    if (kept <= planned || weight(kept) <= 1.001 * weight(planned)) {
      return false;
    }
    more_kept_[chain] += kept - planned;
    return true;
  }

  void leave_out(const State& state, std::size_t tensor, std::size_t at) {
    if (const LayerChain* chain = chain_at(state, at)) {
      banned_.insert(*chain);
      return;
    }
    stays_.exclude(tensor);
    prices_.forget();
  }

  ResidencyPlan plan_of(const State& state, const ChipPlaces& places) {
    ResidencyPlan plan;
    for (std::size_t at = 0; at < stays_.uses().size(); ++at) {
      const Uses& uses = stays_.uses()[at];
      const auto [front, back] = places.kept_at(at);
      const LayerChain* chain = chain_at(state, at);
      const Tensors there = places.there_at(at);
      LayerResidency where =
          chain != nullptr ? prices_.in_chain(*chain, at, there, front) : prices_.alone(uses, there, front);
      where.kept_back_bytes = back;
      const auto give_place = [&](std::optional<std::uint32_t>& place, const std::optional<Use>& use) {
        place = place ? std::optional(places.address_of(*use)) : std::nullopt;
      };
      give_place(where.ifmap, uses.ifmap);
      give_place(where.ofmap, uses.ofmap);
      give_place(where.residual, uses.residual);
      if (where.is_any()) {
        plan.emplace(stays_.layer_of(uses).name, where);
      }
    }
    return plan;
  }

  const Goal goal_;
  const dla_machine& machine_;
  const bool is_drawn_;
  double word_cycles_ = 1, fewer_cycles_ = 0;
  Stays stays_;
  StepPrices prices_;
  std::vector<std::map<Tensors, State>> states_;  ///< In front of each command, and behind the last.
  std::set<LayerChain> banned_;
  std::vector<LayerChain> closed_;  ///< No chain has a layer of these.
  std::map<LayerChain, std::uint32_t> more_kept_;
};

}  // namespace

ResidencyPlan plan_residency(const Network& network, Mapper& mapper, std::uint32_t seed) {
  return Planner(network, mapper, seed).plan();
}

}  // namespace fovea
