// SPDX-License-Identifier: Apache-2.0
/// Psum network in: brings each slot's psums from the GLB, or its biases, to the first PE of their segments.
///
/// One word (Lanes psums) a cycle; word i of a slot that starts at cycle T is addressed at T + 4 + i and is in the
/// array at T + 6 + i: before the slot's psums are added, and after those of the slot before were.
`include "dla_assert.svh"
module dla_psum_in
  import dla_pkg::*;
#(
  parameter int unsigned Rows           = 6,
  parameter int unsigned Cols           = 8,
  parameter int unsigned Lanes          = 1,
  parameter int unsigned FilterBytes    = 4,
  parameter int unsigned MaxPassFilters = 128,
  /// Dependent, do not override. Of a count of psums in a slot.
  localparam int unsigned LeftWidth = $clog2((Rows * Cols > Lanes ? Rows * Cols : Lanes) + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  input  layer_t                layer_i,
  input  derived_t              derived_i,
  // From the array control.
  input  logic                  started_i,
  input  psums_t                pass_i,
  input  logic                  pass_bank_i,
  input  logic                  slot_start_i,
  // Biases of a filter set.
  input  logic                  bias_valid_i,
  input  logic                  bias_bank_i,
  input  logic [10:0]           bias_word_i,
  input  logic [8*FilterBytes-1:0] bias_data_i,
  // GLB.
  output logic                  glb_read_o,
  output logic [15:0]           glb_addr_o,
  input  logic [32*Lanes-1:0]   glb_data_i,
  // Psum network.
  output logic [Lanes-1:0]      valid_o,
  output logic [5:0]            row_o  [Lanes],
  output logic [5:0]            col_o  [Lanes],
  output logic signed [31:0]    data_o [Lanes]
);
  // Biases of two filter sets, a memory a lane: words of the filter network, or of one bias that takes
  // several of those.
  localparam int unsigned BiasBytes   = FilterBytes < 4 ? 4 : FilterBytes;
  localparam int unsigned BiasesAWord = BiasBytes / 4;
  localparam int unsigned WordsABias  = FilterBytes < 4 ? 4 / FilterBytes : 1;
  localparam int unsigned HalfWords   = (MaxPassFilters + BiasesAWord - 1) / BiasesAWord;
  localparam int unsigned BiasAddr    = $clog2(2 * HalfWords);
  logic [Lanes-1:0]       bias_read;
  logic [BiasAddr-1:0]    bias_raddr [Lanes];
  logic [8*BiasBytes-1:0] bias_rdata [Lanes];
  logic [BiasAddr-1:0]    bias_waddr;
  logic [BiasBytes-1:0]   bias_strobe;
  logic                   bias_write;
  assign bias_write  = bias_valid_i && 32'(bias_word_i) / WordsABias < HalfWords;
  assign bias_waddr  = BiasAddr'((bias_bank_i ? HalfWords : 0) + 32'(bias_word_i) / WordsABias);
  assign bias_strobe = BiasBytes'({FilterBytes{1'b1}}) << (32'(bias_word_i) % WordsABias * FilterBytes);
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_bias
    dla_sram #(.Words(2 * HalfWords), .WordBytes(BiasBytes)) u_bias (
      .clk_i, .rst_ni, .read_i(bias_read[lane]), .raddr_i(bias_raddr[lane]), .rstrobe_i('1),
      .rdata_o(bias_rdata[lane]),
      .write_i(bias_write), .wstrobe_i(bias_strobe), .waddr_i(bias_waddr), .wdata_i({WordsABias{bias_data_i}})
    );
  end

  // Three cycles behind the array control: the pass that the next slot belongs to.
  psums_t     started_pass_q, pass_q;
  logic       started_bank_q, bank_q;
  logic [2:0] started_q, slot_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      started_q <= '0;
      slot_q    <= '0;
    end else if (clear_i) begin
      started_q <= '0;
      slot_q    <= '0;
    end else begin
      started_q <= {started_q[1:0], started_i};
      slot_q    <= {slot_q[1:0], slot_start_i};
    end
  end
  always_ff @(posedge clk_i) begin
    if (started_i) begin
      started_pass_q <= pass_i;
      started_bank_q <= pass_bank_i;
    end
    if (started_q[2]) begin
      pass_q <= started_pass_q;
      bank_q <= started_bank_q;
    end
  end

  // The slot that is brought.
  logic [LeftWidth-1:0] left_q;  // psums
  logic        slot_first_k_q, slot_bank_q, first_slot_q;
  logic [5:0]  p_q;
  logic [15:0] addr_q;
  place_t      place_q [Lanes];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else if (clear_i) left_q <= '0;
    else if (slot_q[2]) left_q <= LeftWidth'(pass_q.slot_psums);
    else left_q <= left_q > LeftWidth'(Lanes) ? left_q - LeftWidth'(Lanes) : '0;
  end

  logic [5:0] p_next;
  assign p_next = first_slot_q || p_q + 1'b1 == pass_q.p ? '0 : p_q + 1'b1;

  dla_psum_places #(.Rows(Rows), .Cols(Cols), .Lanes(Lanes)) u_places (
    .clk_i, .set_cols_i(layer_i.map_pe.e), .segment_rows_i(6'(derived_i.segment_rows)),
    .filters_high_i(derived_i.filters_high), .start_i(slot_q[2]), .e_i(pass_q.e), .p_i(pass_q.p),
    .filter_i(9'(p_next)), .step_i(left_q != '0), .place_o(place_q)
  );

  always_ff @(posedge clk_i) begin
    if (left_q != '0) addr_q <= addr_q + 1'b1;
    if (slot_q[2]) begin
      slot_first_k_q <= pass_q.first_k;
      slot_bank_q    <= bank_q;
      first_slot_q   <= 1'b0;
      p_q            <= p_next;
      if (first_slot_q) addr_q <= pass_q.psum_base;
    end
    // The last slot of the pass before may be a one-cycle slot, taken up in this very cycle.
    if (started_q[2]) first_slot_q <= 1'b1;
  end

  assign glb_read_o = left_q != '0 && !slot_first_k_q;
  assign glb_addr_o = addr_q;

  // The word comes a cycle after its address.
  logic       from_bias_q;
  logic [8:0] filter_q [Lanes];
  always_comb begin
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      bias_read[lane]  = left_q > LeftWidth'(lane) && slot_first_k_q;
      bias_raddr[lane] = BiasAddr'((slot_bank_q ? HalfWords : 0) + 32'(place_q[lane].filter) / BiasesAWord);
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= '0;
    else if (clear_i) valid_o <= '0;
    else begin
      for (int unsigned lane = 0; lane < Lanes; lane++) valid_o[lane] <= left_q > LeftWidth'(lane);
    end
  end
  always_ff @(posedge clk_i) begin
    from_bias_q <= slot_first_k_q;
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      row_o[lane] <= place_q[lane].row;
      col_o[lane] <= place_q[lane].col;
      filter_q[lane] <= place_q[lane].filter;
    end
  end
  always_comb begin
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      data_o[lane] = from_bias_q ? $signed(bias_rdata[lane][32*(32'(filter_q[lane]) % BiasesAWord)+:32])
                                 : $signed(glb_data_i[32*lane+:32]);
    end
  end

  `DLA_ASSERT(SlotWasBrought, slot_q[2] |-> left_q <= LeftWidth'(Lanes))
endmodule
