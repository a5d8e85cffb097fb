// SPDX-License-Identifier: Apache-2.0
/// A processing element: an ifmap window, the weights of a pass, one MAC a cycle, and a link of the psum chain.
///
/// Three stages: read both spads; multiply and accumulate; add the accumulator to the psum from the PE before it.
/// Each spad is there twice, so that the next columns and the next filter set load while it computes: the ifmap spad as a
/// ring of two windows, the filter spad as two halves.
/// Formats: ifmap uint8, weight int8, psum int32 (wraps modulo 2^32).
module dla_pe #(
  parameter int unsigned IfmapSpadBytes  = 12,
  parameter int unsigned FilterSpadBytes = 48,
  parameter int unsigned BusBytes        = 4,
  /// Dependent, do not override.
  localparam int unsigned FilterWords = (FilterSpadBytes + BusBytes - 1) / BusBytes,
  localparam int unsigned ByteBits    = $clog2(BusBytes),
  localparam int unsigned RingBytes   = 2 * IfmapSpadBytes
) (
  input  logic                     clk_i,
  /// Zero point of the ifmap. Static while a layer runs.
  input  logic [7:0]               zero_point_i,
  // Ifmap network: up to four bytes from `ifmap_addr_i` on.
  input  logic                     ifmap_write_i,
  input  logic [6:0]               ifmap_addr_i,
  input  logic [3:0]               ifmap_strobe_i,
  input  logic [31:0]              ifmap_data_i,
  // Filter network: one word.
  input  logic                     filter_write_i,
  input  logic                     filter_bank_i,
  input  logic [9:0]               filter_addr_i,
  input  logic [8*BusBytes-1:0]    filter_data_i,
  // Stage 0: read. Stage 1: accumulate. Stage 2: commit.
  input  logic                     mac0_i,
  input  logic                     bank0_i,
  input  logic [9:0]               weight0_i,
  input  logic [6:0]               pixel0_i,
  input  logic                     mac1_i,
  input  logic                     first1_i,
  input  logic                     commit2_i,
  /// Whether this PE's row takes part in the pass; if not it only hands the psum on.
  input  logic                     active2_i,
  // Psum chain.
  input  logic signed [31:0]       psum_i,
  output logic signed [31:0]       psum_o
);
  logic [7:0]            ifmap_q  [RingBytes];
  logic [8*BusBytes-1:0] filter_q [2*FilterWords];

  logic signed [8:0]  x_q;
  logic signed [7:0]  w_q;
  logic signed [31:0] acc_q;

  logic [8*BusBytes-1:0] weight_word;
  assign weight_word = filter_q[$clog2(2*FilterWords)'((bank0_i ? FilterWords : 0) + (32'(weight0_i) >> ByteBits))];

  always_ff @(posedge clk_i) begin
    if (ifmap_write_i) begin
      for (int unsigned lane = 0; lane < 4; lane++) begin
        if (ifmap_strobe_i[lane]) ifmap_q[$clog2(RingBytes)'(32'(ifmap_addr_i) + lane)] <= ifmap_data_i[8*lane+:8];
      end
    end
    if (filter_write_i) begin
      filter_q[$clog2(2*FilterWords)'((filter_bank_i ? FilterWords : 0) + 32'(filter_addr_i))] <= filter_data_i;
    end
    if (mac0_i) begin
      w_q <= weight_word[8*weight0_i[ByteBits-1:0]+:8];
      x_q <= $signed({1'b0, ifmap_q[$clog2(RingBytes)'(pixel0_i)]}) - $signed({1'b0, zero_point_i});
    end
    if (mac1_i) acc_q <= (first1_i ? 32'sd0 : acc_q) + 32'(x_q) * 32'(w_q);
    if (commit2_i) psum_o <= psum_i + (active2_i ? acc_q : 32'sd0);
  end
endmodule
