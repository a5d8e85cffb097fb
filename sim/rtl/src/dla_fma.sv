// SPDX-License-Identifier: Apache-2.0
/// Multiplies a byte by a float32 and adds another: x * scale + addend, rounded once, to nearest even.
///
/// A result a cycle, 5 cycles after its operands. Bit-exact with dla_fma_f32() in sim/spec/dla_requant.h where no
/// result is smaller than 2^-126 (test: tb_dla_add.cpp).
`include "dla_assert.svh"
module dla_fma
  import dla_pkg::*;
(
  input  logic        clk_i,
  /// Whether anything moves.
  input  logic        enable_i,
  input  logic [7:0]  x_i,
  /// float32 without its sign, normal.
  input  logic [30:0] scale_i,
  input  real_t       addend_i,
  output real_t       sum_o
);
  // Zeros that 64 bits begin with; 63 where there is nothing else.
  function automatic logic [5:0] leading_zeros(input logic [63:0] of);
    logic [63:0] rest;
    rest = of;
    for (int half = 5; half >= 0; half--) begin
      leading_zeros[half] = rest[63-:32] >> (32 - (1 << half)) == '0;
      if (leading_zeros[half]) rest = rest << (1 << half);
    end
  endfunction

  // A unit of the product's last place is 2^(exponent - 150).
  logic [31:0] product_q;
  real_t       addend_q;

  // Both in units of the smaller last place. What is so small that none of its bits counts is 1 of places that the
  // other leaves free: it decides ties, and no more.
  localparam logic signed [9:0] MostProductShift = 10'sd27, MostAddendShift = 10'sd34;
  localparam int unsigned Width = 60;
  logic [Width-1:0]  product_term_q, addend_term_q;
  logic signed [9:0] unit_q;     // exponent of the last place
  logic              minus_q;

  // The absolute value of their sum, and how many zeros it begins with.
  logic              sum_negative_q, negative_q;
  logic [63:0]       sum_q, value_q;
  logic signed [9:0] sum_unit_q, value_unit_q;
  logic [5:0]        zeros_q;

  // Stages are assigned from the last to the first, so that each has been read before it changes: a simulation then
  // keeps no second copy of them.
  always_ff @(posedge clk_i) if (enable_i) begin
    automatic logic [63:0]       aligned;
    automatic logic [24:0]       rounded;
    automatic logic [Width:0]    ahead;
    automatic logic [Width-1:0]  behind, moved;
    automatic logic signed [9:0] scale_exponent, distance;
    automatic logic              product_moves, product_far, addend_far;
    automatic logic [9:0]        by;

    // Stage 5: its first 24 bits, rounded.
    aligned = value_q << zeros_q;
    rounded = 25'(aligned[63:40]) + 25'(aligned[39] && (aligned[40] || aligned[38:0] != '0));
    sum_o.negative <= negative_q;
    sum_o.value    <= rounded[24] ? 24'h80_0000 : rounded[23:0];
    sum_o.exponent <= value_unit_q - $signed({4'b0, zeros_q}) + (rounded[24] ? 10'sd41 : 10'sd40);

    // Stage 4: how many zeros that begins with.
    zeros_q      <= leading_zeros(sum_q);
    value_q      <= sum_q;
    negative_q   <= sum_negative_q;
    value_unit_q <= sum_unit_q;

    // Stage 3: the absolute value of their sum: of a difference both ways are worked out, and the sign chooses.
    ahead  = {1'b0, product_term_q} - {1'b0, addend_term_q};
    behind = addend_term_q - product_term_q;
    sum_q          <= !minus_q ? 64'(product_term_q) + 64'(addend_term_q)
                               : ahead[Width] ? 64'(behind) : 64'(ahead[Width-1:0]);
    sum_negative_q <= minus_q && ahead[Width];
    sum_unit_q     <= unit_q;

    // Stage 2: both in the same units.
    scale_exponent = $signed({2'b0, scale_i[30:23]});
    distance       = product_q != '0 && addend_q.value != '0 ? scale_exponent - addend_q.exponent : '0;
    product_moves  = distance > 10'sd0;
    product_far    = distance > MostProductShift;
    addend_far     = distance < -MostAddendShift;
    by             = product_far ? MostProductShift
                                 : addend_far ? MostAddendShift : product_moves ? distance : -distance;
    moved          = (product_moves ? Width'(product_q) : Width'(addend_q.value)) << by;
    product_term_q <= product_moves ? moved : addend_far ? Width'(1) : Width'(product_q);
    addend_term_q  <= !product_moves ? moved : product_far ? Width'(1) : Width'(addend_q.value);
    if (product_far) unit_q <= scale_exponent - MostProductShift;
    else if (addend_far) unit_q <= addend_q.exponent - MostAddendShift;
    else unit_q <= product_q == '0 || product_moves ? addend_q.exponent : scale_exponent;
    minus_q <= addend_q.negative;

    // Stage 1: the product, of 32 bits.
    product_q <= 32'(x_i) * 32'({1'b1, scale_i[22:0]});
    addend_q  <= addend_i;
  end

  // Registers hold anything at power-up: the zeros are then not those of the value.
  `DLA_ASSERT_CLOCKED(ASumIsNormal,
                      enable_i && zeros_q == leading_zeros(value_q) |=> sum_o.value[23] || sum_o.value == '0)
endmodule
