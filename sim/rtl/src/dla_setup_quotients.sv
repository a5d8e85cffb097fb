// SPDX-License-Identifier: Apache-2.0
/// The six quotients of a layer, one after another over one divider, each as soon as the one before is done.
///
/// Ten cycles each, 60 from start_i on. `chunk_channels_i` and `pass_filters_i` are read in the last twenty of them.
`include "dla_assert.svh"
module dla_setup_quotients
  import dla_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       clear_i,
  input  logic       start_i,
  input  layer_t     layer_i,
  /// PE sets that fit above each other.
  input  logic [6:0] sets_high_i,
  input  logic [12:0] chunk_channels_i,
  input  logic [8:0] pass_filters_i,
  /// None is being worked out.
  output logic       done_o,
  output quotients_t quotients_o
);
  typedef enum logic [2:0] {Idle, Rows, Columns, FiltersHigh, Strips, Chunks, Groups} which_e;
  which_e which_q;

  logic [12:0] padded_h, padded_w;
  logic [15:0] m;
  assign padded_h = 13'(layer_i.ifmap_size.h) + 13'(layer_i.padding.top) + 13'(layer_i.padding.bottom);
  assign padded_w = 13'(layer_i.ifmap_size.w) + 13'(layer_i.padding.left) + 13'(layer_i.padding.right);
  // Where PEs hold whole groups, a tile is of several.
  assign m        = layer_i.map_loop.g != '0 ? layer_i.map_glb.m : min16(layer_i.map_glb.m, layer_i.channels.m);

  assign done_o = which_q == Idle;

  // Those that round up are of one less, plus one.
  logic        started_q, done;
  logic [15:0] dividend, divisor, quotient;
  always_comb begin
    dividend = '0;
    divisor  = '0;
    unique case (which_q)
      Rows:        begin dividend = 16'(padded_h) - 16'(layer_i.kernel.r); divisor = 16'(layer_i.kernel.u); end
      Columns:     begin dividend = 16'(padded_w) - 16'(layer_i.kernel.s); divisor = 16'(layer_i.kernel.v); end
      FiltersHigh: begin dividend = 16'(sets_high_i); divisor = 16'(layer_i.map_pe.r); end
      Strips:      begin
        dividend = 16'(row_step(layer_i.kernel, 13'(layer_i.map_glb.e_glb))) - 1'b1;
        divisor  = 16'(row_step(layer_i.kernel, 13'(layer_i.map_pe.e)));
      end
      Chunks:      begin dividend = layer_i.channels.c - 1'b1; divisor = 16'(chunk_channels_i); end
      Groups:      begin dividend = m - 1'b1; divisor = 16'(pass_filters_i); end
      default:     ;
    endcase
  end
  dla_divider #(.Width(16)) u_divider (
    .clk_i, .rst_ni, .clear_i, .start_i(which_q != Idle && !started_q), .dividend_i(dividend), .divisor_i(divisor),
    .done_o(done), .quotient_o(quotient)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      which_q   <= Idle;
      started_q <= 1'b0;
    end else if (clear_i) begin
      which_q   <= Idle;
      started_q <= 1'b0;
    end else if (which_q == Idle) begin
      if (start_i) which_q <= Rows;
    end else begin
      started_q <= !done;
      if (done) which_q <= which_q == Groups ? Idle : which_e'(which_q + 1'b1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (done) begin
      unique case (which_q)
        Rows:        quotients_o.rows <= 13'(quotient) + 1'b1;
        Columns:     quotients_o.columns <= 13'(quotient) + 1'b1;
        FiltersHigh: quotients_o.filters_high <= 7'(quotient);
        Strips:      quotients_o.strips <= 13'(quotient) + 1'b1;
        Chunks:      quotients_o.chunks <= quotient + 1'b1;
        default:     quotients_o.groups <= quotient + 1'b1;
      endcase
    end
  end

  `DLA_ASSERT(OneLayerAtATime, start_i |-> done_o)
  `DLA_ASSERT(AQuotientWasAskedFor, done |-> which_q != Idle)
endmodule
