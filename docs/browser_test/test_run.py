"""How the outcome of a test is told."""

import io
import json
import unittest

import run


class Report(unittest.TestCase):
    def told(self, body):
        """The lines that a run of one test writes to its results."""

        class Inner(unittest.TestCase):
            def test_it(self):
                body(self)

        class Result(run.Report):
            results = io.StringIO()

        stream = unittest.runner._WritelnDecorator(io.StringIO())
        Inner("test_it").run(Result(stream, False, 0))
        return [json.loads(line) for line in Result.results.getvalue().splitlines()]

    def test_each_outcome_is_a_line(self):
        def skips(test):
            test.skipTest("no browser here")

        self.assertEqual(self.told(lambda test: None)[0]["outcome"], "passed")
        self.assertEqual(self.told(lambda test: test.fail("no"))[0]["outcome"], "failed")
        skipped = {"name": "Inner.It", "outcome": "skipped", "message": "no browser here"}
        self.assertEqual(self.told(skips), [skipped])

    def test_a_part_that_fails_outweighs_a_later_one_that_is_skipped(self):
        def body(test):
            with test.subTest("first"):
                test.fail("the first is wrong")
            with test.subTest("second"):
                test.skipTest("not here")

        (line,) = self.told(body)
        self.assertEqual(line["outcome"], "failed")
        self.assertIn("the first is wrong", line["message"])
