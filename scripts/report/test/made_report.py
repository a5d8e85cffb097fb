# SPDX-License-Identifier: Apache-2.0
"""A report of a real run, for tests."""
import os
import subprocess

import made_run  # pylint: disable=unused-import  # It puts the report's own folder on the path.
import spec


def make_report(folder, *words):
    """Writes it by `make report`. Raises AssertionError where that fails."""
    command = ["make", "-s", "report", f"REPORT={folder}", *words]
    done = subprocess.run(
        command,
        cwd=spec.ROOT,
        env={**os.environ, "INSTALL": "0"},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        raise AssertionError(" ".join(command) + "\n" + done.stdout + done.stderr)
