// SPDX-License-Identifier: Apache-2.0
/// \file
/// Interprets the nests of random layers, on random data: their answers are those of a direct convolution, and their
/// units run as often as the schedule has loads and passes.
#include "loop_nest.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "loops/interpret.h"
#include "loops/nest_text.h"
#include "loops/verify_nest.h"
#include "mapping_space.h"
#include "spec/dla_output.h"
#include "spec/dla_schedule.h"
#include "spec/drawn_layers.h"

namespace fovea {
namespace {

/// A layer's inputs by their names, drawn, and what a direct convolution makes of them.
class LayerData {
 public:
  LayerData(const dla_shape& shape, unsigned seed) : s_(shape), random_(seed) {}

  /// Random values for an input of the nest.
  Tensor draw(const NestBuffer& buffer) {
    const ElementType element = buffer.type == StoredType::kUint8   ? ElementType::kUint8
                                : buffer.type == StoredType::kInt8  ? ElementType::kInt8
                                : buffer.type == StoredType::kInt32 ? ElementType::kInt32
                                                                    : ElementType::kFloat32;
    Tensor tensor({buffer.shape, element});
    for (std::size_t i = 0; i < static_cast<std::size_t>(count_elements(buffer.shape)); ++i) {
      if (element == ElementType::kFloat32) {
        tensor.set(i, buffer.name == "offset"       ? between(-80, 80) / 8.0
                      : buffer.name == "mean_ratio" ? between(1, 999) / 9999.0
                      : buffer.name != "scale"      ? between(1, 999) / 500.0
                      : s_.scaled                   ? between(1, 99) / 99000.0
                                                    : 1.0 / (1 << between(4, 14)));
      } else {
        const bool is_low = buffer.name == "lowest" || buffer.name == "sum_lowest";
        const bool is_high = buffer.name == "highest" || buffer.name == "sum_highest";
        tensor.set_integer(i, is_low ? between(0, 60) : is_high ? between(200, 255) : between(-9999, 9999));
      }
    }
    return tensors_.emplace(buffer.name, tensor).first->second;
  }

  /// The answer, by nothing but the shape and dla_output.h.
  Tensor compute(const Shape& shape) const {
    Tensor ofmap({shape, ElementType::kUint8});
    std::size_t place = 0;
    for (unsigned g = 0; g < dla_groups(&s_); ++g) {
      for (unsigned m = 0; m < s_.M; ++m) {
        if (s_.mean) {
          ofmap.set_integer(place++, mean(g, m));
          continue;
        }
        for (unsigned y = 0; y < shape[2]; ++y) {
          for (unsigned x = 0; x < shape[3]; ++x, ++place) {
            ofmap.set_integer(place, s_.residual ? with_residual(output(g, m, y, x), place) : pooled(g, m, y, x));
          }
        }
      }
    }
    return ofmap;
  }

 private:
  int between(int first, int last) {
    return first + static_cast<int>(random_() % static_cast<unsigned>(last - first + 1));
  }
  int64_t value(const std::string& name, std::size_t i = 0) const { return tensors_.at(name).integer_at(i); }
  float real(const std::string& name, std::size_t i = 0) const { return static_cast<float>(tensors_.at(name).at(i)); }

  int32_t convolved(unsigned g, unsigned m, unsigned e, unsigned f) const {
    const std::size_t filter = std::size_t{g} * s_.M + m;
    auto psum = static_cast<int32_t>(value("bias", filter));
    for (unsigned c = 0; c < s_.C; ++c) {
      for (unsigned r = 0; r < s_.R; ++r) {
        for (unsigned s = 0; s < s_.S; ++s) {
          const int y = static_cast<int>(e * s_.U + r) - static_cast<int>(s_.pad_top);
          const int x = static_cast<int>(f * s_.V + s) - static_cast<int>(s_.pad_left);
          if (y < 0 || x < 0 || y >= static_cast<int>(s_.H) || x >= static_cast<int>(s_.W)) {
            continue;  // Padding is the zero point.
          }
          const std::size_t at =
              ((std::size_t{g} * s_.C + c) * s_.H + static_cast<unsigned>(y)) * s_.W + static_cast<unsigned>(x);
          psum += static_cast<int32_t>((value("ifmap", at) - value("ifmap_zero")) *
                                       value("filter", ((filter * s_.C + c) * s_.R + r) * s_.S + s));
        }
      }
    }
    return psum;
  }

  uint8_t output(unsigned g, unsigned m, unsigned e, unsigned f) const {
    dla_quant quant{};
    quant.ofmap_zero_point = static_cast<uint8_t>(value("ofmap_zero"));
    quant.lowest = static_cast<uint8_t>(value("lowest"));
    quant.headroom = static_cast<uint8_t>(255 - value("highest"));
    const float scale = real("scale", s_.filter_scales ? g * s_.M + m : 0);
    for (float power = 1; !s_.scaled && power > scale; power /= 2) {
      ++quant.shift;
    }
    const uint8_t byte = dla_output(convolved(g, m, e, f), &quant, s_.scaled, scale);
    return s_.lookup ? static_cast<uint8_t>(value("table", byte)) : byte;
  }

  uint8_t pooled(unsigned g, unsigned m, unsigned y, unsigned x) const {
    uint8_t largest = 0;
    for (unsigned a = 0; a < dla_pool_size(&s_); ++a) {
      for (unsigned b = 0; b < dla_pool_size(&s_); ++b) {
        const unsigned e = y * dla_pool_stride(&s_) + a, f = x * dla_pool_stride(&s_) + b;
        if (e >= s_.pool_top && f >= s_.pool_left && e < dla_unpooled_rows(&s_) - s_.pool_bottom &&
            f < dla_unpooled_cols(&s_) - s_.pool_right) {
          largest = std::max(largest, output(g, m, e, f));
        }
      }
    }
    return largest;
  }

