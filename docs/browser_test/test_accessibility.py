"""Pages for everybody: axe finds no serious fault, in light and in dark, and every
control can be reached by keyboard and has a name."""

import axe
from harness import FULL, PHONE, BrowserTest, Keys

# One page of each kind.
PAGES = {
    "front": "index.html",
    "chapter": "chapter_01.html",
    "long_chapter": "chapter_16.html",
    "exercise": "exercise_10.html",
    "lab": "lab.html",
    "builder": "build.html",
    "conventions": "conventions.html",
    "struct": "structpipeline_1_1Schedule.html",
}
if FULL:  # by far the longest: half a minute each time
    PAGES["api"] = "namespacepipeline.html"
# Of pages that look alike one is enough in the dark and on a phone.
PAGES_THAT_DIFFER = ("chapter", "lab", "builder", "conventions", "struct", "api")
PAGES_BY_KEYBOARD = ("front", "chapter", "lab", "builder", "conventions")

RUN_AXE = """
const done = arguments[0];
axe.run(document, {resultTypes: ['violations'], preload: false, rules: {region: {enabled: false}}})
  .then(result => done(result.violations
    .filter(fault => fault.impact === 'serious' || fault.impact === 'critical')
    .map(fault => ({
      rule: fault.id,
      help: fault.help,
      count: fault.nodes.length,
      nodes: fault.nodes.slice(0, 4).map(
        node => node.target.join(' ') + '  ' + node.html.slice(0, 160) + '  ' +
                (node.any[0] ? node.any[0].message : '')),
    }))), fault => done([{rule: 'axe itself', help: String(fault), count: 1, nodes: []}]));
"""

# Notes every element that takes the focus by Tab and that a reader can see, and what all
# look like without it; tells how many there are. Of radio buttons with one name, one is
# a stop.
TABBABLE = """
const group = e => e.type === 'radio' && document.querySelector(
    `input[type=radio][name="${CSS.escape(e.name)}"]:checked`) || e;
globalThis.lookOf = e => {
  const {outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor} = getComputedStyle(e);
  return [outlineStyle !== 'none' && [outlineStyle, outlineWidth, outlineColor],
          boxShadow, borderColor].join();
};
globalThis.tabbable = new Set([...document.querySelectorAll(
    'a[href], button, input, select, textarea, summary, [tabindex]')]
  .filter(e => e.tabIndex >= 0 && !e.disabled && e.checkVisibility({visibilityProperty: true})
               && e.getClientRects().length && group(e) === e));
globalThis.looks = new Map(
    [...document.querySelectorAll('*')].map(e => [e, globalThis.lookOf(e)]));
return globalThis.tabbable.size;
"""

# Tells of what has the focus; null once it was there before.
VISIT = """
const e = document.activeElement;
if (!e || e === document.body) return 'body';
if (!globalThis.looks.has(e)) return null;
const before = globalThis.looks.get(e);
globalThis.looks.delete(e);
globalThis.tabbable.delete(e);
const box = e.getBoundingClientRect();
return {
  html: e.outerHTML.slice(0, 160),
  seen: box.width > 0 && box.height > 0,
  marked: globalThis.lookOf(e) !== before,
};
"""

UNREACHED = "return [...globalThis.tabbable].map(e => e.outerHTML.slice(0, 160));"


class Accessibility(BrowserTest):
    def faults(self):
        self.driver.execute_script(axe.script())
        self.driver.set_script_timeout(240)
        found = self.driver.execute_async_script(RUN_AXE)
        return [
            f"{fault['rule']}: {fault['help']} ({fault['count']})\n    "
            + "\n    ".join(fault["nodes"])
            for fault in found
        ]

    def check(self, pages, dark=False, size=None):
        axe.script()
        for page, file in PAGES.items():
            if page not in pages:
                continue
            with self.subTest(page):
                self.appear(dark=dark, **({"size": size} if size else {}))
                self.open(file)
                self.assertEqual("\n".join(self.faults()), "")

    def test_axe_finds_no_serious_fault_in_light(self):
        self.check(PAGES)

    def test_axe_finds_no_serious_fault_in_dark(self):
        self.check(PAGES_THAT_DIFFER, dark=True)

    def test_axe_finds_no_serious_fault_on_a_phone(self):
        self.check(PAGES_THAT_DIFFER, size=PHONE)

    def test_axe_sees_a_fault_that_is_there(self):
        axe.script()
        self.open("index.html")
        self.js(
            "const b = document.createElement('button'); b.id = 'nameless';"
            "document.querySelector('.contents').prepend(b);"
        )
        self.assertIn("button-name", "\n".join(self.faults()))

    def test_every_control_is_reached_by_tab_and_shows_the_focus(self):
        for page in PAGES_BY_KEYBOARD:
            with self.subTest(page):
                self.open(PAGES[page])
                wanted = self.js(TABBABLE)
                visited = []
                for _ in range(wanted + 20):
                    self.press(Keys.TAB)
                    at = self.js(VISIT)
                    if at is None:
                        break
                    if at != "body":
                        visited.append(at)
                self.assertEqual(self.js(UNREACHED), [])
                self.assertEqual([v["html"] for v in visited if not v["seen"]], [])
                self.assertEqual([v["html"] for v in visited if not v["marked"]], [])

    def test_every_control_has_a_name(self):
        for page, file in PAGES.items():
            with self.subTest(page):
                self.open(file)
                nameless = self.nameless_controls()
                self.assertEqual(nameless, [])

    def nameless_controls(self):
        """By the browser's own accessibility tree."""
        self.browser.command("Accessibility.enable")
        nodes = self.browser.command("Accessibility.getFullAXTree")["nodes"]
        controls = {
            "button", "checkbox", "combobox", "link", "listbox", "menuitem", "option",
            "radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox",
        }
        found = [
            node
            for node in nodes
            if not node.get("ignored") and node.get("role", {}).get("value") in controls
        ]
        self.assertGreater(len(found), 10, "hardly a control in the tree")
        return [
            node["role"]["value"] + " " + str(node.get("properties", ""))[:200]
            for node in found
            if not node.get("name", {}).get("value", "").strip()
        ]
