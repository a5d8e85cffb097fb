# SPDX-License-Identifier: Apache-2.0
"""The pages' templates."""
import pathlib

import jinja2

HERE = pathlib.Path(__file__).resolve().parent


def template(name):
    """That of a file beside this one. What it is given is escaped, and all that it names has to be given."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template(name)
