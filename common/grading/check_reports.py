"""Reads a folder of reports with parsers that are not ours.

    check_reports.py FOLDER EXPECTED.json SCHEMA.xsd

EXPECTED.json: {"tests": [{"name", "points"}, ...], "students": [{"file", "status",
"points", "passed": [...]}, ...]}, in the order of the reports. Prints what is wrong, a
line each, and exits 1 if anything is. Python's own library and xmllint, nothing else.
"""

import base64
import csv
import hashlib
import html.parser
import io
import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

folder = pathlib.Path(sys.argv[1])
expected = json.loads(pathlib.Path(sys.argv[2]).read_text())
schema = sys.argv[3]
faults = []


def check(truth, what):
    if not truth:
        faults.append(what)


def read(name):
    """A file that is UTF-8 and holds no control characters but line ends and tabs."""
    text = (folder / name).read_bytes().decode("utf-8")
    found = re.search(
        "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f"
        "\u2028-\u202e\u2066-\u2069\ufeff]", text)
    if name not in ("canvas.csv", "moodle.csv"):
        check(found is None, f"{name}: {found and hex(ord(found[0]))} is not shown")
    return text


def table(name, width):
    """The rows of a table by RFC 4180 in which no cell is a formula."""
    text = read(name)
    check(text.endswith("\r\n"), f"{name}: the last line has no CR LF")
    check(not re.search("[^\r]\n", text), f"{name}: a line end is not CR LF")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    for row in rows:
        check(len(row) == width, f"{name}: {len(row)} cells in {row}")
        for cell in row:
            check(cell[:1] not in tuple("=+-@\t\r"), f"{name}: a formula: {cell[:40]!r}")
    return rows


def check_grades():
    tests = expected["tests"]
    rows = table("grades.csv", 7 + len(tests))
    check(rows[0][:4] == ["id", "name", "status", "points"], "grades.csv: the header")
    check(rows[0][7:] == [test["name"] for test in tests], "grades.csv: test names")
    check(rows[1][0] == "Points possible", "grades.csv: the second row")
    check(rows[1][7:] == [str(test["points"]) for test in tests],
          "grades.csv: points possible of tests")
    check(int(rows[1][3]) == sum(test["points"] for test in tests),
          "grades.csv: points possible")
    check(len(rows) == 2 + len(expected["students"]), "grades.csv: how many rows")
    for row, student in zip(rows[2:], expected["students"]):
        error = student["status"] == "grader-error"
        check(row[2] == student["status"], f"grades.csv: status of {row[0]}")
        check(row[3] == ("" if error else str(student["points"])),
              f"grades.csv: points of {row[0]}")
        earned = [str(passed * test["points"])
                  for passed, test in zip(student["passed"], tests)]
        check(row[7:] == ([""] * len(tests) if error else earned),
              f"grades.csv: tests of {row[0]}")


def check_other_tables():
    rows = table("times.csv", 3)
    check(len(rows) == 1 + len(expected["students"]), "times.csv: how many rows")
    for row in rows[1:]:
        check(float(row[1]) >= 0 and float(row[2]) >= 0, f"times.csv: {row}")
    rows = table("mistakes.csv", 4)
    check(rows[0] == ["mistake", "what", "students", "handed_in"], "mistakes.csv: header")
    for row in rows[1:]:
        check(0 <= int(row[2]) <= int(row[3]), f"mistakes.csv: {row}")


# The published fields of results.json and their types.
NUMBER = (int, float)
RESULT = {"score": NUMBER, "execution_time": NUMBER, "output": str, "output_format": str,
          "test_output_format": str, "test_name_format": str, "visibility": str,
          "stdout_visibility": str, "extra_data": dict, "tests": list,
          "leaderboard": list}
CASE = {"score": NUMBER, "max_score": NUMBER, "status": str, "name": str,
        "name_format": str, "number": str, "output": str, "output_format": str,
        "tags": list, "visibility": str, "extra_data": dict}
FORMATS = ("text", "html", "simple_format", "md", "ansi")
VISIBILITIES = ("hidden", "after_due_date", "after_published", "visible")


def check_fields(value, fields, where):
    for key, field in value.items():
        check(key in fields, f"{where}: there is no field {key}")
        check(isinstance(field, fields.get(key, object)), f"{where}: the type of {key}")
        if key.endswith("_format"):
            check(field in FORMATS, f"{where}: {key} {field}")
        if key.endswith("visibility"):
            check(field in VISIBILITIES, f"{where}: {key} {field}")


