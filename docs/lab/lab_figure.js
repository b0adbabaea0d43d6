/**
 * A schedule's figure come alive: the SVG that C++ drew, and over it a cursor that goes
 * from action to action and gap to gap, the critical path, the time that has been played,
 * and below it, on the same axis, the memory of each device.
 *
 * Where everything is, C++ says (`frame` of an answer); here is only arithmetic on that.
 */
"use strict";

window.LabFigure = window.LabFigure || (() => {
  const {h, s, memoryStrips, mountFigure, number} = window.PipelineParts;

  /** Strips of more devices are low. */
  const kManyStrips = 8;

  /** Two digits behind the point are enough for a pixel. */
  function px(value) {
    return String(Math.round(value * 100) / 100);
  }

  /** From times and devices to places in the figure, and back. */
  class Axis {
    constructor(frame, cells) {
      this.frame = frame;
      let length = 0;
      for (const cell of cells) length = Math.max(length, cell[3]);
      this.rows = frame.rows;
      this.length = length;
      this.tiny = 1e-9 * length;
      const last = frame.rows[frame.rows.length - 1];
      this.top = frame.rows[0].y;
      this.bottom = last.y + last.height;
    }

    x(time) { return this.frame.x + time * this.frame.scale; }

    middle(device) { return this.rows[device].y + this.rows[device].height / 2; }

    /** The device and time at a point of the figure; null outside the rows. */
    at(x, y) {
      const device = this.rows.findIndex(row => y >= row.y - 2 &&
                                                y <= row.y + row.height + 2);
      const time = (x - this.frame.x) / this.frame.scale;
      return device < 0 || time < 0 || time >= this.length ? null : {device, time};
    }
  }

  /** What the cursor stops at on each device: its cells and the gaps between them. */
  function makeStops(cells, axis) {
    const rows = axis.rows.map(() => []);
    const ends = axis.rows.map(() => 0);
    const gap = (device, until) => {
      if (until - ends[device] > axis.tiny) {
        rows[device].push({device, start: ends[device], end: until, gap: true});
      }
    };
    for (const [device, entry, start, end, label] of cells) {
      gap(device, start);
      rows[device].push({device, entry, start, end, label, gap: false});
      ends[device] = end;
    }
    for (let device = 0; device < rows.length; ++device) gap(device, axis.length);
    return rows;
  }

  /** The place in `row` of the stop at `time`. */
  function placeAt(row, time) {
    let low = 0;
    let high = row.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (row[middle].end > time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** What the device of a strip holds at `time`. */
  function heldAt({points}, time) {
    let held = 0;
    for (const [at, next] of points) {
      if (at > time) break;
      held = next;
    }
    return held;
  }

  /** `picked(stop)` is called with where the cursor is, `{device, entry, ...}` or a gap,
   *  and with null when the reader has left. */
  class LabFigure {
    constructor({picked}) {
      this.picked = picked;
      this.drawing = h("div", {class: "lab-drawing"});
      this.memory = h("div", {class: "lab-memory"});
      this.memoryTime = h("div", {class: "lab-memory-time", "aria-hidden": "true"});
      this.element = h("div", {class: "pl-figure lab-figure", tabindex: "0",
                               role: "application"},
                       this.drawing, this.memory);
      this.critical = false;
      this.time = null;
      this.listen();
    }

    /** Shows an answer to op=draw. One without a picture empties the figure. */
    show(answer) {
      this.answer = answer;
      this.stop = null;
      this.stops = null;
      this.axis = null;
      this.memory.replaceChildren();
      this.element.hidden = !answer.svg;
      const drawn = mountFigure(this.drawing, answer.svg);
      if (!drawn) return;
      this.axis = new Axis(answer.frame, answer.cells);
      this.element.setAttribute("aria-label", `${answer.title}. Arrow keys go from ` +
                                              "action to action and gap to gap.");
      this.addLayers(drawn);
      this.memory.classList.toggle("lab-many", answer.strips.length > kManyStrips);
      this.memory.append(
          h("p", {class: "lab-memory-title"}, "Activations held"),
          memoryStrips(answer.strips, this.axis.length, answer.frame), this.memoryTime);
      this.showCritical(this.critical);
      this.showTime(this.time);
    }

    /** Shows an answer about the same schedule, drawn in another width: the cursor stays
     *  where it is. */
    refit(answer) {
      const {stop: before} = this;
      this.show(answer);
      if (!before || !this.axis) return;
      this.stop = this.rows()[before.device].find(
          stop => stop.start === before.start && stop.gap === before.gap) || null;
      this.showCursor();
    }

    addLayers(drawn) {
      this.drawn = drawn;
      this.pathLayer = s("g", {class: "lab-critical"});
      this.timeLayer = s("g", {class: "lab-time"});
      this.cursorLayer = s("g", {class: "lab-cursor"});
      drawn.append(s("g", {"aria-hidden": "true", class: "lab-layers"}, this.pathLayer,
                     this.timeLayer, this.cursorLayer));
    }

    /** The stops of each device; made when first asked for. */
    rows() {
      if (!this.stops) this.stops = makeStops(this.answer.cells, this.axis);
      return this.stops;
    }

    // ---- The critical path

    showCritical(wanted) {
      this.critical = wanted;
      if (!this.axis) return;
      this.pathLayer.replaceChildren();
      if (!wanted) return;
      const spans = this.criticalStops();
      spans.forEach((stop, i) => {
        this.outline(this.pathLayer, stop, 1.5);
        if (i > 0) this.connect(spans[i - 1], stop);
      });
    }

    criticalStops() {
      const rows = this.rows();
      return this.answer.critical
          .map(([device, entry]) => rows[device].find(stop => stop.entry === entry))
          .filter(stop => stop !== undefined);
    }

    connect(from, to) {
      if (from.device === to.device) return;
      const {axis} = this;
      this.pathLayer.append(s("line", {x1: px(axis.x(from.end)),
                                       y1: px(axis.middle(from.device)),
                                       x2: px(axis.x(to.start)),
                                       y2: px(axis.middle(to.device))}));
    }

    /** A frame around a stop, `beyond` its edge. */
    outline(layer, stop, beyond) {
      const {axis} = this;
      const row = axis.rows[stop.device];
      const width = (stop.end - stop.start) * axis.frame.scale + 2 * beyond - 1;
      layer.append(s("rect", {x: px(axis.x(stop.start) - beyond + 0.5),
                              y: px(row.y - beyond), width: px(Math.max(width, 1)),
                              height: px(row.height + 2 * beyond), rx: 3}));
    }

    // ---- The time that has been played

    /** Dims what comes after `time`; null: nothing. */
    showTime(time) {
      this.time = time;
      if (!this.axis) return;
      this.timeLayer.replaceChildren();
      this.memoryTime.hidden = time === null;
      if (time === null) return;
      const {axis} = this;
      const x = px(axis.x(Math.min(time, axis.length)));
      this.memoryTime.style.left = `${100 * x / axis.frame.width}%`;
      this.timeLayer.append(
          s("rect", {class: "lab-later", x, y: px(axis.top - 1),
                     width: px(axis.x(axis.length) - x + 1),
                     height: px(axis.bottom - axis.top + 2)}),
          s("line", {x1: x, x2: x, y1: px(axis.top - 4), y2: px(axis.bottom + 4)}));
    }

    get length() { return this.axis ? this.axis.length : 0; }

    /** All moments at which something starts or ends, in order. */
    moments() {
      if (!this.axis) return [];
      const all = new Set([0]);
      for (const [, , start, end] of this.answer.cells) all.add(start).add(end);
      return [...all].sort((a, b) => a - b);
    }

    /** What every device does at `time`, in words. */
    wordsAt(time) {
      return this.rows().map((row, device) => {
        const stop = row.length > 0 ? row[placeAt(row, time)] : null;
        const does = !stop || stop.gap || time >= stop.end ? "idle" : stop.label;
        const held = heldAt(this.answer.strips[device], time + this.axis.tiny);
        return `device ${device}: ${does}, holds ${number(held)}`;
      }).join("; ");
    }

    // ---- The cursor

    listen() {
      const {drawing, element} = this;
      // A finger that moves scrolls: what it taps is a click.
      drawing.addEventListener("pointermove", event => {
        if (event.pointerType !== "touch") this.point(event);
      });
      drawing.addEventListener("click", event => this.point(event));
      drawing.addEventListener("pointerleave", event => {
        // A finger that is lifted leaves too, but goes on reading.
        const reads = event.pointerType !== "mouse" || element === document.activeElement;
        if (!reads) this.moveTo(null);
      });
      element.addEventListener("keydown", event => this.press(event));
      element.addEventListener("focus", () => {
        if (this.axis && !this.stop && element.matches(":focus-visible")) {
          this.moveTo(this.rows()[0][0]);
        }
      });
      element.addEventListener("blur", () => this.moveTo(null));
    }

    point(event) {
      if (!this.axis) return;
      const box = this.drawn.getBoundingClientRect();
      const scale = this.axis.frame.width / box.width;
      const place = this.axis.at((event.clientX - box.left) * scale,
                                 (event.clientY - box.top) * scale);
      if (!place) {
        if (event.type === "click") this.moveTo(null);
        return;
      }
      const row = this.rows()[place.device];
      if (row.length > 0) this.moveTo(row[placeAt(row, place.time)]);
    }

    press(event) {
      if (!this.axis || event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key === "Escape") {
        this.moveTo(null);
        return;
      }
      const rows = this.rows();
      const {device, start, end} = this.stop || {...rows[0][0], device: 0};
      const row = rows[device];
      const place = row.indexOf(this.stop);
      const across = step => {
        const other = rows[device + step];
        return other && other[placeAt(other, (start + end) / 2)];
      };
      const next = {ArrowRight: () => row[place + 1], ArrowLeft: () => row[place - 1],
                    ArrowUp: () => across(-1), ArrowDown: () => across(1),
                    Home: () => row[0], End: () => row[row.length - 1]}[event.key];
      if (!next) return;
      event.preventDefault();
      const stop = next();
      if (stop) this.moveTo(stop);
    }

    moveTo(stop) {
      if (!this.axis || stop === this.stop) return;
      this.stop = stop;
      this.showCursor();
      if (stop) this.reveal(stop);
      this.picked(stop);
    }

    showCursor() {
      this.cursorLayer.replaceChildren();
      if (this.stop) this.outline(this.cursorLayer, this.stop, 2);
    }

    /** Scrolls a figure that is wider than its place to the cursor of the keyboard. */
    reveal(stop) {
      const {element, axis} = this;
      if (element.scrollWidth <= element.clientWidth) return;
      if (element !== document.activeElement) return;
      const x = axis.x(stop.start);
      if (x < element.scrollLeft || x > element.scrollLeft + element.clientWidth - 40) {
        element.scrollLeft = x - element.clientWidth / 2;
      }
    }
  }

  return LabFigure;
})();
