"""The lab in the browser gives the very bytes of the same C++ compiled natively."""

import os
import subprocess

from harness import FULL, ROOT, BrowserTest, require

SCRIPT = ROOT / "docs/lab/identity_check.js"
CHUNK = 200  # queries at once, so that no single script runs long


class Identity(BrowserTest):
    def native(self, option, text=""):
        program = require(
            os.environ.get("WORKBOOK_LAB_NATIVE"), "the native lab is not built here: lab_native"
        )
        ran = subprocess.run(
            [program, option], input=text, capture_output=True, text=True, check=True
        )
        return ran.stdout.splitlines()

    def in_browser(self, queries):
        return self.js("return LabIdentity.hashes(arguments[0])", queries)

    def test_every_answer_is_the_same_byte_for_byte(self):
        queries = self.native("--all-queries" if FULL else "--queries")
        expected = self.native("--hash", "\n".join(queries) + "\n")
        self.open("lab.html")
        self.js(SCRIPT.read_text(encoding="utf-8"))
        found = []
        for begin in range(0, len(queries), CHUNK):
            found += self.in_browser(queries[begin : begin + CHUNK])
        different = [q for q, a, b in zip(queries, expected, found, strict=True) if a != b]
        self.assertEqual(different[:10], [], f"{len(different)} of {len(queries)} differ")
        self.assertGreater(len(queries), 4600 if FULL else 700)
        # Not the same for any question, or nothing was compared.
        self.assertGreater(len(set(found)), 0.5 * len(queries))
