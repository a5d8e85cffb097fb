// SPDX-License-Identifier: Apache-2.0
/// \file
/// Watches an AXI4 port of one ID and asserts the rules that master and slave owe each other.
///
/// The rules are those of AXI4 (ARM IHI 0022), and three of our own: INCR bursts of whole bus words, everything in
/// order, no write data ahead of its address. All ports are inputs: the module drives nothing.
/// Test: sim/rtl/test breaks each rule and expects the assertion of that name.
`include "dla_assert.svh"

module dla_axi_checker #(
  /// Bytes of a beat: 4, 8, 16 or 32.
  parameter int unsigned BusBytes      = 4,
  /// Longest burst that the master may send, in beats: 1 to 256.
  parameter int unsigned MaxBurstBeats = 256,
  /// Bursts in flight that the checker can follow, each way.
  parameter int unsigned MaxRequests   = 64
) (
  input logic                  clk_i,
  input logic                  rst_ni,
  input logic                  arvalid,
  input logic                  arready,
  input logic [31:0]           araddr,
  input logic [7:0]            arlen,
  input logic [2:0]            arsize,
  input logic [1:0]            arburst,
  input logic                  arid,
  input logic [2:0]            arprot,
  input logic [3:0]            arcache,
  input logic                  rvalid,
  input logic                  rready,
  input logic [8*BusBytes-1:0] rdata,
  input logic [1:0]            rresp,
  input logic                  rlast,
  input logic                  rid,
  input logic                  awvalid,
  input logic                  awready,
  input logic [31:0]           awaddr,
  input logic [7:0]            awlen,
  input logic [2:0]            awsize,
  input logic [1:0]            awburst,
  input logic                  awid,
  input logic [2:0]            awprot,
  input logic [3:0]            awcache,
  input logic                  wvalid,
  input logic                  wready,
  input logic [8*BusBytes-1:0] wdata,
  input logic [BusBytes-1:0]   wstrb,
  input logic                  wlast,
  input logic                  bvalid,
  input logic                  bready,
  input logic [1:0]            bresp,
  input logic                  bid
);

  localparam logic [1:0] BurstIncr = 2'b01;
  localparam logic [1:0] RespExokay = 2'b01;
  localparam logic [2:0] WordSize = 3'($clog2(BusBytes));

  // Whether a burst of len + 1 whole words stays in its 4 KiB page.
  function automatic logic stays_in_page(logic [11:0] offset, logic [7:0] len);
    return 32'(offset) / BusBytes + 32'(len) < 4096 / BusBytes;
  endfunction

  logic r_expected, r_must_end, r_full;
  logic w_expected, w_must_end, w_full;
  logic b_expected, b_full;
  logic b_unused;

  dla_axi_burst_tracker #(.Depth(MaxRequests)) u_read (
    .clk_i, .rst_ni,
    .accept_i(arvalid && arready), .len_i(arlen),
    .beat_i(rvalid && rready), .last_i(rlast),
    .expected_o(r_expected), .must_end_o(r_must_end), .full_o(r_full)
  );

  dla_axi_burst_tracker #(.Depth(MaxRequests)) u_write (
    .clk_i, .rst_ni,
    .accept_i(awvalid && awready), .len_i(awlen),
    .beat_i(wvalid && wready), .last_i(wlast),
    .expected_o(w_expected), .must_end_o(w_must_end), .full_o(w_full)
  );

  // A write response is a burst of one beat, owed once the last data word has moved.
  dla_axi_burst_tracker #(.Depth(MaxRequests)) u_response (
    .clk_i, .rst_ni,
    .accept_i(wvalid && wready && wlast), .len_i(8'd0),
    .beat_i(bvalid && bready), .last_i(1'b1),
    .expected_o(b_expected), .must_end_o(b_unused), .full_o(b_full)
  );

  logic unused;
  assign unused = ^{b_unused, araddr[31:12], awaddr[31:12]};

  `DLA_CHECK_PARAM(BurstLength, MaxBurstBeats >= 1 && MaxBurstBeats <= 256)
  `DLA_CHECK_PARAM(BusWidth, BusBytes inside {4, 8, 16, 32})

  `DLA_ASSERT_STREAM(Ar, arvalid, arready, {araddr, arlen, arsize, arburst, arid, arprot, arcache})
  `DLA_ASSERT_STREAM(Aw, awvalid, awready, {awaddr, awlen, awsize, awburst, awid, awprot, awcache})
  `DLA_ASSERT_STREAM(W, wvalid, wready, {wdata, wstrb, wlast})
  `DLA_ASSERT_STREAM(R, rvalid, rready, {rdata, rresp, rlast, rid})
  `DLA_ASSERT_STREAM(B, bvalid, bready, {bresp, bid})

  `DLA_ASSERT(ArHasOneId, !arvalid || arid == 1'b0)
  `DLA_ASSERT(AwHasOneId, !awvalid || awid == 1'b0)
  `DLA_ASSERT(RHasOneId, !rvalid || rid == 1'b0)
  `DLA_ASSERT(BHasOneId, !bvalid || bid == 1'b0)
  `DLA_ASSERT(ArIsIncr, !arvalid || arburst == BurstIncr)
  `DLA_ASSERT(AwIsIncr, !awvalid || awburst == BurstIncr)
  `DLA_ASSERT(ArIsWordWide, !arvalid || arsize == WordSize)
  `DLA_ASSERT(AwIsWordWide, !awvalid || awsize == WordSize)
  `DLA_ASSERT(ArStaysInPage, !arvalid || stays_in_page(araddr[11:0], arlen))
  `DLA_ASSERT(AwStaysInPage, !awvalid || stays_in_page(awaddr[11:0], awlen))
  `DLA_ASSERT(ArIsShort, !arvalid || 32'(arlen) + 1 <= MaxBurstBeats)
  `DLA_ASSERT(AwIsShort, !awvalid || 32'(awlen) + 1 <= MaxBurstBeats)

  `DLA_ASSERT(WFollowsAw, !wvalid || w_expected)
  `DLA_ASSERT(WLastEndsBurst, !(wvalid && w_expected) || wlast == w_must_end)
  `DLA_ASSERT(RFollowsAr, !rvalid || r_expected)
  `DLA_ASSERT(RLastEndsBurst, !(rvalid && r_expected) || rlast == r_must_end)
  `DLA_ASSERT(BFollowsW, !bvalid || b_expected)
  `DLA_ASSERT(RNotExclusive, !rvalid || rresp != RespExokay)
  `DLA_ASSERT(BNotExclusive, !bvalid || bresp != RespExokay)

  // Not a rule of the bus, but of this checker: it would lose count.
  `DLA_ASSERT(RequestsFollowed, !(r_full && arvalid) && !(w_full && awvalid) && !(b_full && wvalid))

endmodule
