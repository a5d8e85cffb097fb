# SPDX-License-Identifier: Apache-2.0
"""The site in a browser at the width of a desktop, by keyboard alone: its tabs and links are reached and followed,
search finds a page, and nothing is asked of any other host. pages_test.py has built it. $SHOTS, if it is set, is a
folder for pictures of what was seen."""
import functools
import http.server
import os
import pathlib
import sys
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SITE = (ROOT / os.environ.get("BUILD", "build/release")).resolve() / "site"
sys.path.insert(0, str(ROOT / "scripts/report/test"))
import browser as chromium
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

WAIT_S = 20


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("localhost", 0), functools.partial(Quiet, directory=SITE))
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.home = f"http://localhost:{cls.server.server_port}/"
        cls.browser = chromium.start()

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.server.shutdown()
        cls.server.server_close()

    def open(self, page, colour_scheme="light", width=1440):
        chromium.resize(self.browser, width, colour_scheme)
        self.browser.get(self.home + page)
        self.wait(lambda _: self.browser.execute_script("return document.readyState") == "complete")

    def wait(self, condition):
        return WebDriverWait(self.browser, WAIT_S).until(condition)

    def press(self, *keys):
        self.browser.switch_to.active_element.send_keys(*keys)

    def shoot(self, name):
        if "SHOTS" in os.environ:
            self.browser.save_screenshot(os.path.join(os.environ["SHOTS"], f"{name}.png"))

    def tab_to(self, words, most=60):
        """Presses Tab until the link of these words has the focus, which must be seen."""
        for _ in range(most):
            self.press(Keys.TAB)
            focused = self.browser.switch_to.active_element
            if focused.tag_name == "a" and focused.text.strip() == words:
                self.assertTrue(focused.is_displayed(), words)
                return focused
        self.fail(f"{most} times Tab, and no link '{words}' had the focus")

    def follow(self, words):
        before = self.browser.current_url
        self.tab_to(words)
        self.press(Keys.ENTER)
        self.wait(lambda browser: browser.current_url != before)

    def heading(self):
        return self.wait(lambda browser: browser.find_element(By.CSS_SELECTOR, "article h1")).text.rstrip("¶ \n")

    def test_the_first_tab_stop_leads_past_the_navigation(self):
        self.open("tutorials/start.html")
        self.press(Keys.TAB)
        self.assertEqual(self.browser.switch_to.active_element.get_attribute("textContent").strip(), "Skip to content")
        self.press(Keys.ENTER)
        self.wait(lambda browser: browser.current_url.endswith("#five-minutes"))

    def test_from_home_to_a_tutorial_and_on_by_tab_and_enter(self):
        self.open("index.html")
        self.shoot("home")
        self.follow("Tutorials")
        self.assertEqual(self.heading(), "Your first network")
        self.follow("Waves of one stall")
        self.assertEqual(self.heading(), "Waves of one stall")
        self.shoot("waves")
        self.follow("how to read that")
        self.assertEqual(self.heading(), "Where the cycles go")

    def test_search_finds_a_page_from_the_keyboard(self):
        self.open("index.html")
        self.press("/")
        self.wait(lambda browser: browser.switch_to.active_element.get_attribute("name") == "query")
        self.press("psum lanes")
        found = self.wait(
            lambda browser: [
                link
                for link in browser.find_elements(By.CSS_SELECTOR, ".md-search-result__link")
                if "machine" in link.get_attribute("href")
            ]
        )
        self.assertTrue(found)
        self.shoot("search")
        self.press(Keys.ARROW_DOWN)
        before = self.browser.current_url
        self.press(Keys.ENTER)
        self.wait(lambda browser: browser.current_url != before)
        self.assertIn("psum", self.browser.find_element(By.TAG_NAME, "article").text)

    def test_pictures_are_drawn_and_no_page_is_wider_than_the_window(self):
        for page in sorted((ROOT / "docs/tutorials").glob("*.md")):
            with self.subTest(page=page.name):
                self.open(f"tutorials/{page.stem}.html")
                self.shoot(page.stem)
                self.assertEqual(
                    self.browser.execute_script(
                        "return [...document.images].filter(i => !i.naturalWidth).map(i => i.src)"
                    ),
                    [],
                )
                self.assertLessEqual(self.browser.execute_script("return document.documentElement.scrollWidth"), 1440)

    def test_no_page_is_wider_than_a_telephone(self):
        """Headings of sources are long paths."""
        for page in ("usage.html", "tutorials/start.html", "repository/compiler/tensor/tensor.h.html"):
            self.open(page, width=400)
            self.assertLessEqual(self.browser.execute_script("return document.documentElement.scrollWidth"), 400, page)

    def test_words_stand_out_light_and_dark_as_the_system_is(self):
        """4.5 to 1, as WCAG has it, for a reader who has not chosen yet."""
        for scheme, theme in (("light", "default"), ("dark", "slate")):
            self.open("index.html", scheme)
            self.browser.execute_script("localStorage.clear()")
            for page in ("index.html", "usage.html", "tutorials/where_cycles_go.html"):
                self.open(page, scheme)
                self.shoot(f"{scheme}_{page.replace('/', '_')}")
                body = self.browser.find_element(By.TAG_NAME, "body")
                self.assertEqual(body.get_attribute("data-md-color-scheme"), theme)
                found = chromium.contrasts(
                    self.browser, "article :is(h1, h2, h3, p, li, td, th, a:not(.headerlink), code)"
                )
                self.assertEqual({pair: ratio for pair, ratio in found.items() if ratio < 4.5}, {}, (page, scheme))

    def test_nothing_comes_from_elsewhere_and_the_console_is_silent(self):
        chromium.addresses(self.browser)
        chromium.console(self.browser)
        for page in ("index.html", "how_to.html", "tutorials/mobilenet.html", "exercises/index.html"):
            self.open(page)
        self.assertEqual([a for a in chromium.addresses(self.browser) if not a.startswith((self.home, "data:"))], [])
        self.assertEqual(chromium.console(self.browser), [])


if __name__ == "__main__":
    unittest.main()
