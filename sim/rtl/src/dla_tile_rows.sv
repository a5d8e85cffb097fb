// SPDX-License-Identifier: Apache-2.0
/// Ifmap rows of a tile of output rows: from top to bottom, clipped; at least one, even where all of them are padding.
///
/// Takes three cycles from start_i on: the rows, their number and offset, their bytes.
`include "dla_assert.svh"
module dla_tile_rows
  import dla_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,
  input  layer_t      layer_i,
  /// The tile's first output row, and how many. They stay.
  input  logic [12:0] row0_i,
  input  logic [12:0] rows_i,
  /// The first ifmap row, and its first byte in a plane.
  output logic [12:0] top_o,
  output logic [31:0] top_offset_o,
  /// Of all rows of one channel.
  output logic [23:0] bytes_o
);
  logic [12:0] H, W;
  logic [2:0]  U;
  logic signed [15:0] first, last, pad_top;
  assign H     = 13'(layer_i.ifmap_size.h);
  assign W     = 13'(layer_i.ifmap_size.w);
  assign U     = layer_i.kernel.u;
  assign pad_top = $signed(16'(layer_i.padding.top));
  assign first = $signed(16'(row0_i) * 16'(U)) - pad_top;
  assign last  = $signed((16'(row0_i) + 16'(rows_i) - 1'b1) * 16'(U)) - pad_top +
                 $signed(16'(layer_i.kernel.r)) - 16'sd1;
  function automatic logic [12:0] clip(input logic signed [15:0] y, input logic [12:0] height);
    if (y < 0) return '0;
    return 13'(y) >= height ? height - 1'b1 : 13'(y);
  endfunction

  logic        clipped_q;
  logic [12:0] bottom_q, rows_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) clipped_q <= 1'b0;
    else clipped_q <= start_i;
  end
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      top_o    <= clip(first, H);
      bottom_q <= clip(last, H);
    end
    if (clipped_q) begin
      top_offset_o <= 32'(top_o) * 32'(W);
      rows_q       <= bottom_q - top_o + 1'b1;
    end
    bytes_o <= 24'(rows_q) * 24'(W);
  end

  `DLA_ASSERT(TopRowIsInTheIfmap, clipped_q |-> top_o < H)
  `DLA_ASSERT(BottomRowIsNotAboveIt, clipped_q |-> bottom_q >= top_o)
endmodule
