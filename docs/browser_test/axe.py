"""axe-core, the checker of accessibility that axe.min.js holds (Deque Systems, MPL 2.0).

It is no part of the workbook: pip fetches the wheel of a package that carries it, which
must be the very one named in axe_requirements.txt, into build/python.
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

from harness import ROOT

SCRIPT = ROOT / "build/python/axe.min.js"
REQUIREMENTS = pathlib.Path(__file__).with_name("axe_requirements.txt")
INSIDE = "axe_playwright_python/axe.min.js"


def fetch():
    """Fetches the script; returns why that failed, or None."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"),
            *("--disable-pip-version-check", "--retries", "1", "--timeout", "20"),
            *("--only-binary", ":all:", "--require-hashes", "-r", str(REQUIREMENTS)),
            *("--dest", folder),
        ]
        try:
            pip = subprocess.run(command, capture_output=True, text=True, timeout=120)
        except (OSError, subprocess.TimeoutExpired) as fault:
            return str(fault)
        if pip.returncode != 0:
            said = pip.stderr.strip().splitlines()
            return said[-1] if said else f"pip ended with exit code {pip.returncode}"
        (wheel,) = pathlib.Path(folder).glob("*.whl")
        SCRIPT.parent.mkdir(parents=True, exist_ok=True)
        whole = SCRIPT.with_suffix(".new")
        whole.write_bytes(zipfile.ZipFile(wheel).read(INSIDE))
        whole.replace(SCRIPT)
    return None


def script():
    """The text of axe.min.js; skips the test where it can't be had."""
    if not SCRIPT.is_file():
        reason = fetch()
        if reason:
            raise unittest.SkipTest(f"axe could not be fetched by pip: {reason}")
    return SCRIPT.read_text(encoding="utf-8")
