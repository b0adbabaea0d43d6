"""Build it yourself: boards, what is refused, levels, links, files."""

import json
import os
import pathlib
import subprocess
import unittest

import harness
from harness import PAPER, PHONE, SITE, BrowserTest, require

# A level, and moves that attain its optimum.
WAVE = "0F0.0F1.0F2.1F0.1F1.1F2"
WAVE_TICKS = 4
# 1F1B on three devices with four micro-batches: level 8.
ROWS = {
    "0": "F0 F1 F2 B0 F3 B1 B2 B3",
    "1": "F0 F1 B0 F2 B1 F3 B2 B3",
    "2": "F0 B0 F1 B1 F2 B2 F3 B3",
}


def moves_of(rows):
    """Rows by device as moves, each of which is ready when its turn comes."""
    left = {device: row.split() for device, row in rows.items()}
    last, done = max(rows), []
    while any(left.values()):
        before = len(done)
        for device, row in left.items():
            while row and needs(device + row[0], last) <= set(done):
                done.append(device + row.pop(0))
        assert len(done) > before, "the rows block each other"
    return ".".join(done)


def needs(move, last):
    """What must stand on the board before a move of F or B can be made."""
    device, kind, micro_batch = move[0], move[1], move[2:]
    if kind == "F":
        return {f"{int(device) - 1}F{micro_batch}"} if device != "0" else set()
    behind = {f"{int(device) + 1}B{micro_batch}"} if device != last else set()
    return behind | {f"{device}F{micro_batch}"}


class BuilderTest(BrowserTest):
    """What a reader of build.html does."""

    def show(self, fragment="level=1&moves="):
        self.open("build.html", fragment)

    def ready(self):
        """The moves that have a button, as in a link."""
        return [b.get_attribute("data-move") for b in self.all(".pb-action")]

    def place(self, move):
        self.one(f'.pb-action[data-move="{move}"]').click()

    def button(self, text):
        found = [b for b in self.all("pipeline-builder button") if b.text == text]
        self.assertEqual(len(found), 1, f"{len(found)} buttons say {text!r}")
        return found[0]

    def fragment(self):
        return self.js("return location.hash.slice(1)")

    def moves(self):
        pairs = dict(pair.split("=") for pair in self.fragment().split("&"))
        return pairs.get("moves", "")

    def score(self):
        """The score as read: {"proven optimum": "4 ticks", ...}."""
        names = [e.text for e in self.all(".pb-score dt")]
        return dict(zip(names, [e.text for e in self.all(".pb-score dd")]))

    def refusal(self):
        alert = self.one(".pb-alert")
        return alert.text if alert.is_displayed() else ""

    def attempt(self, move):
        """Tries an action that is not ready."""
        self.js(
            "const s = document.querySelector('.pb-try select');"
            "s.value = arguments[0];",
            f"{move[0]} {move[1:]}",
        )
        self.button("Try it").click()


