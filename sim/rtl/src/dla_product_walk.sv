// SPDX-License-Identifier: Apache-2.0
/// Where the products of a slot are in the spads, and the flits that carry them to the array.
///
/// Weights come in the order of the filter stream, pixels column by column within a channel. Where PEs hold whole
/// groups, a filter takes the channels of its own. Row 0 sees a product four cycles after mac_i, its
/// weight is read a cycle before.
`include "dla_assert.svh"
module dla_product_walk
  import dla_pkg::*;
(
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,
  input  layer_t       layer_i,
  /// Of the ifmap ring: two windows.
  input  logic [6:0]   ring_bytes_i,
  /// A step starts in the next cycle; its window begins at step_ring_i.
  input  logic         step_i,
  input  logic [6:0]   step_ring_i,
  /// Where the window of the step under way begins, columns of it that lie left of the ifmap, and those before the
  /// first that lies right of it.
  input  logic [6:0]   ring_i,
  input  logic [3:0]   left_i,
  input  logic [12:0]  inside_i,
  // The product of this cycle, and its place in the slot.
  input  logic         mac_i,
  input  logic         first_i,
  input  logic         last_i,
  /// The last cycle of a slot.
  input  logic         commit_i,
  // Of the pass.
  input  logic         bank_i,
  input  logic [5:0]   r_i,
  input  logic [3:0]   rows_i,
  output weight_flit_t weight_o,
  output ctrl_flit_t   ctrl_o
);
  logic [3:0] S;
  logic [4:0] q;
  logic       whole_groups;
  assign S = layer_i.kernel.s;
  assign q = layer_i.map_pe.q;
  assign whole_groups = layer_i.map_loop.g != '0;

  // Of the slot under way: its filter in the group, and the group's first column.
  logic [5:0] filter_q;
  logic [6:0] group_q, next_group;
  logic       last_filter;
  assign last_filter = filter_q + 1'b1 == 6'(layer_i.channels.m);
  assign next_group  = last_filter ? group_q + 7'(layer_i.channels.c) : group_q;

  logic [9:0] weight_q;
  logic [6:0] pixel_q, channel_q;  // channel_q: first column of the channel that is multiplied
  logic [3:0] s_q;
  logic [7:0] next_col;
  assign next_col = 8'(pixel_q) + 8'(q);

  // `channel_q` wraps with its own column, so that pixel = column slot * q + channel throughout.
  always_ff @(posedge clk_i) begin
    if (step_i) begin
      weight_q  <= '0;
      pixel_q   <= step_ring_i;
      channel_q <= step_ring_i;
      s_q       <= '0;
      filter_q  <= '0;
      group_q   <= step_ring_i;
    end else if (mac_i) begin
      weight_q <= weight_q + 1'b1;
      if (s_q + 1'b1 == S) begin
        s_q       <= '0;
        channel_q <= channel_q + 1'b1;
        pixel_q   <= channel_q + 1'b1;
        if (last_i) begin
          channel_q <= whole_groups ? next_group : ring_i;
          pixel_q   <= whole_groups ? next_group : ring_i;
          filter_q  <= last_filter ? '0 : filter_q + 1'b1;
          group_q   <= next_group;
        end
      end else begin
        s_q     <= s_q + 1'b1;
        pixel_q <= 7'(next_col >= 8'(ring_bytes_i) ? next_col - 8'(ring_bytes_i) : next_col);
      end
    end
  end

  ctrl_flit_t ctrl, ctrl_q [2];
  logic       weight_bank_q;  // beside ctrl_q[0]
  assign ctrl = '{mac: mac_i, first: first_i, commit: commit_i, weight: weight_q, pixel: pixel_q, 
                  padding: s_q < left_i || 13'(s_q) >= inside_i, r: r_i, rows: rows_i};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ctrl_q        <= '{default: '0};
      ctrl_o        <= '0;
      weight_bank_q <= 1'b0;
      weight_o      <= '0;
    end else if (clear_i) begin
      ctrl_q        <= '{default: '0};
      ctrl_o        <= '0;
      weight_bank_q <= 1'b0;
      weight_o      <= '0;
    end else begin
      ctrl_q        <= '{ctrl, ctrl_q[0]};
      ctrl_o        <= ctrl_q[1];
      weight_bank_q <= bank_i;
      weight_o      <= '{read: ctrl_q[0].mac, bank: weight_bank_q, weight: ctrl_q[0].weight};
    end
  end

  `DLA_ASSERT(WeightIsReadACycleBefore, !clear_i |=> ctrl_o.mac == $past(weight_o.read))
  `DLA_ASSERT(PixelIsInTheRing, ctrl_o.mac |-> ctrl_o.pixel < ring_bytes_i)
endmodule
