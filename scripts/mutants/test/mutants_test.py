# SPDX-License-Identifier: Apache-2.0
"""Where the RTL may be changed, that a copy with changes is otherwise the RTL, and what a run says of who noticed."""
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

MUTANTS = pathlib.Path(__file__).resolve().parents[1]
ROOT = MUTANTS.parents[1]
sys.path.insert(0, str(MUTANTS))

from design import Design
from draw import draw, shares
from mutate import mutated, write_copy
from sites import KINDS, other_number, plain
from tokens import SourceError
from verdicts import name_of, read_verdicts

# Every name with an x in it stands where nothing may be changed.
MODULE = """// A head.
`include "dla_assert.svh"
module dla_small #(parameter int unsigned Width = 8 + 1, localparam int unsigned X = $clog2(Width - 1)) (
  input logic clk_i, input logic rst_ni, input logic [Width-1:0] a_i, output logic [7:0] b_o
);
  typedef enum logic [1:0] {Idle, Busy, Done} state_e;
  state_e state_q;
  logic [7:0] sum, seen_x;  // a_i + x
  assign sum = a_i * 8'd3 + b_o;
  assign seen_x = sum - 1;
  function automatic int unsigned half_x(input int unsigned x); return x / 2 - 1; endfunction
  localparam int unsigned HalfX = half_x(Width);
  if (Width - 1 > 2) begin : gen_x
    dla_other #(.Size(Width - 1)) u_other (.clk_i, .in_i(sum == '0 || a_i[0]), .out_o());
  end
  always_comb begin
    case (state_q)
      Idle: b_o = 8'(Width);
      default: b_o = {sum[3:0], 4'hf};
    endcase
    if (sum < a_i) b_o = sum;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= Idle;
    else for (int unsigned x = 0; x < Width + 1; x++) if (a_i[x] && sum[0]) state_q <= Done;
  end
  `DLA_ASSERT(SeenX, seen_x + 1 != sum)
`ifndef SYNTHESIS
  initial seen_x = sum + 1;
`endif
endmodule
"""


def design_of(*texts):
    """The design of these modules, which a folder has only while it is read."""
    with tempfile.TemporaryDirectory() as folder:
        names = [re.search(r"^(?:module|package) (\w+)", text, re.M).group(1) for text in texts]
        for name, text in zip(names, texts):
            pathlib.Path(folder, f"{name}.sv").write_text(text)
        pathlib.Path(folder, "dla.f").write_text("// All.\n" + "".join(f"{name}.sv // one\n" for name in names))
        return Design(pathlib.Path(folder, "dla.f"))


def with_picked(text, number):
    """A copy's source as it is where `number` is picked: no choices left."""
    at = text.find("dla_mutant::picked")
    while at >= 0:
        if text[at - 1] == "(" and text.startswith("== ", at + 19):
            chosen, first, end = _choice(text, at)
            text = text[: at - 1] + (first if chosen == number else end[0]) + text[end[1] :]
        else:
            match = re.compile(r"begin if \(dla_mutant::picked != (\d+)\) (.*?;) end", re.S).match(text, at - 10)
            text = text[: at - 10] + ("" if int(match.group(1)) == number else match.group(2)) + text[match.end() :]
        at = text.find("dla_mutant::picked")
    return text


def _choice(text, at):
    """Of `(dla_mutant::picked == N ? (A) : (B))`: N, A, and B with the end of all."""
    match = re.compile(r"dla_mutant::picked == (\d+) \? \(").match(text, at)
    first_end = _closing(text, match.end() - 1)
    second = first_end + len(") : ")
    second_end = _closing(text, second)
    return int(match.group(1)), text[match.end() : first_end], (text[second + 1 : second_end], second_end + 2)


