// SPDX-License-Identifier: Apache-2.0
/// Psum network in: brings each slot's psums from the GLB, or its biases, to the first PE of their segments.
///
/// One word (Lanes psums) a cycle; word i of a slot that starts at cycle T is addressed at T + 4 + i and is in the array
/// at T + 6 + i: before the slot's psums are added, and after those of the slot before were.
module dla_psum_in
  import dla_pkg::*;
#(
  parameter int unsigned BusBytes       = 4,
  parameter int unsigned MaxPassFilters = 128,
  /// Dependent, do not override.
  localparam int unsigned Lanes = BusBytes / 4
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  input  layer_t                layer_i,
  input  derived_t              derived_i,
  // From the array control.
  input  logic                  started_i,
  input  psums_t                pass_i,
  input  logic                  pass_bank_i,
  input  logic                  slot_start_i,
  // Biases of a filter set.
  input  logic                  bias_valid_i,
  input  logic                  bias_bank_i,
  input  logic [8:0]            bias_word_i,
  input  logic [8*BusBytes-1:0] bias_data_i,
  // GLB.
  output logic                  glb_read_o,
  output logic [15:0]           glb_addr_o,
  input  logic [8*BusBytes-1:0] glb_data_i,
  // Psum network.
  output logic [Lanes-1:0]      valid_o,
  output logic [4:0]            row_o  [Lanes],
  output logic [4:0]            col_o  [Lanes],
  output logic signed [31:0]    data_o [Lanes]
);
  logic signed [31:0] bias_q [2*MaxPassFilters];
  always_ff @(posedge clk_i) begin
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      if (bias_valid_i && 32'(bias_word_i) * Lanes + lane < MaxPassFilters) begin
        bias_q[$clog2(2*MaxPassFilters)'((bias_bank_i ? MaxPassFilters : 0) + 32'(bias_word_i) * Lanes + lane)] <=
            bias_data_i[32*lane+:32];
      end
    end
  end

  // Three cycles behind the array control: the pass that the next slot belongs to.
  psums_t     started_pass_q, pass_q;
  logic       started_bank_q, bank_q;
  logic [2:0] started_q, slot_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      started_q <= '0;
      slot_q    <= '0;
    end else if (clear_i) begin
      started_q <= '0;
      slot_q    <= '0;
    end else begin
      started_q <= {started_q[1:0], started_i};
      slot_q    <= {slot_q[1:0], slot_start_i};
    end
  end
  always_ff @(posedge clk_i) begin
    if (started_i) begin
      started_pass_q <= pass_i;
      started_bank_q <= pass_bank_i;
    end
    if (started_q[2]) begin
      pass_q <= started_pass_q;
      bank_q <= started_bank_q;
    end
  end

  // The slot that is brought.
  logic [9:0]  left_q;      // psums
  psums_t      slot_pass_q;
  logic        slot_bank_q, first_slot_q;
  logic [5:0]  p_q;
  logic [15:0] addr_q;
  place_t      place_q [Lanes];

  function automatic place_t next(input place_t place, input psums_t pass);
    return next_place(place, pass.e, pass.p, layer_i.map_pe.e, derived_i.segment_rows, derived_i.filters_high);
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) left_q <= '0;
    else if (clear_i) left_q <= '0;
    else if (slot_q[2]) left_q <= pass_q.slot_psums;
    else left_q <= left_q > 10'(Lanes) ? left_q - 10'(Lanes) : '0;
  end

  logic [5:0] p_next;
  assign p_next = first_slot_q || p_q + 1'b1 == pass_q.p ? '0 : p_q + 1'b1;

  always_ff @(posedge clk_i) begin
    if (left_q != '0) addr_q <= addr_q + 1'b1;
    if (slot_q[2]) begin
      place_t place;
      slot_pass_q  <= pass_q;
      slot_bank_q  <= bank_q;
      first_slot_q <= 1'b0;
      p_q          <= p_next;
      if (first_slot_q) addr_q <= pass_q.psum_base;
      place        = '0;
      place.filter = 9'(p_next);
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        place_q[lane] <= place;
        place = next(place, pass_q);
      end
    end else if (left_q != '0) begin
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        place_t place;
        place = place_q[lane];
        for (int unsigned i = 0; i < Lanes; i++) place = next(place, slot_pass_q);
        place_q[lane] <= place;
      end
    end
    // The last slot of the pass before may be a one-cycle slot, taken up in this very cycle.
    if (started_q[2]) first_slot_q <= 1'b1;
  end

  assign glb_read_o = left_q != '0 && !slot_pass_q.first_k;
  assign glb_addr_o = addr_q;

  // The word comes a cycle after its address.
  logic               from_bias_q;
  logic signed [31:0] bias_read_q [Lanes];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= '0;
    else if (clear_i) valid_o <= '0;
    else begin
      for (int unsigned lane = 0; lane < Lanes; lane++) valid_o[lane] <= left_q > 10'(lane);
    end
  end
  always_ff @(posedge clk_i) begin
    from_bias_q <= slot_pass_q.first_k;
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      row_o[lane] <= place_q[lane].row;
      col_o[lane] <= place_q[lane].col;
      bias_read_q[lane] <= bias_q[$clog2(2*MaxPassFilters)'((slot_bank_q ? MaxPassFilters : 0) +
                                                           32'(place_q[lane].filter))];
    end
  end
  always_comb begin
    for (int unsigned lane = 0; lane < Lanes; lane++) begin
      data_o[lane] = from_bias_q ? bias_read_q[lane] : $signed(glb_data_i[32*lane+:32]);
    end
  end
endmodule
