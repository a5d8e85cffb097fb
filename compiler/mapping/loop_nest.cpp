// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes the loops of a mapping outermost first. Letters are those of sim/spec/README.md.
#include "loop_nest.h"

#include <algorithm>
#include <vector>

#include "loops/index_arithmetic.h"
#include "loops/nest_builder.h"
#include "spec/dla_schedule.h"

namespace fovea {
namespace {

constexpr int kNone = -1;  ///< No such buffer.

class LayerNest {
 public:
  LayerNest(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping)
      : s_(shape),
        m_(mapping),
        passes_(dla_derive_passes(&machine, &shape, &mapping)),
        groups_(dla_groups(&shape)),
        shared_(dla_shared_rows(&shape)),
        row_tile_(std::min(mapping.e_glb, passes_.E)),
        strip_(std::min(mapping.e, row_tile_)),
        channels_(mapping.g == 0 ? mapping.q * mapping.r : mapping.q * mapping.t),
        sets_(mapping.g == 0 ? mapping.r : mapping.t),
        staying_(passes_.e_tiles == 1 ? 0 : dla_staying_chunks(&shape, &mapping, &passes_)),
        chunks_(dla_filter_chunks(&shape, &mapping, &passes_)) {}

  Nest build() {
    declare_tensors();
    declare_buffers();
    if (s_.lookup) {
      load_table();
    }
    e0_ = nest_.loop("e0", passes_.E - shared_, row_tile_ - shared_);
    g0_ = nest_.loop("g0", groups_, holds_groups() ? std::int64_t{m_.g} * m_.t : 1);
    if (m_.ifmap_resident) {
      load_ifmap(s_.C);
    }
    m0_ = nest_.loop("m0", holds_groups() ? 1 : s_.M, m_.m);
    c0_ = nest_.loop("c0", holds_groups() ? 1 : s_.C, channels_);
    if (!m_.ifmap_resident) {
      load_ifmap(channels_);
    }
    r0_ = nest_.loop("r0", s_.R, passes_.fold_rows);
    m1_ = nest_.loop("m1", holds_groups() ? 1 : std::min(m_.m, s_.M), pass_filters());
    nest_.only_where({sum(m0_, m1_) < index_number(s_.M)});
    load_filters();
    feed();
    e1_ = nest_.loop("e1", row_tile_ - shared_, strip_ - shared_);
    nest_.only_where({sum(e0_, e1_) < index_number(passes_.E - shared_)});
    array();
    end_of_pass();
    return nest_.take();
  }

 private:
  bool holds_groups() const { return m_.g != 0; }
  std::int64_t pass_filters() const { return std::int64_t{m_.p} * m_.t; }

  int scalar(const std::string& name, StoredType type) { return nest_.buffer(name, MemoryScope::kInput, type); }

  void declare_tensors() {
    const auto input = [&](const std::string& name, StoredType type, Shape shape) {
      return nest_.buffer(name, MemoryScope::kInput, type, std::move(shape));
    };
    const std::int64_t rows = s_.mean ? 1 : passes_.ofmap_rows, cols = s_.mean ? 1 : passes_.ofmap_cols;
    ifmap_ = input("ifmap", StoredType::kUint8, {groups_, s_.C, s_.H, s_.W});
    filter_ = input("filter", StoredType::kInt8, {groups_, s_.M, s_.C, s_.R, s_.S});
    bias_ = input("bias", StoredType::kInt32, {groups_, s_.M});
    ifmap_zero_ = scalar("ifmap_zero", StoredType::kUint8);
    ofmap_zero_ = scalar("ofmap_zero", StoredType::kUint8);
    lowest_ = scalar("lowest", StoredType::kUint8);
    highest_ = scalar("highest", StoredType::kUint8);
    scale_ = input("scale", StoredType::kFloat32, s_.filter_scales ? Shape{groups_, s_.M} : Shape{});
    if (s_.lookup) {
      table_ = input("table", StoredType::kUint8, {DLA_TABLE_BYTES});
    }
    if (s_.residual) {
      residual_ = input("residual", StoredType::kUint8, {groups_, s_.M, rows, cols});
      output_ratio_ = scalar("output_ratio", StoredType::kFloat32);
      residual_ratio_ = scalar("residual_ratio", StoredType::kFloat32);
      offset_ = scalar("offset", StoredType::kFloat32);
    }
    if (s_.mean) {
      mean_ratio_ = scalar("mean_ratio", StoredType::kFloat32);
      mean_zero_ = scalar("mean_zero", StoredType::kUint8);
    }
    if (s_.residual || s_.mean) {
      sum_lowest_ = scalar("sum_lowest", StoredType::kUint8);
      sum_highest_ = scalar("sum_highest", StoredType::kUint8);
    }
    ofmap_ = nest_.buffer("ofmap", MemoryScope::kOutput, StoredType::kUint8, {groups_, s_.M, rows, cols});
  }

