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

  // Stage 1: the product, of 32 bits; a unit of its last place is 2^(exponent - 150).
  logic [31:0] product_q;
  real_t       addend_q;
  always_ff @(posedge clk_i) if (enable_i) begin
    product_q <= 32'(x_i) * 32'({1'b1, scale_i[22:0]});
    addend_q  <= addend_i;
  end

  // Stage 2: both in units of the smaller last place. What is so small that none of its bits counts is 1 of places that
  // the other leaves free: it decides ties, and no more.
  localparam logic signed [9:0] MostProductShift = 10'sd27, MostAddendShift = 10'sd34;
  localparam int unsigned Width = 60;
  typedef struct packed {
    logic [Width-1:0]  product;
    logic [Width-1:0]  addend;
    logic signed [9:0] unit;   // exponent of the last place
  } terms_t;
  function automatic terms_t align(input logic [31:0] product, input logic signed [9:0] scale_exponent, input real_t addend);
    logic signed [9:0] distance;
    logic              product_moves, product_far, addend_far;
    logic [9:0]        by;
    logic [Width-1:0]  moved;
    distance      = product != '0 && addend.value != '0 ? scale_exponent - addend.exponent : '0;
    product_moves = distance > 10'sd0;
    product_far   = distance > MostProductShift;
    addend_far    = distance < -MostAddendShift;
    by            = product_far ? MostProductShift : addend_far ? MostAddendShift : product_moves ? distance : -distance;
    moved         = (product_moves ? Width'(product) : Width'(addend.value)) << by;
    align.product = product_moves ? moved : addend_far ? Width'(1) : Width'(product);
    align.addend  = !product_moves ? moved : product_far ? Width'(1) : Width'(addend.value);
    if (product_far) align.unit = scale_exponent - MostProductShift;
    else if (addend_far) align.unit = addend.exponent - MostAddendShift;
    else align.unit = product == '0 || product_moves ? addend.exponent : scale_exponent;
  endfunction
  terms_t terms_q;
  logic   negative_q;
  always_ff @(posedge clk_i) if (enable_i) begin
    terms_q    <= align(product_q, $signed({2'b0, scale_i[30:23]}), addend_q);
    negative_q <= addend_q.negative;
  end

  // Stage 3: the absolute value of their sum: of a difference both ways are worked out, and the sign chooses.
  typedef struct packed {
    logic              negative;
    logic [63:0]       value;
    logic signed [9:0] unit;
  } magnitude_t;
  function automatic magnitude_t magnitude_of(input terms_t terms, input logic minus);
    logic [Width:0]   ahead;
    logic [Width-1:0] behind;
    ahead  = {1'b0, terms.product} - {1'b0, terms.addend};
    behind = terms.addend - terms.product;
    magnitude_of.negative = minus && ahead[Width];
    magnitude_of.value    = !minus ? 64'(terms.product) + 64'(terms.addend)
                                   : ahead[Width] ? 64'(behind) : 64'(ahead[Width-1:0]);
    magnitude_of.unit     = terms.unit;
  endfunction
  magnitude_t sum_q;
  always_ff @(posedge clk_i) if (enable_i) sum_q <= magnitude_of(terms_q, negative_q);

  // Stage 4: how many zeros that begins with.
  magnitude_t magnitude_q;
  logic [5:0] zeros_q;
  always_ff @(posedge clk_i) if (enable_i) begin
    magnitude_q <= sum_q;
    zeros_q     <= leading_zeros(sum_q.value);
  end

  // Stage 5: its first 24 bits, rounded.
  function automatic real_t rounded_of(input logic negative, input logic [63:0] aligned, input logic signed [9:0] exponent);
    logic [24:0] value;
    value = 25'(aligned[63:40]) + 25'(aligned[39] && (aligned[40] || aligned[38:0] != '0));
    rounded_of.negative = negative;
    rounded_of.value    = value[24] ? 24'h80_0000 : value[23:0];
    rounded_of.exponent = exponent + (value[24] ? 10'sd41 : 10'sd40);
  endfunction
  always_ff @(posedge clk_i) if (enable_i) begin
    sum_o <= rounded_of(magnitude_q.negative, magnitude_q.value << zeros_q, magnitude_q.unit - $signed({4'b0, zeros_q}));
  end

  `DLA_ASSERT_CLOCKED(ASumIsNormal, sum_o.value[23] || sum_o.value == '0)
endmodule
