# SPDX-License-Identifier: Apache-2.0
"""Where outputs go: devices, pipes and links stay what they are, files of others stay, and a full disk is an error."""
import array
import os
import pathlib
import stat
import subprocess
import tempfile
import threading
import unittest

import small_network

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOVEA = pathlib.Path(os.environ.get("BUILD", ROOT / "build/release")) / "bin/fovea"
ALONE = ("unshare", "--mount") if os.geteuid() == 0 else ("unshare", "--map-root-user", "--mount")

# A disk of 1 MB that has only so much room: what a command does on it, what it says, and what is there afterwards.
FULL_DISK = """
mount -t tmpfs -o size=1m,mode=755 none "$0" || exit 77
cd "$0" && echo old >out && { head -c "$1" /dev/zero >room; head -c 2M /dev/zero >fill 2>/dev/null; rm room; shift; "$@"
echo "$? $(ls -A | tr '\\n' ' ') $(cat out)"; }
"""


class WritingTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="fovea_writing_")))
        self.network, self.input = self.folder / "net.txt", self.folder / "x.f32"
        self.network.write_text(small_network.text(5))
        self.input.write_bytes(small_network.INPUT)
        self.environment = {**os.environ, "FOVEA_CACHE": str(self.folder / "cache")}

    def fovea(self, *words, **more):
        return subprocess.run(
            [FOVEA, *words],
            cwd=self.folder,
            env=self.environment,
            stderr=subprocess.PIPE,
            text=True,
            stdout=more.get("stdout", subprocess.PIPE),
        )

    def said(self, *words):
        done = self.fovea(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, expected, *words, **more):
        done = self.fovea(*words, **more)
        self.assertIn(done.returncode, (1, 2), done.stderr)
        self.assertRegex(done.stderr, f"^.*{expected}.*\n$")

    def names(self, *but):
        return sorted(
            path.name
            for path in self.folder.iterdir()
            if path.name not in ("net.txt", "x.f32", "cache", ".fovea_files", *but)
        )

    def run_words(self, *words):
        return ["run", "net.txt", "--input-raw", "x.f32", "--output-raw", "y.f32", "--backend", "systemc", *words]

    def test_a_device_is_written_to(self):
        node = self.folder / "full"
        try:
            os.mknod(node, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
        except PermissionError:
            self.skipTest("no device can be made here")
        for words in (
            ["export", "net.txt", "--qdq", "-o", "full"],
            self.run_words("--info", "full"),
            self.run_words("--trace", "full"),
            self.run_words("--transactions", "full"),
            ["run", "net.txt", "--input-raw", "x.f32", "--output-raw", "full", "--backend", "cpu"],
        ):
            with self.subTest(words):
                self.said("build", "net.txt")
                self.said("build", "net.txt", "--backend", "cpu")
                self.refused("full: .*is the disk full", *words)
                self.assertTrue(stat.S_ISCHR(node.stat().st_mode))
        self.assertEqual(self.names("y.f32"), ["full"])

    def test_a_pipe_is_written_to(self):
        os.mkfifo(self.folder / "pipe")
        read = []
        reader = threading.Thread(target=lambda: read.append((self.folder / "pipe").read_bytes()))
        reader.start()
        self.said("run", "net.txt", "--input-raw", "x.f32", "--output-raw", "pipe", "--backend", "cpu")
        reader.join()
        self.assertEqual(read, [small_network.answer(5)])
        self.assertTrue(stat.S_ISFIFO((self.folder / "pipe").stat().st_mode))

    def test_a_link_is_followed(self):
        (self.folder / "far").mkdir()
        (self.folder / "y.f32").symlink_to("far/y.f32")
        for _ in range(2):
            self.said("run", "net.txt", "--input-raw", "x.f32", "--output-raw", "y.f32", "--backend", "cpu")
            self.assertTrue((self.folder / "y.f32").is_symlink())
            self.assertEqual((self.folder / "far/y.f32").read_bytes(), small_network.answer(5))
        self.assertEqual(os.listdir(self.folder / "far"), ["y.f32"])

    def test_a_name_that_was_planted_is_not_followed(self):
        """The names that a file had before it was complete, as links to a file of ours."""
        (self.folder / "mine").write_text("mine")
        for name in ("y.f32.part", f".y.f32.{os.getpid()}.part"):
            (self.folder / name).symlink_to("mine")
        self.said("run", "net.txt", "--input-raw", "x.f32", "--output-raw", "y.f32", "--backend", "cpu")
        self.assertEqual((self.folder / "mine").read_text(), "mine")

    def test_files_of_others_stay(self):
        self.said("build", "net.txt")
        theirs = {"net.json": '{"mean": [0.5, 0.5, 0.5]}', "model.c": "int main;", "index.json": "[]"}
        for name, words in (
            ("net.json", ["compile", "net.txt", "-o", "."]),
            ("model.c", ["compile", str(ROOT / "models/vgg8_cifar10_power2.onnx"), "--style", "lab", "-o", "."]),
            ("index.json", self.run_words("--dump-layers", ".")),
        ):
            with self.subTest(name):
                (self.folder / name).write_text(theirs[name])
                self.refused(f"{name}: is there, and Fovea did not make it", *words)
                self.assertEqual((self.folder / name).read_text(), theirs[name])
                (self.folder / name).unlink()
        self.assertEqual(self.names("y.f32"), [])
        self.said("compile", "net.txt", "-o", ".")
        self.said("compile", "net.txt", "-o", ".")

    def test_several_dump_into_one_folder(self):
        """What is there afterwards is of one of them, all of it."""
        networks = {bias: self.folder / f"net{bias}.txt" for bias in range(5)}
        for bias, network in networks.items():
            network.write_text(small_network.text(bias))
            self.said("build", network, "--backend", "cpu")
        words = [
            [
                FOVEA,
                "run",
                network,
                "--input-raw",
                "x.f32",
                "--output-raw",
                f"y{bias}",
                "--backend",
                "cpu",
                "--dump-layers",
                "dump",
            ]
            for bias, network in networks.items()
        ]
        running = [
            subprocess.Popen(word, cwd=self.folder, env=self.environment, stderr=subprocess.PIPE, text=True)
            for word in words * 4
        ]
        self.assertEqual([(*each.communicate(), each.returncode) for each in running], [(None, "", 0)] * len(running))
        outputs = [path.read_bytes() for path in (self.folder / "dump").glob("*.f32")]
        self.assertEqual(len(outputs), 1)
        self.assertIn(outputs[0], map(small_network.answer, networks))
        self.assertFalse(list((self.folder / "dump").glob("*.part")))

    def test_standard_output_that_is_full_is_an_error(self):
        for words in (["check", "net.txt"], ["--help"], ["run", "net.txt", "--input-raw", "x.f32", "--backend", "cpu"]):
            self.said("build", "net.txt", "--backend", "cpu")
            with self.subTest(words), open("/dev/full", "w") as full:
                self.refused("standard output: cannot be written", *words, stdout=full)

    def on_full_disk(self, words, room="0"):
        """(status, what is there) afterwards, and what was said."""
        disk = self.folder / "disk"
        disk.mkdir(exist_ok=True)
        done = subprocess.run(
            [*ALONE, "bash", "-c", FULL_DISK, disk, room, FOVEA, *words],
            env=self.environment,
            capture_output=True,
            text=True,
        )
        if done.returncode == 77 or "unshare" in done.stderr:
            self.skipTest("no disk of our own may be mounted here")
        return done.stdout.splitlines()[-1], done.stderr

    def test_a_full_disk_is_an_error_and_nothing_is_lost(self):
        net, given = str(self.network), ["--input-raw", str(self.input)]
        for backend in ("cpu", "systemc"):
            self.said("build", net, "--backend", backend)
        on_systemc = ["run", net, *given, "--backend", "systemc", "--output-raw", str(self.folder / "y.f32")]
        commands = [
            ["compile", net, "-o", "net"],
            ["export", net, "--qdq", "-o", "out"],
            ["dataset", str(ROOT / "models/samples"), "-o", "out"],
            ["run", net, *given, "--backend", "cpu", "--output-raw", "out"],
            [*on_systemc, "--info", "out"],
            [*on_systemc, "--trace", "out"],
            [*on_systemc, "--transactions", "out"],
            [*on_systemc, "--dump-layers", "dump"],
            [*on_systemc, "--vcd", "waves.vcd"],
            ["man", "man"],
        ]
        for words in commands:
            with self.subTest(words):
                after, said = self.on_full_disk(words)
                self.assertRegex(after, r"^[12] ")
                self.assertRegex(said, r"^[^\n]*(disk full|No space)[^\n]*\n$")
                self.assertTrue(after.endswith(" old"), after)
                self.assertNotIn(".part", after)

    def test_waves_on_a_full_disk_are_an_error(self):
        """There is room for what is beside them."""
        self.said("build", str(self.network))
        after, said = self.on_full_disk(
            [
                "run",
                str(self.network),
                "--input-raw",
                str(self.input),
                "--backend",
                "systemc",
                "--output-raw",
                str(self.folder / "y.f32"),
                "--vcd",
                "waves.vcd",
            ],
            room="12K",
        )
        self.assertRegex(after, r"^[12] .*waves.vcd")
        self.assertRegex(said, r"^fovea: waves.vcd: not all of it could be written; is the disk full\?\n$")

    def test_a_network_without_inputs_writes_its_outputs(self):
        """All from constants: computed, copied, and of integers."""
        net = self.folder / "constants.txt"
        net.write_text(
            """fn () {
  %a = constant [-1.5, 2, 3] : Tensor[(1, 3), float32]
  %b = constant [0.5, 4] : Tensor[(2,), float32]
  %c = constant [7, -8] : Tensor[(1, 2), int64]
  %r = nn.relu(%a) from "r"
  %i = cast(%c, dtype="int32") from "i"
  return %r "relu", %b "given", %i "whole"
}
"""
        )
        for backend in ("cpu", "systemc"):
            self.said("run", str(net), "--backend", backend, "--output-raw", "relu=r,given=g,whole=w")
            read = [list(array.array("f", (self.folder / file).read_bytes())) for file in "rgw"]
            self.assertEqual(read, [[0, 2, 3], [0.5, 4], [7, -8]])

    def test_what_random_numbers_give_is_written_too(self):
        read = []
        for seed in ("1", "1", "2"):
            self.said("run", str(self.network), "--backend", "cpu", "--seed", seed, "--output-raw", "y")
            read.append((self.folder / "y").read_bytes())
        self.assertEqual((read[0] == read[1], read[0] == read[2]), (True, False))

    def test_a_cache_on_a_full_disk_is_an_error(self):
        self.environment["FOVEA_CACHE"] = "cache"
        after, said = self.on_full_disk(["build", str(self.network)])
        self.assertRegex(after, "^[12] ")
        self.assertRegex(said, r"^[^\n]*disk (is|full)[^\n]*\n$")


if __name__ == "__main__":
    unittest.main()
