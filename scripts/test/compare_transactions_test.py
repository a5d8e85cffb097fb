# SPDX-License-Identifier: Apache-2.0
"""scripts/compare_transactions says how long equal traces are, and shows where different ones part."""
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACE = """\
         0  layer   conv1
        51  ctrl    start
       100  load    read    0x80000000  16
       110  array   start   0
       120  array   start   1
       130  array   start   2
       140  ctrl    end     0
       143  irq     high
"""


class CompareTransactionsTest(unittest.TestCase):
    def compare(self, rtl, systemc):
        """(exit status, what was printed)."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder, name) for name in ("rtl.txt", "systemc.txt")]
            for path, text in zip(paths, (rtl, systemc)):
                path.write_text(text)
            done = subprocess.run([ROOT / "scripts/compare_transactions", *paths], capture_output=True, text=True)
            return done.returncode, done.stdout.replace(folder + "/", "")

    def test_equal_traces(self):
        self.assertEqual(self.compare(TRACE, TRACE), (0, "equal: 8 events, 89 cycles\n"))

    def test_cycles_of_several_layers_add_up(self):
        self.assertEqual(self.compare(TRACE + TRACE, TRACE + TRACE), (0, "equal: 16 events, 178 cycles\n"))

    def test_a_difference_is_shown_after_what_was_before_it(self):
        status, printed = self.compare(TRACE, TRACE.replace("120  array", "121  array"))
        self.assertEqual(status, 1)
        lines = printed.splitlines()
        self.assertEqual(lines[0], "they part after 4 equal events; - is rtl.txt, + is systemc.txt")
        self.assertEqual(lines[1:5], [f"  {line}" for line in TRACE.splitlines()[:4]])
        self.assertEqual(lines[5:9], [f"- {line}" for line in TRACE.splitlines()[4:]])
        self.assertEqual(lines[9], "+        121  array   start   1")

    def test_a_trace_that_ends_early_differs(self):
        status, printed = self.compare(TRACE, "".join(TRACE.splitlines(True)[:-1]))
        self.assertEqual((status, printed.splitlines()[-2:]), (1, ["-        143  irq     high", "+ (no more events)"]))

    def test_a_missing_file_is_named(self):
        done = subprocess.run([ROOT / "scripts/compare_transactions", "none.txt", "none.txt"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (1, "none.txt: No such file or directory; give two files of test_dla --transactions\n"))


if __name__ == "__main__":
    unittest.main()
