# SPDX-License-Identifier: Apache-2.0
"""The site builds without a warning; its links and anchors resolve; it loads nothing from outside."""
import html.parser
import os
import pathlib
import re
import subprocess
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[3]
SITE = (ROOT / os.environ.get("BUILD", "build/release")).resolve() / "site"
ADDRESS = re.compile(r"^([a-z]+:)?//|^[a-z]+:")
# An attribute of these loads what it names; one of others leads there when asked.
LOADS = {
    ("script", "src"),
    ("img", "src"),
    ("link", "href"),
    ("iframe", "src"),
    ("source", "src"),
    ("object", "data"),
    ("use", "href"),
}


class Page(html.parser.HTMLParser):
    """The anchors of a page, and what it names: (tag, attribute, value)."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.names = {"", "__top"}, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("id", "name"):
                self.anchors.add(value)
            elif name in ("href", "src", "data") and value is not None:
                self.names.append((tag, name, value))


def faults(site):
    """What of the pages in the folder `site` leads nowhere, or is loaded from outside."""
    pages = {path.resolve(): Page(path.read_text()) for path in site.rglob("*.html")}
    found = []
    for path, page in pages.items():
        for tag, attribute, value in page.names:
            if value.startswith("data:"):
                continue
            if ADDRESS.match(value):
                if (tag, attribute) in LOADS or not value.startswith(("https://", "http://localhost")):
                    found.append(f"{path.relative_to(site)}: <{tag}> {attribute}={value} is outside")
                continue
            target, _, anchor = value.partition("#")
            file = (path.parent / urllib.parse.unquote(target)).resolve() if target else path
            if not file.is_file():
                found.append(f"{path.relative_to(site)}: {value}: no such file")
            elif file in pages and urllib.parse.unquote(anchor) not in pages[file].anchors:
                found.append(f"{path.relative_to(site)}: {value}: no such heading")
    for sheet in site.rglob("*.css"):
        found += [
            f"{sheet.relative_to(site)}: {url}"
            for url in re.findall(r"(?:url\(|@import )[\"']?((?:https?:)?//[^\"')]*)", sheet.read_text())
        ]
    return found


class SiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.built = subprocess.run(
            ["scripts/build_site", str(SITE)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            env={**os.environ, "INSTALL": "0"},
        )

    def test_it_builds_without_a_warning(self):
        self.assertEqual(self.built.returncode, 0, self.built.stdout + self.built.stderr)
        self.assertNotIn("WARNING", self.built.stdout + self.built.stderr)

    def test_what_its_pages_name_is_there_and_inside(self):
        found = faults(SITE)
        self.assertEqual(found, [], "\n" + "\n".join(found))

    def test_every_page_of_docs_is_in_the_navigation(self):
        navigation = (ROOT / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
        for folder, pattern in (("docs", "docs/**/*.md"), (".", "exercises/**/README.md")):
            for page in ROOT.glob(pattern):
                with self.subTest(page=page.name):
                    self.assertIn(f" {page.relative_to(ROOT / folder)}\n", navigation)

    def test_no_fence_or_table_is_left_as_text(self):
        for path in SITE.rglob("*.html"):
            text = re.sub(r"<(pre|code)\b.*?</\1>", "", path.read_text(), flags=re.S)
            with self.subTest(page=str(path.relative_to(SITE))):
                self.assertNotIn("```", text)
                self.assertNotRegex(text, r"\|---|<p>\| ")

    def test_faults_are_found(self):
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "a.html")
            page.write_text('<h1 id="here"><a href="#here"></a><a href="https://doi.org/1">paper</a>')
            self.assertEqual(faults(pathlib.Path(folder).resolve()), [])
            page.write_text(
                '<a href="#there"></a><a href="b.html"></a><script src="https://a.b/c.js"></script><img'
                ' src="//a.b/c.png">'
            )
            self.assertEqual(len(faults(pathlib.Path(folder).resolve())), 4)


if __name__ == "__main__":
    unittest.main()
