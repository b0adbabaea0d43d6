"""The lab: <pipeline-lab> on its own page and in a chapter's."""

import functools
import http.server
import json
import os
import pathlib
import re
import shutil
import tempfile
import threading

from harness import DESKTOP, PAPER, PHONE, SITE, BrowserTest, Keys

GOOD = "schedule=1f1b&p=4&m=8"


class Lab(BrowserTest):
    def lab(self, query=GOOD):
        self.open("lab.html", query)

    def figure(self, name, schedule=0):
        """The text of a figure of merit in the lab's table."""
        return self.js(
            "const row = [...document.querySelectorAll('.lab-table tbody tr')]"
            ".find(row => row.cells[0].textContent === arguments[0]);"
            "return row ? row.cells[1 + arguments[1]].textContent : null;",
            name,
            schedule,
        )

    def field(self, key):
        return self.one(f"pipeline-lab input[name='{key}']")

    def slider(self, key):
        return self.one(f"pipeline-lab input[data-key='{key}']")

    def drawn(self):
        """The figures as they are drawn now."""
        return self.js(
            "return [...document.querySelectorAll('.lab-drawing svg')]"
            ".map(svg => svg.outerHTML).join('')"
        )

    def alert(self):
        """What the lab says is wrong, and beside which field: ("p", "…")."""
        return self.js(
            "const said = [...document.querySelectorAll('pipeline-lab [role=alert]')]"
            ".filter(alert => alert.textContent);"
            "if (said.length !== 1) return said.map(alert => alert.textContent);"
            "const field = said[0].parentElement.querySelector('[name]');"
            "return [said[0].parentElement.matches('.lab-field') ? field.name : '',"
            " said[0].textContent];"
        )

    def settled_hash(self, part):
        return self.wait_until(
            lambda: part in self.js("return location.hash") and self.js("return location.hash"),
            f"the address never held {part}",
        )

    # --- Numbers ------------------------------------------------------------------------

    def test_three_devices_take_six_ticks_for_four_micro_batches(self):
        self.lab("schedule=forward&p=3&m=4")
        self.assertEqual(self.figure("makespan"), "6 ticks")
        self.assertEqual(self.figure("utilisation"), "2/3")

    def test_a_slider_moves_by_keyboard_and_by_mouse(self):
        self.lab()
        self.slider("m").send_keys(Keys.ARROW_RIGHT)
        self.next_frame()
        self.assertEqual(self.field("m").get_attribute("value"), "9")
        self.assertEqual(self.figure("makespan"), "36 ticks")
        self.set_slider_by_mouse(self.slider("p"), 2)
        self.next_frame()
        self.assertEqual(self.field("p").get_attribute("value"), "2")
        self.assertEqual(self.figure("makespan"), "30 ticks")

    def test_a_number_can_be_typed(self):
        self.lab()
        self.type_into(self.field("F"), "2")
        self.next_frame()
        self.assertEqual(self.figure("makespan"), "44 ticks")

    def test_what_a_schedule_does_not_read_is_not_asked_for(self):
        self.lab("schedule=interleaved&p=4&m=8&v=2")
        self.assertTrue(self.field("v").is_displayed())
        self.js(
            "const box = document.querySelector('select[name=schedule]');"
            "box.value = '1f1b'; box.dispatchEvent(new Event('change'));"
        )
        self.next_frame()
        self.assertEqual(self.figure("makespan"), "33 ticks")
        self.assertFalse(self.field("v").is_displayed())
        self.assertNotIn("v=", self.settled_hash("schedule=1f1b"))

    def test_a_slider_that_is_dragged_far_is_one_entry_of_the_history(self):
        self.lab()
        before = self.js("return history.length")
        for _ in range(5):
            self.slider("m").send_keys(Keys.ARROW_RIGHT)
        self.settled_hash("m=13")
        self.assertEqual(self.js("return history.length"), before)

    # --- Why ----------------------------------------------------------------------------

    def why(self):
        return self.text(".lab-why")

    def test_arrow_keys_go_from_action_to_action_and_say_why(self):
        self.lab()
        self.js("document.querySelector('.lab-figure').focus()")
        self.press(Keys.HOME)
        self.wait_until(lambda: "F0" in self.why(), self.why)
        self.press(Keys.ARROW_RIGHT)
        self.wait_until(lambda: self.explained().startswith("F1 on device 0"), self.why)
        self.press(Keys.HOME, Keys.ARROW_DOWN)
        self.wait_until(lambda: "This bubble exists because" in self.why(), self.why)
        self.press(Keys.ESCAPE)
        self.assertEqual(self.all(".lab-cursor rect"), [])

    def explained(self):
        """The first line of the answer."""
        return self.js("return document.querySelector('.lab-why [aria-live] p')?.textContent || ''")

    def point(self, kind, pointer, device=3, time=5):
        """An event of a `pointer` at a place of the first figure: that of B0 on device 3,
        which begins at 4 and takes 2."""
        self.js(
            "const [kind, pointerType, device, time] = arguments;"
            "const svg = document.querySelector('.lab-drawing svg');"
            "const frame = PipelineLab.answer('op=draw&width=' + svg.viewBox.baseVal.width +"
            f" '&{GOOD}').frame;"
            "const box = svg.getBoundingClientRect();"
            "const row = frame.rows[device] || {y: -20, height: 0};"
            "document.querySelector('.lab-drawing').dispatchEvent(new PointerEvent(kind,"
            " {pointerType, clientX: box.left + frame.x + time * frame.scale,"
            " clientY: box.top + row.y + row.height / 2}));",
            *(kind, pointer, device, time),
        )

    def test_the_pointer_over_a_cell_says_why(self):
        self.lab()
        self.point("pointermove", "mouse")
        self.wait_until(lambda: "B0" in self.why(), self.why)
        self.assertIn("device 3", self.why())

    def test_a_finger_that_scrolls_asks_nothing_and_one_that_taps_can_close_the_answer(self):
        self.appear(size=PHONE)
        self.lab()
        for event in ["pointerdown", "pointermove", "pointercancel", "pointerleave"]:
            self.point(event, "touch")
        self.next_frame()
        self.assertEqual(self.all(".lab-cursor rect"), [])
        self.assertEqual(self.explained(), "")
        self.point("click", "touch")
        self.wait_until(lambda: self.explained().startswith("B0 on device 3"), self.why)
        self.assertEqual(len(self.all(".lab-asked")), 1)
        self.one(".lab-close").click()
        self.assertEqual(self.all(".lab-cursor rect"), [])
        self.assertEqual(self.all(".lab-asked"), [])
        self.point("click", "touch")
        self.assertEqual(len(self.all(".lab-asked")), 1)
        self.point("click", "touch", device=99)  # beside the rows
        self.assertEqual(self.all(".lab-asked"), [])

    def width(self):
        return self.js("return document.querySelector('.lab-drawing svg').clientWidth")

    def test_another_width_changes_the_figure_alone(self):
        self.lab()
        self.js("document.querySelector('.lab-figure').focus()")
        self.press(Keys.HOME, Keys.ARROW_RIGHT)
        self.wait_until(lambda: self.explained().startswith("F1 on device 0"), self.why)
        self.one("button[aria-label='Step on']").click()
        self.js("document.querySelector('.lab-figure').focus()")
        self.press(Keys.HOME, Keys.ARROW_RIGHT)
        for width in [900, 1600]:
            before = self.width()
            self.appear(size=(width, 900))
            self.wait_until(lambda: self.width() != before, "it is as wide as it was")
            self.next_frame()
            self.assertEqual(len(self.all(".lab-cursor rect")), 1)
            self.assertTrue(self.explained().startswith("F1 on device 0"), self.explained())
            self.assertIn("At 0:", self.text(".lab-now"))
            self.assertEqual(len(self.all(".lab-asked")), 1)
        self.type_into(self.field("p"), "0")
        self.next_frame()
        before = self.width()
        self.appear()
        self.wait_until(lambda: self.width() != before, "it is as wide as it was")
        self.assertEqual(self.alert()[0], "p")

    def test_another_schedule_has_no_cursor(self):
        self.lab()
        self.point("click", "touch")
        self.assertEqual(len(self.all(".lab-asked")), 1)
        self.js("location.hash = 'schedule=gpipe&p=2&m=2'")
        self.wait_until(lambda: self.figure("makespan") == "9 ticks", self.drawn)
        self.next_frame()
        self.assertEqual(self.all(".lab-asked"), [])
        self.assertEqual(self.explained(), "")

    def test_the_critical_path_is_framed(self):
        self.lab()
        self.js("document.querySelector('.lab-toolbar input').click()")
        framed = len(self.all(".lab-critical rect"))
        critical = self.js(f"return PipelineLab.answer('op=draw&{GOOD}').critical.length")
        self.assertEqual(framed, critical)
        self.assertGreater(framed, 3)

    # --- Links --------------------------------------------------------------------------

    def test_a_link_shows_what_it_was_copied_from(self):
        self.lab()
        self.type_into(self.field("c"), "0.5")
        self.type_into(self.field("limit"), "4,3,2,1")
        self.slider("m").send_keys(Keys.ARROW_LEFT)
        link = self.settled_hash("m=7")
        drawn, makespan = self.drawn(), self.figure("makespan")
        self.lab(link[1:])
        self.assertEqual(self.figure("makespan"), makespan)
        self.assertEqual(self.drawn(), drawn)
        self.assertEqual(self.field("limit").get_attribute("value"), "4,3,2,1")

    def test_another_fragment_is_another_figure(self):
        self.lab()
        self.js("location.hash = 'schedule=gpipe&p=2&m=2'")
        self.wait_until(lambda: self.figure("makespan") == "9 ticks", self.drawn)

    def test_a_link_that_is_followed_is_not_written_over_by_what_was_before(self):
        self.lab()
        self.js("globalThis.waited = false; setTimeout(() => { globalThis.waited = true; }, 500)")
        self.driver.execute_async_script(
            "const done = arguments[0];"
            "const box = document.querySelector('input[name=m]');"
            "box.value = 9; box.dispatchEvent(new Event('input'));"
            "requestAnimationFrame(() => requestAnimationFrame(() => {"
            " location.hash = 'schedule=1f1b&p=0&m=8'; done(); }));"
        )
        self.wait_until(lambda: self.js("return globalThis.waited"), "no time passes")
        self.assertEqual(self.js("return location.hash"), "#schedule=1f1b&p=0&m=8")

    def test_the_way_to_the_text_leads_to_no_other_figure(self):
        self.lab("schedule=gpipe&p=2&m=2")
        self.js("document.querySelector('a.skip').click()")
        self.wait_until(lambda: self.js("return location.hash") == "#doc-content", "no way there")
        self.next_frame()
        self.assertEqual(self.figure("makespan"), "9 ticks")
        self.assertEqual(self.alert(), [])
        self.lab("doc-content")
        self.assertEqual(self.alert(), [])
        self.assertEqual(self.figure("makespan"), "33 ticks")

    def test_a_link_without_a_schedule_means_1f1b(self):
        self.lab("p=2&m=2")
        self.assertEqual(self.one("select[name=schedule]").get_attribute("value"), "1f1b")
        self.assertEqual(self.figure("makespan"), "9 ticks")

    def test_a_link_can_be_copied(self):
        self.lab()
        self.type_into(self.field("m"), "4")
        self.one(".lab-copy").click()
        field = self.wait_until(lambda: self.all(".lab-shared input"), "no link")[0]
        page, link = field.get_attribute("value").split("#")
        self.assertTrue(page.endswith("/lab.html"), page)
        self.assertEqual(link, "schedule=1f1b&p=4&m=4")

    # --- What is said -------------------------------------------------------------------

    def test_only_a_change_of_the_readers_is_spoken_of(self):
        self.lab()
        said = "return document.querySelector('pipeline-lab [role=status].pl-heard').textContent"
        self.js("globalThis.waited = false; setTimeout(() => { globalThis.waited = true; }, 800)")
        self.wait_until(lambda: self.js("return globalThis.waited"), "no time passes")
        self.assertEqual(self.js(said), "")
        self.type_into(self.field("m"), "9")
        self.wait_until(lambda: self.js(said), "nothing is said")
        self.assertIn("36 ticks", self.js(said))

    # --- Bad input ----------------------------------------------------------------------

    def test_bad_links_are_met_by_a_message_beside_the_field(self):
        self.lab()
        good = self.figure("makespan")
        for link, field in [
            ("schedule=1f1b&p=0&m=8", "p"),
            ("schedule=1f1b&p=4&m=1000000000", "m"),
            ("schedule=1f1b&p=four&m=8", "p"),
            ("schedule=nonsense&p=4&m=8", "schedule"),
            ("schedule=1f1b&p=4&m=8&c=-1", "c"),
            ("schedule=1f1b&p=4&m=8&limit=x", "limit"),
            ("schedule=1f1b&p=4&m=8&nonsense=1", ""),
        ]:
            with self.subTest(link):
                self.lab(link)
                said = self.alert()
                self.assertEqual(said[0], field, said)
                self.assertEqual(self.figure("makespan"), good)

    def test_hostile_text_stays_text(self):
        for key in ["schedule", "p", "limit", "nonsense", "<img src=x onerror=alert(1)>"]:
            with self.subTest(key):
                pairs = {"schedule": "1f1b", "p": "4", "m": "8"}
                pairs[key] = "<img src=x onerror=document.title='taken'>"
                self.lab("&".join(f"{k}={v}" for k, v in pairs.items()))
                self.assertEqual(self.all("pipeline-lab img"), [])
                self.assertNotEqual(self.driver.title, "taken")
                self.assertEqual(len(self.alert()), 2)

    def test_a_mistyped_number_keeps_the_figure(self):
        self.lab()
        before = self.drawn()
        self.type_into(self.field("p"), "0")
        self.next_frame()
        self.assertEqual(self.alert()[0], "p")
        self.assertEqual(self.field("p").get_attribute("aria-invalid"), "true")
        self.assertEqual(self.drawn(), before)
        self.type_into(self.field("p"), "2")
        self.next_frame()
        self.assertEqual(self.alert(), [])
        self.assertEqual(self.figure("makespan"), "27 ticks")

    def test_a_refused_link_can_be_mended_in_the_form(self):
        for link, key, value, hash in [
            ("schedule=zb-h2&p=0&m=16", "p", "4", "schedule=zb-h2&p=4&m=16"),
            (f"op=compare&{GOOD}&b.p=0", "b.p", "2", f"op=compare&{GOOD}&b.p=2"),
            (f"{GOOD}&nonsense=1", "m", "4", "schedule=1f1b&p=4&m=4"),
        ]:
            with self.subTest(link):
                self.lab(link)
                self.assertEqual(len(self.alert()), 2)
                self.type_into(self.field(key), value)
                self.settled_hash(hash)
                self.assertEqual(self.alert(), [])
                self.assertEqual(self.console_errors(), [])

    def test_a_refused_cost_is_unfolded(self):
        self.appear(size=PHONE)
        self.lab(f"{GOOD}&c=-1")
        self.assertEqual(self.alert()[0], "c")
        self.assertTrue(self.js("return arguments[0].checkVisibility()", self.field("c")))

    def test_a_refused_number_that_is_taken_away_gives_way_to_the_one_before(self):
        self.lab()
        self.field("p").send_keys(Keys.CONTROL, "a")
        self.press("0")
        self.wait_until(lambda: self.alert()[:1] == ["p"], self.alert)
        self.press(Keys.DELETE, Keys.BACKSPACE, Keys.TAB)
        self.wait_until(lambda: self.alert() == [], self.alert)
        self.assertEqual(self.field("p").get_attribute("value"), "4")
        self.type_into(self.field("p"), "2")
        self.wait_until(lambda: self.figure("makespan") == "27 ticks", self.drawn)

    def test_what_is_no_number_is_forgotten_once_it_is_one(self):
        self.lab()
        self.field("p").send_keys(Keys.END, "e")
        self.wait_until(lambda: self.alert()[:1] == ["p"], self.alert)
        self.assertIn("not a number", self.alert()[1])
        self.press(Keys.BACKSPACE)
        self.wait_until(lambda: self.alert() == [], self.alert)

    def test_what_is_being_typed_is_not_written_over(self):
        self.lab()
        self.field("p").send_keys(Keys.END, Keys.BACKSPACE)
        self.js("document.querySelector('pipeline-lab').redraw()")
        self.assertEqual(self.field("p").get_attribute("value"), "")
        self.press("2")
        self.wait_until(lambda: self.figure("makespan") == "27 ticks", self.drawn)
        self.js("location.hash = 'schedule=1f1b&p=3&m=8'")  # from elsewhere
        self.wait_until(lambda: self.figure("makespan") == "30 ticks", self.drawn)
        self.assertEqual(self.field("p").get_attribute("value"), "3")

    def test_what_is_too_large_to_draw_is_summed_up(self):
        self.lab("schedule=gpipe&p=64&m=1024")
        self.assertTrue(self.one(".lab-note").is_displayed())
        self.assertEqual(self.figure("makespan"), "3261 ticks")
        self.assertEqual(self.all(".lab-drawing svg"), [])

    # --- Memory, comparison, time -------------------------------------------------------

    def test_memory_has_a_strip_a_device_and_its_limit_as_a_line(self):
        self.lab(GOOD + "&limit=3")
        self.assertEqual(len(self.all(".lab-memory .pl-held")), 4)
        self.assertEqual(len(self.all(".lab-memory .pl-limit")), 4)
        words = [strip.get_attribute("aria-label") for strip in self.all(".pl-strip")]
        self.assertEqual(words[0], "Device 0 holds at most 4 of 3 allowed: over the limit.")
        self.assertEqual(words[3], "Device 3 holds at most 1 of 3 allowed.")
        # On the axis of the figure: as far to the right as its last cell.
        right = self.js(
            f"const answer = PipelineLab.answer('op=draw&{GOOD}&width=' +"
            " document.querySelector('.lab-drawing svg').viewBox.baseVal.width);"
            "const strip = document.querySelector('.pl-strip').getBoundingClientRect();"
            "const box = document.querySelector('.lab-drawing svg').getBoundingClientRect();"
            "return [box.left + answer.frame.x - strip.left,"
            " box.left + answer.frame.x + 33 * answer.frame.scale - strip.right];"
        )
        self.assertLess(abs(right[0]) + abs(right[1]), 1)

    def test_memory_of_a_schedule_that_is_soon_over_stays_below_its_figure(self):
        self.lab(GOOD + "&F=0.001&I=0.001&W=0.001")
        axis, strip = self.js(
            "const right = e => e.getBoundingClientRect().right;"
            "return [right(document.querySelector('.lab-drawing line.axis')),"
            " right(document.querySelector('.pl-strip'))];"
        )
        self.assertAlmostEqual(strip, axis, delta=1)
        path = self.all(".pl-held")[0].get_attribute("d")
        steps = [float(x) for x in re.findall(r"H([\d.]+)", path)]
        self.assertGreater(len(set(steps)), 4, path)

    def test_two_schedules_share_an_axis(self):
        self.lab()
        self.js("document.querySelectorAll('.lab-toolbar input')[1].click()")
        self.next_frame()
        self.assertEqual(self.figure("makespan", 0), self.figure("makespan", 1))
        self.type_into(self.field("b.m"), "4")
        self.next_frame()
        self.assertEqual(self.figure("makespan", 1), "21 ticks")
        self.assertIn("b.m=4", self.settled_hash("b.m=4"))
        first, second = self.js(
            "return [...document.querySelectorAll('.lab-drawing svg')].map(svg =>"
            " Object.fromEntries([...svg.querySelectorAll('text.number')].map("
            "  text => [text.textContent, text.getBoundingClientRect().x])))"
        )
        self.assertGreater(len(first), 10)
        self.assertGreater(len(second), 10)
        for number in first.keys() & second.keys():
            self.assertAlmostEqual(first[number], second[number], delta=0.5, msg=number)

    def test_step_goes_from_event_to_event_and_dims_what_is_to_come(self):
        self.lab("schedule=forward&p=3&m=4")
        on = self.one("button[aria-label='Step on']")
        for expected in [
            "At 0: device 0: F0",
            "At 1: device 0: F1",
            "At 2: device 0: F2",
        ]:
            on.click()
            self.assertIn(expected, self.text(".lab-now"))
        self.assertEqual(len(self.all(".lab-drawing .lab-later")), 1)
        self.one("button[aria-label='Step back']").click()
        self.assertIn("At 1: device 0: F1", self.text(".lab-now"))

    def played(self):
        """Plays to the end; all times that were shown."""
        self.assertEqual(self.all(".lab-later"), [], "it moves by itself")
        self.js(
            "globalThis.times = [];"
            "const now = document.querySelector('.lab-now');"
            "new MutationObserver(() => times.push(parseFloat(now.textContent.slice(3))))"
            ".observe(now, {childList: true, characterData: true, subtree: true});"
        )
        self.one("button[aria-label='Play']").click()
        self.wait_until(lambda: "At 6:" in self.text(".lab-now"), "it never ends")
        self.wait_until(lambda: self.all("button[aria-label='Play']"), "it goes on at its end")
        return self.js("return globalThis.times")

    def test_play_runs_to_the_end(self):
        self.lab("schedule=forward&p=3&m=4")
        times = self.played()
        self.assertEqual(times, sorted(times))
        self.assertTrue(any(time % 1 for time in times), times)

    def test_for_less_motion_play_goes_from_moment_to_moment(self):
        self.appear(reduced_motion=True)
        self.lab("schedule=forward&p=3&m=4")
        self.assertLessEqual(set(self.played()), set(range(7)))

    def test_pause_holds_it_and_play_goes_on(self):
        self.lab("schedule=1f1b&p=4&m=32")
        self.one("button[aria-label='Play']").click()
        self.wait_until(lambda: "At 0:" not in self.text(".lab-now"), "it does not move")
        self.one("button[aria-label='Pause']").click()
        held = self.text(".lab-now")
        for _ in range(5):
            self.next_frame()
        self.assertEqual(self.text(".lab-now"), held)
        self.one("button[aria-label='Play']").click()
        self.wait_until(lambda: self.text(".lab-now") != held, "it stays")

    def test_there_is_one_clock_however_often_play_is_pressed(self):
        self.lab()
        frames = self.driver.execute_async_script(
            "const done = arguments[0]; let frames = 0;"
            "const {player} = document.querySelector('pipeline-lab');"
            "const advance = player.advance;"
            "player.advance = now => { ++frames; advance.call(player, now); };"
            "player.start(); player.pause(); player.start();"
            "requestAnimationFrame(() => done(frames));"
        )
        self.assertEqual(frames, 1)
        running = self.js(
            "const lab = document.querySelector('pipeline-lab'); lab.remove();"
            "return lab.player.running;"
        )
        self.assertFalse(running)

    def test_the_speed_is_that_of_the_choice(self):
        self.lab()
        for speed in [1, 8]:
            time = self.js(
                "const {player} = document.querySelector('pipeline-lab');"
                "player.speed.value = arguments[0]; player.clear(); player.start();"
                "const began = player.before; cancelAnimationFrame(player.frame);"
                "player.advance(began + 500);"
                "player.pause(); return player.time;",
                speed,
            )
            self.assertAlmostEqual(time, speed / 2)

    def test_the_time_can_be_dragged_and_all_be_shown_again(self):
        self.lab("schedule=forward&p=3&m=4")
        self.set_slider_by_mouse(self.one(".lab-scrub"), 3)
        self.assertRegex(self.text(".lab-now"), r"^At (3|2\.9|3\.0)")
        self.assertEqual(len(self.all(".lab-later")), 1)
        self.one("button[aria-label='Show all of the schedule']").click()
        self.assertEqual(self.text(".lab-now"), "")
        self.assertEqual(self.all(".lab-later"), [])

    # --- Saving -------------------------------------------------------------------------

    def saved(self, format):
        return self.downloaded(lambda: self.one(f"button[data-format='{format}']").click())

    def test_what_is_saved_is_what_is_shown(self):
        self.lab()
        name, svg = self.saved("svg")
        self.assertEqual(pathlib.Path(name).suffix, ".svg")
        self.assertTrue(svg.startswith("<svg") and "33 ticks" in svg)
        name, csv = self.saved("torch")
        self.assertEqual(pathlib.Path(name).suffix, ".csv")
        self.assertEqual(len(csv.strip().splitlines()), 4)
        name, trace = self.saved("trace")
        self.assertEqual(pathlib.Path(name).suffix, ".json")
        self.assertIn("traceEvents", json.loads(trace))

    # --- Where and how it is shown -----------------------------------------------------

    def chapter(self, *queries, without="nothing"):
        """A page of its own with one element for each query, as a chapter has them; a
        script may be missing."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="workbook-lab-"))
        self.addCleanup(shutil.rmtree, folder)
        # What lab.html loads, from where it lies.
        loads = "".join(
            line.replace('src="', f'src="{SITE.as_uri()}/').replace(
                'href="', f'href="{SITE.as_uri()}/'
            )
            for line in (SITE / "lab.html").read_text(encoding="utf-8").splitlines(True)
            # Not the theme's own scripts: they look for their page.
            if line.startswith("<script src=") and " defer" in line
            or line.startswith('<link rel="stylesheet"')
            if without not in line
        )
        elements = "".join(
            f'<pipeline-lab query="{query.replace("&", "&amp;")}"><p>static</p></pipeline-lab>'
            for query in queries
        )
        page = folder / "chapter.html"
        page.write_text(
            f'<!DOCTYPE html><html lang="en"><head><title>A chapter</title>{loads}</head>'
            f"<body>{elements}</body></html>",
            encoding="utf-8",
        )
        return page

    def test_several_labs_of_a_page_share_no_id_and_no_state(self):
        query = "schedule=gpipe&p=2&m=2"
        self.open(self.chapter(query, query))
        ids = self.js("return [...document.querySelectorAll('[id]')].map(e => e.id)")
        self.assertEqual(len(ids), len(set(ids)))
        first, second = self.all("pipeline-lab")
        self.assertNotIn("static", first.text)
        self.js(
            "const box = arguments[0].querySelector('input[name=m]');"
            "box.value = 3; box.dispatchEvent(new Event('input'));",
            first,
        )
        self.next_frame()
        self.assertIn("12 ticks", first.text)
        self.assertIn("9 ticks", second.text)
        link = self.js("return arguments[0].querySelector('a.pl-button').hash", first)
        self.assertEqual(link, "#schedule=gpipe&p=2&m=3")
        self.assertEqual(self.js("return location.hash"), "")

    def test_where_it_cannot_start_the_figure_stays_and_a_message_says_why(self):
        absent = self.browser.command(
            "Page.addScriptToEvaluateOnNewDocument", source="delete globalThis.WebAssembly;"
        )
        try:
            self.open("lab.html", ready="")
        finally:
            self.browser.command("Page.removeScriptToEvaluateOnNewDocument", **absent)
        self.wait_until(lambda: self.all("pipeline-lab [role=alert]"), "no message")
        self.assertIn("no WebAssembly", self.text("pipeline-lab [role=alert]"))
        self.assertEqual(len(self.all("pipeline-lab svg")), 1)
        self.assertEqual(self.all("pipeline-lab button"), [])
        self.open(self.chapter(GOOD, without='"core.js"'), ready="")
        self.wait_until(lambda: self.all("pipeline-lab [role=alert]"), "no message")
        self.assertIn("static", self.text("pipeline-lab"))

    def test_it_is_all_of_the_lab_on_a_server_that_hides_the_ends_of_names(self):
        class Hiding(http.server.SimpleHTTPRequestHandler):
            def translate_path(self, path):
                whole = super().translate_path(path)
                return whole if os.path.exists(whole) else whole + ".html"

            def do_GET(self):
                if self.path != "/favicon.ico":  # which browsers ask for by themselves
                    super().do_GET()
                else:
                    self.send_response(204)
                    self.end_headers()

            def log_message(self, *_):
                pass

        serve = functools.partial(Hiding, directory=str(SITE))
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.addCleanup(self.driver.get, "about:blank")
            self.driver.get(f"http://127.0.0.1:{server.server_port}/lab#schedule=gpipe&p=2&m=2")
            try:
                self.wait_until(lambda: self.figure("makespan") == "9 ticks", self.drawn)
                self.assertEqual(len(self.all("button[data-format]")), 3)
            finally:
                server.shutdown()

    def test_the_window_does_not_scroll_beside_the_text(self):
        for size in [DESKTOP, PHONE]:
            with self.subTest(size):
                self.appear(size=size)
                self.lab()
                room, page = self.js(
                    "return [innerHeight, document.documentElement.scrollHeight]"
                )
                if size == DESKTOP:  # on a phone the bar above scrolls away
                    self.assertLessEqual(page, room)
                self.assertEqual(self.strays(), [])

    def strays(self):
        """What is only heard, and stands outside its element."""
        return self.js(
            "return [...document.querySelectorAll('.pl-heard')].filter("
            " e => e.checkVisibility() && !e.closest('pipeline-lab').contains(e.offsetParent))"
            ".map(e => e.outerHTML)"
        )

    def test_on_paper_all_of_the_figure_is_there_and_nothing_that_asks(self):
        for dark in [False, True]:
            with self.subTest(dark=dark):
                self.appear(dark=dark)
                self.lab(f"op=compare&{GOOD}&limit=6&b.schedule=gpipe")
                self.js(
                    "const zoom = document.querySelector('.lab-toolbar select');"
                    "zoom.value = '2'; zoom.dispatchEvent(new Event('change'));"
                )
                self.appear(size=PAPER, dark=dark, media="print")
                self.next_frame()
                self.assert_no_sideways_scroll()
                wide, labels, colours = self.js(
                    "const seen = e => e.checkVisibility();"
                    "const lab = document.querySelector('pipeline-lab');"
                    "const style = getComputedStyle(lab);"
                    "return [[...lab.querySelectorAll('svg, .pl-strips, td')].filter(e =>"
                    "  seen(e) && e.getBoundingClientRect().right > innerWidth + 1)"
                    "  .map(e => e.outerHTML.slice(0, 80)),"
                    " [...lab.querySelectorAll('label')].filter(seen).map(e => e.textContent),"
                    " ['--pl-accent', '--pl-bad'].map(name => style.getPropertyValue(name))];"
                )
                self.assertEqual(wide, [])
                self.assertEqual(labels, [])
                self.assertEqual(colours, ["#0f5fa6", "#a8201a"])
                paper = self.js(  # where no script has chosen light or dark
                    "document.documentElement.classList.remove('dark-mode', 'light-mode');"
                    "const style = getComputedStyle(document.querySelector('pipeline-lab'));"
                    "return ['--page-background-color', '--pl-paper', '--pl-accent']"
                    ".map(name => style.getPropertyValue(name));"
                )
                self.assertEqual(paper, ["#ffffff", "#ffffff", "#0f5fa6"])
                axis, strip = self.js(
                    "const right = e => e.getBoundingClientRect().right;"
                    "return [right(document.querySelector('.lab-drawing line.axis')),"
                    " right(document.querySelector('.pl-strip'))];"
                )
                self.assertAlmostEqual(strip, axis, delta=1)
                self.screenshot("lab-print-dark" if dark else "lab-print")

    def test_on_a_phone_nothing_scrolls_sideways(self):
        self.appear(size=PHONE)
        self.lab()
        self.assert_no_sideways_scroll()
        self.screenshot("lab-phone")

    def test_it_can_be_looked_at_in_light_and_in_dark(self):
        for dark in [False, True]:
            self.appear(size=DESKTOP, dark=dark)
            self.lab("op=compare&schedule=1f1b&p=4&m=8&limit=6&b.schedule=gpipe")
            self.js("document.querySelector('.lab-toolbar input').click()")
            self.screenshot("lab-dark" if dark else "lab-light")
