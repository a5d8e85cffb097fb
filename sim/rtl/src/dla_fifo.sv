// SPDX-License-Identifier: Apache-2.0
/// A first-in first-out queue with a valid/ready stream on each side; data comes out the cycle after it went in.
`include "dla_assert.svh"
module dla_fifo #(
  parameter type data_t = logic,
  /// Entries: a power of two, at least 2.
  parameter int unsigned Depth = 4,
  /// Dependent, do not override.
  localparam int unsigned PtrWidth = $clog2(Depth)
) (
  input  logic  clk_i,
  input  logic  rst_ni,
  /// Empties the queue.
  input  logic  clear_i,
  input  logic  in_valid_i,
  output logic  in_ready_o,
  input  data_t in_data_i,
  output logic  out_valid_o,
  input  logic  out_ready_i,
  output data_t out_data_o
);
  data_t entries_q [Depth];
  logic [PtrWidth:0] write_q, read_q;

  assign in_ready_o  = (write_q - read_q) != (PtrWidth + 1)'(Depth);
  assign out_valid_o = write_q != read_q;
  assign out_data_o  = entries_q[read_q[PtrWidth-1:0]];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
    end else if (clear_i) begin
      write_q <= '0;
      read_q  <= '0;
    end else begin
      if (in_valid_i && in_ready_o) write_q <= write_q + 1'b1;
      if (out_valid_o && out_ready_i) read_q <= read_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (in_valid_i && in_ready_o) entries_q[write_q[PtrWidth-1:0]] <= in_data_i;
  end

  `DLA_CHECK_PARAM(DepthIsAPowerOfTwo, Depth >= 2 && Depth == 1 << PtrWidth)
  `DLA_ASSERT(QueueHoldsAtMostItsDepth, (write_q - read_q) <= (PtrWidth + 1)'(Depth))
  `DLA_ASSERT_STREAM(QueueOut, out_valid_o, out_ready_i || clear_i, out_data_o)
endmodule
