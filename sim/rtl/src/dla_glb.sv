// SPDX-License-Identifier: Apache-2.0
/// The global buffer, seen from its users: banks of BusBytes-wide words, each with one read and one write port.
///
/// Data comes the cycle after the address. Every region is made of whole banks and has one reader and one writer for a
/// whole layer; the ifmap region is read in four quarters, and the output region written in Lanes lanes, each of whole
/// banks. So no two users meet in a bank, and nobody arbitrates: the assertions below hold it to that.
`include "dla_assert.svh"
module dla_glb #(
  parameter int unsigned GlbBytes     = 65536,
  parameter int unsigned GlbBankBytes = 2048,
  parameter int unsigned BusBytes     = 4,
  /// Dependent, do not override.
  localparam int unsigned Lanes     = BusBytes / 4,
  localparam int unsigned Words     = GlbBytes / BusBytes,
  localparam int unsigned AddrWidth = $clog2(Words),
  localparam int unsigned Width     = 8 * BusBytes
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // Readers.
  input  logic [3:0]           ifmap_read_i,
  input  logic [AddrWidth-1:0] ifmap_addr_i [4],
  output logic [Width-1:0]     ifmap_data_o [4],
  input  logic                 filter_read_i,
  input  logic [AddrWidth-1:0] filter_addr_i,
  output logic [Width-1:0]     filter_data_o,
  input  logic                 psum_read_i,
  input  logic [AddrWidth-1:0] psum_raddr_i,
  output logic [Width-1:0]     psum_rdata_o,
  input  logic                 out_read_i,
  input  logic [AddrWidth-1:0] out_raddr_i,
  output logic [Width-1:0]     out_rdata_o,
  // Writers.
  input  logic                 load_write_i,
  input  logic [AddrWidth-1:0] load_addr_i,
  input  logic [Width-1:0]     load_data_i,
  input  logic                 psum_write_i,
  input  logic [AddrWidth-1:0] psum_waddr_i,
  input  logic [Width-1:0]     psum_wdata_i,
  input  logic [Lanes-1:0]     out_write_i,
  input  logic [AddrWidth-1:0] out_waddr_i [Lanes],
  input  logic [BusBytes-1:0]  out_wstrobe_i [Lanes],
  input  logic [7:0]           out_wdata_i [Lanes],
  // Words moved this cycle, for the counters.
  output logic [3:0]           reads_o,
  output logic [3:0]           writes_o
);
  logic [Width-1:0] words_q [Words];

  always_ff @(posedge clk_i) begin
    for (int unsigned lane = 0; lane < 4; lane++) begin
      if (ifmap_read_i[lane]) ifmap_data_o[lane] <= words_q[ifmap_addr_i[lane]];
    end
    if (filter_read_i) filter_data_o <= words_q[filter_addr_i];
    if (psum_read_i) psum_rdata_o <= words_q[psum_raddr_i];
    if (out_read_i) out_rdata_o <= words_q[out_raddr_i];
  end

  always_ff @(posedge clk_i) begin
    if (load_write_i) words_q[load_addr_i] <= load_data_i;
    if (psum_write_i) words_q[psum_waddr_i] <= psum_wdata_i;
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      for (int unsigned b = 0; b < BusBytes; b++) begin
        if (out_write_i[lane] && out_wstrobe_i[lane][b]) words_q[out_waddr_i[lane]][8*b+:8] <= out_wdata_i[lane];
      end
    end
  end

  assign reads_o  = 4'($countones({ifmap_read_i, filter_read_i, psum_read_i, out_read_i}));
  assign writes_o = 4'($countones({load_write_i, psum_write_i, out_write_i}));

  // One reader and one writer a bank: all pairs of users, by the number of their banks.
  localparam int unsigned BankShift  = $clog2(GlbBankBytes / BusBytes);
  localparam int unsigned NumReaders = 7;
  localparam int unsigned NumWriters = 2 + Lanes;
  logic [NumReaders-1:0]                read;
  logic [NumWriters-1:0]                write;
  logic [NumReaders-1:0][AddrWidth-1:0] read_bank;
  logic [NumWriters-1:0][AddrWidth-1:0] write_bank;

  always_comb begin
    for (int unsigned i = 0; i < 4; i++) begin
      read[i]      = ifmap_read_i[i];
      read_bank[i] = ifmap_addr_i[i] >> BankShift;
    end
    read[4] = filter_read_i;
    read[5] = psum_read_i;
    read[6] = out_read_i;
    read_bank[4] = filter_addr_i >> BankShift;
    read_bank[5] = psum_raddr_i >> BankShift;
    read_bank[6] = out_raddr_i >> BankShift;
    write[0] = load_write_i;
    write[1] = psum_write_i;
    write_bank[0] = load_addr_i >> BankShift;
    write_bank[1] = psum_waddr_i >> BankShift;
    for (int unsigned i = 0; i < Lanes; i++) begin
      write[2+i]      = out_write_i[i];
      write_bank[2+i] = out_waddr_i[i] >> BankShift;
    end
  end

  for (genvar i = 0; i < NumReaders; i++) begin : gen_reader
    for (genvar j = i + 1; j < NumReaders; j++) begin : gen_other
      `DLA_ASSERT(OneReaderABank, !(read[i] && read[j] && read_bank[i] == read_bank[j]))
    end
  end
  for (genvar i = 0; i < NumWriters; i++) begin : gen_writer
    for (genvar j = i + 1; j < NumWriters; j++) begin : gen_other
      `DLA_ASSERT(OneWriterABank, !(write[i] && write[j] && write_bank[i] == write_bank[j]))
    end
  end
endmodule
