# SPDX-License-Identifier: Apache-2.0
"""Debian's package of a build, for tests."""
import subprocess


def make_package(build, folder):
    """Writes it into a folder, packed quickly. Returns its path."""
    words = ["cpack", "--config", build / "CPackConfig.cmake", "-B", folder, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip"]
    subprocess.run(words, check=True, capture_output=True)
    return next(folder.glob("fovea_*.deb"))
