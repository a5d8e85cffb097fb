// SPDX-License-Identifier: Apache-2.0
/// The PE array with its networks: multicast of ifmaps and filters, the control that runs down the rows,
/// and the psum chains.
///
/// Column by column, the rows are cut into segments of r * fold_rows PEs. A segment holds r PE sets on different
/// channels, one above the other; it sums their psums on the way down. Across, sets are e columns wide. Filter set
/// (high, wide) takes segment `high` of the columns wide * e to wide * e + e - 1. Where PEs hold whole groups, filter
/// sets are on channels of their own: high by high, then wide by wide.
///
/// Everything enters each segment at its first row and moves one row a cycle: control, ifmaps, filters and, with them,
/// the psums. So all rows see the same order of events, and nothing in the array ever waits.
`include "dla_assert.svh"
module dla_array
  import dla_pkg::*;
#(
  parameter int unsigned Rows            = 6,
  parameter int unsigned Cols            = 8,
  parameter int unsigned IfmapSpadBytes  = 12,
  parameter int unsigned FilterSpadBytes = 48,
  parameter int unsigned Lanes           = 1,
  parameter int unsigned IfmapBytes      = 4,
  parameter int unsigned FilterBytes     = 4,
  /// Dependent, do not override.
  localparam int unsigned FilterWords = (FilterSpadBytes + FilterBytes - 1) / FilterBytes,
  localparam int unsigned FilterAddr  = $clog2(2 * FilterWords),
  localparam int unsigned RingWords   = (2 * IfmapSpadBytes + IfmapBytes - 1) / IfmapBytes,
  localparam int unsigned RingAddr    = RingWords == 1 ? 1 : $clog2(RingWords),
  // Of a row's and a column's number; of an ifmap row of a pass less a filter row, which is -14 to 7 (Cols - 1) + 14:
  // those below 0 become none of the columns' numbers.
  localparam int unsigned RowWidth = $clog2(Rows),
  localparam int unsigned ColWidth = $clog2(Cols),
  localparam int unsigned TagWidth = $clog2(7 * (Cols - 1) + 15),
  localparam int unsigned IdWidth  = ColWidth + TagWidth,
  localparam int unsigned ScanWidth  = RowWidth > ColWidth ? RowWidth : ColWidth,
  localparam int unsigned FirstWidth = $clog2(31 * Rows + 1)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  /// Drops what is on its way.
  input  logic                  clear_i,
  /// Works out which set each row and column belongs to; takes max(Rows, Cols) cycles, then placed_o is high. Of the
  /// next layer, once the last output of the one before has left the array.
  input  logic                  place_i,
  output logic                  placed_o,
  input  logic [3:0]            fold_rows_i,
  input  logic [5:0]            sets_r_i,
  input  logic [4:0]            set_channels_i,
  /// Filter sets have channels of their own.
  input  logic                  whole_groups_i,
  input  logic [6:0]            filters_high_i,
  input  logic [5:0]            set_cols_i,
  input  logic [2:0]            stride_i,
  input  logic [7:0]            zero_point_i,
  // Control, ifmap and filter networks.
  input  weight_flit_t          weight_i,
  input  ctrl_flit_t            ctrl_i,
  input  ifmap_flit_t           ifmap_i,
  input  logic [8*IfmapBytes-1:0] ifmap_data_i,
  input  logic                  filter_valid_i,
  input  logic                  filter_bank_i,
  input  logic [5:0]            filter_first_row_i,
  input  logic [5:0]            filter_row_i,
  input  logic [Cols-1:0]       filter_cols_i,
  input  logic [9:0]            filter_addr_i,
  input  logic [8*FilterBytes-1:0] filter_data_i,
  // Psum network in: one psum a lane, to the first PE of a segment.
  input  logic [Lanes-1:0]      psum_in_valid_i,
  input  logic [5:0]            psum_in_row_i [Lanes],
  input  logic [5:0]            psum_in_col_i [Lanes],
  input  logic signed [31:0]    psum_in_data_i [Lanes],
  // Psum network out: reads the last PE of a segment.
  input  logic [5:0]            psum_out_row_i [Lanes],
  input  logic [5:0]            psum_out_col_i [Lanes],
  output logic signed [31:0]    psum_out_data_o [Lanes],
  /// A psum of the first segment is in its last PE three cycles later.
  output logic                  psum_commit_o
);
  // Where each row and column stands. Static while a layer runs.
  logic       row_used_q  [Rows];
  logic       row_start_q [Rows];
  logic [RowWidth-1:0] row_set_q  [Rows];
  logic [FirstWidth-1:0] row_first_q [Rows];   // first channel of its set, of the pass or of the sets above each other
  logic [3:0] row_row_q   [Rows];
  // The ifmap words that a column takes: where filter sets have channels of their own those of its set, and those of
  // the ifmap row of the set's first PE row: j * U.
  logic [IdWidth-1:0]  col_id_q [Cols];
  logic [RowWidth-1:0] last_row_q;          // of the first segment
  logic [4:0] set_channels_q;
  logic       whole_groups_q;

  logic [ScanWidth-1:0]  scan_q;
  logic [RowWidth-1:0]   high_q, set_q;
  logic [ColWidth-1:0]   wide_q, col_q;
  logic [FirstWidth-1:0] channel_q;
  logic [3:0]            fold_row_q;
  logic [TagWidth-1:0]   first_q;
  logic                  scanning_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      scanning_q   <= 1'b0;
      placed_o <= 1'b0;
    end else if (place_i) begin
      scanning_q   <= 1'b1;
      placed_o <= 1'b0;
    end else if (scanning_q && 32'(scan_q) == (Rows > Cols ? Rows : Cols) - 1) begin
      scanning_q   <= 1'b0;
      placed_o <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (place_i) begin
      {scan_q, high_q, set_q, channel_q, fold_row_q, wide_q, col_q, first_q} <= '0;
      set_channels_q <= set_channels_i;
      whole_groups_q <= whole_groups_i;
    end else if (scanning_q) begin
      scan_q <= scan_q + 1'b1;
      if (32'(scan_q) < Rows) begin
        row_used_q[RowWidth'(scan_q)]  <= 7'(high_q) < filters_high_i;
        row_start_q[RowWidth'(scan_q)] <= set_q == '0 && fold_row_q == '0;
        row_set_q[RowWidth'(scan_q)]   <= set_q;
        row_first_q[RowWidth'(scan_q)] <= channel_q;
        row_row_q[RowWidth'(scan_q)]   <= fold_row_q;
        fold_row_q          <= fold_row_q + 1'b1;
        if (fold_row_q + 1'b1 == fold_rows_i) begin
          fold_row_q <= '0;
          set_q      <= set_q + 1'b1;
          channel_q  <= channel_q + FirstWidth'(set_channels_q);
          if (6'(set_q) + 1'b1 == sets_r_i) begin
            set_q     <= '0;
            if (!whole_groups_q) channel_q <= '0;
            high_q <= high_q + 1'b1;
            if (high_q == '0) last_row_q <= RowWidth'(scan_q);
          end
        end
      end
      if (32'(scan_q) < Cols) begin
        col_id_q[ColWidth'(scan_q)] <= {whole_groups_q ? wide_q : ColWidth'(0), first_q};
        first_q             <= first_q + TagWidth'(stride_i);
        col_q               <= col_q + 1'b1;
        if (7'(col_q) + 1'b1 == 7'(set_cols_i)) begin
          col_q   <= '0;
          first_q <= '0;
          wide_q  <= wide_q + 1'b1;
        end
      end
    end
  end

  // The row pipeline. Both halves of a filter spad are one memory.
  typedef struct packed {
    logic                  read;
    logic [FilterAddr-1:0] addr;
  } weight_word_t;
  typedef struct packed {
    logic                     valid;
    logic [RowWidth-1:0]      row;
    logic [Cols-1:0]          cols;
    logic [FilterAddr-1:0]    addr;
    logic [8*FilterBytes-1:0] data;
  } filter_flit_t;

  function automatic logic [FilterAddr-1:0] filter_word(input logic bank, input logic [9:0] word);
    return FilterAddr'((bank ? FilterWords : 0) + 32'(word));
  endfunction

  weight_word_t weight_root;
  filter_flit_t filter_root;
  assign weight_root = '{read: weight_i.read,
                         addr: filter_word(weight_i.bank, 10'(32'(weight_i.weight) / FilterBytes))};
  assign filter_root = '{valid: filter_valid_i, row: RowWidth'(filter_row_i), cols: filter_cols_i,
                         addr: filter_word(filter_bank_i, filter_addr_i), data: filter_data_i};

  logic signed [31:0] psum_in_q [Rows][Cols];
  logic signed [31:0] psum      [Rows][Cols];

  always_ff @(posedge clk_i) begin
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      if (psum_in_valid_i[lane]) begin
        psum_in_q[RowWidth'(psum_in_row_i[lane])][ColWidth'(psum_in_col_i[lane])] <= psum_in_data_i[lane];
      end
    end
  end

  always_comb begin
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      psum_out_data_o[lane] = psum[RowWidth'(psum_out_row_i[lane])][ColWidth'(psum_out_col_i[lane])];
    end
  end

  logic [Rows-1:0] commits;
  assign psum_commit_o = commits[last_row_q];

  for (genvar i = 0; i < Rows; i++) begin : gen_row
    weight_word_t weight_q, weight_above;
    ctrl_flit_t   ctrl_q, ctrl_above;
    ifmap_flit_t  ifmap_q, ifmap_above;
    filter_flit_t filter_q, filter_above;
    logic [8*IfmapBytes-1:0] ifmap_data_q, ifmap_data_above;
    logic filter_enters;  // the word on the filter network is for a segment that begins with this row
    assign filter_enters = filter_valid_i && RowWidth'(filter_first_row_i) == RowWidth'(i);
    assign commits[i] = ctrl_q.commit;
    if (i == 0) begin : gen_first
      assign weight_above = weight_root;
      assign ctrl_above   = ctrl_i;
      assign ifmap_above  = ifmap_i;
      assign ifmap_data_above = ifmap_data_i;
      assign filter_above = filter_enters ? filter_root : '0;
    end else begin : gen_next
      assign weight_above = row_start_q[i] ? weight_root : gen_row[i-1].weight_q;
      assign ctrl_above   = row_start_q[i] ? ctrl_i : gen_row[i-1].ctrl_q;
      assign ifmap_above  = row_start_q[i] ? ifmap_i : gen_row[i-1].ifmap_q;
      assign ifmap_data_above = row_start_q[i] ? ifmap_data_i : gen_row[i-1].ifmap_data_q;
      assign filter_above = filter_enters ? filter_root : gen_row[i-1].filter_q;
    end

    logic mac2_q, commit2_q, commit3_q, active2_q, active3_q;
    logic filter_comes_q;  // a word for a PE of this row

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        weight_q <= '0;
        ctrl_q   <= '0;
        ifmap_q  <= '0;
        filter_q <= '0;
        {mac2_q, commit2_q, commit3_q, active2_q, active3_q, filter_comes_q} <= '0;
      end else if (clear_i) begin
        weight_q <= '0;
        ctrl_q   <= '0;
        ifmap_q  <= '0;
        filter_q <= '0;
        {mac2_q, commit2_q, commit3_q, active2_q, active3_q, filter_comes_q} <= '0;
      end else begin
        weight_q    <= weight_above;
        ctrl_q      <= ctrl_above;
        ifmap_q     <= ifmap_above;
        filter_q    <= filter_above;
        mac2_q      <= ctrl_q.mac;
        commit2_q   <= ctrl_q.commit;
        commit3_q   <= commit2_q;
        if (commit2_q) active3_q <= active2_q;
        if (ctrl_q.commit) active2_q <= row_used_q[i] && 6'(row_set_q[i]) < ctrl_q.r && row_row_q[i] < ctrl_q.rows;
        filter_comes_q <= filter_above.valid && filter_above.row == RowWidth'(i);
      end
    end

    // Byte b of a word is channel offset + b of this row's set, where the set has that channel, and goes to place
    // addr + b of the rings; there its lane is the place modulo the width. Turned here for all PEs of the row, as the
    // word comes in.
    logic [IdWidth-1:0]      ifmap_tag_q;  // its sets, and the ifmap row of a set's first PE row
                                           // that makes it this row's
    logic [IfmapBytes-1:0]   ring_strobe_q;
    logic [8*IfmapBytes-1:0] ring_data_q;
    logic [IfmapBytes-1:0][RingAddr-1:0] ring_word_q;
    always_ff @(posedge clk_i) begin
      if (ifmap_above.valid) begin
        logic [8*IfmapBytes-1:0] data;
        logic [FirstWidth:0]     offset;  // of a word that begins before the set: below 0
        logic [6:0]              addr;
        data   = ifmap_data_above;
        offset = (FirstWidth + 1)'(ifmap_above.channel) - (FirstWidth + 1)'(row_first_q[i]);
        addr   = ifmap_above.addr + 7'(offset);
        ifmap_data_q <= data;
        ifmap_tag_q  <= {ColWidth'(ifmap_above.wide), TagWidth'(ifmap_above.row) - TagWidth'(row_row_q[i])};
        for (int unsigned lane = 0; lane < IfmapBytes; lane++) begin
          int unsigned first, b;
          first = 32'(addr) % IfmapBytes;
          b     = (lane - first) % IfmapBytes;  // a power of two
          ring_strobe_q[lane]    <= b < 32'(ifmap_above.channels) &&
                                    offset + (FirstWidth + 1)'(b) < (FirstWidth + 1)'(set_channels_q);
          ring_data_q[8*lane+:8] <= data[8*b+:8];
          ring_word_q[lane]      <= RingAddr'(32'(addr) / IfmapBytes + 32'(lane < first));
        end
      end
    end

    for (genvar j = 0; j < Cols; j++) begin : gen_col
      logic signed [31:0] psum_above;
      if (i == 0) begin : gen_first
        assign psum_above = psum_in_q[i][j];
      end else begin : gen_next
        assign psum_above = row_start_q[i] ? psum_in_q[i][j] : psum[i-1][j];
      end
      dla_pe #(
        .IfmapSpadBytes (IfmapSpadBytes),
        .FilterSpadBytes(FilterSpadBytes),
        .IfmapBytes     (IfmapBytes),
        .FilterBytes    (FilterBytes),
        .IfmapIdWidth   (IdWidth)
      ) u_pe (
        .clk_i,
        .zero_point_i,
        .ifmap_valid_i (ifmap_q.valid),
        .ifmap_tag_i   (ifmap_tag_q),
        .ifmap_id_i    (col_id_q[j]),
        .ifmap_strobe_i(ring_strobe_q),
        .ifmap_addr_i  (ring_word_q),
        .ifmap_data_i  (ring_data_q),
        .filter_valid_i(filter_comes_q),
        .filter_column_i(filter_q.cols[j]),
        .filter_addr_i (filter_q.addr),
        .filter_data_i (filter_q.data),
        .read0_i       (weight_q.read),
        .word0_i       (weight_q.addr),
        .mac1_i        (ctrl_q.mac),
        .weight1_i     (ctrl_q.weight),
        .pixel1_i      (ctrl_q.pixel),
        .padding1_i    (ctrl_q.padding),
        .first1_i      (ctrl_q.first),
        .mac2_i        (mac2_q),
        .commit3_i     (commit3_q),
        .active3_i     (active3_q),
        .psum_i        (psum_above),
        .psum_o        (psum[i][j])
      );
    end
  end

  `DLA_ASSERT(ProductsFollowPlaces, ctrl_i.mac |-> placed_o)
  `DLA_ASSERT(FilterGoesToAPe, filter_valid_i |-> filter_first_row_i <= filter_row_i && 32'(filter_row_i) < Rows &&
                                                  filter_cols_i != '0)
  logic [Lanes-1:0] psum_strays;
  always_comb begin
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      psum_strays[lane] = psum_in_valid_i[lane] &&
                          (32'(psum_in_row_i[lane]) >= Rows || 32'(psum_in_col_i[lane]) >= Cols);
    end
  end
  `DLA_ASSERT(PsumGoesToAPe, psum_strays == '0)
endmodule
