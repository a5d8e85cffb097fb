#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a copy of the RTL with COUNT changes in it, of which a run makes one: mutate.py RTL FOLDER SEED COUNT.

RTL is the folder of dla.f. In FOLDER come the same files, and mutants.json: what each number changes, and all that
could be. The environment variable MUTANT of the simulation says which it is; without one, or with 0, the copy does what
the RTL does.
"""
import json
import pathlib
import sys

from design import Design
from draw import draw
from tokens import SourceError
from verdicts import name_of

PACKAGE = """// SPDX-License-Identifier: Apache-2.0
/// \\file
/// Which change of the RTL this run makes: 0 for none. Written by scripts/mutants/mutate.py.
`ifndef DLA_MUTANT_SVH
`define DLA_MUTANT_SVH
package dla_mutant;
  int unsigned picked =
      $c32("std::getenv(\\"MUTANT\\") == nullptr ? 0 : std::strtoul(std::getenv(\\"MUTANT\\"), nullptr, 10)");
endpackage
`endif
"""


def _nest(numbered):
    """(number, site) pairs, each with those inside it, outermost first."""
    roots, open_sites = [], []
    for number, site in sorted(numbered, key=lambda pair: (pair[1].start, -pair[1].end, pair[1].kind != "condition")):
        while open_sites and open_sites[-1][1].end <= site.start:
            open_sites.pop()
        entry = (number, site, [])
        (open_sites[-1][2] if open_sites else roots).append(entry)
        open_sites.append(entry)
    return roots


def _render(text, start, end, entries):
    """text[start:end] with the changes of `entries` in it."""
    out, at = [], start
    for entry in entries:
        site = entry[1]
        if start <= site.start and site.end <= end:
            out += [text[at : site.start], _render_site(text, entry)]
            at = site.end
    return "".join(out) + text[at:end]


def _render_site(text, entry):
    number, site, inner = entry
    source = _render(text, site.start, site.end, inner)
    if site.kind == "dropped assignment":
        return f"begin if (dla_mutant::picked != {number}) {source} end"
    changed = "".join(part if isinstance(part, str) else _render(text, *part, inner) for part in site.parts)
    return f"(dla_mutant::picked == {number} ? ({changed}) : ({source}))"


def mutated(text, head, numbered):
    """A source with its (number, site) pairs in it; `head` is where its code begins."""
    return text[:head] + '`include "dla_mutant.svh"\n' + _render(text, head, len(text), _nest(numbered))


def _write(path, text):
    """Leaves a file that says the same untouched, so that nothing is built again for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def _row(site):
    return {field: getattr(site, field) for field in ("kind", "file", "line", "where", "before", "after", "twin")}


def write_copy(rtl, folder, seed, count):
    design = Design(rtl / "dla.f")
    drawn = list(enumerate(draw(design.sites, seed, count), 1))
    for path in sorted(path for part in (".", "include", "lint") for path in (rtl / part).iterdir() if path.is_file()):
        _write(folder / path.relative_to(rtl), path.read_text(encoding="utf-8"))
    _write(folder / "include/dla_mutant.svh", PACKAGE)
    for name, text in design.texts.items():
        of_module = [pair for pair in drawn if pair[1].file == name]
        _write(folder / f"src/{name}.sv", mutated(text, design.first_line(name), of_module) if of_module else text)
    rows = [{"number": number, **_row(site)} for number, site in drawn]
    names = [name_of(_row(site)) for sites in design.sites.values() for site in sites]
    table = {"seed": seed, "inside": design.inside, "names": names, "mutants": rows}
    _write(folder / "mutants.json", json.dumps(table, indent=1) + "\n")


def main():
    rtl, folder, seed, count = sys.argv[1:]
    try:
        write_copy(pathlib.Path(rtl), pathlib.Path(folder), int(seed), int(count))
    except SourceError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