  void declare_buffers() {
    const auto glb = [&](const std::string& name, StoredType type, Shape shape) {
      return nest_.buffer("glb_" + name, MemoryScope::kGlb, type, std::move(shape));
    };
    const auto spad = [&](const std::string& name, StoredType type, Shape shape) {
      return nest_.buffer("spad_" + name, MemoryScope::kSpad, type, std::move(shape));
    };
    const std::int64_t rows = std::min(s_.H, (row_tile_ - 1) * s_.U + s_.R), filter_channels = dla_filter_channels(&m_);
    const std::int64_t copies = m_.ifmap_resident ? 1 : 2, channels = m_.ifmap_resident ? s_.C : channels_;
    glb_ifmap_ = glb("ifmap", StoredType::kUint8, {copies, channels, rows, s_.W});
    const std::int64_t t = m_.t, r = m_.r, p = m_.p, fold = passes_.fold_rows, e = strip_, F = passes_.F;
    const std::int64_t buffers = m_.filter_buffers;
    glb_filter_ = glb("filter", StoredType::kInt8, {buffers, t, r, fold, p, filter_channels, s_.S});
    glb_bias_ = glb("bias", StoredType::kInt32, {buffers, t, p});
    if (s_.filter_scales) {
      glb_scale_ = glb("scale", StoredType::kFloat32, {buffers, t, p});
    }
    if (passes_.psum_bytes != 0) {
      const std::int64_t blocks = holds_groups() ? 1 : ceil_div(std::min(m_.m, s_.M), pass_filters());
      glb_psum_ = glb("psum", StoredType::kInt32, {blocks, count_strips(), t, p, e, F});
    }
    glb_ofmap_ = glb("ofmap", StoredType::kUint8, {2, t, p, dla_pooled(&s_, strip_), passes_.ofmap_cols});
    if (s_.residual) {
      glb_residual_ = glb("residual", StoredType::kUint8, {2, t, p, e, F});
    }
    spad_ifmap_ = spad("ifmap", StoredType::kUint8, {sets_, fold, e, m_.q, s_.S});
    spad_filter_ = spad("filter", StoredType::kInt8, {t, r, fold, p, filter_channels, s_.S});
    spad_psum_ = spad("psum", StoredType::kInt32, {t, r, fold, e});
    const auto own = [&](const std::string& name, StoredType type, Shape shape = {}) {
      return nest_.buffer(name, MemoryScope::kRegister, type, std::move(shape));
    };
    psum_ = own("psum", StoredType::kInt32);
    if (s_.lookup) {
      lookup_ = own("lookup", StoredType::kUint8, {DLA_TABLE_BYTES});
    }
    if (s_.pool) {
      outputs_ = own("outputs", StoredType::kUint8, {t, p, e, F});
      largest_ = own("largest", StoredType::kUint8);
    }
    if (s_.mean) {
      total_ = own("total", StoredType::kInt32);
    }
  }

  static std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
  std::int64_t count_strips() const { return ceil_div(row_tile_ - shared_, strip_ - shared_); }

  void load_table() {
    const std::size_t outside = begin("load_table");
    const Expression i = nest_.loop("i", DLA_TABLE_BYTES);
    nest_.store(lookup_, {i}, nest_.at(table_, {i}));
    nest_.close_to(outside);
  }

