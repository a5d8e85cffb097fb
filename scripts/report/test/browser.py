# SPDX-License-Identifier: Apache-2.0
"""Debian's Chromium without a window, through its own driver, for tests of pages in files."""
import json
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


def console(browser):
    """What the console said since it was asked last."""
    return [entry["message"] for entry in browser.get_log("browser")]


def addresses(browser):
    """What the page asked for since it was asked last."""
    events = (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
    return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
