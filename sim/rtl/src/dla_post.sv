// SPDX-License-Identifier: Apache-2.0
/// Post-processing: requantizes finished psums, pools them if asked, and writes the output tile to the GLB.
///
/// A shift takes a cycle, a scale RescaleStages. Never waits: a tile is reserved before a pass starts. Psums come column by column, in a column slot by slot, in a slot
/// Lanes a word. Pooling takes the larger of two rows, of a word or of two words of one psum, keeps it through an even
/// column, and writes in the odd one. In a lane of the tile, row i * p + slot of out_row_words words belongs to word i of the
/// slot, or, pooled with one lane, to two words.
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
  localparam int unsigned HeldPairs = MaxPassFilters * ((Cols + 1) / 2),
  // Of dla_rescale.
  localparam int unsigned RescaleStages = 6,
  // The last word of each slot may have fewer pairs.
  localparam int unsigned HeldWords = Pairs == 1 ? HeldPairs : HeldPairs / Pairs + 63,
  localparam int unsigned HeldWidth = $clog2(HeldWords)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  input  layer_t              layer_i,
  input  derived_t            derived_i,
  input  logic [Lanes-1:0]    in_valid_i,
  input  logic signed [31:0]  in_data_i [Lanes],
  input  logic [8:0]          in_filter_i [Lanes],
  input  logic                in_first_i,
  input  logic                in_new_set_i,
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

  // Stage 1: requantize, by a shift in one cycle or by a scale in several. What comes out belongs to the word that came in
  // as many cycles before.
  logic             scaled;
  logic [7:0]       highest;
  dla_rounding_e    rounding;
  logic [7:0]       shifted [Lanes], shifted_q [Lanes], rescaled_q [Lanes], activation_q [Lanes];
  logic [Lanes-1:0] valid_stages_q [RescaleStages];
  logic             first_stages_q [RescaleStages];
  logic [Lanes-1:0] valid_q;
  logic             first_q;
  logic [31:0]      own_scale [Lanes];
  dla_filter_scales #(
    .Rows(Rows), .Lanes(Lanes), .FilterBytes(FilterBytes), .MaxPassFilters(MaxPassFilters)
  ) u_scales (
    .clk_i, .rst_ni, .clear_i, .write_i(scale_valid_i), .word_i(scale_word_i), .data_i(scale_data_i),
    .read_i(in_valid_i & {Lanes{layer_i.kernel.filter_scales}}), .filter_i(in_filter_i), .next_i(in_new_set_i),
    .scale_o(own_scale)
  );
  assign scaled   = layer_i.kernel.scaled;
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
    assign activation_q[lane] = scaled ? rescaled_q[lane] : shifted_q[lane];
  end
  assign valid_q = scaled ? valid_stages_q[RescaleStages-1] : valid_stages_q[0];
  assign first_q = scaled ? first_stages_q[RescaleStages-1] : first_stages_q[0];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_stages_q <= '{default: '0};
    end else if (clear_i) begin
      valid_stages_q <= '{default: '0};
    end else begin
      valid_stages_q[0] <= in_valid_i;
      for (int unsigned i = 1; i < RescaleStages; i++) valid_stages_q[i] <= valid_stages_q[i-1];
    end
  end
  always_ff @(posedge clk_i) begin
    shifted_q         <= shifted;
    first_stages_q[0] <= in_first_i;
    for (int unsigned i = 1; i < RescaleStages; i++) first_stages_q[i] <= first_stages_q[i-1];
  end

  // Stage 2: where this word goes. All counters restart with the first word of a pass.
  logic                 tile_q;
  tile_t                tile;
  logic [9:0]           word_q, word;
  logic [5:0]           p_q, p;
  logic [12:0]          f_q, f;
  logic [15:0]          addr_q, slot_addr_q, col_addr_q, addr;
  logic [HeldWidth-1:0] held_addr_q, held_addr;
  assign tile      = tiles_i[tile_q];
  assign word      = first_q ? '0 : word_q;
  assign p         = first_q ? '0 : p_q;
  assign f         = first_q ? '0 : f_q;
  assign addr      = first_q ? '0 : addr_q;
  assign held_addr = first_q ? '0 : held_addr_q;

  logic last_word, last_slot, last_col, pair_done;
  assign last_word = word + 1'b1 == tile.slot_words;
  assign last_slot = p + 1'b1 == tile.p;
  assign last_col  = f + 1'b1 == derived_i.F;
  // With one lane, a pair of rows takes two words.
  assign pair_done = Lanes != 1 || word[0];

  logic [15:0] next_slot_addr, next_col_addr;
  assign next_slot_addr = (first_q ? '0 : slot_addr_q) + (16'(derived_i.out_row_words) << BusShift);
  assign next_col_addr  = (first_q ? '0 : col_addr_q) + 16'(!pool || f[0]);

  always_ff @(posedge clk_i) begin
    if (valid_q[0]) begin
      word_q      <= last_word ? '0 : word + 1'b1;
      p_q         <= p;
      f_q         <= f;
      addr_q      <= !pool || pair_done ? addr + (tile.row_stride << BusShift) : addr;
      slot_addr_q <= first_q ? '0 : slot_addr_q;
      col_addr_q  <= first_q ? '0 : col_addr_q;
      held_addr_q <= held_addr + HeldWidth'(pair_done);
      if (last_word) begin
        p_q         <= last_slot ? '0 : p + 1'b1;
        addr_q      <= next_slot_addr;
        slot_addr_q <= next_slot_addr;
        if (last_slot) begin
          f_q         <= f + 1'b1;
          addr_q      <= next_col_addr;
          slot_addr_q <= next_col_addr;
          col_addr_q  <= next_col_addr;
          held_addr_q <= '0;
        end
      end
    end
  end

  // Pooling.
  logic [8*Pairs-1:0] held_q [HeldWords];
  logic [8*Pairs-1:0] rows_max, held;
  logic [7:0]         pooled [Pairs], above_q;
  function automatic logic [7:0] larger(input logic [7:0] a, input logic [7:0] b);
    return a > b ? a : b;
  endfunction
  assign held = held_q[held_addr];
  for (genvar j = 0; j < Pairs; j++) begin : gen_pair
    if (Lanes == 1) begin : gen_one_lane
      assign rows_max[8*j+:8] = larger(above_q, activation_q[0]);
    end else begin : gen_lanes
      assign rows_max[8*j+:8] = larger(activation_q[2*j], activation_q[2*j+1]);
    end
    assign pooled[j] = larger(rows_max[8*j+:8], held[8*j+:8]);
  end
  always_ff @(posedge clk_i) begin
    if (valid_q[0]) above_q <= activation_q[0];
    if (valid_q[0] && pair_done && !f[0]) held_q[held_addr] <= rows_max;
  end

  // GLB.
  assign glb_addr_o   = (tile_q ? derived_i.out_tile_words : '0) + (addr >> BusShift);
  assign glb_strobe_o = BusBytes'(1) << addr[BusShift-1:0];
  always_comb begin
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      glb_write_o[lane] = valid_q[lane];
      glb_data_o[lane]  = activation_q[lane];
    end
    if (pool) begin
      glb_write_o = '0;
      for (int unsigned j = 0; j < Pairs; j++) begin
        glb_write_o[j] = valid_q[Lanes == 1 ? 0 : 2*j] && pair_done && f[0];
        glb_data_o[j]  = pooled[j];
      end
    end
  end

  assign tile_valid_o = valid_q[0] && last_word && last_slot && last_col;
  assign tile_index_o = tile_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) tile_q <= 1'b0;
    else if (clear_i) tile_q <= 1'b0;
    else if (tile_valid_o) tile_q <= !tile_q;
  end

  `DLA_ASSERT(ActivationsStayInTheirTile, glb_write_o != '0 |-> 32'(addr[15:BusShift]) < 32'(derived_i.out_tile_words))
endmodule
