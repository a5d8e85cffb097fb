// SPDX-License-Identifier: Apache-2.0
/// Walks the loop nest of a layer, once, and hands out its passes, filter sets and loads in the order of first use.
///
/// Loops, outermost first: tiles of e_glb rows, parts of a group of channels or of as many as the PEs hold, tiles of m
/// filters, chunks of q*r channels, folds of filter rows, groups of p*t filters, strips of e rows. Takes a few cycles a
/// pass and runs ahead of the array by the depth of the queues.
/// Every length of a pass is worked out here (dla_pass_lengths), so that the units behind only count; and where its
/// output tile begins (dla_tile_places). Of an ifmap on chip, nothing is loaded: its chunks are there.
/// It may begin ahead of the layer's start, and hands out filters and passes behind those of the layer before. Where it
/// is to load an ifmap or a residual, which that one may still write, it hands out the first filter chunk and its set,
/// and waits. The first ifmap chunk follows once the layer has started, and then the first pass.
`include "dla_assert.svh"
module dla_sequencer
  import dla_pkg::*;
#(
  parameter int unsigned Rows        = 6,
  parameter int unsigned Cols        = 8,
  parameter int unsigned BusBytes    = 4,
  parameter int unsigned Lanes       = 1,
  parameter int unsigned IfmapBytes  = 4,
  parameter int unsigned FilterBytes = 4,
  /// Dependent, do not override. Biases, scales and the weights of a PE are padded to WordBytes in the filter stream.
  localparam int unsigned BusShift   = $clog2(BusBytes),
  localparam int unsigned IfmapShift = $clog2(IfmapBytes),
  localparam int unsigned WordBytes  = FilterBytes < BusBytes ? BusBytes : FilterBytes
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        start_i,
  /// Begins ahead of start_i. Only while idle_o.
  input  logic        ahead_i,
  /// The turn of the layer that runs.
  input  logic        turn_i,
  /// Stops where it is.
  input  logic        clear_i,
  /// All of the layer has been handed out.
  output logic        idle_o,
  input  layer_t      layer_i,
  input  derived_t    derived_i,
  // Queues.
  output logic        load_valid_o,
  input  logic        load_ready_i,
  output load_job_t   load_o,
  output logic        filter_valid_o,
  input  logic        filter_ready_i,
  output filter_set_t filter_o,
  output logic        pass_valid_o,
  input  logic        pass_ready_i,
  output pass_t       pass_o
);
  typedef enum logic [4:0] {
    Idle, LoadTable, RowTile, RowTileStart, RowTileSize, FilterTile, Chunk, ChunkSets, LoadIfmap,
    Fold, Group, GroupSets, GroupWords, GroupBytes, LoadFilter,
    Strip, StripSlot, StripWords, StripLength, StripFeed, StripOut, Push, LoadResidual
  } state_e;
  state_e state_q;
  assign idle_o = state_q == Idle;

  // From ahead_i to start_i; where it waits for that, to the first ifmap chunk, which comes behind the first filter
  // chunk then; and while the set of the pass that is put together has left.
  logic ahead_q, swapped_q, set_left_q, waits;
  assign waits = !layer_i.groups.ifmap_on_chip || (layer_i.kernel.residual && !layer_i.groups.residual_on_chip);

  // In front of the filter stream.
  localparam logic [31:0] TableBytes = 32'd256;

  // Short names.
  logic [3:0]  R, S;
  logic [2:0]  U;
  logic [12:0] W, e_glb, pad_top;
  assign R = layer_i.kernel.r;
  assign S = layer_i.kernel.s;
  assign U = layer_i.kernel.u;
  assign W = 13'(layer_i.ifmap_size.w);
  assign pad_top = 13'(layer_i.padding.top);
  assign e_glb = 13'(layer_i.map_glb.e_glb);

  // Loop counters, and what is left at each level.
  logic [12:0] row0_q, rows_q, strip0_q;   // row tile, its rows, strip in it
  logic [15:0] part0_q;                    // first group of the part
  logic [8:0]  part_groups_q;              // of the part, where PEs hold whole groups
  logic [15:0] m0_q, filters_q, group0_q;  // filter tile, its filters, group in it
  logic [15:0] c0_q;                       // channel chunk
  logic [3:0]  fold_row0_q;                // fold
  logic [12:0] channels_q;                 // of this chunk
  logic [15:0] chunk_q;                    // chunk number, modulo the buffers

  // From a strip's first row to the next one's, and from a row tile's; its first row; output rows from there on that
  // are no padding of a pool, or that are, above all others.
  logic [12:0] strip_step, row_tile_step, strip_row, real_left;
  logic [1:0]  above;
  assign strip_step    = row_step(layer_i.kernel, 13'(layer_i.map_pe.e));
  assign row_tile_step = row_step(layer_i.kernel, e_glb);
  assign strip_row     = row0_q + strip0_q;
  assign real_left     = derived_i.rows_end - strip_row;
  assign above         = strip_row < 13'(layer_i.kernel.pool_top) ? layer_i.kernel.pool_top - 2'(strip_row) : 2'd0;

  logic [15:0] e_left, g_left;
  assign e_left = 16'(rows_q) - 16'(strip0_q);
  assign g_left = filters_q - group0_q;

  logic        whole_groups;
  logic [15:0] groups;
  logic [16:0] next_part;
  assign whole_groups = layer_i.map_loop.g != '0;
  assign groups       = layer_i.groups.g == '0 ? 16'd1 : layer_i.groups.g;
  logic        ifmap_on_chip;
  assign ifmap_on_chip = layer_i.groups.ifmap_on_chip;
  assign next_part    = 17'(part0_q) + 17'(derived_i.part_groups);

  logic last_strip, last_group, last_fold, last_chunk, last_filter_tile, last_part, last_row_tile;
  assign last_strip       = e_left <= 16'(layer_i.map_pe.e);
  assign last_group       = g_left <= 16'(derived_i.pass_filters);
  assign last_fold        = 5'(fold_row0_q) + 5'(derived_i.fold_rows) >= 5'(R);
  assign last_chunk       = 17'(c0_q) + 17'(derived_i.chunk_channels) >= 17'(layer_i.channels.c);
  assign last_filter_tile = 17'(m0_q) + 17'(layer_i.map_glb.m) >= 17'(layer_i.channels.m);
  assign last_part        = next_part >= 17'(groups);
  assign last_row_tile    = 14'(row0_q) + 14'(e_glb) >= 14'(derived_i.E);

  // Rows of each plane on chip, and the first row of a pass there.
  logic [12:0]        ifmap_plane_rows;
  logic signed [14:0] ifmap_row_q;
  assign ifmap_plane_rows = plane_rows_of(layer_i.ifmap_rows.plane, 13'(layer_i.ifmap_size.h));

  // Ifmap rows of the row tile.
  logic [12:0] top;
  logic [31:0] top_offset;
  logic [23:0] run_bytes;
  dla_tile_rows u_tile_rows (
    .clk_i, .rst_ni, .start_i(state_q == RowTileStart), .layer_i, .row0_i(row0_q), .rows_i(rows_q), .top_o(top),
    .top_offset_o(top_offset), .bytes_o(run_bytes)
  );

  // Addresses.
  logic [31:0] chunk_offset_q, filter_addr_q;
  logic [31:0] part_offset_q;  // of its first channel
  logic [15:0] chunk_base_q, psum_base_q;
  logic [31:0] chunk_addr;
  // Of the chunk's first channel: a resident ifmap is one buffer of all channels, and one on chip of those of all
  // groups, from the first column on.
  logic [15:0] part_channel_q, buffer_channel_q;
  assign chunk_addr     = layer_i.ifmap_addr + chunk_offset_q + top_offset;

  // The first filters of a part, and of a filter tile, among those of all groups.
  logic [31:0] part_filter_q, tile_filter_q, ofmap_addr, residual_addr;
  logic [5:0]  ofmap_rows, residual_rows;
  chip_word_t  residual_word;
  dla_tile_places #(.BusBytes(BusBytes), .Columns(IfmapBytes)) u_tile_places (
    .clk_i, .rst_ni, .layer_i, .derived_i,
    .filter_start_i(state_q == Group), .filter_i(tile_filter_q + 32'(group0_q)),
    .row_start_i(state_q == Strip), .row_i(strip_row),
    .ofmap_addr_o(ofmap_addr), .ofmap_rows_o(ofmap_rows),
    .residual_addr_o(residual_addr), .residual_rows_o(residual_rows), .residual_o(residual_word)
  );

  // Filter chunks that stay in the GLB have the buffers in front, in their order; the others take turns
  // on those behind. Those on chip are all there.
  logic        later_tile_q;                  // not the first row tile
  logic        spilled_q;                     // one has more chunks than there are buffers, or none is to stay
  logic [7:0]  stay_buffer_q, turn_buffer_q;  // for the next chunk that stays; for the next of the others
  logic [15:0] stay_base_q, turn_base_q, filter_base, next_filter_base;
  logic        filters_on_chip, stays, new_chunk, last_turn, last_buffer;
  assign filters_on_chip  = layer_i.groups.filters_on_chip;
  assign stays            = filters_on_chip || stay_buffer_q != layer_i.map_loop.stay || (later_tile_q && !spilled_q);
  assign new_chunk        = !stays || !(later_tile_q || filters_on_chip);
  assign filter_base      = stays ? stay_base_q : turn_base_q;
  assign next_filter_base = filter_base + derived_i.filter_buffer_words;
  assign last_turn        = turn_buffer_q + 1'b1 == layer_i.map_loop.filter_buffers;
  assign last_buffer      = stay_buffer_q + 1'b1 == layer_i.map_loop.filter_buffers && filters_on_chip;

  // The pass being put together.
  pass_t       pass_q;
  logic [12:0] counted_q;  // channels or filters covered by the sets counted so far
  // Where sets have channels of their own: sets of the column counted so far, their channels,
  // and words of the columns before.
  logic [5:0]  high_q;
  logic [10:0] column_channels_q;
  logic [12:0] column_words_q, pixel_words_q;
  lengths_t    lengths;
  logic [15:0] words_q;
  logic        load_ifmap_q;
  logic        has_scales;
  logic [10:0] param_words;      // of biases, and of scales, on the filter network
  logic [15:0] param_bus_words;  // of both in the stream
  logic [8:0]  set_rows_q;      // filter rows, over all channel sets
  logic [15:0] pe_bytes, pe_bus_words_q;
  logic [10:0] pe_words_q;
  function automatic logic [15:0] up_to(input logic [15:0] bytes, input int unsigned unit);
    return (bytes + 16'(unit - 1)) / 16'(unit);
  endfunction
  assign has_scales      = pass_q.last_k && layer_i.kernel.filter_scales;
  assign param_words     = 11'(up_to(16'(pass_q.filters) * 16'd4, FilterBytes));
  assign param_bus_words = (up_to(16'(pass_q.filters) * 16'd4, WordBytes) * 16'(WordBytes / BusBytes) &
                            {16{pass_q.first_k || has_scales}}) <<
                           (pass_q.first_k && has_scales);
  assign pe_bytes        = 16'(pass_q.p) * 16'(pass_q.products);
  dla_pass_lengths #(.Rows(Rows), .Cols(Cols), .Lanes(Lanes)) u_lengths (
    .clk_i, .rst_ni, .start_i(state_q == StripSlot), .layer_i, .derived_i,
    .t_i(pass_q.t), .p_i(pass_q.p), .rows_i(pass_q.rows), .e_i(pass_q.e), .products_i(pass_q.products),
    .pixel_words_i(pixel_words_q), .first_k_i(pass_q.first_k), .lengths_o(lengths)
  );

  // The residual of an output tile: a run for each filter's rows, or one of all where those are all rows of the ofmap.
  logic        residual_buffer_q, loads_residual;
  logic [23:0] residual_bytes_q;
  logic        one_run;
  assign one_run        = derived_i.dense && 13'(pass_q.e) == derived_i.E;
  assign loads_residual = layer_i.kernel.residual && !layer_i.groups.residual_on_chip && pass_q.last_k;

  // The first ifmap chunk is loaded beside the steps of the first strip, once the layer has started.
  logic ifmap_due, ifmap_handed_out;
  assign ifmap_due        = swapped_q && !ahead_q &&
                            state_q inside {Strip, StripSlot, StripWords, StripLength, StripFeed, StripOut};
  assign ifmap_handed_out = ifmap_due && (ifmap_on_chip || load_ready_i);

  assign load_valid_o = state_q inside {LoadTable, LoadIfmap, LoadFilter, LoadResidual} ||
                        (ifmap_due && !ifmap_on_chip);
  always_comb begin
    if (state_q == LoadIfmap || ifmap_due) begin
      load_o = '{is_filter: 1'b0, is_table: 1'b0, is_residual: 1'b0, addr: chunk_addr, bytes: run_bytes,
                 count: channels_q, channel: buffer_channel_q, glb_base: chunk_base_q};
    end else if (state_q == LoadFilter) begin
      load_o = '{is_filter: 1'b1, is_table: 1'b0, is_residual: 1'b0, addr: filter_addr_q,
                 bytes: 24'(words_q) << BusShift, count: 13'd1, channel: '0, glb_base: filter_base};
    end else if (state_q == LoadResidual) begin
      load_o = '{is_filter: 1'b0, is_table: 1'b0, is_residual: 1'b1, addr: residual_addr,
                 bytes: residual_bytes_q, count: one_run ? 13'd1 : 13'(pass_q.filters), channel: '0,
                 glb_base: residual_buffer_q ? derived_i.residual_tile_words : '0};
    end else begin
      load_o = '{is_filter: 1'b1, is_table: 1'b1, is_residual: 1'b0, addr: layer_i.filter_addr, bytes: 24'(TableBytes),
                 count: 13'd1, channel: '0, glb_base: '0};
    end
  end

  // A pass and its filter set leave together; ahead of the start, the set leaves alone.
  logic push, takes_set, set_leaves;
  assign takes_set      = pass_q.new_filter && !set_left_q;
  assign set_leaves     = state_q == Strip && swapped_q;
  assign push           = state_q == Push && pass_ready_i && (filter_ready_i || !takes_set);
  assign pass_valid_o   = state_q == Push && (filter_ready_i || !takes_set);
  assign filter_valid_o = (state_q == Push && takes_set && pass_ready_i) || set_leaves;
  always_comb begin
    pass_o               = pass_q;
    pass_o.turn          = turn_i ^ ahead_q;
    pass_o.lengths       = lengths;
    pass_o.ofmap_addr    = ofmap_addr;
    pass_o.ofmap_rows    = ofmap_rows;
    pass_o.residual      = residual_word;
    pass_o.residual_rows = residual_rows;
  end
  assign filter_o = '{turn: turn_i ^ ahead_q, has_bias: pass_q.first_k, has_scales: has_scales, t: pass_q.t,
                      r: pass_q.r, rows: pass_q.rows, param_words: param_words, pe_words: pe_words_q,
                      new_chunk: new_chunk, stays: stays, glb_base: filter_base};

  // What ends as the pass leaves: a group with its last strip, a fold with its last group, and so on outwards.
  logic group_ends, fold_ends, chunk_ends, filter_tile_ends, part_ends, row_tile_ends;
  assign group_ends       = push && last_strip;
  assign fold_ends        = group_ends && last_group;
  assign chunk_ends       = fold_ends && last_fold;
  assign filter_tile_ends = chunk_ends && last_chunk;
  assign part_ends        = filter_tile_ends && last_filter_tile;
  assign row_tile_ends    = part_ends && last_part;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q    <= Idle;
      ahead_q    <= 1'b0;
      swapped_q  <= 1'b0;
      set_left_q <= 1'b0;
    end else if (clear_i) begin
      state_q    <= Idle;
      ahead_q    <= 1'b0;
      swapped_q  <= 1'b0;
      set_left_q <= 1'b0;
    end else begin
      ahead_q    <= ahead_i || (ahead_q && !start_i);
      swapped_q  <= (ahead_i && waits) || (swapped_q && !ifmap_handed_out);
      set_left_q <= (set_leaves && filter_ready_i) || (set_left_q && !push);
      unique case (state_q)
        Idle:         if (ahead_i || (start_i && !ahead_q)) state_q <= layer_i.quant.lookup ? LoadTable : RowTile;
        LoadTable:    if (load_ready_i) state_q <= RowTile;
        RowTile:      state_q <= RowTileStart;
        RowTileStart: state_q <= RowTileSize;
        RowTileSize:  state_q <= FilterTile;
        FilterTile:   state_q <= Chunk;
        Chunk:        state_q <= ChunkSets;
        ChunkSets:    if (counted_q >= channels_q) state_q <= load_ifmap_q && !swapped_q ? LoadIfmap : Fold;
        LoadIfmap:    if (load_ready_i) state_q <= Fold;
        Fold:         state_q <= Group;
        Group:        state_q <= GroupSets;
        GroupSets:    if (counted_q >= 13'(pass_q.filters)) state_q <= GroupWords;
        GroupWords:   state_q <= GroupBytes;
        GroupBytes:   state_q <= new_chunk ? LoadFilter : Strip;
        LoadFilter:   if (load_ready_i) state_q <= Strip;
        Strip:        if (!set_leaves || filter_ready_i) state_q <= StripSlot;
        StripSlot:    state_q <= StripWords;
        StripWords:   state_q <= StripLength;
        StripLength:  state_q <= StripFeed;
        StripFeed:    state_q <= StripOut;
        StripOut:     if (!swapped_q || ifmap_handed_out) state_q <= loads_residual ? LoadResidual : Push;
        LoadResidual: if (load_ready_i) state_q <= Push;
        Push: begin
          if (row_tile_ends) state_q <= last_row_tile ? Idle : RowTile;
          else if (filter_tile_ends) state_q <= FilterTile;
          else if (chunk_ends) state_q <= Chunk;
          else if (fold_ends) state_q <= Fold;
          else if (group_ends) state_q <= Group;
          else if (push) state_q <= Strip;
        end
        default: state_q <= Idle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        row0_q          <= '0;
        m0_q            <= '0;
        chunk_q         <= '0;
        chunk_base_q    <= derived_i.ifmap_word;
        later_tile_q    <= 1'b0;
        spilled_q       <= layer_i.map_loop.stay == '0;
        turn_buffer_q   <= layer_i.map_loop.stay;
        turn_base_q     <= '0;
        pass_q.lengths  <= '0;  // u_lengths has them, and u_tile_places the places
        {pass_q.ofmap_addr, pass_q.ofmap_rows, pass_q.residual, pass_q.residual_rows, pass_q.turn} <= '0;
        residual_buffer_q <= 1'b0;
      end
      RowTile: begin
        rows_q        <= 13'(min16(16'(e_glb), 16'(derived_i.E) - 16'(row0_q)));
        m0_q          <= '0;
        filter_addr_q <= layer_i.filter_addr + (layer_i.quant.lookup ? TableBytes : '0);
        stay_buffer_q <= '0;
        stay_base_q   <= '0;
        part0_q       <= '0;
        part_groups_q <= 9'(min16(16'(derived_i.part_groups), groups));
        part_offset_q  <= '0;
        part_channel_q <= '0;
        part_filter_q  <= '0;
      end
      FilterTile: begin
        filters_q      <= whole_groups ? 16'(layer_i.channels.m[5:0]) * 16'(part_groups_q)
                                       : min16(layer_i.map_glb.m, layer_i.channels.m - m0_q);
        c0_q           <= '0;
        chunk_offset_q <= part_offset_q;
        load_ifmap_q   <= !ifmap_on_chip && (!layer_i.map_loop.ifmap_resident || m0_q == '0);
        tile_filter_q  <= part_filter_q + 32'(m0_q);
      end
      Chunk: begin
        channels_q        <= whole_groups ? 13'(layer_i.channels.c[4:0]) * 13'(part_groups_q)
                                          : 13'(min16(16'(derived_i.chunk_channels), layer_i.channels.c - c0_q));
        buffer_channel_q  <= ifmap_on_chip ? 16'(layer_i.ifmap_addr[28:24]) + part_channel_q + c0_q
                                           : layer_i.map_loop.ifmap_resident ? c0_q : '0;
        fold_row0_q       <= '0;
        pass_q.new_ifmap  <= load_ifmap_q;
        pass_q.r          <= '0;
        pass_q.q          <= layer_i.map_pe.q;
        counted_q         <= '0;
      end
      ChunkSets: begin
        // One set takes q channels; a chunk that fills less than one set takes fewer.
        if (counted_q < channels_q) begin
          counted_q <= counted_q + (whole_groups ? derived_i.chunk_channels : 13'(layer_i.map_pe.q));
          pass_q.r  <= 6'(pass_q.r + 1'b1) & 6'(bits_up_to(Rows));
          if (channels_q < 13'(layer_i.map_pe.q)) pass_q.q <= 5'(channels_q);
        end
      end
      Fold: begin
        pass_q.rows        <= 4'(min16(16'(derived_i.fold_rows), 16'(R) - 16'(fold_row0_q)));
        pass_q.first_k     <= c0_q == '0 && fold_row0_q == '0;
        pass_q.last_k      <= last_chunk && last_fold;
        pass_q.ifmap_base  <= chunk_base_q + 16'((buffer_channel_q >> IfmapShift) * derived_i.plane_words);
        pass_q.ifmap_channel <= 5'(buffer_channel_q);
        pass_q.ifmap_align   <= ifmap_on_chip ? '0
                                              : (layer_i.map_loop.ifmap_resident
                                                     ? layer_i.ifmap_addr[4:0] + part_offset_q[4:0] + top_offset[4:0]
                                                     : chunk_addr[4:0]) & 5'(BusBytes - 1);
        pass_q.products    <= whole_groups ? 8'(derived_i.slot_products) : 8'(8'(pass_q.q) * 8'(S));
        group0_q           <= '0;
        psum_base_q        <= '0;
      end
      Group: begin
        pass_q.filters    <= 9'(min16(16'(derived_i.pass_filters), g_left));
        pass_q.t          <= '0;
        pass_q.p          <= layer_i.map_pe.p;
        pass_q.new_filter <= 1'b1;
        counted_q         <= '0;
        strip0_q          <= '0;
        high_q            <= '0;
        column_channels_q <= '0;
        column_words_q    <= '0;
        set_rows_q        <= 9'(pass_q.r) * 9'(pass_q.rows);
      end
      GroupSets: begin
        if (counted_q < 13'(pass_q.filters)) begin
          counted_q <= counted_q + 13'(layer_i.map_pe.p);
          pass_q.t  <= pass_q.t + 1'b1;
          high_q            <= 6'(high_q + 1'b1) & 6'(bits_up_to(Rows - 1));
          column_channels_q <= 11'(column_channels_q + 11'(pass_q.q)) & 11'(bits_up_to(31 * Rows));
          if (7'(high_q) + 1'b1 == derived_i.filters_high) begin
            high_q            <= '0;
            column_channels_q <= '0;
            column_words_q    <= column_words_q + 13'(up_to(16'(column_channels_q) + 16'(pass_q.q), IfmapBytes));
          end
          if (13'(pass_q.filters) < 13'(layer_i.map_pe.p)) pass_q.p <= 6'(pass_q.filters);
        end
      end
      GroupWords: begin
        words_q    <= 16'(pass_q.t) * 16'(set_rows_q);
        pe_words_q     <= 11'(up_to(pe_bytes, FilterBytes));
        pe_bus_words_q <= up_to(pe_bytes, WordBytes) * 16'(WordBytes / BusBytes);
        pass_q.channels <= 13'(pass_q.q) * (whole_groups ? 13'(pass_q.t) : 13'(pass_q.r));
        pass_q.out_row_stride <= 16'(pass_q.p) * 16'(derived_i.out_row_words);
      end
      GroupBytes: begin
        words_q       <= 16'(words_q * pe_bus_words_q) + param_bus_words;
        // Streamed chunks are read beyond the channels that there are.
        pass_q.ifmap_missing <= layer_i.map_loop.ifmap_resident || ifmap_on_chip ? 5'(pass_q.channels - channels_q)
                                                                                 : '0;
        pixel_words_q <= whole_groups ? column_words_q + 13'(up_to(16'(column_channels_q), IfmapBytes))
                                      : 13'(up_to(16'(pass_q.channels), IfmapBytes));
      end
      Strip: pass_q.e <= 6'(min16(16'(layer_i.map_pe.e), e_left)) & 6'(bits_up_to(Cols));
      StripSlot: pass_q.y <= $signed(15'((15'(row0_q) + 15'(strip0_q)) * 15'(U))) - $signed(15'(pad_top)) +
                             $signed(15'(fold_row0_q));
      // The row in the buffer; on chip in the planes, where it goes on at their begin behind their end.
      StripWords:  ifmap_row_q <= pass_q.y + $signed(ifmap_on_chip ? 15'(layer_i.ifmap_rows.first) : -15'(top));
      StripLength: if (ifmap_on_chip && ifmap_row_q >= $signed(15'(ifmap_plane_rows))) begin
        ifmap_row_q <= ifmap_row_q - $signed(15'(ifmap_plane_rows));
      end
      StripFeed: begin
        pass_q.pixel <= 28'(28'(ifmap_row_q) * $signed(28'(W)));
        if (layer_i.kernel.residual) begin
          residual_bytes_q <= (one_run ? 24'(derived_i.ofmap_stride) : 24'(derived_i.ofmap_cols)) *
                              (one_run ? 24'(pass_q.filters) : 24'(pass_q.e));
        end
      end
      LoadResidual: if (load_ready_i) residual_buffer_q <= !residual_buffer_q;
      StripOut: begin
        pass_q.real_from <= above;
        pass_q.real_to   <= real_left > 13'(pass_q.e) ? pass_q.e : 6'(real_left) & 6'(bits_up_to(Cols));
        pass_q.psum_base  <= psum_base_q;
        pass_q.release_ifmap  <= !ifmap_on_chip && last_strip && last_group && last_fold &&
                                 (!layer_i.map_loop.ifmap_resident || last_filter_tile);
        pass_q.last <= last_strip && last_group && last_fold && last_chunk && last_filter_tile && last_part &&
                       last_row_tile;
      end
      Push: begin
        if (push) begin
          pass_q.new_filter <= 1'b0;
          pass_q.new_ifmap  <= 1'b0;
          strip0_q          <= strip0_q + strip_step;
          psum_base_q       <= psum_base_q + derived_i.psum_block_words;
        end
        if (group_ends) begin
          group0_q      <= group0_q + 16'(derived_i.pass_filters);
          filter_addr_q <= filter_addr_q + (32'(words_q) << BusShift);
          if (stays) begin
            stay_buffer_q <= last_buffer ? '0 : stay_buffer_q + 1'b1;
            stay_base_q   <= last_buffer ? '0 : next_filter_base;
            if (!later_tile_q) turn_base_q <= next_filter_base;
          end else begin
            turn_buffer_q <= last_turn ? layer_i.map_loop.stay : turn_buffer_q + 1'b1;
            turn_base_q   <= last_turn ? stay_base_q : next_filter_base;
            spilled_q     <= spilled_q || (last_turn && !row_tile_ends);
          end
        end
        if (fold_ends) fold_row0_q <= fold_row0_q + derived_i.fold_rows;
        if (chunk_ends) begin
          c0_q           <= c0_q + 16'(derived_i.chunk_channels);
          chunk_offset_q <= chunk_offset_q + derived_i.chunk_bytes;
          chunk_q        <= chunk_q + 1'b1;
          chunk_base_q   <= chunk_base_q + derived_i.ifmap_buffer_words;
          if (chunk_q + 1'b1 == derived_i.ifmap_buffers) begin
            chunk_q      <= '0;
            chunk_base_q <= derived_i.ifmap_word;
          end
        end
        if (filter_tile_ends) begin
          m0_q <= m0_q + layer_i.map_glb.m;
        end
        if (part_ends) begin
          m0_q           <= '0;
          part0_q        <= 16'(next_part);
          part_groups_q  <= 9'(min16(16'(derived_i.part_groups), groups - 16'(next_part)));
          part_offset_q  <= part_offset_q + derived_i.part_ifmap_bytes;
          part_channel_q <= part_channel_q + (whole_groups ? 16'(derived_i.chunk_channels) : layer_i.channels.c);
          part_filter_q  <= part_filter_q + (whole_groups ? 32'(derived_i.pass_filters) : 32'(layer_i.channels.m));
        end
        if (row_tile_ends) begin
          later_tile_q    <= 1'b1;
          row0_q          <= row0_q + row_tile_step;
        end
      end
      default: ;
    endcase
  end

  `DLA_ASSERT(BeginsWhenIdle, ahead_i |-> idle_o && !layer_i.quant.lookup)
  `DLA_ASSERT(StartsOnce, start_i |-> idle_o || ahead_q)
  `DLA_ASSERT(FirstSetLeaves, set_leaves |-> pass_q.new_filter && (ahead_q || filter_ready_i))
  `DLA_ASSERT_STREAM(MadeLoad, load_valid_o, load_ready_i || clear_i, load_o)
  `DLA_ASSERT_STREAM(MadeFilterSet, filter_valid_o, filter_ready_i || clear_i, filter_o)
  `DLA_ASSERT_STREAM(MadePass, pass_valid_o, pass_ready_i || clear_i, pass_o)
endmodule
