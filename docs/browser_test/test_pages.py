"""Every page as text: valid HTML, no link into nothing, no page too heavy."""

import base64
import collections
import gzip
import re
import unittest

from harness import SITE
from site_pages import Page, chapter_pages, is_elsewhere, own_pages, target_of

try:
    import html5lib
except ModuleNotFoundError:
    html5lib = None

PAGE_BYTES = 200_000  # a page with the lab, without shared files
WASM_BYTES = 120_000  # compressed as servers do

# What HTML has done away with, or never had: browsers still take it.
OBSOLETE_ATTRIBUTES = {
    "align", "bgcolor", "border", "cellpadding", "cellspacing", "clear", "frameborder",
    "hspace", "marginheight", "marginwidth", "noshade", "nowrap", "valign", "vspace",
}
OBSOLETE_ELEMENTS = {"acronym", "big", "center", "dir", "font", "strike", "tt"}
NEEDED_ATTRIBUTES = {"img": "alt", "iframe": "title", "html": "lang"}


def faults_beyond_syntax(page):
    """What a parser takes but HTML does not allow."""
    ids = collections.Counter(a["id"] for _, _, a in page.elements if "id" in a)
    faults = [f"the id {name} stands {count} times" for name, count in ids.items() if count > 1]
    for line, tag, attributes in page.elements:
        if tag in OBSOLETE_ELEMENTS:
            faults.append(f"line {line}: <{tag}> is obsolete")
        old = sorted(OBSOLETE_ATTRIBUTES & attributes.keys())
        if old and not tag.startswith("m"):
            faults.append(f"line {line}: <{tag} {' '.join(old)}> is obsolete")
        need = NEEDED_ATTRIBUTES.get(tag)
        if need and need not in attributes:
            faults.append(f"line {line}: <{tag}> without {need}")
        for name in ("for", "aria-labelledby", "aria-describedby", "aria-controls"):
            for wanted in (attributes.get(name) or "").split():
                if wanted not in ids:
                    faults.append(f"line {line}: {name}={wanted}, and no element has that id")
    return faults


class Pages(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.pages = {path.resolve(): Page(path) for path in SITE.rglob("*.html")}

    @unittest.skipUnless(html5lib, "no html5lib here: install python3-html5lib")
    def test_what_is_ours_is_valid_html(self):
        for path in own_pages():
            with self.subTest(path.name):
                parser = html5lib.HTMLParser()
                parser.parse(path.read_text(encoding="utf-8"))
                syntax = [f"line {at[0]}: {what} {more}" for at, what, more in parser.errors]
                self.assertEqual(syntax + faults_beyond_syntax(self.pages[path.resolve()]), [])

    def test_every_link_and_anchor_leads_somewhere(self):
        broken = []
        for path, page in self.pages.items():
            for line, url in page.references:
                if is_elsewhere(url):
                    continue
                broken += self.complaint(path, url, f"{path.name}:{line}")
        self.assertEqual(broken[:20], [], f"{len(broken)} broken links")

    def test_the_tree_beside_the_pages_leads_somewhere(self):
        broken, links = [], 0
        for script in [*SITE.glob("*.js"), *SITE.glob("search/*_*.js")]:
            if script.name.startswith("navtreeindex"):
                continue  # tells where in the tree a page is; not links
            text = script.read_text(encoding="utf-8").split("var NAVTREEINDEX")[0]
            for url in re.findall(r"""["'](?:\.\./)?([^"'\s]+\.html(?:#[^"'\s]*)?)["']""", text):
                links += 1
                broken += self.complaint(SITE / script.name, url, script.name)
        self.assertGreater(links, 1000)
        self.assertEqual(broken[:20], [], f"{len(broken)} broken links")

    def complaint(self, path, url, where):
        file, anchor = target_of(path, url)
        if not file.exists():
            return [f"{where}: no file {url}"]
        # A page may read its fragment: those of the lab are queries.
        known = self.pages.get(file.resolve())
        if anchor and known and "=" not in anchor and anchor not in known.anchors:
            return [f"{where}: no anchor {url}"]
        return []

    def test_style_sheets_name_files_that_are_there(self):
        broken = []
        for sheet in SITE.rglob("*.css"):
            for url in re.findall(r"url\(['\"]?([^'\")]+)", sheet.read_text(encoding="utf-8")):
                if not is_elsewhere(url) and not url.startswith("#"):
                    if not (sheet.parent / url.split("?")[0].split("#")[0]).exists():
                        broken.append(f"{sheet.name}: {url}")
        self.assertEqual(broken, [])

    def test_nothing_is_loaded_from_elsewhere(self):
        loaded = [
            f"{path.name}:{line}: <{tag}> {url}"
            for path, page in self.pages.items()
            for line, tag, attributes in page.elements
            if tag in ("script", "link", "img", "iframe", "object", "video", "source")
            for url in [attributes.get("src") or attributes.get("href") or ""]
            if is_elsewhere(url) and not url.startswith(("data:", "javascript:void"))
        ]
        self.assertEqual(loaded, [])

    def test_every_page_has_a_language_a_title_of_its_own_and_one_main_heading(self):
        titles = collections.defaultdict(list)
        for path in own_pages():
            with self.subTest(path.name):
                page = self.pages[path.resolve()]
                tags = collections.Counter(tag for _, tag, _ in page.elements)
                languages = [a.get("lang") for _, tag, a in page.elements if tag == "html"]
                self.assertEqual(languages, ["en"])
                self.assertEqual(tags["h1"], 1)
            title = re.search(r"<title>(.*?)</title>", path.read_text(encoding="utf-8"), re.S)
            titles[title and title[1]].append(path.name)
        self.assertEqual({t: names for t, names in titles.items() if len(names) > 1}, {})

    def test_formulas_and_places_for_the_lab_are_filled_in(self):
        left = []
        for path in own_pages():
            left += [
                f"{path.name}:{line}: {text.strip()[:60]}"
                for line, text in self.pages[path.resolve()].words
                if re.search(r"\\[(\[]|\\frac|<!--|@ref|\\ref|\\snippet", text)
            ]
        self.assertEqual(left, [])

    def test_the_figure_of_a_lab_is_there_before_any_script(self):
        with_lab = 0
        for path in own_pages():
            text = path.read_text(encoding="utf-8")
            for element in re.findall(r"<pipeline-(?:lab|builder)\b.*?</pipeline-", text, re.S):
                with_lab += 1
                with self.subTest(path.name):
                    self.assertRegex(element, r"<svg|<img", "no figure in the element")
                    self.assertRegex(element, r"<title|alt=|aria-label", "a figure without words")
        self.assertGreaterEqual(with_lab, len(chapter_pages()) // 2)

    def test_a_page_with_the_lab_weighs_at_most_200_kb(self):
        heavy = [
            f"{path.name}: {path.stat().st_size}"
            for path in own_pages()
            if path.stat().st_size > PAGE_BYTES
        ]
        self.assertEqual(heavy, [])

    def test_the_lab_weighs_at_most_120_kb_compressed(self):
        text = (SITE / "lab_wasm.js").read_text(encoding="utf-8")
        module = base64.b64decode("".join(re.findall(r"[\"'`]([A-Za-z0-9+/=\n]{100,})", text)))
        self.assertEqual(module[:4], b"\0asm")
        self.assertLessEqual(len(gzip.compress(module, 9)), WASM_BYTES)
