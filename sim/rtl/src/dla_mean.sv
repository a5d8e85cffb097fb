// SPDX-License-Identifier: Apache-2.0
/// Takes the mean of the outputs of each filter, word by word: the sum of them less their zero points, times a scale.
///
/// A filter's first word is the one behind another's last. A word whose bytes come in cycle T has its mean, if it is
/// the last of its filter, in cycle T + 9: two to add, one to accumulate, and those of dla_rescale. Bit-exact with
/// dla_mean_output() in sim/spec/dla_output.h.
`include "dla_assert.svh"
module dla_mean
  import dla_pkg::*;
  import dla_regs_pkg::*;
#(
  parameter int unsigned Cols     = 8,
  parameter int unsigned BusBytes = 4
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  input  layer_t                layer_i,
  input  logic                  word_i,
  input  logic                  ends_i,     // its filter
  input  logic [8*BusBytes-1:0] data_i,
  input  logic [BusBytes-1:0]   strobe_i,
  output logic [7:0]            mean_o
);
  // Up to Cols rows of 4095 + 20 columns, each of 9 bits.
  localparam int unsigned SumWidth = $clog2(Cols * 4115 * 256) + 1;
  logic enable;
  assign enable = layer_i.quant.mean;

  // Stage 1: without their zero points. Stage 2: the sum of a word. Stage 3: of a filter.
  logic [BusBytes-1:0][8:0]   steps_q;
  logic signed [SumWidth-1:0] word_sum_q, sum_q;
  logic [1:0]                 word_q, ends_q;
  logic                       begins_q;      // the word in stage 3 is its filter's first
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      word_q   <= '0;
      ends_q   <= '0;
      begins_q <= 1'b1;
    end else if (clear_i) begin
      word_q   <= '0;
      ends_q   <= '0;
      begins_q <= 1'b1;
    end else if (enable) begin
      word_q <= {word_q[0], word_i};
      ends_q <= {ends_q[0], ends_i};
      if (word_q[1]) begins_q <= ends_q[1];
    end
  end
  always_ff @(posedge clk_i) if (enable) begin
    automatic logic signed [SumWidth-1:0] word_sum;
    if (word_q[1]) sum_q <= begins_q ? word_sum_q : sum_q + word_sum_q;
    word_sum = '0;
    for (int unsigned i = 0; i < BusBytes; i++) word_sum = word_sum + SumWidth'($signed(steps_q[i]));
    word_sum_q <= word_sum;
    for (int unsigned i = 0; i < BusBytes; i++) begin
      steps_q[i] <= strobe_i[i] ? 9'(data_i[8*i+:8]) - 9'(layer_i.quant.ofmap_zero_point) : '0;
    end
  end

  dla_rescale u_rescale (
    .clk_i, .enable_i(enable), .psum_i(32'(sum_q)), .scale_i(layer_i.conv_scale[30:0]),
    .rounding_i(dla_rounding_e'(layer_i.quant.rounding)), .zero_point_i(layer_i.quant.mean_zero_point),
    .lowest_i(layer_i.bounds.sum_lowest), .highest_i(~layer_i.bounds.sum_headroom), .activation_o(mean_o)
  );

  `DLA_ASSERT(OnlyAWordEndsAFilter, ends_q[0] |-> word_q[0])
endmodule
