// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random chains of layers, and the commands that run them.
#include "chain.h"

#include <algorithm>
#include <numeric>

#include "bench/direct_convolution.h"
#include "spec/dla_planes.h"
#include "spec/dla_schedule.h"
#include "spec/dla_slice.h"

namespace fovea {

namespace {

constexpr uint64_t kMostMacs = 150'000;

uint32_t round_up(uint32_t number, uint32_t to) { return (number + to - 1) / to * to; }

ChainTensor output_of(const dla_shape& s) {
  return {dla_groups(&s) * s.M, dla_pooled(&s, dla_unpooled_rows(&s)), dla_pooled(&s, dla_unpooled_cols(&s))};
}

bool is_legal(const dla_shape& s) {
  if (s.R > dla_padded_rows(&s) || s.S > dla_padded_cols(&s)) {
    return false;
  }
  const uint32_t window = dla_pool_size(&s);
  return dla_unpooled_rows(&s) >= window && dla_unpooled_cols(&s) >= window && count_unpooled_macs(s) <= kMostMacs;
}

/// No row or column of windows is wholly padding.
void draw_window(RandomLayers& random, dla_shape& s) {
  s.R = random.between(1, 5);
  s.S = random.between(1, 5);
  s.U = s.V = random.one_in(3) ? 2 : 1;
  s.pad_top = random.between(0, s.R / 2);
  s.pad_bottom = random.between(0, s.R / 2);
  s.pad_left = random.between(0, s.S / 2);
  s.pad_right = random.between(0, s.S / 2);
}

void draw_pool(RandomLayers& random, dla_shape& s) {
  constexpr uint32_t kStrides[] = {0, 1, 3};
  s.pool = true;
  s.pool_size = random.one_in(2) ? 3 : 0;
  s.pool_stride = kStrides[random.between(0, 2)];
}

/// Tensors that a layer behind the last one may add to an output as large as its ifmap. An ifmap on chip is read there
/// alone.
std::vector<uint32_t> addends(const std::vector<ChainTensor>& tensors) {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    const bool is_as_large = tensors[i].rows == tensors.back().rows && tensors[i].cols == tensors.back().cols;
    if (is_as_large && (i == 0 || i + 1 != tensors.size())) {
      found.push_back(i);
    }
  }
  return found;
}

Chain::Layer draw_layer(RandomLayers& random, const std::vector<ChainTensor>& tensors) {
  const ChainTensor& ifmap = tensors.back();
  for (;;) {
    Chain::Layer layer;
    dla_shape s{};
    s.C = ifmap.channels;
    s.H = ifmap.rows;
    s.W = ifmap.cols;
    s.M = random.between(1, 12);
    draw_window(random, s);
    const uint32_t kind = random.between(0, 4);
    const std::vector<uint32_t> added = addends(tensors);
    if (kind == 1) {
      s.G = s.C;
      s.C = s.M = 1;
    } else if (kind == 2) {
      draw_pool(random, s);
    } else if (kind >= 3 && !added.empty()) {
      s.R = s.S = 3;
      s.U = s.V = s.pad_top = s.pad_left = s.pad_bottom = s.pad_right = 1;
      s.residual = true;
      layer.residual = added[random.between(0, static_cast<uint32_t>(added.size() - 1))];
      s.M = tensors[*layer.residual].channels;
    }
    random.draw_requantization(s);
    if (is_legal(s)) {
      layer.test = random.draw_data(s);
      return layer;
    }
  }
}

/// Rows of an ifmap that rows `first` to `end` - 1 of the ofmap are made of, and the padding beside them.
struct NeededRows {
  uint32_t first, end, above, below;
};

NeededRows needed_rows(const dla_shape& s, uint32_t first, uint32_t end) {
  const uint32_t stride = dla_pool_stride(&s), size = dla_pool_size(&s);
  const auto top = static_cast<int>(first * stride * s.U) - static_cast<int>(s.pad_top);
  const auto bottom = static_cast<int>(((end - 1) * stride + size - 1) * s.U + s.R) - static_cast<int>(s.pad_top);
  const int H = static_cast<int>(s.H);
  const auto count = [](int rows) { return static_cast<uint32_t>(std::max(rows, 0)); };
  return {count(top), static_cast<uint32_t>(std::min(bottom, H)), count(-top), count(bottom - H)};
}

/// Which rows of each tensor are there after each strip: all up to an end.
class Strips {
 public:
  Strips(const Chain& chain, uint32_t strip_rows) : chain_(chain) {
    const uint32_t rows = chain.tensors.back().rows;
    for (uint32_t end = 0; end < rows;) {
      end = std::min(end + strip_rows, rows);
      add(end);
    }
  }

