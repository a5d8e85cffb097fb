// SPDX-License-Identifier: Apache-2.0
/// Plays the steps of a driver to the machine, from power-up with every register and most of the memory unknown.
///
/// Random gaps on all AXI channels, seeded by SEED. Ends with "passed", or with the first thing that is wrong: an output
/// that is unknown where it counts, a register that is not what it should be, or a byte of memory.
`timescale 1ns / 1ps
module tb_four_state #(
  parameter BusBytes = 4,
  parameter Seed = 1,
  /// Of the memory, which the DMA sees at 0x80000000.
  parameter MemoryBytes = 1 << 20,
  parameter MaxSteps = 1024,
  /// A cycle in so many has a gap.
  parameter GapOneIn = 3,
  parameter MaxCycles = 400000
);
  localparam Width = 8 * BusBytes;

  reg clk_i = 1'b0;
  reg rst_ni;
  always #5 clk_i = !clk_i;

  reg  [7:0]   memory   [0:MemoryBytes-1];
  reg  [7:0]   expected [0:MemoryBytes-1];
  reg  [103:0] steps    [0:MaxSteps-1];

  integer seed = Seed;
  integer cycles = 0;
  function integer gap(input integer unused);
    gap = $dist_uniform(seed, 1, GapOneIn) == 1;
  endfunction
  task fail(input [64*8-1:0] what);
    begin
      $display("cycle %0d: %0s", cycles, what);
      $finish;
    end
  endtask

  // Registers.
  reg         awvalid = 0, wvalid = 0, bready = 0, arvalid = 0, rready = 0;
  reg  [11:0] awaddr, araddr;
  reg  [31:0] wdata;
  wire        awready, wready, bvalid, arready, rvalid;
  wire [1:0]  bresp, rresp;
  wire [31:0] rdata;
  // DMA.
  wire                m_arvalid, m_rready, m_awvalid, m_wvalid, m_wlast, m_bready;
  wire [31:0]         m_araddr, m_awaddr;
  wire [7:0]          m_arlen, m_awlen;
  wire [2:0]          m_arsize, m_awsize;
  wire [1:0]          m_arburst, m_awburst;
  wire                m_arid, m_awid;
  wire [2:0]          m_arprot, m_awprot;
  wire [3:0]          m_arcache, m_awcache;
  wire [Width-1:0]    m_wdata;
  wire [BusBytes-1:0] m_wstrb;
  reg                 m_arready = 0, m_awready = 0, m_wready = 0, m_rvalid = 0, m_rlast, m_bvalid = 0;
  reg  [Width-1:0]    m_rdata;
  wire                irq;
  wire [31:0]         dbg_pass;
  wire [16:0]         dbg_events;
  wire [7:0]          dbg_cause;

  dla_top u_dla (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .s_axil_awvalid_i(awvalid), .s_axil_awready_o(awready), .s_axil_awaddr_i(awaddr),
    .s_axil_wvalid_i(wvalid), .s_axil_wready_o(wready), .s_axil_wdata_i(wdata), .s_axil_wstrb_i(4'hf),
    .s_axil_bvalid_o(bvalid), .s_axil_bready_i(bready), .s_axil_bresp_o(bresp),
    .s_axil_arvalid_i(arvalid), .s_axil_arready_o(arready), .s_axil_araddr_i(araddr),
    .s_axil_rvalid_o(rvalid), .s_axil_rready_i(rready), .s_axil_rdata_o(rdata), .s_axil_rresp_o(rresp),
    .m_axi_arvalid_o(m_arvalid), .m_axi_arready_i(m_arready), .m_axi_araddr_o(m_araddr), .m_axi_arlen_o(m_arlen),
    .m_axi_arsize_o(m_arsize), .m_axi_arburst_o(m_arburst),
    .m_axi_arid_o(m_arid), .m_axi_arprot_o(m_arprot), .m_axi_arcache_o(m_arcache),
    .m_axi_rvalid_i(m_rvalid), .m_axi_rready_o(m_rready), .m_axi_rdata_i(m_rdata), .m_axi_rresp_i(2'b00),
    .m_axi_rlast_i(m_rlast), .m_axi_rid_i(1'b0),
    .m_axi_awvalid_o(m_awvalid), .m_axi_awready_i(m_awready), .m_axi_awaddr_o(m_awaddr), .m_axi_awlen_o(m_awlen),
    .m_axi_awsize_o(m_awsize), .m_axi_awburst_o(m_awburst),
    .m_axi_awid_o(m_awid), .m_axi_awprot_o(m_awprot), .m_axi_awcache_o(m_awcache),
    .m_axi_wvalid_o(m_wvalid), .m_axi_wready_i(m_wready), .m_axi_wdata_o(m_wdata), .m_axi_wstrb_o(m_wstrb),
    .m_axi_wlast_o(m_wlast), .m_axi_bvalid_i(m_bvalid), .m_axi_bready_o(m_bready), .m_axi_bresp_i(2'b00), .m_axi_bid_i(1'b0),
    .irq_o(irq), .dbg_pass_o(dbg_pass), .dbg_enable_i(1'b1), .dbg_events_o(dbg_events), .dbg_cause_o(dbg_cause)
  );

  // What must be known: handshakes always, what they carry while it is offered, of written data the bytes that count.
  integer b;
  always @(posedge clk_i) begin
    cycles <= cycles + 1;
    if (cycles == MaxCycles) fail("the steps have not ended");
    if (rst_ni === 1'b1) begin
      if (^{awready, wready, bvalid, arready, rvalid} === 1'bx) fail("a handshake of the registers is unknown");
      if (^{m_arvalid, m_rready, m_awvalid, m_wvalid, m_bready} === 1'bx) fail("a handshake of the DMA is unknown");
      if (^{irq, dbg_pass, dbg_events} === 1'bx) fail("irq_o, dbg_pass_o or dbg_events_o is unknown");
      if (bvalid === 1'b1 && ^bresp === 1'bx) fail("bresp is unknown");
      if (rvalid === 1'b1 && ^{rresp, rdata} === 1'bx) fail("rdata or rresp is unknown");
      if (m_arvalid === 1'b1 && ^{m_araddr, m_arlen, m_arsize, m_arburst, m_arid, m_arprot, m_arcache} === 1'bx)
        fail("a read request is unknown");
      if (m_awvalid === 1'b1 && ^{m_awaddr, m_awlen, m_awsize, m_awburst, m_awid, m_awprot, m_awcache} === 1'bx)
        fail("a write request is unknown");
      if (m_wvalid === 1'b1) begin
        if (^{m_wstrb, m_wlast} === 1'bx) fail("wstrb or wlast is unknown");
        for (b = 0; b < BusBytes; b = b + 1) begin
          if (m_wstrb[b] === 1'b1 && ^m_wdata[8*b+:8] === 1'bx) fail("a byte of wdata is unknown");
        end
      end
    end
  end

  // Memory, read side: requests wait in a queue; a beat, once offered, stays until it is taken.
  reg  [31:0] read_addr [0:15];
  reg  [7:0]  read_len  [0:15];
  reg  [4:0]  read_in = 0, read_out = 0;
  reg  [8:0]  read_beat = 0;
  integer     at, lane;
  always @(posedge clk_i) if (rst_ni === 1'b1) begin
    if (m_arvalid && m_arready) begin
      read_addr[read_in[3:0]] = m_araddr;
      read_len[read_in[3:0]]  = m_arlen;
      read_in = read_in + 1;
    end
    m_arready <= !gap(0) && read_in - read_out < 8;
    if (m_rvalid && m_rready) begin
      m_rvalid <= 0;
      read_beat = read_beat + 1;
      if (m_rlast) begin
        read_beat = 0;
        read_out  = read_out + 1;
      end
    end
    if ((!m_rvalid || m_rready) && read_in != read_out && !gap(0)) begin
      at = (read_addr[read_out[3:0]] & ~(BusBytes - 1)) - 32'h80000000 + BusBytes * read_beat;
      if (at < 0 || at >= MemoryBytes) fail("a read outside the memory");
      for (lane = 0; lane < BusBytes; lane = lane + 1) m_rdata[8*lane+:8] <= memory[at+lane];
      m_rlast  <= read_beat == read_len[read_out[3:0]];
      m_rvalid <= 1;
    end
  end

  // Memory, write side: an address, its beats, an answer; then the next address.
  reg         open_q = 0, data_q = 0, answer = 0;
  reg  [31:0] write_addr;
  reg  [8:0]  write_beat;
  integer     to, byte_lane;
  always @(posedge clk_i) if (rst_ni === 1'b1) begin
    if (m_bvalid && m_bready) begin
      m_bvalid <= 0;
      open_q = 0;
    end
    if (m_wvalid && m_wready) begin
      to = (write_addr & ~(BusBytes - 1)) - 32'h80000000 + BusBytes * write_beat;
      if (to < 0 || to >= MemoryBytes) fail("a write outside the memory");
      for (byte_lane = 0; byte_lane < BusBytes; byte_lane = byte_lane + 1) begin
        if (m_wstrb[byte_lane]) memory[to+byte_lane] = m_wdata[8*byte_lane+:8];
      end
      write_beat = write_beat + 1;
      if (m_wlast) begin
        data_q = 0;
        answer = 1;
      end
    end
    if (m_awvalid && m_awready) begin
      open_q = 1;
      data_q = 1;
      write_addr = m_awaddr;
      write_beat = 0;
    end
    m_awready <= !open_q && !gap(0);
    m_wready  <= data_q && !gap(0);
    if (answer && !gap(0)) begin
      m_bvalid <= 1;
      answer = 0;
    end
  end

  // The driver.
  task wait_gap;
    while (gap(0)) @(posedge clk_i);
  endtask
  task write_register(input [11:0] addr, input [31:0] value);
    fork
      begin
        wait_gap;
        awaddr  <= addr;
        awvalid <= 1;
        @(posedge clk_i);
        while (!awready) @(posedge clk_i);
        awvalid <= 0;
        awaddr  <= 12'hx;
      end
      begin
        wait_gap;
        wdata  <= value;
        wvalid <= 1;
        @(posedge clk_i);
        while (!wready) @(posedge clk_i);
        wvalid <= 0;
        wdata  <= 32'hx;
      end
      begin
        wait_gap;
        bready <= 1;
        @(posedge clk_i);
        while (!bvalid) @(posedge clk_i);
        bready <= 0;
        if (bresp != 0) fail("a register write was answered with an error");
      end
    join
  endtask
  task read_register(input [11:0] addr, output [31:0] value);
    fork
      begin
        wait_gap;
        araddr  <= addr;
        arvalid <= 1;
        @(posedge clk_i);
        while (!arready) @(posedge clk_i);
        arvalid <= 0;
        araddr  <= 12'hx;
      end
      begin
        wait_gap;
        rready <= 1;
        @(posedge clk_i);
        while (!rvalid) @(posedge clk_i);
        rready <= 0;
        value = rdata;
        if (rresp != 0) fail("a register read was answered with an error");
      end
    join
  endtask

  integer      n, wrong;
  reg  [103:0] step;
  reg  [31:0]  value;
  reg          running;
  initial begin
    $readmemh("steps.hex", steps);
    $readmemh("memory.hex", memory);
    $readmemh("expected.hex", expected);
    repeat (2) @(posedge clk_i);
    rst_ni <= 0;
    repeat (4) @(posedge clk_i);
    rst_ni <= 1;
    @(posedge clk_i);
    running = 1;
    for (n = 0; running; n = n + 1) begin
      step = steps[n];
      case (step[103:96])
        1: write_register(step[75:64], step[63:32]);
        2: begin
          read_register(step[75:64], value);
          if ((value & step[31:0]) != step[63:32]) begin
            $display("register %03x is %08x", step[75:64], value);
            fail("a register is not what it should be");
          end
        end
        3: while (irq !== 1'b1) @(posedge clk_i);
        default: running = 0;
      endcase
    end
    wrong = 0;
    for (n = 0; n < MemoryBytes; n = n + 1) begin
      if (memory[n] !== expected[n]) begin
        if (wrong == 0) $display("byte %05x is %02x and should be %02x", n, memory[n], expected[n]);
        wrong = wrong + 1;
      end
    end
    if (wrong != 0) fail("memory is not what it should be");
    $display("passed: %0d cycles, %0d passes", cycles, dbg_pass);
    $finish;
  end
endmodule
