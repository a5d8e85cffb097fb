// SPDX-License-Identifier: Apache-2.0
/// \file
/// Remembers the lengths of accepted bursts and tells which beat of which burst comes next: for dla_axi_checker.
`include "dla_assert.svh"

module dla_axi_burst_tracker #(
  /// Bursts remembered.
  parameter int unsigned Depth = 64
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  /// A burst of `len_i` + 1 beats was accepted.
  input  logic       accept_i,
  input  logic [7:0] len_i,
  /// A beat moved, and with it the burst ended.
  input  logic       beat_i,
  input  logic       last_i,
  /// A beat may move in this cycle, and whether it must be its burst's last.
  output logic       expected_o,
  output logic       must_end_o,
  /// No further burst can be remembered.
  output logic       full_o
);

  localparam int unsigned IndexWidth = $clog2(Depth);

  logic [7:0]            lens [Depth];
  logic [IndexWidth-1:0] head, tail;
  logic [IndexWidth:0]   count;
  logic [7:0]            beat, len;
  logic                  empty;

  assign empty = count == '0;
  // A beat may move together with its burst's own request.
  assign len = empty ? len_i : lens[head];
  assign expected_o = !empty || accept_i;
  assign must_end_o = beat == len;
  assign full_o = count == (IndexWidth + 1)'(Depth);

  function automatic logic [IndexWidth-1:0] next(logic [IndexWidth-1:0] index);
    return index == IndexWidth'(Depth - 1) ? '0 : index + 1'b1;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head  <= '0;
      tail  <= '0;
      count <= '0;
      beat  <= '0;
    end else begin
      if (accept_i) begin
        lens[tail] <= len_i;
        tail       <= next(tail);
      end
      if (beat_i) begin
        beat <= last_i ? '0 : beat + 1'b1;
        if (last_i) head <= next(head);
      end
      if (accept_i && !(beat_i && last_i)) count <= count + 1'b1;
      if (!accept_i && beat_i && last_i) count <= count - 1'b1;
    end
  end

  `DLA_ASSERT(AtMostDepthBurstsAreOut, count <= (IndexWidth + 1)'(Depth))
  `DLA_ASSERT(BurstsAreFromHeadToTail, (32'(tail) + Depth - 32'(head)) % Depth == 32'(count) % Depth)

endmodule
