#!/usr/bin/env python3
"""Runs the tests of the site.

  run.py [--list] [--results FILE] [CLASS | CLASS.NAME …]

Tests go by the names that they have in `./workbook test`: test_lab.py's
`Lab.test_a_slider_moves` is Lab.ASliderMoves. --list prints these names, one a line.
--results appends to FILE a line of JSON for each test as soon as it is done:
{"name", "outcome": "passed" | "failed" | "skipped", "message"}.
"""

import argparse
import json
import pathlib
import signal
import sys
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def shown_name(test):
    words = test._testMethodName.removeprefix("test_").split("_")
    return type(test).__name__ + "." + "".join(w[:1].upper() + w[1:] for w in words)


def flatten(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


def chosen(tests, names):
    return [
        t
        for t in tests
        if not names or shown_name(t) in names or shown_name(t).split(".")[0] in names
    ]


class Report(unittest.TextTestResult):
    """Also writes each outcome to a file at once, so that a run that is cut off has told
    of those before."""

    results = None
    tests = ()

    def startTest(self, test):
        self.message = None
        super().startTest(test)

    def _tell(self, test, outcome, message=""):
        if self.results is None:
            return
        line = {"name": shown_name(test), "outcome": outcome, "message": message}
        self.results.write(json.dumps(line) + "\n")
        self.results.flush()

    def _tell_class(self, holder, outcome, message):
        """What befell a class in its setUpClass befell each of its tests."""
        for test in self.tests:
            if f"{type(test).__module__}.{type(test).__qualname__})" in str(holder):
                self._tell(test, outcome, message)

    def stopTest(self, test):
        if self.message is None:
            self._tell(test, "passed")
        elif self.message[0] == "skipped" or isinstance(test, unittest.TestCase):
            self._tell(test, *self.message)
        super().stopTest(test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        if not isinstance(test, unittest.TestCase):
            self._tell_class(test, "skipped", reason)
        elif self.message is None:  # one part that fails counts for more
            self.message = ("skipped", reason)

    def _add_failure(self, test, err):
        text = self._exc_info_to_string(err, test)
        if not isinstance(test, unittest.TestCase):
            self._tell_class(test, "failed", text)
            return
        # A test may fail in its body and again in its end: all of it is told.
        before = self.message[1] + "\n" if self.message else ""
        self.message = ("failed", before + text)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._add_failure(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self._add_failure(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            text = f"{subtest._subDescription()}: {self._exc_info_to_string(err, test)}"
            before = self.message[1] + "\n" if self.message else ""
            self.message = ("failed", before + text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()

    loader = unittest.TestLoader()
    tests = chosen(flatten(loader.discover(str(HERE))), arguments.names)
    if loader.errors:
        sys.stderr.write("\n".join(loader.errors))
        return 2
    if arguments.list:
        print("\n".join(shown_name(t) for t in tests))
        return 0
    if not tests:
        sys.stderr.write("no test has that name; see run.py --list\n")
        return 2
    if arguments.results:
        Report.results = open(arguments.results, "a", encoding="utf-8")
    Report.tests = tests
    # Told to end, it ends its browsers first: the one exception that no test takes.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    runner = unittest.TextTestRunner(resultclass=Report, verbosity=2)
    return 0 if runner.run(unittest.TestSuite(tests)).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
