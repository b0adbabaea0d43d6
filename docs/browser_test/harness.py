"""A browser for the tests of the site.

`BrowserTest` is a unittest class with its own headless Chromium: a fresh profile in a
temporary folder, the site opened from disk (file://), and a deadline on everything, so
that no test hangs. It ends with the class, and with it all that it started. A test
fails when the page wrote an error to the console, even if all else was as expected.

The environment:

  WORKBOOK_SITE         the built site; default build/docs/html
  WORKBOOK_SCREENSHOTS  where pictures go, and of each test that fails what its page
                        showed (failed-NAME.png and .txt); default build/screenshots
  WORKBOOK_PROGRAM      the command `workbook`, the reader of what the lab saves
  WORKBOOK_LAB_NATIVE   the lab as a program of this machine
  WORKBOOK_FULL=1       long sweeps at full size

A test is skipped, with the reason, where Selenium or Chromium is not installed. By hand:

  /usr/bin/python3 docs/browser_test/run.py              all of it
  /usr/bin/python3 docs/browser_test/run.py Lab Builder  only these classes
"""

import atexit
import base64
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

try:
    from selenium import webdriver
    from selenium.common.exceptions import (
        StaleElementReferenceException,
        WebDriverException,
    )
    from selenium.webdriver.chromium.remote_connection import ChromiumRemoteConnection
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ModuleNotFoundError as absent:
    if absent.name != "selenium":
        raise
    webdriver = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = pathlib.Path(os.environ.get("WORKBOOK_SITE", ROOT / "build/docs/html")).resolve()
SCREENSHOTS = pathlib.Path(
    os.environ.get("WORKBOOK_SCREENSHOTS", ROOT / "build/screenshots")
)
FULL = os.environ.get("WORKBOOK_FULL") == "1"

# Deadlines only end what hangs: nothing is judged by them, so they are generous.
WAIT_SECONDS = 60
TEST_SECONDS = 900 if FULL else 300

DESKTOP = (1280, 900)
PHONE = (360, 740)
PAPER = (718, 1000)  # A4 between its margins

CHROMIUM_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
]


def why_no_browser():
    """Why there can be no browser here, or None."""
    if webdriver is None:
        return "no Selenium here: install python3-selenium"
    if not chromium():
        return "no Chromium here: install chromium"
    if not shutil.which("chromedriver"):
        return "no chromedriver here: install chromium-driver"
    return None


def chromium():
    return shutil.which("chromium") or shutil.which("google-chrome")


class Deadline(Exception):
    """A test took so long that something must hang."""


@contextlib.contextmanager
def deadline(seconds, what):
    """Ends what is inside by a Deadline; one inside another goes on with the other."""

    def ring(_signal, _frame):
        raise Deadline(f"{what} did not end within {seconds} s")

    began = time.monotonic()
    before = signal.signal(signal.SIGALRM, ring)
    outer = signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
        if outer:
            signal.alarm(max(1, outer - int(time.monotonic() - began)))


def poll(condition, seconds=WAIT_SECONDS):
    """Asks `condition()` until what it gives is true, and gives that. While it is not,
    while what it looked at has been replaced, and while what it asserts is wrong, it is
    asked again; after `seconds` that is final: an AssertionError."""
    end = time.monotonic() + seconds
    while True:
        try:
            found = condition()
            if found:
                return found
            fault = f"still {found!r} after {seconds} s"
        except (StaleElementReferenceException, AssertionError) as wrong:
            fault = str(wrong)
        if time.monotonic() >= end:
            raise AssertionError(fault)
        time.sleep(0.02)


