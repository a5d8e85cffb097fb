# SPDX-License-Identifier: Apache-2.0
"""Debian's Chromium without a window, through its own driver, for tests of pages in files."""
import json
import re
import shutil

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service


def start():
    """A browser that logs its console and what it loads. Its caller quits it."""
    options = Options()
    options.binary_location = shutil.which("chromium")
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


def resize(browser, width, colour_scheme="light"):
    """A window of `width` pixels, light or dark."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    )
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": colour_scheme}]}
    )


def draw_all(browser):
    """Charts are drawn when they come into view, or before the page is printed."""
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")


def shown(browser, selector):
    """The elements that are seen, in one question: asking each takes a hundredth of a second."""
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0])].filter((e) => e.checkVisibility())", selector
    )


def texts(browser, selector):
    """What each element says to who sees the page, in one question: nothing where it is hidden."""
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map((e) => e.checkVisibility() ? e.innerText.trim() : '')",
        selector,
    )


def cut_texts(browser):
    """The texts that reach over the edge of their chart."""
    return browser.execute_script(
        "return [...document.querySelectorAll('.chart svg')].flatMap((svg) => { const all ="
        " svg.getBoundingClientRect(); return [...svg.querySelectorAll('text')].filter((text) => { const box ="
        " text.getBoundingClientRect(); return text.getAttribute('opacity') !== '0' && (box.left < all.left - 1"
        " || box.right > all.right + 1 || box.top < all.top - 1 || box.bottom > all.bottom + 1); })"
        ".map((text) => text.textContent); })"
    )


def _luminance(colour, behind="rgb(0, 0, 0)"):
    """Relative luminance of "rgb(...)" or "rgba(...)" in front of a colour, as WCAG has it."""
    numbers, below = ([float(number) for number in re.findall(r"[\d.]+", text)] for text in (colour, behind))
    opacity = numbers[3] if len(numbers) > 3 else 1
    parts = [(opacity * part + (1 - opacity) * other) / 255 for part, other in zip(numbers[:3], below)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrasts(browser, selector):
    """{(colour, background): contrast, by WCAG from 1 to 21} of the words of what is selected."""
    pairs = browser.execute_script(
        "const behind = (e) => { for (; e; e = e.parentElement) { const of = getComputedStyle(e).backgroundColor;"
        " if (!/, 0\\)$/.test(of)) return of; } return 'rgb(255, 255, 255)'; };"
        "return [...document.querySelectorAll(arguments[0])].filter((e) => e.textContent.trim() && e.checkVisibility())"
        ".map((e) => [getComputedStyle(e)[e.ownerSVGElement ? 'fill' : 'color'], behind(e)])",
        selector,
    )
    found = {}
    for colour, background in {tuple(pair) for pair in pairs}:
        dim, bright = sorted((_luminance(colour, background), _luminance(background)))
        found[colour, background] = (bright + 0.05) / (dim + 0.05)
    return found


def console(browser):
    """What the console said since it was asked last."""
    return [entry["message"] for entry in browser.get_log("browser")]


def addresses(browser):
    """What the page asked for since it was asked last."""
    events = (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
    return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
