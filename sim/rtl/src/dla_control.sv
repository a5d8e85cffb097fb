// SPDX-License-Identifier: Apache-2.0
/// The life of a layer: check, configure the array, run, and on an error or a reset let the bursts end; and of a list
/// of them, one after another.
///
/// Where the watchdog expires, the layer ends at once; the bursts that are still out end in `Late`, without a layer.
/// In a list, the next entry is fetched and checked once all loads of the layer that runs have been made. Then its
/// first filters are loaded, and follow those of the layer that runs to the PEs. The array learns its places once it
/// has made the last output. When the layer has ended, the next one begins, and beside it the record is written. Its
/// cycles count from the end of the one before it.
`include "dla_assert.svh"
module dla_control
  import dla_regs_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  /// Only while neither busy_o nor draining_o: one layer, or a list.
  input  logic        start_i,
  input  logic        list_start_i,
  input  logic        reset_i,
  output logic        busy_o,
  /// Bursts of a layer that has ended are still out.
  output logic        draining_o,
  output logic        done_o,
  output logic        failed_o,
  output dla_error_e  cause_o,
  /// Where the bus answered with an error; 0 for other causes.
  output logic [31:0] error_addr_o,
  /// The first cycle before a layer's own, and its last: done, failed, or dropped.
  output logic        begins_o,
  output logic        ended_o,
  /// The cycles that a layer has waited since the one before it ended.
  output logic [31:0] waited_o,
  /// This cycle is one of the layer's.
  output logic        counts_o,
  // Setup and array configuration.
  output logic        setup_start_o,
  input  logic        setup_done_i,
  input  dla_error_e  setup_error_i,
  /// The array is to learn its places, of the command that was checked last; it has.
  output logic        place_o,
  input  logic        placed_i,
  /// The command that was checked last is the layer's from now on.
  output logic        configure_o,
  /// Its first filters may be loaded before: there is room for them.
  input  logic        may_prefetch_i,
  /// They are to be.
  output logic        prefetch_o,
  /// They are or have been, and the layer has not started.
  output logic        prefetches_o,
  /// Of the layer that runs: what is queued of the next one has the other.
  output logic        turn_o,
  /// What is loaded is of a layer that has not begun.
  output logic        early_o,
  // Units. With keep_o, clear_o leaves what is loaded to the layer that starts.
  output logic        clear_o,
  output logic        keep_o,
  output logic        units_start_o,
  output logic        running_o,
  output logic        stop_o,
  input  logic        bursts_idle_i,
  /// All loads of the layer have been made.
  input  logic        loads_done_i,
  /// Its last output leaves the array; has left it before.
  input  logic        last_output_i,
  output logic        array_free_o,
  input  logic        read_error_i,
  input  logic [31:0] read_error_addr_i,
  input  logic        write_error_i,
  input  logic [31:0] write_error_addr_i,
  input  logic        layer_done_i,
  // List.
  input  logic [15:0] list_limit_i,
  output logic [15:0] list_layer_o,
  output logic        fetch_o,
  output logic        fetch_first_o,
  input  logic        fetched_i,
  input  dla_error_e  fetch_cause_i,
  input  logic [31:0] fetch_error_addr_i,
  output logic        advance_o,
  input  logic        has_next_i,
  input  logic        has_record_i,
  output logic        record_o,
  /// From the cycle behind record_o to that of the answer.
  input  logic        recording_i,
  /// The answer says error.
  input  logic        record_error_i,
  input  logic [31:0] record_addr_i,
  // Watchdog.
  output logic        watched_o,
  input  logic        expired_i
);
  typedef enum logic [3:0] {Idle, Setup, Configure, Clear, Start, Run, Drain, Late, Fetch, Next} state_e;
  state_e      state_q;
  dla_error_e  cause_q;  // ErrorNone: a reset, which reports nothing
  logic [31:0] error_addr_q;

  // Of a list: the layer's number, and what has become of the entry behind it.
  typedef enum logic [1:0] {Unasked, Fetching, Checking, Checked} ahead_e;
  logic        list_q;
  logic        layer_q;   // from the cycle behind begins_o to that of ended_o
  logic [15:0] number_q, next_number;
  logic [31:0] waited_q;
  ahead_e      ahead_q;
  dla_error_e  ahead_cause_q;
  logic        array_free_q;  // of the layer that runs
  logic        place_asked_q;
  // Of the first filters of the layer behind: they are loaded before it starts, or before it begins;
  // a beat has said error.
  logic        prefetches_q, early_q, prefetch_failed_q;
  logic        turn_q;
  logic        too_long, ahead_fetched, ahead_fits, goes_on, ends, next_fails;
  assign next_number   = number_q + 1'b1;
  assign too_long      = next_number >= list_limit_i;
  assign ahead_fetched = ahead_q == Fetching && fetched_i;
  assign ahead_fits    = ahead_q == Checked && ahead_cause_q == ErrorNone;
  assign ends          = state_q == Next && !has_next_i && !recording_i;
  assign next_fails    = state_q == Next && has_next_i && !recording_i &&
                         (too_long || (ahead_q == Checked && ahead_cause_q != ErrorNone));
  assign goes_on       = state_q == Next && has_next_i && !too_long && ahead_fits && !reset_i && !record_error_i;

  // The first entry of a list is there.
  logic       first_fetched;
  dla_error_e first_cause;
  assign first_fetched = state_q == Fetch && fetched_i;
  assign first_cause   = fetch_cause_i != ErrorNone ? fetch_cause_i : list_limit_i == '0 ? ErrorListTooLong : ErrorNone;

  logic may_expire, stuck, drained, first_fails, list_moves;
  assign list_moves   = ahead_q == Fetching || recording_i;
  assign may_expire   = (state_q == Run && !layer_done_i) || (state_q == Fetch && !fetched_i) ||
                        (state_q == Next && list_moves);
  // Errors of beats that came before the layer started end it when it has; so do those of its own beats.
  logic late_error, read_fails;
  assign late_error   = state_q == Run && prefetch_failed_q && !prefetches_q;
  assign read_fails   = late_error || (read_error_i && !prefetches_q);
  assign stuck        = may_expire && expired_i && !reset_i && !late_error;
  assign drained      = (state_q == Drain || state_q == Late) && bursts_idle_i;
  assign first_fails  = first_fetched && first_cause != ErrorNone;

  assign busy_o        = state_q != Idle && state_q != Late;
  assign draining_o    = state_q == Late;
  assign counts_o      = layer_q;
  assign begins_o      = (state_q == Idle && (start_i || list_start_i)) || goes_on;
  assign waited_o      = goes_on ? waited_q + 1'b1 : '0;
  assign setup_start_o = (state_q == Idle && start_i) || (first_fetched && !first_fails && !reset_i) ||
                         (ahead_fetched && fetch_cause_i == ErrorNone);
  assign clear_o       = state_q == Clear || (state_q == Setup && reset_i) || drained;
  assign running_o     = state_q == Run;
  assign watched_o     = state_q inside {Fetch, Run, Drain} || (state_q == Next && list_moves);
  assign stop_o        = state_q == Drain || state_q == Late;

  // A layer's record could not be written.
  logic record_fails;
  assign record_fails = record_error_i && state_q inside {Next, Configure, Clear, Start, Run} && !reset_i;

  // What has been loaded ahead would go on to the PEs, so units start only where the layer goes on.
  assign units_start_o = state_q == Start && !reset_i && !record_fails;

  logic ran;
  assign ran           = state_q == Run && layer_done_i && !read_fails && !write_error_i && !reset_i;
  assign done_o        = (ran && !list_q) || (ends && !reset_i);
  assign failed_o      = (state_q == Setup && setup_done_i && !reset_i && setup_error_i != ErrorNone) || stuck ||
                         ((first_fails || next_fails) && !reset_i) ||
                         (state_q == Drain && (bursts_idle_i || expired_i) && cause_q != ErrorNone && !reset_i);
  always_comb begin
    cause_o      = cause_q;
    error_addr_o = state_q == Drain ? error_addr_q : '0;
    unique case (state_q)
      Setup: cause_o = setup_error_i;
      Run:   cause_o = ErrorWatchdog;
      Fetch: begin
        cause_o      = fetched_i ? first_cause : ErrorWatchdog;
        error_addr_o = fetched_i ? fetch_error_addr_i : '0;
      end
      Next: begin
        cause_o      = !next_fails ? ErrorWatchdog : too_long ? ErrorListTooLong : ahead_cause_q;
        error_addr_o = next_fails && !too_long ? fetch_error_addr_i : '0;
      end
      default: ;
    endcase
  end
  assign ended_o       = layer_q && (ran || failed_o || (state_q == Setup && reset_i) ||
                                     (state_q == Drain && (bursts_idle_i || expired_i)));
  assign configure_o   = (state_q == Setup && setup_done_i && setup_error_i == ErrorNone) || goes_on;
  logic place_next;
  assign array_free_o  = array_free_q;
  assign place_next    = state_q inside {Run, Next} && ahead_fits && array_free_q && !place_asked_q;
  assign place_o       = state_q == Setup ? configure_o : place_next;
  assign prefetch_o    = state_q inside {Run, Next} && ahead_fits && may_prefetch_i && !prefetches_q;
  assign prefetches_o  = prefetches_q;
  assign turn_o        = turn_q;
  assign early_o       = early_q;
  assign keep_o        = state_q == Clear && prefetches_q;

  assign fetch_first_o = state_q == Idle;
  assign fetch_o       = (state_q == Idle && list_start_i) ||
                         (state_q == Run && list_q && has_next_i && !too_long && loads_done_i && ahead_q == Unasked);
  assign advance_o     = list_q && configure_o;
  assign record_o      = ran && list_q && has_record_i;
  assign list_layer_o  = number_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q      <= Idle;
      cause_q      <= ErrorNone;
      error_addr_q <= '0;
      list_q       <= 1'b0;
      layer_q      <= 1'b0;
    end else begin
      if (begins_o) layer_q <= 1'b1;
      else if (ended_o) layer_q <= 1'b0;
      // Of the first error; the layer that fails may come later.
      if (read_error_i && !stop_o && !prefetch_failed_q) error_addr_q <= read_error_addr_i;
      unique case (state_q)
        Idle: begin
          if (start_i) state_q <= Setup;
          else if (list_start_i) state_q <= Fetch;
          if (start_i || list_start_i) list_q <= list_start_i;
        end
        Fetch:     if (fetched_i) state_q <= first_fails ? Idle : Setup; else if (expired_i) state_q <= Late;
        Setup:     if (reset_i) state_q <= Idle;
                   else if (setup_done_i) state_q <= setup_error_i != ErrorNone ? Idle : Configure;
        Configure: if (placed_i) state_q <= Clear;
        Clear:     state_q <= Start;
        Start:     state_q <= Run;
        Run: begin
          cause_q <= reset_i ? ErrorNone : read_fails ? ErrorBusRead : write_error_i ? ErrorBusWrite : ErrorNone;
          if (write_error_i && !read_fails) error_addr_q <= write_error_addr_i;
          if (reset_i || read_fails || write_error_i) state_q <= Drain;
          else if (layer_done_i) state_q <= list_q ? Next : Idle;
          else if (expired_i) state_q <= Late;
        end
        Next: begin
          if (ends || next_fails) state_q <= Idle;
          else if (goes_on) state_q <= place_asked_q && placed_i ? Clear : Configure;
          else if (stuck) state_q <= Late;
        end
        Drain: begin
          if (reset_i) cause_q <= ErrorNone;
          if (bursts_idle_i) state_q <= Idle;
          else if (expired_i) state_q <= Late;
        end
        default: if (bursts_idle_i) state_q <= Idle;
      endcase
      // The units have not started yet, or have ended: the list's bursts may be out, and those of the first filters;
      // all is cleared on the same way.
      if (reset_i && state_q inside {Fetch, Configure, Clear, Start, Next}) begin
        state_q <= Drain;
        cause_q <= ErrorNone;
      end
      // Of the layer before, which is what the list ends with, however far the next one is.
      if (record_fails) begin
        state_q      <= Drain;
        cause_q      <= ErrorBusWrite;
        error_addr_q <= record_addr_i;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      number_q      <= '0;
      waited_q      <= '0;
      ahead_q       <= Unasked;
      ahead_cause_q <= ErrorNone;
      array_free_q  <= 1'b0;
      place_asked_q <= 1'b0;
      prefetches_q      <= 1'b0;
      early_q           <= 1'b0;
      prefetch_failed_q <= 1'b0;
      turn_q            <= 1'b0;
    end else begin
      if (units_start_o && prefetches_q) turn_q <= !turn_q;
      if (begins_o && state_q == Idle) number_q <= '0;
      else if (record_fails && state_q != Next) number_q <= number_q - 1'b1;
      else if ((goes_on || next_fails) && !reset_i) number_q <= next_number;
      waited_q <= state_q == Next ? waited_q + 1'b1 : '0;
      unique case (ahead_q)
        Unasked:  if (fetch_o && !fetch_first_o) ahead_q <= Fetching;
        Fetching: begin
          if (fetched_i) begin
            ahead_q       <= fetch_cause_i == ErrorNone ? Checking : Checked;
            ahead_cause_q <= fetch_cause_i;
          end
        end
        Checking: begin
          if (setup_done_i) begin
            ahead_q       <= Checked;
            ahead_cause_q <= setup_error_i;
          end
        end
        default: ;
      endcase
      if (goes_on || clear_o || state_q == Idle) ahead_q <= Unasked;
      if (clear_o) {array_free_q, place_asked_q} <= '0;
      else begin
        if (last_output_i) array_free_q <= 1'b1;
        if (place_o) place_asked_q <= 1'b1;
      end
      if (prefetch_o) prefetches_q <= 1'b1;
      else if (units_start_o || (clear_o && !keep_o)) prefetches_q <= 1'b0;
      if (begins_o || (clear_o && !keep_o)) early_q <= 1'b0;
      else if (prefetch_o) early_q <= 1'b1;
      if (clear_o && !keep_o) prefetch_failed_q <= 1'b0;
      else if (read_error_i && prefetches_q) prefetch_failed_q <= 1'b1;
    end
  end

  `DLA_ASSERT(StartIsOfAnIdleDevice, (start_i || list_start_i) |-> !busy_o)
  `DLA_ASSERT(LayerEndsOneWay, !(done_o && failed_o))
  `DLA_ASSERT(EndedMeansIdle, ended_o && !list_q |=> !busy_o)
  `DLA_ASSERT(NextIsOfAList, state_q inside {Fetch, Next} |-> list_q)
  `DLA_ASSERT(WhatIsLoadedEarlyIsKept, early_q |-> prefetches_q)
  `DLA_ASSERT(NothingIsLoadedOfNoLayer, state_q inside {Idle, Fetch, Setup} |-> !prefetches_q)
  `DLA_ASSERT(ALayerEndsBehindTheRecordBefore, ran |-> !recording_i)
endmodule
