// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds the tensors that may stay, chooses among them, and gives those that do their places.
#include "residency.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include "dla_work.h"
#include "layers/tensor_bytes.h"
#include "spec/dla_planes.h"

namespace fovea {
namespace {

/// A part of a tensor that a layer reads or writes.
struct Use {
  std::size_t tensor = 0;  ///< Number of a Stay.
  std::uint32_t channel = 0;
};

/// What a layer's command reads and writes, of tensors that may stay.
struct Uses {
  std::size_t layer = 0;
  std::optional<Use> ifmap, ofmap, residual;
};

/// A tensor that may stay.
struct Stay {
  std::uint32_t channels = 0;
  std::uint32_t stride = 0;          ///< Bytes of a plane, whole words.
  std::uint32_t height_bytes = 0;    ///< Of each column.
  std::size_t first = 0, last = 0;   ///< Of the commands that write and read it.
  std::set<std::size_t> never_with;  ///< Tensors that may share no row of banks with it.
  std::uint32_t byte = 0;            ///< Where it begins, once it has a place.
  bool is_behind = false;            ///< It lies behind the layers' regions, not in front of them.
};

/// Channels and bytes of a plane of [1, C, H, W] or [1, C].
std::pair<std::uint32_t, std::uint32_t> planes_of(const TensorType& type) {
  std::uint64_t plane = 1;
  for (std::size_t i = 2; i < type.shape.size(); ++i) {
    plane *= static_cast<std::uint64_t>(type.shape[i]);
  }
  return {static_cast<std::uint32_t>(type.shape.at(1)), static_cast<std::uint32_t>(plane)};
}

class Planner {
 public:
  Planner(const Network& network, Mapper& mapper)
      : network_(network), mapper_(mapper), machine_(mapper.machine().geometry), bytes_(resolve_bytes(network)) {
    find_stays();
  }

  ResidencyPlan plan() {
    for (;;) {
      const std::set<std::size_t> chosen = choose();
      const std::optional<std::size_t> misfit = place(chosen);
      if (!misfit) {
        return plan_of(chosen);
      }
      dropped_.insert(*misfit);
    }
  }

 private:
  /// A command that is its layer's only one, and may use what lies on chip.
  std::optional<DeviceForm> lone_command(const Layer& layer) const {
    std::optional<DeviceForm> form = layer.target == "dla" ? device_form_of(layer) : std::nullopt;
    const bool is_lone = form && form->refusal.empty() && form->pictures == 1 &&
                         layer.input_types.at(0).shape[0] == 1 &&
                         !(form->is_product && (form->is_alike || form->shape.G != 0));
    return is_lone ? std::move(form) : std::nullopt;
  }

  /// Whether the command has the channels of a tensor as its own, and of an ifmap the rows too: it may join some.
  static bool has_planes_of(const DeviceForm& form, const TensorType& seen, bool is_ifmap) {
    const dla_shape& s = form.shape;
    const auto [channels, plane] = planes_of(seen);
    if (!is_ifmap) {
      return dla_groups(&s) * s.M == channels;
    }
    const bool has_rows = seen.shape.size() < 4 || seen.shape[3] == s.W;
    return dla_groups(&s) * s.C == channels && s.H * s.W == plane && has_rows;
  }

  /// Which channels of the whole tensor a layer sees, if it sees them as planes of the same rows.
  std::optional<std::uint32_t> channel_of(const DeviceForm& form, TensorId id, const TensorType& seen, bool is_ifmap) {
    const TensorType& whole = network_.tensors[bytes_[id].whole].type;
    if (whole.shape.size() < 2 || seen.shape.size() < 2 || whole.shape[0] != 1) {
      return std::nullopt;
    }
    const auto [channels, plane] = planes_of(whole);
    if (form.is_product && is_ifmap) {
      return form.shape.C == std::uint64_t{channels} * plane && bytes_[id].offset == 0 ? std::optional(0u)
                                                                                       : std::nullopt;
    }
    const bool is_alike = has_planes_of(form, seen, is_ifmap) && planes_of(seen).second == plane &&
                          bytes_[id].offset % plane == 0 &&
                          (whole.shape.size() < 4 || seen.shape.size() < 4 || whole.shape[3] == seen.shape[3]);
    return is_alike ? std::optional(static_cast<std::uint32_t>(bytes_[id].offset / plane)) : std::nullopt;
  }

