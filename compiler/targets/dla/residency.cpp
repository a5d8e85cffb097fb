// SPDX-License-Identifier: Apache-2.0
/// \file
/// The dynamic program, and the places of what it chose.
#include "residency.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>
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

/// A command alone, or several that run depth first.
struct Step {
  LayerChain layers;
  Tensors added;  ///< To those that stay; a ring is none.
  Tensors there;  ///< What stays behind it.
  Price price;
  std::shared_ptr<const Step> before;
};

/// The best way to run the commands so far.
struct State {
  Price price;
  std::shared_ptr<const Step> last;
};

/// A way to run all commands.
struct Way {
  explicit Way(const State& state) {
    for (const Step* step = state.last.get(); step != nullptr; step = step->before.get()) {
      steps.insert(steps.begin(), *step);
    }
    add_up();
  }

  /// \pre The steps have changed, and follow each other.
  void add_up() {
    price = {};
    chosen.clear();
    chains.clear();
    for (const Step& step : steps) {
      price += step.price;
      chosen.insert(step.added.begin(), step.added.end());
      if (!step.layers.is_alone()) {
        chains.push_back(step.layers);
      }
    }
  }

  std::vector<Step> steps;
  Price price;
  Tensors chosen;
  std::vector<LayerChain> chains;
};

/// Cycles that a bus word from or to DRAM counts as: more and less than any plan depends on, and how often what is
/// between is halved.
constexpr double kLeastWordCycles = 0.02, kMostWordCycles = 2;
constexpr int kHalvings = 7;

