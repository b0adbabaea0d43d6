"""The lab: <pipeline-lab> on its own page and in a chapter's."""

import json
import pathlib
import shutil
import tempfile

from harness import DESKTOP, PHONE, SITE, BrowserTest, Keys

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
        self.wait_until(lambda: "F1" in self.why(), self.why)
        self.press(Keys.HOME, Keys.ARROW_DOWN)
        self.wait_until(lambda: "This bubble exists because" in self.why(), self.why)
        self.press(Keys.ESCAPE)
        self.assertEqual(self.all(".lab-cursor rect"), [])

    def test_the_pointer_over_a_cell_says_why(self):
        self.lab()
        # The middle of B0 on device 3: it begins at 4 and takes 2.
        x, y = self.js(
            "const frame = PipelineLab.answer('op=draw&width=' +"
            " document.querySelector('.lab-drawing svg').viewBox.baseVal.width +"
            f" '&{GOOD}').frame;"
            "const box = document.querySelector('.lab-drawing svg').getBoundingClientRect();"
            "return [box.left + frame.x + 5 * frame.scale,"
            " box.top + frame.rows[3].y + frame.rows[3].height / 2];"
        )
        self.js(
            "document.querySelector('.lab-drawing').dispatchEvent(new PointerEvent("
            "'pointermove', {clientX: arguments[0], clientY: arguments[1]}))",
            x,
            y,
        )
        self.wait_until(lambda: "B0" in self.why(), self.why)
        self.assertIn("device 3", self.why())

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

    def test_two_schedules_share_an_axis(self):
        self.lab()
        self.js("document.querySelectorAll('.lab-toolbar input')[1].click()")
        self.next_frame()
        self.assertEqual(self.figure("makespan", 0), self.figure("makespan", 1))
        self.type_into(self.field("b.m"), "4")
        self.next_frame()
        self.assertEqual(self.figure("makespan", 1), "21 ticks")
        self.assertIn("b.m=4", self.settled_hash("b.m=4"))
        scales = self.js(
            "const both = PipelineLab.answer(location.hash.slice(1));"
            "return [both.a.frame.scale, both.b.frame.scale, both.a.frame.x - both.b.frame.x]"
        )
        self.assertEqual(scales[0], scales[1])
        self.assertEqual(scales[2], 0)
        self.assertEqual(len(self.all(".lab-drawing svg")), 2)

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

    def test_play_runs_to_the_end_and_pause_holds_it(self):
        for reduced_motion in [False, True]:
            with self.subTest(reduced_motion=reduced_motion):
                self.appear(reduced_motion=reduced_motion)
                self.lab("schedule=forward&p=3&m=4")
                self.assertEqual(self.all(".lab-later"), [], "it moves by itself")
                self.one("button[aria-label='Play']").click()
                self.wait_until(lambda: "At 6:" in self.text(".lab-now"), "it never ends")
                self.wait_until(
                    lambda: self.all("button[aria-label='Play']"), "it goes on at its end"
                )

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

    def chapter(self, *queries):
        """A page of its own with one element for each query, as a chapter has them."""
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