  uint32_t count() const { return static_cast<uint32_t>(ends_.size()); }

  /// Rows of a tensor before a strip, and after it.
  uint32_t begin(uint32_t strip, uint32_t tensor) const { return strip == 0 ? 0 : ends_[strip - 1][tensor]; }
  uint32_t end(uint32_t strip, uint32_t tensor) const { return ends_[strip][tensor]; }

  /// Rows that a tensor's planes need: from the first one that is read after a strip, or written in it, to the end.
  uint32_t most_rows(uint32_t tensor) const {
    uint32_t most = 0;
    for (uint32_t strip = 0; strip < count(); ++strip) {
      most = std::max(most, end(strip, tensor) - std::min(begin(strip, tensor), first_read(strip, tensor)));
    }
    return most;
  }

 private:
  void add(uint32_t last_end) {
    std::vector<uint32_t> ends(chain_.tensors.size(), 0);
    ends.back() = last_end;
    const uint32_t strip = count();
    ends_.push_back(ends);
    for (auto tensor = static_cast<uint32_t>(ends.size() - 1); tensor-- > 1;) {
      ends_[strip][tensor] = begin(strip, tensor);
      for_readers(strip, tensor, [&](uint32_t, uint32_t rows_end) {
        ends_[strip][tensor] = std::max(ends_[strip][tensor], rows_end);
      });
    }
  }

  /// Calls visit(first, end) for what each reader of a tensor reads in a strip.
  template <class Visit>
  void for_readers(uint32_t strip, uint32_t tensor, Visit visit) const {
    for (uint32_t layer = tensor; layer < chain_.layers.size(); ++layer) {
      const uint32_t first = begin(strip, layer + 1), last = end(strip, layer + 1);
      if (first == last) {
        continue;
      }
      if (layer == tensor) {
        const NeededRows rows = needed_rows(chain_.layers[layer].test.layer.shape, first, last);
        visit(rows.first, rows.end);
      }
      if (chain_.layers[layer].residual == tensor) {
        visit(first, last);
      }
    }
  }

  /// The first row that is read in a strip or later.
  uint32_t first_read(uint32_t strip, uint32_t tensor) const {
    uint32_t first = UINT32_MAX;
    for (; strip < count(); ++strip) {
      for_readers(strip, tensor, [&](uint32_t from, uint32_t) { first = std::min(first, from); });
    }
    return first;
  }

  const Chain& chain_;
  std::vector<std::vector<uint32_t>> ends_;  ///< By strip and tensor.
};

class Planner {
 public:
  Planner(const dla_machine& machine, RandomLayers& random, const Chain& chain, uint32_t strip_rows)
      : machine_(machine), random_(random), chain_(chain), strips_(chain, strip_rows) {}

  std::optional<ChainPlan> plan() {
    if (!place_tensors()) {
      return std::nullopt;
    }
    taken_ = plan_.kept;
    filters_.resize(chain_.layers.size());
    for (auto& filters : filters_) {
      filters.may_stay = random_.one_in(2);
    }
    for (uint32_t strip = 0; strip < strips_.count(); ++strip) {
      for (uint32_t layer = 0; layer < chain_.layers.size(); ++layer) {
        const uint32_t first = strips_.begin(strip, layer + 1), end = strips_.end(strip, layer + 1);
        if (first != end && !add_command(layer, first, end)) {
          return std::nullopt;
        }
      }
    }
    return plan_;
  }