  /// Opens a unit. \return the depth to close it to.
  std::size_t begin(const std::string& unit) {
    const std::size_t outside = nest_.depth();
    nest_.unit(unit);
    return outside;
  }

  /// Channel `local` of those that the array sees at once, as group and channel of the tensors.
  std::vector<Expression> channel(const Expression& local) const {
    return holds_groups() ? std::vector{sum(g0_, quotient(local, s_.C)), remainder(local, s_.C)}
                          : std::vector{g0_, sum(c0_, local)};
  }

  /// The first ifmap row of the row tile that is there.
  Expression first_row() const {
    const Expression top = difference(product(e0_, s_.U), index_number(s_.pad_top));
    return number_in(top) ? index_number(std::clamp<std::int64_t>(*number_in(top), 0, s_.H - 1))
                          : minimum(maximum(top, index_number(0)), index_number(s_.H - 1));
  }

  Expression ifmap_copy() const {
    return m_.ifmap_resident ? index_number(0)
           : holds_groups()  ? remainder(quotient(g0_, std::int64_t{m_.g} * m_.t), 2)
                             : remainder(quotient(c0_, channels_), 2);
  }

  void load_ifmap(std::int64_t channels) {
    const std::size_t outside = begin("load_ifmap");
    const std::int64_t rows = std::min(s_.H, (row_tile_ - 1) * s_.U + s_.R);
    const Expression c = nest_.loop("c", channels), y = nest_.loop("y", rows), x = nest_.loop("x", s_.W);
    std::vector<Expression> from =
        m_.ifmap_resident ? std::vector{g0_, c} : channel(c);  // Resident, it is loaded around the loop over channels.
    const Expression row = sum(first_row(), y);
    nest_.only_where({from[0] < index_number(groups_), from[1] < index_number(s_.C), row < index_number(s_.H)});
    from.insert(from.end(), {row, x});
    nest_.store(glb_ifmap_, {ifmap_copy(), c, y, x}, nest_.at(ifmap_, from));
    nest_.close_to(outside);
  }

  /// Filter `p` of PE set `t`, as group and filter of the tensors.
  std::vector<Expression> filter(const Expression& t, const Expression& p) const {
    return holds_groups() ? std::vector{sum(g0_, sum(product(t, m_.g), quotient(p, s_.M))), remainder(p, s_.M)}
                          : std::vector{g0_, sum(m0_, sum(m1_, sum(product(t, m_.p), p)))};
  }

  /// That there is such a filter, in the filter tile.
  std::vector<Expression> is_filter(const Expression& t, const Expression& p) const {
    const std::vector<Expression> of = filter(t, p);
    if (holds_groups()) {
      return {of[0] < index_number(groups_)};
    }
    const Expression in_tile = sum(m1_, sum(product(t, m_.p), p));
    return {in_tile < index_number(std::min(m_.m, s_.M)), of[1] < index_number(s_.M)};
  }

  /// Number of the filter chunk, of those of a row tile.
  Expression chunk_number() const {
    const Expression fold = quotient(r0_, passes_.fold_rows);
    if (holds_groups()) {
      return sum(product(quotient(g0_, std::int64_t{m_.g} * m_.t), passes_.folds), fold);
    }
    const std::int64_t tile = std::min(m_.m, s_.M), in_pass = pass_filters(), full = ceil_div(tile, in_pass);
    const std::int64_t turns = std::int64_t{passes_.c_chunks} * passes_.folds;
    const Expression turn = sum(product(quotient(c0_, channels_), passes_.folds), fold);
    const bool all_full = s_.M % tile == 0;
    const Expression left = difference(index_number(s_.M), m0_);
    const Expression here =
        all_full ? product(turn, full)
                 : turn * quotient(sum(minimum(index_number(tile), left), index_number(in_pass - 1)), in_pass);
    const Expression before =
        sum(product(g0_, static_cast<std::int64_t>(chunks_) / groups_), product(quotient(m0_, tile), turns * full));
    return sum(sum(before, here), quotient(m1_, in_pass));
  }

