// SPDX-License-Identifier: Apache-2.0
/// Moves chunks from DRAM to the GLB: AXI4 reads, in the order of the jobs, several bursts in flight.
///
/// A job waits until its buffer has been released; from then on nothing on the read side waits, so `rready` is always
/// high. Runs keep the byte alignment that they have in DRAM, so a beat is a GLB word. Channel j of an ifmap buffer is
/// in column j % IfmapColumns of the ifmap region, plane j / IfmapColumns; the beats of a residual's runs lie one
/// behind another.
`include "dla_assert.svh"
module dla_load
  import dla_pkg::*;
#(
  parameter int unsigned BusBytes      = 4,
  /// Columns of the GLB's regions.
  parameter int unsigned IfmapColumns  = 4,
  parameter int unsigned FilterColumns = 1,
  /// Longest burst, in beats.
  parameter int unsigned MaxBeats      = 64,
  /// Dependent, do not override.
  localparam int unsigned BusShift    = $clog2(BusBytes),
  localparam int unsigned ColumnShift = $clog2(IfmapColumns),
  localparam int unsigned ColumnWidth = IfmapColumns == 1 ? 1 : ColumnShift
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  /// Forgets jobs and tokens; only when idle_o. With keep_i, only tokens, and those of filters are kept: the layer that
  /// begins has them already.
  input  logic                  clear_i,
  input  logic                  keep_i,
  /// Filters of the next layer come; those of this one are no longer told of.
  input  logic                  ahead_i,
  /// Starts no further burst.
  input  logic                  stop_i,
  /// No burst is under way.
  output logic                  idle_o,
  input  layer_t                layer_i,
  input  derived_t              derived_i,
  input  logic                  job_valid_i,
  output logic                  job_ready_o,
  input  load_job_t             job_i,
  // Tokens: a buffer was released; a chunk is complete.
  input  logic                  ifmap_release_i,
  input  logic                  filter_release_i,
  output logic                  ifmap_loaded_o,
  output logic                  filter_loaded_o,
  input  logic                  residual_release_i,
  output logic                  residual_loaded_o,
  // AXI4 read channels.
  output logic                  arvalid_o,
  input  logic                  arready_i,
  output logic [31:0]           araddr_o,
  output logic [7:0]            arlen_o,
  input  logic                  rvalid_i,
  output logic                  rready_o,
  input  logic [8*BusBytes-1:0] rdata_i,
  input  logic                  rerror_i,
  input  logic                  rlast_i,
  /// A beat was answered with an error, and its address.
  output logic                  error_o,
  output logic [31:0]           error_addr_o,
  // GLB: the column that takes the word.
  output logic [IfmapColumns-1:0]  glb_ifmap_write_o,
  output logic [FilterColumns-1:0] glb_filter_write_o,
  output logic                  glb_residual_write_o,
  /// A table's word goes to where outputs are looked up.
  output logic                  table_write_o,
  output logic [15:0]           glb_addr_o,
  output logic [8*BusBytes-1:0] glb_data_o,
  // Counted.
  output logic                  ifmap_beat_o,
  output logic                  filter_beat_o,
  output logic                  residual_beat_o,
  output logic                  burst_o
);
  typedef enum logic [1:0] {Idle, Run, Burst} state_e;
  state_e state_q;

  typedef struct packed {
    logic        is_filter;
    logic        is_table;
    logic        is_residual;
    logic        last;      // of the job
    logic [31:0] addr;
    logic [ColumnWidth-1:0] column;
    logic [15:0] glb_addr;
  } burst_t;

  load_job_t   job_q;
  logic [12:0] channel_q;            // of the job
  logic [ColumnWidth-1:0] column_q;  // it goes to
  logic [31:0] run_addr_q, addr_q;   // of the channel; of the burst
  logic [23:0] beats_left_q;
  logic [15:0] glb_q, plane_base_q, run_glb;

  // Tokens: buffers taken and not released.
  logic [15:0] ifmap_taken_q;
  logic [7:0]  filter_taken_q;
  logic [1:0]  residual_taken_q;
  logic        buffer_free, takes, takes_ifmap, takes_filter, takes_residual;
  always_comb begin
    if (job_i.is_table) buffer_free = 1'b1;
    else if (job_i.is_filter) buffer_free = filter_taken_q != layer_i.map_loop.filter_buffers;
    else if (job_i.is_residual) buffer_free = residual_taken_q != 2'(NumTiles);
    else buffer_free = ifmap_taken_q != derived_i.ifmap_buffers;
  end
  assign takes          = job_valid_i && job_ready_o;
  assign takes_filter   = takes && job_i.is_filter && !job_i.is_table;
  assign takes_residual = takes && job_i.is_residual;
  assign takes_ifmap    = takes && !job_i.is_filter && !job_i.is_residual;
  assign job_ready_o = state_q == Idle && buffer_free && !stop_i;

  // First GLB word of a run, in its column.
  assign run_glb = job_q.glb_base + plane_base_q;

  // Length of the next burst: not beyond the run, the longest burst, or a 4 KiB boundary.
  logic [10:0] to_boundary;
  logic [7:0]  beats;
  assign to_boundary = 11'((13'h1000 - 13'(addr_q[11:0])) >> BusShift);
  always_comb begin
    beats = 8'(MaxBeats);
    if (beats_left_q < 24'(MaxBeats)) beats = 8'(beats_left_q);
    if (to_boundary < 11'(beats)) beats = 8'(to_boundary);
  end

  logic   last_burst, room, burst_valid;
  burst_t burst, current;
  assign last_burst = beats_left_q == 24'(beats) && channel_q + 1'b1 == job_q.count;
  assign burst      = '{is_filter: job_q.is_filter, is_table: job_q.is_table, is_residual: job_q.is_residual,
                        last: last_burst, addr: addr_q, column: column_q, glb_addr: glb_q};
  assign arvalid_o  = state_q == Burst && room;
  assign araddr_o   = addr_q;
  assign arlen_o    = beats - 1'b1;
  assign burst_o    = arvalid_o && arready_i;

  dla_fifo #(.data_t(burst_t), .Depth(8)) u_bursts (
    .clk_i, .rst_ni, .clear_i(clear_i && !keep_i),
    .in_valid_i(burst_o), .in_ready_o(room), .in_data_i(burst),
    .out_valid_o(burst_valid), .out_ready_i(rvalid_i && rlast_i), .out_data_o(current)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Idle;
    end else if (clear_i && !keep_i) begin
      state_q <= Idle;
    end else begin
      unique case (state_q)
        Idle: if (job_valid_i && job_ready_o) state_q <= Run;
        Run:  state_q <= stop_i ? Idle : Burst;
        Burst: begin
          if (burst_o) begin
            if (stop_i || last_burst) state_q <= Idle;
            else if (beats_left_q == 24'(beats)) state_q <= Run;
          end
        end
        default: state_q <= Idle;
      endcase
    end
  end

  logic [31:0] run_end;
  assign run_end = run_addr_q + 32'(job_q.bytes) + 32'(BusBytes - 1);

  always_ff @(posedge clk_i) begin
    unique case (state_q)
      Idle: begin
        job_q        <= job_i;
        run_addr_q   <= job_i.addr;
        channel_q    <= '0;
        column_q    <= IfmapColumns == 1 ? '0 : ColumnWidth'(job_i.channel);
        plane_base_q <= 16'((job_i.channel >> ColumnShift) * derived_i.plane_words);
      end
      Run: begin
        addr_q       <= {run_addr_q[31:BusShift], BusShift'(0)};
        beats_left_q <= 24'((run_end >> BusShift) - (run_addr_q >> BusShift));
        // The beats of a residual follow each other, whatever run they are of.
        if (!job_q.is_residual || channel_q == '0) glb_q <= run_glb;
      end
      Burst: begin
        if (burst_o) begin
          addr_q       <= addr_q + (32'(beats) << BusShift);
          beats_left_q <= beats_left_q - 24'(beats);
          glb_q        <= glb_q + 16'(beats);
          if (beats_left_q == 24'(beats)) begin
            channel_q  <= channel_q + 1'b1;
            run_addr_q <= run_addr_q + (job_q.is_residual ? 32'(derived_i.residual_stride)
                                                          : 32'(derived_i.ifmap_plane));
            column_q  <= IfmapColumns == 1 ? '0 : column_q + 1'b1;
            if (IfmapColumns == 1 || &column_q) plane_base_q <= plane_base_q + derived_i.plane_words;
          end
        end
      end
      default: ;
    endcase
  end

  // Beats come back in order; each goes straight to its word.
  logic [7:0] beat_q;
  logic [15:0] glb_word;  // of the region, for filters; of the column, for ifmaps
  logic       beat;
  assign rready_o      = 1'b1;
  assign beat          = rvalid_i && rready_o;
  assign error_o       = beat && rerror_i;
  assign error_addr_o  = current.addr + (32'(beat_q) << BusShift);
  logic       is_ifmap;
  assign is_ifmap      = !current.is_filter && !current.is_residual;
  assign glb_ifmap_write_o  = IfmapColumns'(beat && burst_valid && is_ifmap) << current.column;
  assign table_write_o = beat && burst_valid && current.is_table;
  assign glb_filter_write_o = FilterColumns'(beat && burst_valid && current.is_filter && !current.is_table) <<
                              (32'(glb_word) % FilterColumns);
  assign glb_residual_write_o = beat && burst_valid && current.is_residual;
  assign glb_word      = current.glb_addr + 16'(beat_q);
  assign glb_addr_o    = current.is_filter && !current.is_table ? glb_word / 16'(FilterColumns) : glb_word;
  assign glb_data_o    = rdata_i;
  assign ifmap_beat_o  = beat && is_ifmap;
  assign residual_beat_o = beat && current.is_residual;
  assign filter_beat_o = beat && current.is_filter;
  assign idle_o        = state_q == Idle && !burst_valid;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q          <= '0;
      ifmap_taken_q   <= '0;
      filter_taken_q  <= '0;
      ifmap_loaded_o  <= 1'b0;
      filter_loaded_o <= 1'b0;
      residual_taken_q  <= '0;
      residual_loaded_o <= 1'b0;
    end else begin
      ifmap_loaded_o  <= beat && rlast_i && current.last && is_ifmap;
      residual_loaded_o <= beat && rlast_i && current.last && current.is_residual;
      filter_loaded_o <= beat && rlast_i && current.last && current.is_filter && !current.is_table;
      if (beat) beat_q <= rlast_i ? '0 : beat_q + 1'b1;
      if ((clear_i && !keep_i) || ahead_i) filter_taken_q <= '0;
      else filter_taken_q <= filter_taken_q + 8'(takes_filter) - 8'(filter_release_i);
      if (clear_i) begin
        ifmap_taken_q  <= '0;
        residual_taken_q <= '0;
      end else begin
        ifmap_taken_q  <= ifmap_taken_q + 16'(takes_ifmap) - 16'(ifmap_release_i);
        residual_taken_q <= residual_taken_q + 2'(takes_residual) - 2'(residual_release_i);
      end
    end
  end

  `DLA_ASSERT(KeepsFiltersOnly, clear_i && keep_i |-> !takes_ifmap && !takes_residual)
  `DLA_ASSERT(BeatBelongsToABurst, rvalid_i |-> burst_valid)
endmodule
