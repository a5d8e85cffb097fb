#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes run.json: the compiler's summary, the machine, the answer, and how the run was made."""
import argparse
import json
import pathlib

from versions import commit_of_sources, version_of


def read_json(path):
    """The object in a file; {} where it is none: a network of raw tensors answers with numbers."""
    try:
        value = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def lists(run, alone):
    """Which list each layer was in, from 1 on, and its cycles with a START of its own."""

    def layers(of):
        return read_json(of).get("device", {}).get("layers", [])

    return {
        "of": {layer["layer"]: layer["list"] for layer in layers(run)},
        "alone": {layer["layer"]: layer["Cycles"] for layer in layers(alone)},
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("output", help="the file to write")
    parser.add_argument("--summary", required=True, help="foveac's <model>.json")
    parser.add_argument("--machine", required=True, help="machine file")
    parser.add_argument("--cost", required=True, help="what foveac machine --json printed of it")
    parser.add_argument("--answer", required=True, help="what test_dla --json printed")
    parser.add_argument("--alone", help="the same of a run with a START a layer, beside one with lists")
    parser.add_argument(
        "--on-cpu", help="JSON of what each layer takes on the CPU, as test_dla --json says it of those that run there"
    )
    parser.add_argument("--helps", help="JSON of what a larger machine would save the layers that lose most")
    parser.add_argument("--setting", action="append", default=[], metavar="NAME=VALUE", help="how it was run")
    parser.add_argument("--command", default="", help="what was typed")
    parser.add_argument("--foveac", default="", help="the compiler's version")
    parser.add_argument("--checkout", help="the folder of the sources, where it was built there")
    options = parser.parse_args()
    tools = (f"foveac {options.foveac}", version_of("verilator"), version_of("g++"))
    about = {
        "made_by": {
            "command": options.command,
            "commit": commit_of_sources(options.checkout) if options.checkout else "unknown",
            "versions": ", ".join(filter(None, tools)),
        },
        "settings": dict(pair.split("=", 1) for pair in options.setting),
        "answer": read_json(options.answer),
        "machine": read_json(options.machine),
        "cost": read_json(options.cost),
        "summary": read_json(options.summary),
        "on_cpu": read_json(options.on_cpu).get("host", {}) if options.on_cpu else {},
        "helps": read_json(options.helps).get("layers", []) if options.helps else [],
        "lists": lists(options.answer, options.alone) if options.alone else {},
    }
    pathlib.Path(options.output).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
