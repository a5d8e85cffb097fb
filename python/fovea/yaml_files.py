# SPDX-License-Identifier: Apache-2.0
"""Files of other tools that are YAML: PyYAML where it is there, and whether a file looks as its tool has it."""
import importlib
from typing import Any

from .errors import MappingError, UsageError


def import_yaml(files: str) -> Any:
    """PyYAML. files: what is to be read or written, for the message. Raises UsageError where it is not installed."""
    try:
        return importlib.import_module("yaml")
    except ImportError:
        raise UsageError(f"{files} are YAML; as root: apt-get install --no-install-recommends python3-yaml") from None


_SAID = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}


def check_form(value: Any, form: Any, place: str) -> None:
    """Raises MappingError for the first part of a file that is something else.

    form: fields of a table, the items of a list, or types. What is None may be left out.
    """
    types = form if isinstance(form, tuple) else (form if isinstance(form, type) else type(form),)
    if value is None:
        return
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        raise MappingError(f"{place} is {value!r:.40}; it must be {' or '.join(_SAID[each] for each in types)}")
    if isinstance(form, dict):
        for name, of in form.items():
            check_form(value.get(name), of, f"{place}: {name}")
    elif isinstance(form, list):
        for number, item in enumerate(value):
            if item is None:
                raise MappingError(f"{place}: item {number} is empty")
            check_form(item, form[0], f"{place}: item {number}")
