// SPDX-License-Identifier: Apache-2.0
/// Adds two activations, each with its scale:
/// out = clamp(round(a * a_scale + (b * b_scale + offset)), lowest, highest).
///
/// All uint8; a sum a cycle, 12 cycles after its operands. Both sums are float32, rounded once. Bit-exact with
/// dla_add_u8() in sim/spec/dla_requant.h (test: tb_dla_add.cpp).
`include "dla_assert.svh"
module dla_add
  import dla_pkg::*;
  import dla_regs_pkg::*;
(
  input  logic          clk_i,
  /// Whether anything moves.
  input  logic          enable_i,
  input  logic [7:0]    a_i,
  input  logic [7:0]    b_i,
  // Static while a layer runs. Scales are float32 without their sign, the offset is a float32; all are normal, or 0.
  input  logic [30:0]   a_scale_i,
  input  logic [30:0]   b_scale_i,
  input  logic [31:0]   offset_i,
  input  dla_rounding_e rounding_i,
  input  logic [7:0]    lowest_i,
  input  logic [7:0]    highest_i,
  output logic [7:0]    sum_o
);
  localparam int unsigned FmaStages = 5;

  real_t inner, outer, offset;
  logic [FmaStages-1:0][7:0] a_q;
  always_comb begin
    offset = '0;
    if (enable_i) offset = real_of(offset_i);
  end
  dla_fma u_inner (.clk_i, .enable_i, .x_i(b_i), .scale_i(b_scale_i), .addend_i(offset), .sum_o(inner));
  dla_fma u_outer (.clk_i, .enable_i, .x_i(a_q[FmaStages-1]), .scale_i(a_scale_i), .addend_i(inner), .sum_o(outer));

  // With 8 bits before the point. Beyond these bits it is huge, or all behind the half.
  localparam logic signed [9:0] MostExponent = 10'sd134, LeastExponent = 10'sd126;
  logic [7:0]  whole_q;
  logic        half_q, rest_q, huge_q, negative_q;
  always_ff @(posedge clk_i) if (enable_i) begin
    automatic logic [8:0]  rounded;
    automatic logic [31:0] fixed;

    // To an integer between the bounds: nothing below 0 is.
    rounded = 9'(whole_q) + 9'(rounding_i == RoundingNearestEven && half_q && (rest_q || whole_q[0]));
    if (negative_q) sum_o <= lowest_i;
    else if (huge_q || rounded > 9'(highest_i)) sum_o <= highest_i;
    else sum_o <= rounded < 9'(lowest_i) ? lowest_i : 8'(rounded);

    fixed = outer.exponent < LeastExponent ? '0 : {outer.value, 8'd0} >> 4'(MostExponent - outer.exponent);
    negative_q        <= outer.negative;
    huge_q            <= outer.value != '0 && outer.exponent > MostExponent;
    {whole_q, half_q} <= fixed[31:23];
    rest_q            <= fixed[22:0] != '0;

    a_q <= {a_q[FmaStages-2:0], a_i};
  end

  `DLA_ASSERT_CLOCKED(ASumIsInItsBounds, enable_i && lowest_i <= highest_i |=>
                      sum_o >= $past(lowest_i) && sum_o <= $past(highest_i))
endmodule