 private:
  /// A layer's filters: its first command leaves them to the others.
  struct StayingFilters {
    bool may_stay = false;
    std::optional<dla_mapping> mapping;  ///< Once they are there.
    dla_region region{};
  };

  /// Rows of a tensor that are whole words.
  uint32_t word_rows(uint32_t tensor) const {
    return machine_.bus_bytes / std::gcd(chain_.tensors[tensor].cols, machine_.bus_bytes);
  }

  uint32_t last() const { return static_cast<uint32_t>(chain_.tensors.size() - 1); }

  /// Each tensor on chip has banks of its own, all in front of the GLB or at its end. \return whether they fit.
  bool place_tensors() {
    const uint32_t bank = machine_.glb_bank_bytes, columns = dla_ifmap_columns(&machine_);
    const uint32_t rows = dla_column_bytes(&machine_) / bank;
    uint32_t used = 0;
    for (uint32_t tensor = 0; tensor <= last(); ++tensor) {
      const uint32_t step = word_rows(tensor);
      ChainPlace place;
      if (tensor == 0 || tensor == last()) {
        place.addr = tensor == 0 ? ChainPlan::kGiven : ChainPlan::kMade;
        place.plane_rows = round_up(chain_.tensors[tensor].rows, step);
      } else {
        place.on_chip = true;
        place.plane_rows = round_up(strips_.most_rows(tensor), step);
        place.turn = step * random_.between(0, place.plane_rows / step - 1);
        const uint32_t column = random_.one_in(2) ? 0 : random_.between(0, columns - 1);
        place.addr = column << kDlaColumnLsb | used * bank;
        const uint32_t stride = place.plane_rows * chain_.tensors[tensor].cols;
        used += (dla_ceil_div(column + chain_.tensors[tensor].channels, columns) * stride + bank - 1) / bank;
      }
      plan_.places.push_back(place);
    }
    if (used > rows) {
      return false;
    }
    const uint32_t first = random_.one_in(2) ? rows - used : 0;
    for (uint32_t tensor = 1; tensor < last(); ++tensor) {
      plan_.places[tensor].addr += first * bank;
    }
    plan_.kept = {first * bank * columns, used * bank * columns};
    return true;
  }

  /// Where a command finds rows of a tensor from `row` on.
  struct Rows {
    bool on_chip;
    uint32_t addr, plane_rows, first_row;
  };

  Rows rows_from(uint32_t tensor, uint32_t row) const {
    const ChainPlace& place = plan_.places[tensor];
    return place.on_chip ? Rows{true, place.addr, place.plane_rows, (place.turn + row) % place.plane_rows}
                         : Rows{false, place.addr + row * chain_.tensors[tensor].cols, place.plane_rows, 0};
  }

  /// The command that makes rows `first` to `end` - 1 of a layer's ofmap. \return whether a mapping was found.
  bool add_command(uint32_t number, uint32_t first, uint32_t end) {
    const Chain::Layer& of = chain_.layers[number];
    LayerCase command = of.test;
    dla_layer& layer = command.layer;
    dla_shape& s = layer.shape;
    const NeededRows needed = needed_rows(s, first, end);
    s.H = needed.end - needed.first;
    s.pad_top = needed.above;
    s.pad_bottom = needed.below;
    const Rows ifmap = rows_from(number, needed.first), ofmap = rows_from(number + 1, first);
    s.ifmap_on_chip = ifmap.on_chip;
    s.ifmap_plane_rows = ifmap.plane_rows;
    s.ifmap_first_row = ifmap.first_row;
    layer.ifmap_addr = ifmap.addr;
    s.ofmap_on_chip = ofmap.on_chip;
    s.ofmap_plane_rows = ofmap.plane_rows;
    s.ofmap_first_row = ofmap.first_row;
    layer.ofmap_addr = ofmap.addr;
    if (of.residual) {
      const Rows residual = rows_from(*of.residual, first);
      s.residual_on_chip = residual.on_chip;
      s.residual_plane_rows = residual.plane_rows;
      s.residual_first_row = residual.first_row;
      layer.residual_addr = residual.addr;
    }
    if (!map(number, layer)) {
      return false;
    }
    plan_.commands.push_back(std::move(command));
    return true;
  }

