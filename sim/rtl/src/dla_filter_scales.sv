// SPDX-License-Identifier: Apache-2.0
/// The scales of filters, where each has its own: from the filter stream to the psums that are requantized by them.
///
/// A memory a lane holds the scales of several filter sets, in turn. A pass starts at least 8 cycles after the one
/// before, and its set moves while that one is in use; its psums leave up to Rows + 7 cycles after its last product,
/// while later passes run. So Sets of them are held: what is written over has been read
/// (docs/timing.md gives the cycles).
`include "dla_assert.svh"
module dla_filter_scales #(
  parameter int unsigned Rows           = 6,
  parameter int unsigned Lanes          = 1,
  parameter int unsigned FilterBytes    = 4,
  parameter int unsigned MaxPassFilters = 128
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     clear_i,
  // From the filter network, a set after another from its word 0 on.
  input  logic                     write_i,
  input  logic [10:0]              word_i,
  input  logic [8*FilterBytes-1:0] data_i,
  // A word of psums, the filter of the pass that each belongs to, and whether it is the first of the next set.
  input  logic [Lanes-1:0]         read_i,
  input  logic [8:0]               filter_i [Lanes],
  input  logic                     next_i,
  /// Two cycles later.
  output logic [31:0]              scale_o [Lanes]
);
  // Words of the filter network, or of one scale that takes several of those.
  localparam int unsigned ScaleBytes  = FilterBytes < 4 ? 4 : FilterBytes;
  localparam int unsigned ScalesAWord = ScaleBytes / 4;
  localparam int unsigned WordsAScale = FilterBytes < 4 ? 4 / FilterBytes : 1;
  localparam int unsigned SetWords    = (MaxPassFilters + ScalesAWord - 1) / ScalesAWord;
  localparam int unsigned Sets        = 4 + (Rows + 1) / 8;
  localparam int unsigned SetWidth    = $clog2(Sets);
  localparam int unsigned AddrWidth   = $clog2(Sets * SetWords);

  function automatic logic [SetWidth-1:0] next_of(input logic [SetWidth-1:0] set);
    return 32'(set) == Sets - 1 ? '0 : set + 1'b1;
  endfunction

  // The set that is written and the one that is read.
  logic [SetWidth-1:0] write_set_q, write_set, read_set_q, read_set;
  logic                begins, next;
  assign begins    = write_i && word_i == '0;
  assign next      = read_i[0] && next_i;
  assign write_set = begins ? next_of(write_set_q) : write_set_q;
  assign read_set  = next ? next_of(read_set_q) : read_set_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_set_q <= '0;
      read_set_q  <= '0;
    end else if (clear_i) begin
      write_set_q <= '0;
      read_set_q  <= '0;
    end else begin
      write_set_q <= write_set;
      read_set_q  <= read_set;
    end
  end

  logic                    write;
  logic [AddrWidth-1:0]    waddr;
  logic [ScaleBytes-1:0]   strobe;
  assign write  = write_i && 32'(word_i) / WordsAScale < SetWords;
  assign waddr  = AddrWidth'(32'(write_set) * SetWords + 32'(word_i) / WordsAScale);
  assign strobe = ScaleBytes'({FilterBytes{1'b1}}) << (32'(word_i) % WordsAScale * FilterBytes);
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    logic [8*ScaleBytes-1:0] rdata;
    logic [8:0]              filter_q;
    logic                    read_q;
    dla_sram #(.Words(Sets * SetWords), .WordBytes(ScaleBytes)) u_scales (
      .clk_i, .rst_ni, .read_i(read_i[lane]),
      .raddr_i(AddrWidth'(32'(read_set) * SetWords + 32'(filter_i[lane]) / ScalesAWord)), .rstrobe_i('1),
      .rdata_o(rdata),
      .write_i(write), .wstrobe_i(strobe), .waddr_i(waddr), .wdata_i({WordsAScale{data_i}})
    );
    always_ff @(posedge clk_i) begin
      filter_q <= filter_i[lane];
      read_q   <= read_i[lane];
      if (read_q) scale_o[lane] <= rdata[32*(32'(filter_q) % ScalesAWord)+:32];
    end
  end

  // Sets that have begun to be written and not to be read. None that is still read may be one more.
  logic               reads_on;
  assign reads_on = read_i != '0 && !next;
  logic [SetWidth:0] ahead_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) ahead_q <= '0;
    else if (clear_i) ahead_q <= '0;
    else ahead_q <= ahead_q + (SetWidth + 1)'(begins) - (SetWidth + 1)'(next);
  end
  `DLA_ASSERT(ScalesAreThere, next |-> ahead_q != '0)
  `DLA_ASSERT(ScalesAreNotWrittenOver, reads_on |-> 32'(ahead_q) < Sets)
endmodule
