# SPDX-License-Identifier: Apache-2.0
"""What mkdocs does not know of this repository: pages link to files outside of docs/, which become pages of the site
too.

Loaded by mkdocs.yml. A linked Markdown file outside of docs/ is a page as it is, a source is a page of its text, a
folder is a page with its files and the sentence that each opens with. All of them lie under repository/, the exercises
under exercises/.
"""
import json
import pathlib
import posixpath
import re
import sys
import tempfile

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs/test"))
from files_test import comment_head, slug  # The anchors that the repository's own links are checked with.
from repo_files import repo_files

LINK = re.compile(r"(\]\(|<img[^>]*?src=\")([^)\s\"]+)")
FENCE = re.compile(r"^(```|~~~)", re.M)
PICTURES = {".svg", ".png"}
OF_SITE = PICTURES | {".md", ".css"}
LANGUAGES = {
    ".h": "cpp",
    ".cpp": "cpp",
    ".def": "cpp",
    ".c": "c",
    ".sv": "systemverilog",
    ".py": "python",
    ".json": "json",
    ".sh": "sh",
    ".txt": "text",
}

pages = {}  # path in the repository -> path in the site's sources
made = tempfile.TemporaryDirectory()


def outside_code(markdown, change):
    """`markdown` with change() applied to what is not in a fenced block."""
    parts, inside = [], False
    for line in markdown.splitlines(keepends=True):
        inside ^= bool(FENCE.match(line))
        parts.append((inside, line))
    return "".join(line if is_code else change(line) for is_code, line in parts)


def links(path):
    """Paths in the repository that the Markdown file `path` names."""
    found = []

    def note(line):
        found.extend(m[2] for m in LINK.finditer(line) if not re.match(r"[a-z]+:|#", m[2]))
        return line

    outside_code((ROOT / path).read_text(), note)
    return [posixpath.normpath(posixpath.join(posixpath.dirname(path), link.partition("#")[0])) for link in found]


def site_path(path):
    """Where the file or folder `path` of the repository stands among the site's sources."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    place = path if path.startswith("exercises/") else "repository/" + path
    file = ROOT / path
    if file.is_dir():
        return posixpath.normpath(place + "/README.md")
    return place if file.suffix == ".md" or file.suffix in PICTURES else place + ".md"


def first_sentence(path):
    """What the file says it is; empty for one that does not."""
    try:
        text = (ROOT / path).read_text()
    except UnicodeDecodeError:
        return ""
    words = comment_head(text) if path.suffix in {".c", ".h", ".cpp", ".sv", ".svh"} else ""
    if not words:
        hit = re.search(r'^"""([^"]+?[.?])(?=\s|")', text, re.M) or re.search(r"SPDX[^\n]*\n# ([^\n]+)", text)
        words = " ".join(hit[1].split()) if hit else ""
    return re.split(r"(?<=[.:?]) ", words)[0]


def text_of_page(path):
    """Markdown of the page for a source or a folder."""
    file = ROOT / path
    if not file.is_dir():
        return f"# {path}\n\n```{LANGUAGES.get(file.suffix, 'text')}\n{file.read_text().rstrip()}\n```\n"
    rows = [f"| `{f.relative_to(path)}` | {first_sentence(f)} |" for f in repo_files() if f.is_relative_to(path)]
    return f"# {path}\n\n| file | what it is |\n|---|---|\n" + "\n".join(rows) + "\n"


def add(path, config):
    """The File of the site for `path` of the repository, made in a folder of its own where it is no page by itself."""
    source = site_path(path)
    target = pathlib.Path(made.name) / source
    target.parent.mkdir(parents=True, exist_ok=True)
    own = ROOT / path
    if own.is_dir() and (own / "README.md").is_file():
        path, own = path + "/README.md", own / "README.md"
    target.write_bytes(
        own.read_bytes() if own.is_file() and own.suffix in PICTURES | {".md"} else text_of_page(path).encode()
    )
    return File(source, made.name, config["site_dir"], config["use_directory_urls"])


def on_config(config):
    config["mdx_configs"]["toc"]["slugify"] = lambda heading, separator: slug(heading)
    config["theme"].static_templates.clear()  # 404.html and sitemap.xml need the address of a server
    return config


def on_files(files, config):
    """Leaves out what is no page or picture, and adds what pages link to, and what those link to."""
    pages.clear()
    for file in list(files):
        path = "docs/" + file.src_uri
        if (ROOT / path).is_file() and (ROOT / path).suffix not in OF_SITE:
            files.remove(file)
        elif (ROOT / path).is_file():
            pages[path] = file.src_uri
    found = [p for p in pages if p.endswith(".md")] + [
        str(p.relative_to(ROOT)) for p in sorted(ROOT.glob("exercises/**/README.md"))
    ]
    while found:
        path = found.pop()
        if path not in pages:
            pages[path] = site_path(path)
            if pages[path] not in files.src_uris:
                files.append(add(path, config))
        readme = path + "/README.md" if (ROOT / path / "README.md").is_file() else path
        if readme.endswith(".md"):
            found += [p for p in links(readme) if p not in pages and (ROOT / p).exists()]
    return files


def on_page_markdown(markdown, page, **_):
    """Links lead to the site's pages; fences and tables are what Python's Markdown reads."""
    path = next(
        (p for p, place in pages.items() if place == page.file.src_uri and p.endswith(".md")), page.file.src_uri
    )

    def relink(match):
        target, mark, anchor = match[2].partition("#")
        if not target or re.match(r"[a-z]+:", match[2]):
            return match[0]
        place = pages.get(posixpath.normpath(posixpath.join(posixpath.dirname(path), target)))
        return (
            match[0]
            if place is None
            else match[1] + posixpath.relpath(place, posixpath.dirname(page.file.src_uri) or ".") + mark + anchor
        )

    def change(line):
        if line.startswith("|"):  # Markdown's own tables take a pipe in backticks as it is
            line = re.sub(r"`[^`]*`", lambda code: code[0].replace("\\|", "|"), line)
        return LINK.sub(relink, line)

    return re.sub(r"^```(\w+) [^\n]*$", r"```\1", outside_code(markdown, change), flags=re.M)


def on_post_build(config):
    """Search finds what was written to be read: not sources."""
    (pathlib.Path(config["site_dir"]) / "sitemap.xml.gz").unlink(missing_ok=True)
    index = pathlib.Path(config["site_dir"]) / "search/search_index.json"
    entries = json.loads(index.read_text())
    entries["docs"] = [entry for entry in entries["docs"] if not entry["location"].startswith("repository/")]
    index.write_text(json.dumps(entries))
