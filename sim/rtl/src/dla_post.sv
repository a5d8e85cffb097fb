// SPDX-License-Identifier: Apache-2.0
/// Post-processing: requantizes finished psums, pools them if asked, and writes the output tile to the GLB.
///
/// A shift takes a cycle, a scale RescaleStages, a table two more. Never waits: a tile is reserved before a pass
/// starts. Psums come column by column, in a column slot by slot, in a slot Lanes a word. Pooling takes the largest
/// of the rows of a window, of a word and the one before, where its last row comes, keeps it from column to column in
/// the pooling row, and writes in the window's last. In a lane of the tile, row i * p + slot of out_row_words words
/// belongs to word i of the slot, or, pooled with one lane, to window i; with more, windows are in half the lanes, as a
/// pair of rows ends one at most. At a stride of 1 every row may end one, in its own lane, and every column begins one:
/// of two columns, the one before is kept, of three also the largest of the two before.
`include "dla_assert.svh"
module dla_post
  import dla_pkg::*;
  import dla_regs_pkg::*;
#(
  parameter int unsigned Rows           = 6,
  parameter int unsigned Cols           = 8,
  parameter int unsigned Lanes          = 1,
  parameter int unsigned BusBytes       = 4,
  parameter int unsigned FilterBytes    = 4,
  parameter int unsigned MaxPassFilters = 128,
  /// Dependent, do not override.
  localparam int unsigned BusShift  = $clog2(BusBytes),
  localparam int unsigned Pairs     = Lanes == 1 ? 1 : Lanes / 2,
  localparam int unsigned PairRows  = Lanes == 1 ? 1 : 2,
  // Of dla_rescale.
  localparam int unsigned RescaleStages = 6,
  localparam int unsigned LookupStages  = 2,
  localparam int unsigned Stages        = RescaleStages + LookupStages,
  localparam int unsigned StageWidth    = $clog2(Stages),
  localparam int unsigned TableWidth    = $clog2(256 / BusBytes),
  // The pooling row: words of Pairs bytes, in banks that hold two words of psums side by side.
  localparam int unsigned HeldWords = pooling_row_words(Lanes, Cols, MaxPassFilters),
  localparam int unsigned HeldWidth = $clog2(HeldWords),
  localparam int unsigned Banks     = 2 * Lanes / Pairs,
  localparam int unsigned BankShift = $clog2(Banks),
  // Of a word's number in a slot.
  localparam int unsigned WordWidth = $clog2((Rows * Cols + Lanes - 1) / Lanes + 1)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  /// With clear_i: scales of the layer that begins may be there.
  input  logic                keep_i,
  input  layer_t              layer_i,
  input  derived_t            derived_i,
  input  logic [Lanes-1:0]    in_valid_i,
  input  logic signed [31:0]  in_data_i [Lanes],
  input  logic [8:0]          in_filter_i [Lanes],
  input  logic [Lanes-1:0]    in_ends_i,
  input  logic [Lanes-1:0]    in_padding_i,
  input  logic                in_first_i,
  input  logic                in_new_set_i,
  // Words of the layer's table.
  input  logic                table_write_i,
  input  logic [TableWidth-1:0] table_word_i,
  input  logic [8*BusBytes-1:0] table_data_i,
  // Scales of a filter set.
  input  logic                scale_valid_i,
  input  logic [10:0]         scale_word_i,
  input  logic [8*FilterBytes-1:0] scale_data_i,
  /// By number; psums come tile by tile, in turn.
  input  tiles_t              tiles_i,
  // GLB, a column and a byte a lane, at the same place in all of them.
  output logic [Lanes-1:0]    glb_write_o,
  output logic [15:0]         glb_addr_o,
  output logic [BusBytes-1:0] glb_strobe_o,
  output logic [7:0]          glb_data_o [Lanes],
  // A tile is complete.
  output logic                tile_valid_o,
  output logic                tile_index_o
);
  logic pool;
  assign pool = layer_i.kernel.pool;

  // Stage 1: requantize, by a shift in one cycle or by a scale in several, and look up in two. What comes out belongs
  // to the word that came in as many cycles before.
  logic             scaled, lookup;
  logic [7:0]       highest;
  dla_rounding_e    rounding;
  logic [Lanes-1:0][7:0] shifted, shifted_q, rescaled_q, activation_q, requantized_q, found_q;
  logic [Stages-1:0][Lanes-1:0] valid_stages_q, ends_stages_q, padding_stages_q;
  logic [Stages-1:0] first_stages_q;
  // The stages that an activation leaves dla_requant or dla_rescale in, and this one.
  logic [StageWidth-1:0] requantized_stage, stage;
  logic [Lanes-1:0] requantized_valid_q;
  logic [Lanes-1:0] ends_q, padding_q;   // windows end with the row, or it is their padding
  logic [Lanes-1:0] valid_q;
  logic             first_q;
  logic [31:0]      own_scale [Lanes];
  dla_filter_scales #(
    .Rows(Rows), .Lanes(Lanes), .FilterBytes(FilterBytes), .MaxPassFilters(MaxPassFilters)
  ) u_scales (
    .clk_i, .rst_ni, .clear_i(clear_i && !keep_i),
    .write_i(scale_valid_i), .word_i(scale_word_i), .data_i(scale_data_i),
    .read_i(in_valid_i & {Lanes{layer_i.kernel.filter_scales}}), .filter_i(in_filter_i), .next_i(in_new_set_i),
    .scale_o(own_scale)
  );
  dla_lookup #(.Lanes(Lanes), .BusBytes(BusBytes)) u_lookup (
    .clk_i, .rst_ni, .write_i(table_write_i), .word_i(table_word_i), .data_i(table_data_i),
    .read_i(requantized_valid_q & {Lanes{lookup}}), .byte_i(requantized_q), .byte_o(found_q)
  );
  assign scaled   = layer_i.kernel.scaled;
  assign lookup   = layer_i.quant.lookup;
  assign requantized_stage = scaled ? StageWidth'(RescaleStages - 1) : '0;
  assign stage             = requantized_stage + (lookup ? StageWidth'(LookupStages) : '0);
  assign highest  = ~layer_i.bounds.headroom;
  assign rounding = dla_rounding_e'(layer_i.quant.rounding);
  for (genvar lane = 0; lane < Lanes; lane++) begin : gen_lane
    logic [30:0] scale;
    assign scale = layer_i.kernel.filter_scales ? own_scale[lane][30:0] : layer_i.scale[30:0];
    dla_requant u_requant (
      .psum_i(in_data_i[lane]), .shift_i(layer_i.quant.shift), .rounding_i(rounding),
      .zero_point_i(layer_i.quant.ofmap_zero_point), .lowest_i(layer_i.bounds.lowest), .highest_i(highest),
      .activation_o(shifted[lane])
    );
    dla_rescale u_rescale (
      .clk_i, .enable_i(scaled), .psum_i(in_data_i[lane]), .scale_i(scale), .rounding_i(rounding),
      .zero_point_i(layer_i.quant.ofmap_zero_point), .lowest_i(layer_i.bounds.lowest), .highest_i(highest),
      .activation_o(rescaled_q[lane])
    );
    assign requantized_q[lane] = scaled ? rescaled_q[lane] : shifted_q[lane];
    assign activation_q[lane]  = lookup ? found_q[lane] : requantized_q[lane];
  end
  assign requantized_valid_q = valid_stages_q[requantized_stage];
  assign valid_q             = valid_stages_q[stage];
  assign ends_q              = pool ? ends_stages_q[stage] : '0;
  assign padding_q           = pool ? padding_stages_q[stage] : '0;
  always_ff @(posedge clk_i) begin
    if (pool) begin
      ends_stages_q    <= {ends_stages_q[Stages-2:0], in_ends_i};
      padding_stages_q <= {padding_stages_q[Stages-2:0], in_padding_i};
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_stages_q <= '0;
    else if (clear_i) valid_stages_q <= '0;
    else valid_stages_q <= {valid_stages_q[Stages-2:0], in_valid_i};
  end
  always_ff @(posedge clk_i) begin
    shifted_q      <= shifted;
    first_stages_q <= {first_stages_q[Stages-2:0], in_first_i};
  end

  // Stage 2: where this word goes, if there is one. All counters restart with the first word of a pass.
  logic                 there, pools;
  logic                 tile_q;
  tile_t                tile;
  logic [WordWidth-1:0] word_q, word;
  logic [5:0]           p_q, p;
  logic [12:0]          f_q, f;
  logic [15:0]          addr_q, slot_addr_q, col_addr_q, addr;
  logic [HeldWidth-1:0] held_addr_q, held_addr;
  logic                 last_word, last_slot, row_done, col_done;
  // With one lane, a window takes several words. Of its columns, the first begins it, the last writes it: with windows
  // that overlap these are one.
  logic [1:0]           phase_q, phase;            // column after the last that a window begins with
  logic                 overlaps, col_begins, each_row;
  assign there    = valid_q[0];
  assign pools    = pool && there;
  assign overlaps = pool_size(layer_i.kernel) > pool_stride(layer_i.kernel);
  assign each_row = pool_stride(layer_i.kernel) == 2'd1;
  always_comb begin
    tile         = '0;
    first_q      = 1'b0;
    word         = '0;
    p            = '0;
    f            = '0;
    addr         = '0;
    held_addr    = '0;
    phase        = '0;
    last_word    = 1'b0;
    last_slot    = 1'b0;
    col_begins   = 1'b0;
    row_done     = 1'b0;
    col_done     = 1'b0;
    tile_valid_o = 1'b0;
    if (there) begin
      tile         = tiles_i[tile_q];
      first_q      = first_stages_q[stage];
      word         = first_q ? '0 : word_q;
      p            = first_q ? '0 : p_q;
      f            = first_q ? '0 : f_q;
      addr         = first_q ? '0 : addr_q;
      held_addr    = first_q ? '0 : held_addr_q;
      phase        = first_q ? '0 : phase_q;
      last_word    = word + 1'b1 == WordWidth'(tile.slot_words);
      last_slot    = p + 1'b1 == tile.p;
      col_begins   = phase == '0;
      row_done     = !pool || Lanes != 1 || ends_q[0];
      col_done     = !pool || (overlaps ? col_begins && f + 1'b1 >= 13'(pool_size(layer_i.kernel))
                                        : phase + 1'b1 == pool_size(layer_i.kernel));
      tile_valid_o = last_word && last_slot && f + 1'b1 == derived_i.F;
    end
  end

  always_ff @(posedge clk_i) begin
    if (there) begin
      automatic logic [15:0] next_slot_addr, next_col_addr;
      next_slot_addr = (first_q ? '0 : slot_addr_q) + (16'(derived_i.out_row_words) << BusShift);
      next_col_addr  = (first_q ? '0 : col_addr_q) + 16'(col_done);
      word_q      <= last_word ? '0 : word + 1'b1;
      p_q         <= p;
      f_q         <= f;
      addr_q      <= row_done ? addr + (tile.row_stride << BusShift) : addr;
      slot_addr_q <= first_q ? '0 : slot_addr_q;
      col_addr_q  <= first_q ? '0 : col_addr_q;
      held_addr_q <= held_addr + HeldWidth'(row_done);
      phase_q     <= phase;
      if (last_word) begin
        p_q         <= last_slot ? '0 : p + 1'b1;
        addr_q      <= next_slot_addr;
        slot_addr_q <= next_slot_addr;
        if (last_slot) begin
          f_q         <= f + 1'b1;
          addr_q      <= next_col_addr;
          slot_addr_q <= next_col_addr;
          col_addr_q  <= next_col_addr;
          phase_q     <= phase + 1'b1 == pool_stride(layer_i.kernel) ? '0 : phase + 1'b1;
          held_addr_q <= '0;
        end
      end
    end
  end

  // Pooling. Padding is 0, which is larger than nothing.
  logic [Lanes-1:0][7:0] rows_largest;   // of the window that ends with each row
  logic [Lanes+1:0][7:0] row;            // those of the word, behind the last two of the word before
  logic [1:0][7:0]       above_q;
  logic                  col_is_padding, is_of_three;
  function automatic logic [7:0] larger(input logic [7:0] a, input logic [7:0] b);
    return a > b ? a : b;
  endfunction
  assign is_of_three = pool_size(layer_i.kernel) == 2'd3;
  always_comb begin
    rows_largest   = '0;
    row            = '0;
    col_is_padding = 1'b0;
    if (pools) begin
      col_is_padding = f < 13'(layer_i.kernel.pool_left) || f >= derived_i.cols_end;
      row[0]         = above_q[1];
      row[1]         = above_q[0];
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        row[lane+2]        = padding_q[lane] || col_is_padding ? '0 : activation_q[lane];
        rows_largest[lane] = larger(larger(row[lane+2], row[lane+1]), is_of_three ? row[lane] : '0);
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (pools) above_q <= {row[Lanes], row[Lanes+1]};
  end

  // The pooling row, its banks side by side. A word has the windows' columns so far; at a stride of 1, half of the
  // banks have the column before, these or those, or the first half has it and, of windows of three columns, the other
  // the largest of the two.
  logic [1:0]           span;
  logic [HeldWidth-1:0] held_place;  // of the first word
  logic [HeldWidth-BankShift-1:0] held_row;
  logic [BankShift-1:0] held_bank;
  logic [Banks-1:0][Pairs-1:0][7:0] held, keeps;
  always_comb begin
    span       = '0;
    held_place = '0;
    if (pools) begin
      span       = pooling_row_span(layer_i.kernel, Lanes);
      held_place = held_addr << span;
    end
  end
  assign held_row   = held_place[HeldWidth-1:BankShift];
  assign held_bank  = held_place[BankShift-1:0];
  for (genvar bank = 0; bank < Banks; bank++) begin : gen_bank
    logic [Pairs-1:0][7:0] held_q [(HeldWords + Banks - 1 - bank) / Banks];
    assign held[bank] = pools ? held_q[held_row] : '0;
    always_ff @(posedge clk_i) begin
      if (pools && row_done && (col_begins || !col_done) && BankShift'(bank) >> span == held_bank >> span) begin
        held_q[held_row] <= keeps[bank];
      end
    end
  end

  logic [Pairs-1:0][7:0]      pair_largest;
  logic [1:0][Lanes-1:0][7:0] columns_held, columns;  // at a stride of 1: the halves of the banks, and what they keep
  logic [Lanes-1:0][7:0]      column_before, window_largest;
  logic [Lanes-1:0]           window_done;
  assign columns_held  = held;
  always_comb begin
    pair_largest   = '0;
    columns        = '0;
    window_largest = '0;
    window_done    = '0;
    keeps          = '0;
    column_before  = '0;
    if (pools && each_row) begin
      column_before = f == '0 ? '0 : columns_held[held_bank[BankShift-1]];
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        window_largest[lane] = larger(rows_largest[lane], is_of_three ? columns_held[1][lane] : column_before[lane]);
        window_done[lane]    = valid_q[lane] && ends_q[lane];
        columns[0][lane]     = rows_largest[lane];
        columns[1][lane]     = larger(rows_largest[lane], is_of_three ? column_before[lane] : '0);
      end
      keeps = columns;
    end else if (pools) begin
      for (int unsigned j = 0; j < Pairs; j++) begin
        // The pair's first row, or the second: of one lane both are the same.
        pair_largest[j]   = ends_q[2*j] ? rows_largest[2*j] : rows_largest[2*j+PairRows-1];
        window_largest[j] = larger(pair_largest[j], held[held_bank][j]);
        window_done[j]    = |(valid_q[2*j+:PairRows] & ends_q[2*j+:PairRows]);
      end
      for (int unsigned bank = 0; bank < Banks; bank++) begin
        keeps[bank] = col_begins ? pair_largest : window_largest[Pairs-1:0];
      end
    end
  end

  // GLB.
  always_comb begin
    glb_addr_o   = '0;
    glb_strobe_o = '0;
    glb_write_o  = '0;
    glb_data_o   = '{default: '0};
    if (there) begin
      glb_addr_o   = (tile_q ? derived_i.out_tile_words : '0) + (addr >> BusShift);
      glb_strobe_o = BusBytes'(1) << addr[BusShift-1:0];
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        glb_write_o[lane] = pool ? window_done[lane] && col_done : valid_q[lane];
        glb_data_o[lane]  = pool ? window_largest[lane] : activation_q[lane];
      end
    end
  end

  assign tile_index_o = tile_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) tile_q <= 1'b0;
    else if (clear_i) tile_q <= 1'b0;
    else if (tile_valid_o) tile_q <= !tile_q;
  end

  `DLA_ASSERT(ActivationsStayInTheirTile, glb_write_o != '0 |-> 32'(addr[15:BusShift]) < 32'(derived_i.out_tile_words))
endmodule
