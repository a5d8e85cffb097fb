// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the PE array computes, a pass at a time.
#include "convolution.h"

#include <algorithm>
#include <cstring>

#include "glb.h"
#include "row_arithmetic.h"
#include "spec/dla_output.h"

namespace fovea {

void Convolution::start_layer(const LayerPlan& plan, const uint8_t* glb, const uint8_t* table) {
  glb_ = glb;
  table_ = table;
  plan_ = plan;
  has_window_ = false;
}

void Convolution::load_filters(const dla_pass& pass, const FedSet& set) {
  const uint32_t segments = pass.extent.r * pass.extent.rows;
  const uint32_t word_bytes = dla_filter_word_bytes(&plan_.machine);
  const uint32_t pe_bytes = dla_ceil_div(pass.extent.p * pass.lengths.products, word_bytes) * word_bytes;
  depth_ = segments * pass.lengths.products;
  weights_.resize(pass.extent.filters * depth_);
  int16_t* weight = weights_.data();
  for (uint32_t filter = 0; filter < pass.extent.filters; ++filter) {
    const uint8_t* pe = set.bytes->data() + set.bias_bytes + set.scale_bytes +
                        filter / pass.extent.p * segments * pe_bytes + filter % pass.extent.p * pass.lengths.products;
    for (uint32_t segment = 0; segment < segments; ++segment, pe += pe_bytes) {
      weight = std::copy_n(reinterpret_cast<const int8_t*>(pe), pass.lengths.products, weight);
    }
  }
  biases_.assign(pass.extent.filters, 0);
  if (set.bias_bytes != 0) {
    std::memcpy(biases_.data(), set.bytes->data(), pass.extent.filters * sizeof(int32_t));
  }
  scales_.assign(pass.extent.filters, plan_.layer.quant.scale);
  for (uint32_t filter = 0; filter < (set.scale_bytes != 0 ? pass.extent.filters : 0); ++filter) {
    uint32_t bits;
    std::memcpy(&bits, set.bytes->data() + set.bias_bytes + filter * sizeof bits, sizeof bits);
    scales_[filter] = dla_stream_scale(bits);
  }
}

/// A row of a channel: in the pass's buffer, or where it lies on chip. \param channel  Counted in the buffer.
const uint8_t* Convolution::pixels_of(const dla_pass& pass, uint32_t channel, int32_t y) {
  const uint32_t W = plan_.layer.shape.W, bus_bytes = plan_.machine.bus_bytes;
  if (plan_.ifmap.on_chip) {
    row_.resize(W);
    read_on_chip(plan_.machine, glb_, dla_row_addr(&plan_.ifmap, channel, static_cast<uint32_t>(y)), row_);
    return row_.data();
  }
  const uint32_t align = (plan_.layer.ifmap_addr + pass.ifmap_offset + channel * plan_.ifmap.stride) % bus_bytes;
  const uint8_t* plane = glb_ + size_t{plan_.ifmap_word(pass.ifmap_word, channel)} * bus_bytes + align;
  return plane + static_cast<uint32_t>(y - pass.top) * W;
}

/// S rows of the window: filter row `row` of one channel, for every output pixel.
void Convolution::load_channel_row(const dla_pass& pass, uint32_t channel, uint32_t row, int16_t* window) {
  const dla_shape& s = plan_.layer.shape;
  const auto F = static_cast<int32_t>(plan_.passes.F), V = static_cast<int32_t>(s.V), W = static_cast<int32_t>(s.W);
  const auto zero_point = static_cast<int16_t>(plan_.layer.quant.ifmap_zero_point);
  for (uint32_t i = 0; i < pass.extent.e; ++i) {
    const int32_t y = pass.y + static_cast<int32_t>(i * s.U + row);
    if (y < 0 || y >= static_cast<int32_t>(s.H)) {
      continue;
    }
    const uint8_t* pixels = pixels_of(pass, channel, y);
    for (uint32_t column = 0; column < s.S; ++column) {
      const int32_t x0 = static_cast<int32_t>(column) - static_cast<int32_t>(s.pad_left);
      const int32_t first = x0 >= 0 ? 0 : (V - 1 - x0) / V;
      const int32_t end = W <= x0 ? 0 : std::min(F, (W - 1 - x0) / V + 1);
      int16_t* out = window + column * stride_ + i * F;
      for (int32_t f = first; f < end; ++f) {
        out[f] = static_cast<int16_t>(pixels[x0 + f * V] - zero_point);
      }
    }
  }
}

/// Blocks of channels in the window, those of a filter in each PE: PE sets, or groups.
uint32_t Convolution::window_blocks(const dla_pass& pass) {
  return pass.extent.C == 0 ? pass.extent.r : pass.extent.channels / pass.extent.C;
}

/// All filters take the whole window, or those of a group its part of it.
void Convolution::multiply(const dla_pass& pass, int32_t* psums) const {
  const bool is_whole = pass.extent.C == 0;
  const uint32_t turns = is_whole ? 1 : window_blocks(pass);
  const size_t filters = is_whole ? pass.extent.filters : plan_.layer.shape.M;
  for (size_t turn = 0; turn < turns; ++turn) {
    multiply_accumulate({window_.data() + turn * depth_ * stride_, weights_.data() + turn * filters * depth_,
                         psums + turn * filters * stride_, depth_, stride_, filters});
  }
}

void Convolution::load_window(const dla_pass& pass) {
  const WindowKey key = {pass.ifmap_load, pass.ifmap_channel, pass.fold_row0, pass.y};
  if (has_window_ && key == window_key_) {
    return;
  }
  window_key_ = key;
  has_window_ = true;
  const dla_shape& s = plan_.layer.shape;
  const uint32_t blocks = window_blocks(pass), channels = pass.lengths.products / s.S;
  window_.assign(blocks * pass.extent.rows * pass.lengths.products * stride_, 0);
  int16_t* window = window_.data();
  for (uint32_t block = 0; block < blocks; ++block) {
    for (uint32_t row = 0; row < pass.extent.rows; ++row) {
      for (uint32_t channel = block * channels; channel < (block + 1) * channels; ++channel, window += s.S * stride_) {
        if (channel < pass.extent.channels) {
          load_channel_row(pass, pass.ifmap_channel + channel, row, window);
        }
      }
    }
  }
}

void Convolution::compute(const dla_pass& pass, std::vector<uint8_t>& tile) {
  const size_t pixels = pass.extent.e * plan_.passes.F;
  stride_ = round_up_to_vector(pixels);
  load_window(pass);
  if (pass.psum_block >= psums_.size()) {
    psums_.resize(pass.psum_block + 1);
  }
  std::vector<int32_t>& psums = psums_[pass.psum_block];
  if (pass.first_k) {
    psums.resize(pass.extent.filters * stride_);
    for (uint32_t filter = 0; filter < pass.extent.filters; ++filter) {
      std::fill_n(&psums[filter * stride_], stride_, biases_[filter]);
    }
  }
  multiply(pass, psums.data());
  if (pass.last_k) {
    finish(pass, psums, tile);
  }
}

/// The psums of one filter of the pass to activations_.
void Convolution::requantize(uint32_t filter, const int32_t* psums, size_t count) {
  const dla_quant& quant = plan_.layer.quant;
  if (plan_.layer.shape.scaled) {
    scale_row(quant, scales_[filter], psums, count, activations_.data());
  } else {
    shift_row(quant, psums, count, activations_.data());
  }
  if (plan_.layer.shape.lookup) {
    std::transform(activations_.begin(), activations_.begin() + static_cast<std::ptrdiff_t>(count),
                   activations_.begin(), [this](uint8_t byte) { return table_[byte]; });
  }
}

void Convolution::finish(const dla_pass& pass, const std::vector<int32_t>& psums, std::vector<uint8_t>& tile) {
  const uint32_t F = plan_.passes.F, cols = plan_.passes.ofmap_cols;
  const dla_shape& s = plan_.layer.shape;
  const uint32_t rows = dla_pooled(&s, pass.extent.e);
  tile.resize(size_t{pass.extent.filters} * rows * cols);
  activations_.resize(stride_);
  for (uint32_t filter = 0; filter < pass.extent.filters; ++filter) {
    uint8_t* out = &tile[size_t{filter} * rows * cols];
    requantize(filter, &psums[filter * stride_], pass.extent.e * F);
    if (!s.pool) {
      std::memcpy(out, activations_.data(), size_t{rows} * cols);
      continue;
    }
    clear_padding(pass);
    for (uint32_t row = 0; row < rows; ++row) {
      pool_rows(s, &activations_[size_t{row} * dla_pool_stride(&s) * F], F, cols, out + size_t{row} * cols);
    }
  }
}

/// Makes activations of a pool's padding 0, which is larger than nothing.
void Convolution::clear_padding(const dla_pass& pass) {
  const dla_shape& s = plan_.layer.shape;
  const uint32_t F = plan_.passes.F, e = pass.extent.e;
  const auto clear = [&](uint32_t row, uint32_t first, uint32_t end) {
    std::fill(&activations_[size_t{row} * F + first], &activations_[size_t{row} * F + end], uint8_t{0});
  };
  const uint32_t rows_end = dla_unpooled_rows(&s) - s.pool_bottom, cols_end = dla_unpooled_cols(&s) - s.pool_right;
  for (uint32_t row = 0; row < e; ++row) {
    const uint32_t output_row = pass.output_row + row;
    if (output_row < s.pool_top || output_row >= rows_end) {
      clear(row, 0, F);
    } else if (s.pool_left != 0 || cols_end < F) {
      clear(row, 0, s.pool_left);
      clear(row, std::min(cols_end, F), F);
    }
  }
}

}  // namespace fovea
