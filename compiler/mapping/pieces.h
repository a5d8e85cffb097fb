// SPDX-License-Identifier: Apache-2.0
/// \file
/// How a dimension is cut twice: into tiles, and each tile into pieces. Only remainders differ in size.
#ifndef FOVEA_COMPILER_MAPPING_PIECES_H_
#define FOVEA_COMPILER_MAPPING_PIECES_H_

#include <array>
#include <cstdint>
#include <type_traits>

namespace fovea {

/// Pieces of one size; a size of 0 has a count of 0.
struct Pieces {
  std::uint32_t size = 0;
  std::uint64_t count = 0;
};

/// How many pieces of `step` make up `total`, a smaller last one included.
template <typename Total, typename Step>
constexpr std::common_type_t<Total, Step> ceil_div(Total total, Step step) {
  return (total + step - 1) / step;
}

/// All pieces of `total` cut into tiles of `tile`, each cut into pieces of `step`: the whole ones, what is left of a
/// whole tile, and what is left of the last tile.
inline std::array<Pieces, 3> cut_in_tiles(std::uint32_t total, std::uint32_t tile, std::uint32_t step) {
  const std::uint32_t tiles = total / tile, last = total % tile;
  std::array<Pieces, 3> pieces = {
      {{step, std::uint64_t{tiles} * (tile / step) + last / step}, {tile % step, tiles}, {last % step, 1}}};
  for (Pieces& p : pieces) {
    p.count = p.size == 0 ? 0 : p.count;
  }
  return pieces;
}

/// How many pieces there are.
inline std::uint64_t count_of(const std::array<Pieces, 3>& pieces) {
  return pieces[0].count + pieces[1].count + pieces[2].count;
}

/// The pieces of one tile.
inline std::array<Pieces, 3> cut(std::uint32_t total, std::uint32_t step) { return cut_in_tiles(total, total, step); }

}  // namespace fovea

#endif  // FOVEA_COMPILER_MAPPING_PIECES_H_
