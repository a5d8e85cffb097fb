// SPDX-License-Identifier: Apache-2.0
/// Turns a finished psum into an activation: out = clamp(round(relu?(psum) * 2^-shift) + zero_point, 0, 255).
///
/// Combinational. Psum int32, activation uint8. Bit-exact with dla_requantize() in sim/spec/dla_arith.h.
`include "dla_assert.svh"
module dla_requant
  import dla_regs_pkg::*;
(
  input  logic signed [31:0] psum_i,
  input  logic [4:0]         shift_i,
  input  dla_rounding_e      rounding_i,
  input  logic               relu_i,
  input  logic [7:0]         zero_point_i,
  output logic [7:0]         activation_o
);
  logic signed [31:0] kept, quotient;
  logic        [31:0] rest, half;
  logic               up;
  logic signed [33:0] sum;

  assign kept     = relu_i && psum_i < 0 ? '0 : psum_i;
  assign quotient = kept >>> shift_i;
  assign rest     = 32'(kept) & ~(32'hffff_ffff << shift_i);
  assign half     = shift_i == '0 ? '0 : 32'd1 << (shift_i - 1'b1);
  assign up       = rounding_i == RoundingNearestEven && shift_i != '0 &&
                    (rest > half || (rest == half && quotient[0]));
  assign sum      = 34'(quotient) + $signed({33'b0, up}) + $signed({26'b0, zero_point_i});
  assign activation_o = sum < 0 ? 8'd0 : sum > 34'sd255 ? 8'd255 : 8'(sum);

  `DLA_ASSERT_ALWAYS(ReluGivesAtLeastTheZeroPoint, !relu_i || activation_o >= zero_point_i)
endmodule
