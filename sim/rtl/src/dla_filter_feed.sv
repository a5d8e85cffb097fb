// SPDX-License-Identifier: Apache-2.0
/// Moves filter sets from the GLB to the PEs, one word a cycle, one set ahead of the array; biases go to the psum unit,
/// scales to post-processing.
///
/// A set takes param_words for biases, if it has any, as many for scales, and t * r * rows * pe_words cycles once it is
/// in the GLB and a half of the filter spads is free. A word of the network is FilterBytes: of several GLB columns side
/// by side, or a part of a GLB word, which is read once. Biases, scales and the weights of each PE begin with a GLB
/// word of their own. In a list, a layer's first set may follow the last one of the layer before.
`include "dla_assert.svh"
module dla_filter_feed
  import dla_pkg::*;
#(
  parameter int unsigned Rows        = 6,
  parameter int unsigned Cols        = 8,
  parameter int unsigned BusBytes    = 4,
  parameter int unsigned FilterBytes = 4,
  /// Dependent, do not override.
  localparam int unsigned Columns   = FilterBytes <= BusBytes ? 1 : FilterBytes / BusBytes,
  localparam int unsigned Parts     = FilterBytes >= BusBytes ? 1 : BusBytes / FilterBytes,
  localparam int unsigned PartWidth = Parts == 1 ? 1 : $clog2(Parts)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  /// With clear_i: what is here is of the layer that begins, but for the last set of the one before in the PEs.
  input  logic                  keep_i,
  /// No set moves.
  output logic                  idle_o,
  /// The turn of the layer that runs; the set that moves, or is the next to, is of the layer behind it.
  input  logic                  turn_i,
  output logic                  next_o,
  // Of the layer that this set is of.
  input  logic [6:0]            filters_high_i,
  input  logic [5:0]            segment_rows_i,
  input  logic [3:0]            fold_rows_i,
  input  logic [5:0]            set_cols_i,
  input  logic                  set_valid_i,
  output logic                  set_ready_o,
  input  filter_set_t           set_i,
  // Tokens.
  input  logic                  chunk_loaded_i,
  output logic                  chunk_released_o,
  /// The array started on a new set, so the one before it, of the same layer, is done with.
  input  logic                  set_started_i,
  /// A set is complete in the PEs.
  output logic                  set_fed_o,
  /// The next set could begin to move, but its chunk is not in the GLB.
  output logic                  late_o,
  // GLB, all columns at once.
  output logic                  glb_read_o,
  output logic [15:0]           glb_addr_o,
  input  logic [8*BusBytes-1:0] glb_data_i [Columns],
  // Filter network: to the PEs of a row and some columns, from the first row of their segment on.
  output logic                  flit_valid_o,
  output logic                  flit_bank_o,
  output logic [5:0]            flit_first_row_o,
  output logic [5:0]            flit_row_o,
  output logic [Cols-1:0]       flit_cols_o,
  output logic [9:0]            flit_addr_o,
  output logic [8*FilterBytes-1:0] flit_data_o,
  // Biases and scales.
  output logic                  bias_valid_o,
  output logic                  scale_valid_o,
  output logic                  param_bank_o,
  output logic [10:0]           param_word_o,
  output logic [8*FilterBytes-1:0] param_data_o
);
  // Tokens: chunks in the GLB, free halves of the filter spads.
  logic [7:0] chunks_q;
  logic [1:0] halves_q;
  logic       first_started_q;

  typedef enum logic [1:0] {Idle, Bias, Scales, Weights} state_e;
  state_e      state_q;
  filter_set_t set_q;
  logic        bank_q;
  logic [15:0] addr_q;
  logic [7:0]  filter_q;
  logic [10:0] word_q;
  logic [PartWidth-1:0] part_q;   // of the GLB word
  logic [5:0]  high_q, set_index_q;
  logic [3:0]  row_q;
  logic [5:0]  segment_row_q, set_row_q;  // where the filter set's segment begins in the array, and its channel set
  logic [Cols-1:0] cols_q;                // of the array
  logic [5:0]  next_segment_row;
  assign next_segment_row = (segment_row_q + segment_rows_i) & 6'(bits_up_to(Rows - 1));

  logic could_start, has_chunk, start, params, last_param, last_word, last_row, last_set, last_filter, done;
  assign could_start = state_q == Idle && set_valid_i && halves_q != '0;
  assign has_chunk   = chunks_q != '0 || !set_i.new_chunk;
  assign start       = could_start && has_chunk;
  assign set_ready_o = start;
  assign late_o      = could_start && !has_chunk;
  assign params      = state_q == Bias || state_q == Scales;
  assign last_param  = word_q + 1'b1 == set_q.param_words;
  assign last_word   = word_q + 1'b1 == set_q.pe_words;
  assign last_row    = row_q + 1'b1 == set_q.rows;
  assign last_set    = set_index_q + 1'b1 == set_q.r;
  assign last_filter = filter_q + 1'b1 == set_q.t;
  assign done        = state_q == Weights && last_word && last_row && last_set && last_filter;

  assign glb_read_o       = state_q != Idle && part_q == '0;
  assign glb_addr_o       = addr_q;
  assign chunk_released_o = done && !set_q.stays;
  assign set_fed_o        = done;
  assign idle_o           = state_q == Idle;
  assign next_o           = (idle_o ? set_i.turn : set_q.turn) != turn_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q         <= Idle;
      chunks_q        <= '0;
      halves_q        <= 2'd2;
      first_started_q <= 1'b0;
      bank_q          <= 1'b1;
    end else if (clear_i && !keep_i) begin
      state_q         <= Idle;
      chunks_q        <= '0;
      halves_q        <= 2'd2;
      first_started_q <= 1'b0;
      bank_q          <= 1'b1;
    end else begin
      chunks_q <= chunks_q + 8'(chunk_loaded_i) - 8'(start && set_i.new_chunk);
      halves_q <= halves_q - 2'(start) + 2'((set_started_i && first_started_q) || clear_i);
      if (set_started_i) first_started_q <= 1'b1;
      else if (clear_i) first_started_q <= 1'b0;
      if (start) bank_q <= !bank_q;
      unique case (state_q)
        Idle:    if (start) state_q <= set_i.has_bias ? Bias : set_i.has_scales ? Scales : Weights;
        Bias:    if (last_param) state_q <= set_q.has_scales ? Scales : Weights;
        Scales:  if (last_param) state_q <= Weights;
        Weights: if (done) state_q <= Idle;
        default: state_q <= Idle;
      endcase
    end
  end

  logic part_ends;
  assign part_ends = Parts == 1 || last_param && params || last_word && state_q == Weights || &part_q;

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        set_q  <= set_i;
        addr_q <= set_i.glb_base / 16'(Columns);
        part_q <= '0;
        word_q <= '0;
        {high_q, set_index_q, row_q, filter_q, segment_row_q, set_row_q} <= '0;
        cols_q <= ~({Cols{1'b1}} << set_cols_i);
      end
      Bias, Scales: begin
        addr_q <= addr_q + 16'(part_ends);
        part_q <= part_ends ? '0 : part_q + 1'b1;
        word_q <= last_param ? '0 : word_q + 1'b1;
      end
      default: begin
        addr_q <= addr_q + 16'(part_ends);
        part_q <= part_ends ? '0 : part_q + 1'b1;
        word_q <= word_q + 1'b1;
        if (last_word) begin
          word_q <= '0;
          row_q  <= row_q + 1'b1;
          if (last_row) begin
            row_q       <= '0;
            set_index_q <= 6'(set_index_q + 1'b1) & 6'(bits_up_to(Rows - 1));
            set_row_q   <= 6'(set_row_q + 6'(fold_rows_i)) & 6'(bits_up_to(Rows - 1));
            if (last_set) begin
              set_index_q   <= '0;
              filter_q      <= filter_q + 1'b1;
              high_q        <= 6'(high_q + 1'b1) & 6'(bits_up_to(Rows - 1));
              segment_row_q <= next_segment_row;
              set_row_q     <= next_segment_row;
              if (7'(high_q) + 1'b1 == filters_high_i) begin
                {high_q, segment_row_q, set_row_q} <= '0;
                cols_q <= cols_q << set_cols_i;
              end
            end
          end
        end
      end
    endcase
  end

  // The word comes a cycle after its address, and leaves a cycle later, beside its place.
  typedef struct packed {
    logic       weights, bias, scales, bank;
    logic [5:0] first_row, row;
    logic [Cols-1:0] cols;
    logic [10:0] word;
    logic [PartWidth-1:0] part;
  } tag_t;
  tag_t tag_q;
  // Biases wait two cycles more, until the psum unit no longer reads those of the set before last; scales with them.
  logic                  bias_valid_q  [2];
  logic                  scale_valid_q [2];
  logic                  param_bank_q  [2];
  logic [10:0]              param_word_q  [2];
  logic [8*FilterBytes-1:0] param_data_q  [2];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tag_q        <= '0;
      flit_valid_o <= 1'b0;
      bias_valid_q <= '{default: 1'b0};
      scale_valid_q <= '{default: 1'b0};
      bias_valid_o <= 1'b0;
      scale_valid_o <= 1'b0;
    end else if (clear_i && !keep_i) begin
      tag_q        <= '0;
      flit_valid_o <= 1'b0;
      bias_valid_q <= '{default: 1'b0};
      scale_valid_q <= '{default: 1'b0};
      bias_valid_o <= 1'b0;
      scale_valid_o <= 1'b0;
    end else begin
      tag_q <= '{weights: state_q == Weights, bias: state_q == Bias, scales: state_q == Scales,
                 bank: bank_q, first_row: segment_row_q, row: (set_row_q + 6'(row_q)) & 6'(bits_up_to(Rows - 1)),
                 cols: cols_q, word: word_q, part: part_q};
      flit_valid_o <= tag_q.weights;
      bias_valid_q <= '{tag_q.bias, bias_valid_q[0]};
      bias_valid_o <= bias_valid_q[1];
      scale_valid_q <= '{tag_q.scales, scale_valid_q[0]};
      scale_valid_o <= scale_valid_q[1];
    end
  end

  logic [8*FilterBytes-1:0] word;
  if (Parts == 1) begin : gen_columns
    for (genvar c = 0; c < Columns; c++) begin : gen_column
      assign word[8*BusBytes*c+:8*BusBytes] = glb_data_i[c];
    end
  end else begin : gen_parts
    assign word = glb_data_i[0][8*FilterBytes*32'(tag_q.part)+:8*FilterBytes];
  end

  always_ff @(posedge clk_i) begin
    flit_bank_o <= tag_q.bank;
    flit_first_row_o <= tag_q.first_row;
    flit_row_o  <= tag_q.row;
    flit_cols_o <= tag_q.cols;
    flit_addr_o <= 10'(tag_q.word);
    flit_data_o <= word;
    param_bank_q <= '{tag_q.bank, param_bank_q[0]};
    param_word_q <= '{tag_q.word, param_word_q[0]};
    param_data_q <= '{word, param_data_q[0]};
    param_bank_o <= param_bank_q[1];
    param_word_o <= param_word_q[1];
    param_data_o <= param_data_q[1];
  end

  `DLA_ASSERT(HalvesAreTwo, halves_q != 2'd3)
endmodule
