// SPDX-License-Identifier: Apache-2.0
/// Moves ifmap pixels from the GLB to the PEs: one word a cycle, up to IfmapBytes channels of one pixel.
///
/// A feed brings `cols_i` columns of all rows and channels of a pass: rows * cols * ceil(q r / IfmapBytes) words, where
/// rows = (e - 1) * min(U, R) + R. PE sets beside each other that have channels of their own get words of their own.
/// The first word is addressed in the cycle after start_i. Padding is made here: it reads nothing and
/// sends the zero point. The ring in the PEs gives each column its place: column slot times q, plus channel.
/// Of an ifmap on chip, the buffer is the tensor: each plane begins with a word, and rows go on at its begin behind its
/// end.
`include "dla_assert.svh"
module dla_ifmap_feed
  import dla_pkg::*;
#(
  parameter int unsigned Rows       = 6,
  parameter int unsigned Cols       = 8,
  parameter int unsigned BusBytes   = 4,
  parameter int unsigned IfmapBytes = 4,
  /// Dependent, do not override.
  localparam int unsigned BusShift    = $clog2(BusBytes),
  localparam int unsigned RotateWidth = IfmapBytes == 1 ? 1 : $clog2(IfmapBytes)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    clear_i,
  input  layer_t                  layer_i,
  input  derived_t                derived_i,
  input  logic                    start_i,
  input  window_t                 pass_i,
  /// First column, from the left of the unpadded ifmap.
  input  logic signed [14:0]      x_i,
  input  logic [3:0]              cols_i,
  /// Place of the first column in the PEs' rings, in bytes.
  input  logic [6:0]              ring_addr_i,
  // GLB, a column a byte.
  output logic [IfmapBytes-1:0]   glb_read_o,
  output logic [15:0]             glb_addr_o [IfmapBytes],
  input  logic [8*BusBytes-1:0]   glb_data_i [IfmapBytes],
  output ifmap_flit_t             flit_o,
  output logic [8*IfmapBytes-1:0] data_o
);
  // What stays the same during a feed.
  logic               active_q;
  window_t            pass_q;
  logic signed [14:0] x_first_q;
  logic [3:0]         cols_q;
  logic [6:0]         ring_first_q;

  // The word that is addressed.
  logic [12:0]        channel_q;      // its first, of the pass
  logic [10:0]        set_channel_q;  // the same, of the sets that it is for
  logic [5:0]         wide_q;         // ... and which of those beside each other they are
  logic [15:0]        plane_q;        // GLB word of that channel's plane
  logic [5:0]         e_q;
  logic [3:0]         off_q;
  logic [8:0]         row_q;
  logic signed [14:0] y_q, x_q;
  logic signed [14:0] rows_left_q;    // up to the end of the planes; none left: they go on at their begin
  logic signed [27:0] row_pixel_q;    // pixel of the ifmap that the row's first column is
  logic signed [27:0] pixel_q;
  logic [3:0]         col_q;
  logic [6:0]         ring_q;

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
  logic [12:0] channels_left, sets_left;  // of the pixel; of the sets that the word is for
  logic [5:0] word_channels;
  logic       whole_groups, last_of_sets, last_word, last_col, last_off, last_e;
  assign rows_of_step  = pass_q.rows < 4'(U) ? pass_q.rows : 4'(U);
  assign last_e        = e_q + 1'b1 == pass_q.e;
  assign row_limit     = last_e ? pass_q.rows : rows_of_step;
  assign whole_groups  = layer_i.map_loop.g != '0;
  assign channels_left = pass_q.channels - channel_q;
  assign sets_left     = whole_groups ? 13'(derived_i.column_channels) - 13'(set_channel_q) : '1;
  assign last_of_sets  = sets_left <= 13'(IfmapBytes);
  assign last_word     = channels_left <= 13'(IfmapBytes) && channels_left <= sets_left;
  assign word_channels = last_word ? 6'(channels_left) : last_of_sets ? 6'(sets_left) : 6'(IfmapBytes);
  assign last_col      = col_q + 1'b1 == cols_q;
  assign last_off      = off_q + 1'b1 == row_limit;
  assign row_jump      = last_off ? 3'(4'(U) - rows_of_step + 4'd1) : 3'd1;

  // The end of the planes; of those in DRAM, padding follows.
  logic [12:0]        plane_rows;
  logic               goes_on;        // the next row is, but not this one, behind the planes' end
  logic signed [27:0] row_pixel, next_row_pixel;
  assign plane_rows     = plane_rows_of(layer_i.ifmap_rows.plane, 13'(H));
  assign goes_on        = rows_left_q[14:3] == '0 && rows_left_q[2:0] != '0 && rows_left_q[2:0] <= row_jump;
  assign row_pixel      = goes_on ? row_pixel_q - $signed(28'(derived_i.ifmap_plane)) : row_pixel_q;
  assign next_row_pixel = row_pixel + $signed(28'(row_jump) * 28'(W));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) active_q <= 1'b0;
    else if (clear_i) active_q <= 1'b0;
    else if (start_i) active_q <= 1'b1;
    else if (last_word && last_col && last_off && last_e) active_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      pass_q       <= pass_i;
      x_first_q    <= x_i;
      cols_q       <= cols_i;
      ring_first_q <= ring_addr_i;
      channel_q     <= '0;
      set_channel_q <= '0;
      wide_q        <= '0;
      plane_q      <= pass_i.ifmap_base;
      e_q          <= '0;
      off_q        <= '0;
      row_q        <= '0;
      y_q          <= pass_i.y;
      rows_left_q  <= $signed(15'(plane_rows)) - $signed(15'(layer_i.ifmap_rows.first)) - pass_i.y;
      row_pixel_q  <= pass_i.pixel + 28'(x_i);
      pixel_q      <= pass_i.pixel + 28'(x_i);
      col_q        <= '0;
      x_q          <= x_i;
      ring_q       <= ring_addr_i;
    end else if (active_q) begin
      channel_q     <= channel_q + 13'(word_channels);
      set_channel_q <= last_of_sets ? '0 : 11'(set_channel_q + 11'(word_channels)) & 11'(bits_up_to(31 * Rows));
      wide_q        <= 6'(wide_q + 6'(last_of_sets)) & 6'(bits_up_to(Cols - 1));
      if (7'(rotate) + 7'(word_channels) >= 7'(IfmapBytes)) plane_q <= plane_q + derived_i.plane_words;
      if (last_word) begin
        channel_q     <= '0;
        set_channel_q <= '0;
        wide_q        <= '0;
        plane_q   <= pass_q.ifmap_base;
        col_q     <= col_q + 1'b1;
        x_q       <= x_q + 15'sd1;
        pixel_q   <= pixel_q + 28'sd1;
        ring_q    <= ring_q + 7'(q) == ring_bytes ? '0 : ring_q + 7'(q);
        if (last_col) begin
          col_q   <= '0;
          x_q     <= x_first_q;
          ring_q  <= ring_first_q;
          off_q   <= last_off ? '0 : off_q + 1'b1;
          e_q     <= last_off ? 6'(e_q + 1'b1) & 6'(bits_up_to(Cols)) : e_q;
          row_q   <= 9'(row_q + 9'(row_jump)) & 9'(bits_up_to(7 * Cols + 14));
          y_q     <= y_q + $signed(15'(row_jump));
          rows_left_q <= rows_left_q - $signed(15'(row_jump));
          row_pixel_q <= next_row_pixel;
          pixel_q     <= next_row_pixel;
        end
      end
    end
  end

  // Addresses: column k holds the one channel of this word that is k modulo IfmapBytes in the buffer. Those that come
  // before the word's first channel in that order are a plane further.
  logic                   in_ifmap;
  logic [4:0]             channel;      // its first, as a column
  logic [4:0]             plane_bytes;  // in the last word of a plane; on chip the next does not begin there
  logic [RotateWidth-1:0] rotate;
  logic [IfmapBytes-1:0]  exists;
  logic [27:0]            byte_pos [IfmapBytes];
  logic [BusShift-1:0]    select [IfmapBytes];
  assign in_ifmap = active_q && y_q >= 0 && y_q < $signed(15'(H)) && x_q >= 0 && x_q < $signed(15'(W));
  assign channel  = pass_q.ifmap_channel + 5'(channel_q);
  assign rotate   = IfmapBytes == 1 ? '0 : RotateWidth'(channel);
  assign plane_bytes = layer_i.groups.ifmap_on_chip ? '0 : derived_i.ifmap_plane[4:0];
  always_comb begin
    logic [RotateWidth-1:0] lane;
    logic [4:0]             lane_channel;
    lane         = '0;
    lane_channel = '0;
    exists       = '0;
    byte_pos     = '{default: '0};
    select       = '{default: '0};
    glb_read_o   = '0;
    glb_addr_o   = '{default: '0};
    if (in_ifmap) begin
      for (int unsigned l = 0; l < IfmapBytes; l++) begin
        // The last set of the last chunk may reach beyond the channels; its weights are zero there.
        exists[l] = 6'(l) < word_channels && 13'(pass_q.ifmap_missing) + 13'(l) < channels_left;
      end
      for (int unsigned k = 0; k < IfmapBytes; k++) begin
        lane          = IfmapBytes == 1 ? '0 : RotateWidth'(k) - rotate;
        lane_channel  = channel + 5'(lane);
        byte_pos[k]   = 28'(pixel_q) +
                        28'(BusShift'(pass_q.ifmap_align + 5'(lane_channel * plane_bytes)));
        select[k]     = BusShift'(byte_pos[k]);
        glb_addr_o[k] = plane_q + (32'(lane) + 32'(rotate) != k ? derived_i.plane_words : '0) +
                        16'(byte_pos[k] >> BusShift);
        glb_read_o[k] = exists[lane];
      end
    end
  end

  // The word comes a cycle after its address; its channels are put in order and sent on.
  ifmap_flit_t             flit_q;
  logic [IfmapBytes-1:0]   exists_q;
  logic [RotateWidth-1:0]  rotate_q;
  logic [BusShift-1:0]     select_q [IfmapBytes];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      flit_q <= '0;
      flit_o <= '0;
    end else if (clear_i) begin
      flit_q <= '0;
      flit_o <= '0;
    end else begin
      flit_q <= '{valid: active_q, wide: wide_q, channel: set_channel_q, channels: word_channels,
                  row: row_q, addr: ring_q};
      flit_o <= flit_q;
    end
  end
  always_ff @(posedge clk_i) begin
    exists_q <= exists;
    if (in_ifmap) begin
      rotate_q <= rotate;
      select_q <= select;
    end
    if (flit_q.valid) begin
      for (int unsigned lane = 0; lane < IfmapBytes; lane++) begin
        logic [RotateWidth-1:0] k;
        k = IfmapBytes == 1 ? '0 : rotate_q + RotateWidth'(lane);
        data_o[8*lane+:8] <= exists_q[lane] ? glb_data_i[k][8*select_q[k]+:8] : layer_i.quant.ifmap_zero_point;
      end
    end
  end

  `DLA_ASSERT(StepBeforeWasFed, start_i && active_q |-> last_word && last_col && last_off && last_e)
endmodule
