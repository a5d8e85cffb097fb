// SPDX-License-Identifier: Apache-2.0
/// Counts a layer's cycles by cause, its traffic and its passes, from START to DONE, or in a list from the end of the
/// one before it. Each cycle has exactly one cause.
`include "dla_assert.svh"
module dla_counters
  import dla_regs_pkg::*;
#(
  parameter int unsigned BusBytes = 4,
  /// Of the words that the GLB moves in a cycle.
  parameter int unsigned GlbWidth = 4
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       start_i,
  /// What is loaded, and what filters are read, is of the layer behind, which start_i is of: it counts with that one's.
  input  logic       early_i,
  /// Cycles that the layer has waited in a list: counted with its own, as control's.
  input  logic [31:0] waited_i,
  input  logic       busy_i,
  // Cause of this cycle; none means control.
  input  logic       compute_i,
  input  logic       psum_i,
  input  logic       filter_i,
  input  logic       ifmap_i,
  input  logic       dram_i,
  input  logic       output_i,
  // Traffic.
  input  logic       ifmap_beat_i,
  input  logic       filter_beat_i,
  input  logic       residual_beat_i,
  input  logic [5:0] write_bytes_i,
  input  logic       read_burst_i,
  input  logic       write_burst_i,
  input  logic [GlbWidth-1:0] filter_reads_i,   // among those of the GLB
  input  logic [GlbWidth-1:0] glb_reads_i,
  input  logic [GlbWidth-1:0] glb_writes_i,
  input  logic       pass_i,
  output counters_t  counters_o
);
  logic any_cause;
  assign any_cause = compute_i || psum_i || filter_i || ifmap_i || dram_i || output_i;

  // What a cycle brought is summed up a cycle later, since causes are late; what is read has it at once.
  typedef struct packed {
    logic                busy;
    logic                compute;
    logic                psum;
    logic                filter;
    logic                ifmap;
    logic                dram;
    logic                out;
    logic                control;
    logic                ifmap_beat;
    logic                filter_beat;
    logic                residual_beat;
    logic [5:0]          write_bytes;
    logic                read_burst;
    logic                write_burst;
    logic [GlbWidth-1:0] glb_reads;
    logic [GlbWidth-1:0] glb_writes;
    logic                pass;
  } cycle_t;
  cycle_t    last_q;
  counters_t count_q;

  // Of the layer behind, up to this cycle. Its filters are all that is written to the GLB's filter region.
  logic [15:0] early_beats_q, early_beats, early_reads_q, early_reads;
  logic [15:0] early_bursts_q, early_bursts;
  assign early_beats  = early_i ? early_beats_q + 16'(filter_beat_i) : '0;
  assign early_reads  = early_i ? early_reads_q + 16'(filter_reads_i) : '0;
  assign early_bursts = early_i ? early_bursts_q + 16'(read_burst_i) : '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      early_beats_q  <= '0;
      early_reads_q  <= '0;
      early_bursts_q <= '0;
    end else begin
      early_beats_q  <= early_beats;
      early_reads_q  <= early_reads;
      early_bursts_q <= early_bursts;
    end
  end

  always_comb begin
    counters_o = count_q;
    if (last_q.busy) begin
      counters_o.cycles            = count_q.cycles + 1;
      counters_o.compute_cycles    = count_q.compute_cycles + 32'(last_q.compute);
      counters_o.psum_cycles       = count_q.psum_cycles + 32'(last_q.psum);
      counters_o.filter_cycles     = count_q.filter_cycles + 32'(last_q.filter);
      counters_o.ifmap_cycles      = count_q.ifmap_cycles + 32'(last_q.ifmap);
      counters_o.dram_cycles       = count_q.dram_cycles + 32'(last_q.dram);
      counters_o.output_cycles     = count_q.output_cycles + 32'(last_q.out);
      counters_o.control_cycles    = count_q.control_cycles + 32'(last_q.control);
      counters_o.ifmap_read_bytes  = count_q.ifmap_read_bytes + (last_q.ifmap_beat ? BusBytes : 0);
      counters_o.filter_read_bytes = count_q.filter_read_bytes + (last_q.filter_beat ? BusBytes : 0);
      counters_o.residual_read_bytes = count_q.residual_read_bytes + (last_q.residual_beat ? BusBytes : 0);
      counters_o.write_bytes       = count_q.write_bytes + 32'(last_q.write_bytes);
      counters_o.read_bursts       = count_q.read_bursts + 32'(last_q.read_burst);
      counters_o.write_bursts      = count_q.write_bursts + 32'(last_q.write_burst);
      counters_o.glb_read_words    = count_q.glb_read_words + 32'(last_q.glb_reads);
      counters_o.glb_write_words   = count_q.glb_write_words + 32'(last_q.glb_writes);
      counters_o.passes            = count_q.passes + 32'(last_q.pass);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_q  <= '0;
      count_q <= '0;
    end else if (start_i) begin
      last_q  <= '0;
      count_q <= '0;
      count_q.cycles         <= waited_i;
      count_q.control_cycles <= waited_i;
      count_q.filter_read_bytes <= 32'(early_beats) * BusBytes;
      count_q.glb_read_words    <= 32'(early_reads);
      count_q.glb_write_words   <= 32'(early_beats);
      count_q.read_bursts       <= 32'(early_bursts);
    end else begin
      last_q <= '{busy: busy_i, compute: compute_i, psum: psum_i, filter: filter_i, ifmap: ifmap_i, dram: dram_i,
                  out: output_i, control: !any_cause, ifmap_beat: ifmap_beat_i, filter_beat: filter_beat_i && !early_i,
                  residual_beat: residual_beat_i,
                  write_bytes: write_bytes_i, read_burst: read_burst_i && !early_i, write_burst: write_burst_i,
                  glb_reads: glb_reads_i - (early_i ? filter_reads_i : '0),
                  glb_writes: glb_writes_i - GlbWidth'(early_i && filter_beat_i), pass: pass_i};
      if (last_q.busy) count_q <= counters_o;
    end
  end

  `DLA_ASSERT(OneCause, $onehot0({compute_i, psum_i, filter_i, ifmap_i, dram_i, output_i}))
  `DLA_ASSERT(CausesAddUp, count_q.cycles == count_q.compute_cycles + count_q.psum_cycles + count_q.filter_cycles +
                                             count_q.ifmap_cycles + count_q.dram_cycles + count_q.output_cycles +
                                             count_q.control_cycles)
endmodule