class BuilderBoard(BuilderTest):
    def test_a_board_shows_its_task_and_when_each_ready_action_would_start(self):
        self.show()
        self.assertIn("Level 1", self.text(".pb-title"))
        self.assertIn("three micro-batches", self.text(".pb-task"))
        self.place("0F0")
        self.assertIn("1F0", self.ready())
        self.assertEqual(self.one('[data-move="1F0"].pb-action').text, "F0 at 1")

    def test_the_best_order_earns_three_stars_and_leads_to_the_next_level(self):
        self.show()
        for move in WAVE.split("."):
            self.place(move)
        self.assertEqual(self.score()["your makespan"], f"{WAVE_TICKS} ticks")
        self.assertEqual(self.score()["proven optimum"], f"{WAVE_TICKS} ticks")
        self.assertEqual(self.score()["stars"], "★★★")
        self.assertIn("no schedule can do better", self.text(".pb-verdict").lower())
        next_level = [b for b in self.all(".pb-end button")][0]
        self.assertTrue(next_level.text.startswith("Next: "))
        next_level.click()
        self.assertIn("Level 2", self.text(".pb-title"))
        self.assertIn("1 solved", self.text(".pb-choose summary"))

    def test_an_illegal_move_is_refused_with_the_reason_and_changes_nothing(self):
        self.show("level=8&moves=0F0")
        before = self.fragment()
        self.attempt("0B0")
        self.assertIn("B0 on device 0 is refused", self.refusal())
        self.assertIn("needs B0 of stage 1, which is not placed yet", self.refusal())
        self.assertEqual(self.one(".pb-alert").get_attribute("role"), "alert")
        self.assertEqual(self.fragment(), before)
        self.place("1F0")
        self.assertEqual(self.refusal(), "")

    def test_a_full_memory_is_a_reason_too(self):
        self.show("level=8&moves=0F0.0F1.0F2")
        self.attempt("0F3")
        self.assertIn("F3 on device 0 is refused", self.refusal())
        self.assertIn("3", self.refusal().split("refused.")[1])
        self.assertIn("3 of 3", self.text(".pb-strips"))

    def test_undo_redo_and_start_over(self):
        self.show("level=1&moves=0F0.0F1.1F0")
        self.button("Undo").click()
        self.assertEqual(self.moves(), "0F0.0F1")
        self.button("Undo").click()
        self.button("Redo").click()
        self.assertEqual(self.moves(), "0F0.0F1")
        self.button("Start over").click()
        self.assertEqual(self.moves(), "")
        self.assertFalse(self.button("Undo").is_enabled())
        for _ in range(2):
            self.button("Redo").click()
        self.assertEqual(self.moves(), "0F0.0F1")
        self.place("0F2")
        self.assertFalse(self.button("Redo").is_enabled())

    def test_the_coach_speaks_when_asked(self):
        self.show("level=8&moves=0F0")
        self.assertFalse(self.one(".pb-coach").is_displayed())
        self.button("What now?").click()
        self.assertIn("Next: ", self.text(".pb-coach"))
        self.assertEqual(len(self.all(".pb-advised")), 1)
        self.button("What now?").click()
        self.assertFalse(self.one(".pb-coach").is_displayed())

    def test_hints_come_one_by_one_and_stay(self):
        self.show("level=8&moves=")
        for count in (1, 2, 3):
            self.button("A hint").click()
            self.assertEqual(len(self.all(".pb-hints li")), count)
        self.assertFalse(self.button("A hint").is_enabled())
        self.place("0F0")
        self.assertEqual(len(self.all(".pb-hints li")), 3)

    def test_one_f_one_b_is_recognised(self):
        self.show("level=8&moves=" + moves_of(ROWS))
        self.assertIn("This is 1F1B.", self.text(".pb-end"))
        self.assertEqual(self.score()["stars"], "★★★")

    def test_a_ready_cell_of_the_figure_can_be_pressed(self):
        self.show()
        cells = self.all(".pb-figure [data-move='0F0']")
        self.assertEqual(len(cells), 1)
        cells[0].click()
        self.assertEqual(self.moves(), "0F0")

    def test_every_level_can_be_chosen(self):
        self.show()
        count = len(self.all(".pb-level"))
        self.assertGreaterEqual(count, 12)
        for number in range(1, count + 1):
            self.one(f'.pb-level[data-level="{number}"]').click()
            self.assertIn(f"Level {number} ", self.text(".pb-title"))
            self.assertEqual(self.refusal(), "")
            self.assertNotEqual(self.ready(), [], f"level {number}")
            self.assertEqual(len(self.all(".pb-figure svg")), 1)

    def test_a_level_that_is_chosen_is_read_and_is_in_sight(self):
        for size, folded in [(harness.DESKTOP, False), (PHONE, True)]:
            with self.subTest(size):
                self.appear(size=size)
                self.show()
                self.js("document.querySelector('.pb-choose').open = true")
                self.one('.pb-level[data-level="3"]').click()
                self.assertIn("Level 3", self.focused().text)
                self.assertEqual(self.focused().aria_role, "heading")
                is_open = self.js("return document.querySelector('.pb-choose').open")
                self.assertEqual(is_open, not folded)
                top, bottom, room = self.js(
                    "const box = document.activeElement.getBoundingClientRect();"
                    "return [box.top, box.bottom, innerHeight]"
                )
                self.assertTrue(0 <= top < bottom <= room, (top, bottom, room))

    def test_a_free_board_takes_its_own_numbers(self):
        self.show()
        self.type_into(self.one(".pb-free [name=p]"), "2")
        self.type_into(self.one(".pb-free [name=m]"), "2")
        self.button("Open").click()
        self.assertEqual(self.text(".pb-title"), "Free board")
        self.assertEqual(len(self.all(".pb-device")), 2)
        for move in ("0F0", "1F0", "1B0", "0B0"):
            self.place(move)
        self.assertIn("p=2", self.fragment())
        self.show(self.fragment())
        self.assertEqual(self.moves(), "0F0.1F0.1B0.0B0")

    def test_a_free_board_that_cannot_be_is_met_by_a_message(self):
        self.show()
        self.type_into(self.one(".pb-free [name=m]"), "1000000000")
        self.button("Open").click()
        self.assertIn("1000000000", self.refusal())
        self.assertIn("Level 1", self.text(".pb-title"))
        self.assertEqual(self.focused().get_attribute("name"), "m")