def _closing(text, opener):
    depth = 0
    for i in range(opener, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i
    raise AssertionError("not closed")


def bare(text):
    """Words without spaces and parentheses, which a change may bring."""
    return re.sub(r"[\s()]", "", plain(text))


class SitesTest(unittest.TestCase):
    def test_every_kind_is_found_and_nothing_settled_before(self):
        sites = design_of(MODULE).sites["dla_small"]
        found = collections.defaultdict(set)
        for site in sites:
            found[site.kind].add(site.before)
        self.assertEqual(
            found["operator"],
            {"a_i * 8'd3 + b_o", "a_i * 8'd3", "sum == '0 || a_i[0]", "sum == '0", "sum < a_i", "a_i[x] && sum[0]"},
        )
        self.assertEqual(found["constant"], {"8'd3", "'0", "0", "4'hf", "Idle", "Done"})
        self.assertEqual(found["condition"], {"sum < a_i", "a_i[x] && sum[0]"})
        self.assertEqual(found["dropped assignment"], {"state_q <= Idle;", "state_q <= Done;"})
        self.assertEqual({site.after for site in sites if site.before == "Done"}, {"Idle"})

    def test_an_assignment_with_a_default_before_it_may_be_dropped(self):
        text = MODULE.replace("case (state_q)", "b_o = '0;\n case (state_q)")
        dropped = {site.before for site in design_of(text).sites["dla_small"] if site.kind == "dropped assignment"}
        self.assertTrue({"b_o = sum;", "b_o = 8'(Width);"} <= dropped)
        self.assertNotIn("b_o = '0;", dropped)

    def test_checkers_and_generated_files_stay_as_they_are(self):
        checker = "module dla_a_checker(input a_i); dla_part u(.a_i(a_i && a_i)); endmodule\n"
        part = "module dla_part(input a_i); assign b = a_i && a_i; endmodule\n"
        generated = "// Generated by a script.\n" + part.replace("dla_part", "dla_made")
        top = "module dla_top(input a_i); dla_a_checker u(.a_i(a_i)); dla_made v(.a_i(!a_i)); endmodule\n"
        self.assertEqual(
            {name: len(sites) for name, sites in design_of(checker, part, generated, top).sites.items()}, {"dla_top": 1}
        )

    def test_numbers_keep_their_width(self):
        self.assertEqual(
            [other_number(text, "") for text in ("1'b1", "1'b0", "'0", "'1", "0", "2'bx0")],
            ["1'b0", "1'b1", "'1", "'0", "1", None],
        )
        self.assertIn(other_number("4'hf", ""), ("4'h0", "4'he"))
        self.assertIn(other_number("15'sd1", ""), ("15'sd0", "15'sd2"))

    def test_a_source_that_cannot_be_read_says_where(self):
        with self.assertRaisesRegex(SourceError, r"dla_small\.sv: .*`\)`"):
            design_of(MODULE.replace("sum < a_i", "sum < "))


class CopyTest(unittest.TestCase):
    def test_picking_a_number_makes_that_change_only(self):
        design = Design(ROOT / "sim/rtl/dla.f")
        for name in ("dla_pkg", "dla_fifo", "dla_filter_feed", "dla_store", "dla_top"):
            text, head = design.texts[name], design.first_line(name)
            numbered = list(enumerate(design.sites[name], 1))
            copy = mutated(text, head, numbered).replace('`include "dla_mutant.svh"\n', "")
            self.assertEqual(bare(with_picked(copy, 0)), bare(text), name)
            for number, site in numbered[::7]:
                after = "".join(part if isinstance(part, str) else text[part[0] : part[1]] for part in site.parts)
                self.assertEqual(
                    bare(with_picked(copy, number)), bare(text[: site.start] + after + text[site.end :]), site
                )

    @unittest.skipUnless(shutil.which("verilator"), "no verilator here")
    def test_verilator_reads_all_changes_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            write_copy(ROOT / "sim/rtl", pathlib.Path(folder), 1, 10**6)
            sources = re.findall(r"^src/\w+\.sv", pathlib.Path(folder, "dla.f").read_text(), re.M)
            done = subprocess.run(
                [
                    "verilator",
                    "--lint-only",
                    "--assert",
                    "-Wno-lint",
                    "-Wno-style",
                    "--top-module",
                    "dla_top",
                    "-Iinclude",
                    *sources,
                ],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))

    def test_what_says_the_same_is_not_written_again(self):
        with tempfile.TemporaryDirectory() as folder:
            write_copy(ROOT / "sim/rtl", pathlib.Path(folder), 1, 200)
            times = {path: path.stat().st_mtime_ns for path in pathlib.Path(folder).rglob("*.*")}
            write_copy(ROOT / "sim/rtl", pathlib.Path(folder), 1, 200)
            self.assertEqual({path: path.stat().st_mtime_ns for path in times}, times)


