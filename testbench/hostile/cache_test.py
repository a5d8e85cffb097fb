# SPDX-License-Identifier: Apache-2.0
"""The cache tells the truth: whoever writes a network while it is read, however many programs ask at once, whenever one
is killed, and whatever another user or a broken disk has put there.

COUNT=n tries the race n times, and kills half as often (default: a few); SEED=n draws the same moments again.
"""
import contextlib
import fcntl
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import small_network

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build/release"))
FOVEA = BUILD / "bin/fovea"
COUNT = int(os.environ.get("COUNT") or 4)
SEED = int(os.environ.get("SEED") or random.randrange(1 << 32))
NOBODY = 65534
DEBIAN_PYTHON = "/usr/bin/python3"

# What builds a library in no time, step by step: CMake as far as it is asked for here, and Ninja.
CMAKE = """#!/bin/sh
while [ "$1" != -B ]; do shift; done
mkdir -p "$2" && sleep 0.05 && echo configured >"$2/configured"
"""
NINJA = """#!/bin/sh
cd "$2" && [ "$(cat configured)" = configured ] || exit 1
for step in 1 2 3 4 5 6; do
  [ -e step$step ] || { echo built >>"$STEPS"; sleep 0.02; : >step$step; }
done
mkdir -p lib/fovea && cp "$LIBRARY" lib/fovea/
"""


class CacheTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="fovea_cache_")))
        (self.folder / "tmp").mkdir()
        self.network, self.cache = self.folder / "net.txt", self.folder / "cache"
        (self.folder / "x.f32").write_bytes(small_network.INPUT)
        self.environment = {**os.environ, "FOVEA_CACHE": str(self.cache), "TMPDIR": str(self.folder / "tmp")}
        self.random = random.Random(SEED)

    def run_words(self, *words, output="y.f32"):
        return [
            FOVEA,
            "run",
            "net.txt",
            "--input-raw",
            "x.f32",
            "--output-raw",
            output,
            *(words or ("--backend", "cpu")),
        ]

    def start(self, words):
        return subprocess.Popen(
            words,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def finished(self, words):
        """What is said by one that succeeds."""
        running = self.start(words)
        out, said = running.communicate()
        self.assertEqual(running.returncode, 0, f"SEED={SEED}: {said}")
        return out + said

    def write(self, bias):
        """As an editor does: another file under the name, or other bytes in the file."""
        if self.random.random() < 0.5:
            part = self.folder / "part"
            part.write_text(small_network.text(bias))
            part.rename(self.network)
        else:
            self.network.write_text(small_network.text(bias))

    def assert_answers(self, bias, *words):
        said = self.finished(self.run_words(*words))
        self.assertEqual((self.folder / "y.f32").read_bytes(), small_network.answer(bias), f"SEED={SEED}")
        return said

    def left(self):
        """What no program made for itself may stay of."""
        return sorted(
            str(path.relative_to(self.folder))
            for path in self.folder.rglob("*")
            if path.suffix in (".part", ".lock", ".build")
        )


class RaceTest(CacheTest):
    @contextlib.contextmanager
    def lock(self):
        """Whoever compiles the network for the CPU waits."""
        self.finished([FOVEA, "build", "net.txt", "--backend", "cpu"])
        entry = max((self.cache / "nets").iterdir(), key=lambda path: path.stat().st_mtime)
        shutil.rmtree(entry)
        lock = entry.with_name(f".{entry.name}.lock")
        with open(lock, "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
            lock.unlink()

    def test_what_is_kept_of_a_network_is_of_its_bytes(self):
        self.write(5)
        begin = time.monotonic()
        self.finished([FOVEA, "build", "net.txt", "--backend", "cpu"])
        longest = time.monotonic() - begin
        for i in range(COUNT):
            a, b = 1 + i % 50, 51 + i % 50
            self.write(a)
            if i % 2:  # At any time.
                shutil.rmtree(self.cache)
                running = self.start(self.run_words())
                time.sleep(self.random.random() * longest)
                self.write(b)
            else:  # When its digest is taken, and nothing is compiled yet.
                with self.lock():
                    running = self.start(self.run_words())
                    self.assertIn("waiting", running.stderr.readline())
                    self.write(b)
            _, said = running.communicate()
            if running.returncode == 0:
                self.assertIn((self.folder / "y.f32").read_bytes(), (small_network.answer(a), small_network.answer(b)))
            else:  # Half of a text that was being written.
                self.assertRegex(said, r"^fovea: net.txt[:,][^\n]*\n$")
            self.assert_answers(b)
            self.write(a)
            self.assert_answers(a)
        self.assertEqual(self.left(), [])

    def test_of_twenty_at_once_one_compiles(self):
        for i in range(max(1, COUNT // 10)):
            shutil.rmtree(self.cache, ignore_errors=True)
            self.write(i)
            running = [self.start(self.run_words(output=f"y{j}")) for j in range(20)]
            said = [each.communicate()[1] for each in running]
            self.assertEqual([each.returncode for each in running], [0] * 20, said)
            self.assertEqual(sum("compiled" in text for text in said), 1, said)
            self.assertEqual({(self.folder / f"y{j}").read_bytes() for j in range(20)}, {small_network.answer(i)})
        self.assertEqual(self.left(), [])


class KillTest(CacheTest):
    def setUp(self):
        super().setUp()
        self.write(5)

    def forget(self):
        for kind in ("nets", "devices", "samples"):
            shutil.rmtree(self.cache / kind, ignore_errors=True)

    def kill_at_random(self, words, again, check, killed=lambda: None):
        """Killed alone or with all that it started; the same command is right afterwards, and leaves nothing."""
        self.finished(words)
        self.forget()
        begin = time.monotonic()
        self.finished(words)
        longest = time.monotonic() - begin
        for _ in range(COUNT // 2):
            self.forget()
            again()
            running = self.start(words)
            time.sleep(self.random.random() * longest)
            (os.killpg if self.random.random() < 0.5 else os.kill)(running.pid, signal.SIGKILL)
            running.communicate()
            killed()
            self.finished(words)
            check()
            # The temporary file of one that was killed may stay, under a name that nobody else has.
            self.assertEqual([name for name in self.left() if ".fovea_" not in name], [], f"SEED={SEED}")

    def test_a_killed_compile(self):
        out = self.folder / "out"
        self.finished([FOVEA, "compile", "net.txt", "-o", "whole"])
        whole = {path.name: path.read_bytes() for path in (self.folder / "whole").iterdir()}

        def check():
            self.assertEqual(
                {path.name: path.read_bytes() for path in out.iterdir() if path.suffix != ".part"},
                whole,
                f"SEED={SEED}",
            )

        self.kill_at_random([FOVEA, "compile", "net.txt", "-o", "out"], lambda: None, check)

    def test_a_killed_run(self):
        for backend in ("cpu", "systemc"):
            self.kill_at_random(
                self.run_words("--backend", backend),
                lambda: (self.folder / "y.f32").unlink(missing_ok=True),
                lambda: self.assertEqual((self.folder / "y.f32").read_bytes(), small_network.answer(5), f"SEED={SEED}"),
            )

    def test_a_killed_report(self):
        if subprocess.run([DEBIAN_PYTHON, "-c", "import jinja2"], capture_output=True).returncode:
            self.skipTest("a report is drawn by Debian's python3-jinja2")
        report = self.folder / "report"

        def check():
            self.assertEqual(
                {path.name for path in report.iterdir()},
                {"dla_info.csv", "index.html", "report.md", "run.json", "trace.json.gz"},
            )
            json.loads((report / "run.json").read_text())

        words = [FOVEA, "report", "net.txt", "--input-raw", "x.f32", "--backend", "systemc", "-o", "report"]
        self.kill_at_random(words, lambda: None, check)

    def installed(self):
        """Fovea as if installed, so that it builds libraries in the cache, and what builds them in no time."""
        prefix, tools = self.folder / "prefix", self.folder / "tools"
        (prefix / "share/fovea").mkdir(parents=True)
        (prefix / "bin").mkdir()
        tools.mkdir()
        shutil.copy(FOVEA, prefix / "bin")
        for name in ("include", "lib"):
            (prefix / name).symlink_to(BUILD / name)
        for name in ("machines", "models", "device", "report"):
            (prefix / "share/fovea" / name).symlink_to(BUILD / "share/fovea" / name)
        for name, text in {"cmake": CMAKE, "ninja": NINJA, "verilator": "#!/bin/sh\n", "make": "#!/bin/sh\n"}.items():
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
        self.environment["PATH"] = f"{tools}:{self.environment['PATH']}"
        return prefix / "bin/fovea"

    def test_a_killed_library_build(self):
        library, steps = BUILD / "lib/fovea/libfovea_rtl_eyeriss_6x8.so", self.folder / "steps"
        if not library.exists():
            self.skipTest(f"{library.name} is not built")
        fovea = self.installed()
        machine = json.loads((ROOT / "sim/spec/machines/eyeriss_6x8.json").read_text())
        (self.folder / "mine.json").write_text(json.dumps({**machine, "clock_mhz": 100}))
        self.environment |= {"LIBRARY": str(library), "STEPS": str(steps)}
        words = [
            fovea,
            "run",
            "net.txt",
            "--input-raw",
            "x.f32",
            "--output-raw",
            "y.f32",
            "--backend",
            "rtl",
            "--machine",
            "mine.json",
        ]
        built = []  # When it was killed, and afterwards.

        def steps_made():
            return steps.read_text().count("built")

        def check():
            self.assertEqual((self.folder / "y.f32").read_bytes(), small_network.answer(5), f"SEED={SEED}")
            built[-1].append(steps_made())

        self.kill_at_random(words, lambda: steps.write_text(""), check, lambda: built.append([steps_made()]))
        # Where it was killed in a step, this one is made twice; not those before, unless it was already putting them
        # away.
        self.assertLessEqual(
            max((after for before, after in built if before < 6), default=0), 7, f"SEED={SEED}: {built}"
        )


@unittest.skipIf(os.geteuid() != 0, "only root plays another user")
class AnotherUserTest(CacheTest):
    """What another user has put where the cache is, or will be: nothing of it is run, and nothing of theirs or ours is
    lost."""

    CODE = "int dla_model; __attribute__((constructor)) static void run(void) { __builtin_trap(); }"

    def setUp(self):
        super().setUp()
        self.write(5)
        self.finished([FOVEA, "build", "net.txt", "--backend", "cpu"])
        (self.entry,) = (self.cache / "nets").iterdir()
        self.code = self.folder / "evil.so"
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", self.code], input=self.CODE, text=True, check=True
        )

    def give(self, path):
        for each in (path, *path.rglob("*")):
            os.chown(each, NOBODY, NOBODY, follow_symlinks=False)

    def refused(self, expected):
        for words in (self.run_words(), [FOVEA, "clean", "--all"]):
            running = self.start(words)
            said = running.communicate()[1]
            self.assertEqual(running.returncode, 1, said)
            self.assertRegex(said, rf"^fovea: [^\n]*{expected}[^\n]*, or name another folder in FOVEA_CACHE\n$")

    def test_their_cache(self):
        shutil.copy(self.code, self.entry / "model.so")
        for path in (self.cache, self.cache / "nets"):
            with self.subTest(path):
                self.give(path)
                self.refused("is another user's")

    def test_a_cache_that_they_can_write(self):
        for path in (self.cache, self.cache / "nets"):
            with self.subTest(path):
                path.chmod(0o777)
                self.refused("other users can write it")
                path.chmod(0o755)

    def test_their_entry(self):
        shutil.copy(self.code, self.entry / "model.so")
        self.give(self.entry)
        running = self.start(self.run_words())
        said = running.communicate()[1]
        self.assertEqual(running.returncode, 1, said)
        self.assertRegex(said, "is another user's, who may have put anything there")

    def test_their_code_in_our_entry(self):
        (self.entry / "model.so").unlink()
        shutil.copy(self.code, self.entry / "model.so")
        self.assertIn("is damaged, and made again", self.assert_answers(5))
        (self.entry / "model.so").unlink()
        (self.entry / "model.so").symlink_to(self.code)
        self.assertIn("is damaged, and made again", self.assert_answers(5))
        self.assertTrue(self.code.exists())

    def test_links_in_place_of_the_cache(self):
        mine = self.folder / "mine"
        (mine / "papers").mkdir(parents=True)
        shutil.rmtree(self.cache / "nets")
        (self.cache / "nets").symlink_to(mine)
        self.refused("is no folder")
        self.assertTrue((mine / "papers").exists())

    def test_names_that_they_guess(self):
        """Of the lock, and of what is not complete yet, in a cache that everybody may write."""
        shutil.rmtree(self.entry)
        mine = self.folder / "mine"
        mine.write_text("mine")
        for end in ("lock", "part"):
            name = self.entry.with_name(f".{self.entry.name}.{end}")
            name.symlink_to(mine)
            running = self.start(self.run_words())
            said = running.communicate()[1]
            self.assertEqual((running.returncode, mine.read_text()), (1 if end == "lock" else 0, "mine"), said)
            name.unlink(missing_ok=True)

    def test_compare_runs_no_code_of_a_folder(self):
        theirs = self.folder / "theirs"
        shutil.copytree(self.entry, theirs)
        shutil.copy(self.code, theirs / "model.so")
        words = [FOVEA, "compare", theirs, self.entry, "--input", "x.f32"]
        running = self.start(words)
        said = running.communicate()[1]
        self.assertEqual(running.returncode, 1, said)
        self.assertRegex(
            said,
            (
                r"^fovea: [^\n]*theirs: its code \(model.so\) may do anything; name the network's file instead, or say"
                r" --run-code"
            ),
        )
        self.assertLess(
            subprocess.run(
                [*words, "--run-code"], cwd=self.folder, env=self.environment, capture_output=True
            ).returncode,
            0,
        )
        self.assertIn("0 of", self.finished([FOVEA, "compare", self.entry, self.entry, "--input", "x.f32"]))


if __name__ == "__main__":
    print(f"SEED={SEED} COUNT={COUNT}", flush=True)
    unittest.main()
