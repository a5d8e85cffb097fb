// SPDX-License-Identifier: Apache-2.0
/// The register file: an AXI4-Lite slave, the layer command, status, interrupt and counters.
///
/// Offsets, fields and reset values come from sim/spec/dla.json. An access that is outside the map, not a whole word,
/// or a write to a read-only register is answered with SLVERR, changes nothing but ERROR, and is reported there; so is
/// a write to a layer register, to WATCHDOG, to the list's, START or RUN_LIST while a layer runs, and either while
/// bursts of an ended one are out. In a list, the layer registers hold the entry fetched last.
/// No output depends on an input of the same cycle: address and data of a write wait for each other here.
`include "dla_assert.svh"
module dla_regs
  import dla_pkg::*;
  import dla_regs_pkg::*;
#(
  parameter logic [31:0] GeometryArray = '0,
  parameter logic [31:0] GeometrySpads = '0,
  parameter logic [31:0] GeometryGlb   = '0,
  parameter logic [31:0] GeometryNetworks = '0,
  parameter int unsigned BusBytes = 4
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // AXI4-Lite slave.
  input  logic        awvalid_i,
  output logic        awready_o,
  input  logic [11:0] awaddr_i,
  input  logic        wvalid_i,
  output logic        wready_o,
  input  logic [31:0] wdata_i,
  input  logic [3:0]  wstrb_i,
  output logic        bvalid_o,
  input  logic        bready_i,
  output logic [1:0]  bresp_o,
  input  logic        arvalid_i,
  output logic        arready_o,
  input  logic [11:0] araddr_i,
  output logic        rvalid_o,
  input  logic        rready_i,
  output logic [31:0] rdata_o,
  output logic [1:0]  rresp_o,
  // To and from the layer control.
  output logic        start_o,
  output logic        list_start_o,
  output logic        reset_o,
  output layer_t      layer_o,
  output logic [31:0] watchdog_o,
  output logic [31:0] list_addr_o,
  output logic [15:0] list_limit_o,
  input  logic [15:0] list_layer_i,
  // A beat of an entry, its layer registers from number entry_word_i on, modulo 128; those in front of the first and
  // behind the last are none.
  input  logic                  entry_valid_i,
  input  logic [6:0]            entry_word_i,
  input  logic [8*BusBytes-1:0] entry_words_i,
  input  logic        busy_i,
  input  logic        draining_i,
  input  logic        done_i,
  input  logic        failed_i,
  input  dla_error_e  cause_i,
  input  logic [31:0] error_addr_i,
  input  counters_t   counters_i,
  output logic        irq_o
);
  localparam logic [1:0] Okay = 2'b00, SlvErr = 2'b10;

  localparam int unsigned IndexWidth = $clog2(NumLayerRegs);
  logic [NumLayerRegs-1:0][31:0] layer_q;
  logic        done_q, error_q;
  dla_error_e  cause_q;
  logic [1:0]  irq_enable_q, irq_status_q;  // {error, done}
  logic [31:0] watchdog_q, error_addr_q, list_addr_q;
  logic [15:0] list_limit_q;

  assign watchdog_o   = watchdog_q;
  assign list_addr_o  = list_addr_q;
  assign list_limit_o = list_limit_q;
  assign layer_o    = layer_q;
  assign irq_o = |(irq_enable_q & irq_status_q);

  // Writes: whichever of address and data comes first is held until the other is there.
  logic        addr_held_q, data_held_q;
  logic [11:0] addr_q;
  logic [31:0] data_q, wdata;
  logic [3:0]  strobe_q, wstrb;
  logic        write, write_layer;
  logic [11:0] waddr;
  logic [IndexWidth-1:0] windex;
  logic [1:0]  write_resp;
  dla_error_e  write_cause;
  ctrl_reg_t   ctrl;
  assign ctrl        = ctrl_reg_t'(wdata);
  assign awready_o   = !addr_held_q && !bvalid_o;
  assign wready_o    = !data_held_q && !bvalid_o;
  assign write       = !bvalid_o && (addr_held_q || awvalid_i) && (data_held_q || wvalid_i);
  assign waddr       = addr_held_q ? addr_q : awaddr_i;
  assign wdata       = data_held_q ? data_q : wdata_i;
  assign wstrb       = data_held_q ? strobe_q : wstrb_i;
  assign write_layer = waddr >= FirstLayerOffset && waddr < FirstLayerOffset + 12'(4 * NumLayerRegs);
  assign windex      = IndexWidth'((waddr - FirstLayerOffset) >> 2);
  always_comb begin
    write_resp  = Okay;
    write_cause = ErrorNone;
    if (write) begin
      if (wstrb != 4'hf || waddr[1:0] != '0 ||
          !(write_layer || waddr inside {CtrlOffset, ErrorOffset, IrqEnableOffset, IrqStatusOffset, WatchdogOffset,
                                         ListAddrOffset, ListLimitOffset})) begin
        write_resp  = SlvErr;
        write_cause = ErrorBadAccess;
      end else if ((busy_i && (write_layer || waddr inside {WatchdogOffset, ListAddrOffset, ListLimitOffset})) ||
                   ((busy_i || draining_i) && waddr == CtrlOffset && (ctrl.start || ctrl.run_list))) begin
        write_resp  = SlvErr;
        write_cause = ErrorBusy;
      end
    end
  end

  logic command;
  assign command      = write && write_resp == Okay && waddr == CtrlOffset;
  assign start_o      = command && ctrl.start && !ctrl.run_list && !ctrl.reset;
  assign list_start_o = command && ctrl.run_list && !ctrl.reset;
  assign reset_o      = command && ctrl.reset;

  // Reads.
  logic        read;
  logic [31:0] rdata;
  logic [1:0]  read_resp;
  logic [4:0]  counter;
  assign arready_o = !rvalid_o;
  assign read      = arvalid_i && arready_o;
  assign counter   = 5'((araddr_i - FirstCounterOffset) >> 2);
  always_comb begin
    rdata     = '0;
    read_resp = Okay;
    if (read) begin
      if (araddr_i[1:0] != '0) begin
        read_resp = SlvErr;
      end else if (araddr_i >= FirstLayerOffset && araddr_i < FirstLayerOffset + 12'(4 * NumLayerRegs)) begin
        rdata = layer_q[IndexWidth'((araddr_i - FirstLayerOffset) >> 2)];
      end else if (araddr_i >= FirstCounterOffset && araddr_i < FirstCounterOffset + 12'(4 * NumCounters)) begin
        rdata = counters_i[32*counter+:32];
      end else begin
        unique case (araddr_i)
          IdOffset:            rdata = IdReset;
          VersionOffset:       rdata = VersionReset;
          GeometryArrayOffset: rdata = GeometryArray;
          GeometrySpadsOffset: rdata = GeometrySpads;
          GeometryGlbOffset:   rdata = GeometryGlb;
          GeometryNetworksOffset: rdata = GeometryNetworks;
          CtrlOffset:          rdata = '0;
          StatusOffset:        rdata = {28'b0, draining_i, error_q, done_q, busy_i};
          ErrorOffset:         rdata = {error_q, 23'b0, 8'(cause_q)};
          IrqEnableOffset:     rdata = {30'b0, irq_enable_q};
          IrqStatusOffset:     rdata = {30'b0, irq_status_q};
          WatchdogOffset:      rdata = watchdog_q;
          ErrorAddrOffset:     rdata = error_addr_q;
          ListAddrOffset:      rdata = list_addr_q;
          ListLimitOffset:     rdata = 32'(list_limit_q);
          ListLayerOffset:     rdata = 32'(list_layer_i);
          default:             read_resp = SlvErr;
        endcase
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      addr_held_q  <= 1'b0;
      data_held_q  <= 1'b0;
      bvalid_o     <= 1'b0;
      rvalid_o     <= 1'b0;
      bresp_o      <= Okay;
      rresp_o      <= Okay;
      rdata_o      <= '0;
      layer_q      <= '0;
      done_q       <= 1'b0;
      error_q      <= 1'b0;
      cause_q      <= ErrorNone;
      irq_enable_q <= '0;
      irq_status_q <= '0;
      watchdog_q   <= '0;
      error_addr_q <= '0;
      list_addr_q  <= '0;
      list_limit_q <= '0;
    end else begin
      if (bready_i) bvalid_o <= 1'b0;
      if (rready_i) rvalid_o <= 1'b0;
      if (read) begin
        rvalid_o <= 1'b1;
        rdata_o  <= rdata;
        rresp_o  <= read_resp;
        if (read_resp != Okay && !error_q) begin
          error_q <= 1'b1;
          cause_q <= ErrorBadAccess;
        end
      end
      addr_held_q <= !write && (addr_held_q || (awvalid_i && awready_o));
      data_held_q <= !write && (data_held_q || (wvalid_i && wready_o));
      if (write) begin
        bvalid_o <= 1'b1;
        bresp_o  <= write_resp;
        if (write_resp != Okay) begin
          if (!error_q) begin
            error_q <= 1'b1;
            cause_q <= write_cause;
          end
        end else if (write_layer) begin
          layer_q[windex] <= wdata;
        end else begin
          unique case (waddr)
            CtrlOffset: begin
              if (ctrl.start || ctrl.run_list || ctrl.reset) begin
                done_q  <= 1'b0;
                error_q      <= 1'b0;
                cause_q      <= ErrorNone;
                error_addr_q <= '0;
              end
            end
            ErrorOffset: begin
              if (wdata[31]) begin
                error_q <= 1'b0;
                cause_q <= ErrorNone;
              end
            end
            IrqEnableOffset: irq_enable_q <= wdata[1:0];
            WatchdogOffset:  watchdog_q <= wdata;
            ListAddrOffset:  list_addr_q <= wdata;
            ListLimitOffset: list_limit_q <= wdata[15:0];
            default:         irq_status_q <= irq_status_q & ~wdata[1:0];
          endcase
        end
      end
      for (int unsigned k = 0; k < BusBytes / 4; k++) begin
        if (entry_valid_i && 32'(7'(entry_word_i + 7'(k))) < NumLayerRegs) begin
          layer_q[IndexWidth'(entry_word_i + 7'(k))] <= entry_words_i[32*k+:32];
        end
      end
      if (done_i) begin
        done_q          <= 1'b1;
        irq_status_q[0] <= 1'b1;
      end
      if (failed_i) begin
        error_q         <= 1'b1;
        cause_q         <= cause_i;
        error_addr_q    <= error_addr_i;
        irq_status_q[1] <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (awready_o) addr_q <= awaddr_i;
    if (wready_o) begin
      data_q   <= wdata_i;
      strobe_q <= wstrb_i;
    end
  end

  `DLA_ASSERT_STREAM(WriteResponse, bvalid_o, bready_i, bresp_o)
  `DLA_ASSERT_STREAM(ReadData, rvalid_o, rready_i, {rresp_o, rdata_o})
endmodule
