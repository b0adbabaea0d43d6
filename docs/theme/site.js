/**
 * What the pages do besides being read: a toggle for dark pages, a button that copies
 * code, a name for the search field, and answers that are open on paper. Without it
 * nothing is missing but these.
 */
"use strict";

DoxygenAwesomeDarkModeToggle.init();
DoxygenAwesomeFragmentCopyButton.init();

// Doxygen's script makes the search field anew at times, and gives it no name.
window.addEventListener("load", () => {
  const nameSearch = () =>
      document.getElementById("MSearchField")?.setAttribute("aria-label", "Search");
  nameSearch();
  new MutationObserver(nameSearch).observe(document.getElementById("top"),
                                           {childList: true, subtree: true});
});

// What is wider than the window scrolls by itself, and so by keyboard too.
const scrollers = ".memproto, .memname, table tbody, math[display=block], figure, " +
    "pre.fragment, div.fragment";
function reachScrollers() {
  for (const element of document.querySelectorAll(scrollers)) {
    if (element.scrollWidth > element.clientWidth) {
      element.setAttribute("tabindex", "0");
    } else {
      element.removeAttribute("tabindex");
    }
  }
}
window.addEventListener("load", reachScrollers);
window.addEventListener("resize", reachScrollers);

// On paper nothing can be unfolded.
window.addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details:not([open])")) {
    folded.open = true;
    folded.dataset.openedForPrint = "";
  }
});
window.addEventListener("afterprint", () => {
  for (const opened of document.querySelectorAll("details[data-opened-for-print]")) {
    opened.open = false;
    delete opened.dataset.openedForPrint;
  }
});
