# SPDX-License-Identifier: Apache-2.0
"""scripts/install_packages installs what is missing as root or through sudo, or prints the one command; it calls
nothing otherwise."""
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BY_HAND = "as root, run: apt-get update && apt-get install -y --no-install-recommends"


def packages(group):
    rows = (line.split() for line in (ROOT / "scripts/packages.txt").read_text().splitlines())
    return [row[1] for row in rows if row and row[0] == group]


class InstallPackagesTest(unittest.TestCase):
    """A fake system: dpkg-query knows what is `installed`, and apt-get, sudo and id write down how they are called."""

    def setUp(self):
        self.bin = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.calls = self.bin / "calls"
        for tool in ("bash", "dirname", "awk", "grep", "cat", "mktemp", "rm", "tail", "xargs", "sort", "env", "echo"):
            (self.bin / tool).symlink_to(subprocess.check_output(["which", tool], text=True).strip())

    def tool(self, name, script):
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def run_it(self, missing=(), root=True, sudo=True, apt_works=True, install="1", groups=()):
        lines = "".join(
            f"echo '<installed {p}>'\n"
            for g in (
                "build",
                "python",
                "report",
                "browser",
                "site",
                "networks",
                "node",
                "cross",
                "lint",
                "valgrind",
                "synth",
            )
            for p in packages(g)
            if p not in missing
        )
        self.tool("dpkg-query", lines + ("exit 1" if missing else "exit 0"))
        self.tool("id", f"echo {0 if root else 1000}")
        self.tool("apt-get", f'echo "apt-get $*" >>"{self.calls}"; echo apt words; exit {0 if apt_works else 100}')
        self.tool("sudo", f'[ "$2" = true ] && exit {0 if sudo else 1}; echo sudo >>"{self.calls}"; shift; exec "$@"')
        environment = {"PATH": str(self.bin), "INSTALL": install, "TMPDIR": str(self.bin)}
        return subprocess.run(
            [str(ROOT / "scripts/install_packages"), *groups], env=environment, capture_output=True, text=True
        )

    def called(self):
        return self.calls.read_text().splitlines() if self.calls.exists() else []

    def test_nothing_missing_calls_nothing_and_says_nothing(self):
        for install in ("0", "1"):
            done = self.run_it(install=install)
            self.assertEqual((done.returncode, done.stdout, done.stderr, self.called()), (0, "", "", []))

    def test_root_installs_only_what_is_missing(self):
        done = self.run_it(missing=["verilator", "ccache"])
        self.assertEqual(
            (done.returncode, done.stdout, done.stderr), (0, "installing with apt-get: ccache verilator\n", "")
        )
        self.assertEqual(
            self.called(), ["apt-get update", "apt-get install -y --no-install-recommends ccache verilator"]
        )

    def test_others_install_through_sudo(self):
        done = self.run_it(missing=["verilator"], root=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(
            self.called(), ["sudo", "apt-get update", "sudo", "apt-get install -y --no-install-recommends verilator"]
        )

    def test_without_root_and_sudo_it_prints_the_one_command(self):
        done = self.run_it(missing=["verilator"], root=False, sudo=False)
        self.assertEqual((done.returncode, self.called()), (1, []))
        self.assertEqual(
            done.stderr,
            f"packages are missing, and this is neither root nor a sudo without password; {BY_HAND} verilator\n",
        )

    def test_install_0_only_prints(self):
        done = self.run_it(missing=["verilator"], install="0")
        self.assertEqual(
            (done.returncode, self.called(), done.stderr), (1, [], f"packages are missing; {BY_HAND} verilator\n")
        )

    def test_a_failing_apt_get_is_reported(self):
        done = self.run_it(missing=["verilator"], apt_works=False)
        self.assertEqual((done.returncode, done.stderr), (1, f"apt words\napt-get failed; {BY_HAND} verilator\n"))

    def test_groups_are_separate(self):
        self.assertEqual(self.run_it(missing=["valgrind"]).returncode, 0)
        self.assertEqual(self.called(), [])
        self.run_it(missing=["valgrind"], groups=["valgrind"])
        self.assertEqual(self.called()[-1], "apt-get install -y --no-install-recommends valgrind")

    def test_an_unknown_group_is_named(self):
        done = self.run_it(groups=["games"])
        self.assertEqual(done.returncode, 2)
        self.assertIn("no group 'games'", done.stderr)
        self.assertIn(
            "choose from: browser build cross fuzz lint networks node python report site synth valgrind", done.stderr
        )

    def test_another_system_is_told_the_list(self):
        self.run_it()
        (self.bin / "dpkg-query").unlink()
        environment = {"PATH": str(self.bin), "TMPDIR": str(self.bin)}
        done = subprocess.run([str(ROOT / "scripts/install_packages")], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)
        self.assertIn(" ".join(packages("build")), done.stderr)


if __name__ == "__main__":
    unittest.main()
