#!/usr/bin/python3
"""How long the site makes people wait, as ratios to what is allowed: for
`./workbook bench`, which takes it for a Google Benchmark program, so it speaks like one.

  site_bench --benchmark_out=FILE [--benchmark_filter=REGEX]

Each row is the median of several runs over its limit. Needs the programs of the
workbook (WORKBOOK_PROGRAM) and a browser.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import harness  # noqa: E402

# From the start of the navigation until the lab's first figure is painted: what is asked
# for in a frame comes before its paint, and a task of its own after it.
NOTE_FIRST_PICTURE = """
const watch = new MutationObserver(() => {
  if (document.querySelector('pipeline-lab[data-ready]')) {
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => {
      globalThis.firstPicture = performance.now();
    }));
  }
});
watch.observe(document, {subtree: true, childList: true, attributeFilter: ['data-ready']});
"""

# Moves the slider of m to and fro; the lab says how long each redraw took, with layout.
REDRAW = """
const [rounds, done] = arguments;
const lab = document.querySelector('pipeline-lab');
const slider = lab.querySelector("input[type=range][data-key='m']");
const most = Number(slider.value);
const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
(async () => {
  const times = [];
  for (let i = 0; i < rounds; ++i) {
    lab.lastRedraw = 0;
    slider.value = i % 2 ? most : most - 1;
    slider.dispatchEvent(new Event('input', {bubbles: true}));
    while (!lab.lastRedraw) await frame();
    if (i % 2) times.push(lab.lastRedraw);
  }
  done(times);
})();
"""


def make_site():
    """Seconds that `workbook docs` takes; the first one builds what it needs, too."""
    began = time.monotonic()
    made = subprocess.run([os.environ["WORKBOOK_PROGRAM"], "docs"], capture_output=True, text=True)
    if made.returncode != 0:
        raise RuntimeError("the site was not made: " + made.stderr)
    return time.monotonic() - began


def site_build():
    return statistics.median(make_site() for _ in range(3)) / 20


def with_browser(measure):
    reason = harness.why_no_browser()
    if reason:
        raise RuntimeError(reason)
    browser = harness.Browser()
    try:
        return measure(browser)
    finally:
        browser.close()


def open_lab(browser, query):
    driver = browser.driver
    driver.get("about:blank")
    driver.get((harness.SITE / "lab.html").as_uri() + "#" + query)
    ready = "return !!document.querySelector('pipeline-lab[data-ready]')"
    harness.poll(lambda: driver.execute_script(ready))


def first_picture():
    def measure(browser):
        browser.command("Page.enable")
        browser.command("Page.addScriptToEvaluateOnNewDocument", source=NOTE_FIRST_PICTURE)
        times = []
        for _ in range(9):
            open_lab(browser, "schedule=1f1b&p=4&m=8")
            noted = "return globalThis.firstPicture"
            times.append(harness.poll(lambda: browser.driver.execute_script(noted)))
        return statistics.median(times) / 200

    return with_browser(measure)


def redraw(p, m, limit):
    def measure(browser):
        open_lab(browser, f"schedule=1f1b&p={p}&m={m}")
        times = browser.driver.execute_async_script(REDRAW, 42)
        return statistics.median(times) / limit

    return with_browser(measure)


BENCHMARKS = {
    "site/made_in_20_s": site_build,
    "site/first_picture_in_200_ms": first_picture,
    "site/redraw_8x32_in_16_ms": lambda: redraw(8, 32, 16),
    "site/redraw_16x128_in_60_ms": lambda: redraw(16, 128, 60),
}


def row(name, measure):
    result = {"name": name, "run_name": name, "run_type": "iteration", "repetitions": 1}
    try:
        return {**result, "ratio": round(measure(), 4), "limit": 1, "at_most": 1}
    except Exception as fault:  # told as a row, as other benchmarks do
        return {**result, "error_occurred": True, "error_message": str(fault).split("\n")[0]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--benchmark_out", type=pathlib.Path, required=True)
    parser.add_argument("--benchmark_out_format", choices=["json"])
    parser.add_argument("--benchmark_filter", default="")
    arguments = parser.parse_args()
    chosen = [name for name in BENCHMARKS if re.search(arguments.benchmark_filter, name)]
    if chosen:
        make_site()
    rows = [row(name, BENCHMARKS[name]) for name in chosen]
    # Google Benchmark leaves the file empty where nothing matches.
    arguments.benchmark_out.write_text(json.dumps({"benchmarks": rows}) if rows else "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
