"""The calculator of the conventions page: what it converts is what C++ measures."""

import fractions
import json
import os
import shutil
import subprocess
import unittest

from harness import FULL, PHONE, ROOT, BrowserTest

SCRIPT = ROOT / "docs/lab/calculator.js"
PROGRAM = os.environ.get("WORKBOOK_PROGRAM", "")

# Schedule, p, m, v, its costs, and whether its devices wait in a ladder.
CASES = [
    ("gpipe", 3, 4, 1, (1, 1, 1), True),
    ("1f1b", 4, 8, 1, (1, 1, 1), True),
    ("1f1b", 4, 2, 1, (2, 3, 1.5), True),
    ("interleaved", 4, 8, 2, (1, 1, 1), True),
    ("interleaved", 2, 4, 3, (1, 0.5, 0.5), True),
    ("zb-h1", 4, 8, 1, (1, 1, 1), True),
    ("zb-h2", 4, 8, 1, (1, 1, 1), False),
    ("zb-v", 4, 8, 2, (1, 1, 1), False),
    ("gpipe", 1, 5, 1, (1, 1, 1), True),
]
if FULL:
    CASES += [(name, p, m, 1, (1, 2, 1), True) for name in ("gpipe", "1f1b")
              for p in (2, 3, 5, 8) for m in (1, 2, 7, 16, 32)]

# The keys of `workbook schedule --format json` and what the calculator calls them.
NAMES = {
    "makespan": "makespan",
    "longest_span": "longestSpan",
    "ideal": "ideal",
    "idle_fraction": "idleFraction",
    "idle_overhead": "idleOverhead",
    "span_bubble": "spanBubble",
}


def measured(name, p, m, v, costs):
    """What the workbook's own program says of a schedule."""
    words = [PROGRAM, "schedule", name, "-p", str(p), "-m", str(m), "--format", "json",
             "--costs", "F={},I={},W={}".format(*costs)]
    if name == "interleaved":
        words += ["-v", str(v)]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)
    return json.loads(done.stdout)


