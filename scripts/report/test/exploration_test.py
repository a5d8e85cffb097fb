# SPDX-License-Identifier: Apache-2.0
"""The page of explorations: its size, and that it is used by mouse and keyboard in a browser."""
import copy
import json
import pathlib
import shutil
import tempfile
import unittest

import browser
import made_run  # pylint: disable=unused-import  # It puts the report's own folder on the path.
import draw_exploration
import exploration_page
from report_error import ReportError

CAUSES = ["compute", "psum", "filter", "ifmap", "dram", "output", "control", "cpu"]


def exploration(machines=12, networks=2):
    """Cycles fall and gates rise from machine to machine; all are on the front but the last, which the first beats."""
    names = [f"net{n}" for n in range(networks)]
    designs = []
    for number in range(machines):
        rows, is_last = 4 + number % (machines - 1), number == machines - 1
        cycles = 1000000 // rows + is_last
        designs.append(
            {
                "machine": f"array_{number}",
                "rows": rows,
                "cycles": networks * cycles,
                "area_gates": 1000.25 * rows + is_last,
                "memory": "pipelined",
                "residency": "chip" if number == 0 else "none",
                "batch": 4 if number == 0 else 1,
                "front": not is_last,
                "fields": {"name": f"array_{number}", "rows": rows, "cols": 8, "energy": {"mac": 1}},
                "area": {"PEs": 900.25 * rows, "control": 100.0 * rows + is_last},
                "cycles_by_network": {name: [cycles - 7 * (cycles // 10), *[cycles // 10] * 7] for name in names},
            }
        )
    return {
        "command": "fovea explore <space>.json",
        "axes": [{"name": "rows", "values": [4 + number for number in range(machines - 1)]}],
        "networks": names,
        "minimize": ["cycles", "area_gates"],
        "causes": CAUSES,
        "designs": designs,
        "layers": {str(machines - 2): [["net0", "conv1", *range(8)]]},
        "confirmed": [],
        "steps": [
            {"machine": "array_0", **run, "field": "rows", "from": 4, "to": 5, "moved": moved}
            for run, moved in (
                ({"memory": "pipelined", "residency": "chip", "batch": 4}, "conv1"),
                ({"memory": "pipelined", "residency": "none", "batch": 4}, "conv2"),
            )
        ],
    }


class ExplorationTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, found, name="one"):
        (self.folder / name).mkdir()
        (self.folder / name / "exploration.json").write_text(json.dumps(found))
        return self.folder / name

    def open(self, *folders):
        if not shutil.which("chromium") or not shutil.which("chromedriver"):
            self.skipTest("chromium and chromedriver are not here")
        self.assertEqual(draw_exploration.main(list(map(str, folders))), 0)
        window = browser.start()
        self.addCleanup(window.quit)
        browser.resize(window, 1200)
        window.get((folders[0] / "index.html").as_uri())
        return window

    def test_500_machines_with_nine_networks_are_under_3_mb(self):
        page = exploration_page.render([exploration_page.read(self.write(exploration(500, 9)))])
        self.assertLess(len(page.encode()), 3e6)
        self.assertNotIn("<space>", page)

    def test_points_filters_and_table_open_machines_by_mouse_and_keyboard(self):
        found = exploration()
        window = self.open(self.write(found))
        run = window.execute_script
        title = "return document.querySelector('#opened h3').textContent"
        self.assertEqual(run(title), "array_10")  # Of fewest cycles.
        self.assertIn("conv1", run("return document.querySelector('#opened details').textContent"))
        self.assertEqual(run("return document.querySelectorAll('#scatter circle').length"), 12)
        press = "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}))"
        run("document.querySelector('#scatter circle[tabindex=\"0\"]').focus()")
        for key in ("ArrowRight", "ArrowRight", "Enter"):
            run(press, key)
        self.assertEqual(run(title), "array_8")
        self.assertIn("array_8;", run("return document.activeElement.getAttribute('aria-label')"))
        run("[...document.querySelectorAll('#rows a')].find((e) => e.textContent === 'array_0').click()")
        self.assertEqual(run(title), "array_0")
        said = run("return document.querySelector('#opened').textContent")
        self.assertIn("conv1", said)
        self.assertNotIn("conv2", said)  # Of another residency.
        self.assertIn("memory pipelined · residency chip · batch 4", said)
        self.assertIn("--machine array_0.json --dram pipelined --residency chip --batch 4", said)
        saved = window.execute_async_script(
            "fetch(document.getElementById('save').href).then((r) => r.text()).then(arguments[0])"
        )
        self.assertEqual(json.loads(saved), found["designs"][0]["fields"])
        self.assertIn("net1: 30 % the PEs", run("return document.getElementById('binds').textContent"))
        run("document.getElementById('only').click()")
        self.assertEqual(run("return document.querySelectorAll('#rows tr').length"), 11)
        choose = (
            "const s = document.querySelector('#filters select'); s.value = '6'; s.dispatchEvent(new Event('change'))"
        )
        run(choose)
        self.assertEqual(run("return document.querySelectorAll('#scatter circle').length"), 1)
        self.assertEqual(browser.console(window), [])
        self.assertEqual([address for address in browser.addresses(window) if address.startswith("http")], [])

    def test_objectives_far_apart_are_in_equal_factors(self):
        found = exploration()
        for number, design in enumerate(found["designs"]):
            design["cycles"] = 100000 if number == 0 else 1000 + number
        found["designs"][1]["cycles"] = 1000
        window = self.open(self.write(found))
        texts = window.execute_script(
            "return [...document.querySelectorAll('#scatter text')].map((e) => e.textContent)"
        )
        for text in ("1K", "3.16K", "10K", "31.6K", "100K"):
            self.assertIn(text, texts)

    def test_is_readable_in_light_and_dark_and_no_wider_than_a_phone(self):
        window = self.open(self.write(exploration()))
        for scheme in ("light", "dark"):
            browser.resize(window, 400, scheme)
            self.assertGreaterEqual(min(browser.contrasts(window, "main *, footer *").values()), 4.5)
            self.assertLessEqual(window.execute_script("return document.documentElement.scrollWidth"), 400)

    def test_two_explorations_are_laid_beside(self):
        other = copy.deepcopy(exploration())
        for design in other["designs"]:
            design["cycles"] //= 2
        window = self.open(self.write(exploration()), self.write(other, "two"))
        self.assertEqual(window.execute_script("return document.querySelectorAll('#scatter circle').length"), 24)
        self.assertEqual(window.execute_script("return document.getElementById('legend').textContent"), "onetwo")
        said = window.execute_script("return document.getElementById('counts').textContent")
        self.assertEqual(said, "24 of 24 machines, 22 on the front")

    def test_a_folder_without_a_whole_exploration_is_refused(self):
        for text in ("", "{}", "[]", json.dumps({**exploration(), "designs": []})):
            path = self.folder / str(len(list(self.folder.iterdir())))
            path.mkdir()
            (path / "exploration.json").write_text(text)
            with self.assertRaisesRegex(ReportError, "no whole exploration.json; give a folder that fovea explore"):
                exploration_page.read(path)


if __name__ == "__main__":
    unittest.main()
