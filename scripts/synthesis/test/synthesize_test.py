# SPDX-License-Identifier: Apache-2.0
"""What a synthesis counts, on a design small enough to count by hand, and which designs it refuses."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path[:0] = [str(folder) for folder in pathlib.Path(__file__).resolve().parents[1:3]]

import liberty
import report
import rules
from machine import Machine, top_parameters
from netlist import Netlist, find_memories
from synthesis_error import SynthesisError
from timing import Path, longest_paths
from yosys import Yosys, base_name

PROGRAM = pathlib.Path(__file__).resolve().parents[1] / "synthesize.py"
TOOLS = shutil.which("yosys") and shutil.which("sta") and liberty.CELLS.exists()

# Two stages of five flip-flops, and a memory of 32 words.
DESIGN = """
module dla_stage #(parameter Width = 4) (input clk_i, input [Width-1:0] d_i, output reg [Width-1:0] q_o);
  always @(posedge clk_i) q_o <= ~d_i;
endmodule
module dla_store(input clk_i, input write_i, input [4:0] to_i, from_i, other_i, input [31:0] data_i,
                 output reg [31:0] data_o, more_o);
  reg [31:0] words_q [0:31];
  always @(posedge clk_i) begin
    if (write_i) words_q[to_i] <= data_i;
    data_o <= words_q[from_i];
    MORE
  end
endmodule
module dla_top(input clk_i, input rst_ni, input write_i, input [4:0] d_i, from_i, output [31:0] data_o, more_o,
               output [4:0] q_o);
  wire [4:0] first;
  dla_stage #(.Width(5)) u_first (.clk_i(clk_i), .d_i(d_i), .q_o(first));
  dla_stage #(.Width(5)) u_second (.clk_i(clk_i), .d_i(first), .q_o(q_o));
  dla_store u_store (.clk_i(clk_i), .write_i(write_i), .to_i(first), .from_i(from_i), .other_i(d_i),
                    .data_i({8{first[3:0]}}), .data_o(data_o), .more_o(more_o));
endmodule
"""
ONE_PORT = DESIGN.replace("MORE", "more_o <= 0;")
TWO_PORTS = DESIGN.replace("MORE", "more_o <= words_q[other_i];")

# A module's body, and a word of the line that refuses it.
REFUSED = {
    "latch": ("output reg y_o, input a_i, b_i", "always @* if (a_i) y_o = b_i;", "DLATCH"),
    "loop": ("output y_o, input a_i, b_i", "wire n = ~(y_o & a_i); assign y_o = ~(n & b_i);", "loop"),
    "several drivers": ("output y_o, input a_i, b_i", "assign y_o = a_i; assign y_o = b_i;", "driver"),
    "no driver": ("output y_o, input a_i, b_i", "wire n; assign y_o = n & a_i;", "driver"),
}
LOOP_OF_TWO = """
module dla_half(input a_i, b_i, output y_o); assign y_o = ~(a_i & b_i); endmodule
module dla_top(input clk_i, rst_ni, input s_i, r_i, output y_o);
  wire n;
  dla_half u_a (.a_i(s_i), .b_i(n), .y_o(y_o));
  dla_half u_b (.a_i(r_i), .b_i(y_o), .y_o(n));