  /// Which buffer the filter chunk has: of those that stay, one of its own; others take turns on the rest.
  Expression filter_buffer() const {
    const Expression number = chunk_number();
    const std::int64_t buffers = m_.filter_buffers, staying = static_cast<std::int64_t>(staying_);
    if (staying == 0 || staying_ == chunks_) {
      return remainder(number, buffers);
    }
    const Expression turn = sum(index_number(staying), remainder(number - index_number(staying), buffers - staying));
    return select(number < index_number(staying), minimum(number, index_number(staying - 1)), turn);
  }

  /// That a pass ends in the output.
  std::vector<Expression> is_last() const {
    std::vector<Expression> all{index_number(s_.R - 1) < sum(r0_, index_number(passes_.fold_rows))};
    if (!holds_groups()) {
      all.push_back(index_number(s_.C - 1) < sum(c0_, index_number(channels_)));
    }
    return all;
  }

  void load_filters() {
    const std::size_t outside = nest_.depth();
    buffer_ = filter_buffer();
    if (staying_ != 0) {  // Later row tiles find those that stay.
      const Expression is_here = index_number(static_cast<std::int64_t>(staying_) - 1) < chunk_number();
      nest_.only_where({staying_ == chunks_ ? e0_ < index_number(1) : logical_or(e0_ < index_number(1), is_here)});
    }
    nest_.unit("load_filter");
    const std::size_t inside = nest_.depth();
    const Expression t = nest_.loop("t", m_.t), p = nest_.loop("p", m_.p);
    const std::vector<Expression> of = filter(t, p);
    const std::size_t around = nest_.depth();
    const Expression r = nest_.loop("r", m_.r), i = nest_.loop("i", passes_.fold_rows),
                     q = nest_.loop("q", dla_filter_channels(&m_)), s = nest_.loop("s", s_.S);
    const Expression c = holds_groups() ? q : sum(c0_, sum(product(r, m_.q), q));
    nest_.store(glb_filter_, {buffer_, t, r, i, p, q, s},
                nest_.at(filter_, {of[0], of[1], c, sum(r0_, i), s}, integer_number(0)));
    nest_.close_to(around);
    nest_.only_where({sum(c0_, r0_) < index_number(1)});
    nest_.store(glb_bias_, {buffer_, t, p}, nest_.at(bias_, of, integer_number(0)));
    nest_.close_to(around);
    if (s_.filter_scales) {
      nest_.store(glb_scale_, {buffer_, t, p}, nest_.at(scale_, of, number_of(0, ScalarType::kFloat32)));
    }
    nest_.close_to(inside);
    nest_.close_to(outside);
  }

  void feed() {
    const std::size_t outside = begin("feed");
    const auto side_by_side = LoopKind::kParallel;
    const Expression t = nest_.loop("t", m_.t, 1, side_by_side), r = nest_.loop("r", m_.r, 1, side_by_side),
                     i = nest_.loop("i", passes_.fold_rows, 1, side_by_side), p = nest_.loop("p", m_.p),
                     q = nest_.loop("q", dla_filter_channels(&m_)), s = nest_.loop("s", s_.S);
    nest_.store(spad_filter_, {t, r, i, p, q, s}, nest_.at(glb_filter_, {buffer_, t, r, i, p, q, s}));
    nest_.close_to(outside);
  }

  /// That output row j of the strip is one of the row tile.
  std::vector<Expression> is_row(const Expression& j) const {
    return {sum(e1_, j) < index_number(row_tile_), sum(e0_, sum(e1_, j)) < index_number(passes_.E)};
  }

  void array() {
    const std::size_t outside = begin("array");
    const Expression f = nest_.loop("f", passes_.F);
    bring_window(f);
    const Expression p = nest_.loop("p", m_.p);
    multiply(p);
    add_up(p, f);
    nest_.close_to(outside);
  }