/// Steps for which there is no place, after which tensors and chains are left out.
constexpr int kMostLearned = 24;

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
      const Way best = choose();
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

  /// What is kept in a step beside whole tensors, as far as places are known.
  std::uint32_t kept_in(const LayerChain& step, const Tensors& whole) {
    const std::uint64_t rings = step.is_alone() ? 0 : prices_.rows_of(step).rings_height_bytes();
    const auto more = more_kept_.find(step);
    const bool is_more = more != more_kept_.end() && more->second.contains(whole);
    return kept_bytes(height_of(whole) + rings) + (is_more ? more->second.at(whole) : 0);
  }

  /// Tensors that are rings in a step. A command alone has none.
  std::map<std::size_t, Stay> rings_of(const LayerChain& step) {
    std::map<std::size_t, Stay> rings;
    if (!step.is_alone()) {
      for (const auto& [tensor, rows] : prices_.rows_of(step).rings()) {
        rings.emplace(tensor, stays_.ring_of(tensor, rows, step.first, step.last));
      }
    }
    return rings;
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

  /// A step from a state. \param step  But for what is before it, and what stays behind it.
  /// \param there  What is on chip in it, but for rings.
  void take(const State& from, Step step, Tensors there) {
    const std::size_t last = step.layers.last;
    std::erase_if(there, [&](std::size_t tensor) { return stays_[tensor].last <= last; });
    State state = from;
    state.price += step.price;
    auto [place, is_new] = states_[last + 1].try_emplace(there);
    if (is_new || state.price.weight < place->second.price.weight) {
      step.there = std::move(there);
      step.before = from.last;
      state.last = std::make_shared<const Step>(std::move(step));
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
      const std::uint32_t kept = kept_in({at, at}, with);
      if (height_of(with) > dla_column_bytes(&machine_) || kept >= machine_.glb_bytes) {
        return;
      }
      if (const std::optional<Price> price = prices_.of_layer(at, with, kept)) {
        take(state, {{at, at}, added, {}, *price, {}}, std::move(with));
      }
    });
  }

  void step_depth_first(std::size_t first, const Tensors& there, const State& state, bool must_know) {
    for (std::size_t last = first + 1; last < stays_.uses().size() && may_run_depth_first(stays_, first, last) &&
                                       last - first < DLA_DEPTH_FIRST_LAYERS;
         ++last) {
      const std::uint32_t rows = stays_[stays_.uses()[last].ofmap->tensor].rows;
      int tried = 0;
      std::uint32_t before = rows;
      for (const std::uint32_t count : kSliceCounts) {
        const std::uint32_t slice_rows = (rows + count - 1) / count;
        if (slice_rows == before || (last - first + 1) * count > DLA_LIST_LAYERS) {
          continue;
        }
        before = slice_rows;
        bool is_tried = false;
        for (const bool keeps_filters : {false, true}) {
          if (keeps_filters && !may_keep_filters_) {
            continue;
          }
          const LayerChain chain{first, last, slice_rows, keeps_filters};
          is_tried = (!banned_.contains(chain) && step_in_slices(chain, there, state, must_know)) || is_tried;
        }
        if (is_tried && ++tried == kSliceChoices) {
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
      const Tensors on_chip = there_in(chain, with);
      if (chain.keeps_filters && prices_.rooms_for_filters(chain, on_chip, kept).empty()) {
        return;
      }
      if (const std::optional<Price> price = price_of(chain, on_chip, kept, must_know)) {
        take(state, {chain, added, {}, *price, {}}, std::move(with));
      }
    });
    return true;
  }

  Way run_program(bool must_know) {
    states_.assign(stays_.uses().size() + 1, {});
    states_[0][{}] = {};
    for (std::size_t at = 0; at < stays_.uses().size(); ++at) {
      for (const auto& [there, state] : states_[at]) {
        step_alone(at, there, state);
        step_depth_first(at, there, state, must_know);
      }
    }
    return Way(states_.back().at({}));
  }

  /// Maps the chains that a way takes. \return whether one of them was only estimated.
  bool map_chains(const Way& way) {
    bool is_new = false;
    Tensors there;  // In front of each step.
    for (const Step& step : way.steps) {
      if (!step.layers.is_alone()) {
        there.insert(step.added.begin(), step.added.end());
        const std::uint32_t kept = kept_in(step.layers, there);
        const Tensors with = there_in(step.layers, there);
        if (!prices_.is_mapped(step.layers, with, kept)) {
          is_new = true;
          prices_.of_chain(step.layers, with, kept);
        }
      }
      there = step.there;
    }
    return is_new;
  }

  /// The best way where a bus word from or to DRAM counts as so many cycles.
  Way choose_weighed(double word_cycles) {
    prices_.set_word_cycles(word_cycles_ = word_cycles);
    for (int round = 0; round < kMostRounds; ++round) {
      Way best = run_program(false);
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

  /// The way with the fewest bytes in the cycles that the goal allows, as far as a weight of bytes finds it. Between
  /// the best ways of two weights there may be others, with parts of ways that take more.
  Way choose_with_parts() {
    double least = kLeastWordCycles, most = kMostWordCycles;
    std::optional<Way> best;
    std::vector<Way> too_long;
    for (int i = 0; i < kHalvings; ++i) {
      Way way = choose_weighed(i == 0 ? most : std::sqrt(least * most));
      if (way.price.cycles > most_cycles() - fewer_cycles_) {
        most = word_cycles_;
        too_long.push_back(std::move(way));
        continue;
      }
      least = word_cycles_;
      best = std::move(way);
      if (i == 0) {
        break;
      }
    }
    if (!best) {
      best = choose_weighed(0);
    }
    for (; !too_long.empty(); too_long.pop_back()) {
      take_parts(too_long.back(), *best);
    }
    return *best;
  }

  /// More kinds of steps may lead to a way that is worse, as weights find some ways alone.
  Way choose() {
    may_keep_filters_ = true;
    if (!counts_cycles()) {
      return choose_weighed(word_cycles_);
    }
    Way best = choose_with_parts();
    may_keep_filters_ = false;
    Way other = choose_with_parts();
    return other.price.bytes < best.price.bytes ? other : best;
  }

  /// Steps of two ways, from where both have the same on chip to where they have again.
  struct Parts {
    std::vector<Step> own, other;
    double cycles = 0, saved_bytes = 0;  ///< Of the other, beside the own.
  };

  static std::vector<Parts> parts_of(const Way& own, const Way& other) {
    std::vector<Parts> parts(1);
    auto at = other.steps.begin();
    for (const Step& step : own.steps) {
      Parts& part = parts.back();
      part.own.push_back(step);
      part.cycles -= step.price.cycles;
      part.saved_bytes += step.price.bytes;
      for (; at != other.steps.end() && at->layers.last <= step.layers.last; ++at) {
        part.other.push_back(*at);
        part.cycles += at->price.cycles;
        part.saved_bytes -= at->price.bytes;
      }
      if (!part.other.empty() && part.other.back().layers.last == step.layers.last &&
          part.other.back().there == step.there) {
        parts.emplace_back();
      }
    }
    return parts;
  }

  /// Of a way that takes too long the parts that save bytes, those first that save the most for their cycles, as long
  /// as the goal allows the cycles.
  void take_parts(const Way& too_long, Way& way) {
    std::vector<Parts> parts = parts_of(way, too_long);
    std::vector<Parts*> order;
    for (Parts& part : parts) {
      order.push_back(&part);
    }
    std::ranges::stable_sort(order, std::greater<>(),
                             [](const Parts* part) { return part->saved_bytes / std::max(1.0, part->cycles); });
    double left = most_cycles() - fewer_cycles_ - way.price.cycles;
    for (Parts* part : order) {
      if (part->saved_bytes > 0 && part->cycles <= left) {
        left -= part->cycles;
        std::swap(part->own, part->other);
      }
    }
    way.steps.clear();
    for (const Parts& part : parts) {
      way.steps.insert(way.steps.end(), part.own.begin(), part.own.end());
    }
    way.add_up();
  }

  /// The tensors that stay, each as long as it has to: while layers run depth first, all that is there stays.
  std::map<std::size_t, Stay> tensors_of(const Way& way) {
    std::map<std::size_t, Stay> tensors;
    for (const std::size_t tensor : way.chosen) {
      Stay stay = stays_[tensor];
      for (const LayerChain& chain : way.chains) {
        stay.first = chain.first <= stay.first && stay.first <= chain.last ? chain.first : stay.first;
        stay.last = chain.first <= stay.last && stay.last <= chain.last ? chain.last : stay.last;
      }
      tensors.emplace(tensor, stay);
    }
    for (const LayerChain& chain : way.chains) {
      tensors.merge(rings_of(chain));
    }
    return tensors;
  }

  /// Leaves out what has no place: a tensor, or the chain that has it as a ring; or of what is kept at the first
  /// layer that can't run beside it the largest, or its chain. \return false where all have places.
  bool leaves_out_misfit(const Way& way, const ChipPlaces& places) {
    if (const auto misfit = places.misfit()) {
      leave_out(way, *misfit, places[*misfit].first);
      return true;
    }
    for (const Step& step : way.steps) {
      const std::size_t at = step.layers.first;
      const Tensors there = places.there_at(at);
      if (there.empty()) {
        continue;
      }
      const auto [front, back] = places.kept_at(at);
      const bool is_crossed = std::uint64_t{front} + back > machine_.glb_bytes;
      if (is_crossed || !prices_.of_step(step.layers, there, front + back)) {
        leave_out(way,
                  *std::ranges::max_element(there, {}, [&](std::size_t tensor) { return places[tensor].height_bytes; }),
                  at);
        return true;
      }
      if (takes_more(step.layers, there, front + back)) {
        return true;
      }
    }
    return false;
  }

  /// With the places that tensors have, layers may take more cycles than was planned. \return whether the goal does not
  /// allow them: then fewer may be planned.
  bool takes_too_long(const Way& way, const ChipPlaces& places) {
    double cycles = 0;
    for (const Step& step : way.steps) {
      const auto [front, back] = places.kept_at(step.layers.first);
      const std::optional<Price> price = prices_.of_step(step.layers, places.there_at(step.layers.first), front + back);
      cycles += price ? price->cycles : 0;
    }
    if (!counts_cycles() || cycles <= most_cycles() || word_cycles_ == 0) {
      return false;
    }
    fewer_cycles_ = std::max(cycles - way.price.cycles, fewer_cycles_ + most_cycles() / 1000);
    return true;
  }

  /// Places may keep more than the sum of heights. \return whether that is so, and costs something: it is known then.
  bool takes_more(const LayerChain& step, const Tensors& there, std::uint32_t kept) {
    Tensors whole = there;
    for (const auto& [tensor, ring] : rings_of(step)) {
      whole.erase(tensor);
    }
    const std::uint32_t planned = kept_in(step, whole);
    const auto weight = [&](std::uint32_t of) {
      const std::optional<Price> price = prices_.of_step(step, there, of);
      return price ? price->weight : 0;
    };
    if (kept <= planned || weight(kept) <= 1.001 * weight(planned)) {
      return false;
    }
    more_kept_[step][whole] += kept - planned;
    return true;
  }

  /// The step of a command, and what stays whole in it.
  static std::pair<LayerChain, Tensors> step_at(const Way& way, std::size_t at) {
    Tensors there;  // In front of each step.
    for (const Step& step : way.steps) {
      if (at <= step.layers.last) {
        there.insert(step.added.begin(), step.added.end());
        return {step.layers, there};
      }
      there = step.there;
    }
    throw std::logic_error("a command that is in no step");
  }

  /// The step of a command is not possible beside what stays there. If that does not help soon, the tensor may not stay
  /// at all, or the chain not run.
  void leave_out(const Way& way, std::size_t tensor, std::size_t at) {
    const auto [layers, whole] = step_at(way, at);
    if (++learned_ <= kMostLearned) {
      more_kept_[layers][whole] = machine_.glb_bytes;
    } else if (!layers.is_alone()) {
      banned_.insert(layers);
    } else {
      stays_.exclude(tensor);
      prices_.forget();
    }
  }

  /// Filters that stay, one region behind another behind the tensors in front.
  void place_filters(const LayerChain& chain, std::size_t at, const Tensors& there, LayerResidency& where) {
    const std::uint32_t kept = where.kept_front_bytes + where.kept_back_bytes;
    for (const auto& [keeper, room] : prices_.rooms_for_filters(chain, there, kept)) {
      where.filters = keeper == at ? where.kept_front_bytes + where.filters_bytes : where.filters;
      where.filters_bytes += prices_.filters_of(chain, keeper, there, kept);
    }
  }

  ResidencyPlan plan_of(const Way& way, const ChipPlaces& places) {
    ResidencyPlan plan;
    for (std::size_t at = 0; at < stays_.uses().size(); ++at) {
      const Uses& uses = stays_.uses()[at];
      const auto [front, back] = places.kept_at(at);
      const LayerChain layers = step_at(way, at).first;
      const Tensors there = places.there_at(at);
      LayerResidency where = layers.is_alone() ? prices_.alone(uses, there, front + back)
                                               : prices_.in_chain(layers, at, there, front + back);
      where.kept_front_bytes = front;
      where.kept_back_bytes = back;
      place_filters(layers, at, there, where);
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
  bool may_keep_filters_ = true;
  Stays stays_;
  StepPrices prices_;
  std::vector<std::map<Tensors, State>> states_;  ///< In front of each command, and behind the last.
  std::set<LayerChain> banned_;
  /// What places keep beyond the heights of tensors in a step beside these; of one that is not possible, all.
  std::map<LayerChain, std::map<Tensors, std::uint32_t>> more_kept_;
  int learned_ = 0;  ///< Steps that are not possible.
};

}  // namespace

ResidencyPlan plan_residency(const Network& network, Mapper& mapper, std::uint32_t seed) {
  return Planner(network, mapper, seed).plan();
}

}  // namespace fovea
