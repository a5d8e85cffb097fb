// SPDX-License-Identifier: Apache-2.0
/// Turns a finished psum into an activation by a float32 scale:
/// out = clamp(round(f32(psum) * scale) + zero_point, lowest, highest).
///
/// Psum int32, activation uint8; a psum a cycle, and each is an activation Stages cycles later. Every rounding is to
/// nearest even, the last one as rounding_i says. Bit-exact with dla_apply_scale() in sim/spec/dla_requant.h for every
/// psum and every positive finite scale; other scales are taken as dla_stream_scale() in sim/spec/dla_output.h says
/// (test: tb_dla_rescale.cpp).
`include "dla_assert.svh"
module dla_rescale
  import dla_regs_pkg::*;
(
  input  logic               clk_i,
  /// Whether anything moves.
  input  logic               enable_i,
  input  logic signed [31:0] psum_i,
  /// float32 without its sign, of the psum that came two cycles before.
  input  logic [30:0]        scale_i,
  // Static while a layer runs.
  input  dla_rounding_e      rounding_i,
  input  logic [7:0]         zero_point_i,
  input  logic [7:0]         lowest_i,
  input  logic [7:0]         highest_i,
  output logic [7:0]         activation_o
);
  localparam int unsigned Stages = 6;

  // Zeros that 32 bits begin with; 31 where there is nothing else.
  function automatic logic [4:0] leading_zeros(input logic [31:0] of);
    logic [15:0] half;
    logic [7:0]  quarter;
    logic [3:0]  nibble;
    leading_zeros[4] = of[31:16] == '0;
    half             = leading_zeros[4] ? of[15:0] : of[31:16];
    leading_zeros[3] = half[15:8] == '0;
    quarter          = leading_zeros[3] ? half[7:0] : half[15:8];
    leading_zeros[2] = quarter[7:4] == '0;
    nibble           = leading_zeros[2] ? quarter[3:0] : quarter[7:4];
    leading_zeros[1] = nibble[3:2] == '0;
    leading_zeros[0] = leading_zeros[1] ? !nibble[1] : !nibble[3];
  endfunction

  logic [Stages-2:0] negative_q;
  logic [31:0] magnitude_q;
  logic [4:0]  zeros_q;
  // f32(magnitude) = value_q * 2^(top_q - 23), value_q of 24 bits, the highest of them set where it is not 0.
  logic [23:0] value_q;
  logic [5:0]  top_q;
  // A scale is factor * 2^(exponent - 150); one that lacks the factor's highest bit is so small
  // that it makes no difference.
  logic [23:0] low_low_q, low_high_q, high_low_q, high_high_q;
  logic [8:0]  exponent_q;
  // product = product_q * 2^(power_q - 150).
  logic [23:0] product_q;
  logic        half_q, rest_q;
  logic [8:0]  power_q;
  // With 8 bits before the point. Beyond these bits it is huge, or all behind the half.
  localparam logic [8:0] MostPower = 9'd134, LeastPower = 9'd126;
  logic [7:0]  whole_q;
  logic        point_half_q, huge_q, tiny_q;
  logic [22:0] point_rest_q;

  // Stages are assigned from the last to the first, so that each has been read before it changes: a simulation then
  // keeps no second copy of them.
  always_ff @(posedge clk_i) if (enable_i) begin
    automatic logic              rest, up, negative;
    automatic logic signed [9:0] sum;
    automatic logic [24:0]       rounded, value;
    automatic logic [8:0]        power;
    automatic logic [31:0]       fixed, aligned, magnitude;
    automatic logic [35:0]       sums, carries;  // of three products above the fourth's last 12 bits
    automatic logic [47:0]       product;
    automatic logic [23:0]       factor;

    // Stage 6: to an integer, and from there to the zero point and between the bounds.
    negative = negative_q[Stages-2];
    rest     = tiny_q || point_rest_q != '0;
    up       = rounding_i == RoundingNearestEven ? point_half_q && (rest || whole_q[0])
                                                 : negative && (point_half_q || rest);
    // -(whole + up) is ~whole + !up.
    sum = $signed({2'b0, zero_point_i}) + $signed(negative ? {2'b11, ~whole_q} : {2'b00, whole_q}) +
          $signed({9'b0, up != negative});
    if (huge_q) activation_o <= negative ? lowest_i : highest_i;
    else if (sum < $signed({2'b0, lowest_i})) activation_o <= lowest_i;
    else if (sum > $signed({2'b0, highest_i})) activation_o <= highest_i;
    else activation_o <= 8'(sum);

    // Stage 5: f32(product), with 8 bits before the point.
    rounded = 25'(product_q) + 25'(half_q && (product_q[0] || rest_q));
    power   = power_q + 9'(rounded[24]);
    fixed   = {rounded[24] ? 24'h80_0000 : rounded[23:0], 8'd0} >> 4'(MostPower - power);
    huge_q <= product_q[23] && power > MostPower;
    tiny_q <= product_q[23] && power < LeastPower;
    {whole_q, point_half_q, point_rest_q} <= power < LeastPower ? '0 : fixed;

    // Stage 4: the product, of 47 or 48 bits: the first 24 of them, the one behind, and whether there is more.
    sums    = {high_high_q, low_low_q[23:12]} ^ 36'(low_high_q) ^ 36'(high_low_q);
    carries = {high_high_q, low_low_q[23:12]} & 36'(low_high_q) | {high_high_q, low_low_q[23:12]} & 36'(high_low_q) |
              36'(low_high_q) & 36'(high_low_q);
    product = {sums + (carries << 1), low_low_q[11:0]};
    product_q <= product[47] ? product[47:24] : product[46:23];
    half_q    <= product[47] ? product[23] : product[22];
    rest_q    <= product[21:0] != '0 || (product[47] && product[22]);
    power_q   <= product[47] ? exponent_q + 1'b1 : exponent_q;

    // Stage 3: four products of halves.
    factor = {1'b1, scale_i[22:0]};
    low_low_q   <= 24'(value_q[11:0]) * 24'(factor[11:0]);
    low_high_q  <= 24'(value_q[11:0]) * 24'(factor[23:12]);
    high_low_q  <= 24'(value_q[23:12]) * 24'(factor[11:0]);
    high_high_q <= 24'(value_q[23:12]) * 24'(factor[23:12]);
    exponent_q  <= 9'(scale_i[30:23]) + 9'(top_q);

    // Stage 2: f32(magnitude).
    aligned = magnitude_q << zeros_q;
    value   = 25'(aligned[31:8]) + 25'(aligned[7] && (aligned[8] || aligned[6:0] != '0));
    value_q <= value[24] ? 24'h80_0000 : value[23:0];
    top_q   <= 6'd31 - 6'(zeros_q) + 6'(value[24]);

    // Stage 1: the absolute value, and how many zeros it begins with.
    magnitude = psum_i[31] ? -psum_i : psum_i;
    magnitude_q <= magnitude;
    zeros_q     <= leading_zeros(magnitude);
    negative_q  <= {negative_q[Stages-3:0], psum_i[31]};
  end

  // In stage 3 the psum's 24 bits begin with a 1, or are none. Registers hold anything at power-up: the zeros are then
  // not those of the value.
  `DLA_ASSERT_CLOCKED(AValueIsNormal,
                      enable_i && zeros_q == leading_zeros(magnitude_q) |=> value_q[23] || value_q == '0)
endmodule
