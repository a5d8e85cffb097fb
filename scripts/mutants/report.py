# SPDX-License-Identifier: Apache-2.0
"""reports/mutants.md: which tests notice which changes of the RTL, and why nothing can see those that pass."""
import collections

from markdown_table import markdown_table
from sites import KINDS
from verdicts import name_of


class Page:
    """`caught`: number -> (test, how), or nothing where a change passed all tests."""

    def __init__(self, seed, mutants, caught, verdicts, checks, seconds):
        self.seed, self.mutants, self.caught, self.checks, self.seconds = seed, mutants, caught, checks, seconds
        self.survivors = [m for m in mutants if not caught[m["number"]]]
        self.reasons = {m["number"]: verdicts.get(name_of(m)) for m in mutants}

    def faults(self):
        """A line for each change that no test notices and nobody has explained."""
        return [
            f"not caught: line {m['line']} of {name_of(m)}" for m in self.survivors if not self.reasons[m["number"]]
        ]

    def notes(self):
        """A line for each change that equivalent.txt explains although a test notices it."""
        return [
            f"equivalent.txt calls it invisible, {self.caught[m['number']][0].name} sees it: {name_of(m)}"
            for m in self.mutants
            if self.caught[m["number"]] and self.reasons[m["number"]]
        ]

    def _counts(self, mutants):
        """How many there are, are caught, nothing can see, and are not caught."""
        passed = [m for m in mutants if not self.caught[m["number"]]]
        explained = sum(1 for m in passed if self.reasons[m["number"]])
        return [len(mutants), len(mutants) - len(passed), explained, len(passed) - explained]

    def _counts_by(self, field, order):
        head = (field if field != "file" else "module", "changes", "caught", "nothing can see it", "not caught")
        of = {name: [m for m in self.mutants if m[field] == name] for name in order}
        rows = [[name, *self._counts(mutants)] for name, mutants in of.items() if mutants]
        return markdown_table(head, rows + [["all", *self._counts(self.mutants)]])

    def summary(self):
        count, caught, explained, missed = self._counts(self.mutants)
        return (
            f"{caught} of {count} changes caught; {explained} that nothing can see; {missed} not caught; "
            f"{self.seconds / 60:.0f} minutes"
        )

    def _tests(self):
        catches = [catch for catch in self.caught.values() if catch]
        first = collections.Counter(check.name for check, _ in catches)
        hangs = collections.Counter(check.name for check, how in catches if how == "hangs")
        rows = [
            (
                c.name,
                " ".join(f"{k}={v}" for k, v in c.variables.items()),
                f"{c.seconds:.2f}",
                first[c.name],
                hangs[c.name],
            )
            for c in self.checks
        ]
        return markdown_table(("test", "with", "s", "catches first", "of them by its limit"), rows)

    def _survivors(self):
        lines = []
        for mutant in self.survivors:
            verdict = self.reasons[mutant["number"]] or "**Not caught.**"
            lines.append(
                f"- {mutant['number']}, line {mutant['line']}, {mutant['kind']}. {name_of(mutant)}\n  \n  {verdict}"
            )
        return "\n".join(lines) or "None."

    def text(self):
        modules = list(dict.fromkeys(m["file"] for m in self.mutants))
        return (
            "\n\n".join(
                [
                    f"Seed {self.seed}. {self.summary()}.",
                    (
                        "Tests run on a change from the quickest on, until one notices: it fails, crashes, or computes"
                        " three times as long as without a change and two seconds more. Benches of single modules run"
                        " for changes in them."
                    ),
                    "## By module",
                    self._counts_by("file", modules),
                    "## By kind",
                    self._counts_by("kind", KINDS),
                    "## By test",
                    self._tests(),
                    "## What passed all tests",
                    self._survivors(),
                ]
            )
            + "\n"
        )
