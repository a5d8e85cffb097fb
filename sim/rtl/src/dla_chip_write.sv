// SPDX-License-Identifier: Apache-2.0
/// Takes the bus's place where the ofmap is on chip: writes the beats of bursts to the GLB, and answers the bursts.
///
/// A beat is written in the cycle behind the one in which it comes, and its burst is answered with its last beat. Words
/// of the banks that the ifmap is read from go through their columns, all others through the chip's.
`include "dla_assert.svh"
module dla_chip_write
  import dla_pkg::*;
#(
  parameter int unsigned GlbBankBytes = 2048,
  parameter int unsigned BusBytes     = 4,
  /// Of the ifmap region.
  parameter int unsigned Columns      = 4,
  /// Dependent, do not override.
  localparam int unsigned BankWords   = GlbBankBytes / BusBytes,
  localparam int unsigned BankShift   = $clog2(BankWords),
  localparam int unsigned ColumnShift = $clog2(Columns)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // Beats.
  input  logic                  beat_i,
  input  logic                  last_i,
  input  logic [8*BusBytes-1:0] data_i,
  input  logic [BusBytes-1:0]   strobe_i,
  /// The word with which the oldest burst that is not answered begins.
  input  chip_word_t            first_i,
  output logic                  answer_o,
  /// Banks that the ifmap is read from; none where it is not on chip.
  input  region_t               ifmap_i,
  // GLB: a word of an ifmap column, or of the chip's.
  output logic [Columns-1:0]    ifmap_write_o,
  output logic [15:0]           ifmap_addr_o,
  output logic                  chip_write_o,
  output logic [15:0]           chip_addr_o,
  output logic [8*BusBytes-1:0] data_o,
  output logic [BusBytes-1:0]   strobe_o
);
  logic       valid_q, last_q;
  logic [4:0] count_q;  // beats of the burst that have been written
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      last_q  <= 1'b0;
      count_q <= '0;
    end else begin
      valid_q <= beat_i;
      last_q  <= beat_i && last_i;
      if (valid_q) count_q <= last_q ? '0 : count_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (beat_i) begin
      data_o   <= data_i;
      strobe_o <= strobe_i;
    end
  end
  assign answer_o = last_q;

  // Rows of banks, one of each column.
  chip_word_t  at;
  logic [15:0] row;
  logic        in_ifmap;
  assign at       = '{column: first_i.column, word: first_i.word + 16'(count_q)};
  assign row      = (at.word >> BankShift) - (ifmap_i.base_bank >> ColumnShift);
  assign in_ifmap = row < ifmap_i.banks >> ColumnShift;

  assign ifmap_write_o = Columns'(valid_q && in_ifmap) << at.column;
  assign ifmap_addr_o  = {row[15-BankShift:0], at.word[BankShift-1:0]};
  assign chip_write_o  = valid_q && !in_ifmap;
  assign chip_addr_o   = word_in_glb(at, BankWords, Columns);

  `DLA_ASSERT(AColumnTakesEachBeat, valid_q |-> $onehot({chip_write_o, ifmap_write_o}))
endmodule
