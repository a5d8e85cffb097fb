# SPDX-License-Identifier: Apache-2.0
"""What is installed works where it was moved to, for another user, from another folder and without a compiler cache.

Everything is done below one scratch folder; commands run as `nobody` where this is root.
"""
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build/release")
NOBODY = 65534

sys.path.insert(0, str(ROOT / "testbench/hostile"))
import small_network
from package import make_package

VGG8_CYCLES = "3783673"


def read_bytes(path):
    return path.read_bytes() if path.is_file() and not path.is_symlink() else b""


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = pathlib.Path(tempfile.mkdtemp(prefix="fovea_install_"))
        cls.addClassCleanup(shutil.rmtree, cls.scratch)
        cls.scratch.chmod(0o755)
        subprocess.run(
            ["cmake", "--install", BUILD, "--prefix", cls.scratch / "first", "--strip"], check=True, capture_output=True
        )
        cls.prefix = cls.scratch / "moved" / "fovea"
        cls.prefix.parent.mkdir()
        (cls.scratch / "first").rename(cls.prefix)
        cls.package = make_package(BUILD, cls.scratch / "package")

    def setUp(self):
        """An empty working folder, home and folder for temporary files, which are the user's."""
        self.user, self.home, self.temporary = (self.scratch / name for name in ("user", "home", "temporary"))
        for folder in (self.user, self.home, self.temporary):
            folder.mkdir()
            self.addCleanup(shutil.rmtree, folder)
            if os.getuid() == 0:
                os.chown(folder, NOBODY, NOBODY)

    def run_as_user(self, *words, expected=0, path="/usr/bin:/bin"):
        """What a command prints that another user starts in a folder of theirs, with little in the environment."""
        become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.getuid() == 0 else []
        environment = {
            "PATH": path,
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "LANG": "C.UTF-8",
            "CCACHE_DISABLE": "1",
        }
        done = subprocess.run(
            [*become, *map(str, words)], cwd=self.user, env=environment, capture_output=True, text=True, timeout=300
        )
        self.assertEqual(done.returncode, expected, f"{words}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def write_network(self):
        (self.user / "net.txt").write_text(small_network.text(5))
        (self.user / "x.f32").write_bytes(small_network.INPUT)

    def path_without(self, prefix):
        """A PATH with all programs but those whose names begin like this."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        folder.chmod(0o755)
        for program in pathlib.Path("/usr/bin").iterdir():
            if not program.name.startswith(prefix):
                (folder / program.name).symlink_to(program)
        return str(folder)

    def check_first_run(self, prefix):
        """The shipped network on a shipped picture; what that leaves, and that it goes."""
        models = prefix / "share/fovea/models"
        printed = self.run_as_user(
            prefix / "bin/fovea",
            "run",
            models / "vgg8_cifar10_power2.onnx",
            models / "samples/deer_9.png",
            "--backend",
            "systemc",
        )
        self.assertIn("deer", printed)
        self.assertIn(f"{int(VGG8_CYCLES):,}", printed)
        self.assertEqual(files_below(self.user) + files_below(self.temporary), [])
        left = files_below(self.home)
        self.assertTrue(left)
        self.assertEqual([path for path in left if not path.startswith(".cache/fovea/")], [])
        self.run_as_user(prefix / "bin/fovea", "clean", "--all")
        self.assertEqual(files_below(self.home), [])

    def test_nothing_names_where_it_was_built(self):
        built_in = [str(path).encode() for path in {ROOT, BUILD.resolve(), self.scratch / "first"}]
        named = {path.name for path in self.prefix.rglob("*") if any(text in read_bytes(path) for text in built_in)}
        # Its assertions say in which source they are.
        self.assertLessEqual(named, {"libfovea_rtl_eyeriss_6x8.so"})

    def test_messages_name_files_that_are_there(self):
        doc = self.prefix / "share/doc/fovea"
        named = re.compile(rb"\b(?:docs|exercises|models|testbench|scripts)/[a-z_]+[a-z_/.]*[a-z]")
        files = [
            *(self.prefix / "bin").iterdir(),
            *self.prefix.glob("lib/**/*.so"),
            *self.prefix.glob("lib/python3/**/*.py"),
        ]
        files += (self.prefix / "share/fovea/report").rglob("*.py")
        found = {text.decode() for path in files for text in named.findall(read_bytes(path))}
        self.assertIn("docs/traces.md", found)
        missing = {
            name for name in found if not (doc / name).exists() and not (self.prefix / "share/fovea" / name).exists()
        }
        # What packages.txt says of packages that a checkout alone needs, and an internal error.
        unread = {
            f"scripts/{name}"
            for name in ("build_for_cpu", "install_npm", "networks", "packages.txt", "site/figures.py")
        }
        self.assertLessEqual(missing, unread)

    def test_links_of_pages_within_what_is_installed_lead_somewhere(self):
        doc = self.prefix / "share/doc/fovea"
        pages = [*doc.glob("docs/**/*.md"), *doc.glob("exercises/**/*.md")]
        self.assertGreater(len(pages), 20)
        for page in pages:
            for link in re.findall(r"\]\(([^)#:\s]+)", page.read_text()):
                target = (page.parent / link).resolve()
                inside = any(
                    target.is_relative_to(doc / part) for part in ("docs", "exercises", "testbench/install/example")
                )
                is_page = inside and target.suffix in (".md", ".svg", ".png", ".ipynb")
                self.assertTrue(not is_page or target.exists(), f"{page.relative_to(doc)}: {link}")
        printed = self.run_as_user(
            "python3", "-B", doc / "exercises/exercise.py", "start", "write_a_mapping", expected=1
        )
        self.assertIn("start them in a checkout", printed)

    def test_what_is_recommended_is_named_where_it_is_missing(self):
        recommended = subprocess.check_output(["dpkg-deb", "-f", self.package, "Recommends"], text=True)
        self.write_network()
        fovea = self.prefix / "bin/fovea"
        printed = self.run_as_user(
            fovea, "visu", "net.txt", "-o", "graph.svg", expected=1, path=self.path_without("dot")
        )
        self.assertIn("apt-get install graphviz", printed)
        named = set(re.findall(r"apt-get install ([a-z0-9-]+)", printed)) | {"python3-numpy", "python3-pandas"}
        report = (ROOT / "programs/fovea/report_scripts.cpp").read_text()
        named |= set(re.findall(r"\bpython3-[a-z0-9]+", report))
        self.assertIn("python3-jinja2", named)
        self.assertLessEqual(named, set(recommended.strip().split(", ")))

    def test_pages_and_completion_are_where_they_are_looked_for(self):
        for page in (
            "man/man1/fovea.1.gz",
            "man/man1/fovea-run.1.gz",
            "man/man1/foveac.1.gz",
            "bash-completion/completions/fovea",
            "zsh/vendor-completions/_fovea",
            "fish/vendor_completions.d/fovea.fish",
            "doc/fovea/copyright",
            "doc/fovea/SECURITY.md",
            "doc/fovea/README.md",
            "doc/fovea/docs/notebooks/first_network.ipynb",
            "doc/fovea/testbench/install/example/CMakeLists.txt",
            "doc/fovea/changelog.gz",
        ):
            self.assertTrue((self.prefix / "share" / page).is_file(), page)

    def test_the_shipped_network_runs_where_the_tree_was_moved_to(self):
        self.check_first_run(self.prefix)

    def test_the_package_runs_where_it_is_unpacked(self):
        subprocess.run(["dpkg-deb", "-x", self.package, self.scratch / "unpacked"], check=True)
        self.check_first_run(self.scratch / "unpacked/usr")

    @unittest.skipIf(os.getuid() != 0, "dpkg installs as root only")
    def test_the_package_removed_leaves_nothing(self):
        root, programs = self.scratch / "root", self.scratch / "programs"
        for folder in ("info", "updates", "triggers"):
            (root / "var/lib/dpkg" / folder).mkdir(parents=True)
        for name in ("status", "available"):
            (root / "var/lib/dpkg" / name).touch()
        # The computer's own libraries are no matter of this root.
        programs.mkdir()
        (programs / "ldconfig").symlink_to("/bin/true")
        dpkg = ["dpkg", f"--root={root}", "--force-script-chrootless", "--force-depends"]
        environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
        subprocess.run([*dpkg, "-i", self.package], check=True, capture_output=True, env=environment)
        self.check_first_run(root / "usr")
        subprocess.run([*dpkg, "-r", "fovea"], check=True, capture_output=True, env=environment)
        self.assertEqual([path for path in files_below(root) if not path.startswith("var/lib/dpkg/")], [])

    def test_without_verilator_one_line_says_so_and_the_systemc_model_runs(self):
        self.write_network()
        path = self.path_without("verilator")
        run = [self.prefix / "bin/fovea", "run", "net.txt", "--input-raw", "x.f32", "--output-raw", "y.f32"]
        rtl = ["--machine", "eyeriss_12x14", "--backend", "rtl"]
        printed = self.run_as_user(*run, *rtl, expected=1, path=path)
        self.assertEqual(
            printed.splitlines()[-1],
            (
                "fovea: the RTL of eyeriss_12x14: to build it, verilator would have to be here; apt-get install "
                "verilator, or take --backend systemc, which needs no building"
            ),
        )
        doctor = self.run_as_user(self.prefix / "bin/fovea", "doctor", path=path)
        self.assertRegex(doctor, r"(?m)^verilator +missing")
        self.assertRegex(doctor, r"apt-get install [^\n]*verilator\nfovea run --backend systemc works here")
        for options in (["--machine", "eyeriss_12x14", "--backend", "systemc"], ["--backend", "rtl"]):
            self.run_as_user(*run, *options, path=path)
            self.assertEqual((self.user / "y.f32").read_bytes(), small_network.answer(5))
            (self.user / "y.f32").unlink()

    def test_another_machine_s_rtl_is_built_once(self):
        self.write_network()
        machine = json.loads((ROOT / "sim/spec/machines/eyeriss_6x8.json").read_text())
        (self.user / "mine.json").write_text(json.dumps({**machine, "name": "mine", "rows": 2, "cols": 2}))
        run = [
            self.prefix / "bin/fovea",
            "run",
            "net.txt",
            "--input-raw",
            "x.f32",
            "--output-raw",
            "y.f32",
            "--machine",
            "mine.json",
            "--backend",
            "rtl",
        ]
        self.assertRegex(self.run_as_user(*run), "of it are compiled")
        self.assertEqual((self.user / "y.f32").read_bytes(), small_network.answer(5))
        self.assertNotIn("compiled", self.run_as_user(*run))
        self.assertEqual(files_below(self.temporary), [])
        self.assertTrue(any(path.endswith("/libfovea_rtl_mine.so") for path in files_below(self.home)))

    def test_commands_that_start_other_programs_find_them(self):
        models = self.prefix / "share/fovea/models"
        printed = self.run_as_user(
            self.prefix / "bin/fovea",
            "accuracy",
            models / "resnet8_cifar10.onnx",
            "--data",
            models / "samples",
            "--json",
        )
        self.assertIn('"top1"', printed.replace("-", ""))

    @unittest.skipUnless((BUILD / "python/fovea").exists(), "import fovea is not built")
    def test_python_runs_the_shipped_network(self):
        program = """
import fovea
net = fovea.compile(fovea.model("vgg8_cifar10_power2.onnx"))
run = net.run(net.read_picture(fovea.model("samples/deer_9.png")), backend="systemc")
print(net.classify(run)[0][0], run.cycles)
"""
        package = self.prefix / "lib/python3/dist-packages"
        printed = self.run_as_user(
            "env", f"PYTHONPATH={package}", "PYTHONDONTWRITEBYTECODE=1", "python3", "-c", program
        )
        self.assertEqual(printed.split()[-2:], ["deer", VGG8_CYCLES])
        self.assertEqual(files_below(self.temporary), [])

    def test_a_program_of_somebody_else_runs_a_network_on_the_systemc_model(self):
        self.write_network()
        shutil.copytree(ROOT / "testbench/install/example", self.scratch / "example")
        self.run_as_user(
            "cmake",
            "-S",
            self.scratch / "example",
            "-B",
            "build",
            f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DMODEL={self.user}/net.txt",
        )
        self.run_as_user("cmake", "--build", "build")
        printed = self.run_as_user(self.user / "build/classify", "build/net/weight.bin", "x.f32")
        *outputs, cycles = printed.splitlines()
        self.assertEqual([float(text) for text in outputs], list(struct.unpack("<32f", small_network.answer(5))))
        self.assertGreater(int(cycles.split()[0]), 0)

    def test_pkg_config_says_the_same(self):
        printed = subprocess.run(
            ["pkg-config", "--cflags", "--libs", "fovea"],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PKG_CONFIG_PATH": str(self.prefix / "lib/pkgconfig")},
        ).stdout
        folders = [word[2:] for word in printed.split() if word[:2] in ("-I", "-L")]
        self.assertEqual(len(folders), 3, printed)
        self.assertEqual([folder for folder in folders if not os.path.isdir(folder)], [])


if __name__ == "__main__":
    unittest.main()
