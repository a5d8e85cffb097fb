// SPDX-License-Identifier: Apache-2.0
/// A synchronous memory with one read and one write port: what an SRAM compiler, or a register file, gives.
///
/// A word comes the cycle after its address and stays until the next is read. Each byte is a memory of its own. A byte
/// that is written is not read in the same cycle: real memories differ in what they would give.
`include "dla_assert.svh"
module dla_sram #(
  parameter int unsigned Words     = 512,
  parameter int unsigned WordBytes = 4,
  /// Dependent, do not override.
  localparam int unsigned AddrWidth = $clog2(Words)
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   read_i,
  input  logic [AddrWidth-1:0]   raddr_i,
  /// Of the assertion alone: the bytes that the word is read for.
  input  logic [WordBytes-1:0]   rstrobe_i,
  output logic [8*WordBytes-1:0] rdata_o,
  input  logic                   write_i,
  input  logic [WordBytes-1:0]   wstrobe_i,
  input  logic [AddrWidth-1:0]   waddr_i,
  input  logic [8*WordBytes-1:0] wdata_i
);
  logic [8*WordBytes-1:0] words_q [Words];

  // One block, the read first: a blocking write costs a simulation nothing in the cycles without one, and a memory that
  // rests costs it one test.
  always_ff @(posedge clk_i) begin
    if (read_i || write_i) begin
      if (read_i) rdata_o <= words_q[raddr_i];
      if (write_i) begin
        logic [AddrWidth-1:0]   addr;
        logic [WordBytes-1:0]   strobe;
        logic [8*WordBytes-1:0] data;
        addr   = waddr_i;
        strobe = wstrobe_i;
        data   = wdata_i;
        for (int unsigned b = 0; b < WordBytes; b++) begin
          if (strobe[b]) words_q[addr][8*b+:8] = data[8*b+:8];
        end
      end
    end
  end

  logic meet;
  assign meet = read_i && write_i && raddr_i == waddr_i && (rstrobe_i & wstrobe_i) != '0;
  `DLA_ASSERT(NoReadOfAByteBeingWritten, !meet)
endmodule
