// SPDX-License-Identifier: Apache-2.0
/// Unsigned multiplication, a byte of b_i a cycle: product_o = a_i * b_i, three cycles after start_i.
///
/// A product that does not fit in 32 bits stays at the largest value. It stands until the cycle after the next start_i.
`include "dla_assert.svh"
module dla_multiplier (
  input  logic        clk_i,
  input  logic        start_i,
  input  logic [31:0] a_i,
  input  logic [15:0] b_i,
  output logic [31:0] product_o
);
  logic        first_q, second_q;  // the byte of b_i that is multiplied, which is the low one of b_q
  logic [31:0] a_q, carried;
  logic [15:0] b_q;
  logic [39:0] high_q;
  logic [7:0]  low_q;
  assign carried   = second_q ? high_q[39:8] : '0;
  assign product_o = high_q[39:24] != '0 ? '1 : {high_q[23:0], low_q};

  always_ff @(posedge clk_i) begin
    first_q  <= start_i;
    second_q <= first_q;
    if (start_i) begin
      a_q <= a_i;
      b_q <= b_i;
    end else begin
      b_q <= b_q >> 8;
    end
    if (first_q || second_q) begin
      high_q <= 40'(a_q) * 40'(b_q[7:0]) + 40'(carried);
      low_q  <= high_q[7:0];
    end
  end

  `DLA_ASSERT_CLOCKED(OperandsStayForBothBytes, start_i |-> !first_q)
endmodule
