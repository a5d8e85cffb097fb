// SPDX-License-Identifier: Apache-2.0
/// Where a tensor on chip lies: which bytes of a column, which banks, and whether the GLB has them.
///
/// dla_banks_of() and the checks of sim/spec/dla_layer.c in hardware. The answer is that of the cycle before.
`include "dla_assert.svh"
module dla_chip_extent
  import dla_pkg::*;
#(
  parameter int unsigned GlbBytes     = 65536,
  parameter int unsigned GlbBankBytes = 2048,
  parameter int unsigned BusBytes     = 4,
  /// Of the ifmap region: those that planes are dealt to.
  parameter int unsigned Columns      = 4,
  /// Dependent, do not override.
  localparam int unsigned ColumnBytes = GlbBytes / GlbBankBytes / Columns * GlbBankBytes
) (
  input  logic        clk_i,
  /// Of the assertion alone.
  input  logic        rst_ni,
  input  logic        enable_i,
  /// Of the first plane: a column in the highest byte, and a byte of it.
  input  logic [31:0] addr_i,
  /// Of the planes in the column that has most of them.
  input  logic [31:0] bytes_i,
  output extent_t     extent_o
);
  logic [23:0] first_byte;
  logic [32:0] end_byte;
  logic [15:0] first_bank, end_bank;  // of a column
  assign first_byte = addr_i[23:0];
  assign end_byte   = 33'(first_byte) + 33'(bytes_i);
  assign first_bank = 16'(32'(first_byte) / GlbBankBytes);
  assign end_bank   = 16'((end_byte + 33'(GlbBankBytes - 1)) / 33'(GlbBankBytes));

  always_ff @(posedge clk_i) begin
    if (enable_i) begin
      extent_o.in_glb <= 32'(addr_i[31:24]) < Columns && 32'(first_byte) % BusBytes == 0 &&
                         end_byte <= 33'(ColumnBytes);
      extent_o.bytes  <= '{first_byte: first_byte, end_byte: 24'(end_byte)};
      extent_o.banks  <= '{base_bank: 16'(32'(first_bank) * Columns),
                           banks: 16'((32'(end_bank) - 32'(first_bank)) * Columns)};
    end
  end

  `DLA_ASSERT(AnExtentIsInTheGlb, enable_i |=> !extent_o.in_glb ||
              32'(extent_o.banks.base_bank) + 32'(extent_o.banks.banks) <= GlbBytes / GlbBankBytes)
endmodule