  void find_stays() {
    std::map<TensorId, std::size_t> numbers;
    std::set<TensorId> excluded;
    for (const auto& ends : {network_.inputs, network_.outputs}) {
      for (const NetworkEnd& end : ends) {
        excluded.insert(bytes_[end.tensor].whole);
      }
    }
    const auto use = [&](const DeviceForm& form, TensorId id, const TensorType& seen, bool is_ifmap, std::size_t at) {
      const TensorId whole = bytes_[id].whole;
      const std::optional<std::uint32_t> channel = channel_of(form, id, seen, is_ifmap);
      if (!channel) {
        excluded.insert(whole);
        return std::optional<Use>();
      }
      const auto [place, is_new] = numbers.try_emplace(whole, stays_.size());
      if (is_new) {
        const auto [channels, plane] = planes_of(network_.tensors[whole].type);
        const std::uint32_t columns = dla_ifmap_columns(&machine_), bus = machine_.bus_bytes;
        const std::uint32_t stride = (plane + bus - 1) / bus * bus;
        stays_.push_back({channels, stride, (channels + columns - 1) / columns * stride, at, at, {}, 0, false});
      }
      stays_[place->second].last = at;
      return std::optional(Use{place->second, *channel});
    };
    for (std::size_t i = 0; i < network_.layers.size(); ++i) {
      const Layer& layer = network_.layers[i];
      if (layer.is_view()) {
        continue;
      }
      const std::optional<DeviceForm> form = lone_command(layer);
      Uses uses{i, {}, {}, {}};
      if (!form) {
        for (const TensorId input : layer.inputs) {
          excluded.insert(bytes_[input].whole);
        }
        excluded.insert(bytes_[layer.output].whole);
      } else {
        const std::size_t at = uses_.size();
        uses.ifmap = use(*form, layer.inputs.at(form->ifmap), layer.input_types.at(form->ifmap), true, at);
        if (form->residual) {
          uses.residual = use(*form, layer.inputs.at(1 - form->ifmap), layer.output_type, false, at);
        }
        uses.ofmap = use(*form, layer.output, layer.output_type, false, at);
        if (uses.ifmap && uses.residual) {
          stays_[uses.ifmap->tensor].never_with.insert(uses.residual->tensor);
          stays_[uses.residual->tensor].never_with.insert(uses.ifmap->tensor);
        }
      }
      uses_.push_back(uses);
    }
    for (const TensorId whole : excluded) {
      if (const auto found = numbers.find(whole); found != numbers.end()) {
        dropped_.insert(found->second);
      }
    }
  }

  std::uint32_t kept_bytes(std::uint64_t height_bytes) const {
    const std::uint32_t bank = machine_.glb_bank_bytes;
    return static_cast<std::uint32_t>((height_bytes + bank - 1) / bank * bank * dla_ifmap_columns(&machine_));
  }

  static bool holds(const std::set<std::size_t>& set, const std::optional<Use>& use) {
    return use && set.contains(use->tensor);
  }

  /// Whether a residual's bytes lie in its beats as the ofmap's in theirs: if one of them alone is on chip, where
  /// planes begin with a word, those of the other have to be whole words.
  bool sums_word_by_word(const Uses& uses, const Layer& layer, const std::set<std::size_t>& there) const {
    const std::uint32_t plane = planes_of(layer.output_type).second;
    return holds(there, uses.residual) == holds(there, uses.ofmap) || plane % machine_.bus_bytes == 0;
  }

  /// What a layer costs with these tensors on chip, and so much of the GLB kept; nothing where it can't run.
  std::optional<double> price(const Uses& uses, const std::set<std::size_t>& there, std::uint32_t kept) {
    const Layer& layer = network_.layers[uses.layer];
    const std::optional<DeviceForm> form = lone_command(layer);
    if (!form) {
      return 0;  // It costs the same wherever tensors are that it does not use.
    }
    // A bank of the ifmap's region has no port for a residual, so a tensor can't be added to itself there.
    const bool is_twice = uses.ifmap && uses.residual && uses.ifmap->tensor == uses.residual->tensor;
    if (form->residual && (!sums_word_by_word(uses, layer, there) || (is_twice && holds(there, uses.ifmap)))) {
      return std::nullopt;
    }
    const auto key =
        std::tuple(uses.layer, holds(there, uses.ifmap), holds(there, uses.ofmap), holds(there, uses.residual), kept);
    const auto [place, is_new] = prices_.try_emplace(key);
    if (is_new) {
      const LayerResidency where = residency_of(uses, there, kept, 0);
      const auto work = find_dla_work(layer, mapper_, &where);
      if (work && work->choice.mapping.plan) {
        place->second = price_of(*work->choice.mapping.plan);
      }
    }
    return place->second;
  }

