// SPDX-License-Identifier: Apache-2.0
/// The records of the output tiles: written when a pass that ends in the output starts, read by number from then on.
///
/// A pass starts only when a tile is free, so nobody reads the record that it takes; tiles are taken in turn.
`include "dla_assert.svh"
module dla_tiles
  import dla_pkg::*;
(
  input  logic   clk_i,
  input  logic   rst_ni,
  /// The next tile is the first one.
  input  logic   clear_i,
  input  logic   take_i,
  input  tile_t  tile_i,
  output tiles_t tiles_o
);
  logic next_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) next_q <= 1'b0;
    else if (clear_i) next_q <= 1'b0;
    else if (take_i) next_q <= !next_q;
  end
  always_ff @(posedge clk_i) begin
    if (take_i) tiles_o[next_q] <= tile_i;
  end

  `DLA_ASSERT(FirstTileFollowsAClear, clear_i |=> !next_q)
  `DLA_ASSERT(ATileIsKeptAsTaken, take_i |=> tiles_o[$past(next_q)] == $past(tile_i))
endmodule
