// SPDX-License-Identifier: Apache-2.0
/// Checks a layer command and works out everything that stays the same while it runs.
///
/// One small step a cycle (about 18 for a division), over one multiplier and one divider. The checks and their order are
/// those of dla_check_layer() in sim/spec/dla_layer.c (test: testbench/rtl, illegal settings).
module dla_setup
  import dla_pkg::*;
  import dla_regs_pkg::*;
#(
  parameter int unsigned Rows            = 6,
  parameter int unsigned Cols            = 8,
  parameter int unsigned IfmapSpadBytes  = 12,
  parameter int unsigned FilterSpadBytes = 48,
  parameter int unsigned PsumSpadWords   = 16,
  parameter int unsigned GlbBytes        = 65536,
  parameter int unsigned GlbBankBytes    = 2048,
  parameter int unsigned BusBytes        = 4,
  parameter int unsigned MaxPassFilters  = 128,
  /// Dependent, do not override.
  localparam int unsigned Lanes     = BusBytes / 4,
  localparam int unsigned BankWords = GlbBankBytes / BusBytes,
  localparam int unsigned NumBanks  = GlbBytes / GlbBankBytes
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  /// Drops a check under way.
  input  logic       clear_i,
  input  logic       start_i,
  input  layer_t     layer_i,
  /// A reserved field of the layer's registers is not zero.
  input  logic       reserved_i,
  /// High for one cycle; error_o then says whether the layer may run.
  output logic       done_o,
  output dla_error_e error_o,
  output derived_t   derived_o
);
  typedef enum logic [5:0] {
    Idle, Shape, DivE, DivF, Mapping, IfmapSpad, FilterSpad, DivFolds, DivFoldRows, DivSetsHigh, DivSetsWide,
    DivFiltersHigh, FilterSets, PassFilters, IfmapPlane, ChunkChannels, DivChunks, ChunkRows, PlaneWords, BufferWords,
    IfmapRegion, SetsRt, SetsRtRows, FilterWords, FilterRegion, SlotPsums, BlockRows, BlockWords, DivGroups, DivStrips,
    Blocks, PsumRegion, PoolRows, OutTile, OutRegion, Placement, OfmapPlane, OfmapEnd, IfmapEnd, Done
  } step_e;

  step_e      step_q;
  derived_t   d_q;
  dla_error_e error;
  assign derived_o = d_q;

  // Operands, short.
  logic [11:0] H, W;
  logic [3:0]  R, S;
  logic [15:0] C, M;
  logic [31:0] e, e_glb, p, q, r, t;
  assign H = layer_i.ifmap_size.h;
  assign W = layer_i.ifmap_size.w;
  assign R = layer_i.kernel.r;
  assign S = layer_i.kernel.s;
  assign C = layer_i.channels.c;
  assign M = layer_i.channels.m;
  assign e = 32'(layer_i.map_pe.e);
  assign p = 32'(layer_i.map_pe.p);
  assign q = 32'(layer_i.map_pe.q);
  assign r = 32'(layer_i.map_pe.r);
  assign t = 32'(layer_i.map_pe.t);
  assign e_glb = 32'(layer_i.map_glb.e_glb);
  logic resident;
  assign resident = layer_i.map_loop.ifmap_resident;

  logic [12:0] padded_h, padded_w;
  assign padded_h = 13'(H) + 13'(layer_i.kernel.pad) * 13'd2;
  assign padded_w = 13'(W) + 13'(layer_i.kernel.pad) * 13'd2;

  function automatic logic [31:0] ceil_words(input logic [31:0] bytes);
    return (bytes + BusBytes - 1) / BusBytes;
  endfunction

  // One multiplier; a product that does not fit in 32 bits stays at the largest value, which no region holds.
  logic [31:0] mul_a, mul_b, product;
  logic [63:0] wide_product;
  assign wide_product = 64'(mul_a) * 64'(mul_b);
  assign product = |wide_product[63:32] ? '1 : wide_product[31:0];

  // One divider, rounding down or up.
  logic        is_div, div_started_q, div_done;
  logic [16:0] div_a, div_b, quotient;
  dla_divider #(.Width(17)) u_divider (
    .clk_i, .rst_ni, .clear_i, .start_i(is_div && !div_started_q), .dividend_i(div_a), .divisor_i(div_b), .done_o(div_done),
    .quotient_o(quotient)
  );
  function automatic logic [16:0] up(input logic [31:0] value, input logic [31:0] divisor);
    return 17'(value + divisor - 1);
  endfunction

  // Intermediate values.
  logic [31:0] qs_q, pqs_q, sets_high_q, sets_wide_q, chunks_q, rows_q, product_q, slot_words_q, groups_q, strips_q;
  logic [31:0] m_q;
  assign m_q = 32'(min16(layer_i.map_glb.m, M));

  // GLB regions.
  logic [15:0] base [NumRegions], banks [NumRegions];
  assign base[0] = layer_i.glb_ifmap.base_bank;
  assign base[1] = layer_i.glb_filter.base_bank;
  assign base[2] = layer_i.glb_psum.base_bank;
  assign base[3] = layer_i.glb_out.base_bank;
  assign banks[0] = layer_i.glb_ifmap.banks;
  assign banks[1] = layer_i.glb_filter.banks;
  assign banks[2] = layer_i.glb_psum.banks;
  assign banks[3] = layer_i.glb_out.banks;

  logic misplaced;
  always_comb begin
    misplaced = banks[0][1:0] != '0 || 32'(banks[3]) % Lanes != 0;
    for (int unsigned i = 0; i < NumRegions; i++) begin
      if (32'(base[i]) + 32'(banks[i]) > NumBanks) misplaced = 1'b1;
      for (int unsigned j = i + 1; j < NumRegions; j++) begin
        if (banks[i] != '0 && banks[j] != '0 && 32'(base[i]) < 32'(base[j]) + 32'(banks[j]) &&
            32'(base[j]) < 32'(base[i]) + 32'(banks[i])) misplaced = 1'b1;
      end
    end
  end

  function automatic logic [31:0] region_words(input logic [15:0] region_banks);
    return 32'(region_banks) * BankWords;
  endfunction

  logic bad_shape, bad_mapping;
  logic [12:0] rows_computed;
  assign rows_computed = layer_i.kernel.pool ? d_q.E & ~13'd1 : d_q.E;
  assign bad_shape   = !shape_in_range(layer_i) || 13'(R) > padded_h || 13'(S) > padded_w;
  assign bad_mapping = !mapping_in_range(layer_i) || e > e_glb || e_glb > 32'(rows_computed);

  // What each step multiplies or divides.
  always_comb begin
    mul_a  = '0;
    mul_b  = '0;
    div_a  = '0;
    div_b  = 17'd1;
    is_div = 1'b1;
    unique case (step_q)
      DivE:           begin div_a = 17'(padded_h) - 17'(R); div_b = 17'(layer_i.kernel.u); end
      DivF:           begin div_a = 17'(padded_w) - 17'(S); div_b = 17'(layer_i.kernel.u); end
      DivFolds:       begin div_a = up(32'(R), Rows); div_b = 17'(Rows); end
      DivFoldRows:    begin div_a = up(32'(R), 32'(d_q.folds)); div_b = 17'(d_q.folds); end
      DivSetsHigh:    begin div_a = 17'(Rows); div_b = 17'(d_q.fold_rows); end
      DivSetsWide:    begin div_a = 17'(Cols); div_b = 17'(e); end
      DivFiltersHigh: begin div_a = 17'(sets_high_q); div_b = 17'(r); end
      DivChunks:      begin div_a = up(32'(C), 32'(d_q.chunk_channels)); div_b = 17'(d_q.chunk_channels); end
      DivGroups:      begin div_a = up(m_q, 32'(d_q.pass_filters)); div_b = 17'(d_q.pass_filters); end
      DivStrips:      begin div_a = up(e_glb, e); div_b = 17'(e); end
      default:        is_div = 1'b0;
    endcase
    unique case (step_q)
      IfmapSpad:     begin mul_a = q; mul_b = 32'(S); end
      FilterSpad:    begin mul_a = qs_q; mul_b = p; end
      FilterSets:    begin mul_a = 32'(d_q.filters_high); mul_b = sets_wide_q; end
      PassFilters:   begin mul_a = p; mul_b = t; end
      IfmapPlane:    begin mul_a = 32'(H); mul_b = 32'(W); end
      ChunkChannels: begin mul_a = q; mul_b = r; end
      ChunkRows:     begin mul_a = e_glb - 1; mul_b = 32'(layer_i.kernel.u); end
      PlaneWords:    begin mul_a = rows_q; mul_b = 32'(W); end
      BufferWords:   begin mul_a = (resident ? 32'(C) + 3 : 32'(d_q.chunk_channels) + 3) / 4; mul_b = product_q; end
      IfmapRegion:   begin mul_a = resident ? 1 : 2; mul_b = product_q; end
      SetsRt:        begin mul_a = r; mul_b = t; end
      SetsRtRows:    begin mul_a = product_q; mul_b = 32'(d_q.fold_rows); end
      FilterWords:   begin mul_a = product_q; mul_b = ceil_words(pqs_q); end
      FilterRegion:  begin mul_a = product_q; mul_b = 32'(layer_i.map_loop.filter_buffers); end
      SlotPsums:     begin mul_a = e; mul_b = t; end
      BlockRows:     begin mul_a = 32'(d_q.F); mul_b = p; end
      BlockWords:    begin mul_a = product_q; mul_b = slot_words_q; end
      Blocks:        begin mul_a = groups_q; mul_b = strips_q; end
      PsumRegion:    begin mul_a = product_q; mul_b = rows_q; end
      PoolRows:      begin mul_a = 32'(d_q.pass_filters); mul_b = e / 2; end
      OutTile:       begin mul_a = product_q; mul_b = 32'(d_q.F) / 2; end
      OfmapPlane:    begin mul_a = layer_i.kernel.pool ? 32'(d_q.E) / 2 : 32'(d_q.E); mul_b = 32'(d_q.ofmap_cols); end
      OfmapEnd:      begin mul_a = 32'(M); mul_b = 32'(d_q.ofmap_plane); end
      IfmapEnd:      begin mul_a = 32'(C); mul_b = 32'(d_q.ifmap_plane); end
      default:       ;
    endcase
  end

  // What each step refuses.
  always_comb begin
    error = ErrorNone;
    unique case (step_q)
      Shape:          if (reserved_i) error = ErrorReservedBits; else if (bad_shape) error = ErrorBadShape;
      Mapping:
        if (layer_i.kernel.pool && (d_q.E < 13'd2 || d_q.F < 13'd2)) error = ErrorBadShape;
        else if (bad_mapping) error = ErrorBadMapping;
        else if (layer_i.map_loop.order != 4'(LoopOrderRowsFiltersChannels)) error = ErrorBadLoopOrder;
        else if (layer_i.kernel.pool && (e[0] || e_glb[0])) error = ErrorOddPoolRows;
      IfmapSpad:      if (product > IfmapSpadBytes) error = ErrorIfmapSpadFull;
      FilterSpad:
        if (product > FilterSpadBytes) error = ErrorFilterSpadFull;
        else if (p > PsumSpadWords) error = ErrorPsumSpadFull;
        else if (e > Cols) error = ErrorArrayTooNarrow;
      DivFiltersHigh: if (r > sets_high_q) error = ErrorTooManyChannelSets;
      FilterSets:     if (t > product) error = ErrorTooManyFilterSets;
      PassFilters:    if (product > MaxPassFilters) error = ErrorTooManyPassFilters;
      IfmapRegion:    if (product > region_words(banks[0]) / 4) error = ErrorGlbIfmapSmall;
      FilterRegion:   if (product > region_words(banks[1])) error = ErrorGlbFilterSmall;
      PsumRegion:
        if ((chunks_q != 32'd1 || d_q.folds != 4'd1) && product > region_words(banks[2])) error = ErrorGlbPsumSmall;
      OutRegion:      if (product_q > region_words(16'(32'(banks[3]) / Lanes)) / 2) error = ErrorGlbOutSmall;
      Placement:
        if (misplaced) error = ErrorGlbRegionMisplaced;
        else if (32'(layer_i.filter_addr) % BusBytes != 0) error = ErrorBadAddress;
      OfmapEnd:       if (33'(layer_i.ofmap_addr) + 33'(product) > 33'h1_0000_0000) error = ErrorBadAddress;
      IfmapEnd:       if (33'(layer_i.ifmap_addr) + 33'(product) > 33'h1_0000_0000) error = ErrorBadAddress;
      default:        ;
    endcase
  end

  // What each step keeps.
  always_ff @(posedge clk_i) begin
    unique case (step_q)
      DivE:           d_q.E <= 13'(quotient) + 1'b1;
      DivF:           d_q.F <= 13'(quotient) + 1'b1;
      Mapping: begin
        if (layer_i.kernel.pool) begin
          d_q.E[0] <= 1'b0;
          d_q.F[0] <= 1'b0;
        end
      end
      IfmapSpad: begin
        qs_q           <= product;
        d_q.ofmap_cols <= layer_i.kernel.pool ? d_q.F / 2 : d_q.F;
      end
      FilterSpad:     pqs_q <= product;
      DivFolds:       d_q.folds <= 4'(quotient);
      DivFoldRows:    d_q.fold_rows <= 4'(quotient);
      DivSetsHigh:    sets_high_q <= 32'(quotient);
      DivSetsWide:    sets_wide_q <= 32'(quotient);
      DivFiltersHigh: d_q.filters_high <= 5'(quotient);
      PassFilters: begin
        d_q.pass_filters <= 9'(product);
        d_q.segment_rows <= 5'(r * 32'(d_q.fold_rows));
      end
      IfmapPlane:     d_q.ifmap_plane <= 24'(product);
      ChunkChannels:  d_q.chunk_channels <= 10'(product);
      DivChunks: begin
        chunks_q          <= 32'(quotient);
        d_q.ifmap_buffers <= resident ? 16'(quotient) : 16'd2;
      end
      ChunkRows:      rows_q <= product + 32'(R) > 32'(H) ? 32'(H) : product + 32'(R);
      PlaneWords: begin
        product_q       <= ceil_words(product + BusBytes - 1);
        d_q.plane_words <= 16'(ceil_words(product + BusBytes - 1));
      end
      BufferWords: begin
        product_q              <= product;
        d_q.ifmap_buffer_words <= resident ? '0 : 16'(product);
      end
      SetsRt, SetsRtRows: product_q <= product;
      FilterWords: begin
        product_q               <= product + ceil_words(32'(d_q.pass_filters) * 4);
        d_q.filter_buffer_words <= 16'(product + ceil_words(32'(d_q.pass_filters) * 4));
      end
      SlotPsums:      slot_words_q <= (product + Lanes - 1) / Lanes;
      BlockRows:      product_q <= product;
      BlockWords: begin
        rows_q               <= product;  // words of a block, and bytes of an output tile without pooling
        d_q.psum_block_words <= 16'(product);
      end
      DivGroups:      groups_q <= 32'(quotient);
      DivStrips:      strips_q <= 32'(quotient);
      Blocks:         product_q <= product;
      PoolRows:       product_q <= product;
      OutTile: begin
        product_q          <= ceil_words(layer_i.kernel.pool ? product : rows_q);
        d_q.out_tile_words <= 16'(ceil_words(layer_i.kernel.pool ? product : rows_q));
      end
      OfmapPlane:     d_q.ofmap_plane <= 24'(product);
      default:        ;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q        <= Idle;
      div_started_q <= 1'b0;
      done_o        <= 1'b0;
      error_o       <= ErrorNone;
    end else begin
      done_o <= 1'b0;
      if (clear_i) begin
        step_q        <= Idle;
        div_started_q <= 1'b0;
      end else if (step_q == Idle) begin
        if (start_i) step_q <= Shape;
      end else if (is_div && !div_done) begin
        div_started_q <= 1'b1;
      end else begin
        div_started_q <= 1'b0;
        if (error != ErrorNone || step_q == Done) begin
          step_q  <= Idle;
          done_o  <= 1'b1;
          error_o <= error;
        end else begin
          step_q <= step_e'(step_q + 1'b1);
        end
      end
    end
  end
endmodule