class BuilderKeyboard(BuilderTest):
    def test_a_level_is_solved_by_keys_alone(self):
        self.show()
        self.js("document.querySelector('.pb-action').focus()")
        for _ in range(WAVE_TICKS - 1):
            self.press(harness.Keys.ENTER)  # F0, F1, F2 of device 0; then device 1 has the focus
        for _ in range(WAVE_TICKS - 1):
            self.assertEqual(self.focused().get_attribute("data-device"), "1")
            self.press(harness.Keys.ENTER)
        self.assertEqual(self.score()["stars"], "★★★")
        self.assertTrue(self.focused().text.startswith("Next: "))

    def test_arrow_keys_go_between_the_actions_of_a_device(self):
        self.open("build.html", "p=2&m=3&kinds=FIW&moves=0F0.0F1.1F0.1I0")
        row = self.all(".pb-device")[1]
        buttons = row.find_elements("css selector", "button")
        self.assertGreaterEqual(len(buttons), 2)
        self.assertEqual([b.get_attribute("tabindex") for b in buttons][0], "0")
        self.js("arguments[0].focus()", buttons[0])
        self.press(harness.Keys.ARROW_RIGHT)
        self.assertEqual(self.focused(), buttons[1])
        self.press(harness.Keys.HOME)
        self.assertEqual(self.focused(), buttons[0])
        self.press(harness.Keys.ARROW_LEFT)
        self.assertEqual(self.focused(), buttons[-1])

    def test_every_control_has_a_name(self):
        self.show("level=8&moves=0F0")
        for control in self.all("pipeline-builder :is(button, input, select, a)"):
            name = control.accessible_name
            self.assertTrue(name, control.get_attribute("outerHTML"))

    def test_focus_stays_when_a_button_runs_out(self):
        self.show("level=1&moves=0F0")
        self.js("arguments[0].focus()", self.button("Undo"))
        self.press(harness.Keys.ENTER)
        self.assertNotEqual(self.focused().tag_name, "body")


