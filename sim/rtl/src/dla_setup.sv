// SPDX-License-Identifier: Apache-2.0
/// Checks a layer command and works out everything that stays the same while it runs, in 91 cycles.
///
/// Products follow each other over one multiplier, three cycles each; the quotients are worked out beside them
/// (dla_setup_quotients), and are there before a product needs them. Then comes the verdict (dla_layer_check).
`include "dla_assert.svh"
module dla_setup
  import dla_pkg::*;
  import dla_regs_pkg::*;
#(
  parameter int unsigned Rows            = 6,
  parameter int unsigned Cols            = 8,
  parameter int unsigned IfmapSpadBytes  = 12,
  parameter int unsigned FilterSpadBytes = 48,
  parameter int unsigned MaxPeFilters   = 16,
  parameter int unsigned GlbBytes        = 65536,
  parameter int unsigned GlbBankBytes    = 2048,
  parameter int unsigned BusBytes        = 4,
  parameter int unsigned Lanes           = 1,
  parameter int unsigned FilterBytes     = 4,
  parameter int unsigned MaxPassFilters  = 128,
  parameter region_columns_t RegionColumns = '{default: 6'd1},
  /// Dependent, do not override. Biases, scales and the weights of a PE are padded to WordBytes in the filter stream.
  localparam int unsigned IfmapColumns = 32'(RegionColumns[RegionIfmap]),
  localparam int unsigned WordBytes    = FilterBytes < BusBytes ? BusBytes : FilterBytes
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  /// Drops a check under way.
  input  logic       clear_i,
  input  logic       start_i,
  input  layer_t     layer_i,
  /// High for one cycle; error_o then says whether the layer may run.
  output logic       done_o,
  output dla_error_e error_o,
  output derived_t   derived_o
);
  // Each step up to PsumWords is a product, of three cycles; one that takes up the product before it follows it.
  typedef enum logic [5:0] {
    Idle, PassFilters, WeightBytes, ChunkChannels, Sets, SetRows, FilterWords, FilterRegion,
    IfmapPlane, ChunkBytes, ChunkRows, PlaneWords, BufferWords, FilterSets, OutRows, OutWords, OfmapPlane,
    OfmapBytes, AllOfmapBytes, GroupBytes, FilterTileBytes, StripBytes, ResidualWords, RowTileBytes, IfmapBytes,
    AllIfmapBytes, SlotsOfRows, BlockWords, GroupBlocks, PsumWords, LastProduct, Check, Verdict
  } step_e;

  step_e       step_q;
  logic [1:0]  phase_q;  // of a product: its operands are chosen in phase 0, which is when the one before is there
  derived_t    d_q;
  needs_t      needs_q;
  quotients_t  quotients;
  logic        quotients_done;
  assign derived_o = d_q;

  // Operands, short.
  logic [11:0] H, W;
  logic [3:0]  R;
  logic [15:0] C, M, e_glb;
  logic [15:0] groups;
  logic [5:0]  e, r;
  logic [4:0]  g;
  logic        pool, resident;
  assign H = layer_i.ifmap_size.h;
  assign W = layer_i.ifmap_size.w;
  assign R = layer_i.kernel.r;
  assign C = layer_i.channels.c;
  assign M = layer_i.channels.m;
  assign e = layer_i.map_pe.e;
  assign r = layer_i.map_pe.r;
  assign e_glb    = 16'(layer_i.map_glb.e_glb);
  assign pool     = layer_i.kernel.pool;
  assign g        = layer_i.map_loop.g;
  assign groups   = layer_i.groups.g == '0 ? 16'd1 : layer_i.groups.g;
  assign resident = layer_i.map_loop.ifmap_resident;

  function automatic logic [31:0] ceil_words(input logic [31:0] bytes);
    return (bytes + BusBytes - 1) / BusBytes;
  endfunction
  function automatic logic [31:0] stream_words(input logic [31:0] bytes);
    return (bytes + WordBytes - 1) / WordBytes * (WordBytes / BusBytes);
  endfunction

  // What follows from the array alone: a row for each filter height, for each set's height, and for its width.
  function automatic int unsigned fold_rows_of(input int unsigned filter_rows);
    int unsigned folds;
    folds = (filter_rows + Rows - 1) / Rows;
    return (filter_rows + folds - 1) / folds;
  endfunction
  logic [3:0] folds, fold_rows;
  logic [6:0] sets_high, sets_wide;
  always_comb begin
    folds     = '0;
    fold_rows = 4'(layer_i.map_loop.fold_rows);
    sets_high = '0;
    sets_wide = '0;
    if (step_q != Idle) begin
      for (int unsigned i = 1; i < 2 ** $bits(R); i++) begin
        if (R == 4'(i) && layer_i.map_loop.fold_rows == '0) fold_rows = 4'(fold_rows_of(i));
      end
      for (int unsigned i = 1; i < 2 ** $bits(R); i++) begin
        if (fold_rows == 4'(i)) begin
          folds     = 4'((32'(R) + i - 1) / i);
          sets_high = 7'(Rows / i);
        end
      end
      for (int unsigned i = 1; i <= Cols && i < 2 ** $bits(e); i++) begin
        if (e == 6'(i)) sets_wide = 7'(Cols / i);
      end
    end
  end

  dla_setup_quotients u_quotients (
    .clk_i, .rst_ni, .clear_i, .start_i(step_q == Idle && start_i), .layer_i, .sets_high_i(sets_high),
    .chunk_channels_i(d_q.chunk_channels), .pass_filters_i(d_q.pass_filters), .done_o(quotients_done),
    .quotients_o(quotients)
  );

  // Windows of a pool over so many rows, and the rows of whole windows, in three steps. Where nothing is pooled, a
  // window is a row.
  typedef struct packed {
    logic [12:0] behind;             // rows behind the first window
    logic [12:0] more;               // windows behind it
    logic [12:0] windows;
    logic [12:0] rows;
  } windows_t;
  function automatic windows_t next_windows(input logic [12:0] rows, input logic [12:0] behind, input logic [12:0] more,
                                            input kernel_reg_t kernel);
    return '{behind: rows - 13'(pool_size(kernel)), more: per_stride(kernel, behind), windows: more + 1'b1,
             rows: 13'(more * 13'(pool_stride(kernel))) + 13'(pool_size(kernel))};
  endfunction
  windows_t rows_q, columns_q, tile_q, strip_q;
  always_ff @(posedge clk_i) begin
    if (step_q != Idle) begin
      rows_q    <= next_windows(quotients.rows, rows_q.behind, rows_q.more, layer_i.kernel);
      columns_q <= next_windows(quotients.columns, columns_q.behind, columns_q.more, layer_i.kernel);
      tile_q    <= next_windows(13'(e_glb), tile_q.behind, tile_q.more, layer_i.kernel);
      strip_q   <= next_windows(13'(e), strip_q.behind, strip_q.more, layer_i.kernel);
      d_q.rows_end  <= pool ? quotients.rows - 13'(layer_i.kernel.pool_bottom) : quotients.rows;
      d_q.cols_end  <= pool ? quotients.columns - 13'(layer_i.kernel.pool_right) : quotients.columns;
      needs_q.odd_pool_rows <= tile_q.rows != 13'(e_glb) || strip_q.rows != 13'(e) ||
                               16'(pool_size(layer_i.kernel)) > e_glb || 6'(pool_size(layer_i.kernel)) > e;
      d_q.ofmap_rows <= rows_q.windows;
      d_q.E          <= rows_q.rows;
      d_q.F          <= columns_q.rows;
      d_q.ofmap_cols <= columns_q.windows;
    end
  end

  always_ff @(posedge clk_i) if (step_q != Idle) begin
    d_q.folds         <= folds;
    d_q.fold_rows     <= fold_rows;
    d_q.out_row_words <= 13'(ceil_words(32'(d_q.ofmap_cols)));
    d_q.filters_high  <= quotients.filters_high & 7'(bits_up_to(Rows));
    // Small products, a cycle each.
    d_q.segment_rows    <= 7'(10'(fold_rows) * 10'(r)) & 7'(bits_up_to(Rows));
    d_q.slot_products   <= (g == '0 ? 9'(layer_i.map_pe.q) : 9'(C[4:0])) * 9'(layer_i.kernel.s);
    d_q.column_channels <= 11'(layer_i.map_pe.q) * 11'(d_q.filters_high);
    d_q.part_groups     <= g == '0 ? 13'd1 : 13'(g) * 13'(layer_i.map_pe.t);
    window_bytes_q      <= 9'(layer_i.map_pe.q) * 9'(layer_i.kernel.s);
    slot_psums_q        <= 13'(layer_i.map_pe.t) * 13'(e);
    slot_words_q        <= 16'((32'(slot_psums_q) + Lanes - 1) / Lanes);
    slot_rows_q         <= 16'(layer_i.map_pe.t) * 16'(strip_q.windows);
    d_q.ifmap_buffers <= resident ? quotients.chunks : 16'd2;
    d_q.ifmap_halvings <= '0;
    for (int unsigned i = 1; i <= $clog2(IfmapColumns); i++) begin
      if (buffer_channels <= 16'(IfmapColumns >> i)) d_q.ifmap_halvings <= 3'(i);
    end
  end

  // The product of the step before, in phase 0, and what becomes of it.
  logic [31:0] product, chunk_rows, plane_words, filter_words;
  logic [8:0]  window_bytes_q;
  logic [12:0] slot_psums_q;
  logic [15:0] slot_words_q, slot_rows_q;
  assign chunk_rows   = product + 32'(R) > 32'(H) ? 32'(H) : product + 32'(R);
  assign plane_words  = ceil_words(product + BusBytes - 1);
  assign filter_words = product + (stream_words({21'b0, d_q.pass_filters, 2'b0}) << layer_i.kernel.filter_scales);

  // Planes of a channel each, in a column of the ifmap region: of all channels, or of a chunk.
  logic [15:0] planes, buffer_channels;
  assign buffer_channels = resident ? C : 16'(d_q.chunk_channels);
  assign planes          = 16'((17'(buffer_channels) + 17'(IfmapColumns - 1)) / 17'(IfmapColumns));

  // What each step multiplies.
  logic [31:0] mul_a;
  logic [15:0] mul_b;
  always_comb begin
    mul_a = product;
    mul_b = '0;
    unique case (step_q)
      PassFilters:     begin mul_a = 32'(layer_i.map_pe.t); mul_b = 16'(layer_i.map_pe.p); end
      WeightBytes:     begin mul_a = 32'(d_q.slot_products); mul_b = 16'(layer_i.map_pe.p); end
      ChunkChannels:   begin mul_a = 32'(layer_i.map_pe.q); mul_b = g == '0 ? 16'(r) : 16'(layer_i.map_pe.t); end
      Sets:            begin mul_a = 32'(layer_i.map_pe.t); mul_b = 16'(r); end
      SetRows:         mul_b = 16'(d_q.fold_rows);
      FilterWords:     mul_b = 16'(stream_words(needs_q.weight_bytes));
      FilterRegion:    begin mul_a = filter_words; mul_b = 16'(layer_i.map_loop.filter_buffers); end
      IfmapPlane:      begin mul_a = 32'(H); mul_b = 16'(W); end
      ChunkBytes:      mul_b = 16'(d_q.chunk_channels);
      ChunkRows:       begin mul_a = 32'(e_glb) - 32'd1; mul_b = 16'(layer_i.kernel.u); end
      PlaneWords:      begin mul_a = chunk_rows; mul_b = 16'(W); end
      BufferWords:     begin mul_a = plane_words; mul_b = planes; end
      FilterSets:      begin mul_a = 32'(d_q.filters_high); mul_b = 16'(sets_wide); end
      OutRows:         begin mul_a = 32'(layer_i.map_pe.p); mul_b = pool && Lanes == 1 ? slot_rows_q : slot_words_q; end
      OutWords:        mul_b = 16'(d_q.out_row_words);
      OfmapPlane:      begin
        mul_a = layer_i.quant.mean ? 32'd1 : 32'(d_q.ofmap_rows);
        mul_b = layer_i.quant.mean ? 16'd1 : 16'(d_q.ofmap_cols);
      end
      OfmapBytes:      mul_b = M;
      AllOfmapBytes:   mul_b = groups;
      GroupBytes:      begin mul_a = 32'(d_q.ofmap_plane); mul_b = 16'(d_q.pass_filters); end
      FilterTileBytes: begin mul_a = 32'(d_q.ofmap_plane); mul_b = layer_i.map_glb.m; end
      StripBytes:      begin mul_a = 32'(d_q.ofmap_cols); mul_b = 16'(strip_q.windows); end
      ResidualWords:   begin mul_a = ceil_words(product + BusBytes - 1); mul_b = 16'(d_q.pass_filters); end
      RowTileBytes:    begin mul_a = 32'(d_q.ofmap_cols); mul_b = 16'(tile_q.windows); end
      IfmapBytes:      begin mul_a = 32'(d_q.ifmap_plane); mul_b = C; end
      AllIfmapBytes:   mul_b = groups;
      SlotsOfRows:     begin mul_a = 32'(d_q.F); mul_b = 16'(layer_i.map_pe.p); end
      BlockWords:      mul_b = slot_words_q;
      GroupBlocks:     mul_b = quotients.groups;
      PsumWords:       mul_b = 16'(quotients.strips);
      default:         ;
    endcase
  end
  dla_multiplier u_multiplier (
    .clk_i, .start_i(step_q inside {[PassFilters:PsumWords]} && phase_q == '0), .a_i(mul_a), .b_i(mul_b),
    .product_o(product)
  );

  // What each step keeps of the product before.
  always_ff @(posedge clk_i) begin
    if (phase_q == '0) begin
      unique case (step_q)
        WeightBytes: begin
          needs_q.pass_filters <= product;
          d_q.pass_filters     <= 9'(product);
        end
        ChunkChannels:   needs_q.weight_bytes <= product;
        Sets:            d_q.chunk_channels <= 13'(product);
        FilterRegion:    d_q.filter_buffer_words <= 16'(filter_words);
        IfmapPlane:      needs_q.filter_words <= product;
        ChunkBytes:      d_q.ifmap_plane <= 24'(product);
        ChunkRows:       d_q.chunk_bytes <= product;
        BufferWords:     d_q.plane_words <= 16'(plane_words);
        FilterSets: begin
          needs_q.ifmap_words    <= resident ? product : product[31] ? '1 : product << 1;
          d_q.ifmap_buffer_words <= resident ? '0 : 16'(product);
        end
        OutRows:         needs_q.filter_sets <= product;
        OutWords:        needs_q.held_words <= product;
        OfmapPlane: begin
          needs_q.out_words  <= product;
          d_q.out_tile_words <= 16'(product);
        end
        OfmapBytes:      d_q.ofmap_plane <= 24'(product);
        AllOfmapBytes:   d_q.part_ofmap_bytes <= product;
        GroupBytes:      needs_q.ofmap_bytes <= product;
        FilterTileBytes: d_q.group_bytes <= product;
        StripBytes: begin
          d_q.filter_tile_bytes <= product;
          if (g != '0) d_q.part_ofmap_bytes <= product;
        end
        ResidualWords:   d_q.strip_bytes <= product;
        RowTileBytes: begin
          needs_q.residual_words  <= product;
          d_q.residual_tile_words <= 16'(product);
        end
        IfmapBytes:      d_q.row_tile_bytes <= product;
        AllIfmapBytes:   d_q.part_ifmap_bytes <= g == '0 ? product : d_q.chunk_bytes;
        SlotsOfRows:     needs_q.ifmap_bytes <= product;
        GroupBlocks:     d_q.psum_block_words <= 16'(product);
        LastProduct: begin
          needs_q.psum_words  <= product;
          needs_q.keeps_psums <= quotients.chunks != 16'd1 || d_q.folds != 4'd1;
        end
        default: ;
      endcase
    end
  end

  dla_layer_check #(
    .Cols(Cols), .IfmapSpadBytes(IfmapSpadBytes), .FilterSpadBytes(FilterSpadBytes), .MaxPeFilters(MaxPeFilters),
    .GlbBytes(GlbBytes), .GlbBankBytes(GlbBankBytes), .BusBytes(BusBytes), .MaxPassFilters(MaxPassFilters),
    .RegionColumns(RegionColumns)
  ) u_check (
    .clk_i, .rst_ni, .enable_i(step_q != Idle), .layer_i, .derived_i(d_q), .sets_high_i(sets_high),
    .needs_i(needs_q), .window_bytes_i(window_bytes_q), .error_o
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q  <= Idle;
      phase_q <= '0;
      done_o  <= 1'b0;
    end else begin
      done_o <= step_q == Verdict && !clear_i;
      if (clear_i) begin
        step_q  <= Idle;
        phase_q <= '0;
      end else begin
        unique case (step_q)
          Idle:               if (start_i) step_q <= PassFilters;
          LastProduct, Check: step_q <= step_e'(step_q + 1'b1);
          Verdict:            step_q <= Idle;
          default: begin
            phase_q <= phase_q == 2'd2 ? '0 : phase_q + 1'b1;
            if (phase_q == 2'd2) step_q <= step_e'(step_q + 1'b1);
          end
        endcase
      end
    end
  end

  `DLA_ASSERT(QuotientsAreThere, (step_q == GroupBlocks) |-> quotients_done)
endmodule
