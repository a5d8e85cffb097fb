// SPDX-License-Identifier: Apache-2.0
/// Counts a layer's cycles by cause, its traffic and its passes, from START to DONE. Each cycle has exactly one cause.
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
  input  logic [4:0] write_bytes_i,
  input  logic       read_burst_i,
  input  logic       write_burst_i,
  input  logic [GlbWidth-1:0] glb_reads_i,
  input  logic [GlbWidth-1:0] glb_writes_i,
  input  logic       pass_i,
  output counters_t  counters_o
);
  // The GLB's words, which many banks say together, are summed up a cycle later; what is read has them at once.
  counters_t           count_q;
  logic [GlbWidth-1:0] glb_reads_q, glb_writes_q;
  always_comb begin
    counters_o = count_q;
    counters_o.glb_read_words  = count_q.glb_read_words + 32'(glb_reads_q);
    counters_o.glb_write_words = count_q.glb_write_words + 32'(glb_writes_q);
  end

  logic any_cause;
  assign any_cause = compute_i || psum_i || filter_i || ifmap_i || dram_i || output_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q      <= '0;
      glb_reads_q  <= '0;
      glb_writes_q <= '0;
    end else if (start_i) begin
      count_q      <= '0;
      glb_reads_q  <= '0;
      glb_writes_q <= '0;
    end else begin
      count_q.glb_read_words  <= counters_o.glb_read_words;
      count_q.glb_write_words <= counters_o.glb_write_words;
      glb_reads_q             <= busy_i ? glb_reads_i : '0;
      glb_writes_q            <= busy_i ? glb_writes_i : '0;
      if (busy_i) begin
        count_q.cycles            <= count_q.cycles + 1;
        count_q.compute_cycles    <= count_q.compute_cycles + 32'(compute_i);
        count_q.psum_cycles       <= count_q.psum_cycles + 32'(psum_i);
        count_q.filter_cycles     <= count_q.filter_cycles + 32'(filter_i);
        count_q.ifmap_cycles      <= count_q.ifmap_cycles + 32'(ifmap_i);
        count_q.dram_cycles       <= count_q.dram_cycles + 32'(dram_i);
        count_q.output_cycles     <= count_q.output_cycles + 32'(output_i);
        count_q.control_cycles    <= count_q.control_cycles + 32'(!any_cause);
        count_q.ifmap_read_bytes  <= count_q.ifmap_read_bytes + (ifmap_beat_i ? BusBytes : 0);
        count_q.filter_read_bytes <= count_q.filter_read_bytes + (filter_beat_i ? BusBytes : 0);
        count_q.write_bytes       <= count_q.write_bytes + 32'(write_bytes_i);
        count_q.read_bursts       <= count_q.read_bursts + 32'(read_burst_i);
        count_q.write_bursts      <= count_q.write_bursts + 32'(write_burst_i);
        count_q.passes            <= count_q.passes + 32'(pass_i);
      end
    end
  end

  `DLA_ASSERT(OneCause, $onehot0({compute_i, psum_i, filter_i, ifmap_i, dram_i, output_i}))
  `DLA_ASSERT(CausesAddUp, count_q.cycles == count_q.compute_cycles + count_q.psum_cycles + count_q.filter_cycles +
                                             count_q.ifmap_cycles + count_q.dram_cycles + count_q.output_cycles +
                                             count_q.control_cycles)
endmodule
