// SPDX-License-Identifier: Apache-2.0
/// Unsigned division, two quotient bits a cycle: quotient_o = floor(dividend_i / divisor_i), Width / 2 cycles after
/// start_i.
`include "dla_assert.svh"
module dla_divider #(
  /// Even.
  parameter int unsigned Width = 16,
  /// Dependent, do not override.
  localparam int unsigned Digits     = Width / 2,
  localparam int unsigned CountWidth = $clog2(Digits + 1)
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,
  input  logic             start_i,
  input  logic [Width-1:0] dividend_i,
  /// Not zero.
  input  logic [Width-1:0] divisor_i,
  /// High for one cycle, with the quotient.
  output logic             done_o,
  output logic [Width-1:0] quotient_o
);
  logic [CountWidth-1:0] count_q;
  logic [Width-1:0]      divisor_q, rest_q;
  logic [Width+1:0]      triple_q;  // of the divisor

  // The next two bits of the dividend come down; the digit is how often the divisor goes into them.
  function automatic logic [Width+1:0] digit_and_rest(input logic [Width+1:0] next_rest);
    logic [Width+2:0] less_one, less_two, less_three;  // with the sign
    less_one   = {1'b0, next_rest} - {3'b0, divisor_q};
    less_two   = {1'b0, next_rest} - {2'b0, divisor_q, 1'b0};
    less_three = {1'b0, next_rest} - {1'b0, triple_q};
    if (!less_three[Width+2]) return {2'd3, less_three[Width-1:0]};
    if (!less_two[Width+2]) return {2'd2, less_two[Width-1:0]};
    if (!less_one[Width+2]) return {2'd1, less_one[Width-1:0]};
    return {2'd0, next_rest[Width-1:0]};
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      done_o  <= 1'b0;
    end else if (clear_i) begin
      count_q <= '0;
      done_o  <= 1'b0;
    end else begin
      done_o <= count_q == CountWidth'(1);
      if (start_i) count_q <= CountWidth'(Digits);
      else if (count_q != '0) count_q <= count_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      quotient_o <= dividend_i;
      divisor_q  <= divisor_i;
      triple_q   <= {1'b0, divisor_i, 1'b0} + {2'b0, divisor_i};
      rest_q     <= '0;
    end else if (count_q != '0) begin
      logic [1:0]       digit;
      logic [Width-1:0] rest;
      {digit, rest} = digit_and_rest({rest_q, quotient_o[Width-1:Width-2]});
      quotient_o <= {quotient_o[Width-3:0], digit};
      rest_q     <= rest;
    end
  end

  `DLA_CHECK_PARAM(WidthIsEven, Width % 2 == 0 && Width >= 4)
  `DLA_ASSERT(OneDivisionAtATime, start_i |-> count_q == '0)
  `DLA_ASSERT(RestIsLessThanTheDivisor, count_q != '0 && divisor_q != '0 |-> rest_q < divisor_q)
endmodule
