// SPDX-License-Identifier: Apache-2.0
/// Psum network out: collects each slot's psums from the last PE of their segments, one word (Lanes psums) a cycle.
///
/// Unfinished psums go to the GLB, finished ones to post-processing. Psums wait in the PEs until the next slot's come,
/// so a slot that starts to arrive while the one before is still collected would be an error of the array control.
`include "dla_assert.svh"
module dla_psum_out
  import dla_pkg::*;
  import dla_regs_pkg::*;
#(
  parameter int unsigned Rows  = 6,
  parameter int unsigned Cols  = 8,
  parameter int unsigned Lanes = 1,
  /// Dependent, do not override. Of a count of psums in a slot; passes, of at least 8 cycles, whose psums run down the
  /// rows.
  localparam int unsigned LeftWidth = $clog2((Rows * Cols > Lanes ? Rows * Cols : Lanes) + 1),
  localparam int unsigned Passes    = Rows < 32 ? 8 : 16
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  input  layer_t                layer_i,
  input  derived_t              derived_i,
  input  logic                  started_i,
  input  psums_t                pass_i,
  /// A slot's psums can be read in three cycles.
  input  logic                  commit_i,
  // Psum network.
  output logic [5:0]            row_o  [Lanes],
  output logic [5:0]            col_o  [Lanes],
  input  logic signed [31:0]    data_i [Lanes],
  // GLB.
  output logic                  glb_write_o,
  output logic [15:0]           glb_addr_o,
  output logic [32*Lanes-1:0]   glb_data_o,
  // Finished psums, word by word, and the filter of the pass that each belongs to; whether the word is the first of its
  // pass, and the pass the first with its filter set.
  output logic [Lanes-1:0]      out_valid_o,
  output logic signed [31:0]    out_data_o [Lanes],
  output logic [8:0]            out_filter_o [Lanes],
  // Where pooled: whether a window ends with each one's row, and whether that is padding.
  output logic [Lanes-1:0]      out_ends_o,
  output logic [Lanes-1:0]      out_padding_o,
  output logic                  out_first_o,
  output logic                  out_new_set_o
);
  logic   pass_valid, queue_ready, pass_done;
  psums_t pass;
  dla_fifo #(.data_t(psums_t), .Depth(Passes)) u_passes (
    .clk_i, .rst_ni, .clear_i,
    .in_valid_i(started_i), .in_ready_o(queue_ready), .in_data_i(pass_i),
    .out_valid_o(pass_valid), .out_ready_i(pass_done), .out_data_o(pass)
  );

  logic [1:0]  commit_q;
  logic [LeftWidth-1:0] left_q;
  logic        begins_q;     // the next slot is the first of its pass
  logic        first_q;      // so is the next word
  psums_t      slot_pass_q;
  logic [5:0]  p_q;
  logic [12:0] f_q;
  logic [15:0] addr_q;
  place_t      place_q [Lanes];

  logic slot;
  assign slot      = commit_q[1];
  assign pass_done = slot && p_q + 1'b1 == pass.p && f_q + 1'b1 == derived_i.F;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      commit_q <= '0;
      left_q   <= '0;
      begins_q <= 1'b1;
      p_q      <= '0;
      f_q      <= '0;
    end else if (clear_i) begin
      commit_q <= '0;
      left_q   <= '0;
      begins_q <= 1'b1;
      p_q      <= '0;
      f_q      <= '0;
    end else begin
      commit_q <= {commit_q[0], commit_i};
      if (slot) begin
        left_q   <= LeftWidth'(pass.slot_psums);
        begins_q <= pass_done;
        p_q      <= p_q + 1'b1 == pass.p ? '0 : p_q + 1'b1;
        if (p_q + 1'b1 == pass.p) f_q <= pass_done ? '0 : f_q + 1'b1;
      end else begin
        left_q <= left_q > LeftWidth'(Lanes) ? left_q - LeftWidth'(Lanes) : '0;
      end
    end
  end

  dla_psum_places #(.Rows(Rows), .Cols(Cols), .Lanes(Lanes)) u_places (
    .clk_i, .set_cols_i(layer_i.map_pe.e), .segment_rows_i(6'(derived_i.segment_rows)),
    .filters_high_i(derived_i.filters_high), .start_i(slot), .e_i(pass.e), .p_i(pass.p),
    .filter_i(9'(p_q)), .step_i(left_q != '0), .place_o(place_q)
  );

  always_ff @(posedge clk_i) begin
    if (left_q != '0) addr_q <= addr_q + 1'b1;
    first_q <= slot && begins_q;
    if (slot) begin
      slot_pass_q <= pass;
      if (begins_q) addr_q <= pass.psum_base;
    end
  end

  always_comb begin
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      row_o[lane] = place_q[lane].row + 6'(derived_i.segment_rows) - 1'b1;
      col_o[lane] = place_q[lane].col;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      glb_write_o <= 1'b0;
      out_valid_o <= '0;
    end else if (clear_i) begin
      glb_write_o <= 1'b0;
      out_valid_o <= '0;
    end else begin
      glb_write_o <= left_q != '0 && !slot_pass_q.last_k;
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        out_valid_o[lane] <= left_q > LeftWidth'(lane) && slot_pass_q.last_k;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (left_q != '0) begin
      glb_addr_o    <= addr_q;
      out_first_o   <= first_q;
      out_data_o    <= data_i;
      out_new_set_o <= first_q && slot_pass_q.new_filter;
      for (int unsigned lane = 0; lane < Lanes; lane++) out_filter_o[lane] <= place_q[lane].filter;
    end
  end
  // Rows of whole windows: the last of one has all before it.
  function automatic logic ends_window(input logic [5:0] row, input kernel_reg_t kernel);
    logic [5:0] behind;
    behind = row + 1'b1 - 6'(pool_size(kernel));
    return row + 1'b1 >= 6'(pool_size(kernel)) &&
           behind == 6'(strip_per_stride(kernel, behind) * 6'(pool_stride(kernel)));
  endfunction
  always_ff @(posedge clk_i) begin
    if (layer_i.kernel.pool && left_q != '0) begin
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        out_ends_o[lane]    <= ends_window(place_q[lane].e, layer_i.kernel);
        out_padding_o[lane] <= place_q[lane].e < 6'(slot_pass_q.real_from) || place_q[lane].e >= slot_pass_q.real_to;
      end
    end
  end
  always_comb begin
    for (int unsigned lane = 0; lane < Lanes; lane++) glb_data_o[32*lane+:32] = out_data_o[lane];
  end

  `DLA_ASSERT(PassIsKnown, slot |-> pass_valid)
  `DLA_ASSERT(QueueHasRoom, started_i |-> queue_ready)
  `DLA_ASSERT(SlotWasCollected, slot |-> left_q <= LeftWidth'(Lanes))
endmodule