  double price_of(const PlannedMapping& plan) const {
    const double bytes = static_cast<double>(plan.cost.dram_bytes.read() + plan.cost.dram_bytes.ofmap);
    const double cycles = static_cast<double>(plan.cost.cycles);
    switch (mapper_.goal().objective) {
      case Objective::kDram:
        return bytes;
      case Objective::kEnergy:
        return price_energy(mapper_.machine().access_energy(), plan.accesses).total();
      default:
        return cycles + bytes / machine_.bus_bytes;
    }
  }

  LayerResidency residency_of(const Uses& uses, const std::set<std::size_t>& there, std::uint32_t front,
                              std::uint32_t back) const {
    LayerResidency where;
    const auto address = [&](const std::optional<Use>& use) -> std::optional<std::uint32_t> {
      if (!holds(there, use)) {
        return std::nullopt;
      }
      const Stay& stay = stays_[use->tensor];
      const std::uint32_t columns = dla_ifmap_columns(&machine_);
      return use->channel % columns << kDlaColumnLsb | (stay.byte + use->channel / columns * stay.stride);
    };
    where.ifmap = address(uses.ifmap);
    where.ofmap = address(uses.ofmap);
    where.residual = address(uses.residual);
    where.ifmap_channels = where.ifmap ? stays_[uses.ifmap->tensor].channels : 0;
    where.kept_front_bytes = front;
    where.kept_back_bytes = back;
    return where;
  }

  /// The tensors that stay where the sum of prices is least.
  std::set<std::size_t> choose() {
    struct State {
      double price = 0;
      std::set<std::size_t> chosen;
    };
    std::map<std::set<std::size_t>, State> states = {{{}, {}}};
    for (std::size_t at = 0; at < uses_.size(); ++at) {
      const Uses& uses = uses_[at];
      std::map<std::set<std::size_t>, State> next;
      const auto go_on = [&](std::set<std::size_t> there, State state) {
        std::uint64_t height = 0;
        for (const std::size_t tensor : there) {
          height += stays_[tensor].height_bytes;
        }
        if (height > dla_column_bytes(&machine_)) {
          return;
        }
        const std::optional<double> price_here = price(uses, there, kept_bytes(height));
        if (!price_here) {
          return;
        }
        state.price += *price_here;
        std::erase_if(there, [&](std::size_t tensor) { return stays_[tensor].last == at; });
        const auto [place, is_new] = next.try_emplace(there, state);
        if (!is_new && state.price < place->second.price) {
          place->second = std::move(state);
        }
      };
      for (const auto& [there, state] : states) {
        go_on(there, state);
        if (uses.ofmap && stays_[uses.ofmap->tensor].first == at && !dropped_.contains(uses.ofmap->tensor)) {
          std::set<std::size_t> with = there;
          with.insert(uses.ofmap->tensor);
          State chosen = state;
          chosen.chosen.insert(uses.ofmap->tensor);
          go_on(std::move(with), std::move(chosen));
        }
      }
      states = std::move(next);
    }
    return states.at({}).chosen;
  }

  static bool live_together(const Stay& a, const Stay& b) { return a.first <= b.last && b.first <= a.last; }

  /// Bytes of each column that a tensor must leave to another at the same time.
  std::pair<std::uint32_t, std::uint32_t> extent_of(const Stay& stay, bool is_apart) const {
    const std::uint32_t bank = machine_.glb_bank_bytes, end = stay.byte + stay.height_bytes;
    return is_apart ? std::pair(stay.byte / bank * bank, (end + bank - 1) / bank * bank) : std::pair(stay.byte, end);
  }

  bool is_free(const Stay& stay, const std::set<std::size_t>& placed) const {
    return std::ranges::none_of(placed, [&](std::size_t other) {
      const bool is_apart = stay.never_with.contains(other);
      const auto [begin, end] = extent_of(stay, is_apart);
      const auto [from, to] = extent_of(stays_[other], is_apart);
      return live_together(stay, stays_[other]) && begin < to && from < end;
    });
  }

