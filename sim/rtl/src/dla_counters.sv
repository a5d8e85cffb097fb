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
  counters_t c;
  assign c = counters_o;
  logic any_cause;
  assign any_cause = compute_i || psum_i || filter_i || ifmap_i || dram_i || output_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      counters_o <= '0;
    end else if (start_i) begin
      counters_o <= '0;
    end else if (busy_i) begin
      counters_o.cycles            <= c.cycles + 1;
      counters_o.compute_cycles    <= c.compute_cycles + 32'(compute_i);
      counters_o.psum_cycles       <= c.psum_cycles + 32'(psum_i);
      counters_o.filter_cycles     <= c.filter_cycles + 32'(filter_i);
      counters_o.ifmap_cycles      <= c.ifmap_cycles + 32'(ifmap_i);
      counters_o.dram_cycles       <= c.dram_cycles + 32'(dram_i);
      counters_o.output_cycles     <= c.output_cycles + 32'(output_i);
      counters_o.control_cycles    <= c.control_cycles + 32'(!any_cause);
      counters_o.ifmap_read_bytes  <= c.ifmap_read_bytes + (ifmap_beat_i ? BusBytes : 0);
      counters_o.filter_read_bytes <= c.filter_read_bytes + (filter_beat_i ? BusBytes : 0);
      counters_o.write_bytes       <= c.write_bytes + 32'(write_bytes_i);
      counters_o.read_bursts       <= c.read_bursts + 32'(read_burst_i);
      counters_o.write_bursts      <= c.write_bursts + 32'(write_burst_i);
      counters_o.glb_read_words    <= c.glb_read_words + 32'(glb_reads_i);
      counters_o.glb_write_words   <= c.glb_write_words + 32'(glb_writes_i);
      counters_o.passes            <= c.passes + 32'(pass_i);
    end
  end

  `DLA_ASSERT(OneCause, $onehot0({compute_i, psum_i, filter_i, ifmap_i, dram_i, output_i}))
endmodule
