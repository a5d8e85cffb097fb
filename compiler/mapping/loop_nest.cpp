// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes loops outermost first; the tiles of a level follow from the mapping alone.
#include "loop_nest.h"

#include <algorithm>
#include <cstdlib>

#include "spec/dla_schedule.h"

namespace fovea {
namespace {

class NestWriter {
 public:
  /// A loop over pieces of `step` of at most `extent` elements of a dimension.
  void loop(char dimension, std::uint32_t extent, std::uint32_t step, const std::string& letter,
            bool is_parallel = false) {
    line((is_parallel ? "parallel-for " : "for ") + std::string(1, dimension) + " by " + std::to_string(step) + ": " +
         std::to_string(dla_ceil_div(extent, step)) + " x (" + letter + ")");
    indent_ += "  ";
  }

  /// The same over output rows, of which pieces share some.
  void loop_rows(const dla_shape& shape, std::uint32_t extent, std::uint32_t step, const std::string& letter) {
    const std::int32_t shared = dla_shared_rows(&shape);
    const std::uint32_t trips = dla_ceil_div(dla_row_step(&shape, extent), dla_row_step(&shape, step));
    const std::string what = shared > 0 ? " shared" : " left out";
    const std::string note = shared == 0 || trips == 1 ? "" : ", " + std::to_string(std::abs(shared)) + what;
    line("for E by " + std::to_string(step) + ": " + std::to_string(trips) + " x (" + letter + note + ")");
    indent_ += "  ";
  }

  void tile(const std::string& memory, const std::string& what, std::uint64_t bytes) {
    line(memory + ": " + what + ", " + std::to_string(bytes) + " B");
  }

  void line(const std::string& text) { text_ += indent_ + text + "\n"; }

  std::string take() { return std::move(text_); }

 private:
  std::string indent_, text_;
};

std::string describe_staying(std::uint64_t chunks) {
  return chunks == 0 ? "" : ", " + std::to_string(chunks) + " of them for all row tiles";
}

class Nest {
 public:
  Nest(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping)
      : machine_(machine), s_(shape), m_(mapping), passes_(dla_derive_passes(&machine, &shape, &mapping)) {}

  std::string write() {
    write_tiles();
    write_passes();
    write_array();
    return out_.take();
  }

 private:
  /// Loops whose tiles DRAM and the GLB exchange.
  void write_tiles() {
    const std::uint64_t groups = dla_groups(&s_), ofmap = groups * s_.M * passes_.ofmap_plane;
    out_.tile("DRAM", "ifmap", groups * s_.C * s_.H * s_.W);
    out_.tile("DRAM", "filters and biases", dla_filter_stream_bytes(&machine_, &s_, &m_));
    out_.tile("DRAM", "ofmap", ofmap);
    out_.loop_rows(s_, passes_.E, m_.e_glb, "e_glb");
    const std::uint64_t ifmap = std::uint64_t{passes_.ifmap_columns} * passes_.ifmap_column_bytes;
    if (m_.ifmap_resident) {
      out_.tile("GLB", "ifmap, all channels of the rows", ifmap);
    }
    if (groups > 1) {
      out_.loop('G', dla_groups(&s_), m_.g == 0 ? 1 : m_.g * m_.t, m_.g == 0 ? "groups" : "g*t");
    }
    if (m_.g == 0) {
      out_.loop('M', s_.M, m_.m, "m");
    }
    if (passes_.psum_bytes != 0) {
      out_.tile("GLB", "psums", passes_.psum_bytes);
    }
    if (m_.g == 0) {
      out_.loop('C', s_.C, m_.q * m_.r, "q*r");
    }
    if (!m_.ifmap_resident) {
      out_.tile("GLB", std::string("ifmap, two chunks of ") + (m_.g == 0 ? "q*r" : "q*t") + " channels", ifmap);
    }
  }

  /// Loops over passes.
  void write_passes() {
    out_.loop('R', s_.R, passes_.fold_rows, "folds");
    if (m_.g == 0) {
      out_.loop('M', std::min(m_.m, s_.M), m_.p * m_.t, "p*t");
    }
    const std::uint64_t staying = passes_.e_tiles == 1 ? 0 : dla_staying_chunks(&s_, &m_, &passes_);
    out_.tile("GLB", std::to_string(m_.filter_buffers) + " filter chunks" + describe_staying(staying),
              std::uint64_t{m_.filter_buffers} * passes_.filter_chunk_bytes);
    out_.tile("spad", "filters, of each PE", m_.p * dla_filter_channels(&m_) * s_.S);
    out_.loop_rows(s_, m_.e_glb, m_.e, "strips");
    out_.tile("GLB", "two output tiles", std::uint64_t{2} * passes_.out_lane_bytes * machine_.psum_lanes);
    if (s_.residual) {
      out_.tile("GLB", "residuals of two output tiles", std::uint64_t{2} * passes_.residual_tile_bytes);
    }
  }

  /// Loops of a pass: columns, then PEs, then what a PE does.
  void write_array() {
    out_.loop('F', passes_.F, 1, "columns");
    out_.tile("spad", "ifmap window, of each PE", m_.q * s_.S);
    if (m_.g == 0) {
      out_.loop('M', m_.p * m_.t, m_.p, "t", true);
      out_.loop('C', m_.q * m_.r, m_.q, "r", true);
    } else {
      out_.loop('G', m_.g * m_.t, m_.g, "t", true);
    }
    out_.loop('R', passes_.fold_rows, 1, "PE rows", true);
    out_.loop('E', m_.e, 1, "PE columns, e", true);
    if (m_.g != 0) {
      out_.loop('G', m_.g, 1, "g");
    }
    out_.loop('M', m_.g == 0 ? m_.p : s_.M, 1, m_.g == 0 ? "p" : "M");
    out_.tile("register", "psum, of each PE", 4);
    out_.loop('C', dla_filter_channels(&m_), 1, m_.g == 0 ? "q" : "C");
    out_.loop('S', s_.S, 1, "products");
    out_.line("psum += ifmap * filter");
  }

  const dla_machine& machine_;
  const dla_shape& s_;
  const dla_mapping& m_;
  dla_passes passes_;
  NestWriter out_;
};

}  // namespace

std::string print_nest(const dla_machine& machine, const dla_shape& shape, const dla_mapping& mapping) {
  return Nest(machine, shape, mapping).write();
}

}  // namespace fovea