  dla_quant sum_quant() const {
    dla_quant quant{};
    quant.sum_lowest = static_cast<uint8_t>(value("sum_lowest"));
    quant.sum_headroom = static_cast<uint8_t>(255 - value("sum_highest"));
    return quant;
  }

  uint8_t with_residual(uint8_t output, std::size_t place) const {
    dla_quant quant = sum_quant();
    quant.conv_scale = real("output_ratio");
    quant.residual_scale = real("residual_ratio");
    quant.sum_offset = real("offset");
    return dla_add_residual(output, static_cast<uint8_t>(value("residual", place)), &quant);
  }

  uint8_t mean(unsigned g, unsigned m) const {
    dla_quant quant = sum_quant();
    quant.conv_scale = real("mean_ratio");
    quant.mean_zero_point = static_cast<uint8_t>(value("mean_zero"));
    int32_t sum = 0;
    for (unsigned e = 0; e < dla_computed_rows(&s_); ++e) {
      for (unsigned f = 0; f < dla_computed_cols(&s_); ++f) {
        sum += static_cast<int32_t>(output(g, m, e, f) - value("ofmap_zero"));
      }
    }
    return dla_mean_output(sum, &quant);
  }

  const dla_shape s_;
  std::mt19937 random_;
  std::map<std::string, Tensor> tensors_;
};

/// How often each unit runs, by the schedule that driver and models follow.
std::map<std::string, int> count_scheduled(const Drawn& d) {
  std::map<std::string, int> counts;
  dla_schedule schedule;
  dla_schedule_begin(&d.machine, &d.shape, &d.mapping, &schedule);
  for (dla_schedule_item item = dla_schedule_next(&schedule); item != kDlaItemEnd;
       item = dla_schedule_next(&schedule)) {
    if (item == kDlaItemPass) {
      ++counts["array"];
      counts["store"] += schedule.pass.last_k ? 1 : 0;
      counts["feed"] += schedule.pass.new_set ? 1 : 0;
    }
    counts["load_filter"] += item == kDlaItemFilterLoad ? 1 : 0;
    counts["load_residual"] += item == kDlaItemResidualLoad ? 1 : 0;
    counts["load_table"] += item == kDlaItemTableLoad ? 1 : 0;
    counts["load_ifmap"] += item == kDlaItemIfmapLoad && !d.mapping.ifmap_resident ? 1 : 0;
  }
  return counts;
}

std::vector<Drawn> small_layers(std::size_t most, unsigned seed) {
  std::vector<Drawn> all;
  for (const Drawn& d : draw_legal(seed, 4000)) {
    const dla_passes passes = dla_derive_passes(&d.machine, &d.shape, &d.mapping);
    const dla_shape& s = d.shape;
    const std::uint64_t macs = std::uint64_t{dla_groups(&s)} * s.M * s.C * s.R * s.S * passes.E * passes.F;
    if (macs <= 20'000 && d.mapping.m <= most_filters(d.machine, s, d.mapping) && all.size() < most) {
      all.push_back(d);
    }
  }
  return all;
}

TEST(LoopNest, ComputesTheLayer) {
  const std::vector<Drawn> layers = small_layers(200, 51);
  ASSERT_GT(layers.size(), 100u);
  for (const Drawn& d : layers) {
    const Nest built = layer_nest(d.machine, d.shape, d.mapping);
    const std::string text = to_text(built);
    SCOPED_TRACE(text);
    ASSERT_NO_THROW(verify_nest(built));
    const Nest nest = parse_nest(text, "layer");
    ASSERT_EQ(to_text(nest), text);
    ASSERT_NO_THROW(verify_nest(nest));
    LayerData data(d.shape, 7);
    std::vector<Tensor> inputs;
    Shape ofmap;
    for (const NestBuffer& buffer : nest.buffers) {
      if (buffer.scope == MemoryScope::kInput) {
        inputs.push_back(data.draw(buffer));
      } else if (buffer.scope == MemoryScope::kOutput) {
        ofmap = buffer.shape;
      }
    }
    std::vector<const Tensor*> pointers;
    for (const Tensor& each : inputs) {
      pointers.push_back(&each);
    }
    std::map<std::string, int> counts = count_scheduled(d), units;
    const Tensor result =
        interpret(nest, pointers, {ofmap, ElementType::kUint8}, [&](const std::string& unit) { ++units[unit]; });
    ASSERT_EQ(result, data.compute(ofmap));
    units.erase("pool");
    units["load_ifmap"] *= d.mapping.ifmap_resident ? 0 : 1;
    for (const auto& [unit, count] : counts) {
      ASSERT_EQ(units[unit], count) << unit;
    }
  }
}

TEST(LoopNest, OfAnySizeStaysInsideOfItsBuffersAndOfTheArray) {
  for (const Drawn& d : draw_legal(52, 400)) {
    const Nest nest = layer_nest(d.machine, d.shape, d.mapping);
    EXPECT_NO_THROW(verify_nest(nest)) << to_text(nest);
    for (const NestBuffer& buffer : nest.buffers) {
      if (buffer.name == "spad_psum") {
        EXPECT_LE(count_elements(buffer.shape), d.machine.rows * d.machine.cols) << to_text(nest);
      }
    }
  }
}

}  // namespace
}  // namespace fovea
