/**
 * Step and play: a cursor that walks through the time of a schedule.
 *
 * The player knows how long the schedule is and at which moments something happens. It
 * moves by itself only after Play was pressed; for readers who asked their system for
 * less motion it then goes from moment to moment instead of gliding.
 */
"use strict";

window.LabPlayer = window.LabPlayer || (() => {
  const {h, freshId, number} = window.PipelineParts;
  const kSpeeds = [1, 2, 4, 8, 16, 32];

  function lessMotion() {
    return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  }

  class LabPlayer {
    /** `element` holds the buttons, `says` what happens at the time that is shown.
     *  `moved(time)`: the cursor is there now, null for nowhere; `wordsAt(time)`: what
     *  happens then; `moments()`: when something happens, in order. */
    constructor({moved, wordsAt, moments}) {
      this.moved = moved;
      this.wordsAt = wordsAt;
      this.moments = moments;
      this.time = null;
      this.length = 0;
      this.running = false;
      this.build();
    }

    build() {
      const button = (text, name, click) =>
          h("button", {type: "button", "aria-label": name, title: name, on: {click}}, text);
      this.play = button("▶ Play", "Play", () => this.running ? this.pause() : this.start());
      this.slider = h("input", {type: "range", min: 0, max: 1, step: "any", value: 0,
                                "aria-label": "Time", class: "lab-scrub"});
      const scrub = () => { this.pause(); this.moveTo(Number(this.slider.value)); };
      this.slider.addEventListener("input", scrub);
      this.slider.addEventListener("change", scrub);
      const id = freshId("lab-speed");
      this.speed = h("select", {id}, kSpeeds.map(
          speed => h("option", {value: speed, selected: speed === 4}, `${speed}`)));
      this.says = h("p", {class: "lab-now", "aria-live": "polite"});
      this.element = h("div", {class: "pl-row lab-player", role: "group",
                               "aria-label": "Step and play"},
          this.play,
          button("◂ Step", "Step back", () => this.step(-1)),
          button("Step ▸", "Step on", () => this.step(1)),
          this.slider,
          h("label", {for: id}, "ticks a second"), this.speed,
          button("Show all", "Show all of the schedule", () => this.clear()));
    }

    /** A new schedule is shown. The cursor stays where it is, if that is within it. */
    reset(length) {
      this.length = length;
      this.element.hidden = length === 0;
      this.known = null;
      this.slider.max = length;
      if (this.time !== null) this.moveTo(Math.min(this.time, length));
    }

    knownMoments() {
      if (!this.known) this.known = this.moments();
      return this.known;
    }

    moveTo(time) {
      this.time = time;
      this.slider.value = time === null ? 0 : time;
      this.slider.setAttribute("aria-valuetext", time === null ? "not begun" :
          `${number(time)} of ${number(this.length)}`);
      this.moved(time);
      const text = time === null ? "" : `At ${number(time)}: ${this.wordsAt(time)}`;
      if (this.says.textContent !== text) this.says.textContent = text;
    }

    clear() {
      this.pause();
      this.moveTo(null);
    }

    step(direction) {
      this.pause();
      const tiny = 1e-9 * this.length;
      const all = this.knownMoments();
      if (this.time === null) {
        this.moveTo(direction > 0 ? 0 : this.length);
      } else if (direction > 0) {
        this.moveTo(all.find(moment => moment > this.time + tiny) ?? this.length);
      } else {
        this.moveTo(all.filter(moment => moment < this.time - tiny).pop() ?? 0);
      }
    }

    start() {
      if (this.length <= 0) return;
      this.running = true;
      this.says.setAttribute("aria-live", "off");
      this.name("❚❚ Pause", "Pause");
      this.exact = this.time === null || this.time >= this.length ? 0 : this.time;
      this.moveTo(this.exact);
      this.before = performance.now();
      this.askForFrame();
    }

    askForFrame() {
      this.frame = requestAnimationFrame(now => this.advance(now));
    }

    advance(now) {
      this.exact += Math.max(0, now - this.before) / 1000 * Number(this.speed.value);
      this.before = now;
      if (this.exact >= this.length) {
        this.pause();
        this.moveTo(this.length);
        return;
      }
      const moment = lessMotion() ? this.lastMoment(this.exact) : this.exact;
      if (moment !== this.time) this.moveTo(moment);
      this.askForFrame();
    }

    lastMoment(time) {
      return this.knownMoments().filter(moment => moment <= time).pop() ?? 0;
    }

    pause() {
      if (!this.running) return;
      this.running = false;
      cancelAnimationFrame(this.frame);
      this.says.setAttribute("aria-live", "polite");
      this.name("▶ Play", "Play");
    }

    name(text, name) {
      this.play.textContent = text;
      this.play.setAttribute("aria-label", name);
      this.play.title = name;
    }
  }

  return LabPlayer;
})();