endmodule
"""


@unittest.skipUnless(TOOLS, "no yosys, OpenSTA or qflow-tech-osu018 here")
class SynthesizeTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def synthesize(self, text, module=None):
        source = self.folder / "design.v"
        source.write_text(text, encoding="utf-8")
        yosys = Yosys(self.folder, source)
        memories = find_memories(yosys.elaborate("dla_top", {}, module))
        netlist = Netlist(yosys.map(memories), memories)
        return netlist, longest_paths(self.folder, netlist)

    def test_modules_are_counted_as_often_as_they_are_there(self):
        netlist, _ = self.synthesize(ONE_PORT)
        stage = next(module for module in netlist.modules.values() if module.name == "dla_stage")
        self.assertEqual((stage.flip_flops, netlist.count(stage)), (5, 2))
        self.assertEqual(report.totals(netlist)[1:], (10, 32 * 32))

    def test_area_is_that_of_the_cells(self):
        netlist, _ = self.synthesize(ONE_PORT, "dla_stage")
        self.assertEqual(netlist.top.area, 5 * (liberty.areas()["DFFPOSX1"] + liberty.areas()["INVX1"]))

    def test_a_memory_has_its_ports(self):
        for text, reads in ((ONE_PORT, 1), (TWO_PORTS, 2)):
            (memory,) = self.synthesize(text)[0].memories.values()
            self.assertEqual((memory.entries, memory.width, memory.reads, memory.writes), (32, 32, reads, 1))
            self.assertEqual(memory.fits_macro, reads == 1)

    def test_a_memory_of_two_ports_breaks_a_rule(self):
        self.assertEqual(rules.port_faults(self.synthesize(ONE_PORT)[0]), [])
        self.assertEqual(
            rules.port_faults(self.synthesize(TWO_PORTS)[0]),
            ["dla_store.words_q: 2 read and 1 write ports; a memory has at most one of each"],
        )

    def test_the_program_ends_with_3_and_a_line_where_a_rule_is_broken(self):
        for text, status, said in (
            (ONE_PORT, 0, ""),
            (TWO_PORTS, 3, "dla_store.words_q: 2 read and 1 write ports"),
            (LOOP_OF_TWO, 1, "loop"),
        ):
            (self.folder / "dla.v").write_text(text, encoding="utf-8")
            done = subprocess.run(
                [sys.executable, "-B", str(PROGRAM), "eyeriss_6x8", "dla.v", "here"],
                cwd=self.folder,
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual(done.stderr.count("\n"), bool(said), done.stderr)
            self.assertIn(said, done.stderr)
            self.assertEqual("| memory |" in done.stdout, status != 1)

    def test_figures_say_what_the_tables_say(self):
        netlist, paths = self.synthesize(TWO_PORTS)
        machine = Machine("eyeriss_6x8", TWO_PORTS)
        figures = report.figures(machine, netlist, paths)
        self.assertEqual(figures["machine"]["name"], "eyeriss_6x8")
        self.assertEqual(figures["machine"]["glb_bytes"], 65536)
        self.assertEqual(
            {one["module"]: one["units"] for one in figures["modules"]},
            {"dla_top": {"top": 1}, "dla_stage": {"first": 1, "second": 1}, "dla_store": {"store": 1}},
        )
        (memory,) = figures["memories"]
        self.assertEqual((memory["words"], memory["bits"], memory["reads"], memory["instances"]), (32, 32, 2, 1))
        self.assertAlmostEqual(
            sum(one["gates"] * sum(one["units"].values()) for one in figures["modules"]), report.totals(netlist)[0]
        )

    def test_paths_end_in_each_module(self):
        _, paths = self.synthesize(ONE_PORT)
        by_module = {path.module: path for path in paths}
        self.assertEqual(set(by_module), {"dla_stage", "dla_store", "dla_top"})
        # From the memory's data to the port that carries it, through nothing.
        self.assertAlmostEqual(by_module["dla_top"].ns, liberty.READ_NS, delta=0.05)
        self.assertEqual(by_module["dla_store"].start.rsplit("_", 1)[0], "u_first/q_o")

    def test_a_net_of_many_pins_gets_a_tree_of_buffers(self):
        stages = "".join(
            f"  dla_stage #(.Width(5)) u_{i} (.clk_i(clk_i), .d_i(d_i), .q_o(q_o[{5 * i}+:5]));\n" for i in range(40)
        )
        text = (
            ONE_PORT[: ONE_PORT.index("module dla_top")]
            + f"module dla_top(input clk_i, rst_ni, input [4:0] d_i, output [199:0] q_o);\n{stages}endmodule\n"
        )
        netlist, _ = self.synthesize(text)
        # 40 pins a bit: three buffers.
        self.assertEqual(netlist.top.area, 5 * 3 * liberty.areas()["BUFX4"])

    def test_what_a_chip_would_not_take_is_refused(self):
        for name, (ports, body, word) in REFUSED.items():
            text = f"module dla_top(input clk_i, rst_ni, {ports});\n{body}\nendmodule\n"
            with self.subTest(name), self.assertRaisesRegex(SynthesisError, word):
                self.synthesize(text)

    def test_a_loop_through_two_modules_is_refused(self):
        with self.assertRaisesRegex(SynthesisError, "loop"):
            self.synthesize(LOOP_OF_TWO)

    def test_an_unknown_module_is_named(self):
        with self.assertRaisesRegex(SynthesisError, "MODULE=dla_none.*dla_stage, dla_store, dla_top"):
            self.synthesize(ONE_PORT, "dla_none")


class RulesTest(unittest.TestCase):
    """Paths against a PE's."""

    @staticmethod
    def paths(**ns):
        return [Path(f"dla_{module}", length, 9, "a_q", "b_q") for module, length in ns.items()]

    def test_no_path_is_longer_than_1_2_times_the_pe(self):
        self.assertEqual(rules.path_faults(self.paths(pe=5.0, sram=6.0)), [])
        self.assertEqual(
            rules.path_faults(self.paths(sram=6.01, glb=7.0, pe=5.0)),
            [
                "dla_sram: 6.01 ns from a_q to b_q; at most 6.00 ns, 1.2 times a PE's 5.00 ns",
                "dla_glb: 7.00 ns from a_q to b_q; at most 6.00 ns, 1.2 times a PE's 5.00 ns",
            ],
        )

    def test_a_pe_has_the_clock_of_the_synthesis(self):
        self.assertEqual(rules.path_faults(self.paths(pe=7.1)), [])
        self.assertEqual(rules.path_faults(self.paths(pe=7.2)), ["dla_pe: 7.20 ns; at most 7.1 ns"])

    def test_a_module_without_pes_has_no_rule(self):
        self.assertEqual(rules.path_faults(self.paths(setup=60.0)), [])


class NamesTest(unittest.TestCase):
    def test_a_module_is_called_as_in_its_source(self):
        self.assertEqual(base_name("$paramod\\dla_fifo_970B5\\Depth=s32'0100"), "dla_fifo")
        self.assertEqual(base_name("$paramod$ad12\\dla_psum_in"), "dla_psum_in")
        self.assertEqual(base_name("dla_top"), "dla_top")

    def test_parameters_of_the_top_are_found(self):
        text = (
            "module dla_top (\n  a\n);\n\tparameter [31:0] Rows = 6;\n\tparameter signed [31:0] GlbBytes ="
            " 4;\n\tlocalparam X = 1;\nendmodule\n"
        )
        self.assertEqual(top_parameters(text), ["Rows", "GlbBytes"])


if __name__ == "__main__":
    unittest.main()