  /// Gives a command its mapping and regions. \return whether some were found.
  bool map(uint32_t number, dla_layer& layer) {
    StayingFilters& filters = filters_[number];
    if (filters.mapping) {
      layer.mapping = dla_fit_rows(&layer.shape, &*filters.mapping);
      layer.shape.filters_on_chip = true;
      if (!random_.place_mapping_of(layer, taken_)) {
        return false;
      }
      layer.glb.filter = filters.region;
      ++plan_.staying;
      return true;
    }
    if (!random_.draw_mapping_of(layer, taken_)) {
      return false;
    }
    if (filters.may_stay) {
      keep_filters(layer, filters);
    }
    return true;
  }

  /// Moves the filters beside what is kept, where their buffers hold all chunks: they are kept too from now on. Strips
  /// behind the first may have more rows.
  void keep_filters(dla_layer& layer, StayingFilters& filters) {
    const dla_passes passes = dla_derive_passes(&machine_, &layer.shape, &layer.mapping);
    dla_layer moved = layer;
    moved.mapping.stay = std::max(layer.mapping.stay, 1u);
    const uint32_t end = taken_.base_bytes + taken_.size_bytes, size = layer.glb.filter.size_bytes;
    const bool is_behind = machine_.glb_bytes - end >= taken_.base_bytes;
    dla_region kept = {is_behind ? taken_.base_bytes : taken_.base_bytes - std::min(size, taken_.base_bytes),
                       taken_.size_bytes + size};
    if (layer.shape.lookup || dla_filter_chunks(&layer.shape, &layer.mapping, &passes) > layer.mapping.filter_buffers ||
        !random_.place_mapping_of(moved, kept)) {
      return;
    }
    moved.glb.filter.base_bytes = is_behind ? end : kept.base_bytes;
    if (dla_check_layer(&machine_, &moved) != kDlaErrorNone) {
      return;
    }
    layer = moved;
    taken_ = kept;
    filters.mapping = layer.mapping;
    filters.region = layer.glb.filter;
  }

  const dla_machine& machine_;
  RandomLayers& random_;
  const Chain& chain_;
  const Strips strips_;
  ChainPlan plan_;
  std::vector<StayingFilters> filters_;  ///< By layer.
  dla_region taken_{};                   ///< Banks of tensors on chip, and of filters that stay.
};

}  // namespace

Chain draw_chain(RandomLayers& random) {
  Chain chain;
  chain.tensors.push_back({random.between(1, 12), random.between(8, 30), random.between(4, 16)});
  std::vector<std::vector<uint8_t>> made(1);
  const uint32_t count = random.between(2, 4);
  for (uint32_t i = 0; i < count; ++i) {
    Chain::Layer layer = draw_layer(random, chain.tensors);
    LayerCase& test = layer.test;
    if (i == 0) {
      made[0] = test.ifmap;
    }
    test.ifmap = made[i];
    if (layer.residual) {
      test.residual = made[*layer.residual];
    }
    made.push_back(convolve_directly(test));
    chain.tensors.push_back(output_of(test.layer.shape));
    chain.layers.push_back(std::move(layer));
  }
  return chain;
}

std::optional<ChainPlan> plan_chain(const dla_machine& machine, RandomLayers& random, const Chain& chain,
                                    uint32_t strip_rows) {
  return Planner(machine, random, chain, strip_rows).plan();
}

}  // namespace fovea
