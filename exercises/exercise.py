#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gives out an exercise and checks what was made of it.

    exercises/exercise.py start NAME    a copy to work in, build/exercises/NAME; one that is there stays as it is
    exercises/exercise.py check NAME    exit 0: solved. Exit 1: not yet, and what is missing was printed

A folder beside this file is an exercise: README.md, check.py with `check(task)`, and either start.patch, which is
applied to a copy of the repository, or the files to edit. solution.patch is applied by nobody but the test.
"""
import argparse
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
if not (ROOT / "scripts/build").exists():
    sys.exit("exercise.py: the exercises change Fovea's sources, which are not here; start them in a checkout")
sys.path.insert(0, str(ROOT / "docs/test"))
from repo_files import repo_files

HERE = ROOT / "exercises"
PROGRAMS = "scripts/build foveac _fovea test_dla test_cpu measure_layers fovea_systemc fovea_rtl_eyeriss_6x8"
KEPT = {"README.md", "check.py", "start.patch", "solution.patch"}


class NotSolved(Exception):
    """What is missing, for the student to read."""


class Task:
    """An exercise and the folder that it is worked on in."""

    def __init__(self, name, folder=None, build="build/release"):
        self.name, self.source, self.build = name, HERE / name, ROOT / build
        self.folder = pathlib.Path(folder).resolve() if folder else ROOT / "build/exercises" / name

    def is_copy_of_all(self):
        return (self.source / "start.patch").exists()

    def start(self):
        """Writes the folder."""
        if self.is_copy_of_all():
            for path in repo_files():
                if path.parts[0] != "exercises":
                    (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(ROOT / path, self.folder / path)
            self.apply("start.patch")
        else:
            self.folder.mkdir(parents=True, exist_ok=True)
            for path in self.source.iterdir():
                if path.is_file() and path.name not in KEPT:
                    shutil.copy2(path, self.folder / path.name)

    def apply(self, patch):
        # The folder may lie within a repository, which git would look for the files in.
        done = subprocess.run(
            ["git", "apply", str(self.source / patch)],
            cwd=self.folder,
            capture_output=True,
            text=True,
            env={**os.environ, "GIT_CEILING_DIRECTORIES": str(self.folder.parent)},
        )
        if done.returncode != 0:
            raise SystemExit(f"exercises/{self.name}/{patch} no longer applies; renew it\n{done.stderr}")

    def run(self, *command, cwd=None):
        """(exit status, what was printed) of a command in the folder."""
        done = subprocess.run(
            [str(word) for word in command],
            cwd=cwd or self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return done.returncode, done.stdout

    def must(self, wanted, *command, cwd=None):
        """What a command printed; NotSolved with `wanted` where it fails."""
        status, printed = self.run(*command, cwd=cwd)
        if status != 0:
            raise NotSolved(f"{wanted}:\n{printed[-4000:].rstrip()}")
        return printed

    def make(self, *targets):
        """Builds targets in the folder; what is as it was in the repository comes out of ccache."""
        build = self.folder / "build/release"
        if not (build / "build.ninja").exists():
            self.must("cmake could not configure the copy", "cmake", "--preset", "release", "-DFOVEA_TESTS=OFF")
        self.must("it does not compile", "ninja", "-C", build, *targets)
        return build

    def compile(self, foveac, model, net, *options):
        """Compiles a network and its C to the folder `net`; what foveac printed."""
        table = self.must(f"foveac does not take {model.name}", foveac, model, "-o", net, *options)
        self.must(
            "its C does not compile",
            "cc",
            "-std=c11",
            "-O2",
            "-fPIC",
            "-shared",
            "-Isim",
            "-Idriver",
            "-Idriver/runtime",
            net / "model.c",
            "-o",
            net / "model.so",
        )
        return table

    def needs(self, *programs):
        """Paths of this repository's own programs."""
        paths = [self.build / program for program in programs]
        for path in paths:
            if not path.exists():
                raise SystemExit(f"{path.relative_to(ROOT)} is missing; build it with: {PROGRAMS}")
        return paths


def load_check(name):
    spec = importlib.util.spec_from_file_location(f"check_{name}", HERE / name / "check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.check


def names():
    return sorted(path.parent.name for path in HERE.glob("*/check.py"))


def main():
    parser = argparse.ArgumentParser(description="Gives out an exercise and checks what was made of it.")
    parser.add_argument("what", choices=["start", "check"])
    parser.add_argument("name", choices=names())
    arguments = parser.parse_args()
    task = Task(arguments.name, build=os.environ.get("BUILD", "build/release"))
    shown = task.folder.relative_to(ROOT)
    if arguments.what == "start":
        if task.folder.exists():
            raise SystemExit(f"{shown} is there already; remove it to start anew")
        task.start()
        print(f"work in {shown}; then: exercises/exercise.py check {task.name}")
        return 0
    if not task.folder.exists():
        raise SystemExit(f"{shown} is missing; first: exercises/exercise.py start {task.name}")
    try:
        print(load_check(task.name)(task))
    except NotSolved as fault:
        print(f"not yet: {fault}")
        return 1
    print("solved")
    return 0


if __name__ == "__main__":
    sys.modules["exercise"] = sys.modules["__main__"]
    sys.exit(main())
