# SPDX-License-Identifier: Apache-2.0
"""Every file says its licence and its purpose, names no machine of ours, and every local link resolves;
the page of operators is what foveac prints."""
import os
import re
import subprocess
import unittest

from repo_files import ROOT, repo_files, text_of

SOURCES = {".c", ".h", ".cpp", ".sv", ".svh", ".py", ".cmake"}
# Spelled in pieces, so that this file does not find itself.
MACHINE_PATH = re.compile(r"(?<![\w.$}~*-])/(" + "|".join(["wo" + "rk", "ro" + "ot", "ho" + "me", "tm" + "p"]) + r")/")
LINK = re.compile(r"\]\(([^)\s]+)\)|<img[^>]*src=\"([^\"]+)\"")


def is_source(path):
    return path.suffix in SOURCES or path.name == "CMakeLists.txt"


def comment_head(text):
    """The words of the first `///` comment that says what a C, C++ or SystemVerilog file is, without its marks."""
    lines = [line.strip() for line in text.splitlines()[:12]]
    words = [line[3:].strip() for line in lines if line.startswith("///")]
    return " ".join(w for w in words if w != "\\file")


def slug(heading):
    """The anchor that a heading gets."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(markdown):
    return {slug(h) for h in re.findall(r"^#+ (.*)$", markdown, re.M)}


class FilesTest(unittest.TestCase):
    def check_all(self, fault_of, wanted):
        """Runs fault_of(path, text) on every text file and reports all the faults at once."""
        faults = []
        for path in repo_files():
            text = text_of(path)
            fault = fault_of(path, text) if text is not None else None
            if fault:
                faults.append(f"{path}: {fault}")
        if faults:
            self.fail(f"{wanted}\n" + "\n".join(faults))

    def test_the_page_of_operators_is_what_the_tables_say(self):
        foveac = os.path.join(os.environ.get("BUILD", "build/release"), "bin/foveac")
        if not os.path.exists(foveac):
            self.skipTest("foveac is not built")
        printed = subprocess.run([foveac, "--list-operators"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(
            (ROOT / "docs/operators.md").read_text(),
            printed,
            "make it again: build/release/bin/foveac --list-operators > docs/operators.md",
        )

    def test_every_source_names_its_licence(self):
        def fault(path, text):
            script = text.startswith("#!")
            if (is_source(path) or script) and "SPDX-License-Identifier: Apache-2.0" not in "\n".join(
                text.splitlines()[:3]
            ):
                return "no SPDX line among the first three"

        self.check_all(fault, "Every source file starts with an SPDX line.")

    def test_every_source_opens_with_a_sentence(self):
        def fault(path, text):
            if path.suffix in {".c", ".h", ".cpp"} and "/// \\file" not in "\n".join(text.splitlines()[:4]):
                return "no `/// \\file` among the first four lines"
            if path.suffix in {".c", ".h", ".cpp", ".sv", ".svh"} and not re.match(r"\S.*[.:?]", comment_head(text)):
                return "no sentence in the first comment"
            if path.suffix == ".py" and not re.search(r'^"""[^"]+\.', text, re.M):
                return "no docstring with a sentence"

        self.check_all(fault, "Every file opens with one sentence that says what it is.")

    def test_no_file_names_a_machine_of_ours(self):
        def fault(_, text):
            lines = [
                f"line {i}: {line.strip()[:80]}"
                for i, line in enumerate(text.splitlines(), 1)
                if MACHINE_PATH.search(line)
            ]
            return "; ".join(lines)

        self.check_all(fault, "Name things relative to the repository.")

    def test_every_local_link_resolves(self):
        def fault(path, text):
            if path.suffix != ".md":
                return None
            broken = []
            for link in [a or b for a, b in LINK.findall(text)]:
                if re.match(r"[a-z]+:", link):
                    continue
                target, _, anchor = link.partition("#")
                file = (ROOT / path.parent / target).resolve() if target else ROOT / path
                if not file.exists():
                    broken.append(link)
                elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
                    broken.append(link)
            return ", ".join(broken)

        self.check_all(fault, "Every link to a file or heading of the repository resolves.")

    def test_the_faults_are_found(self):
        self.assertTrue(MACHINE_PATH.search("see /" + "work/main"))
        self.assertFalse(MACHINE_PATH.search("build/" + "work/main"))
        self.assertEqual(comment_head("// SPDX\n/// \\file\n/// Adds.\n"), "Adds.")
        self.assertEqual(anchors("# What it is, in 2 words\n"), {"what-it-is-in-2-words"})


if __name__ == "__main__":
    unittest.main()
