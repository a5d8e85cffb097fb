# SPDX-License-Identifier: Apache-2.0
"""Which changes of the RTL nothing can see, and why: scripts/mutants/equivalent.txt, looked at by a person."""

# Longer statements are cut in what names a change.
LONGEST = 140


def name_of(mutant):
    """What a change is called: its file and what it reads like, not its line. The same from run to run."""
    where = mutant["where"] if len(mutant["where"]) <= LONGEST else mutant["where"][:LONGEST] + "..."
    twin = f" (#{mutant['twin']})" if mutant["twin"] > 1 else ""
    if mutant["kind"] == "dropped assignment":
        return f"{mutant['file']}{twin}: without `{where}`"
    return f"{mutant['file']}{twin}: `{mutant['before']}` is `{mutant['after']}` in `{where}`"


def read_verdicts(path):
    """name_of(change) -> the reason, which stands below it, indented."""
    verdicts, name = {}, None
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            name = line.rstrip()
            verdicts[name] = ""
        else:
            verdicts[name] = f"{verdicts[name]} {line.strip()}".strip()
    return verdicts
