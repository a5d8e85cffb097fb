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
  localparam int unsigned WordBytes    = FilterBytes < BusBytes ? BusBytes : FilterBytes,
  localparam int unsigned BusShift     = $clog2(BusBytes),
  localparam int unsigned BankWords    = GlbBankBytes / BusBytes
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
    Idle, PassFilters, WeightBytes, ChunkChannels, SetRows, FilterWords, FilterRegion,
    IfmapPlane, ChunkBytes, ChunkRows, PlaneWords, BufferWords, OutRows, OutWords, AllChannels, AllFilters, OfmapPlane,
    OfmapBytes, AllOfmapBytes, ResidualPlane, ResidualBytes, AllResidualBytes, StripBytes, ResidualWords, IfmapBytes,
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
  logic        pool, resident, mean, ifmap_on_chip, ofmap_on_chip, residual_on_chip;
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
  assign mean     = layer_i.quant.mean;
  assign ifmap_on_chip    = layer_i.groups.ifmap_on_chip;
  assign ofmap_on_chip    = layer_i.groups.ofmap_on_chip;
  assign residual_on_chip = layer_i.groups.residual_on_chip && layer_i.kernel.residual;

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
    logic [12:0] rows;
  } windows_t;
  function automatic windows_t next_windows(input logic [12:0] rows, input logic [12:0] behind, input logic [12:0] more,
                                            input kernel_reg_t kernel);
    return '{behind: rows - 13'(pool_size(kernel)), more: per_stride(kernel, behind),
             rows: 13'(more * 13'(pool_stride(kernel))) + 13'(pool_size(kernel))};
  endfunction
  windows_t    rows_q, columns_q, tile_q, strip_q;
  logic [15:0] strip_windows;
  assign strip_windows = 16'(strip_q.more) + 1'b1;
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
      d_q.ofmap_rows <= rows_q.more + 1'b1;
      d_q.E          <= rows_q.rows;
      d_q.F          <= columns_q.rows;
      d_q.ofmap_cols <= columns_q.more + 1'b1;
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
    slot_rows_q         <= 16'(layer_i.map_pe.t) * strip_windows;
    sets_q              <= 14'(layer_i.map_pe.t) * 14'(r);
    needs_q.filter_sets <= 32'(14'(d_q.filters_high) * 14'(sets_wide));
    d_q.ifmap_buffers <= resident ? quotients.chunks : 16'd2;
    d_q.ifmap_halvings <= '0;
    for (int unsigned i = 1; i <= $clog2(IfmapColumns); i++) begin
      if (buffer_channels <= 16'(IfmapColumns >> i) && !ifmap_on_chip) d_q.ifmap_halvings <= 3'(i);
    end
    // Tensors on chip.
    d_q.dense          <= !ofmap_on_chip && ofmap_rows == 13'(d_q.ofmap_rows) &&
                          (!layer_i.kernel.residual || (!residual_on_chip && residual_rows == 13'(d_q.ofmap_rows)));
    d_q.ifmap_word     <= ifmap_on_chip ? 16'(layer_i.ifmap_addr[23:BusShift]) -
                                          16'(32'(layer_i.glb_ifmap.base_bank) / IfmapColumns * BankWords) : '0;
  end

  // The product of the step before, in phase 0, and what becomes of it.
  logic [31:0] product, chunk_rows, plane_words, filter_words;
  logic [8:0]  window_bytes_q;
  logic [12:0] slot_psums_q;
  logic [13:0] sets_q;
  logic [15:0] slot_words_q, slot_rows_q;
  assign chunk_rows   = product + 32'(R) > 32'(H) ? 32'(H) : product + 32'(R);
  assign plane_words  = ceil_words(product + BusBytes - 1);
  assign filter_words = product + (stream_words({21'b0, d_q.pass_filters, 2'b0}) << layer_i.kernel.filter_scales);

  // Planes of a channel each, in a column of the ifmap region: of all channels, or of a chunk.
  logic [15:0] planes, buffer_channels;
  assign buffer_channels = resident ? C : 16'(d_q.chunk_channels);
  assign planes          = 16'((17'(buffer_channels) + 17'(IfmapColumns - 1)) / 17'(IfmapColumns));

  // Of a tensor: rows of its planes; bytes from one to the next, which begins with a word on chip; and planes in the
  // column that has the most of them. Other regions take a part of the GLB, so it has no room for 65,535 or more.
  logic [12:0] ofmap_rows, residual_rows;
  logic [15:0] ifmap_planes_q, ofmap_planes_q, residual_planes_q;
  assign ofmap_rows    = plane_rows_of(layer_i.ofmap_rows.plane, d_q.ofmap_rows);
  assign residual_rows = plane_rows_of(layer_i.residual_rows.plane, d_q.ofmap_rows);
  function automatic logic [24:0] stride_of(input logic on_chip, input logic [31:0] bytes);
    return on_chip ? 25'(ceil_words(bytes) << BusShift) : 25'(bytes);
  endfunction
  function automatic logic [15:0] planes_of(input logic [7:0] column, input logic [31:0] channels);
    logic [32:0] in_column;
    in_column = (33'(column) + 33'(channels) + 33'(IfmapColumns - 1)) / 33'(IfmapColumns);
    return in_column[32:16] != '0 ? '1 : in_column[15:0];
  endfunction

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
      SetRows:         begin mul_a = 32'(sets_q); mul_b = 16'(d_q.fold_rows); end
      FilterWords:     mul_b = 16'(stream_words(needs_q.weight_bytes));
      FilterRegion:    begin mul_a = filter_words; mul_b = 16'(layer_i.map_loop.filter_buffers); end
      IfmapPlane:      begin mul_a = 32'(plane_rows_of(layer_i.ifmap_rows.plane, 13'(H))); mul_b = 16'(W); end
      ChunkBytes:      mul_b = 16'(d_q.chunk_channels);
      ChunkRows:       begin mul_a = 32'(e_glb) - 32'd1; mul_b = 16'(layer_i.kernel.u); end
      PlaneWords:      begin mul_a = chunk_rows; mul_b = 16'(W); end
      BufferWords:     begin mul_a = plane_words; mul_b = planes; end
      OutRows:         begin mul_a = 32'(layer_i.map_pe.p); mul_b = pool && Lanes == 1 ? slot_rows_q : slot_words_q; end
      OutWords:        mul_b = 16'(d_q.out_row_words);
      AllChannels:     begin mul_a = 32'(groups); mul_b = C; end
      AllFilters:      begin mul_a = 32'(groups); mul_b = M; end
      OfmapPlane:      begin mul_a = mean ? 32'd1 : 32'(ofmap_rows); mul_b = mean ? 16'd1 : 16'(d_q.ofmap_cols); end
      OfmapBytes:      begin
        mul_a = 32'(stride_of(ofmap_on_chip, product));
        mul_b = ofmap_on_chip ? ofmap_planes_q : M;
      end
      AllOfmapBytes:   mul_b = ofmap_on_chip ? 16'd1 : groups;
      ResidualPlane:   begin mul_a = 32'(residual_rows); mul_b = 16'(d_q.ofmap_cols); end
      ResidualBytes:   begin
        mul_a = 32'(stride_of(residual_on_chip, product));
        mul_b = residual_on_chip ? residual_planes_q : M;
      end
      AllResidualBytes: mul_b = residual_on_chip ? 16'd1 : groups;
      StripBytes:      begin mul_a = 32'(d_q.ofmap_cols); mul_b = strip_windows; end
      ResidualWords:   begin mul_a = ceil_words(product + BusBytes - 1); mul_b = 16'(d_q.pass_filters); end
      IfmapBytes:      begin
        mul_a = 32'(stride_of(ifmap_on_chip, 32'(d_q.ifmap_plane)));
        mul_b = ifmap_on_chip ? ifmap_planes_q : C;
      end
      AllIfmapBytes:   mul_b = ifmap_on_chip ? 16'd1 : groups;
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
        SetRows:         d_q.chunk_channels <= 13'(product);
        FilterRegion:    d_q.filter_buffer_words <= 16'(filter_words);
        IfmapPlane:      needs_q.filter_words <= product;
        ChunkBytes:      d_q.ifmap_plane <= 24'(product);
        ChunkRows:       d_q.chunk_bytes <= product;
        BufferWords:     d_q.plane_words <= ifmap_on_chip ? 16'(ceil_words(32'(d_q.ifmap_plane))) : 16'(plane_words);
        OutRows: begin
          needs_q.ifmap_words    <= ifmap_on_chip ? '0 : resident ? product : product[31] ? '1 : product << 1;
          d_q.ifmap_buffer_words <= resident || ifmap_on_chip ? '0 : 16'(product);
        end
        OutWords:        needs_q.held_words <= product;
        AllChannels: begin
          needs_q.out_words  <= product;
          d_q.out_tile_words <= 16'(product);
        end
        AllFilters:      ifmap_planes_q <= planes_of(layer_i.ifmap_addr[31:24], product);
        OfmapPlane: begin
          ofmap_planes_q    <= planes_of(layer_i.ofmap_addr[31:24], product);
          residual_planes_q <= planes_of(layer_i.residual_addr[31:24], product);
        end
        OfmapBytes: begin
          d_q.ofmap_stride    <= stride_of(ofmap_on_chip, product);
          needs_q.ofmap_whole <= product % BusBytes == '0;
        end
        ResidualPlane:   needs_q.ofmap_bytes <= product;
        ResidualBytes: begin
          d_q.residual_stride    <= stride_of(residual_on_chip, product);
          needs_q.residual_whole <= product % BusBytes == '0;
        end
        StripBytes:      needs_q.residual_bytes <= product;
        IfmapBytes: begin
          needs_q.residual_words  <= product;
          d_q.residual_tile_words <= 16'(product);
        end
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

  // Where tensors on chip are.
  extent_t ifmap_extent, ofmap_extent, residual_extent;
  dla_chip_extent #(
    .GlbBytes(GlbBytes), .GlbBankBytes(GlbBankBytes), .BusBytes(BusBytes), .Columns(IfmapColumns)
  ) u_ifmap_extent (
    .clk_i, .rst_ni, .enable_i(step_q != Idle), .addr_i(layer_i.ifmap_addr), .bytes_i(needs_q.ifmap_bytes),
    .extent_o(ifmap_extent)
  );
  dla_chip_extent #(
    .GlbBytes(GlbBytes), .GlbBankBytes(GlbBankBytes), .BusBytes(BusBytes), .Columns(IfmapColumns)
  ) u_ofmap_extent (
    .clk_i, .rst_ni, .enable_i(step_q != Idle), .addr_i(layer_i.ofmap_addr), .bytes_i(needs_q.ofmap_bytes),
    .extent_o(ofmap_extent)
  );
  dla_chip_extent #(
    .GlbBytes(GlbBytes), .GlbBankBytes(GlbBankBytes), .BusBytes(BusBytes), .Columns(IfmapColumns)
  ) u_residual_extent (
    .clk_i, .rst_ni, .enable_i(step_q != Idle), .addr_i(layer_i.residual_addr), .bytes_i(needs_q.residual_bytes),
    .extent_o(residual_extent)
  );
  always_ff @(posedge clk_i) begin
    if (step_q != Idle) begin
      d_q.ofmap_banks    <= ofmap_on_chip ? ofmap_extent.banks : '0;
      d_q.residual_banks <= residual_on_chip ? residual_extent.banks : '0;
    end
  end

  dla_layer_check #(
    .Cols(Cols), .IfmapSpadBytes(IfmapSpadBytes), .FilterSpadBytes(FilterSpadBytes), .MaxPeFilters(MaxPeFilters),
    .GlbBytes(GlbBytes), .GlbBankBytes(GlbBankBytes), .BusBytes(BusBytes), .MaxPassFilters(MaxPassFilters),
    .RegionColumns(RegionColumns)
  ) u_check (
    .clk_i, .rst_ni, .enable_i(step_q != Idle), .layer_i, .derived_i(d_q), .sets_high_i(sets_high),
    .needs_i(needs_q), .ifmap_i(ifmap_extent), .ofmap_i(ofmap_extent), .residual_i(residual_extent),
    .window_bytes_i(window_bytes_q), .error_o
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
