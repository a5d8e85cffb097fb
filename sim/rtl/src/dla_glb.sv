// SPDX-License-Identifier: Apache-2.0
/// The global buffer: banks of BusBytes-wide words, each a dla_sram, joined by multiplexers that a layer sets once.
///
/// A region is whole banks; bank i of it is in its column i modulo RegionColumns, a power of two. Of the ifmap region a
/// layer may use the first half of the columns alone, or of that the first: its bank i is in its column i modulo these.
/// A column is read and written by one unit each for a whole layer, and its units give addresses in the column: word 0
/// is the first of its first bank. So a bank has one reader and one writer, nobody arbitrates, and the columns of a
/// region move a word each in the same cycle. Data comes the cycle after the address.
/// Banks of no region are in the last column, the chip's: tensors on chip that are not read through the ifmap's. Its
/// word 0 is that of the first bank of all.
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
  localparam int unsigned ChipColumn = first_column(RegionColumns, NumRegions),
  localparam int unsigned Columns    = ChipColumn + 1,
  localparam int unsigned Width      = 8 * BusBytes,
  localparam int unsigned CountWidth = $clog2(Columns + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  /// Takes the regions over; they are not moved while a layer runs.
  input  logic                  configure_i,
  input  regions_t              regions_i,
  /// Banks of the ofmap and of the residual, where they are on chip.
  input  kept_t                 kept_i,
  /// Takes the filter region over, before the others: it lies in no bank that the layer which runs may still read or
  /// write. Of its own, filters are done with once all sets are in the PEs, ifmap and psums once its array is free.
  input  logic                  configure_filter_i,
  input  logic                  sets_done_i,
  input  logic                  array_free_i,
  output logic                  filter_fits_o,
  /// Filters are read of the region that was taken over so; until then they are of the other, and written to this one.
  input  logic                  reads_next_i,
  /// How often the columns of the ifmap region are halved; the others stay idle for the layer.
  input  logic [2:0]            ifmap_halvings_i,
  // Columns, region by region, and the chip's.
  input  logic [Columns-1:0]    read_i,
  input  logic [15:0]           raddr_i [Columns],
  /// Of the assertions alone: the bytes that the chip's column reads a word for. All others read all.
  input  logic [BusBytes-1:0]   chip_rstrobe_i,
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

  logic [2:0] halvings_q;
  always_ff @(posedge clk_i) if (configure_i) halvings_q <= ifmap_halvings_i;

  // Of each column the bank where it begins, set once a layer, and those that its words are in;
  // what a bank read comes from it.
  logic [BankWidth-1:0] rbank [Columns], wbank [Columns];
  logic [Width-1:0]     rdata [NumBanks];
  for (genvar r = 0; r < NumRegions; r++) begin : gen_region
    localparam int unsigned Shift = $clog2(RegionColumns[r]);
    for (genvar i = 0; i < RegionColumns[r]; i++) begin : gen_column
      localparam int unsigned Column = first_column(RegionColumns, r) + i;
      logic [BankWidth-1:0] first_q, read_first, rbank_q;
      logic [15:0]          roffset, woffset;  // to the bank of as many columns
      assign roffset = 16'(raddr_i[Column][15:BankShift]) << Shift;
      assign woffset = 16'(waddr_i[Column][15:BankShift]) << Shift;
      assign rbank[Column] = read_first + BankWidth'(r == RegionIfmap ? roffset >> halvings_q : roffset);
      assign wbank[Column] = first_q + BankWidth'(r == RegionIfmap ? woffset >> halvings_q : woffset);
      always_ff @(posedge clk_i) begin
        if (read_i[Column]) rbank_q <= rbank[Column];
        if (configure_i || (configure_filter_i && r == RegionFilter)) begin
          first_q <= BankWidth'(regions_i[r].base_bank) + BankWidth'(i);
        end
      end
      assign rdata_o[Column] = rdata[rbank_q];
      if (r == RegionFilter) begin : gen_filter
        logic [BankWidth-1:0] running_q;
        assign read_first = reads_next_i ? first_q : running_q;
        always_ff @(posedge clk_i) begin
          if (configure_i) running_q <= BankWidth'(regions_i[r].base_bank) + BankWidth'(i);
        end
      end else begin : gen_other
        assign read_first = first_q;
      end
    end
    `DLA_CHECK_PARAM(ColumnsArePowersOfTwo, RegionColumns[r] == 6'd1 << $clog2(RegionColumns[r]))
  end
  logic [BankWidth-1:0] chip_rbank_q;
  assign rbank[ChipColumn]   = BankWidth'(raddr_i[ChipColumn][15:BankShift]);
  assign wbank[ChipColumn]   = BankWidth'(waddr_i[ChipColumn][15:BankShift]);
  assign rdata_o[ChipColumn] = rdata[chip_rbank_q];
  always_ff @(posedge clk_i) if (read_i[ChipColumn]) chip_rbank_q <= rbank[ChipColumn];

  logic [NumBanks-1:0]    read, write;
  logic [ColumnWidth-1:0] column [NumBanks];  // that each bank is in
  always_comb begin
    read  = '0;
    write = '0;
    for (int unsigned c = 0; c < Columns; c++) begin
      if (read_i[c]) read[rbank[c]] = 1'b1;
      if (write_i[c]) write[wbank[c]] = 1'b1;
    end
  end

  function automatic logic [ColumnWidth-1:0] column_of(input logic [15:0] bank);
    logic [15:0] offset;
    logic [5:0]  columns;
    column_of = ColumnWidth'(ChipColumn);
    for (int unsigned r = 0; r < NumRegions; r++) begin
      offset = bank - regions_i[r].base_bank;
      if (offset < regions_i[r].banks) begin
        columns   = r == RegionIfmap ? RegionColumns[r] >> ifmap_halvings_i : RegionColumns[r];
        column_of = ColumnWidth'(first_column(RegionColumns, r) + (32'(offset) & (32'(columns) - 1)));
      end
    end
  endfunction

  // The next filter region meets none of the banks that the layer before may still read or write: those of its regions,
  // for some of them until they are released, and those of its tensors on chip.
  localparam int unsigned NumHeld = NumRegions + NumKept;
  region_t [NumHeld-1:0] held;
  logic    [NumHeld-1:0] released;
  logic [16:0] filter_first, filter_end;
  logic [NumHeld-1:0] meets;
  assign held         = {kept_i, regions_i};
  always_comb begin
    released               = '0;
    released[RegionIfmap]  = array_free_i;
    released[RegionFilter] = sets_done_i;
    released[RegionPsum]   = array_free_i;
  end
  assign filter_first = 17'(regions_i[RegionFilter].base_bank);
  assign filter_end   = filter_first + 17'(regions_i[RegionFilter].banks);
  for (genvar h = 0; h < NumHeld; h++) begin : gen_held
    logic [BankWidth:0] first_q, end_q;
    always_ff @(posedge clk_i) begin
      if (configure_i) begin
        first_q <= (BankWidth + 1)'(held[h].base_bank);
        end_q   <= (BankWidth + 1)'(held[h].base_bank + held[h].banks);
      end
    end
    assign meets[h] = filter_first < 17'(end_q) && 17'(first_q) < filter_end && first_q != end_q &&
                      !released[h];
  end
  assign filter_fits_o = meets == '0;

  // A bank sees its column.
  for (genvar b = 0; b < NumBanks; b++) begin : gen_bank
    logic [ColumnWidth-1:0] column_q;
    always_ff @(posedge clk_i) begin
      if (configure_i || configure_filter_i) begin
        if (configure_i || 16'(b) - regions_i[RegionFilter].base_bank < regions_i[RegionFilter].banks) begin
          column_q <= column_of(16'(b));
        end
      end
    end
    dla_sram #(.Words(BankWords), .WordBytes(BusBytes)) u_sram (
      .clk_i, .rst_ni, .read_i(read[b]), .raddr_i(raddr_i[column_q][BankShift-1:0]),
      .rstrobe_i(column_q == ColumnWidth'(ChipColumn) ? chip_rstrobe_i : '1), .rdata_o(rdata[b]),
      .write_i(write[b]), .wstrobe_i(wstrobe_i[column_q]), .waddr_i(waddr_i[column_q][BankShift-1:0]),
      .wdata_i(wdata_i[column_q])
    );
    assign column[b] = column_q;
  end

  assign reads_o  = CountWidth'($countones(read_i));
  assign writes_o = CountWidth'($countones(write_i));

  // Each word is in a bank of its column.
  logic [Columns-1:0] read_strays, write_strays;
  always_comb begin
    for (int unsigned c = 0; c < Columns; c++) begin
      read_strays[c]  = read_i[c] && column[rbank[c]] != ColumnWidth'(c);
      write_strays[c] = write_i[c] && column[wbank[c]] != ColumnWidth'(c);
    end
  end
  `DLA_ASSERT(EachReadIsInItsColumn, read_strays == '0)
  `DLA_ASSERT(EachWriteIsInItsColumn, write_strays == '0)
endmodule