class Browser:
    """Chromium and the chromedriver that drives it; `close` ends both for certain."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="workbook-browser-"))
        self.downloads = self.folder / "downloads"
        self.downloads.mkdir()
        self.service = None
        self.driver = None
        atexit.register(self.close)
        try:
            with deadline(WAIT_SECONDS, "the start of the browser"):
                connection = ChromiumRemoteConnection(
                    self._start_service(), "goog", "chrome", ignore_proxy=True
                )
                self.driver = webdriver.Remote(connection, options=self._options())
        except BaseException:
            self.close()
            raise
        self.driver.set_page_load_timeout(WAIT_SECONDS)
        self.driver.set_script_timeout(WAIT_SECONDS)

    def _start_service(self):
        """A chromedriver, on a port that it chooses."""
        self.service = subprocess.Popen(
            ["chromedriver", "--port=0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "HOME": str(self.folder), "TMPDIR": str(self.folder)},
        )
        for line in self.service.stdout:
            if "started successfully on port" in line:
                return "http://127.0.0.1:" + line.split("port")[-1].strip(" .\n")
        raise RuntimeError("chromedriver ended without a port")

    def _options(self):
        options = webdriver.ChromeOptions()
        options.binary_location = chromium()
        for flag in CHROMIUM_FLAGS:
            options.add_argument(flag)
        options.add_argument(f"--user-data-dir={self.folder / 'profile'}")
        options.add_argument(f"--window-size={DESKTOP[0]},{DESKTOP[1]}")
        options.add_experimental_option(
            "prefs",
            {
                "download.default_directory": str(self.downloads),
                "download.prompt_for_download": False,
                # A file for each of several clicks, without asking.
                "profile.default_content_setting_values.automatic_downloads": 1,
            },
        )
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        return options

    def forget(self):
        """Leaves the page; what it stored and logged is gone."""
        self.command("Storage.clearDataForOrigin", origin="file://", storageTypes="all")
        self.driver.get("about:blank")
        self.driver.get_log("browser")

    def command(self, name, **parameters):
        """A command of the Chrome DevTools protocol."""
        command = {"cmd": name, "params": parameters}
        return self.driver.execute("executeCdpCommand", command)["value"]

    def close(self):
        if self.driver is not None:
            with contextlib.suppress(Exception), deadline(20, "the end of the browser"):
                self.driver.quit()
        if self.service is not None:
            self.service.kill()
            self.service.wait()
            self.service.stdout.close()
        self.driver = self.service = None
        atexit.unregister(self.close)
        self._end_stragglers()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _end_stragglers(self):
        """Chromium, should it not have ended: it names our folder, which nobody else's
        processes do. Its helpers end with it."""
        mark = str(self.folder).encode()
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if mark in (process / "cmdline").read_bytes():
                    os.kill(int(process.name), signal.SIGKILL)


class BrowserTest(unittest.TestCase):
    """A class of tests with one browser, which every test finds as it was at the start:
    wide, light, with motion and JavaScript, nothing stored."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        reason = why_no_browser()
        if reason:
            raise unittest.SkipTest(reason)
        cls.browser = Browser()
        cls.addClassCleanup(lambda: cls.browser.close())

    def run(self, result=None):
        with contextlib.ExitStack() as stack:
            if not why_no_browser():
                stack.enter_context(deadline(TEST_SECONDS, self.id()))
            result = result or self.defaultTestResult()
            before = len(result.failures) + len(result.errors)
            done = super().run(result)
            failed = [*result.failures, *result.errors]
            if len(failed) > before:
                self._keep_evidence([text for test, text in failed if self.id() in test.id()])
            return done

    def _keep_evidence(self, messages):
        """What the page shows where a test has failed, beside the pictures."""
        with contextlib.suppress(Exception), deadline(60, "the browser"):
            name = f"failed-{type(self).__name__}.{self._testMethodName}"
            shown = self.js("return location.href + '\\n\\n' + document.body.innerText")
            SCREENSHOTS.mkdir(parents=True, exist_ok=True)
            (SCREENSHOTS / f"{name}.txt").write_text("\n".join([*messages, shown]), "utf-8")
            self.screenshot(name)

    def setUp(self):
        self.browser = type(self).browser
        if self.browser.driver is None or not self._answers():
            # What an earlier test did to it is that test's fault alone.
            self.browser.close()
            self.browser = type(self).browser = Browser()
        self.driver = self.browser.driver
        self.appear()
        self.addCleanup(self._leave)

    def _answers(self):
        try:
            with deadline(60, "the browser"):
                self.browser.forget()
            return True
        except Exception:  # whatever it is, a new browser is the remedy
            return False

    def _leave(self):
        errors = self.console_errors()
        self.assertEqual(errors, [], "the page wrote errors to the console")

    # --- How the page is shown ---------------------------------------------------------

    def appear(self, size=DESKTOP, dark=False, reduced_motion=False, javascript=True, media=""):
        """How the reader's system is: before or after `open`."""
        phone = size[0] < 600
        self.browser.command(
            "Emulation.setDeviceMetricsOverride",
            width=size[0],
            height=size[1],
            deviceScaleFactor=2 if phone else 1,
            mobile=phone,
        )
        self.browser.command(
            "Emulation.setEmulatedMedia",
            media=media,
            features=[
                {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                {
                    "name": "prefers-reduced-motion",
                    "value": "reduce" if reduced_motion else "no-preference",
                },
            ],
        )
        self.browser.command("Emulation.setScriptExecutionDisabled", value=not javascript)

    # --- Pages -------------------------------------------------------------------------

    def open(self, page, fragment="", ready="pipeline-lab, pipeline-builder"):
        """Opens a page of the site from disk, as new, and waits until each element that
        `ready` selects (there may be none) shows its first figure."""
        path = page if isinstance(page, pathlib.Path) else SITE / page
        if not path.is_file():
            raise FileNotFoundError(f"the site has no page {page}: {path}")
        # A mere change of the fragment would not load the page again.
        self.driver.get("about:blank")
        self.driver.get(path.as_uri() + ("#" + fragment if fragment else ""))
        if ready:
            self.wait_until(
                lambda: self.js(
                    "return [...document.querySelectorAll(arguments[0])]"
                    ".every(e => e.hasAttribute('data-ready'))",
                    ready,
                ),
                "the page is not ready: data-ready is missing on an element " + ready,
            )

    def wait_until(self, condition, what, seconds=WAIT_SECONDS):
        """Waits until `condition()` is true, and returns what it gave."""
        try:
            return poll(condition, seconds)
        except AssertionError as fault:
            self.fail(f"{what() if callable(what) else what}: {fault}")

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def next_frame(self):
        """Returns when the page has drawn what was asked of it before."""
        self.driver.execute_async_script(
            "const done = arguments[0];"
            "requestAnimationFrame(() => requestAnimationFrame(() => done()));"
        )

    def one(self, selector):
        """The only element of that kind."""
        found = self.all(selector)
        self.assertEqual(len(found), 1, f"{len(found)} elements match {selector}, not one")
        return found[0]

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector="body"):
        """What a reader sees of an element."""
        return self.one(selector).text

    def console_errors(self):
        """What the page wrote to the console as errors, and uncaught exceptions."""
        try:
            with deadline(60, "the browser"):
                return [
                    entry["message"]
                    for entry in self.driver.get_log("browser")
                    if entry["level"] == "SEVERE"
                ]
        except (Deadline, WebDriverException, OSError) as fault:
            return [f"the page is frozen, or the browser is gone: {fault}"]

    # --- What a reader does ------------------------------------------------------------

    def press(self, *keys):
        """Keys, to whatever has the focus: Keys.TAB, "x", …"""
        ActionChains(self.driver).send_keys(*keys).perform()

    def focused(self):
        return self.driver.switch_to.active_element

    def set_slider_by_mouse(self, slider, value):
        """Clicks a range input where its value is."""
        low, high, width = self.js(
            "const s = arguments[0]; s.scrollIntoView({block: 'center'});"
            "return [Number(s.min), Number(s.max), s.getBoundingClientRect().width]",
            slider,
        )
        # The middle of the knob, 16 px wide, goes from one end to the other.
        reach = width - 16
        x = 8 + reach * (value - low) / (high - low) - width / 2
        ActionChains(self.driver).move_to_element_with_offset(slider, round(x), 0).click().perform()

    def type_into(self, element, text):
        """Replaces what a field holds and leaves it, as a reader would."""
        element.send_keys(Keys.CONTROL, "a")
        element.send_keys(text)
        element.send_keys(Keys.TAB)

    def downloaded(self, action):
        """What a click (any `action`) saves: the file's name and its text."""
        for old in self.browser.downloads.iterdir():
            old.unlink(missing_ok=True)
        action()

        def whole_file():
            # While it comes it is a hidden file or one that ends in .crdownload, beside
            # an empty one that has its name.
            with contextlib.suppress(FileNotFoundError):
                files = list(self.browser.downloads.iterdir())
                if len(files) != 1 or files[0].name.startswith("."):
                    return None
                if files[0].suffix != ".crdownload" and files[0].stat().st_size > 0:
                    return files[0].name, files[0].read_text(encoding="utf-8")
            return None

        return self.wait_until(whole_file, "nothing was downloaded")

    # --- What it looks like ------------------------------------------------------------

    def screenshot(self, name):
        """The whole page as build product NAME.png, for people to look at."""
        # The text scrolls in a part of the page: for the picture that is as high as it.
        self.js(
            "const style = document.createElement('style'); style.id = 'for-the-picture';"
            "style.textContent = '#doc-content { height: auto !important;"
            " overflow: visible !important; } #nav-path { display: none; }';"
            "document.head.append(style);"
        )
        try:
            size = self.browser.command("Page.getLayoutMetrics")["cssContentSize"]
            height = min(size["height"], 8000)
            picture = self.browser.command(
                "Page.captureScreenshot",
                captureBeyondViewport=True,
                clip={"x": 0, "y": 0, "width": size["width"], "height": height, "scale": 1},
            )
        finally:
            self.js("document.getElementById('for-the-picture').remove()")
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        (SCREENSHOTS / f"{name}.png").write_bytes(base64.b64decode(picture["data"]))

    def assert_no_sideways_scroll(self):
        """Nothing is wider than the window: the reader scrolls up and down only."""
        wide = self.js(
            """
            const text = document.getElementById('doc-content');
            for (const scroller of [document.documentElement, text]) {
              if (!scroller || scroller.scrollWidth <= scroller.clientWidth) continue;
              const room = scroller.getBoundingClientRect().left + scroller.clientWidth;
              const wide = [`${scroller.id || 'the page'} is ${scroller.scrollWidth} px wide` +
                            ` in ${scroller.clientWidth}`];
              for (const e of scroller.querySelectorAll('*')) {
                const right = e.getBoundingClientRect().right;
                if (right > room + 1) {
                  wide.push(`${e.tagName}.${e.getAttribute('class') || ''} ends at ${right}`);
                }
              }
              return wide;
            }
            return [];
            """
        )
        self.assertEqual(wide[:6], [], "the page scrolls sideways")


def require(path, what):
    """A program or file that the tests need beside the site; without it they skip."""
    if not path or not os.path.exists(path):
        raise unittest.SkipTest(what)
    return str(path)