  /// Moves the window of column f to the ifmap spads.
  void bring_window(const Expression& f) {
    const std::size_t outside = nest_.depth();
    const Expression set = nest_.loop(holds_groups() ? "t" : "r", sets_, 1, LoopKind::kParallel);
    const Expression i = nest_.loop("i", passes_.fold_rows, 1, LoopKind::kParallel);
    const Expression j = nest_.loop("j", strip_, 1, LoopKind::kParallel);
    const Expression q = nest_.loop("q", m_.q), s = nest_.loop("s", s_.S);
    const Expression local = sum(product(set, m_.q), q);
    const Expression y = difference(sum(product(sum(e0_, sum(e1_, j)), s_.U), sum(r0_, i)), index_number(s_.pad_top));
    const Expression x = difference(sum(product(f, s_.V), s), index_number(s_.pad_left));
    const Expression zero = nest_.at(ifmap_zero_);
    const Expression pixel = nest_.at(
        glb_ifmap_, {ifmap_copy(), m_.ifmap_resident ? sum(c0_, local) : local, difference(y, first_row()), x}, zero);
    const Expression is_above_end = y < index_number(s_.H);
    nest_.store(spad_ifmap_, {set, i, j, q, s}, nest_.always(is_above_end) ? pixel : select(is_above_end, pixel, zero));
    nest_.close_to(outside);
  }

  /// Products of filter p, in each PE.
  void multiply(const Expression& p) {
    const std::size_t outside = nest_.depth();
    const Expression t = nest_.loop("t", m_.t, 1, LoopKind::kParallel),
                     r = nest_.loop("r", m_.r, 1, LoopKind::kParallel),
                     i = nest_.loop("i", passes_.fold_rows, 1, LoopKind::kParallel),
                     j = nest_.loop("j", strip_, 1, LoopKind::kParallel);
    nest_.store(spad_psum_, {t, r, i, j}, integer_number(0));
    const Expression q = nest_.loop("q", dla_filter_channels(&m_)), s = nest_.loop("s", s_.S);
    const Expression channel = holds_groups() ? sum(product(quotient(p, s_.M), s_.C), q) : q;
    const Expression pixel = nest_.at(spad_ifmap_, {holds_groups() ? t : r, i, j, channel, s}) - nest_.at(ifmap_zero_);
    const Expression weight = nest_.at(spad_filter_, {t, r, i, p, q, s});
    nest_.store(spad_psum_, {t, r, i, j}, nest_.at(spad_psum_, {t, r, i, j}) + pixel * weight);
    nest_.close_to(outside);
  }

  /// Psums down the columns, from the biases or the GLB, to the GLB or the output.
  void add_up(const Expression& p, const Expression& f) {
    const Expression t = nest_.loop("t", m_.t, 1, LoopKind::kParallel),
                     j = nest_.loop("j", strip_, 1, LoopKind::kParallel);
    std::vector<Expression> is_there = is_filter(t, p);
    for (const Expression& each : is_row(j)) {
      is_there.push_back(each);
    }
    nest_.only_where(is_there);
    const std::vector<Expression> block{quotient(m1_, pass_filters()), quotient(e1_, strip_ - shared_), t, p, j, f};
    const Expression bias = nest_.at(glb_bias_, {buffer_, t, p});
    const std::size_t inside = nest_.depth();
    if (glb_psum_ != kNone) {
      nest_.store(psum_, {}, bias);
      nest_.only_where({index_number(0) < sum(c0_, r0_)});
      nest_.store(psum_, {}, nest_.at(glb_psum_, block));
      nest_.close_to(inside);
    } else {
      nest_.store(psum_, {}, bias);
    }
    const Expression r = nest_.loop("r", m_.r), i = nest_.loop("i", passes_.fold_rows);
    nest_.store(psum_, {}, nest_.at(psum_) + nest_.at(spad_psum_, {t, r, i, j}));
    nest_.close_to(inside);
    if (glb_psum_ != kNone) {
      nest_.store(glb_psum_, block, nest_.at(psum_));
      nest_.only_where(is_last());
    }
    if (s_.pool) {
      nest_.store(outputs_, {t, p, j, f}, output(t, p));
    } else {
      nest_.store(glb_ofmap_, {tile(), t, p, j, f}, output(t, p));
    }
  }

  /// Which of the two output tiles a pass fills.
  Expression tile() const {
    const Expression strip = quotient(e1_, strip_ - shared_);
    return remainder(sum(product(quotient(m1_, pass_filters()), count_strips()), strip), 2);
  }

