# SPDX-License-Identifier: Apache-2.0
"""make evidence in a made-up repository: what it runs, what it leaves, and what its table says."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import evidence
import provenance

ROWS = """# A comment.
area | area.md area.json | area | the area | rtl
pair | pair.md | pair SEED=1; pair SEED=2 | two runs | rtl model
"""
MAKEFILE = """area pair:
\t@echo $@ $(SEED) >>ran.txt
\t@! test -e fails-$@$(SEED)
\t@python3 -B write_report.py $@
"""
# A report as scripts write it; it fails where a file says so.
WRITE_REPORT = """import os, pathlib, sys
sys.path.insert(0, "scripts")
from provenance import made_by, write_report
from variables import load_variables
name, v = sys.argv[1], load_variables()
passed = not os.path.exists(f"says-failed-{name}")
write_report(f"reports/{name}.md", f"# Of {name}\\n\\n{made_by(name, v, 'git')}.\\n", passed)
sys.exit(not passed)
"""


class RunEvidenceTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in (
            "run_evidence",
            "evidence.py",
            "logged_run.py",
            "markdown_table.py",
            "programs.py",
            "provenance.py",
            "report/versions.py",
            "variables.py",
            "variables.txt",
        ):
            self.write(f"scripts/{name}", (ROOT / "scripts" / name).read_text())
        (self.root / "scripts/run_evidence").chmod(0o755)
        for part in ("sim/common/backends.def", "sim/spec/dram_presets.def", "sim/spec/machines/eyeriss_6x8.json"):
            self.write(part, (ROOT / part).read_text())
        for part, text in (
            ("scripts/evidence.txt", ROWS),
            ("Makefile", MAKEFILE),
            ("write_report.py", WRITE_REPORT),
            ("rtl/a.sv", ""),
            ("model/a.cpp", ""),
            ("models/vgg8_cifar10_power2.onnx", ""),
            (".gitignore", "build\n*.txt\n!scripts/*.txt\n*fail*\n"),
            ("reports/area.json", "{}"),
        ):
            self.write(part, text)
        self.git("init", "-q")
        self.commit()

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def git(self, *words):
        words = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words]
        return subprocess.run(words, cwd=self.root, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-qm", "all")

    def renew(self, status=0, **variables):
        """What make evidence prints, and what it ran."""
        ran = self.root / "ran.txt"
        ran.unlink(missing_ok=True)
        environment = {"PATH": os.environ["PATH"], "BUILD": "build", "MAKEFLAGS": " -- ONLY=all", **variables}
        done = subprocess.run([self.root / "scripts/run_evidence"], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout + done.stderr, ran.read_text().split("\n")[:-1] if ran.exists() else []

    def table(self):
        return evidence.read_table((self.root / "reports/README.md").read_text())[2]

    def results(self):
        return [(line[0], *line[5::2]) for line in self.table()]

    def test_what_is_stale_is_renewed(self):
        said, ran = self.renew()
        self.assertEqual(ran, ["area", "pair 1", "pair 2"])
        self.assertRegex(said, r"area +missing +stale\n")
        self.assertRegex(said, r"\[2/2\] pair: passed, \d s\nreports/README.md: 2 of 2 renewed\n$")
        commit = self.git("rev-parse", "--short", "HEAD")
        self.assertRegex(
            " | ".join(self.table()[1]),
            (
                rf"\[pair.md\]\(pair.md\) \| two runs \| `make pair SEED=2` \| {commit} \| [\d-]+ \| passed \| \d s \|"
                r" fresh"
            ),
        )
        self.assertEqual(self.renew()[1], [])
        self.assertIn("nothing to renew", self.renew()[0])
        self.write("rtl/README.md", "A document.")
        self.write("model/b.cpp", "")
        self.commit()
        self.assertRegex(
            self.renew(ONLY="none")[0], r"area +passed +fresh +\d s\n +pair +passed +stale: 1 commit since"
        )
        self.assertEqual(self.renew()[1], ["pair 1", "pair 2"])

    def test_what_is_made_behind_a_commit_of_reports_names_the_commit_of_the_sources(self):
        self.renew()
        sources = self.git("rev-parse", "--short", "HEAD")
        self.git("add", "reports")
        self.git("commit", "-qm", "reports", "--", "reports")
        (self.root / "reports/area.md").unlink()
        self.renew()
        self.assertEqual({line[3] for line in self.table()}, {sources})

    def test_a_failure_runs_again_and_what_passed_does_not(self):
        self.write("fails-pair2", "")
        self.assertEqual(self.renew(1)[1], ["area", "pair 1", "pair 2"])
        self.assertEqual(
            self.results(),
            [("[area.md](area.md)", "passed", "fresh"), ("[pair.md](pair.md)", "passed", "stale: another command")],
        )
        self.git("add", "reports")
        self.git("commit", "-qm", "The reports alone.")
        (self.root / "fails-pair2").unlink()
        self.write("says-failed-pair", "")
        said, ran = self.renew(1)
        self.assertEqual(ran, ["pair 2"])
        self.assertIn("pair: failed, see build/evidence/pair2.log", said)
        self.assertEqual(self.results()[1], ("[pair.md](pair.md)", "failed", "fresh"))

    def test_names_are_renewed_once_on_the_same_sources(self):
        self.renew(ONLY="area")
        self.assertEqual(self.renew(ONLY="all")[1], ["pair 1", "pair 2"])
        self.assertEqual(self.renew(ONLY="all")[1], [])
        self.write("other", "")
        self.commit()
        self.assertEqual(self.renew()[1], [])
        self.assertEqual(self.renew(ONLY="area,pair")[1], ["area", "pair 1", "pair 2"])
        self.assertIn(
            "ONLY=none,area: no report none; choose all, none, or of area,pair\n", self.renew(2, ONLY="none,area")[0]
        )
        self.assertIn("SEED=4: make evidence takes", self.renew(2, SEED="4")[0])

    def test_changes_that_nobody_committed(self):
        self.write("Makefile", MAKEFILE + "\t@echo . >>rtl/a.sv\n")
        self.assertRegex(self.renew(2)[0], r"^make evidence: there are uncommitted changes")
        self.assertIn("missing", self.renew(ONLY="none")[0])
        self.commit()
        said, ran = self.renew(2)
        self.assertEqual(ran, ["area"])
        self.assertIn("make evidence: the sources have changed meanwhile; commit them, and run it again", said)

    def test_reports_that_are_stale_for_another_reason(self):
        self.renew()
        report = self.root / "reports/area.md"
        text = report.read_text()[: -len(provenance.seal("passed", ""))]
        for old, new, state in (
            ("make area", "make area SEED=3", "stale: another command"),
            (r"commit \w+", "commit 1234567", "stale: unknown commit"),
        ):
            changed = re.sub(old, new, text)
            report.write_text(changed + provenance.seal("passed", changed))
            self.renew(ONLY="none")
            self.assertEqual(self.results()[0], ("[area.md](area.md)", "passed", state))
        report.write_text(text)
        self.renew(ONLY="none")
        self.assertEqual(self.results()[0][1:], ("passed", "stale: no seal"))


class ReadReportTest(unittest.TestCase):
    MADE = "`make synth` on 2026-11-26 at commit 1234567; yosys 0.23, g++ 12.2.0"

    def result(self, made, text="", verdict="passed"):
        whole = f"# Title\n\n{made}, and more.\n\n{text}\n"
        return evidence.read_report(whole + provenance.seal(verdict, whole)).result

    def test_results(self):
        for text in ("", "3 steps, of which 0 failed", "10 caught; 0 not caught", "| not caught |\n|---|\n| 1 |"):
            self.assertEqual(self.result(self.MADE, text), "passed", text)
        for text in (
            "3 steps, of which 1 failed",
            "| a step | 3 | failed |",
            "188 caught; 12 not caught",
            "2 uncaught",
        ):
            self.assertEqual(self.result(self.MADE, text), "failed", text)
        self.assertEqual(self.result(self.MADE, verdict="failed"), "failed")
        self.assertEqual(self.result(self.MADE.replace(";", ", with changes;")), "with changes")
        for made in (
            self.MADE.replace(";", ", but one bench of the commit behind it;"),
            "By hand",
            self.MADE.replace("yosys 0.23", "all tools"),
        ):
            self.assertEqual(self.result(made), "mended by hand")

    def test_a_change_behind_the_seal_is_noticed(self):
        whole = f"# Title\n\n{self.MADE}.\n\n12 %\n"
        sealed = whole + provenance.seal("failed", whole)
        self.assertEqual(evidence.read_report(sealed).result, "failed")
        for old, new in (("12 %", "13 %"), ("<!-- failed", "<!-- passed")):
            self.assertEqual(evidence.read_report(sealed.replace(old, new)).result, "mended by hand")


if __name__ == "__main__":
    unittest.main()
