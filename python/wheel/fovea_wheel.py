# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel that pip installs: the build backend of pyproject.toml (PEP 517), which needs no other package.

`pip install .` builds what is missing of the release build, and installs that. With `--config-settings prefix=PREFIX`
it takes what is installed there: /usr for the Debian package. The wheel has the package, the programs, and the files
that they find beside them; it is for the Python and the Debian that it was built on.
"""
import base64
import csv
import hashlib
import io
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
PACKAGE = "lib/python3/dist-packages/fovea"

#: Of an installed tree what goes into a wheel's prefix; its programs, into the environment's bin.
DATA = ("share/fovea/**/*", "include/fovea/**/*", "lib/fovea/*")
SCRIPTS = ("fovea", "foveac")


def get_requires_for_build_wheel(config_settings=None):
    del config_settings
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel and returns its name."""
    del metadata_directory
    prefix = (config_settings or {}).get("prefix")
    if prefix:
        return _write_wheel(Path(wheel_directory), Path(prefix))
    build = ROOT / os.environ.get("BUILD", "build/release")
    _run("scripts/build", "installed")
    with tempfile.TemporaryDirectory(prefix="fovea_") as folder:
        _run("cmake", "--install", build, "--prefix", folder, "--strip")
        return _write_wheel(Path(wheel_directory), Path(folder))


def _run(*words):
    done = subprocess.run([str(word) for word in words], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(
            f"{words[0]} failed; scripts/install_packages build python installs what it needs\n{done.stderr.decode()}"
        )


def _write_wheel(folder, prefix):
    extension = prefix / PACKAGE / f"_fovea{SUFFIX}"
    if not extension.is_file():
        found = [path.name for path in extension.parent.glob("_fovea*.so")]
        sys.exit(
            f"{extension}: is not there; "
            + (f"{found[0]} is for another Python; use /usr/bin/python3" if found else "is Fovea installed there?")
        )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    version = re.search(r"^project\(fovea VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.M).group(1)
    tag = f"cp{sysconfig.get_config_var('py_version_nodot')}"
    tag = f"{tag}-{tag}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    name = f"fovea-{version}-{tag}.whl"
    info, data = f"fovea-{version}.dist-info", f"fovea-{version}.data"
    files = {f"fovea/{path.name}": path for path in sorted(extension.parent.iterdir()) if path.is_file()}
    files |= {f"{data}/scripts/{script}": prefix / "bin" / script for script in SCRIPTS}
    for pattern in DATA:
        for path in sorted(prefix.glob(pattern)):
            if path.is_file():
                files[f"{data}/data/{path.relative_to(prefix)}"] = path
    texts = {f"{info}/METADATA": _metadata(project, version), f"{info}/WHEEL": _wheel(tag)}
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for place, path in files.items():
            wheel.write(path, place)
            rows.writerow(_row(place, path.read_bytes()))
        for place, text in texts.items():
            wheel.writestr(place, text)
            rows.writerow(_row(place, text.encode()))
        rows.writerow((f"{info}/RECORD", "", ""))
        wheel.writestr(f"{info}/RECORD", record.getvalue())
    return name


def _row(place, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return place, f"sha256={digest}", len(content)


def _metadata(project, version):
    lines = ["Metadata-Version: 2.1", "Name: fovea", f"Version: {version}", f"Summary: {project['description']}"]
    lines += [f"License: {project['license']['text']}"]
    lines += [f"Requires-Dist: {each}" for each in project["dependencies"]]
    for extra, needed in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f"Requires-Dist: {each} ; extra == '{extra}'" for each in needed)]
    return "\n".join(lines) + "\n"


def _wheel(tag):
    return f"Wheel-Version: 1.0\nGenerator: fovea_wheel\nRoot-Is-Purelib: false\nTag: {tag}\n"
