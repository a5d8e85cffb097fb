// SPDX-License-Identifier: Apache-2.0
/// Whether a machine can run a layer: the checks of dla_check_layer() in sim/spec/dla_layer.c, the first that fails.
///
/// Each check is made in the cycle after its operands come, error_o is theirs a cycle later (test: testbench/rtl,
/// illegal settings).
`include "dla_assert.svh"
module dla_layer_check
  import dla_pkg::*;
  import dla_regs_pkg::*;
#(
  parameter int unsigned Cols            = 8,
  parameter int unsigned IfmapSpadBytes  = 12,
  parameter int unsigned FilterSpadBytes = 48,
  parameter int unsigned MaxPeFilters    = 16,
  parameter int unsigned GlbBytes        = 65536,
  parameter int unsigned GlbBankBytes    = 2048,
  parameter int unsigned BusBytes        = 4,
  parameter int unsigned MaxPassFilters  = 128,
  parameter region_columns_t RegionColumns = '{default: 6'd1},
  /// Dependent, do not override.
  localparam int unsigned BankWords = GlbBankBytes / BusBytes,
  localparam int unsigned NumBanks  = GlbBytes / GlbBankBytes,
  localparam int unsigned Lanes     = 32'(RegionColumns[RegionOut]),
  localparam int unsigned HeldWords = pooling_row_words(Lanes, Cols, MaxPassFilters)
) (
  input  logic       clk_i,
  /// Of the assertions alone.
  input  logic       rst_ni,
  /// A layer is being set up: otherwise nothing moves.
  input  logic       enable_i,
  input  layer_t     layer_i,
  input  derived_t   derived_i,
  /// PE sets that fit above each other.
  input  logic [6:0] sets_high_i,
  input  needs_t     needs_i,
  /// Where the tensors are, of those that are on chip.
  input  extent_t    ifmap_i,
  input  extent_t    ofmap_i,
  input  extent_t    residual_i,
  /// q S, of an ifmap spad.
  input  logic [8:0] window_bytes_i,
  output dla_error_e error_o
);
  // The first row that applies counts: what stands below may be nonsense then.
  typedef enum logic [4:0] {
    Reserved, Shape, Pooled, Mapping, LoopOrder, OddPoolRows, Groups, IfmapSpad, FilterSpad, PeFilters,
    Narrow, ChannelSets, FilterSets, PassFilters, PoolingRow,
    IfmapRegion, FilterRegion, PsumRegion, OutRegion, ResidualRegion,
    Placement, Planes, OnChip, Address, Quant, Residual
  } check_e;
  localparam int unsigned NumChecks = 32'(Residual) + 1;
  localparam dla_error_e Cause [NumChecks] = '{
    ErrorReservedBits, ErrorBadShape, ErrorBadShape, ErrorBadMapping, ErrorBadLoopOrder, ErrorOddPoolRows,
    ErrorBadGroups, ErrorIfmapSpadFull, ErrorFilterSpadFull, ErrorTooManyPeFilters,
    ErrorArrayTooNarrow, ErrorTooManyChannelSets, ErrorTooManyFilterSets, ErrorTooManyPassFilters, ErrorPoolingRowFull,
    ErrorGlbIfmapSmall, ErrorGlbFilterSmall, ErrorGlbPsumSmall, ErrorGlbOutSmall, ErrorGlbResidualSmall,
    ErrorGlbRegionMisplaced, ErrorBadPlane, ErrorBadOnChip, ErrorBadAddress, ErrorBadQuant, ErrorBadResidual
  };
  logic [NumChecks-1:0] fails_q;

  // Operands, short.
  logic [12:0] padded_h, padded_w, e, e_glb;
  logic        pool, mean, adds, ifmap_on_chip, ofmap_on_chip, residual_on_chip;
  assign padded_h = 13'(layer_i.ifmap_size.h) + 13'(layer_i.padding.top) + 13'(layer_i.padding.bottom);
  assign padded_w = 13'(layer_i.ifmap_size.w) + 13'(layer_i.padding.left) + 13'(layer_i.padding.right);
  assign e        = 13'(layer_i.map_pe.e);
  assign e_glb    = 13'(layer_i.map_glb.e_glb);
  assign pool     = layer_i.kernel.pool;
  assign mean     = layer_i.quant.mean;
  assign adds     = layer_i.kernel.residual;
  assign ifmap_on_chip    = layer_i.groups.ifmap_on_chip;
  assign ofmap_on_chip    = layer_i.groups.ofmap_on_chip;
  assign residual_on_chip = layer_i.groups.residual_on_chip;

  // Whether there is a window over `size` rows or columns, of which `ahead` and `behind` are padding.
  function automatic logic has_window(input logic [12:0] size, input logic [12:0] window, input logic [1:0] ahead,
                                      input logic [1:0] behind);
    return 13'(ahead) < window && 13'(behind) < window && size >= window && size > 13'(ahead) + 13'(behind);
  endfunction
  // Whether what the layer says of pooling is a pool, or nothing.
  logic        is_pool;
  logic [12:0] window;
  assign window = 13'(pool_size(layer_i.kernel));
  always_comb begin
    is_pool = 1'b1;
    if (enable_i && pool) begin
      is_pool = layer_i.kernel.pool_size != 2'd1 &&
                has_window(derived_i.rows_end + 13'(layer_i.kernel.pool_bottom), window, layer_i.kernel.pool_top,
                           layer_i.kernel.pool_bottom) &&
                has_window(derived_i.cols_end + 13'(layer_i.kernel.pool_right), window, layer_i.kernel.pool_left,
                           layer_i.kernel.pool_right);
    end else if (enable_i) begin
      is_pool = {layer_i.kernel.pool_size, layer_i.kernel.pool_stride,
                 layer_i.kernel.pool_top, layer_i.kernel.pool_left,
                 layer_i.kernel.pool_bottom, layer_i.kernel.pool_right} == '0;
    end
  end

  // GLB regions.
  logic [15:0] base [NumRegions], banks [NumRegions];
  logic [16:0] top [NumRegions];
  assign base[0]  = layer_i.glb_ifmap.base_bank;
  assign base[1]  = layer_i.glb_filter.base_bank;
  assign base[2]  = layer_i.glb_psum.base_bank;
  assign base[3]  = layer_i.glb_out.base_bank;
  assign base[4]  = layer_i.glb_residual.base_bank;
  assign banks[0] = layer_i.glb_ifmap.banks;
  assign banks[1] = layer_i.glb_filter.banks;
  assign banks[2] = layer_i.glb_psum.banks;
  assign banks[3] = layer_i.glb_out.banks;
  assign banks[4] = layer_i.glb_residual.banks;

  logic misplaced;
  logic [5:0] columns [NumRegions];
  always_comb begin
    misplaced = 1'b0;
    columns   = '{default: '0};
    top       = '{default: '0};
    if (enable_i) begin
      for (int unsigned i = 0; i < NumRegions; i++) columns[i] = RegionColumns[i];
      columns[RegionIfmap] = columns[RegionIfmap] >> derived_i.ifmap_halvings;
      for (int unsigned i = 0; i < NumRegions; i++) begin
        top[i] = 17'(base[i]) + 17'(banks[i]);
        if (32'(top[i]) > NumBanks || (banks[i] & (16'(columns[i]) - 16'd1)) != '0) misplaced = 1'b1;
      end
      for (int unsigned i = 0; i < NumRegions; i++) begin
        for (int unsigned j = i + 1; j < NumRegions; j++) begin
          if (banks[i] != '0 && banks[j] != '0 && 17'(base[i]) < top[j] && 17'(base[j]) < top[i]) misplaced = 1'b1;
        end
      end
    end
  end

  // Rows of tensors and of their planes. Where a tensor goes on at a plane's begin, its planes are whole words.
  function automatic logic in_planes(input logic [12:0] rows, input logic [12:0] plane_rows, input logic [11:0] first,
                                     input logic on_chip);
    return rows <= plane_rows && 13'(first) < plane_rows && (on_chip || first == '0);
  endfunction
  function automatic logic goes_on(input logic [12:0] rows, input logic [12:0] plane_rows, input logic [11:0] first);
    return 14'(rows) + 14'(first) > 14'(plane_rows);
  endfunction
  logic [12:0] ofmap_rows, ofmap_plane_rows, residual_plane_rows;
  logic        bad_planes;
  assign ofmap_rows          = mean ? 13'd1 : derived_i.ofmap_rows;
  assign ofmap_plane_rows    = plane_rows_of(layer_i.ofmap_rows.plane, ofmap_rows);
  assign residual_plane_rows = plane_rows_of(layer_i.residual_rows.plane, ofmap_rows);
  always_comb begin
    bad_planes = 1'b0;
    if (enable_i) begin
      bad_planes = !in_planes(13'(layer_i.ifmap_size.h),
                              plane_rows_of(layer_i.ifmap_rows.plane, 13'(layer_i.ifmap_size.h)),
                              layer_i.ifmap_rows.first, ifmap_on_chip) ||
                   !in_planes(ofmap_rows, ofmap_plane_rows, layer_i.ofmap_rows.first, ofmap_on_chip) ||
                   (goes_on(ofmap_rows, ofmap_plane_rows, layer_i.ofmap_rows.first) && !needs_i.ofmap_whole) ||
                   (mean && layer_i.ofmap_rows.plane != '0) ||
                   (adds && (!in_planes(ofmap_rows, residual_plane_rows, layer_i.residual_rows.first,
                                        residual_on_chip) ||
                             (goes_on(ofmap_rows, residual_plane_rows, layer_i.residual_rows.first) &&
                              !needs_i.residual_whole)));
    end
  end

  function automatic logic meets(input region_t tensor, input logic [15:0] base_bank, input logic [15:0] num_banks);
    return num_banks != '0 && 17'(tensor.base_bank) < 17'(base_bank) + 17'(num_banks) &&
           17'(base_bank) < 17'(tensor.base_bank) + 17'(tensor.banks);
  endfunction
  function automatic logic are_apart(input bytes_t a, input bytes_t b);
    return a.end_byte <= b.first_byte || b.end_byte <= a.first_byte;
  endfunction
  // An ifmap on chip is read through its region, which has no other use then; tensors share no banks with the others.
  logic holds_ifmap, bad_on_chip;
  logic [NumRegions-1:0] ofmap_meets, residual_meets;
  always_comb begin
    holds_ifmap    = 1'b0;
    ofmap_meets    = '0;
    residual_meets = '0;
    bad_on_chip    = 1'b0;
    if (enable_i) begin
      holds_ifmap = base[RegionIfmap] % 16'(RegionColumns[RegionIfmap]) == '0 &&
                    base[RegionIfmap] <= ifmap_i.banks.base_bank &&
                    17'(ifmap_i.banks.base_bank) + 17'(ifmap_i.banks.banks) <= top[RegionIfmap];
      for (int unsigned i = 0; i < NumRegions; i++) begin
        ofmap_meets[i]    = meets(ofmap_i.banks, base[i], banks[i]) && !(i == RegionIfmap && ifmap_on_chip);
        residual_meets[i] = meets(residual_i.banks, base[i], banks[i]);
      end
      bad_on_chip = (ifmap_on_chip && !(ifmap_i.in_glb && holds_ifmap)) ||
                    (ofmap_on_chip && (!ofmap_i.in_glb || ofmap_meets != '0 ||
                                       (ifmap_on_chip && !are_apart(ifmap_i.bytes, ofmap_i.bytes)))) ||
                    (adds && residual_on_chip && (!residual_i.in_glb || residual_meets != '0)) ||
                    (layer_i.groups.filters_on_chip && layer_i.quant.lookup);
    end
  end

  // Positive, finite, a number.
  function automatic logic is_scale(input logic [31:0] scale);
    return !scale[31] && scale[30:23] != '1 && scale[30:0] != '0;
  endfunction

  // Whether PEs that are to hold whole groups do.
  logic [4:0] g;
  logic       holds_groups;
  assign g            = layer_i.map_loop.g;
  assign holds_groups = 16'(layer_i.map_pe.p) == 16'(g) * 16'(layer_i.channels.m[5:0]) &&
                        layer_i.channels.m[15:6] == '0 &&
                        16'(layer_i.map_pe.q) == 16'(g) * 16'(layer_i.channels.c[4:0]) &&
                        layer_i.channels.c[15:5] == '0 &&
                        layer_i.map_pe.r == 6'd1 && 32'(layer_i.map_glb.m) == needs_i.pass_filters &&
                        !layer_i.map_loop.ifmap_resident;

  // Whether `bytes` from `addr` on end beyond the address space. All ones are what does not fit in 32 bits.
  function automatic logic wraps(input logic [31:0] addr, input logic [31:0] bytes);
    return &bytes || 33'(addr) + 33'(bytes) > 33'h1_0000_0000;
  endfunction

  // A scale of a sum: 2^-40 to below 2^41. An offset: 0, or 2^-64 to below 2^64.
  function automatic logic is_sum_scale(input logic [8:0] sign_and_exponent);
    return sign_and_exponent >= 9'd87 && sign_and_exponent < 9'd168;
  endfunction
  logic is_sum;
  assign is_sum = is_sum_scale(layer_i.conv_scale[31:23]) && is_sum_scale(layer_i.residual_scale[31:23]) &&
                  (layer_i.sum_offset[30:0] == '0 ||
                   (layer_i.sum_offset[30:23] >= 8'd63 && layer_i.sum_offset[30:23] < 8'd191)) &&
                  layer_i.bounds.sum_lowest <= ~layer_i.bounds.sum_headroom;

  // Whether the residual's bytes lie in its beats as the ofmap's in theirs, and are the ofmap's own or apart from them.
  localparam int unsigned BusShift = $clog2(BusBytes);
  logic [BusShift-1:0] ahead;  // of the ofmap's, in a beat
  logic                is_same, is_apart, is_beside;
  assign ahead     = BusShift'(layer_i.residual_addr) - BusShift'(layer_i.ofmap_addr) +
                     BusShift'((BusShift'(layer_i.residual_rows.first) - BusShift'(layer_i.ofmap_rows.first)) *
                               BusShift'(derived_i.ofmap_cols));
  assign is_same   = residual_on_chip == ofmap_on_chip && layer_i.residual_addr == layer_i.ofmap_addr &&
                     residual_plane_rows == ofmap_plane_rows &&
                     layer_i.residual_rows.first == layer_i.ofmap_rows.first;
  assign is_apart  = residual_on_chip != ofmap_on_chip ||
                     (ofmap_on_chip ? are_apart(residual_i.bytes, ofmap_i.bytes)
                                    : 33'(layer_i.residual_addr) + 33'(needs_i.residual_bytes) <=
                                          33'(layer_i.ofmap_addr) ||
                                      33'(layer_i.ofmap_addr) + 33'(needs_i.ofmap_bytes) <=
                                          33'(layer_i.residual_addr));
  assign is_beside = ahead == '0 && BusShift'(derived_i.residual_stride) == BusShift'(derived_i.ofmap_stride) &&
                     (is_same || is_apart);

  always_ff @(posedge clk_i) if (enable_i) begin
    fails_q[Reserved]     <= |(layer_i & ~LayerUsed);
    fails_q[Shape]        <= !shape_in_range(layer_i.channels, layer_i.ifmap_size, layer_i.kernel, layer_i.padding) ||
                             13'(layer_i.kernel.r) > padded_h || 13'(layer_i.kernel.s) > padded_w;
    fails_q[Pooled]       <= !is_pool || (mean && (pool || adds || layer_i.quant.lookup));
    fails_q[Mapping]      <= !mapping_in_range(layer_i.map_glb, layer_i.map_pe, layer_i.map_loop) ||
                             e > e_glb || e_glb > derived_i.E || (mean && 13'(e) != derived_i.E) ||
                             layer_i.map_loop.stay >= layer_i.map_loop.filter_buffers ||
                             4'(layer_i.map_loop.fold_rows) > layer_i.kernel.r;
    fails_q[LoopOrder]    <= layer_i.map_loop.order != 4'(LoopOrderRowsFiltersChannels);
    fails_q[OddPoolRows]  <= needs_i.odd_pool_rows;
    fails_q[Groups]       <= g != '0 && !holds_groups;
    fails_q[IfmapSpad]    <= 32'(window_bytes_i) > IfmapSpadBytes;
    fails_q[FilterSpad]   <= needs_i.weight_bytes > FilterSpadBytes;
    fails_q[PeFilters]    <= 32'(layer_i.map_pe.p) > MaxPeFilters;
    fails_q[Narrow]       <= 32'(e) > Cols;
    fails_q[ChannelSets]  <= 7'(layer_i.map_pe.r) > sets_high_i;
    fails_q[FilterSets]   <= 32'(layer_i.map_pe.t) > needs_i.filter_sets;
    fails_q[PassFilters]  <= needs_i.pass_filters > MaxPassFilters;
    fails_q[PoolingRow]   <= pool && needs_i.held_words << pooling_row_span(layer_i.kernel, Lanes) > HeldWords;
    fails_q[IfmapRegion]  <= needs_i.ifmap_words >
                             32'(banks[RegionIfmap]) * BankWords / 32'(RegionColumns[RegionIfmap]) <<
                             derived_i.ifmap_halvings;
    fails_q[FilterRegion] <= needs_i.filter_words > 32'(banks[RegionFilter]) * BankWords;
    fails_q[PsumRegion]   <= needs_i.keeps_psums &&
                             needs_i.psum_words > 32'(banks[RegionPsum]) * BankWords / 32'(RegionColumns[RegionPsum]);
    fails_q[OutRegion]    <= needs_i.out_words > 32'(banks[RegionOut]) / 32'(RegionColumns[RegionOut]) * BankWords / 2;
    fails_q[Placement]    <= misplaced;
    fails_q[Planes]       <= bad_planes;
    fails_q[OnChip]       <= bad_on_chip;
    fails_q[Address]      <= 32'(layer_i.filter_addr) % BusBytes != 0 ||
                             (!ofmap_on_chip && wraps(layer_i.ofmap_addr, needs_i.ofmap_bytes)) ||
                             (!ifmap_on_chip && wraps(layer_i.ifmap_addr, needs_i.ifmap_bytes));
    fails_q[Quant]        <= (layer_i.kernel.filter_scales ? !layer_i.kernel.scaled
                                                           : layer_i.kernel.scaled && !is_scale(layer_i.scale)) ||
                             (mean && (!is_scale(layer_i.conv_scale) ||
                                       layer_i.bounds.sum_lowest > ~layer_i.bounds.sum_headroom)) ||
                             layer_i.bounds.lowest > ~layer_i.bounds.headroom;
    fails_q[ResidualRegion] <= adds && !residual_on_chip &&
                               needs_i.residual_words > 32'(banks[RegionResidual]) * BankWords / 2;
    fails_q[Residual]     <= adds && (pool || !is_beside || !is_sum ||
                                      (!residual_on_chip && wraps(layer_i.residual_addr, needs_i.residual_bytes)));
    error_o <= ErrorNone;
    for (int unsigned i = 0; i < NumChecks; i++) begin
      if (fails_q[NumChecks-1-i]) error_o <= Cause[NumChecks-1-i];
    end
  end

  `DLA_ASSERT(AFailedCheckHasACause, enable_i && fails_q != '0 |=> error_o != ErrorNone)
  `DLA_ASSERT(NoCauseWithoutAFailedCheck, enable_i && fails_q == '0 |=> error_o == ErrorNone)
endmodule
