"""Pages as they are met: on a phone, in the dark, without JavaScript, all from disk."""

from harness import PAPER, PHONE, BrowserTest
from test_accessibility import PAGES


class SitePages(BrowserTest):
    def test_on_a_phone_no_page_scrolls_sideways(self):
        for page, file in PAGES.items():
            with self.subTest(page):
                self.appear(size=PHONE)
                self.open(file)
                self.assert_no_sideways_scroll()
                self.screenshot(f"phone-{page}")

    def test_on_paper_nothing_is_cut_off(self):
        for page, file in PAGES.items():
            if page in ("struct", "api"):
                continue  # Doxygen's own
            with self.subTest(page):
                self.appear(size=PAPER, media="print")
                self.open(file)
                self.assert_no_sideways_scroll()
                cut = self.js(
                    "return [...document.querySelectorAll('.contents *')].filter(e =>"
                    " e.clientWidth > 1 && e.scrollWidth > e.clientWidth + 1 &&"
                    " getComputedStyle(e).overflowX !== 'visible')"
                    ".map(e => `${e.outerHTML.slice(0, 80)}: ${e.scrollWidth}`)"
                )
                self.assertEqual(cut, [])

    def test_without_javascript_there_are_the_chapters_and_the_figure(self):
        self.appear(javascript=False)
        self.open("chapter_01.html", ready="")
        self.assertIn("10 · GPipe", self.text("noscript nav"))
        self.assertTrue(self.all("pipeline-lab svg"))
        self.assertFalse(self.all("[data-ready]"))
        self.screenshot("no-javascript-chapter")

    def test_pages_are_seen_in_light_and_in_dark(self):
        for dark in (False, True):
            for page, file in PAGES.items():
                self.appear(dark=dark)
                self.open(file)
                self.screenshot(f"{'dark' if dark else 'light'}-{page}")
