// SPDX-License-Identifier: Apache-2.0
/// Adds a residual to the beats of output tiles, byte by byte; without one, they go through in the cycle they come.
///
/// The residual of a tile lies in the GLB as beats in the order of the tile's own, each byte at the place of the one
/// that it is added to; on chip, where the tensor lies, which the store says of each beat. A beat takes two cycles to
/// read its residual's and those of dla_add: Cycles, one a cycle.
`include "dla_assert.svh"
module dla_residual
  import dla_pkg::*;
  import dla_regs_pkg::*;
#(
  parameter int unsigned BusBytes = 4,
  /// Dependent, do not override. The cycles of dla_add, and two to read.
  localparam int unsigned Cycles = 14
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  input  layer_t                layer_i,
  input  derived_t              derived_i,
  // Tokens: a tile's residual is in the GLB; it will be used; its last beat is read.
  input  logic                  loaded_i,
  output logic                  there_o,
  input  logic                  take_i,
  output logic                  release_o,
  // Beats, and what they are the last of.
  input  logic                  beat_i,
  input  logic [8*BusBytes-1:0] data_i,
  input  logic [BusBytes-1:0]   strobe_i,
  input  logic                  ends_burst_i,
  input  logic                  ends_tile_i,
  // GLB: a word of the residual region; or the beat's on chip, wherever that is.
  output logic                  glb_read_o,
  output logic [15:0]           glb_addr_o,
  output logic                  chip_read_o,
  /// Of either.
  input  logic [8*BusBytes-1:0] glb_data_i,
  // Beats, summed.
  output logic                  beat_o,
  output logic [8*BusBytes-1:0] data_o,
  output logic [BusBytes-1:0]   strobe_o,
  output logic                  ends_burst_o
);
  logic adds, on_chip, first;
  assign adds    = layer_i.kernel.residual;
  assign on_chip = layer_i.groups.residual_on_chip;
  assign first   = layer_i.kernel.residual_first;

  // Tiles whose residual is there.
  logic [1:0] full_q;
  assign there_o = !adds || on_chip || full_q != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) full_q <= '0;
    else if (clear_i) full_q <= '0;
    else full_q <= full_q + 2'(loaded_i) - 2'(take_i && adds && !on_chip);
  end

  // Where the next beat's residual is.
  logic        tile_q;
  logic [15:0] word_q;
  assign glb_read_o  = beat_i && adds && !on_chip;
  assign chip_read_o = beat_i && adds && on_chip;
  assign glb_addr_o = (tile_q ? derived_i.residual_tile_words : '0) + word_q;
  assign release_o  = glb_read_o && ends_tile_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tile_q <= 1'b0;
      word_q <= '0;
    end else if (clear_i) begin
      tile_q <= 1'b0;
      word_q <= '0;
    end else if (glb_read_o) begin
      tile_q <= tile_q ^ ends_tile_i;
      word_q <= ends_tile_i ? '0 : word_q + 1'b1;
    end
  end

  // Beside the sums goes what they belong to.
  typedef struct packed {
    logic                valid;
    logic                ends_burst;
    logic [BusBytes-1:0] strobe;
  } mark_t;
  mark_t [Cycles-1:0]         marks_q;
  logic [1:0][8*BusBytes-1:0] data_q;
  logic [8*BusBytes-1:0]      residual_q, a, b, sum;
  logic [30:0]                a_scale, b_scale;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) marks_q <= '0;
    else if (clear_i) marks_q <= '0;
    else if (adds) begin
      marks_q <= {marks_q[Cycles-2:0], beat_i, beat_i && ends_burst_i, strobe_i};
    end
  end
  always_ff @(posedge clk_i) if (adds) begin
    data_q     <= {data_q[0], data_i};
    residual_q <= glb_data_i;
  end

  always_comb begin
    a       = '0;
    b       = '0;
    a_scale = '0;
    b_scale = '0;
    if (adds) begin
      a       = first ? residual_q : data_q[1];
      b       = first ? data_q[1] : residual_q;
      a_scale = first ? layer_i.residual_scale[30:0] : layer_i.conv_scale[30:0];
      b_scale = first ? layer_i.conv_scale[30:0] : layer_i.residual_scale[30:0];
    end
  end
  for (genvar i = 0; i < BusBytes; i++) begin : gen_byte
    dla_add u_add (
      .clk_i, .enable_i(adds), .a_i(a[8*i+:8]), .b_i(b[8*i+:8]), .a_scale_i(a_scale), .b_scale_i(b_scale),
      .offset_i(layer_i.sum_offset), .rounding_i(dla_rounding_e'(layer_i.quant.rounding)),
      .lowest_i(layer_i.bounds.sum_lowest), .highest_i(~layer_i.bounds.sum_headroom), .sum_o(sum[8*i+:8])
    );
  end
  assign beat_o       = adds ? marks_q[Cycles-1].valid : beat_i;
  assign ends_burst_o = adds ? marks_q[Cycles-1].ends_burst : ends_burst_i;
  assign strobe_o     = adds ? marks_q[Cycles-1].strobe : strobe_i;
  assign data_o       = adds ? sum : data_i;

  `DLA_ASSERT(TokensStayInTheirRange, loaded_i |-> 32'(full_q) < NumTiles)
  `DLA_ASSERT(AResidualIsThere, take_i |-> there_o)
  `DLA_ASSERT(SumBoundsAreInOrder, adds && beat_o |-> layer_i.bounds.sum_lowest <= 8'(~layer_i.bounds.sum_headroom))
  `DLA_ASSERT(BeatsStayInTheirTile, glb_read_o |-> word_q < derived_i.residual_tile_words)
endmodule
