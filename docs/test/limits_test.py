# SPDX-License-Identifier: Apache-2.0
"""Whether docs/limits.md says the numbers of the sources."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| .* \| ([\d,]+) \| \[`(\w+)`\]\(\.\./([^)]+)\) \|", re.M)


def value_of(name: str, source: str) -> int:
    """Of `constexpr TYPE NAME = EXPRESSION`, other constants of which may come before it in a list."""
    found = re.search(rf"\b{name} = ([^,;]+)[,;]", source)
    assert found, name
    expression = re.sub(
        r"std::size_t\{(\d+)\}|int64_t\{(\d+)\}|(\d+)[uU]\b", lambda match: next(filter(None, match.groups())), found[1]
    )
    assert re.fullmatch(r"[\d <]+", expression), expression
    return int(eval(expression))  # pylint: disable=eval-used


class LimitsTest(unittest.TestCase):
    def test_each_number_is_the_constants(self) -> None:
        rows = ROW.findall((ROOT / "docs/limits.md").read_text(encoding="utf-8"))
        self.assertGreater(len(rows), 15)
        for number, name, file in rows:
            with self.subTest(name):
                self.assertEqual(
                    int(number.replace(",", "")), value_of(name, (ROOT / file).read_text(encoding="utf-8"))
                )


if __name__ == "__main__":
    unittest.main()
