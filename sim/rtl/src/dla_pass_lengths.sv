// SPDX-License-Identifier: Apache-2.0
/// How long a pass takes, part by part: the formulas of docs/timing.md, one product deep a cycle.
///
/// Takes four cycles from start_i on, in which the extents stay.
`include "dla_assert.svh"
module dla_pass_lengths
  import dla_pkg::*;
#(
  parameter int unsigned Rows  = 6,
  parameter int unsigned Cols  = 8,
  parameter int unsigned Lanes = 1,
  /// Dependent, do not override.
  localparam int unsigned Psums       = bits_up_to(Rows * Cols),
  localparam int unsigned FillWords   = bits_up_to(most_fill_words(Rows, Cols)),
  localparam int unsigned EnoughWidth = $clog2(Rows + 4)
) (
  input  logic     clk_i,
  input  logic     rst_ni,
  input  logic     start_i,
  input  layer_t   layer_i,
  input  derived_t derived_i,
  // What of the mapping the pass uses: docs/timing.md's letters with a prime.
  input  logic [7:0] t_i,
  input  logic [5:0] p_i,
  input  logic [3:0] rows_i,
  input  logic [5:0] e_i,
  /// MACs a slot.
  input  logic [7:0] products_i,
  /// Words of the ifmap network for all channels of a pixel.
  input  logic [12:0] pixel_words_i,
  /// It reads no psums.
  input  logic     first_k_i,
  output lengths_t lengths_o
);
  logic [3:0] S, U, V, new_cols, window_cols, shared_rows;
  assign S           = layer_i.kernel.s;
  assign U           = 4'(layer_i.kernel.u);
  assign V           = 4'(layer_i.kernel.v);
  assign new_cols    = S < V ? S : V;
  assign window_cols = window_cols_of(layer_i);
  assign shared_rows = rows_i < U ? rows_i : U;

  logic [3:1]  step_q;        // cycles after start_i
  logic [8:0]  ifmap_rows_q;
  logic [16:0] words_q;       // of an ifmap column
  logic [12:0] slot_words;
  assign slot_words = 13'((14'(lengths_o.slot_psums) + 14'(Lanes - 1)) / 14'(Lanes));

  // Psums that must be written before they are read: (F p - 1) slot cycles cover them, or not. Factors beyond the
  // largest that is not enough alone stay there.
  localparam logic [EnoughWidth-1:0] Enough = '1;
  logic [18:0] slots;
  logic [EnoughWidth-1:0]   slots_q, enough_cycles;
  logic [2*EnoughWidth-1:0] cover_cycles_q;
  assign slots         = 19'(derived_i.F) * 19'(p_i) - 1'b1;
  assign enough_cycles = lengths_o.slot_cycles > 13'(Enough) ? Enough : EnoughWidth'(lengths_o.slot_cycles);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) step_q <= '0;
    else step_q <= {step_q[2:1], start_i};
  end
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      lengths_o.slot_psums <= 13'(e_i) * 13'(t_i) & 13'(Psums);
      ifmap_rows_q         <= (9'(e_i) - 1'b1) * 9'(shared_rows) + 9'(rows_i);
      slots_q              <= slots > 19'(Enough) ? Enough : EnoughWidth'(slots);
    end
    if (step_q[1]) begin
      lengths_o.slot_words  <= slot_words;
      lengths_o.slot_cycles <= 13'(max16(16'(products_i), 16'(slot_words)));
      words_q               <= 17'(ifmap_rows_q) * 17'(pixel_words_i) & 17'(FillWords);
    end
    if (step_q[2]) begin
      lengths_o.compute_cycles <= 16'(p_i) * 16'(lengths_o.slot_cycles);
      cover_cycles_q           <= (2*EnoughWidth)'(slots_q) * (2*EnoughWidth)'(enough_cycles);
    end
    if (step_q[3]) begin
      lengths_o.step_words <= words_q * 17'(new_cols) & 17'(FillWords);
      lengths_o.fill_words <= words_q * 17'(window_cols) & 17'(FillWords);
      lengths_o.wait_psum  <= !first_k_i && 16'(cover_cycles_q) < 16'(derived_i.segment_rows) + 16'd3;
    end
  end

  `DLA_ASSERT(SlotsHoldTheirPsums, step_q[2] |-> lengths_o.slot_psums != '0 &&
                                                  lengths_o.slot_cycles >= lengths_o.slot_words)
  `DLA_ASSERT(ExtentsStay, step_q != '0 |-> $stable({t_i, p_i, rows_i, e_i, products_i, pixel_words_i}))
endmodule
