// SPDX-License-Identifier: Apache-2.0
/// Counts by how many cycles the memory held up what the array needs next, and charges as many of the array's
/// waits to it.
///
/// A cycle in which only the chunk in DRAM is missing is owed; a cycle of waiting pays it back, at once or later, while
/// the chunk moves on to the PEs. Waits beyond that are not the memory's. docs/timing.md, "Causes".
`include "dla_assert.svh"
module dla_lateness #(
  /// Width of the count, which stays at its largest value.
  parameter int unsigned Width = 16
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  /// The chunk is what is missing.
  input  logic late_i,
  /// The array waits for it, or for what is made of it.
  input  logic waits_i,
  /// It is there; the next one begins without debts.
  input  logic over_i,
  /// A wait in this cycle is the memory's.
  output logic owes_o
);
  logic [Width-1:0] owed_q;
  assign owes_o = late_i || owed_q != '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) owed_q <= '0;
    else if (clear_i || over_i) owed_q <= '0;
    else if (late_i && !waits_i && owed_q != '1) owed_q <= owed_q + 1'b1;
    else if (!late_i && waits_i && owed_q != '0) owed_q <= owed_q - 1'b1;
  end

  `DLA_ASSERT(DebtGrowsWhileLateOnly, !late_i |=> owed_q <= $past(owed_q))
  `DLA_ASSERT(DebtEndsWithItsChunk, over_i |=> owed_q == '0)
endmodule
