# SPDX-License-Identifier: Apache-2.0
"""reports/mutants.md: which tests notice which changes of the RTL, and why nothing can see those that pass."""
import collections

from sites import KINDS
from verdicts import name_of

GROUPS = ("rtl", "timing", "lockstep")


def _table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


class Page:
    """`caught`: number -> (test, how), or nothing for one that passed all."""

    def __init__(self, seed, mutants, caught, verdicts, checks, seconds):
        self.seed, self.mutants, self.caught, self.checks, self.seconds = seed, mutants, caught, checks, seconds
        self.survivors = [m for m in mutants if not caught[m["number"]]]
        self.reasons = {m["number"]: verdicts.get(name_of(m)) for m in mutants}

    def _group(self, mutant):
        catch = self.caught[mutant["number"]]
        return catch[0].group if catch else None

    def faults(self):
        """A line for each change that stands against the tests, or against equivalent.txt."""
        lines = [f"not caught: line {m['line']} of {name_of(m)}" for m in self.survivors if not self.reasons[m["number"]]]
        wrong = [m for m in self.mutants if self.caught[m["number"]] and self.reasons[m["number"]]]
        return lines + [f"equivalent.txt calls it invisible, {self.caught[m['number']][0].name} sees it: {name_of(m)}" for m in wrong]

    def _counts(self, mutants):
        groups = collections.Counter(self._group(m) for m in mutants)
        explained = sum(1 for m in mutants if not self._group(m) and self.reasons[m["number"]])
        return [len(mutants), *(groups[g] for g in GROUPS), explained, groups[None] - explained]

    def _counts_by(self, field, order):
        head = (field if field != "file" else "module", "changes", *GROUPS, "nothing can see it", "not caught")
        of = {name: [m for m in self.mutants if m[field] == name] for name in order}
        rows = [[name, *self._counts(mutants)] for name, mutants in of.items() if mutants]
        return _table(head, rows + [["all", *self._counts(self.mutants)]])

    def summary(self):
        count, *groups, explained, missed = self._counts(self.mutants)
        by = ", ".join(f"{number} by {group}" for number, group in zip(groups, GROUPS))
        return (f"{sum(groups)} of {count} changes caught: {by} first; {explained} that nothing can see; {missed} not caught; "
                f"{self.seconds / 60:.0f} minutes")

    def _tests(self):
        first = collections.Counter(catch[0].name for catch in self.caught.values() if catch)
        hangs = collections.Counter(catch[0].name for catch in self.caught.values() if catch and catch[1] == "hangs")
        rows = [(c.group, c.name, " ".join(f"{k}={v}" for k, v in c.variables.items()), f"{c.seconds:.1f}", first[c.name], hangs[c.name])
                for c in self.checks]
        return _table(("group", "test", "with", "s", "catches", "of them by its time limit"), rows)

    def _survivors(self):
        lines = []
        for mutant in self.survivors:
            verdict = self.reasons[mutant["number"]] or "**Not caught.**"
            lines.append(f"- {mutant['number']}, line {mutant['line']}, {mutant['kind']}. {name_of(mutant)}\n  \n  {verdict}")
        return "\n".join(lines) or "None."

    def text(self):
        modules = list(dict.fromkeys(m["file"] for m in self.mutants))
        return "\n\n".join([
            f"Seed {self.seed}. {self.summary()}.",
            "A change counts for the first test that notices it; tests run from the quickest on, and one that takes three times "
            "what it takes without a change, and five seconds more, has noticed. Benches of single modules run for changes in them.",
            "## By module", self._counts_by("file", modules),
            "## By kind", self._counts_by("kind", KINDS),
            "## By test", self._tests(),
            "## What passed all tests", self._survivors(),
        ]) + "\n"
