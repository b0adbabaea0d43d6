"""The pages of the built site as text: what tests read of them without a browser."""

import html.parser
import pathlib
import urllib.parse

from harness import ROOT, SITE

# Pages that Doxygen makes of the interfaces are its own; all others are ours, by a text
# that stands in the tree.
OWN_NAMES = ("index", "lab", "build", "chapter_", "exercise_")


def own_pages():
    """Our pages, by name."""
    guides = {file.stem for file in (ROOT / "docs").glob("*.md")}
    pages = [
        page
        for page in sorted(SITE.glob("*.html"))
        if "_8" not in page.stem  # a file's page: chapter_program_8hpp.html
        and "__" not in page.stem
        and (page.stem in guides or page.stem.startswith(OWN_NAMES))
    ]
    if len(pages) < 20:
        raise AssertionError(f"only {len(pages)} pages of ours stand in {SITE}")
    return pages


def chapter_pages():
    return [page for page in own_pages() if page.stem.startswith("chapter_")]


class Page(html.parser.HTMLParser):
    """What refers and what can be referred to in one page, with lines."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.path = pathlib.Path(path)
        self.anchors = set()
        self.references = []  # (line, URL)
        self.elements = []  # (line, tag, {attribute: value})
        self.words = []  # (line, text) outside code, scripts and styles
        self._open = []
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        line = self.getpos()[0]
        self.elements.append((line, tag, attributes))
        for name in ("id", "name") if tag == "a" else ("id",):
            if attributes.get(name):
                self.anchors.add(attributes[name])
        for name in ("href", "src", "data", "action", "xlink:href", "poster"):
            if attributes.get(name):
                self.references.append((line, attributes[name]))
        # Doxygen writes a line of code as <div class="line">; KaTeX keeps what a formula was
        # written as in <annotation>.
        if tag in ("pre", "code", "script", "style", "annotation") or attributes.get("class") == "line":
            self._open.append(tag)

    def handle_endtag(self, tag):
        if self._open and self._open[-1] == tag:
            self._open.pop()

    def handle_data(self, data):
        if not self._open and data.strip():
            self.words.append((self.getpos()[0], data))


def is_elsewhere(url):
    return urllib.parse.urlsplit(url).scheme != "" or url.startswith("//")


def target_of(page, url):
    """The file and the anchor ("" for none) that a reference in a page leads to."""
    parts = urllib.parse.urlsplit(url)
    path = urllib.parse.unquote(parts.path)
    file = (page.parent / path).resolve() if path else page
    return file, urllib.parse.unquote(parts.fragment)