  /// rne(x) + zero, from `lowest` to `highest`.
  Expression rounded(const Expression& x, int zero, int lowest, int highest) const {
    const Expression nearest = integer(round(converted(x, ScalarType::kFloat64))) + nest_.at(zero);
    return bounded(nearest, lowest, highest);
  }

  Expression bounded(const Expression& x, int lowest, int highest) const {
    return minimum(maximum(x, nest_.at(lowest)), nest_.at(highest));
  }

  /// What becomes of a finished psum.
  Expression output(const Expression& t, const Expression& p) const {
    const Expression psum = nest_.at(psum_);
    const Expression scale = s_.filter_scales ? nest_.at(glb_scale_, {buffer_, t, p}) : nest_.at(scale_);
    const Expression scaled = s_.scaled
                                  ? converted(psum, ScalarType::kFloat32) * scale
                                  : converted(psum, ScalarType::kFloat64) * converted(scale, ScalarType::kFloat64);
    Expression byte = rounded(scaled, ofmap_zero_, lowest_, highest_);
    if (s_.lookup) {
      const Expression entry = minimum(index(byte), index_number(DLA_TABLE_BYTES - 1));
      byte = nest_.at(lookup_, {maximum(entry, index_number(0))});
    }
    return byte;
  }

  /// What comes behind the array, where its outputs are finished.
  void end_of_pass() {
    if (glb_psum_ != kNone) {
      nest_.only_where(is_last());
    }
    if (s_.pool) {
      pool();
    }
    if (s_.residual) {
      load_residual();
    }
    store();
  }

  /// Opens the loops over the filters of a pass. \return PE set and filter in it.
  std::vector<Expression> tile_filters() {
    const Expression t = nest_.loop("t", m_.t), p = nest_.loop("p", m_.p);
    nest_.only_where(is_filter(t, p));
    return {t, p};
  }

  /// Row y of the strip's outputs as one of the ofmap, and that it is one.
  std::pair<Expression, std::vector<Expression>> ofmap_row(const Expression& y) const {
    const std::int64_t stride = dla_pool_stride(&s_);
    const Expression in_tile = sum(quotient(e1_, stride), y), row = sum(quotient(e0_, stride), in_tile);
    return {row, {in_tile < index_number(dla_pooled(&s_, row_tile_)), row < index_number(passes_.ofmap_rows)}};
  }

  void pool() {
    const std::size_t outside = begin("pool");
    const std::vector<Expression> of = tile_filters();
    const Expression y = nest_.loop("y", dla_pooled(&s_, strip_)), x = nest_.loop("x", passes_.ofmap_cols);
    nest_.only_where(ofmap_row(y).second);
    const std::size_t inside = nest_.depth();
    const std::int64_t size = dla_pool_size(&s_), stride = dla_pool_stride(&s_);
    nest_.store(largest_, {}, integer_number(0));
    const Expression j = sum(product(y, stride), nest_.loop("j", size)),
                     f = sum(product(x, stride), nest_.loop("f", size));
    const Expression row = sum(e0_, sum(e1_, j));  // What is padding of the pool never wins.
    nest_.only_where({index_number(std::int64_t{s_.pool_top} - 1) < row,
                      index_number(std::int64_t{s_.pool_left} - 1) < f,
                      row < index_number(std::int64_t{dla_unpooled_rows(&s_)} - s_.pool_bottom),
                      f < index_number(std::int64_t{dla_unpooled_cols(&s_)} - s_.pool_right)});
    nest_.store(largest_, {}, maximum(nest_.at(largest_), nest_.at(outputs_, {of[0], of[1], j, f})));
    nest_.close_to(inside);
    nest_.store(glb_ofmap_, {tile(), of[0], of[1], y, x}, nest_.at(largest_));
    nest_.close_to(outside);
  }

  void load_residual() {
    const std::size_t outside = begin("load_residual");
    const std::vector<Expression> of = tile_filters();
    const Expression y = nest_.loop("y", strip_), x = nest_.loop("x", passes_.F);
    const auto [row, is_there] = ofmap_row(y);
    nest_.only_where(is_there);
    const std::vector<Expression> place = filter(of[0], of[1]);
    nest_.store(glb_residual_, {tile(), of[0], of[1], y, x}, nest_.at(residual_, {place[0], place[1], row, x}));
    nest_.close_to(outside);
  }