def check_gradescope():
    for student in expected["students"]:
        path = folder / "gradescope" / (student["file"] + ".json")
        if student["status"] == "grader-error":
            check(not path.exists(), f"{path.name}: a grader's error has results")
            continue
        result = json.loads(read(path.relative_to(folder)))
        check_fields(result, RESULT, path.name)
        check(result["score"] == student["points"], f"{path.name}: score")
        check(sum(case["score"] for case in result["tests"]) == student["points"],
              f"{path.name}: scores of its cases")
        check([case["max_score"] for case in result["tests"]] ==
              [test["points"] for test in expected["tests"]], f"{path.name}: max_score")
        for case in result["tests"]:
            check_fields(case, CASE, path.name)
            check(case["status"] in ("passed", "failed"), f"{path.name}: status")


def check_junit():
    said = subprocess.run(["xmllint", "--noout", "--nonet", "--huge", "--schema", schema,
                           str(folder / "junit.xml")], capture_output=True, text=True)
    check(said.returncode == 0, "junit.xml: " + said.stderr[:500])
    suites = ElementTree.fromstring(read("junit.xml"))
    check(len(suites) == len(expected["students"]), "junit.xml: how many suites")
    totals = {"failure": 0, "error": 0, "skipped": 0}
    for suite, student in zip(suites, expected["students"]):
        cases = suite.findall("testcase")
        check(int(suite.get("tests")) == len(cases) == len(expected["tests"]),
              "junit.xml: how many cases")
        clean = [len(case) == 0 for case in cases]
        check(clean == [bool(passed) for passed in student["passed"]],
              f"junit.xml: who passed what: {suite.get('name')[:40]}")
        for kind, attribute in (("failure", "failures"), ("error", "errors"),
                                ("skipped", "skipped")):
            count = len(suite.findall(f"testcase/{kind}"))
            totals[kind] += count
            check(int(suite.get(attribute)) == count, f"junit.xml: {attribute}")
    check(int(suites.get("failures")) == totals["failure"], "junit.xml: all failures")
    check(int(suites.get("errors")) == totals["error"], "junit.xml: all errors")


class Page(html.parser.HTMLParser):
    """A page as a browser reads it: which elements and attributes there are."""

    ELEMENTS = set("html head meta title style body header h1 h2 p span strong main ul li "
                   "pre footer bdi nav a section div label input select option output "
                   "table thead tbody tr th td button details summary script".split())
    ATTRIBUTES = set("lang xmlns charset http-equiv content name class href id hidden "
                     "type aria-live aria-label aria-sort aria-hidden tabindex role scope "
                     "title value data-key data-status style".split())

    def __init__(self, name):
        super().__init__(convert_charrefs=True)
        self.name = name
        self.inside = None
        self.scripts = []
        self.policy = ""

    def handle_starttag(self, tag, attributes):
        self.inside = tag
        check(tag in self.ELEMENTS, f"{self.name}: an element {tag[:40]}")
        for key, value in attributes:
            check(key in self.ATTRIBUTES, f"{self.name}: an attribute {key[:40]}")
            if key == "href":
                check(re.fullmatch("#[a-z]+|similarity[.]html|feedback/[-A-Za-z0-9_.+]+[.]html",
                                   value),
                      f"{self.name}: a link to {value[:40]}")
            if key == "style":
                check(re.fullmatch("--share: [0-9]+%", value),
                      f"{self.name}: a style {value[:40]}")
            if key == "content" and "default-src" in value:
                self.policy = value

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts.append(data)

    def handle_endtag(self, tag):
        self.inside = None

    def handle_comment(self, data):
        check(False, f"{self.name}: a comment {data[:40]}")


def check_page(name, scripts):
    text = read(name)
    ElementTree.fromstring(text)  # well-formed, so nothing broke out of its place
    page = Page(name)
    page.feed(text)
    page.close()
    check(len(page.scripts) == scripts, f"{name}: {len(page.scripts)} scripts")
    for script in page.scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        check(f"script-src 'sha256-{digest}'" in page.policy, f"{name}: {page.policy}")
    check(page.policy.startswith("default-src 'none'"), f"{name}: {page.policy}")


def check_pages():
    check_page("index.html", scripts=1)
    for student in expected["students"]:
        check_page("feedback/" + student["file"] + ".html", scripts=0)


check_grades()
check_other_tables()
check_gradescope()
check_junit()
check_pages()
for fault in faults[:50]:
    print(fault)
sys.exit(1 if faults else 0)
