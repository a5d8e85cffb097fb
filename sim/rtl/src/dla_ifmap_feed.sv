// SPDX-License-Identifier: Apache-2.0
/// Moves ifmap pixels from the GLB to the PEs: one word a cycle, up to four channels of one pixel.
///
/// A feed brings `cols_i` columns of all rows and channel sets of a pass: r * rows * cols * ceil(q / 4) words, where
/// rows = (e - 1) * min(U, R) + R. Its first word is addressed in the cycle after start_i. Padding is made here: it reads
/// nothing and sends the zero point. The ring in the PEs gives each column its place: column slot times q, plus channel.
module dla_ifmap_feed
  import dla_pkg::*;
#(
  parameter int unsigned BusBytes = 4,
  /// Dependent, do not override.
  localparam int unsigned BusShift = $clog2(BusBytes)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  input  layer_t                layer_i,
  input  derived_t              derived_i,
  input  logic                  start_i,
  input  window_t               pass_i,
  /// First column, from the left of the unpadded ifmap.
  input  logic signed [14:0]    x_i,
  input  logic [3:0]            cols_i,
  /// Place of the first column in the PEs' rings, in bytes.
  input  logic [6:0]            ring_addr_i,
  // GLB, four columns.
  output logic [3:0]            glb_read_o,
  output logic [15:0]           glb_addr_o [4],
  input  logic [8*BusBytes-1:0] glb_data_i [4],
  output ifmap_flit_t           flit_o
);
  // What stays the same during a feed.
  logic               active_q;
  window_t            pass_q;
  logic signed [14:0] x_first_q;
  logic [3:0]         cols_q;
  logic [6:0]         ring_first_q;

  // The word that is addressed.
  logic [4:0]         set_q;
  logic [15:0]        set_channel_q;  // its first channel in the buffer
  logic [4:0]         e_q;
  logic [3:0]         off_q;
  logic [7:0]         row_q;
  logic signed [14:0] y_q, x_q;
  logic signed [27:0] pixel_q;
  logic [3:0]         col_q;
  logic [6:0]         ring_q;
  logic [4:0]         quad_q;         // first channel of the word, in its set

  logic [11:0] H, W;
  logic [2:0]  U;
  logic [4:0]  q;
  logic [6:0]  ring_bytes;
  assign H = layer_i.ifmap_size.h;
  assign W = layer_i.ifmap_size.w;
  assign U = layer_i.kernel.u;
  assign q = layer_i.map_pe.q;
  assign ring_bytes = 7'(8'(q) * 8'(layer_i.kernel.s) * 8'd2);

  logic [3:0] rows_of_step, row_limit;
  logic [2:0] row_jump;
  logic       last_quad, last_col, last_off, last_e, last_set;
  assign rows_of_step = pass_q.rows < 4'(U) ? pass_q.rows : 4'(U);
  assign last_e       = e_q + 1'b1 == pass_q.e;
  assign row_limit    = last_e ? pass_q.rows : rows_of_step;
  assign last_quad    = quad_q + 5'd4 >= pass_q.q;
  assign last_col     = col_q + 1'b1 == cols_q;
  assign last_off     = off_q + 1'b1 == row_limit;
  assign last_set     = set_q + 1'b1 == pass_q.r;
  assign row_jump     = last_off ? 3'(4'(U) - rows_of_step + 4'd1) : 3'd1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) active_q <= 1'b0;
    else if (clear_i) active_q <= 1'b0;
    else if (start_i) active_q <= 1'b1;
    else if (last_quad && last_col && last_off && last_e && last_set) active_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      pass_q        <= pass_i;
      x_first_q     <= x_i;
      cols_q        <= cols_i;
      ring_first_q  <= ring_addr_i;
      set_q         <= '0;
      set_channel_q <= pass_i.ifmap_channel;
      e_q           <= '0;
      off_q         <= '0;
      row_q         <= '0;
      y_q           <= pass_i.y;
      pixel_q       <= pass_i.pixel;
      col_q         <= '0;
      x_q           <= x_i;
      ring_q        <= ring_addr_i;
      quad_q        <= '0;
    end else if (active_q) begin
      quad_q <= quad_q + 5'd4;
      if (last_quad) begin
        quad_q <= '0;
        col_q  <= col_q + 1'b1;
        x_q    <= x_q + 15'sd1;
        ring_q <= ring_q + 7'(q) == ring_bytes ? '0 : ring_q + 7'(q);
        if (last_col) begin
          col_q   <= '0;
          x_q     <= x_first_q;
          ring_q  <= ring_first_q;
          off_q   <= last_off ? '0 : off_q + 1'b1;
          e_q     <= last_off ? e_q + 1'b1 : e_q;
          row_q   <= row_q + 8'(row_jump);
          y_q     <= y_q + $signed(15'(row_jump));
          pixel_q <= pixel_q + $signed(28'(row_jump) * 28'(W));
          if (last_off && last_e) begin
            e_q           <= '0;
            row_q         <= '0;
            y_q           <= pass_q.y;
            pixel_q       <= pass_q.pixel;
            set_q         <= set_q + 1'b1;
            set_channel_q <= set_channel_q + 16'(q);
          end
        end
      end
    end
  end

  // Addresses: column k holds the one channel of this word that is k modulo 4 in the buffer.
  logic        in_ifmap;
  logic [15:0] channel, channels_there;
  logic [3:0]  strobe;
  logic [27:0] byte_pos [4];
  logic [BusShift-1:0] select [4];
  assign in_ifmap  = active_q && y_q >= 0 && y_q < $signed(15'(H)) && x_q >= 0 && x_q < $signed(15'(W));
  assign channel = set_channel_q + 16'(quad_q);
  // The last set of the last chunk may reach beyond the channels; its weights are zero there, and nothing is read.
  assign channels_there = layer_i.map_loop.ifmap_resident ? layer_i.channels.c : '1;
  always_comb begin
    for (int unsigned k = 0; k < 4; k++) begin
      logic [1:0]  lane;
      logic [15:0] lane_channel;
      lane         = 2'(k) - channel[1:0];
      lane_channel = channel + 16'(lane);
      strobe[k]     = 6'(quad_q) + 6'(k) < 6'(pass_q.q);
      byte_pos[k]   = 28'(pixel_q + 28'(x_q)) +
                      28'(BusShift'(pass_q.ifmap_align + 3'(lane_channel[2:0] * derived_i.ifmap_plane[2:0])));
      select[k]     = BusShift'(byte_pos[k]);
      glb_addr_o[k] = pass_q.ifmap_base + 16'((lane_channel >> 2) * derived_i.plane_words) + 16'(byte_pos[k] >> BusShift);
      glb_read_o[k] = in_ifmap && 6'(quad_q) + 6'(lane) < 6'(pass_q.q) && lane_channel < channels_there;
    end
  end

  // The word comes a cycle after its address; its channels are put in order and sent on.
  typedef struct packed {
    logic       valid, in_ifmap;
    logic [1:0] rotate;
    logic [4:0] channels;
    logic [7:0] row;
    logic [6:0] addr;
    logic [3:0] strobe;
  } tag_t;
  tag_t                tag_q;
  logic [BusShift-1:0] select_q [4];
  logic [31:0]         word;

  always_comb begin
    for (int unsigned lane = 0; lane < 4; lane++) begin
      logic [1:0] k;
      k = tag_q.rotate + 2'(lane);
      word[8*lane+:8] = tag_q.in_ifmap ? glb_data_i[k][8*select_q[k]+:8] : layer_i.quant.ifmap_zero_point;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tag_q  <= '0;
      flit_o <= '0;
    end else if (clear_i) begin
      tag_q  <= '0;
      flit_o <= '0;
    end else begin
      tag_q  <= '{valid: active_q, in_ifmap: in_ifmap, rotate: channel[1:0], channels: set_q, row: row_q,
                  addr: ring_q + 7'(quad_q), strobe: strobe};
      flit_o <= '{valid: tag_q.valid, channels: tag_q.channels, row: tag_q.row, addr: tag_q.addr, strobe: tag_q.strobe,
                  data: word};
    end
  end
  always_ff @(posedge clk_i) select_q <= select;
endmodule
