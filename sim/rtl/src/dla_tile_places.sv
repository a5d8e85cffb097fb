// SPDX-License-Identifier: Apache-2.0
/// Where an output tile and its residual begin, in DRAM or on chip: at a row of its first filter's plane.
///
/// In DRAM, that plane is as many planes behind the first. On chip, planes are dealt to columns, and rows go on at a
/// plane's begin behind its end: dla_row_addr() of sim/spec/dla_planes.h in hardware. The planes before a filter's are
/// summed up in eight cycles from filter_start_i on. The places are there six cycles after row_start_i, which is the
/// fifth of those eight or later, and stay until the next start.
`include "dla_assert.svh"
module dla_tile_places
  import dla_pkg::*;
#(
  parameter int unsigned BusBytes = 4,
  /// Of the GLB that planes on chip are dealt to.
  parameter int unsigned Columns  = 4,
  /// Dependent, do not override.
  localparam int unsigned BusShift    = $clog2(BusBytes),
  localparam int unsigned ColumnShift = $clog2(Columns)
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  layer_t      layer_i,
  input  derived_t    derived_i,
  /// The first filter of the tiles that come, of those of all groups.
  input  logic        filter_start_i,
  input  logic [31:0] filter_i,
  /// The first row of the next tile, before pooling. It stays.
  input  logic        row_start_i,
  input  logic [12:0] row_i,
  output logic [31:0] ofmap_addr_o,
  /// Rows from there to the end of the plane; 63 where there are more.
  output logic [5:0]  ofmap_rows_o,
  output logic [31:0] residual_addr_o,
  output logic [5:0]  residual_rows_o,
  /// The word of residual_addr_o, where that is on chip.
  output chip_word_t  residual_o
);
  typedef struct packed {
    logic        on_chip;
    logic [31:0] addr;
    logic [24:0] stride;
  } planes_t;
  planes_t     ofmap, residual, factor;
  logic [12:0] ofmap_plane_rows, residual_plane_rows;
  assign ofmap    = '{on_chip: layer_i.groups.ofmap_on_chip, addr: layer_i.ofmap_addr, stride: derived_i.ofmap_stride};
  assign residual = '{on_chip: layer_i.groups.residual_on_chip, addr: layer_i.residual_addr,
                      stride: derived_i.residual_stride};
  assign ofmap_plane_rows    = plane_rows_of(layer_i.ofmap_rows.plane, derived_i.ofmap_rows);
  assign residual_plane_rows = plane_rows_of(layer_i.residual_rows.plane, derived_i.ofmap_rows);

  // Bytes of the planes before the filter's: the ofmap's product, then the residual's, which stands. A number of planes
  // that has more than 16 bits is of small ones, as they are in the address space.
  logic [2:0]  step_q;  // cycles since filter_start_i; 0: both are there
  logic [31:0] filter_q, planes, product, ofmap_bytes_q;
  logic [15:0] channel;  // as if they began in the first column
  assign factor  = step_q == 3'd1 ? ofmap : residual;
  assign channel = 16'(filter_q) + 16'(factor.addr[28:24]);
  assign planes  = factor.on_chip ? 32'(channel) >> ColumnShift : filter_q;
  dla_multiplier u_multiplier (
    .clk_i, .start_i(step_q inside {3'd1, 3'd4}), .a_i(planes[31:16] != '0 ? planes : 32'(factor.stride)),
    .b_i(planes[31:16] != '0 ? 16'(factor.stride) : 16'(planes)), .product_o(product)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) step_q <= '0;
    else if (filter_start_i || step_q != '0) step_q <= step_q + 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (filter_start_i) filter_q <= filter_i;
    if (step_q == 3'd4) ofmap_bytes_q <= product;
  end

  // The rows of the planes that the tile begins with, and their bytes, those of the residual behind the ofmap's.
  function automatic logic [13:0] in_plane(input logic [13:0] row, input logic [12:0] plane_rows);
    return row >= 14'(plane_rows) ? row - 14'(plane_rows) : row;
  endfunction
  function automatic logic [5:0] up_to_63(input logic [12:0] rows);
    return rows > 13'd63 ? 6'd63 : 6'(rows);
  endfunction
  function automatic logic [31:0] first_byte(input logic on_chip, input logic [31:0] addr);
    return on_chip ? 32'(addr[23:0]) : addr;
  endfunction
  logic [5:1]  row_step_q;  // cycles after row_start_i
  logic [12:0] row_q;
  logic [13:0] ofmap_row_q, residual_row_q;
  logic [24:0] row_bytes_q;
  logic [31:0] ofmap_sum_q, residual_sum_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) row_step_q <= '0;
    else row_step_q <= {row_step_q[4:1], row_start_i};
  end
  always_ff @(posedge clk_i) begin
    if (row_start_i) row_q <= per_stride(layer_i.kernel, row_i);
    if (row_step_q[1]) begin
      ofmap_row_q    <= 14'(row_q) + 14'(layer_i.ofmap_rows.first);
      residual_row_q <= 14'(row_q) + 14'(layer_i.residual_rows.first);
    end
    if (row_step_q[2]) begin
      ofmap_row_q    <= in_plane(ofmap_row_q, ofmap_plane_rows);
      residual_row_q <= in_plane(residual_row_q, residual_plane_rows);
    end
    if (row_step_q[3]) begin
      ofmap_rows_o    <= up_to_63(ofmap_plane_rows - 13'(ofmap_row_q));
      residual_rows_o <= up_to_63(residual_plane_rows - 13'(residual_row_q));
      ofmap_sum_q     <= first_byte(ofmap.on_chip, ofmap.addr) + ofmap_bytes_q;
      residual_sum_q  <= first_byte(residual.on_chip, residual.addr) + product;
    end
    if (row_step_q[3] || row_step_q[4]) begin
      row_bytes_q <= (row_step_q[3] ? 25'(ofmap_row_q) : 25'(residual_row_q)) * 25'(derived_i.ofmap_cols);
    end
    if (row_step_q[4]) ofmap_sum_q <= ofmap_sum_q + 32'(row_bytes_q);
    if (row_step_q[5]) residual_sum_q <= residual_sum_q + 32'(row_bytes_q);
  end

  logic [4:0] ofmap_column, residual_column;
  assign ofmap_column    = 5'(ofmap.addr[28:24] + 5'(filter_q)) & 5'(Columns - 1);
  assign residual_column = 5'(residual.addr[28:24] + 5'(filter_q)) & 5'(Columns - 1);
  assign ofmap_addr_o    = ofmap.on_chip ? {3'b0, ofmap_column, ofmap_sum_q[23:0]} : ofmap_sum_q;
  assign residual_addr_o = residual_sum_q;
  assign residual_o      = '{column: residual_column, word: 16'(residual_sum_q[23:BusShift])};

  `DLA_ASSERT(PlanesAreCountedOnce, filter_start_i |-> step_q == '0)
  `DLA_ASSERT(PlanesAreThere, row_step_q[3] |-> step_q == '0)
endmodule
