// SPDX-License-Identifier: Apache-2.0
/// Moves finished output tiles from the GLB to DRAM: gathers bytes row by row, writes them as AXI4 bursts.
///
/// A tile is a run of rows * ofmap_cols bytes for each of its filters, or one run of all where those are all rows of
/// the ofmap. A row begins with a GLB word of its own; gathering takes a cycle a word. Where a run's last word lies in
/// two beats, the second leaves beside the first word of the next run, or if that ends a beat itself, a cycle before.
/// A burst is requested once all its beats are here, so write data never waits; it ends with its run, after MaxBeats,
/// or at a 4 KiB boundary. The tile's buffer is free again once it has been read. A
/// residual is added to the beats on their way to the queue; a tile is gathered once its residual is there. Where means
/// are taken, a filter's words give one byte, some cycles later, and a tile is one run of these.
/// An ofmap on chip goes the same way, a run for each filter. Rows behind a plane's end begin a run of their own there.
/// Its bursts are taken by dla_chip_write, and are not counted.
`include "dla_assert.svh"
module dla_store
  import dla_pkg::*;
#(
  parameter int unsigned Cols     = 8,
  parameter int unsigned Lanes    = 1,
  parameter int unsigned BusBytes = 4,
  /// Of the GLB that planes on chip are dealt to.
  parameter int unsigned Columns  = 4,
  /// Longest burst, in beats; half of what the beat queue holds.
  parameter int unsigned MaxBeats = 16,
  /// Bursts that may wait for their response.
  parameter int unsigned MaxAnswers = 8,
  /// Dependent, do not override.
  localparam int unsigned LaneWidth = Lanes == 1 ? 1 : $clog2(Lanes),
  localparam int unsigned LaneShift = $clog2(Lanes),
  localparam int unsigned BusShift  = $clog2(BusBytes)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  /// Starts no further burst.
  input  logic                  stop_i,
  /// No burst is under way.
  output logic                  idle_o,
  /// The last tile of the layer has been written and answered.
  output logic                  done_o,
  input  layer_t                layer_i,
  input  derived_t              derived_i,
  input  logic                  tile_valid_i,
  input  logic                  tile_index_i,
  input  tiles_t                tiles_i,
  output logic                  tile_release_o,
  input  logic                  residual_loaded_i,
  output logic                  residual_release_o,
  // GLB, a column a lane.
  output logic [Lanes-1:0]      glb_read_o,
  output logic [15:0]           glb_addr_o,
  input  logic [8*BusBytes-1:0] glb_data_i [Lanes],
  output logic                  residual_read_o,
  output logic [15:0]           residual_addr_o,
  // ... or, on chip, the word of a column.
  output logic                  chip_read_o,
  output chip_word_t            chip_word_o,
  /// The bytes of it that are added to.
  output logic [BusBytes-1:0]   chip_strobe_o,
  /// Of either.
  input  logic [8*BusBytes-1:0] residual_data_i,
  // AXI4 write channels.
  output logic                  awvalid_o,
  input  logic                  awready_i,
  output logic [31:0]           awaddr_o,
  output logic [7:0]            awlen_o,
  output logic                  wvalid_o,
  input  logic                  wready_i,
  output logic [8*BusBytes-1:0] wdata_o,
  output logic [BusBytes-1:0]   wstrb_o,
  output logic                  wlast_o,
  input  logic                  bvalid_i,
  output logic                  bready_o,
  input  logic                  berror_i,
  /// Of the oldest burst that is not answered, the first address; it is answered with an error.
  output logic [31:0]           answer_addr_o,
  output logic                  error_o,
  // Counted.
  output logic [5:0]            bytes_o,
  output logic                  burst_o
);
  // Numbers of tiles that are complete.
  logic        index_there, index_ready, tile_index, tile_done;
  dla_fifo #(.data_t(logic), .Depth(NumTiles)) u_tiles (
    .clk_i, .rst_ni, .clear_i,
    .in_valid_i(tile_valid_i), .in_ready_o(index_ready), .in_data_i(tile_index_i),
    .out_valid_o(index_there), .out_ready_i(tile_done), .out_data_o(tile_index)
  );

  // Gather: filter by filter, row by row, word by word. The last bytes of a run may begin a beat of their own, the
  // rest; that of the tile's last run leaves in Rest.
  typedef enum logic [1:0] {Idle, Words, Rest} state_e;
  state_e               state_q;
  logic                 last_tile_q, contiguous_q;  // of the tile: it is the layer's last; all filters are one run
  logic [8:0]           filters_q;
  logic [5:0]           p_q;
  logic [5:0]           rows_q;                  // to write: e, or windows over them
  logic [15:0]          row_stride_q;
  logic [8:0]           filter_q;
  logic [5:0]           slot_q;
  logic [5:0]           row_q;
  logic [12:0]          left_q;                  // bytes of the row
  logic [LaneWidth-1:0] lane_q, set_lane_q;      // of the row, and of the first row of its PE set
  logic [15:0]          row_place_q, set_place_q;  // of the same two, in the set's first slot
  logic [15:0]          slot_place_q, place_q;   // the slot's place behind it; where the next word is
  logic [31:0]          run_addr_q, addr_q;
  logic [5:0]           plane_left_q;            // of the tile: rows up to the end of the planes that it begins in
  logic                 begins, residual_there, room, step, read;
  logic                 last_word, last_row, last_slot, last_filter, plane_ends, run_ends, beat_ends, rests;
  logic                 rest_q;                  // of the run before
  logic                 mean, filter_ends;
  logic [BusShift:0]    count, written, end_at;    // bytes of the word, and those that it adds to the run
  assign begins      = state_q == Idle && index_there && residual_there && !stop_i;
  assign step        = state_q != Idle && room && !stop_i;
  assign read        = state_q == Words && step && !(rest_q && beat_ends);
  assign mean        = layer_i.quant.mean;

  // A row is in the lane of its psum. With several lanes, a pooled one is in that of the last row of its window, or,
  // where a pair of rows ends one window at most, in half that.
  logic       pooled, in_pairs;
  logic [LaneWidth-1:0] read_lane;
  assign pooled    = Lanes != 1 && layer_i.kernel.pool;
  assign in_pairs  = pooled && pool_stride(layer_i.kernel) != 2'd1;
  assign read_lane = in_pairs ? lane_q >> 1 : lane_q;

  // The word that is read, and what it ends. The next filter's run begins where this one ends.
  always_comb begin
    last_word   = 1'b0;
    last_row    = 1'b0;
    last_slot   = 1'b0;
    last_filter = 1'b0;
    filter_ends = 1'b0;
    plane_ends  = 1'b0;
    count       = '0;
    written     = '0;
    run_ends    = 1'b0;
    end_at      = '0;
    beat_ends   = 1'b0;
    rests       = 1'b0;
    if (state_q == Words) begin
      last_word   = left_q <= 13'(BusBytes);
      last_row    = row_q + 1'b1 == rows_q;
      last_slot   = slot_q + 1'b1 == p_q;
      last_filter = filter_q + 1'b1 == filters_q;
      filter_ends = last_word && last_row;
      plane_ends  = last_word && !last_row && row_q + 1'b1 == plane_left_q;
      count       = last_word ? (BusShift + 1)'(left_q) : (BusShift + 1)'(BusBytes);
      written     = mean ? (BusShift + 1)'(filter_ends) : count;
      run_ends    = (filter_ends && (last_filter || !contiguous_q)) || plane_ends;
      end_at      = (BusShift + 1)'(addr_q[BusShift-1:0]) + written;
      beat_ends   = run_ends || end_at >= (BusShift + 1)'(BusBytes);
      rests       = run_ends && end_at > (BusShift + 1)'(BusBytes);
    end
  end
  assign tile_done      = read && filter_ends && last_filter;
  assign tile_release_o = tile_done;
  assign glb_read_o     = Lanes'(read) << read_lane;
  assign glb_addr_o     = place_q;

  // A step of up to three rows may go over two words of two lanes.
  function automatic logic [15:0] words_on(input logic [1:0] words, input logic [15:0] row_stride);
    return words[1] ? row_stride << 1 : words[0] ? row_stride : '0;
  endfunction
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
      rest_q  <= 1'b0;
    end else if (clear_i) begin
      state_q <= Idle;
      rest_q  <= 1'b0;
    end else begin
      if (step) rest_q <= read && rests;
      unique case (state_q)
        Idle:    if (begins) state_q <= Words;
        Words:   if (tile_done) state_q <= rests ? Rest : Idle;
        default: if (step) state_q <= Idle;
      endcase
    end
  end

  // Where the next filter's run is: a plane further; on chip in the next column, or behind the last one a plane further
  // in the first one.
  function automatic logic [4:0] next_column(input logic [4:0] column);
    return column == 5'(Columns - 1) ? '0 : column + 1'b1;
  endfunction
  logic        ofmap_on_chip;
  logic [4:0]  column;
  logic [31:0] plane_further, next_run_addr;
  assign ofmap_on_chip = layer_i.groups.ofmap_on_chip;
  assign column        = next_column(run_addr_q[28:24]);
  assign plane_further = run_addr_q + (ofmap_on_chip && column != '0 ? '0 : 32'(derived_i.ofmap_stride));
  assign next_run_addr = ofmap_on_chip ? {3'b0, column, plane_further[23:0]} : plane_further;

  // Beside it, the word of the residual, if that is on chip: of the run, of the byte that is read, and of the rest.
  chip_word_t  residual_run_q, residual_q, rest_residual_q, next_residual_run;
  logic [5:0]  residual_left_q;  // rows up to the end of its planes
  logic        residual_ends;
  logic [15:0] residual_plane;   // words of one
  assign residual_plane = 16'(derived_i.residual_stride >> BusShift);
  assign residual_ends  = last_word && row_q + 1'b1 == residual_left_q;
  always_comb begin
    next_residual_run.column = next_column(residual_run_q.column);
    next_residual_run.word   = residual_run_q.word + (next_residual_run.column == '0 ? residual_plane : '0);
  end
  always_ff @(posedge clk_i) begin
    if (begins) begin
      residual_run_q  <= tiles_i[tile_index].residual;
      residual_q      <= tiles_i[tile_index].residual;
      residual_left_q <= tiles_i[tile_index].residual_rows;
    end else if (read) begin
      rest_residual_q <= '{column: residual_q.column, word: residual_q.word + 1'b1};
      residual_q.word <= residual_q.word + 16'(end_at >= (BusShift + 1)'(BusBytes)) -
                         (residual_ends ? residual_plane : '0);
      if (filter_ends) begin
        residual_run_q <= next_residual_run;
        residual_q     <= next_residual_run;
      end
    end
  end

  logic [31-BusShift:0] rest_beat_q;
  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: if (begins) begin
        automatic tile_t                tile;
        automatic logic [5:0]           rows;
        automatic logic [1:0]           first_row;
        automatic logic [LaneWidth-1:0] first_lane;
        automatic logic [15:0]          first_place;
        tile         = tiles_i[tile_index];
        rows         = strip_per_stride(layer_i.kernel, tile.e - 6'(pool_size(layer_i.kernel))) + 1'b1;
        first_row    = pooled ? pool_size(layer_i.kernel) - 1'b1 : 2'd0;
        first_lane   = LaneWidth'((LaneWidth + 2)'(first_row) & (LaneWidth + 2)'(Lanes - 1));
        first_place  = (tile_index ? derived_i.out_tile_words : '0) +
                       words_on(2'(first_row >> LaneShift), tile.row_stride);
        last_tile_q  <= tile.last;
        contiguous_q <= derived_i.dense && 13'(rows) == derived_i.ofmap_rows;
        filters_q    <= tile.filters;
        p_q          <= tile.p;
        rows_q       <= rows & 6'(bits_up_to(Cols));
        row_stride_q <= tile.row_stride;
        filter_q     <= '0;
        slot_q       <= '0;
        row_q        <= '0;
        left_q       <= derived_i.ofmap_cols;
        lane_q       <= first_lane;
        set_lane_q   <= first_lane;
        row_place_q  <= first_place;
        set_place_q  <= first_place;
        place_q      <= first_place;
        slot_place_q <= '0;
        run_addr_q   <= tile.ofmap_addr;
        addr_q       <= tile.ofmap_addr;
        plane_left_q <= tile.ofmap_rows;
      end
      Words: begin
        if (read) begin
          // The row behind this one: the next of its filter, the first of the filter in the next slot,
          // or of the next set.
          automatic logic [LaneWidth+1:0] ahead;
          automatic logic [LaneWidth-1:0] next_lane;
          automatic logic [1:0]           next_row, next_set;
          automatic logic [15:0]          next_row_place, row_place, slot_place;
          next_row       = pooled ? pool_stride(layer_i.kernel) : 2'd1;
          next_set       = pooled ? pool_size(layer_i.kernel) : 2'd1;
          ahead          = (LaneWidth + 2)'(lane_q) +
                           (last_row ? (LaneWidth + 2)'(next_set) : (LaneWidth + 2)'(next_row));
          next_lane      = LaneWidth'(ahead & (LaneWidth + 2)'(Lanes - 1));
          next_row_place = row_place_q + words_on(2'(ahead >> LaneShift), row_stride_q);
          row_place      = last_row && !last_slot ? set_place_q : next_row_place;
          slot_place     = !last_row ? slot_place_q : last_slot ? '0 : slot_place_q + 16'(derived_i.out_row_words);
          rest_beat_q <= addr_q[31:BusShift] + 1'b1;
          left_q      <= last_word ? derived_i.ofmap_cols : left_q - 13'(BusBytes);
          place_q     <= last_word ? row_place + slot_place : place_q + 1'b1;
          addr_q      <= addr_q + 32'(written) - (plane_ends ? 32'(derived_i.ofmap_stride) : '0);
          if (last_word) begin
            row_q        <= last_row ? '0 : 6'(row_q + 1'b1) & 6'(bits_up_to(Cols));
            row_place_q  <= row_place;
            slot_place_q <= slot_place;
            lane_q       <= last_row && !last_slot ? set_lane_q : next_lane;
            if (last_row) begin
              filter_q   <= filter_q + 1'b1;
              slot_q     <= last_slot ? '0 : slot_q + 1'b1;
              run_addr_q <= next_run_addr;
              addr_q     <= next_run_addr;
              if (last_slot) begin
                set_lane_q  <= next_lane;
                set_place_q <= next_row_place;
              end
            end
          end
        end
      end
      default: ;
    endcase
  end

  // Assemble: a word comes a cycle after its address; what does not fit into its beat begins the next. A rest leaves
  // as it is held, and the word beside it is held.
  typedef struct packed {
    logic [8*BusBytes-1:0] data;
    logic [BusBytes-1:0]   strobe;
  } beat_t;
  typedef struct packed {
    logic [31:0] addr;
    logic [7:0]  len;
  } burst_t;

  typedef struct packed {
    logic                 is_rest;
    logic                 ends_beat;
    logic                 ends_run;
    logic [31-BusShift:0] beat_addr;
    logic [BusShift-1:0]  at;
  } part_t;
  part_t                 part_q, part;
  logic                  valid_q, valid, is_word_q, ends_filter_q, ends_tile_q;
  logic [BusBytes-1:0]   strobe_q, word_strobe;
  logic [31-BusShift:0]  burst_addr_q, burst_addr;
  logic [LaneWidth-1:0]  from_lane_q;
  chip_word_t            part_residual_q;  // of the beat that part_q begins in
  logic [8*BusBytes-1:0] word;
  logic [16*BusBytes-1:0] data;        // of two beats
  logic [2*BusBytes-1:0] strobe;
  beat_t                 held_q, begun, joined, beat, next_beat;
  logic [7:0]            beats_q;
  logic                  beat_done, burst_done;
  always_comb begin
    part        = '0;
    word        = '0;
    word_strobe = '0;
    data        = '0;
    strobe      = '0;
    next_beat   = '0;
    begun       = '0;
    joined      = '0;
    beat        = '0;
    burst_addr  = '0;
    if (valid) begin
      part        = mean ? parts_q[MeanCycles-1] : part_q;
      word        = mean ? (8*BusBytes)'(mean_byte) : glb_data_i[from_lane_q];
      word_strobe = mean ? BusBytes'(1) : is_word_q ? strobe_q : '0;
      data        = (16*BusBytes)'(word) << {part.at, 3'b0};
      strobe      = (2*BusBytes)'(word_strobe) << part.at;
      next_beat   = '{data: data[16*BusBytes-1:8*BusBytes], strobe: strobe[2*BusBytes-1:BusBytes]};
      begun       = part.is_rest ? '0 : held_q;
      joined.strobe = begun.strobe | strobe[BusBytes-1:0];
      for (int unsigned i = 0; i < BusBytes; i++) begin
        joined.data[8*i+:8] = strobe[i] ? data[8*i+:8] : begun.data[8*i+:8];
      end
      beat        = part.is_rest ? held_q : joined;
      burst_addr  = beats_q == '0 ? part.beat_addr : burst_addr_q;
    end
  end
  assign beat_done  = valid && part.ends_beat;
  assign burst_done = beat_done &&
                      (part.ends_run || beats_q + 1'b1 == 8'(MaxBeats) || part.beat_addr[11-BusShift:0] == '1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q  <= '0;
      beats_q <= '0;
    end else if (clear_i) begin
      held_q  <= '0;
      beats_q <= '0;
    end else begin
      if (valid) held_q <= beat_done && !part.is_rest ? next_beat : joined;
      if (beat_done) beats_q <= burst_done ? '0 : beats_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else if (clear_i) valid_q <= 1'b0;
    else valid_q <= step;
  end
  always_ff @(posedge clk_i) begin
    if (beat_done) burst_addr_q <= burst_addr;
    if (step) begin
      part_q.is_rest   <= rest_q;
      part_q.ends_beat <= rest_q || beat_ends;
      part_q.ends_run  <= rest_q || (run_ends && !rests);
      part_q.beat_addr <= rest_q ? rest_beat_q : addr_q[31:BusShift];
      part_q.at        <= addr_q[BusShift-1:0];
      is_word_q        <= read;
      strobe_q         <= ~({BusBytes{1'b1}} << count);
      ends_filter_q    <= filter_ends;
      ends_tile_q      <= state_q == Rest || (tile_done && !rests);
      from_lane_q      <= read_lane;
      part_residual_q  <= rest_q ? rest_residual_q : residual_q;
    end
  end

  // Beside a mean goes where it is written.
  localparam int unsigned MeanCycles = 9;  // of dla_mean
  part_t [MeanCycles-1:0] parts_q;
  logic [MeanCycles-1:0] means_q;   // which of them are there
  logic [7:0]            mean_byte;
  dla_mean #(.Cols(Cols), .BusBytes(BusBytes)) u_mean (
    .clk_i, .rst_ni, .clear_i, .layer_i, .word_i(valid_q && mean), .ends_i(valid_q && mean && ends_filter_q),
    .data_i(glb_data_i[from_lane_q]), .strobe_i(strobe_q), .mean_o(mean_byte)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) means_q <= '0;
    else if (clear_i) means_q <= '0;
    else if (mean) means_q <= {means_q[MeanCycles-2:0], valid_q && ends_filter_q};
  end
  always_ff @(posedge clk_i) if (mean) parts_q <= {parts_q[MeanCycles-2:0], part_q};
  assign valid       = mean ? means_q[MeanCycles-1] : valid_q;

  // With its residual, if one is added, a beat comes later.
  beat_t out_beat_in;
  logic  beat_comes, burst_comes;
  dla_residual #(.BusBytes(BusBytes)) u_residual (
    .clk_i, .rst_ni, .clear_i, .layer_i, .derived_i, .loaded_i(residual_loaded_i), .there_o(residual_there),
    .take_i(begins), .release_o(residual_release_o),
    .beat_i(beat_done), .data_i(beat.data), .strobe_i(beat.strobe),
    .ends_burst_i(burst_done), .ends_tile_i(ends_tile_q),
    .glb_read_o(residual_read_o), .glb_addr_o(residual_addr_o), .chip_read_o(chip_read_o), .glb_data_i(residual_data_i),
    .beat_o(beat_comes), .data_o(out_beat_in.data), .strobe_o(out_beat_in.strobe), .ends_burst_o(burst_comes)
  );

  assign chip_word_o   = part_residual_q;
  assign chip_strobe_o = beat.strobe;

  // Queues of whole bursts. `room` leaves space for the beats that are on their way.
  localparam int unsigned QueueBeats = 2 * MaxBeats;
  logic   beats_ready, beat_there, beat_taken, bursts_ready, burst_there;
  beat_t  out_beat;
  burst_t new_burst, out_burst;
  assign new_burst = '{addr: {burst_addr, BusShift'(0)}, len: beats_q};
  logic [$clog2(QueueBeats):0] queued_q;  // beats, and those on their way through residual or mean
  dla_fifo #(.data_t(beat_t), .Depth(QueueBeats)) u_beats (
    .clk_i, .rst_ni, .clear_i,
    .in_valid_i(beat_comes), .in_ready_o(beats_ready), .in_data_i(out_beat_in),
    .out_valid_o(beat_there), .out_ready_i(beat_taken), .out_data_o(out_beat)
  );
  dla_fifo #(.data_t(burst_t), .Depth(QueueBeats)) u_bursts (
    .clk_i, .rst_ni, .clear_i,
    .in_valid_i(burst_done), .in_ready_o(bursts_ready), .in_data_i(new_burst),
    .out_valid_o(burst_there), .out_ready_i(asked), .out_data_o(out_burst)
  );
  logic   asked;  // for the next burst, and it has been granted
  // Bursts all of whose beats are there.
  logic [$clog2(QueueBeats):0] whole_q;
  logic beat_read;
  assign room      = 32'(queued_q) + 2 <= QueueBeats;
  assign beat_read = valid_q && part_q.ends_beat && (!mean || ends_filter_q);

  // Requests that are not answered yet, oldest first.
  logic        answers_room, answer_due;
  logic [31:0] answer_addr;
  dla_fifo #(.data_t(logic [31:0]), .Depth(MaxAnswers)) u_answers (
    .clk_i, .rst_ni, .clear_i,
    .in_valid_i(asked), .in_ready_o(answers_room), .in_data_i(awaddr_o),
    .out_valid_o(answer_due), .out_ready_i(bvalid_i), .out_data_o(answer_addr)
  );

  // Lengths of the bursts whose beats are owed: their requests have been accepted.
  logic       owed_room, owed;
  logic [7:0] owed_len;
  dla_fifo #(.data_t(logic [7:0]), .Depth(MaxAnswers)) u_owed (
    .clk_i, .rst_ni, .clear_i,
    .in_valid_i(asked), .in_ready_o(owed_room), .in_data_i(out_burst.len),
    .out_valid_o(owed), .out_ready_i(beat_taken && wlast_o), .out_data_o(owed_len)
  );

  // Send: requests one after another, and beside them the beats of those that were accepted.
  logic       asks_q;
  logic [7:0] sent_q;
  logic       last_q;     // the last tile has been gathered
  assign awvalid_o   = asks_q && answers_room;
  assign awaddr_o    = out_burst.addr;
  assign awlen_o     = out_burst.len;
  assign wvalid_o    = owed;
  assign wdata_o     = out_beat.data;
  assign wstrb_o     = out_beat.strobe;
  assign wlast_o     = sent_q == owed_len;
  assign beat_taken  = wvalid_o && wready_i;
  assign asked       = awvalid_o && awready_i;
  assign burst_o     = asked && !ofmap_on_chip;
  assign bready_o    = 1'b1;
  assign error_o     = bvalid_i && berror_i;
  assign answer_addr_o = answer_addr;
  assign bytes_o     = beat_taken && !ofmap_on_chip ? 6'($countones(wstrb_o)) : '0;
  assign idle_o      = !asks_q && !answer_due;
  assign done_o      = last_q && idle_o && !burst_there && !valid_q && queued_q == '0 && state_q == Idle;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asks_q   <= 1'b0;
      sent_q   <= '0;
      queued_q <= '0;
      whole_q  <= '0;
      last_q   <= 1'b0;
    end else begin
      if (clear_i) begin
        queued_q <= '0;
        whole_q  <= '0;
        last_q   <= 1'b0;
      end else begin
        queued_q <= queued_q + ($clog2(QueueBeats) + 1)'(beat_read) - ($clog2(QueueBeats) + 1)'(beat_taken);
        whole_q  <= whole_q + ($clog2(QueueBeats) + 1)'(burst_comes) - ($clog2(QueueBeats) + 1)'(asked);
        if (tile_done && last_tile_q) last_q <= 1'b1;
      end
      asks_q <= asks_q ? !asked : whole_q != '0 && !stop_i && !clear_i;
      if (beat_taken) sent_q <= wlast_o ? '0 : sent_q + 1'b1;
    end
  end

  `DLA_ASSERT(TileHasRoom, tile_valid_i |-> index_ready)
  `DLA_ASSERT(BeatHasRoom, beat_comes |-> beats_ready)
  `DLA_ASSERT(BurstHasRoom, burst_done |-> bursts_ready)
  `DLA_ASSERT(AWholeBurstIsThere, whole_q != '0 |-> burst_there)
  `DLA_ASSERT(BeatIsThere, wvalid_o |-> beat_there)
  `DLA_ASSERT(AnswerBelongsToABurst, bvalid_i |-> answer_due)
  `DLA_ASSERT(OwedHasRoom, awvalid_o |-> owed_room)
endmodule
