# SPDX-License-Identifier: Apache-2.0
"""The tutorials' commands work and print what the pages show, to the cycle (page_steps.py). Commands use $BUILD, which
is the test's own."""
import os
import unittest

from page_steps import PAGES, follow, steps
from repo_files import ROOT

BUILD = os.environ.get("BUILD", "build/release")


class TutorialsTest(unittest.TestCase):
    def test_steps_are_told_apart(self):
        page = (
            "```sh test\ntrue\n```\n```text output\na\n```\n```sh\nno\n```\n```json file x.json\n{}\n```\n```sh"
            " fails\nfalse\n```\n"
        )
        self.assertEqual(
            list(steps(page)),
            [("test", "", "true\n", "a\n"), ("file", "x.json", "{}\n", None), ("fails", "", "false\n", None)],
        )


def test_of(page):
    return lambda self: self.assertGreater(
        follow(self, page, ("test", "fails"), ROOT, BUILD), 0, "the page has no command that is run"
    )


for _page in PAGES.glob("*.md"):
    setattr(TutorialsTest, f"test_{_page.stem}", test_of(_page))


if __name__ == "__main__":
    unittest.main()
