// SPDX-License-Identifier: Apache-2.0
/// Turns a finished psum into an activation: out = clamp(round(psum * 2^-shift) + zero_point, lowest, highest).
///
/// Combinational. Psum int32, activation uint8. Bit-exact with dla_output() in sim/spec/dla_output.h.
`include "dla_assert.svh"
module dla_requant
  import dla_regs_pkg::*;
(
  input  logic signed [31:0] psum_i,
  input  logic [4:0]         shift_i,
  input  dla_rounding_e      rounding_i,
  input  logic [7:0]         zero_point_i,
  input  logic [7:0]         lowest_i,
  input  logic [7:0]         highest_i,
  output logic [7:0]         activation_o
);
  logic signed [31:0] quotient;
  logic        [31:0] rest, half;
  logic               up;
  logic signed [33:0] sum;

  assign quotient = psum_i >>> shift_i;
  assign rest     = 32'(psum_i) & ~(32'hffff_ffff << shift_i);
  assign half     = shift_i == '0 ? '0 : 32'd1 << (shift_i - 1'b1);
  assign up       = rounding_i == RoundingNearestEven && shift_i != '0 &&
                    (rest > half || (rest == half && quotient[0]));
  assign sum      = 34'(quotient) + $signed({33'b0, up}) + $signed({26'b0, zero_point_i});
  assign activation_o = sum < $signed({26'b0, lowest_i}) ? lowest_i
                                                         : sum > $signed({26'b0, highest_i}) ? highest_i : 8'(sum);

  `DLA_ASSERT_ALWAYS(OutputsAreBetweenTheirBounds, lowest_i > highest_i ||
                                                   (activation_o >= lowest_i && activation_o <= highest_i))
endmodule
