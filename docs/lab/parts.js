/**
 * What the lab and "build it yourself" have in common: elements, figures, memory
 * strips, downloads, links to share, and a memory of the browser's that may be absent.
 *
 * A plain deferred script that defines one object, PipelineParts. Text enters the page
 * as text nodes only; the one thing taken as markup is a figure that our own C++ drew.
 */
"use strict";

window.PipelineParts = window.PipelineParts || (() => {
  const kSvg = "http://www.w3.org/2000/svg";

  function setAttribute(element, name, value) {
    if (value === null || value === undefined || value === false) return;
    if (name === "on") {
      for (const [event, handler] of Object.entries(value)) {
        element.addEventListener(event, handler);
      }
    } else {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }

  function build(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      setAttribute(element, name, value);
    }
    element.append(...children.flat(Infinity).filter(
        child => child !== null && child !== undefined && child !== false));
    return element;
  }

  /** h("button", {type: "button", on: {click: undo}}, "Undo"): an element. Attributes
   *  that are null or false are left out; children may be nested lists or absent. */
  function h(tag, attributes, ...children) {
    return build(document.createElement(tag), attributes, children);
  }

  /** The same in SVG. */
  function s(tag, attributes, ...children) {
    return build(document.createElementNS(kSvg, tag), attributes, children);
  }

  let ids = 0;
  /** An id that no other element of the page has. */
  function freshId(stem) {
    ids += 1;
    return `${stem}-${ids}`;
  }

  /** The figure that C++ drew, in place of what `holder` held; null where there is
   *  none. One that stands alone starts with an XML declaration: it is left out. */
  function mountFigure(holder, svg) {
    holder.innerHTML = String(svg || "").replace(/^\s*<\?xml[^>]*\?>\s*/, "");
    return holder.querySelector("svg");
  }

  /** Offers `text` as a file. */
  function download(file, type, text) {
    const address = URL.createObjectURL(new Blob([text], {type}));
    const link = h("a", {href: address, download: file, hidden: true});
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  function copyBySelection(text) {
    const box = h("textarea", {class: "pl-offscreen", "aria-hidden": "true",
                               tabindex: "-1"});
    const before = document.activeElement;
    box.value = text;
    document.body.append(box);
    box.select();
    let copied = false;
    try { copied = document.execCommand("copy"); } catch { copied = false; }
    box.remove();
    if (before && before.focus) before.focus();
    return copied;
  }

  /** Puts `text` into the clipboard; resolves to whether that was possible. A page from
   *  disk has no clipboard of its own: there the old way is tried. */
  async function copyText(text) {
    if (navigator.clipboard && window.isSecureContext) {
      try {
        await navigator.clipboard.writeText(text);
        return true;
      } catch { /* not allowed here */ }
    }
    return copyBySelection(text);
  }

  /** The address of `page` ("" for this one) with `query` behind the '#'. */
  function linkTo(page, query) {
    const address = new URL(page || window.location.href, window.location.href);
    address.hash = query;
    return address.href;
  }

  /** Copies a link to `page` at `query`, says so in `status`, and shows the link there
   *  to be copied by hand where the browser would not. */
  async function copyLink(page, query, status) {
    const link = linkTo(page, query);
    const copied = await copyText(link);
    const field = h("input", {type: "text", readonly: true, value: link,
                              "aria-label": "Link to share", class: "pl-link"});
    field.addEventListener("focus", () => field.select());
    status.replaceChildren(copied ? "Link copied." : "Copy this link:", " ", field);
    return link;
  }

  /** The pairs of a query, as written behind '#' in a link. */
  function pairsOf(query) {
    return new URLSearchParams(String(query || "").replace(/^#/, ""));
  }

  /** A query from pairs, in their order; values that are "" or absent are left out.
   *  Commas and dots stay readable. */
  function queryOf(pairs) {
    return Object.entries(pairs)
        .filter(([, value]) => value !== "" && value !== null && value !== undefined)
        .map(([key, value]) => `${key}=${
            encodeURIComponent(value).replace(/%2C/gi, ",").replace(/%3A/gi, ":")}`)
        .join("&");
  }

  /** What the browser remembers under `key`; null where it does not, or must not. */
  function recall(key) {
    try { return window.localStorage.getItem(key); } catch { return null; }
  }

  /** Whether it will be remembered. */
  function remember(key, value) {
    try {
      window.localStorage.setItem(key, value);
      return true;
    } catch { return false; }
  }

  /** How wide, in CSS pixels, a figure in `holder` should be drawn: what C++ takes. */
  function figureWidth(holder, least = 240, most = 1200) {
    const room = Math.floor(holder.clientWidth || 760);
    return Math.max(least, Math.min(most, room));
  }

  /** Calls `changed(width)` when figureWidth(holder, least, most) is another than now,
   *  once a frame: from here on, so ask before the first figure makes a scroll bar
   *  appear. A little wider is as before. */
  function watchWidth(holder, changed, least, most) {
    if (!window.ResizeObserver) return;
    let last = figureWidth(holder, least, most);
    let waiting = false;
    new ResizeObserver(() => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        const width = figureWidth(holder, least, most);
        if (width >= last && width < last + 8) return;
        last = width;
        changed(width);
      });
    }).observe(holder);
  }

  /** For people: three digits behind the point are enough. */
  function number(value) {
    return String(Math.round(value * 1000) / 1000);
  }

  /** What is wrong, and what to do, as sentences. */
  function sentences(...parts) {
    return parts.filter(Boolean).map(text => text.replace(/\.?$/, ".")).join(" ");
  }

  /** Whether `element` is all of the page `name` (lab.html, which some servers call
   *  lab), not one of those in a chapter's. */
  function isWholePage(element, name) {
    const [stem] = name.split(".");
    const path = window.location.pathname.replace(/\/$/, "");
    return (path.endsWith(`/${name}`) || path.endsWith(`/${stem}`)) &&
        document.querySelector(element.localName) === element;
  }

  /** How many units wide a strip is, whatever the time: three digits are enough then. */
  const kStripWidth = 1000;

  /** The area under the steps `points` ([[time, held], ...]) until `end`. */
  function stepPath(points, end, top) {
    if (points.length === 0) return "";
    let path = `M0 ${number(top)}`;
    for (const [time, held] of points) {
      path += `H${number(time / end * kStripWidth)}V${number(top - held)}`;
    }
    return `${path}H${kStripWidth}V${number(top)}Z`;
  }

  function stripWords(strip) {
    const most = `Device ${strip.device} holds at most ${number(strip.peak)}`;
    if (strip.limit === null || strip.limit === undefined) return `${most}.`;
    return `${most} of ${number(strip.limit)} allowed${
        strip.peak > strip.limit ? ": over the limit." : "."}`;
  }

  function stripPlot(strip, end, top) {
    const limited = strip.limit !== null && strip.limit !== undefined;
    const level = limited ? top - strip.limit : 0;
    return s("svg", {class: "pl-strip", viewBox: `0 0 ${kStripWidth} ${number(top)}`,
                     preserveAspectRatio: "none", role: "img",
                     "aria-label": stripWords(strip)},
        s("path", {class: "pl-held", d: stepPath(strip.points, end, top)}),
        limited && s("line", {class: "pl-limit", x1: 0, x2: kStripWidth,
                              y1: number(level), y2: number(level)}));
  }

  function stripItem(strip, end, top, place) {
    const limited = strip.limit !== null && strip.limit !== undefined;
    const over = limited && strip.peak > strip.limit;
    const peak = limited ? `${number(strip.peak)} of ${number(strip.limit)}`
                         : `peak ${number(strip.peak)}`;
    return h("li", {class: over ? "pl-over" : null, style: place},
        h("span", {class: "pl-strip-name", "aria-hidden": "true"},
            `device ${strip.device}`),
        stripPlot(strip, end, top),
        h("span", {class: "pl-strip-peak", "aria-hidden": "true"},
            peak, over && " – too much"));
  }

  /** Memory over time, a line a device: `strips` as in an answer to op=draw, all on one
   *  axis until `end`, each with its peak in words, and its limit where it has one. With
   *  `frame`, that of a figure, they stand below the figure's axis, and where something
   *  makes both narrower, as paper does, they stay there. */
  function memoryStrips(strips, end, frame) {
    const top = 1.15 * Math.max(1, ...strips.map(strip => strip.peak),
                                ...strips.map(strip => strip.limit || 0));
    const until = end > 0 ? end : 1;
    const share = length => `${number(100 * length / frame.width)}%`;
    const place = frame &&
        `grid-template-columns: ${share(frame.x)} ${share(until * frame.scale)}`;
    return h("ul", {class: frame ? "pl-strips pl-aligned" : "pl-strips",
                    style: frame && `width: ${number(frame.width)}px`,
                    "aria-label": "Activations held over time"},
        strips.map(strip => stripItem(strip, until, top, place)));
  }

  /** Buttons of one row: one stop for Tab, arrow keys, Home and End between them. The
   *  buttons may be replaced; call `settle` on what is returned afterwards. */
  function arrowKeys(row) {
    const buttons = () => [...row.querySelectorAll("button:not([disabled])")];
    const settle = chosen => {
      const all = buttons();
      const stop = all.includes(chosen) ? chosen : all[0];
      for (const button of all) button.tabIndex = button === stop ? 0 : -1;
    };
    const steps = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1};
    row.addEventListener("keydown", event => {
      const all = buttons();
      const at = all.indexOf(document.activeElement);
      if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
      let next = at;
      if (event.key in steps) next = (at + steps[event.key] + all.length) % all.length;
      else if (event.key === "Home") next = 0;
      else if (event.key === "End") next = all.length - 1;
      else return;
      event.preventDefault();
      settle(all[next]);
      all[next].focus();
    });
    settle(null);
    return settle;
  }

  return {h, s, freshId, mountFigure, download, copyText, copyLink, linkTo, pairsOf,
          queryOf, recall, remember, number, sentences, isWholePage, figureWidth, watchWidth,
          memoryStrips, arrowKeys};
})();
