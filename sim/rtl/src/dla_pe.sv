// SPDX-License-Identifier: Apache-2.0
/// A processing element: an ifmap window, the weights of a pass, one MAC a cycle, and a link of the psum chain.
///
/// Four stages: read the filter spad; choose the weight from its word and read the pixel; multiply and accumulate; add
/// the accumulator to the psum from the PE before it. Each spad is there twice, so that the next columns and the next
/// filter set load while it computes: the filter spad as two halves of a memory with one read and one write port, the
/// ifmap spad as a ring of two windows in registers, as wide as the ifmap network.
/// Formats: ifmap uint8, weight int8, psum int32 (wraps modulo 2^32).
`include "dla_assert.svh"
module dla_pe #(
  parameter int unsigned IfmapSpadBytes  = 12,
  parameter int unsigned FilterSpadBytes = 48,
  parameter int unsigned IfmapBytes      = 4,
  parameter int unsigned FilterBytes     = 4,
  /// Of the numbers by which PEs take words.
  parameter int unsigned IfmapIdWidth    = 13,
  /// Dependent, do not override.
  localparam int unsigned FilterWords = 2 * ((FilterSpadBytes + FilterBytes - 1) / FilterBytes),
  localparam int unsigned FilterAddr  = $clog2(FilterWords),
  localparam int unsigned RingWords   = (2 * IfmapSpadBytes + IfmapBytes - 1) / IfmapBytes,
  localparam int unsigned RingAddr    = RingWords == 1 ? 1 : $clog2(RingWords)
) (
  input  logic                     clk_i,
  /// Zero point of the ifmap. Static while a layer runs.
  input  logic [7:0]               zero_point_i,
  // Ifmap network: a word for the row, which PEs take whose number is its tag; a byte a lane that has one, each to its
  // word of the ring. Packed: a simulation copies an array a PE.
  input  logic                     ifmap_valid_i,
  input  logic [IfmapIdWidth-1:0]  ifmap_tag_i,
  input  logic [IfmapIdWidth-1:0]  ifmap_id_i,
  input  logic [IfmapBytes-1:0]    ifmap_strobe_i,
  input  logic [IfmapBytes-1:0][RingAddr-1:0] ifmap_addr_i,
  input  logic [8*IfmapBytes-1:0]  ifmap_data_i,
  // Filter network: one word for the row, which the PEs of some columns take.
  input  logic                     filter_valid_i,
  input  logic                     filter_column_i,
  input  logic [FilterAddr-1:0]    filter_addr_i,
  input  logic [8*FilterBytes-1:0] filter_data_i,
  // Stage 0: read the filter spad. Stage 1: weight and pixel. Stage 2: accumulate. Stage 3: commit.
  input  logic                     read0_i,
  input  logic [FilterAddr-1:0]    word0_i,
  input  logic                     mac1_i,
  input  logic [9:0]               weight1_i,
  input  logic [6:0]               pixel1_i,
  /// The pixel is the zero point, and in no spad.
  input  logic                     padding1_i,
  input  logic                     first1_i,
  input  logic                     mac2_i,
  input  logic                     commit3_i,
  /// Whether this PE's row takes part in the pass; if not it only hands the psum on.
  input  logic                     active3_i,
  // Psum chain.
  input  logic signed [31:0]       psum_i,
  output logic signed [31:0]       psum_o
);
  logic [8*FilterBytes-1:0] filter_q [FilterWords];
  logic [8*IfmapBytes-1:0]  ifmap_q  [RingWords];

  logic [8*FilterBytes-1:0] word_q;
  logic signed [8:0]        x_q;
  logic signed [7:0]        w_q;
  logic                     first_q;  // a PE's own: one a row would drive the sums' gates of all its PEs
  logic signed [31:0]       acc_q;

  // Each block reads before it writes: it costs a simulation nothing in the cycles without a write.
  always_ff @(posedge clk_i) begin
    if (read0_i) word_q <= filter_q[word0_i];
    if (filter_valid_i) begin
      if (filter_column_i) filter_q[filter_addr_i] = filter_data_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (mac1_i) begin
      first_q <= first1_i;
      w_q <= word_q[8*(32'(weight1_i) % FilterBytes)+:8];
      x_q <= padding1_i ? '0 :
             $signed({1'b0, ifmap_q[RingAddr'(32'(pixel1_i) / IfmapBytes)][8*(32'(pixel1_i) % IfmapBytes)+:8]}) -
             $signed({1'b0, zero_point_i});
    end
    if (ifmap_valid_i) begin
      if (ifmap_tag_i == ifmap_id_i) begin
        for (int unsigned lane = 0; lane < IfmapBytes; lane++) begin
          if (ifmap_strobe_i[lane]) ifmap_q[ifmap_addr_i[lane]][8*lane+:8] = ifmap_data_i[8*lane+:8];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (commit3_i) psum_o <= psum_i + (active3_i ? acc_q : 32'sd0);
    if (mac2_i) acc_q <= (first_q ? 32'sd0 : acc_q) + 32'(x_q) * 32'(w_q);
  end

  `DLA_ASSERT_CLOCKED(WeightIsNotBeingWritten, !(read0_i && filter_valid_i && filter_column_i &&
                                                 word0_i == filter_addr_i))
  `DLA_ASSERT_CLOCKED(WeightIsInTheSpad, (!read0_i || 32'(word0_i) < FilterWords) &&
                                         (!filter_valid_i || 32'(filter_addr_i) < FilterWords))
  `DLA_ASSERT_CLOCKED(PixelIsInTheSpad, !mac1_i || 32'(pixel1_i) / IfmapBytes < RingWords)
endmodule
