// SPDX-License-Identifier: Apache-2.0
/// Unsigned division, one quotient bit a cycle: quotient_o = floor(dividend_i / divisor_i), Width cycles after start_i.
module dla_divider #(
  parameter int unsigned Width = 17,
  /// Dependent, do not override.
  localparam int unsigned CountWidth = $clog2(Width + 1)
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
  logic [Width:0]        next_rest;

  assign next_rest = {rest_q, quotient_o[Width-1]};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      done_o  <= 1'b0;
    end else if (clear_i) begin
      count_q <= '0;
      done_o  <= 1'b0;
    end else begin
      done_o <= count_q == CountWidth'(1);
      if (start_i) count_q <= CountWidth'(Width);
      else if (count_q != '0) count_q <= count_q - 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      quotient_o <= dividend_i;
      divisor_q  <= divisor_i;
      rest_q     <= '0;
    end else if (count_q != '0) begin
      quotient_o <= {quotient_o[Width-2:0], next_rest >= {1'b0, divisor_q}};
      rest_q     <= Width'(next_rest >= {1'b0, divisor_q} ? next_rest - {1'b0, divisor_q} : next_rest);
    end
  end
endmodule