  /// What is kept at a command in front and behind, as bytes of the GLB.
  std::pair<std::uint32_t, std::uint32_t> kept_at(std::size_t at, const std::set<std::size_t>& placed) const {
    const std::uint32_t columns = dla_ifmap_columns(&machine_), bank = machine_.glb_bank_bytes;
    std::uint32_t front = 0, back = dla_column_bytes(&machine_);
    bool is_back = false;
    for (const std::size_t tensor : placed) {
      const Stay& stay = stays_[tensor];
      if (stay.first <= at && at <= stay.last) {
        (stay.is_behind ? back : front) =
            stay.is_behind ? std::min(back, stay.byte / bank * bank) : std::max(front, extent_of(stay, true).second);
        is_back = is_back || stay.is_behind;
      }
    }
    return {front * columns, is_back ? machine_.glb_bytes - back * columns : 0};
  }

  std::uint64_t kept_while(const Stay& stay, const std::set<std::size_t>& placed) const {
    std::uint64_t most = 0;
    for (std::size_t at = stay.first; at <= stay.last; ++at) {
      const auto [front, back] = kept_at(at, placed);
      most = std::max(most, std::uint64_t{front} + back);
    }
    return most;
  }

  /// Puts each tensor where the least of the GLB is kept while it lives: as far in front or behind as is free.
  /// \return a tensor that is to be left out, if there is no place, or a layer can't run beside what is kept.
  std::optional<std::size_t> place(const std::set<std::size_t>& chosen) {
    std::vector<std::size_t> order(chosen.begin(), chosen.end());
    std::ranges::stable_sort(order, {}, [&](std::size_t tensor) { return stays_[tensor].first; });
    std::set<std::size_t> placed;
    const std::uint32_t word = machine_.bus_bytes;
    for (const std::size_t tensor : order) {
      Stay& stay = stays_[tensor];
      std::optional<std::pair<std::uint64_t, Stay>> best;
      for (const bool is_behind : {false, true}) {
        stay.is_behind = is_behind;
        const std::uint32_t room = dla_column_bytes(&machine_) - stay.height_bytes;
        std::uint32_t moved = 0;
        for (; moved <= room; moved += word) {
          stay.byte = is_behind ? room / word * word - moved : moved;
          if (is_free(stay, placed)) {
            break;
          }
        }
        if (moved > room) {
          continue;
        }
        std::set<std::size_t> with = placed;
        with.insert(tensor);
        if (const std::uint64_t kept = kept_while(stay, with); !best || kept < best->first) {
          best.emplace(kept, stay);
        }
      }
      if (!best) {
        return tensor;
      }
      stay = best->second;
      placed.insert(tensor);
    }
    return find_misfit(placed);
  }

  /// Of what is kept at the first layer that can't run beside it, the largest.
  std::optional<std::size_t> find_misfit(const std::set<std::size_t>& placed) {
    for (std::size_t at = 0; at < uses_.size(); ++at) {
      std::set<std::size_t> there;
      std::optional<std::size_t> largest;
      for (const std::size_t tensor : placed) {
        if (stays_[tensor].first <= at && at <= stays_[tensor].last) {
          there.insert(tensor);
          largest = !largest || stays_[*largest].height_bytes < stays_[tensor].height_bytes ? tensor : *largest;
        }
      }
      const auto [front, back] = kept_at(at, placed);
      const bool is_crossed = std::uint64_t{front} + back > machine_.glb_bytes;
      if (largest && (is_crossed || !price(uses_[at], there, front + back))) {
        return largest;
      }
    }
    return std::nullopt;
  }

  ResidencyPlan plan_of(const std::set<std::size_t>& chosen) const {
    ResidencyPlan plan;
    for (std::size_t at = 0; at < uses_.size(); ++at) {
      std::set<std::size_t> there;
      for (const std::size_t tensor : chosen) {
        if (stays_[tensor].first <= at && at <= stays_[tensor].last) {
          there.insert(tensor);
        }
      }
      const auto [front, back] = kept_at(at, there);
      const LayerResidency where = residency_of(uses_[at], there, front, back);
      if (where.is_any()) {
        plan.emplace(network_.layers[uses_[at].layer].name, where);
      }
    }
    return plan;
  }

  const Network& network_;
  Mapper& mapper_;
  const dla_machine& machine_;
  std::vector<TensorBytes> bytes_;
  std::vector<Stay> stays_;
  std::vector<Uses> uses_;
  std::set<std::size_t> dropped_;
  std::map<std::tuple<std::size_t, bool, bool, bool, std::uint32_t>, std::optional<double>> prices_;
};

}  // namespace

ResidencyPlan plan_residency(const Network& network, Mapper& mapper) { return Planner(network, mapper).plan(); }

}  // namespace fovea
