// SPDX-License-Identifier: Apache-2.0
/// \file
/// Watches an AXI4-Lite port and asserts the rules that master and slave owe each other.
///
/// All ports are inputs: the module drives nothing.
/// Test: sim/rtl/test breaks each rule and expects the assertion of that name.
`include "dla_assert.svh"

module dla_axil_checker #(
  parameter int unsigned AddrWidth   = 12,
  /// Accesses in flight that the checker can follow, each way.
  parameter int unsigned MaxRequests = 4
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic                 awvalid,
  input logic                 awready,
  input logic [AddrWidth-1:0] awaddr,
  input logic                 wvalid,
  input logic                 wready,
  input logic [31:0]          wdata,
  input logic [3:0]           wstrb,
  input logic                 bvalid,
  input logic                 bready,
  input logic [1:0]           bresp,
  input logic                 arvalid,
  input logic                 arready,
  input logic [AddrWidth-1:0] araddr,
  input logic                 rvalid,
  input logic                 rready,
  input logic [31:0]          rdata,
  input logic [1:0]           rresp
);

  localparam int unsigned CountWidth = $clog2(MaxRequests + 1);
  localparam logic [1:0] RespExokay = 2'b01;

  // Accesses accepted and not answered yet.
  logic [CountWidth-1:0] aw_owed, w_owed, ar_owed;

  function automatic logic [CountWidth-1:0] count(logic [CountWidth-1:0] owed, logic accept, logic answer);
    return owed + CountWidth'(accept) - CountWidth'(answer);
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_owed <= '0;
      w_owed  <= '0;
      ar_owed <= '0;
    end else begin
      aw_owed <= count(aw_owed, awvalid && awready, bvalid && bready);
      w_owed  <= count(w_owed, wvalid && wready, bvalid && bready);
      ar_owed <= count(ar_owed, arvalid && arready, rvalid && rready);
    end
  end

  `DLA_ASSERT_STREAM(Aw, awvalid, awready, awaddr)
  `DLA_ASSERT_STREAM(W, wvalid, wready, {wdata, wstrb})
  `DLA_ASSERT_STREAM(B, bvalid, bready, bresp)
  `DLA_ASSERT_STREAM(Ar, arvalid, arready, araddr)
  `DLA_ASSERT_STREAM(R, rvalid, rready, {rdata, rresp})

  `DLA_ASSERT(BFollowsAwAndW, !bvalid || (aw_owed != '0 && w_owed != '0))
  `DLA_ASSERT(RFollowsAr, !rvalid || ar_owed != '0)
  `DLA_ASSERT(BNotExclusive, !bvalid || bresp != RespExokay)
  `DLA_ASSERT(RNotExclusive, !rvalid || rresp != RespExokay)

  // Not a rule of the bus, but of this checker: it would lose count.
  `DLA_ASSERT(RequestsFollowed, aw_owed != CountWidth'(MaxRequests) && w_owed != CountWidth'(MaxRequests) &&
              ar_owed != CountWidth'(MaxRequests))

endmodule
