"""The interfaces of common: every public entity has a documentation comment."""

import pathlib
import shutil
import sys
import tempfile
import unittest

from harness import ROOT

sys.path.insert(0, str(ROOT / "docs"))
import api_coverage  # noqa: E402

HEADER = """/// \\file
/// What is made up.{whom}
#pragma once
namespace pipeline {{
/// A pair.
struct Pair {{
  Pair() = default;
  double first = 0;  ///< in ticks
  double second = 0;
  double begin = 0, end = 0;  ///< both are said
 private:
  int hidden_ = 0;
}};
enum class Colour {{
  Red,  ///< of fire
  Blue,
}};
double sum(const Pair& pair);
}}  // namespace pipeline
"""


@unittest.skipUnless(shutil.which("doxygen"), "no Doxygen here: install doxygen")
class Interfaces(unittest.TestCase):
    maxDiff = None

    def measured(self, *headers):
        with tempfile.TemporaryDirectory() as folder:
            part = pathlib.Path(folder) / "common" / "part"
            part.mkdir(parents=True)
            for i, text in enumerate(headers):
                (part / f"header_{i}.hpp").write_text(text, encoding="utf-8")
            return api_coverage.measure(pathlib.Path(folder))

    def test_every_public_entity_of_common_is_documented(self):
        total, missing = api_coverage.measure(ROOT)
        self.assertGreater(total, 2500)
        self.assertEqual([f"{file}:{line}: {kind} {name}"
                          for file, line, kind, name in missing], [])

    def test_what_has_no_comment_is_named_with_file_and_line(self):
        total, missing = self.measured(HEADER.format(whom=""))
        file = "common/part/header_0.hpp"
        self.assertEqual(missing, [
            (file, 9, "variable", "pipeline::Pair::second"),
            (file, 14, "enum", "pipeline::Colour"),
            (file, 14, "enumerator", "pipeline::Colour::Blue"),
            (file, 18, "function", "pipeline::sum"),
        ])
        # The file, Pair, its four members, Colour and its two values, sum.
        self.assertEqual(total, 10)

    def test_headers_of_one_part_and_test_code_do_not_count(self):
        for whom in (" Private to the part.", " Internal to it.", " Test code."):
            total, missing = self.measured(
                HEADER.format(whom=whom),
                "/// \\file\n/// Nothing.\n#pragma once\n")
            self.assertEqual((total, missing), (1, []), whom)

    def test_most_headers_are_public(self):
        public = [counts for _, counts in api_coverage.headers_of(ROOT)]
        self.assertGreater(sum(public), 0.7 * len(public))
