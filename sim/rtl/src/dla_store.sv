// SPDX-License-Identifier: Apache-2.0
/// Moves finished output tiles from the GLB to DRAM: gathers bytes row by row, writes them as AXI4 bursts.
///
/// A tile is a run of rows * ofmap_cols bytes for each of its filters, or one run of all where those are all rows of the
/// ofmap. Gathering takes a cycle a byte and one more a row. A burst is requested once all its beats are here, so write data
/// never waits; it ends with its run, after MaxBeats, or at a 4 KiB boundary. The tile's buffer is free again once it has been read.
`include "dla_assert.svh"
module dla_store
  import dla_pkg::*;
#(
  parameter int unsigned Lanes    = 1,
  parameter int unsigned BusBytes = 4,
  /// Longest burst, in beats; half of what the beat queue holds.
  parameter int unsigned MaxBeats = 16,
  /// Bursts that may wait for their response.
  parameter int unsigned MaxAnswers = 8,
  /// Dependent, do not override.
  localparam int unsigned LaneWidth = Lanes == 1 ? 1 : $clog2(Lanes),
  localparam int unsigned Pairs     = Lanes == 1 ? 1 : Lanes / 2,
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
  // GLB, a column a lane.
  output logic [Lanes-1:0]      glb_read_o,
  output logic [15:0]           glb_addr_o,
  input  logic [8*BusBytes-1:0] glb_data_i [Lanes],
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
  /// A burst was answered with an error, and its first address.
  output logic                  error_o,
  output logic [31:0]           error_addr_o,
  // Counted.
  output logic [4:0]            bytes_o,
  output logic                  burst_o
);
  // Numbers of tiles that are complete.
  logic        index_there, index_ready, tile_index, tile_done;
  tile_t       tile;
  logic [4:0]  tile_rows;      // to write: e, or half of it when pooling
  assign tile      = tiles_i[tile_index];
  assign tile_rows = tile.e >> layer_i.kernel.pool;
  dla_fifo #(.data_t(logic), .Depth(NumTiles)) u_tiles (
    .clk_i, .rst_ni, .clear_i,
    .in_valid_i(tile_valid_i), .in_ready_o(index_ready), .in_data_i(tile_index_i),
    .out_valid_o(index_there), .out_ready_i(tile_done), .out_data_o(tile_index)
  );

  // Gather: filter by filter, row by row, byte by byte.
  typedef enum logic [1:0] {Idle, Row, Bytes} state_e;
  state_e      state_q;
  logic [8:0]  filter_q;
  logic [5:0]  p_q;
  logic [4:0]  row_q;
  logic [12:0] col_q;
  logic [9:0]  set_first_q, index;   // psum of the slot: set * rows + row
  logic [15:0] byte_q;
  logic [31:0] run_addr_q, addr_q;
  logic        room, last_col, last_row, last_filter;
  assign last_col    = col_q + 1'b1 == derived_i.ofmap_cols;
  assign last_row    = row_q + 1'b1 == tile_rows;
  assign last_filter = filter_q + 1'b1 == tile.filters;
  assign index       = set_first_q + 10'(row_q);

  // The next filter's run begins where this one ends.
  logic contiguous;
  assign contiguous = 13'(tile_rows) == derived_i.E >> layer_i.kernel.pool;

  logic read;
  assign read      = state_q == Bytes && room && !stop_i;
  assign tile_done = read && last_col && last_row && last_filter;
  assign tile_release_o = tile_done;

  // Lane of the row in the tile, and its place there; pooled rows are in half of the lanes.
  logic [LaneWidth-1:0] lane, lane_q;
  logic [15:0]          row_index;
  assign lane       = LaneWidth'(32'(index) % (layer_i.kernel.pool ? Pairs : Lanes));
  assign row_index  = 16'(32'(index) / (layer_i.kernel.pool ? Pairs : Lanes));
  assign glb_read_o = Lanes'(read) << lane;
  assign glb_addr_o = (tile_index ? derived_i.out_tile_words : '0) + (byte_q >> BusShift);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= Idle;
    else if (clear_i) state_q <= Idle;
    else begin
      unique case (state_q)
        Idle:    if (index_there && !stop_i) state_q <= Row;
        Row:     state_q <= Bytes;
        default: if (read && last_col) state_q <= tile_done ? Idle : Row;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        filter_q    <= '0;
        p_q         <= '0;
        row_q       <= '0;
        set_first_q <= '0;
        run_addr_q  <= tile.ofmap_addr;
        addr_q      <= tile.ofmap_addr;
      end
      Row: begin
        byte_q <= 16'(row_index * tile.row_stride) + 16'(16'(p_q) * 16'(derived_i.ofmap_cols));
        col_q  <= '0;
      end
      default: begin
        if (read) begin
          byte_q <= byte_q + 1'b1;
          col_q  <= col_q + 1'b1;
          addr_q <= addr_q + 1'b1;
          if (last_col) begin
            row_q <= row_q + 1'b1;
            if (last_row) begin
              row_q      <= '0;
              filter_q   <= filter_q + 1'b1;
              run_addr_q <= run_addr_q + 32'(derived_i.ofmap_plane);
              addr_q     <= run_addr_q + 32'(derived_i.ofmap_plane);
              p_q        <= p_q + 1'b1;
              if (p_q + 1'b1 == tile.p) begin
                p_q         <= '0;
                set_first_q <= set_first_q + 10'(tile_rows);
              end
            end
          end
        end
      end
    endcase
  end

  // Assemble: the byte comes a cycle after its address, and joins its beat.
  typedef struct packed {
    logic [8*BusBytes-1:0] data;
    logic [BusBytes-1:0]   strobe;
  } beat_t;
  typedef struct packed {
    logic [31:0] addr;
    logic [7:0]  len;
  } burst_t;

  logic                valid_q, run_ends_q;
  logic [31:0]         byte_addr_q, burst_addr_q, burst_addr;
  logic [BusShift-1:0] select_q, at;
  beat_t               beat_q, beat;
  logic [7:0]          beats_q;
  logic                beat_done, burst_done;
  assign at = byte_addr_q[BusShift-1:0];
  always_comb begin
    beat = beat_q;
    beat.data[8*at+:8] = glb_data_i[lane_q][8*select_q+:8];
    beat.strobe[at]    = 1'b1;
  end
  assign beat_done  = valid_q && (run_ends_q || at == '1);
  assign burst_done = beat_done && (run_ends_q || beats_q + 1'b1 == 8'(MaxBeats) || byte_addr_q[11:0] == '1);
  assign burst_addr = beats_q == '0 ? {byte_addr_q[31:BusShift], BusShift'(0)} : burst_addr_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      beat_q  <= '0;
      beats_q <= '0;
    end else if (clear_i) begin
      valid_q <= 1'b0;
      beat_q  <= '0;
      beats_q <= '0;
    end else begin
      valid_q <= read;
      if (valid_q) beat_q <= beat_done ? '0 : beat;
      if (beat_done) beats_q <= burst_done ? '0 : beats_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    byte_addr_q <= addr_q;
    lane_q      <= lane;
    select_q    <= byte_q[BusShift-1:0];
    run_ends_q  <= last_col && last_row && (last_filter || !contiguous);
    if (beat_done) burst_addr_q <= burst_addr;
  end

  // Queues of whole bursts. `room` leaves space for the beats that are on their way.
  localparam int unsigned QueueBeats = 2 * MaxBeats;
  logic   beats_ready, beat_there, beat_taken, bursts_ready, burst_there, burst_taken;
  beat_t  out_beat;
  burst_t new_burst, out_burst;
  assign new_burst = '{addr: burst_addr, len: beats_q};
  logic [$clog2(QueueBeats):0] queued_q;
  dla_fifo #(.data_t(beat_t), .Depth(QueueBeats)) u_beats (
    .clk_i, .rst_ni, .clear_i,
    .in_valid_i(beat_done), .in_ready_o(beats_ready), .in_data_i(beat),
    .out_valid_o(beat_there), .out_ready_i(beat_taken), .out_data_o(out_beat)
  );
  dla_fifo #(.data_t(burst_t), .Depth(QueueBeats)) u_bursts (
    .clk_i, .rst_ni, .clear_i,
    .in_valid_i(burst_done), .in_ready_o(bursts_ready), .in_data_i(new_burst),
    .out_valid_o(burst_there), .out_ready_i(burst_taken), .out_data_o(out_burst)
  );
  assign room = 32'(queued_q) + 2 <= QueueBeats;

  // Requests that are not answered yet, oldest first.
  logic        answers_room, answer_due;
  logic [31:0] answer_addr;
  dla_fifo #(.data_t(logic [31:0]), .Depth(MaxAnswers)) u_answers (
    .clk_i, .rst_ni, .clear_i,
    .in_valid_i(burst_o), .in_ready_o(answers_room), .in_data_i(awaddr_o),
    .out_valid_o(answer_due), .out_ready_i(bvalid_i), .out_data_o(answer_addr)
  );

  // Send: address, then beats.
  typedef enum logic [1:0] {Quiet, Address, Data} send_e;
  send_e      send_q;
  logic [7:0] sent_q;
  logic       last_q;     // the last tile has been gathered
  assign awvalid_o   = send_q == Address && answers_room;
  assign awaddr_o    = out_burst.addr;
  assign awlen_o     = out_burst.len;
  assign wvalid_o    = send_q == Data;
  assign wdata_o     = out_beat.data;
  assign wstrb_o     = out_beat.strobe;
  assign wlast_o     = sent_q == out_burst.len;
  assign beat_taken  = wvalid_o && wready_i;
  assign burst_taken = beat_taken && wlast_o;
  assign burst_o     = awvalid_o && awready_i;
  assign bready_o    = 1'b1;
  assign error_o     = bvalid_i && berror_i;
  assign error_addr_o = answer_addr;
  assign bytes_o     = beat_taken ? 5'($countones(wstrb_o)) : '0;
  assign idle_o      = send_q == Quiet && !answer_due;
  assign done_o      = last_q && idle_o && !burst_there && !valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      send_q   <= Quiet;
      sent_q   <= '0;
      queued_q <= '0;
      last_q   <= 1'b0;
    end else begin
      if (clear_i) begin
        queued_q <= '0;
        last_q   <= 1'b0;
      end else begin
        queued_q <= queued_q + ($clog2(QueueBeats) + 1)'(beat_done) - ($clog2(QueueBeats) + 1)'(beat_taken);
        if (tile_done && tile.last) last_q <= 1'b1;
      end
      unique case (send_q)
        Quiet:   if (burst_there && !stop_i && !clear_i) send_q <= Address;
        Address: if (burst_o) send_q <= Data;
        default: begin
          if (beat_taken) begin
            sent_q <= wlast_o ? '0 : sent_q + 1'b1;
            if (wlast_o) send_q <= Quiet;
          end
        end
      endcase
    end
  end

  `DLA_ASSERT(TileHasRoom, tile_valid_i |-> index_ready)
  `DLA_ASSERT(BeatHasRoom, beat_done |-> beats_ready && bursts_ready)
  `DLA_ASSERT(BeatIsThere, wvalid_o |-> beat_there)
  `DLA_ASSERT(AnswerBelongsToABurst, bvalid_i |-> answer_due)
endmodule
