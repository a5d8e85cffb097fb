// SPDX-License-Identifier: Apache-2.0
/// Replaces requantized bytes by those of a layer's table, two cycles later: a memory of 256 bytes a lane.
///
/// The memories hold the same, so that lanes read what they like. A word of the bus is written to all of them at once;
/// of the word that is read, a byte is chosen a cycle later.
`include "dla_assert.svh"
module dla_lookup #(
  parameter int unsigned Lanes    = 1,
  parameter int unsigned BusBytes = 4,
  /// Dependent, do not override.
  localparam int unsigned BusShift  = $clog2(BusBytes),
  localparam int unsigned Words     = 256 / BusBytes,
  localparam int unsigned WordWidth = $clog2(Words)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // Of the table, as it lies in DRAM. Before the first psum of its layer.
  input  logic                  write_i,
  input  logic [WordWidth-1:0]  word_i,
  input  logic [8*BusBytes-1:0] data_i,
  /// Bytes that count.
  input  logic [Lanes-1:0]      read_i,
  input  logic [Lanes-1:0][7:0] byte_i,
  output logic [Lanes-1:0][7:0] byte_o
);
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    logic [8*BusBytes-1:0] word;
    logic [BusShift-1:0]   byte_q;   // of the word
    logic                  read_q;
    dla_sram #(.Words(Words), .WordBytes(BusBytes)) u_table (
      .clk_i, .rst_ni, .read_i(read_i[lane]), .raddr_i(byte_i[lane][7:BusShift]), .rstrobe_i('1), .rdata_o(word),
      .write_i, .wstrobe_i('1), .waddr_i(word_i), .wdata_i(data_i)
    );
    always_ff @(posedge clk_i) begin
      if (read_i[lane]) byte_q <= byte_i[lane][BusShift-1:0];
      read_q <= read_i[lane];
      if (read_q) byte_o[lane] <= word[8*32'(byte_q)+:8];
    end
  end

  logic meet;
  assign meet = write_i && read_i != '0;
  `DLA_ASSERT(TableStandsWhileItIsRead, !meet)
endmodule
