// SPDX-License-Identifier: Apache-2.0
/// The life of a layer: check, configure the array, run, and on an error or a reset let the bursts end.
///
/// Where the watchdog expires, the layer ends at once; the bursts that are still out end in `Late`, without a layer.
`include "dla_assert.svh"
module dla_control
  import dla_regs_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  /// Only while neither busy_o nor draining_o.
  input  logic        start_i,
  input  logic        reset_i,
  output logic        busy_o,
  /// Bursts of a layer that has ended are still out.
  output logic        draining_o,
  output logic        done_o,
  output logic        failed_o,
  output dla_error_e  cause_o,
  /// Where the bus answered with an error; 0 for other causes.
  output logic [31:0] error_addr_o,
  /// The layer's last cycle: done, failed, or dropped.
  output logic        ended_o,
  // Setup and array configuration.
  output logic        setup_start_o,
  input  logic        setup_done_i,
  input  dla_error_e  setup_error_i,
  output logic        configure_o,
  input  logic        configured_i,
  // Units.
  output logic        clear_o,
  output logic        units_start_o,
  output logic        running_o,
  output logic        stop_o,
  input  logic        bursts_idle_i,
  input  logic        read_error_i,
  input  logic [31:0] read_error_addr_i,
  input  logic        write_error_i,
  input  logic [31:0] write_error_addr_i,
  input  logic        layer_done_i,
  // Watchdog.
  output logic        watched_o,
  input  logic        expired_i
);
  typedef enum logic [2:0] {Idle, Setup, Configure, Clear, Start, Run, Drain, Late} state_e;
  state_e      state_q;
  dla_error_e  cause_q;  // ErrorNone: a reset, which reports nothing
  logic [31:0] error_addr_q;

  logic stuck, drained;
  assign stuck   = state_q == Run && expired_i && !reset_i && !layer_done_i;
  assign drained = (state_q == Drain || state_q == Late) && bursts_idle_i;

  assign busy_o        = state_q != Idle && state_q != Late;
  assign draining_o    = state_q == Late;
  assign setup_start_o = state_q == Idle && start_i;
  assign clear_o       = state_q == Clear || (state_q == Setup && reset_i) || drained;
  assign units_start_o = state_q == Start;
  assign running_o     = state_q == Run;
  assign watched_o     = state_q == Run || state_q == Drain;
  assign stop_o        = state_q == Drain || state_q == Late;
  assign done_o        = state_q == Run && layer_done_i && !read_error_i && !write_error_i && !reset_i;
  assign failed_o      = (state_q == Setup && setup_done_i && !reset_i && setup_error_i != ErrorNone) || stuck ||
                         (state_q == Drain && (bursts_idle_i || expired_i) && cause_q != ErrorNone && !reset_i);
  assign cause_o       = state_q == Setup ? setup_error_i : state_q == Run ? ErrorWatchdog : cause_q;
  assign error_addr_o  = state_q == Drain ? error_addr_q : '0;
  assign ended_o       = done_o || failed_o || (state_q == Setup && reset_i) ||
                         (state_q == Drain && (bursts_idle_i || expired_i));
  assign configure_o   = state_q == Setup && setup_done_i && setup_error_i == ErrorNone;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= Idle;
      cause_q      <= ErrorNone;
      error_addr_q <= '0;
    end else begin
      unique case (state_q)
        Idle:      if (start_i) state_q <= Setup;
        Setup:     if (reset_i) state_q <= Idle; else if (setup_done_i) state_q <= setup_error_i != ErrorNone ? Idle : Configure;
        Configure: if (configured_i) state_q <= Clear;
        Clear:     state_q <= Start;
        Start:     state_q <= Run;
        Run: begin
          cause_q      <= reset_i ? ErrorNone : read_error_i ? ErrorBusRead : write_error_i ? ErrorBusWrite : ErrorNone;
          error_addr_q <= read_error_i ? read_error_addr_i : write_error_addr_i;
          if (reset_i || read_error_i || write_error_i) state_q <= Drain;
          else if (layer_done_i) state_q <= Idle;
          else if (expired_i) state_q <= Late;
        end
        Drain: begin
          if (reset_i) cause_q <= ErrorNone;
          if (bursts_idle_i) state_q <= Idle;
          else if (expired_i) state_q <= Late;
        end
        default: if (bursts_idle_i) state_q <= Idle;
      endcase
      // The units have not started yet: nothing to wait for, but they are cleared on the same way.
      if (reset_i && state_q inside {Configure, Clear, Start}) begin
        state_q <= Drain;
        cause_q <= ErrorNone;
      end
    end
  end

  `DLA_ASSERT(StartIsOfAnIdleDevice, start_i |-> !busy_o)
  `DLA_ASSERT(LayerEndsOneWay, !(done_o && failed_o))
  `DLA_ASSERT(EndedMeansIdle, ended_o |=> !busy_o)
endmodule