class DrawTest(unittest.TestCase):
    def test_places_go_by_size_and_none_is_left_out(self):
        self.assertEqual(shares({"a": 900, "b": 90, "c": 9, "none": 0}, 20), {"a": 18, "b": 1, "c": 1})
        self.assertEqual(shares({"a": 2, "b": 1}, 200), {"a": 2, "b": 1})

    def test_200_of_the_rtl(self):
        sites = Design(ROOT / "sim/rtl/dla.f").sites
        drawn = draw(sites, 1, 200)
        self.assertEqual(len({site.key for site in drawn}), 200)
        self.assertEqual({site.file for site in drawn}, set(sites))
        kinds = collections.Counter(site.kind for site in drawn)
        self.assertTrue(all(40 <= kinds[kind] <= 60 for kind in KINDS), kinds)
        self.assertEqual([site.key for site in draw(sites, 1, 200)], [site.key for site in drawn])
        self.assertGreater(len({site.key for site in draw(sites, 2, 200)} - {site.key for site in drawn}), 100)

    def test_a_line_more_moves_no_other(self):
        more = MODULE.replace("  always_comb", "  // A line.\n  always_comb", 1)
        keys = [{site.key for site in draw(design_of(text).sites, 1, 8)} for text in (MODULE, more)]
        self.assertEqual(*keys)


class RunTest(unittest.TestCase):
    """A run of scripts/mutants, in a copy, over tests that are shell scripts."""

    TEST = "#!/bin/sh\ncase $MUTANT in 1) exit 1 ;; 3) kill -SEGV $$ ;; 4) exit 1 ;; esac\n"
    LOOPING_TEST = TEST.replace("4) exit 1", "4) while :; do :; done")

    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        shutil.copytree(MUTANTS.parent, self.root / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
        (self.root / "scripts/mutants/tests.txt").write_text("# Comment.\nsome_test --quick | CASES=3\n")
        (self.root / "build/bin").mkdir(parents=True)
        (self.root / "build/rtl").mkdir()
        self.write_test("some_test", self.TEST)
        sites = draw(design_of(MODULE).sites, 1, 4)
        self.rows = [
            {**{f: getattr(site, f) for f in ("kind", "file", "line", "where", "before", "after", "twin")}, "number": n}
            for n, site in enumerate(sites, 1)
        ]
        names = [name_of(row) for row in self.rows]
        (self.root / "build/rtl/mutants.json").write_text(
            json.dumps({"seed": 5, "inside": {}, "names": names, "mutants": self.rows})
        )
        self.explain("")

    def write_test(self, name, text):
        path = self.root / "build/bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def explain(self, text):
        (self.root / "scripts/mutants/equivalent.txt").write_text(text)

    def run_all(self):
        command = ["python3", "-B", self.root / "scripts/mutants/run.py", self.root / "build", self.root / "mutants.md"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_a_survivor_without_a_reason_fails_the_run(self):
        self.write_test("some_test", self.LOOPING_TEST)
        done = self.run_all()
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, f"not caught: line {self.rows[1]['line']} of {name_of(self.rows[1])}\n")
        page = (self.root / "mutants.md").read_text()
        self.assertIn("3 of 4 changes caught; 0 that nothing can see; 1 not caught", page)
        self.assertRegex(page, r"\| some_test \| CASES=3 \| [\d.]+ \| 3 \| 1 \|")
        self.assertIn("**Not caught.**", page)

    def test_a_reason_is_reported(self):
        self.explain(f"# Comment.\n{name_of(self.rows[1])}\n  It is never\n  read.\n")
        done = self.run_all()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("It is never read.", (self.root / "mutants.md").read_text())

    def test_a_reason_that_is_not_needed_is_said(self):
        self.explain("".join(f"{name_of(self.rows[n])}\n  Why.\n" for n in (0, 1)) + "dla_small: gone\n  Why.\n")
        done = self.run_all()
        self.assertEqual(done.returncode, 0)
        self.assertIn(f"calls it invisible, some_test sees it: {name_of(self.rows[0])}", done.stderr)
        self.assertIn("equivalent.txt names a change that is not there: dla_small: gone", done.stderr)

    def test_tests_must_pass_without_a_change(self):
        self.write_test("some_test", "#!/bin/sh\nexit 1\n")
        done = self.run_all()
        self.assertEqual((done.returncode, done.stderr), (1, "without a change of the RTL these fail: some_test\n"))

    def test_the_reasons_in_the_repository_are_readable(self):
        for name, reason in read_verdicts(MUTANTS / "equivalent.txt").items():
            self.assertRegex(name, r"^dla_\w+( \(#\d+\))?: ")
            self.assertGreater(len(reason), 20, name)


if __name__ == "__main__":
    unittest.main()
