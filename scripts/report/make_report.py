#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a report from one run: dla_info.csv, run.json, report.md and index.html, all or none of them;
and sensitivity.html, of what fovea sensitivity found."""
import argparse
import json
import pathlib
import sys

import compare
import markdown
import on_chip
import page
import sensitivity_page
import timeline
import vega_library
from read_run import read_run
from report_error import ReportError
from report_folder import ReportFolder


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="where the report goes")
    parser.add_argument(
        "--check", action="store_true", help="only say whether a report can go there, and whether --compare is one"
    )
    parser.add_argument("--run", help="folder with dla_info.csv and run.json")
    parser.add_argument("--graph", help="SVG of the fused graph")
    parser.add_argument("--trace", help="the run's timeline, which goes beside the page, compressed")
    parser.add_argument(
        "--compare", default="", help="reports to lay beside this one, up to three, with commas between"
    )
    parser.add_argument(
        "--sensitivity", default="", help="folder that fovea sensitivity wrote, whose page the report takes in"
    )
    return parser.parse_args(words)


def read_others(options):
    """(folder, run) of each report to lay beside."""
    folders = [folder for folder in options.compare.split(",") if folder]
    if len(folders) >= compare.MOST_RUNS:
        raise ReportError(
            f"{options.compare}: {len(folders)} reports beside this one; give up to {compare.MOST_RUNS - 1}"
        )
    return [(folder, read_run(folder)) for folder in folders]


def check(options):
    """Finds before the simulation what would end the report after it."""
    vega_library.check()
    with ReportFolder(options.folder, keep=False):
        pass
    read_others(options)
    read_sensitivity(options)


def read_sensitivity(options):
    return sensitivity_page.read(options.sensitivity) if options.sensitivity else None


def make(options):
    run = read_run(options.run)
    others = read_others(options)
    sensitivity = read_sensitivity(options)
    labels = compare.label_runs([folder for folder, _ in others])
    runs = [other for _, other in others]
    spans = timeline.read(options.trace) if options.trace else None
    if spans:
        spans["chains"] = on_chip.depth_first_spans(run, spans["layers"])
    with ReportFolder(options.folder) as files:
        for name in ("dla_info.csv", "run.json"):
            files.write(name, pathlib.Path(options.run, name).read_text(encoding="utf-8"))
        files.write("report.md", markdown.render(run, runs, labels))
        files.write(
            "index.html",
            page.render(run, pathlib.Path(options.graph).read_text(encoding="utf-8"), runs, labels, sensitivity, spans),
        )
        if spans:
            files.write_trace(options.trace, on_chip.trace_events(run, spans["layers"]))
        if sensitivity:
            files.write("sensitivity.json", json.dumps(sensitivity, indent=1) + "\n")
            files.write("sensitivity.html", sensitivity_page.render(sensitivity, "index.html"))


def main():
    options = parse(sys.argv[1:])
    try:
        (check if options.check else make)(options)
    except ReportError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
