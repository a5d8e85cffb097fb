# SPDX-License-Identifier: Apache-2.0
"""Numbers as people read them: thousands apart, with units, never more digits than they mean."""


def count(number):
    """1234567 -> 1,234,567."""
    return f"{round(number):,}"


def short(number):
    """1234567 -> 1.23 M; up to 9,999 as it is."""
    if abs(number) >= 1e4:
        for scale, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
            if abs(number) >= 0.9995 * scale:  # From there on three digits round up to it.
                return f"{number / scale:.3g} {unit}"
    return count(number)


def byte_count(number):
    """2401472 -> 2.4 MB; 4000 -> 4,000 B."""
    text = short(number)
    return f"{text}B" if text[-1].isalpha() else f"{text} B"


def milliseconds(number):
    """0.0123 -> 12.3 µs; 0.1234 -> 0.123 ms; 12.345 -> 12.3 ms."""
    if number < 0.1:
        return f"{1000 * number:.3g} µs"
    return f"{number:.3g} ms" if number < 1000 else f"{count(number)} ms"


def rate(number):
    """52.857 -> 52.9; 12345.6 -> 12,346."""
    return f"{number:.3g}" if number < 100 else count(number)


def joules(picojoules):
    """12345 pJ -> 12.3 nJ."""
    for unit in ("pJ", "nJ", "µJ"):
        if picojoules < 999.5:
            return f"{picojoules:.3g} {unit}"
        picojoules /= 1000
    return f"{picojoules:.3g} mJ"


def percent(part, digits=1):
    """0.1234 -> 12.3 %."""
    return f"{100 * part:.{digits}f} %"


def fitting(name, characters=40):
    """A name that is longer, without its middle."""
    half = (characters - 1) // 2
    return name if len(name) <= characters else f"{name[:half]}…{name[-half:]}"


def signed_percent(part, digits=1):
    """0.1234 -> +12.3 %; a zero has no sign."""
    text = f"{100 * part:+.{digits}f}"
    return f"{text.lstrip('+-') if float(text) == 0 else text.replace('-', '−')} %"


def several(number, one, more=None):
    """2, "tile" -> 2 tiles."""
    return f"{count(number)} {one if number == 1 else more or one + 's'}"


def first_to_last(first, number):
    """What a run of numbers is called: 4 from 0 -> 0 to 3; 1 from 5 -> 5."""
    return f"{first}" if number == 1 else f"{first} to {first + number - 1}"


def span(first, number):
    """The same, shorter: 4 from 0 -> 0–3."""
    return first_to_last(first, number).replace(" to ", "–")
