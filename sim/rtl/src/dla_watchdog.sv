// SPDX-License-Identifier: Apache-2.0
/// Says that nothing has gone on for too long: in the last of `limit_i` cycles in a row without progress.
`include "dla_assert.svh"
module dla_watchdog (
  input  logic        clk_i,
  input  logic        rst_ni,
  /// 0: never.
  input  logic [31:0] limit_i,
  /// There is something to go on.
  input  logic        active_i,
  /// It went on in this cycle.
  input  logic        progress_i,
  output logic        expired_o
);
  logic [31:0] left_q;
  assign expired_o = active_i && !progress_i && left_q == 32'd1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else if (!active_i || progress_i) left_q <= limit_i;
    else if (left_q != '0) left_q <= left_q - 1'b1;
  end

  `DLA_ASSERT(NoLimitIsNeverReached, expired_o |-> limit_i != '0)
  `DLA_ASSERT(TheCountStaysWithinTheLimit, $stable(limit_i) |-> left_q <= limit_i)
endmodule