def in_node(calls):
    """The answers of PipelineCalculator to calls, each [function, arguments...]."""
    program = (
        "require(process.argv[1]);"
        "const calls = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        "console.log(JSON.stringify(calls.map(([name, ...given]) =>"
        " globalThis.PipelineCalculator[name](...given))));"
    )
    done = subprocess.run(["node", "-e", program, str(SCRIPT)], input=json.dumps(calls),
                          capture_output=True, text=True, check=True, timeout=120)
    return json.loads(done.stdout)


@unittest.skipUnless(shutil.which("node"), "no node here: install nodejs")
class CalculatorFigures(unittest.TestCase):
    """The pure functions, without a browser."""

    def convert(self, **changes):
        usual = {"p": 4, "m": 8, "v": 1, "F": 1, "I": 1, "W": 1,
                 "given": "idle fraction", "value": 3 / 11, "ladder": True, "beyond": 0}
        return in_node([["convert", {**usual, **changes}]])[0]

    @unittest.skipUnless(os.path.exists(PROGRAM), "WORKBOOK_PROGRAM names no program")
    def test_every_figure_leads_to_all_that_the_program_measures(self):
        for name, p, m, v, costs, ladder in CASES:
            truth = measured(name, p, m, v, costs)
            self.assertEqual(truth["faults"], [])
            given = {
                "idle fraction": truth["idle_fraction"],
                "idle overhead": truth["idle_overhead"],
                "utilisation": truth["ideal"] / truth["makespan"],
                "makespan": truth["makespan"],
                "span bubble": truth["span_bubble"],
                "internal idle": truth["internal_idle"][0],
            }
            shape = {"p": p, "m": m, "v": v, "ladder": ladder,
                     "beyond": truth["makespan"] - truth["longest_span"],
                     **dict(zip("FIW", costs))}
            answers = in_node([["convert", {**shape, "given": figure, "value": value}]
                               for figure, value in given.items()])
            for figure, answer in zip(given, answers):
                with self.subTest(schedule=name, p=p, m=m, v=v, given=figure):
                    self.assertTrue(answer["ok"], answer)
                    for key, here in NAMES.items():
                        self.assertAlmostEqual(answer[here], truth[key], 9, key)
                    idle = truth["internal_idle"][: None if ladder else 1]
                    self.assertEqual(len(answer["internalIdle"]), len(idle))
                    for ours, theirs in zip(answer["internalIdle"], idle):
                        self.assertAlmostEqual(ours, theirs, 9)

    @unittest.skipUnless(os.path.exists(PROGRAM), "WORKBOOK_PROGRAM names no program")
    def test_the_worked_values_of_the_page_are_what_the_program_measures(self):
        page = (ROOT / "docs/conventions.md").read_text(encoding="utf-8")
        table = page[page.index("| schedule | makespan |"):].split("\n\n")[0]
        rows = [[cell.strip() for cell in row.strip("|").split("|")]
                for row in table.split("\n")[2:]]
        schedules = [("1f1b", 1), ("interleaved", 2), ("zb-h1", 1), ("zb-h2", 1),
                     ("zb-v", 2)]
        self.assertEqual(len(rows), len(schedules))
        for row, (name, v) in zip(rows, schedules):
            with self.subTest(schedule=row[0]):
                truth = measured(name, 4, 8, v, (1, 1, 1))
                for shown, key in zip(row[1:], NAMES):
                    self.assertAlmostEqual(float(fractions.Fraction(shown)), truth[key])
                self.assertEqual([float(x) for x in row[7].split(",")],
                                 truth["internal_idle"])

    def test_what_cannot_be_is_refused_by_the_field_that_is_wrong(self):
        for field, changes in {
            "p": {"p": 0},
            "m": {"m": 10**9},
            "v": {"v": 1.5},
            "F": {"F": -1},
            "W": {"W": None},
            "value": {"value": 1},
            "given": {"given": "toString"},
            "beyond": {"ladder": False, "beyond": -1},
        }.items():
            with self.subTest(changes=changes):
                answer = self.convert(**changes)
                self.assertFalse(answer["ok"])
                self.assertEqual(answer["field"], field)
                self.assertTrue(answer["what"].endswith("."), answer)
                self.assertTrue(answer["remedy"].endswith("."), answer)
        self.assertEqual(self.convert(F=0, I=0, W=0)["what"], "Nothing costs any time.")
        self.assertEqual(self.convert(given="makespan", value=23)["field"], "value")
        self.assertEqual(self.convert(p=1)["what"],
                         "A single device has nobody to wait for.")

    def test_numbers_are_read_as_people_type_them(self):
        texts = ["3/11", " 0.25 ", "1e3", "25%", "-2", "nonsense", "1/2/3", "", "1/x",
                 "<b>1</b>", "9" * 1000]
        read = in_node([["parseNumber", text] for text in texts])
        self.assertEqual(read[:5], [3 / 11, 0.25, 1000, 0.25, -2])
        self.assertEqual(read[5:10], [None] * 5)  # NaN in JSON
        self.assertEqual(read[10], 1e64)  # the first 64 characters

    def test_figures_are_shown_as_fractions_where_they_are_small_ones(self):
        shown = in_node([["shown", x] for x in (3 / 11, 0.375, 24, 2 / 3, 0.123456789)])
        self.assertEqual(shown, ["3/11 = 0.2727", "0.375", "24", "2/3 = 0.6667", "0.1235"])

    def test_each_paper_has_its_letters_and_its_bubble(self):
        given = {"p": 4, "m": 8, "v": 1, "F": 1, "I": 1, "W": 1}
        answer = self.convert()
        systems = ["GPipe", "Megatron-LM", "the zero-bubble paper", "DeepSeek"]
        tables = in_node([["renamed", system, given, answer] for system in systems])
        letters = [{row["ours"]: row for row in table} for table in tables]
        self.assertEqual([table["p"]["theirs"] for table in letters],
                         ["K", "p, or PP", "p", "PP"])
        self.assertEqual(letters[2]["I"]["theirs"], "T_B")
        self.assertEqual(letters[3]["B"]["value"], 2)
        for table, bubble in zip(letters, (3 / 11, 3 / 8, 3 / 11, 9)):
            self.assertAlmostEqual(table["bubble"]["value"], bubble)
        self.assertEqual(in_node([["renamed", "constructor", given, answer]]), [None])


class Calculator(BrowserTest):
    """The element on the conventions page."""

    def field(self, name):
        return self.one(f"pipeline-calculator [name='{name}']")

    def picture(self, name):
        self.js("arguments[0].scrollIntoView()", self.one("pipeline-calculator"))
        self.next_frame()
        self.screenshot(name)

    def figures(self):
        return self.text("pipeline-calculator .answer")

    def said(self):
        """What was said to those who listen."""
        return self.js(
            "return document.querySelector('pipeline-calculator [role=status]').textContent"
        )

    def setUp(self):
        super().setUp()
        self.open("conventions.html", ready="pipeline-calculator")

    def test_it_starts_with_the_case_of_the_page(self):
        self.assertIn("idle overhead 0.375", self.figures())
        self.assertIn("9, 6, 3, 0", self.figures())

    def test_a_figure_in_one_convention_gives_the_others(self):
        self.type_into(self.field("value"), "1/5")
        self.assertIn("makespan 30", self.figures())
        self.assertIn("idle overhead 0.25", self.figures())

    def test_a_schedule_that_waits_otherwise_asks_for_its_longest_span(self):
        self.assertFalse(self.field("beyond").is_displayed())
        self.type_into(self.field("order"), "another")
        self.type_into(self.field("given"), "span bubble")
        self.type_into(self.field("value"), "0")
        self.type_into(self.field("beyond"), "3")
        self.assertIn("makespan 27", self.figures())
        self.assertIn("longest span 24", self.figures())

    def test_letters_of_another_paper_can_be_read(self):
        self.type_into(self.field("system"), "DeepSeek")
        self.assertIn("p PP 4", self.figures())
        self.assertIn("I B - W 1", self.figures())

    def test_nonsense_is_met_by_a_message_and_no_markup(self):
        self.type_into(self.field("p"), "<img src=x>")
        self.assertIn("no whole number", self.figures())
        self.assertEqual(self.field("p").get_attribute("aria-invalid"), "true")
        self.assertEqual(self.all("pipeline-calculator img"), [])
        self.type_into(self.field("p"), "4")
        self.assertIn("makespan 33", self.figures())

    def test_who_listens_is_told_one_sentence_when_the_typing_is_done(self):
        self.assertEqual(self.said(), "")
        self.js(
            "globalThis.said = [];"
            "new MutationObserver(() => said.push(document.querySelector("
            "'pipeline-calculator [role=status]').textContent)).observe("
            "document.querySelector('pipeline-calculator [role=status]'),"
            " {childList: true, characterData: true, subtree: true});"
        )
        self.type_into(self.field("m"), "16")
        self.wait_until(self.said, "nothing is said")
        self.assertEqual(
            self.js("return globalThis.said"),
            ["The makespan is 66, the idle fraction 3/11 = 0.2727."],
        )

    def test_every_field_has_a_name(self):
        self.type_into(self.field("order"), "another")  # which asks for one more
        fields = self.all("pipeline-calculator :is(input, select)")
        self.assertEqual(len(fields), 11)
        for field in fields:
            self.assertTrue(field.accessible_name, field.get_attribute("name"))

    def test_it_fits_a_phone(self):
        self.appear(PHONE)
        self.open("conventions.html", ready="pipeline-calculator")
        self.assert_no_sideways_scroll()
        self.picture("calculator-phone")

    def test_it_can_be_read_in_the_dark(self):
        self.appear(dark=True)
        self.picture("calculator-dark")


class CalculatorWithoutJavaScript(BrowserTest):
    def test_the_table_of_worked_values_is_there(self):
        self.appear(javascript=False)
        self.open("conventions.html", ready="")
        self.assertIn("3/11", self.text())
        self.assertIn("9, 6, 3, 0", self.text())
