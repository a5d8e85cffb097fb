// SPDX-License-Identifier: Apache-2.0
/// Where a slot's psums enter and leave the array, one word (Lanes psums) a cycle.
///
/// A psum's place is a number of three digits: its row of the set, the set in its column of sets, that column. A word
/// later each lane's is Lanes more: a lane steps from its own place, not from that of the lane before.
`include "dla_assert.svh"
module dla_psum_places
  import dla_pkg::*;
#(
  parameter int unsigned Rows  = 6,
  parameter int unsigned Cols  = 8,
  parameter int unsigned Lanes = 1
) (
  input  logic       clk_i,
  // Of the layer: columns of PEs that a set takes, rows that a segment takes, modulo 64, segments above each other.
  input  logic [5:0] set_cols_i,
  input  logic [5:0] segment_rows_i,
  input  logic [6:0] filters_high_i,
  /// A slot begins, of a pass of `e_i` rows and `p_i` filters a PE; its first set's filter is `filter_i`.
  input  logic       start_i,
  input  logic [5:0] e_i,
  input  logic [5:0] p_i,
  input  logic [8:0] filter_i,
  /// On to the next word of the slot.
  input  logic       step_i,
  /// Of each psum of the word, from the cycle after the start on.
  output place_t     place_o [Lanes]
);
  logic [5:0] e_q;
  logic [5:0] p_q;
  logic [5:0] column_rows_q;   // of all segments of a column, modulo 64 as rows are
  place_t     step_q;          // a word later
  place_t     place_q [Lanes];

  /// The bits that a place can have on this array.
  function automatic place_t on_array(input place_t place);
    localparam logic [5:0] RowBits = 6'(bits_up_to(Rows - 1)), ColBits = 6'(bits_up_to(Cols - 1));
    on_array           = place;
    on_array.e         = place.e & ColBits;
    on_array.high      = place.high & RowBits;
    on_array.row       = place.row & RowBits;
    on_array.first_col = place.first_col & ColBits;
    on_array.col       = place.col & ColBits;
  endfunction

  /// Of psum `index` of a slot, at most Lanes.
  function automatic place_t place_of(input logic [5:0] index, input logic [5:0] e, input logic [5:0] p,
                                      input logic [5:0] set_cols, input logic [5:0] segment_rows,
                                      input logic [6:0] filters_high);
    logic [5:0] sets, columns;
    sets    = '0;
    columns = '0;
    for (int unsigned i = 1; i <= Lanes; i++) begin
      if (12'(i) * 12'(e) <= 12'(index)) sets = sets + 1'b1;
    end
    for (int unsigned i = 1; i <= Lanes; i++) begin
      if (12'(i) * 12'(filters_high) <= 12'(sets)) columns = columns + 1'b1;
    end
    place_of.e         = index - sets * e;
    place_of.high      = sets - columns * 6'(filters_high);
    place_of.row       = place_of.high * segment_rows;
    place_of.first_col = columns * set_cols;
    place_of.col       = place_of.first_col + place_of.e;
    place_of.filter    = 9'(sets) * 9'(p);
  endfunction

  function automatic place_t sum_of(input place_t place, input place_t step, input logic [5:0] e, input logic [5:0] p,
                                    input logic [5:0] set_cols, input logic [5:0] segment_rows,
                                    input logic [6:0] filters_high, input logic [5:0] column_rows);
    logic [6:0] rows, high;
    logic       next_set, next_column;
    rows        = 7'(place.e) + 7'(step.e);
    next_set    = rows >= 7'(e);
    high        = 7'(place.high) + 7'(step.high) + 7'(next_set);
    next_column = high >= filters_high;
    sum_of.e         = 6'(rows - (next_set ? 7'(e) : '0));
    sum_of.high      = 6'(high - (next_column ? filters_high : '0));
    sum_of.row       = place.row + step.row + (next_set ? segment_rows : '0) - (next_column ? column_rows : '0);
    sum_of.first_col = place.first_col + step.first_col + (next_column ? set_cols : '0);
    sum_of.col       = sum_of.first_col + sum_of.e;
    sum_of.filter    = place.filter + step.filter + (next_set ? 9'(p) : '0);
  endfunction

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      e_q           <= e_i;
      p_q           <= p_i;
      column_rows_q <= 6'(filters_high_i) * segment_rows_i;
      step_q        <= on_array(place_of(6'(Lanes), e_i, p_i, set_cols_i, segment_rows_i, filters_high_i));
    end
  end
  assign place_o = place_q;
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    always_ff @(posedge clk_i) begin
      if (start_i) begin
        place_t first;
        first = on_array(place_of(6'(lane), e_i, p_i, set_cols_i, segment_rows_i, filters_high_i));
        place_q[lane]        <= first;
        place_q[lane].filter <= first.filter + filter_i;
      end else if (step_i) begin
        place_q[lane] <= on_array(sum_of(place_q[lane], step_q, e_q, p_q, set_cols_i, segment_rows_i,
                                         filters_high_i, column_rows_q));
      end
    end
  end

  logic [5:0] row;
  assign row = place_q[0].e;
  `DLA_ASSERT_CLOCKED(EachPlaceIsInItsSet, !step_i || row < e_q)
endmodule
