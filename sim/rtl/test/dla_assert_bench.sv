// SPDX-License-Identifier: Apache-2.0
/// \file
/// A stream and a number, to show that the macros of dla_assert.svh fire when they should and only then.
`include "dla_assert.svh"

module dla_assert_bench (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       valid_i,
  input logic       ready_i,
  input logic [7:0] data_i
);
  `DLA_CHECK_PARAM(DataIsAByte, $bits(data_i) == 8)
  `DLA_ASSERT(DataIsNot255, data_i != 8'd255)
  `DLA_ASSERT_CLOCKED(DataIsNot254, data_i != 8'd254)
  `DLA_ASSERT_ALWAYS(DataIsNot253, data_i != 8'd253)
  `DLA_ASSERT_STREAM(In, valid_i, ready_i, data_i)
endmodule