class BuilderLinks(BuilderTest):
    def test_a_shared_link_shows_the_same_board(self):
        self.show("level=2&moves=0F0.1F0")
        self.place("0F1")
        self.button("Share a link").click()
        field = self.wait_until(lambda: self.all(".pb-shared input"), "no link")[0]
        link = field.get_attribute("value")
        figure = self.js("return document.querySelector('.pb-figure svg').outerHTML")
        self.show(link.split("#")[1])
        self.assertEqual(
            self.js("return document.querySelector('.pb-figure svg').outerHTML"), figure
        )
        self.assertEqual(self.moves(), "0F0.1F0.0F1")

    def test_a_link_that_is_followed_within_the_page_is_read(self):
        self.show()
        self.js("location.hash = '#level=3&moves=0F0'")
        self.wait_until(lambda: "Level 3" in self.text(".pb-title"), "the link is not read")
        self.assertEqual(self.moves(), "0F0")

    def test_nonsense_in_the_address_is_met_by_a_message(self):
        for fragment in (
            "level=99",
            "level=0",
            "level=1e9",
            "level=<img src=x onerror=alert(1)>",
            "level=1&moves=nonsense",
            "level=1&moves=9F0",
            "level=1&moves=<script>alert(1)</script>",
            "level=1&moves=%FF%",
            "level=2&moves=1F0",
            "p=0&m=4&kinds=F",
            "p=2&m=1000000000&kinds=F",
            "p=2&m=2&kinds=%22%3E%3Cimg%20src=x%3E",
            "nonsense=1",
        ):
            with self.subTest(fragment=fragment):
                self.show(fragment)
                self.assertNotEqual(self.refusal(), "")
                self.assertNotEqual(self.ready(), [])
                self.assertEqual(self.all("pipeline-builder :is(img, script)"), [])

    def test_the_address_of_a_heading_is_none_of_the_boards(self):
        self.show("how-it-goes")
        self.assertEqual(self.refusal(), "")
        self.assertIn("Level 1", self.text(".pb-title"))

    def test_what_was_reached_is_kept_by_the_browser(self):
        *moves, last = WAVE.split(".")
        self.show("level=1&moves=" + ".".join(moves))
        self.place(last)
        self.open("build.html")
        self.assertIn("1 solved", self.text(".pb-choose summary"))
        self.assertIn("Level 2", self.text(".pb-title"))
        self.one('.pb-level[data-level="1"]').click()
        self.assertEqual(self.moves(), WAVE)

    def kept(self):
        return self.js("return localStorage.getItem('pipeline-workbook.levels')")

    def test_a_board_of_somebody_else_is_no_progress(self):
        self.show()
        self.place("0F0")
        mine = self.kept()
        self.assertIn("0F0", mine)
        self.show("level=1&moves=" + WAVE)
        self.assertEqual(self.kept(), mine)
        self.assertIn("0 solved", self.text(".pb-choose summary"))
        for do, moves in [("Undo", WAVE.rsplit(".", 1)[0]), ("Redo", WAVE)]:
            self.button(do).click()
            self.assertEqual(json.loads(self.kept())["1"]["moves"], moves)

    def test_a_damaged_memory_is_no_harm(self):
        for kept in ("not json", '{"1":7}', '{"1":{"stars":"<b>","moves":"9X9"}}', "[]", "3"):
            with self.subTest(kept=kept):
                self.show()
                self.js("localStorage.setItem('pipeline-workbook.levels', arguments[0])", kept)
                self.open("build.html")
                self.assertIn("Level 1", self.text(".pb-title"))
                self.assertIn("0 solved", self.text(".pb-choose summary"))


class BuilderFiles(BuilderTest):
    def test_a_finished_schedule_is_saved_in_the_form_that_the_program_reads(self):
        program = require(os.environ.get("WORKBOOK_PROGRAM"), "WORKBOOK_PROGRAM is not set")
        self.show("level=8&moves=" + moves_of(ROWS))
        file, text = self.downloaded(self.button("Save as text").click)
        self.assertEqual(file, "level-8.txt")
        saved = pathlib.Path(self.browser.folder) / file
        saved.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [program, "schedule", "--file", str(saved), "--format", "json"],
            capture_output=True,
            text=True,
            timeout=120,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["makespan"], 18)
        self.assertEqual(report["faults"], [])

    def test_a_solution_can_be_handed_in(self):
        self.show("level=8&moves=" + moves_of(ROWS))
        self.assertIn("./workbook check 13h", self.text(".pb-hand-in"))
        self.assertIn("asks for level 9 too", self.text(".pb-hand-in"))
        file, text = self.downloaded(self.button("Download exercise.cpp").click)
        self.assertEqual(file, "exercise.cpp")
        self.assertIn('#include "exercise.hpp"', text)

    def test_what_is_not_solved_cannot_be_handed_in(self):
        self.show("level=8&moves=0F0")
        self.assertEqual(self.text(".pb-hand-in"), "")