  void store() {
    const std::size_t outside = begin("store");
    const std::vector<Expression> of = tile_filters(), place = filter(of[0], of[1]);
    const std::size_t inside = nest_.depth();
    if (s_.mean) {
      nest_.store(total_, {}, integer_number(0));
    }
    const Expression y = nest_.loop("y", dla_pooled(&s_, strip_)), x = nest_.loop("x", passes_.ofmap_cols);
    const auto [row, is_there] = ofmap_row(y);
    nest_.only_where(is_there);
    const Expression byte = nest_.at(glb_ofmap_, {tile(), of[0], of[1], y, x});
    if (!s_.mean) {
      nest_.store(ofmap_, {place[0], place[1], row, x}, s_.residual ? with_residual(byte, of, y, x) : byte);
    } else {
      nest_.store(total_, {}, nest_.at(total_) + (byte - nest_.at(ofmap_zero_)));
      nest_.close_to(inside);
      const Expression mean = converted(nest_.at(total_), ScalarType::kFloat32) * nest_.at(mean_ratio_);
      nest_.store(ofmap_, {place[0], place[1], index_number(0), index_number(0)},
                  rounded(mean, mean_zero_, sum_lowest_, sum_highest_));
    }
    nest_.close_to(outside);
  }

  Expression with_residual(const Expression& byte, const std::vector<Expression>& of, const Expression& y,
                           const Expression& x) const {
    const auto wide = [](const Expression& value) { return converted(value, ScalarType::kFloat64); };
    const auto rounded_sum = [&](const Expression& a, int ratio, const Expression& b) {
      return converted(wide(a) * wide(nest_.at(ratio)) + wide(b), ScalarType::kFloat32);
    };
    const Expression added = nest_.at(glb_residual_, {tile(), of[0], of[1], y, x});
    const Expression total = rounded_sum(byte, output_ratio_, rounded_sum(added, residual_ratio_, nest_.at(offset_)));
    return bounded(integer(round(wide(total))), sum_lowest_, sum_highest_);
  }

  const dla_shape s_;
  const dla_mapping m_;
  const dla_passes passes_;
  const std::int64_t groups_;
  const std::int64_t shared_;
  const std::uint32_t row_tile_, strip_;  ///< Output rows of a row tile and of a strip.
  const std::int64_t channels_;           ///< That a pass has.
  const std::int64_t sets_;               ///< PE sets on different channels.
  const std::uint64_t staying_, chunks_;  ///< Filter chunks that later row tiles find, of all of a row tile.
  NestBuilder nest_{"layer"};
  int ifmap_ = kNone, filter_ = kNone, bias_ = kNone, ifmap_zero_ = kNone, ofmap_zero_ = kNone, lowest_ = kNone,
      highest_ = kNone, scale_ = kNone, table_ = kNone, residual_ = kNone, output_ratio_ = kNone,
      residual_ratio_ = kNone, offset_ = kNone, mean_ratio_ = kNone, mean_zero_ = kNone, sum_lowest_ = kNone,
      sum_highest_ = kNone, ofmap_ = kNone;
  int glb_ifmap_ = kNone, glb_filter_ = kNone, glb_bias_ = kNone, glb_scale_ = kNone, glb_psum_ = kNone,
      glb_ofmap_ = kNone, glb_residual_ = kNone;
  int spad_ifmap_ = kNone, spad_filter_ = kNone, spad_psum_ = kNone;
  int psum_ = kNone, lookup_ = kNone, outputs_ = kNone, largest_ = kNone, total_ = kNone;
  Expression e0_, g0_, m0_, c0_, r0_, m1_, e1_;  ///< The loops around a pass, outermost first.
  Expression buffer_;                            ///< Of the filter chunk.
};

}  // namespace

Nest layer_nest(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping) {
  return LayerNest(machine, shape, mapping).build();
}

}  // namespace fovea
