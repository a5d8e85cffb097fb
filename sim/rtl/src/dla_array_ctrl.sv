// SPDX-License-Identifier: Apache-2.0
/// Runs the passes: starts each when all its tokens are there, then counts it through without ever waiting.
///
/// A pass is F steps, one an output column; a step is p slots, one a filter; a slot is q*S products and a psum. A step
/// takes max(p * slot, words) cycles, where `words` is what the ifmap network moves meanwhile: the columns that the
/// next step needs. Steps that need no more are the tail: in its first step in which the next pass and its ifmap are
/// there, the first window of that pass begins to be moved, and the last step ends no sooner than it is there.
/// docs/timing.md has the formulas and why they are safe.
`include "dla_assert.svh"
module dla_array_ctrl
  import dla_pkg::*;
#(
  parameter int unsigned Rows = 6,
  parameter int unsigned Cols = 8,
  /// Dependent, do not override. Of counts in a slot, in a step or a fill, and of cycles since the last product, which
  /// are counted as far as psums take to leave.
  localparam int unsigned SlotWidth  = Rows * Cols < 256 ? 8 : $clog2(Rows * Cols + 1),
  localparam int unsigned CycleWidth = most_fill_words(Rows, Cols) < 65536 ? 16 : 17,
  localparam int unsigned SinceWidth = $clog2(Rows * Cols + Rows + 3)
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,
  /// With clear_i: the layer's first filter set follows those of the layer before, and may be in the PEs.
  input  logic               keep_i,
  /// A layer runs; cycles are counted by cause.
  input  logic               running_i,
  input  layer_t             layer_i,
  input  derived_t           derived_i,
  // Passes in; each goes on to the psum unit when it starts.
  input  logic               pass_valid_i,
  output logic               pass_ready_o,
  input  pass_t              pass_i,
  output logic               started_o,
  output psums_t             psums_o,
  output logic               pass_bank_o,
  /// It takes an output tile.
  output logic               tile_taken_o,
  output tile_t              tile_o,
  /// The last cycle of a pass.
  output logic               ended_o,
  // Tokens.
  input  logic               ifmap_loaded_i,
  output logic               ifmap_release_o,
  input  logic               set_fed_i,
  /// The next set's chunk holds it up.
  input  logic               set_late_i,
  output logic               set_started_o,
  input  logic               out_release_i,
  // Ifmap feed; `window_start_o` where it is for the first window of a pass.
  output logic               window_start_o,
  output logic               feed_start_o,
  output window_t            feed_pass_o,
  output logic signed [14:0] feed_x_o,
  output logic [3:0]         feed_cols_o,
  output logic [6:0]         feed_ring_o,
  // Array and psum unit.
  output weight_flit_t       weight_o,
  output ctrl_flit_t         ctrl_o,
  output logic               slot_start_o,
  // Cycles by cause.
  output logic               compute_o,
  output logic               psum_wait_o,
  output logic               filter_wait_o,
  output logic               ifmap_wait_o,
  output logic               dram_wait_o,
  output logic               output_wait_o
);
  typedef enum logic [1:0] {Wait, Fill, Run} state_e;
  state_e state_q;

  // A pass lasts at least this long, so that the units behind can follow.
  localparam logic [3:0] MinPassCycles = 4'd8;

  /// What the pass that runs needs here.
  typedef struct packed {
    logic [5:0]  p;
    logic [7:0]  products;
    logic [5:0]  r;
    logic [3:0]  rows;
    logic [12:0] slot_words;
    logic [12:0] slot_cycles;
    logic [15:0] compute_cycles;
    logic [16:0] step_words;
    logic        release_ifmap;
  } running_t;

  running_t    pass_q;
  window_t     window_q;
  logic        bank_q, filled_q, last_started_q;
  logic [12:0] f_q;
  logic        last_step_q, tail_q;  // f_q is the last column; nothing more is brought for those that are left
  logic signed [14:0] next_x_q;      // where the columns of the next step begin
  logic [3:0]  left_q;               // columns of the window that lie left of the ifmap
  logic [12:0] inside_q;             // ... and those before the first that lies right of it
  logic [CycleWidth-1:0] cycle_q;  // of the step, or of a fill
  logic [SlotWidth-1:0]  pos_q;    // in the slot
  logic [5:0]  p_q;          // slot of the step
  logic [3:0]  age_q;        // of the pass, saturating
  logic [SinceWidth-1:0] since_commit_q;
  logic        asked_q;      // the tail has asked for the next pass's window
  logic [CycleWidth-1:0] fill_left_q;  // ... of which so many words are still to come
  logic        misses_q;     // the last step would ask, were the chunk in the GLB

  // Tokens.
  logic [15:0] ifmaps_q;
  logic [1:0]  sets_q, tiles_q;

  logic fill_ready;
  assign fill_ready = pass_valid_i && (!pass_i.new_ifmap || ifmaps_q != '0);

  // Steps.
  logic        step_start, asks, asked, misses, last_slot, slot_end, compute_done, step_end, pass_end, last_commit;
  logic [CycleWidth-1:0] step_cycles, fill_left;
  assign step_start  = state_q == Run && cycle_q == '0;
  assign asks        = step_start && tail_q && !asked_q && fill_ready;
  assign asked       = asked_q || asks;
  assign fill_left   = asks ? CycleWidth'(pass_i.lengths.fill_words) : fill_left_q;
  assign misses      = cycle_q == '0 ? pass_valid_i && !asked : misses_q;
  assign step_cycles = tail_q || 17'(pass_q.compute_cycles) > pass_q.step_words ? CycleWidth'(pass_q.compute_cycles)
                                                                                : CycleWidth'(pass_q.step_words);
  assign last_slot    = p_q + 1'b1 == pass_q.p;
  assign slot_end     = pos_q + 1'b1 == SlotWidth'(pass_q.slot_cycles);
  assign compute_done = p_q == pass_q.p;
  assign step_end     = state_q == Run && cycle_q + 1'b1 >= step_cycles &&
                        (!last_step_q || fill_left <= CycleWidth'(1));
  assign pass_end     = step_end && last_step_q;
  assign last_commit  = state_q == Run && last_step_q && last_slot && slot_end;

  // Starting. The psums of the pass before must have left the PEs, and where they are read again at once, the GLB.
  logic [SinceWidth-1:0] since_commit;
  logic        filled, psums_clear, old_enough, set_ready, tile_ready, start;
  logic        drained_q;  // no pass before: nothing to wait for
  assign since_commit = last_commit ? '0 : since_commit_q;
  assign psums_clear  = drained_q ||
      (pass_i.lengths.wait_psum
           ? 14'(since_commit) >= 14'(pass_q.slot_words) + 14'(derived_i.segment_rows) + 14'd2
           : 14'(since_commit) + 14'(pass_i.lengths.slot_cycles) >= 14'(pass_q.slot_words));
  assign old_enough = drained_q || 5'(age_q) + 1'b1 >= 5'(MinPassCycles);
  assign set_ready  = !pass_i.new_filter || sets_q != '0;
  assign tile_ready = !pass_i.last_k || tiles_q != '0;
  assign filled     = state_q == Wait ? filled_q : pass_end && asked;
  assign start      = pass_valid_i && filled && psums_clear && old_enough && set_ready && tile_ready;

  assign pass_ready_o  = start;
  assign started_o     = start;
  assign ended_o       = pass_end;
  assign psums_o       = psums_of(pass_i);
  assign tile_taken_o  = start && pass_i.last_k;
  assign tile_o        = tile_of(pass_i);
  assign pass_bank_o   = bank_q ^ pass_i.new_filter;
  assign set_started_o = start && pass_i.new_filter;

  // The rings: where the current window starts, in column slots times q.
  logic [6:0] ring_q, ring_window_q, ring_bytes, window_bytes, ring_next, ring_step, ring_fill;
  logic [3:0] S, V, new_cols, window_cols;
  logic [4:0] left_out;  // columns of a first window that are not brought
  logic [4:0] q;
  assign S            = layer_i.kernel.s;
  assign V            = 4'(layer_i.kernel.v);
  assign q            = layer_i.map_pe.q;
  assign window_bytes = 7'(8'(q) * 8'(S));
  assign ring_bytes   = window_bytes * 7'd2;
  assign new_cols     = S < V ? S : V;
  assign window_cols  = window_cols_of(layer_i);
  assign left_out     = 5'(S) - 5'(window_cols);
  function automatic logic [6:0] wrap(input logic [7:0] addr, input logic [6:0] size);
    return addr >= 8'(size) ? 7'(addr - 8'(size)) : 7'(addr);
  endfunction
  assign ring_next = wrap(8'(ring_q) + 8'(window_bytes), ring_bytes);
  assign ring_step = wrap(8'(ring_q) + 8'(8'(new_cols) * 8'(q)), ring_bytes);
  assign ring_fill = wrap(8'(ring_q) + 8'((8'(S) + 8'(left_out)) * 8'(q)), ring_bytes);

  // Feeds.
  logic       fill_start;
  logic [6:0] ring_window;  // where the next pass's window is
  assign fill_start  = (state_q == Wait && !filled_q && fill_ready) || asks;
  assign ring_window = fill_start ? ring_next : ring_window_q;
  assign window_start_o = fill_start;
  assign feed_start_o = fill_start || (step_start && !tail_q);
  assign feed_pass_o = fill_start ? window_of(pass_i) : window_q;
  assign feed_cols_o = fill_start ? window_cols : new_cols;
  assign feed_ring_o = fill_start ? ring_fill : ring_next;
  logic signed [14:0] pad_left, W, first_x, next_x;
  assign pad_left = $signed(15'(layer_i.padding.left));
  assign W        = $signed(15'(layer_i.ifmap_size.w));
  assign first_x  = $signed(15'(V) + 15'(S) - 15'(new_cols)) - pad_left;
  assign next_x   = next_x_q + $signed(15'(V));
  assign feed_x_o = fill_start ? $signed(15'(left_out)) - pad_left : next_x_q;
  assign ifmap_release_o = step_start && last_step_q && pass_q.release_ifmap;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q        <= Wait;
      filled_q       <= 1'b0;
      last_started_q <= 1'b0;
      drained_q      <= 1'b1;
      bank_q         <= 1'b1;
      ifmaps_q       <= '0;
      sets_q         <= '0;
      tiles_q        <= 2'd2;
      ring_q         <= '0;
    end else if (clear_i) begin
      state_q        <= Wait;
      filled_q       <= 1'b0;
      last_started_q <= 1'b0;
      drained_q      <= 1'b1;
      bank_q         <= keep_i ? bank_q : 1'b1;
      ifmaps_q       <= '0;
      sets_q         <= keep_i ? sets_q + 2'(set_fed_i) : '0;
      tiles_q        <= 2'd2;
      ring_q         <= '0;
    end else begin
      ifmaps_q <= ifmaps_q + 16'(ifmap_loaded_i) - 16'(fill_start && pass_i.new_ifmap);
      sets_q   <= sets_q + 2'(set_fed_i) - 2'(set_started_o);
      tiles_q  <= tiles_q + 2'(out_release_i) - 2'(start && pass_i.last_k);
      unique case (state_q)
        Wait: if (!filled_q && fill_ready) state_q <= Fill;
        Fill: begin
          if (cycle_q + 1'b1 == CycleWidth'(pass_i.lengths.fill_words)) begin
            state_q  <= Wait;
            filled_q <= 1'b1;
          end
        end
        default: begin
          if (step_end) begin
            ring_q <= last_step_q ? ring_q : ring_step;
            if (last_step_q) begin
              state_q  <= Wait;
              filled_q <= asked;
            end
          end
        end
      endcase
      if (start) begin
        state_q        <= Run;
        filled_q       <= 1'b0;
        drained_q      <= 1'b0;
        last_started_q <= pass_i.last;
        bank_q         <= pass_bank_o;
        ring_q         <= ring_window;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    // Step, slot and position.
    if (start || state_q == Wait || step_end) begin
      cycle_q <= '0;
      pos_q   <= '0;
      p_q     <= '0;
    end else begin
      cycle_q <= cycle_q + 1'b1;
      if (state_q == Run && !compute_done) begin
        pos_q <= slot_end ? '0 : pos_q + 1'b1;
        p_q   <= p_q + 6'(slot_end);
      end
    end
    asked_q       <= asked && !start;
    fill_left_q   <= start || fill_left == '0 ? '0 : fill_left - 1'b1;
    misses_q      <= misses;
    ring_window_q <= ring_window;
    if (start) begin
      window_q <= window_of(pass_i);
      pass_q   <= '{p: pass_i.p, products: pass_i.products, r: pass_i.r, rows: pass_i.rows,
                    slot_words: pass_i.lengths.slot_words,
                    slot_cycles: pass_i.lengths.slot_cycles, compute_cycles: pass_i.lengths.compute_cycles,
                    step_words: pass_i.lengths.step_words, release_ifmap: pass_i.release_ifmap};
      f_q         <= '0;
      last_step_q <= derived_i.F == 13'd1;
      tail_q      <= derived_i.F == 13'd1 || first_x >= W;
      next_x_q    <= first_x;
      left_q      <= layer_i.padding.left;
      inside_q    <= 13'(layer_i.ifmap_size.w) + 13'(layer_i.padding.left);
      age_q  <= '0;
    end else begin
      if (step_end) begin
        f_q         <= f_q + 1'b1;
        last_step_q <= f_q + 13'd2 == derived_i.F;
        tail_q      <= f_q + 13'd2 == derived_i.F || next_x >= W;
        next_x_q    <= next_x;
        left_q      <= left_q > V ? left_q - V : '0;
        inside_q    <= inside_q > 13'(V) ? inside_q - 13'(V) : '0;
      end
      if (age_q != '1) age_q <= age_q + 1'b1;
    end
    if (last_commit) since_commit_q <= SinceWidth'(1);
    else if (since_commit_q != '1) since_commit_q <= since_commit_q + 1'b1;
  end

  // Products.
  logic       mac, in_slot;
  logic [6:0] step_ring;  // where the window of the step that starts next cycle is
  assign in_slot      = state_q == Run && !compute_done;
  assign mac          = in_slot && 13'(pos_q) < 13'(pass_q.products);
  assign slot_start_o = in_slot && pos_q == '0;
  always_comb begin
    step_ring = ring_q;
    if (start) step_ring = ring_window;
    else if (step_end && !last_step_q) step_ring = ring_step;
  end
  dla_product_walk u_products (
    .clk_i, .rst_ni, .clear_i, .layer_i, .ring_bytes_i(ring_bytes), .step_i(start || step_end), .step_ring_i(step_ring),
    .ring_i(ring_q), .left_i(left_q), .inside_i(inside_q),
    .mac_i(mac), .first_i(pos_q == '0), .last_i(13'(pos_q) + 1'b1 == 13'(pass_q.products)),
    .commit_i(in_slot && slot_end), .bank_i(bank_q), .r_i(pass_q.r), .rows_i(pass_q.rows), .weight_o, .ctrl_o
  );

  // Why a cycle passes: the first that applies.
  logic waiting, waits_for_window, waits_for_set, window_late, window_owed, set_owed;
  assign waiting          = running_i && state_q == Wait && pass_valid_i;
  assign waits_for_window = (waiting && !filled_q) || (running_i && state_q == Fill);
  assign waits_for_set    = waiting && filled_q && !set_ready;
  assign window_late      = state_q == Run ? last_step_q && misses : waiting && !filled_q && !fill_ready;
  dla_lateness #(.Width(CycleWidth)) u_window (
    .clk_i, .rst_ni, .clear_i, .late_i(window_late), .waits_i(waits_for_window), .over_i(start), .owes_o(window_owed)
  );
  dla_lateness u_set (
    .clk_i, .rst_ni, .clear_i(clear_i && !keep_i), .late_i(set_late_i), .waits_i(waits_for_set), .over_i(set_fed_i),
    .owes_o(set_owed)
  );
  assign compute_o     = running_i && mac;
  assign psum_wait_o   = running_i && ((state_q == Run && !mac && !compute_done) ||
                                       (waiting && filled_q && set_ready && !(psums_clear && old_enough)));
  assign filter_wait_o = waits_for_set && !set_owed;
  assign ifmap_wait_o  = (running_i && state_q == Run && compute_done) || (waits_for_window && !window_owed);
  assign dram_wait_o   = (waits_for_window && window_owed) || (waits_for_set && set_owed);
  assign output_wait_o = (waiting && filled_q && set_ready && psums_clear && old_enough && !tile_ready) ||
                         (running_i && state_q == Wait && last_started_q);

  `DLA_ASSERT(TokensAreAtMostTwo, sets_q != 2'd3 && tiles_q != 2'd3)
  `DLA_ASSERT(StepEndsInTime, state_q == Run |-> cycle_q < step_cycles || (last_step_q && fill_left != '0))
endmodule
