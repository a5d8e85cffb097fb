// SPDX-License-Identifier: Apache-2.0
/// The global buffer: banks of BusBytes-wide words, each a dla_sram, joined by multiplexers that a layer sets once.
///
/// A region is whole banks; bank i of it is in its column i modulo RegionColumns, a power of two. Of the ifmap region a layer
/// may use the first half of the columns alone, or of that the first: its bank i is in its column i modulo these. A column is read and written by one unit
/// each for a whole layer, and its units give addresses in the column: word 0 is the first of its first bank. So a bank
/// has one reader and one writer, nobody arbitrates, and the columns of a region move a word each in the same cycle.
/// Data comes the cycle after the address.
`include "dla_assert.svh"
module dla_glb
  import dla_pkg::*;
#(
  parameter int unsigned     GlbBytes      = 65536,
  parameter int unsigned     GlbBankBytes  = 2048,
  parameter int unsigned     BusBytes      = 4,
  /// Of each region, a power of two.
  parameter region_columns_t RegionColumns = '{default: 6'd1},
  /// Dependent, do not override.
  localparam int unsigned Columns    = first_column(RegionColumns, NumRegions),
  localparam int unsigned Width      = 8 * BusBytes,
  localparam int unsigned CountWidth = $clog2(Columns + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  /// Takes the regions over; they are not moved while a layer runs.
  input  logic                  configure_i,
  input  regions_t              regions_i,
  /// Takes the filter region over, before the others: it lies in no bank of which outputs or residuals are still to be read.
  input  logic                  configure_filter_i,
  output logic                  filter_fits_o,
  /// How often the columns of the ifmap region are halved; the others stay idle for the layer.
  input  logic [2:0]            ifmap_halvings_i,
  // Columns, region by region.
  input  logic [Columns-1:0]    read_i,
  input  logic [15:0]           raddr_i [Columns],
  output logic [Width-1:0]      rdata_o [Columns],
  input  logic [Columns-1:0]    write_i,
  input  logic [BusBytes-1:0]   wstrobe_i [Columns],
  input  logic [15:0]           waddr_i [Columns],
  input  logic [Width-1:0]      wdata_i [Columns],
  // Words moved this cycle, for the counters.
  output logic [CountWidth-1:0] reads_o,
  output logic [CountWidth-1:0] writes_o
);
  localparam int unsigned NumBanks    = GlbBytes / GlbBankBytes;
  localparam int unsigned BankWords   = GlbBankBytes / BusBytes;
  localparam int unsigned BankShift   = $clog2(BankWords);
  localparam int unsigned BankWidth   = $clog2(NumBanks);
  localparam int unsigned ColumnWidth = $clog2(Columns);

  // Where each column begins, and which one each bank is in: set once a layer.
  logic [BankWidth-1:0]   first_q  [Columns];
  logic [ColumnWidth-1:0] column_q [NumBanks];
  logic [2:0]             halvings_q;
  always_ff @(posedge clk_i) if (configure_i) halvings_q <= ifmap_halvings_i;

  for (genvar r = 0; r < NumRegions; r++) begin : gen_region
    for (genvar i = 0; i < RegionColumns[r]; i++) begin : gen_column
      always_ff @(posedge clk_i) begin
        if (configure_i || (configure_filter_i && r == RegionFilter)) first_q[first_column(RegionColumns, r)+i] <= BankWidth'(regions_i[r].base_bank) + BankWidth'(i);
      end
    end
    `DLA_CHECK_PARAM(ColumnsArePowersOfTwo, RegionColumns[r] == 6'd1 << $clog2(RegionColumns[r]))
  end

  // The bank that each column's word is in.
  logic [BankWidth-1:0] rbank [Columns], wbank [Columns], rbank_q [Columns];
  for (genvar r = 0; r < NumRegions; r++) begin : gen_words
    for (genvar i = 0; i < RegionColumns[r]; i++) begin : gen_column
      localparam int unsigned Column = first_column(RegionColumns, r) + i;
      localparam int unsigned Shift  = $clog2(RegionColumns[r]);
      logic [15:0] roffset, woffset;  // to the bank of as many columns
      assign roffset = 16'(raddr_i[Column][15:BankShift]) << Shift;
      assign woffset = 16'(waddr_i[Column][15:BankShift]) << Shift;
      assign rbank[Column] = first_q[Column] + BankWidth'(r == RegionIfmap ? roffset >> halvings_q : roffset);
      assign wbank[Column] = first_q[Column] + BankWidth'(r == RegionIfmap ? woffset >> halvings_q : woffset);
    end
  end

  logic [NumBanks-1:0] read, write;
  always_comb begin
    read  = '0;
    write = '0;
    for (int unsigned c = 0; c < Columns; c++) begin
      read  = read | (NumBanks'(read_i[c]) << rbank[c]);
      write = write | (NumBanks'(write_i[c]) << wbank[c]);
    end
  end

  function automatic logic [ColumnWidth-1:0] column_of(input logic [15:0] bank);
    logic [15:0] offset;
    logic [5:0]  columns;
    column_of = '0;
    for (int unsigned r = 0; r < NumRegions; r++) begin
      offset = bank - regions_i[r].base_bank;
      if (offset < regions_i[r].banks) begin
        columns   = r == RegionIfmap ? RegionColumns[r] >> ifmap_halvings_i : RegionColumns[r];
        column_of = ColumnWidth'(first_column(RegionColumns, r) + (32'(offset) & (32'(columns) - 1)));
      end
    end
  endfunction

  // A bank sees its column.
  logic [Width-1:0]    rdata [NumBanks];
  logic [NumBanks-1:0] takes_filters, keeps_outputs;
  assign filter_fits_o = (takes_filters & keeps_outputs) == '0;
  for (genvar b = 0; b < NumBanks; b++) begin : gen_bank
    assign takes_filters[b] = 16'(b) - 16'(regions_i[RegionFilter].base_bank) < 16'(regions_i[RegionFilter].banks);
    assign keeps_outputs[b] = column_q[b] >= ColumnWidth'(first_column(RegionColumns, RegionOut));
    always_ff @(posedge clk_i) begin
      if (configure_i || (configure_filter_i && takes_filters[b])) column_q[b] <= column_of(16'(b));
    end
    dla_sram #(.Words(BankWords), .WordBytes(BusBytes)) u_sram (
      .clk_i, .rst_ni, .read_i(read[b]), .raddr_i(raddr_i[column_q[b]][BankShift-1:0]), .rdata_o(rdata[b]),
      .write_i(write[b]), .wstrobe_i(wstrobe_i[column_q[b]]), .waddr_i(waddr_i[column_q[b]][BankShift-1:0]),
      .wdata_i(wdata_i[column_q[b]])
    );
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < Columns; c++) begin
      if (read_i[c]) rbank_q[c] <= rbank[c];
    end
  end
  always_comb begin
    for (int unsigned c = 0; c < Columns; c++) rdata_o[c] = rdata[rbank_q[c]];
  end

  assign reads_o  = CountWidth'($countones(read_i));
  assign writes_o = CountWidth'($countones(write_i));

  // Each word is in a bank of its column.
  logic [Columns-1:0] read_strays, write_strays;
  always_comb begin
    for (int unsigned c = 0; c < Columns; c++) begin
      read_strays[c]  = read_i[c] && column_q[rbank[c]] != ColumnWidth'(c);
      write_strays[c] = write_i[c] && column_q[wbank[c]] != ColumnWidth'(c);
    end
  end
  `DLA_ASSERT(EachReadIsInItsColumn, read_strays == '0)
  `DLA_ASSERT(EachWriteIsInItsColumn, write_strays == '0)
endmodule