class BuilderLooks(BuilderTest):
    def test_another_width_changes_the_figure_alone(self):
        self.show("level=8&moves=" + moves_of(ROWS))
        self.js("document.querySelector('.pb-hand-in details').open = true;")
        self.js("arguments[0].focus()", self.button("Copy"))
        self.js("localStorage.clear()")
        width = "return document.querySelector('.pb-figure svg').clientWidth"
        before = self.js(width)
        self.appear(size=(900, 900))
        self.wait_until(lambda: self.js(width) != before, "it is as wide as it was")
        self.assertTrue(self.js("return document.querySelector('.pb-hand-in details').open"))
        self.assertEqual(self.focused().text, "Copy")
        self.assertEqual(self.js("return localStorage.length"), 0)

    def test_memory_ends_where_the_axis_of_the_figure_does(self):
        self.show("level=8&moves=0F0.0F1")
        axis, strip = self.js(
            "const right = e => e.getBoundingClientRect().right;"
            "return [right(document.querySelector('.pb-figure line.axis')),"
            " right(document.querySelector('.pl-strip'))];"
        )
        self.assertAlmostEqual(strip, axis, delta=1)

    def test_the_window_does_not_scroll_beside_the_text(self):
        self.show()
        room, page = self.js("return [innerHeight, document.documentElement.scrollHeight]")
        self.assertLessEqual(page, room)

    def test_on_paper_all_of_the_board_is_there_and_nothing_that_asks(self):
        self.appear(size=PAPER, dark=True, media="print")
        self.show("level=8&moves=0F0.0F1.0F2.1F0")
        self.assert_no_sideways_scroll()
        asking = self.js(
            "return [...document.querySelectorAll('pipeline-builder :is(label, button, .pb-ghost)')]"
            ".filter(e => e.getClientRects().length).map(e => e.textContent)"
        )
        self.assertEqual(asking, [])
        self.screenshot("builder-print")

    def test_it_fits_a_phone(self):
        self.appear(PHONE)
        self.show("level=8&moves=" + moves_of(ROWS))
        self.assert_no_sideways_scroll()
        self.screenshot("builder-phone-solved")
        self.show("level=11&moves=0F0.0F1.1F0")
        self.assert_no_sideways_scroll()
        self.screenshot("builder-phone")

    def test_it_can_be_read_in_the_dark(self):
        self.appear(dark=True)
        self.show("level=8&moves=0F0.0F1.0F2.1F0")
        self.attempt("0F3")
        self.button("What now?").click()
        self.screenshot("builder-dark")
        self.appear()
        self.screenshot("builder-light")

    def test_without_javascript_the_board_and_the_task_are_there(self):
        self.appear(javascript=False)
        self.open("build.html", ready="")
        self.assertIn("Two devices", self.text("pipeline-builder"))

    def test_without_webassembly_they_stay_and_a_message_says_why(self):
        absent = self.browser.command(
            "Page.addScriptToEvaluateOnNewDocument", source="delete globalThis.WebAssembly;"
        )
        try:
            self.open("build.html", ready="")
        finally:
            self.browser.command("Page.removeScriptToEvaluateOnNewDocument", **absent)
        self.wait_until(lambda: self.all("pipeline-builder [role=alert]"), "no message")
        self.assertIn("Two devices", self.text("pipeline-builder"))
        self.assertIn("no WebAssembly", self.text("pipeline-builder [role=alert]"))
        self.assertEqual(self.all("pipeline-builder button"), [])

    def test_in_a_chapter_there_is_one_level_and_the_way_to_the_others(self):
        pages = self.pages_with_a_level()
        self.assertNotEqual(pages, [])
        for page in pages[:3]:
            self.open(page)
            for element in self.all("pipeline-builder"):
                self.assertIn(
                    f"Level {element.get_attribute('level')} ", element.text, page
                )
            self.assertEqual(self.all(".pb-choose"), [])
            self.assertIn("All levels", self.text("main, body"))

    def pages_with_a_level(self):
        return sorted(
            p for p in SITE.glob("chapter_*.html") if "<pipeline-builder" in p.read_text("utf-8")
        )


if __name__ == "__main__":
    unittest.main()
