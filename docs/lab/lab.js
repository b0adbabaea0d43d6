/**
 * <pipeline-lab query="schedule=1f1b&p=4&m=8">: the lab. Choose a schedule and its
 * numbers; see the figure, the memory, the bubbles by name, the critical path; ask why
 * an action waits; compare two schedules; step and play; share; save.
 *
 * In a chapter's page it starts from its `query`, with few controls. On lab.html it is
 * all of the lab and follows location.hash. What the element holds before (a static
 * figure) stays until the first live figure is there; then `data-ready` is set.
 * `lastRedraw` is how many milliseconds the last redraw took, layout included.
 *
 * Everything shown is an answer of PipelineLab.answer (core.js): the C++ that the tests
 * check. The parts are LabControls, LabFigure, LabPlayer and LabQuery.
 */
"use strict";

(() => {
  const {h, freshId, copyLink, download, figureWidth, isWholePage, number, sentences,
         watchWidth} = window.PipelineParts;

  const kDefault = "schedule=1f1b&p=4&m=8";
  const kLabPage = "lab.html";
  const kHashDelay = 200;
  const kSpeakDelay = 500;
  /** In CSS pixels: the least and the most that a figure is drawn in. */
  const kWidths = [240, 4000];
  const kSaves = [["svg", "Save SVG"], ["torch", "Save PyTorch CSV"],
                  ["trace", "Save Perfetto trace"]];
  /** Of what there is one for each device, or each fault, so many are listed. */
  const kMostListed = 8;
  const kBubbles = new Set(["idle fraction", "idle overhead", "span bubble",
                            "internal idle"]);
  const kInvitation = "Point at a cell or a gap, or go to the figure with Tab and use " +
      "the arrow keys: here it says why it waits and what it unlocks.";

  /** Sets text only where it changes: a live region speaks when it is touched. */
  function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
  }

  /** The letters of the kinds that are drawn, and "+" where two run together. */
  function kindsOf(answers) {
    const kinds = new Set();
    for (const {cells} of answers) {
      for (const cell of cells) {
        const label = cell[4];
        if (label.includes("+")) kinds.add("+");
        kinds.add(label.replace(/^\d+/, "")[0]);
      }
    }
    return kinds;
  }

  /** A figure's value in words; of internal idle that of each device too. */
  function valueOf({figures, internal_idle: idle}, name) {
    const found = figures.find(figure => figure.name === name);
    if (!found) return "";
    if (name !== "internal idle" || idle.length > kMostListed) return found.text;
    return `${found.text} (by device ${idle.map(number).join(", ")})`;
  }

  /** A row a figure of merit: its name, its value in each schedule, what it means. */
  function figuresTable(answers) {
    const row = ({name, which}) => h("tr", {}, h("th", {scope: "row"}, name),
        answers.map(answer => h("td", {}, valueOf(answer, name))),
        h("td", {class: "lab-meaning"}, which || ""));
    const group = (title, figures) => h("tbody", {},
        h("tr", {}, h("th", {scope: "rowgroup", colspan: 2 + answers.length,
                             class: "lab-group"}, title)),
        figures.map(row));
    const all = answers[0].figures;
    return h("table", {class: "lab-table"},
        h("caption", {class: "pl-heard"}, "What the schedule amounts to"),
        h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "figure"),
            answers.map(({title}) => h("th", {scope: "col"}, title)),
            h("th", {scope: "col"}, "what it is"))),
        group("The four bubbles", all.filter(({name}) => kBubbles.has(name))),
        group("Time and memory", all.filter(({name}) => !kBubbles.has(name))));
  }

  class PipelineLabElement extends HTMLElement {
    connectedCallback() {
      if (this.begun) return;
      this.begun = true;
      this.lastRedraw = 0;
      this.shown = [];  // the answers that are drawn now
      const ready = window.PipelineLab ? window.PipelineLab.ready
                                       : Promise.reject(new Error("no lab here"));
      ready.then(() => this.begin()).catch(error => this.fail(error));
    }

    disconnectedCallback() {
      if (this.player) this.player.pause();
    }

    /** All of the lab, or one of those in a chapter's page. */
    get isPage() { return isWholePage(this, kLabPage); }

    /** What was inside stays; a line says why there is no more than that. */
    fail(error) {
      this.append(h("p", {class: "pl-error", role: "alert"},
                    `The lab could not be started here (${error.message}). `,
                    "The figure stays as it is."));
    }

    // ---- Parts

    begin() {
      const {schedules} = window.PipelineLab.answer("op=list");
      this.schedules = schedules;
      this.build();
      this.query = new window.LabQuery((schedule, key) =>
          this.controls.means(schedule, key));
      this.watch();
      this.openFirst([this.linkHere(), this.getAttribute("query"), kDefault]
                         .filter(one => one));
      this.replaceChildren(...this.parts);
      this.setAttribute("data-ready", "");
    }

    /** What the address asks for; "" where it names a heading, or nothing. */
    linkHere() {
      return this.isPage && location.hash.includes("=") ? location.hash.slice(1) : "";
    }

    /** Draws the first of `links` that is not refused, and says why the first one was. */
    openFirst(links) {
      const drawn = links.find(link => {
        this.query.read(link);
        return this.redraw();
      });
      if (drawn !== links[0]) this.follow(links[0]);
    }

    build() {
      this.controls = this.makeControls("", "schedule");
      this.others = this.makeControls("b.", "second schedule");
      this.others.element.hidden = true;
      this.figures = [0, 1].map(index => new window.LabFigure({
        picked: stop => this.pick(index, stop),
      }));
      this.figures[1].element.hidden = true;
      this.player = new window.LabPlayer({
        moved: time => this.figures.forEach(figure => figure.showTime(time)),
        wordsAt: time => this.wordsAt(time),
        moments: () => this.moments(),
      });
      this.wrong = h("p", {class: "pl-error", role: "alert", hidden: true});
      this.note = h("p", {class: "lab-note", hidden: true});
      this.faults = h("ul", {class: "lab-faults", hidden: true});
      this.said = h("div", {"aria-live": "polite", id: freshId("lab-said")});
      this.invitation = h("p", {id: freshId("lab-invitation")}, kInvitation);
      // By keyboard it is Escape.
      const close = h("button", {type: "button", class: "lab-close", tabindex: "-1",
                                 "aria-label": "Close the explanation",
                                 on: {click: () => this.leaveFigures()}}, "×");
      this.why = h("div", {class: "lab-why"}, this.invitation, this.said, close);
      this.summary = h("summary", {});
      this.table = h("div", {class: "lab-table-holder"});
      this.status = h("p", {class: "pl-heard", role: "status"});
      for (const {element} of this.figures) {
        element.setAttribute("aria-describedby", this.invitation.id);
      }
      this.parts = this.arrange();
    }

    arrange() {
      const figures = h("div", {class: "lab-figures"},
                        this.figures.map(({element}) => element));
      this.figuresHolder = figures;
      return [
        h("div", {class: "lab-choices"}, this.controls.element, this.others.element),
        this.controls.costs, this.wrong, this.toolbar(), this.player.element, this.note,
        figures, this.player.says, this.why, this.faults,
        h("details", {class: "lab-numbers", open: this.isPage}, this.summary, this.table),
        this.shareRow(), this.status,
      ];
    }

    makeControls(prefix, label) {
      return new window.LabControls({
        prefix, label, schedules: this.schedules, compact: !this.isPage,
        changed: (key, value) => { this.query.set(key, value); this.ask(); },
      });
    }

    toolbar() {
      this.critical = h("input", {type: "checkbox", id: freshId("lab-critical")});
      this.critical.addEventListener("change", () => this.showCritical());
      this.comparing = h("input", {type: "checkbox", id: freshId("lab-compare")});
      this.comparing.addEventListener("change", () => this.compare());
      this.zoom = h("select", {id: freshId("lab-zoom")},
                    [1, 2, 4].map(zoom => h("option", {value: zoom}, `× ${zoom}`)));
      this.zoom.addEventListener("change", () => this.resize());
      const labelled = (input, text) =>
          h("span", {class: "lab-choice"}, input, h("label", {for: input.id}, text));
      return h("div", {class: "pl-row lab-toolbar"},
               labelled(this.critical, "critical path"),
               this.isPage && labelled(this.comparing, "compare with a second one"),
               h("span", {class: "lab-choice"},
                 h("label", {for: this.zoom.id}, "width"), this.zoom),
               !this.isPage && (this.open = h("a", {class: "pl-button", href: kLabPage},
                                              "Open in the lab")));
    }

    shareRow() {
      this.shared = h("p", {class: "lab-shared", role: "status"});
      this.savedOne = h("select", {"aria-label": "Which one to save", hidden: true},
                        h("option", {value: "0"}, "the first"),
                        h("option", {value: "1"}, "the second"));
      const saves = kSaves.map(([format, text]) => h("button", {
        type: "button", "data-format": format, on: {click: () => this.save(format)},
      }, text));
      const reset = () => { this.query.read(this.getAttribute("query") || kDefault);
                            this.ask(); };
      return h("div", {},
          h("div", {class: "pl-row", role: "group", "aria-label": "Share and save"},
            h("button", {type: "button", class: "lab-copy", on: {click: () => this.share()}},
              "Copy link"),
            this.isPage && [this.savedOne, saves],
            h("button", {type: "button", on: {click: reset}}, "Begin anew")),
          this.shared);
    }

    // ---- Redrawing

    /** Asks for a redraw in the next frame; many moves of a slider are one. */
    ask() {
      if (this.asked) return;
      this.asked = requestAnimationFrame(() => {
        this.asked = 0;
        if (this.redraw()) this.tellLater();
      });
    }

    /** Draws what the query says, which `drawn` then holds; false, and the figure stays,
     *  where that is refused. */
    redraw() {
      const before = performance.now();
      const reply = this.draw(this.query);
      if (!reply.ok) {
        this.refuse(reply);
        return false;
      }
      this.drawn = this.query.copy();
      this.picked = null;
      this.why.classList.remove("lab-asked");
      this.showFigures(reply, (figure, answer) => figure.show(answer));
      this.showChoices();
      this.showNumbers();
      this.getBoundingClientRect();
      this.figuresHolder.getBoundingClientRect();
      this.lastRedraw = performance.now() - before;
      return true;
    }

    /** Draws the same again, as wide as there is room: what the reader did stays. */
    resize() {
      const reply = this.draw(this.drawn);
      if (reply.ok) this.showFigures(reply, (figure, answer) => figure.refit(answer));
    }

    draw(query) {
      const width = figureWidth(this, ...kWidths) * Number(this.zoom.value);
      return window.PipelineLab.answer(
          query.drawing(Math.min(kWidths[1], width), this.figureId()));
    }

    showFigures(reply, show) {
      this.shown = this.drawn.compares ? [reply.a, reply.b] : [reply];
      this.shown.forEach((answer, i) => show(this.figures[i], answer));
      this.figures[1].element.hidden = this.shown.length < 2 || !this.shown[1].svg;
      const notes = this.shown.map(({note}) => note).filter(note => note);
      this.note.hidden = notes.length === 0;
      setText(this.note, notes.join(" "));
      this.player.reset(Math.max(...this.shown.map((_, i) => this.figures[i].length)));
    }

    figureId() {
      if (!this.drawnId) this.drawnId = freshId("lab");
      return this.drawnId;
    }

    /** Says what is wrong, beside what it is about. What has no field cannot be mended
     *  there: the next change is without it. */
    refuse({field, what, remedy}) {
      this.showSecond();
      const placed = [this.controls, this.others]
                         .map(controls => controls.show(field, what, remedy))
                         .some(shown => shown);
      setText(this.wrong, placed ? "" : sentences(what, remedy));
      this.wrong.hidden = placed;
      if (!placed) this.query.drop(field);
    }

    showChoices() {
      this.showForms(kindsOf(this.shown));
      this.showSecond();
      for (const controls of [this.controls, this.others]) controls.show("", "", "");
      this.wrong.hidden = true;
      setText(this.wrong, "");
      if (this.open) this.open.href = `${kLabPage}#${this.drawn.link()}`;
    }

    /** What the query says, in the form; `kinds` are the letters of what is drawn. */
    showForms(kinds) {
      this.controls.set(this.query.first, kinds);
      if (this.query.compares) this.others.set(this.query.merged(), kinds);
    }

    /** The form of the second schedule, where there is one. */
    showSecond() {
      this.comparing.checked = this.query.compares;
      this.others.element.hidden = !this.query.compares;
      this.savedOne.hidden = !this.query.compares;
    }

    showNumbers() {
      this.table.replaceChildren(figuresTable(this.shown));
      const [first] = this.shown;
      setText(this.summary, `${valueOf(first, "makespan")}, idle fraction ${
          valueOf(first, "idle fraction")}: all that it amounts to`);
      const named = (title, fault) => this.drawn.compares ? `${title}: ${fault}` : fault;
      this.showFaults(this.shown.flatMap(({title, faults}) =>
          faults.map(fault => named(title, fault))));
      this.explain([]);
    }

    showFaults(faults) {
      const more = faults.length - kMostListed;
      this.faults.hidden = faults.length === 0;
      this.faults.replaceChildren(
          ...faults.slice(0, kMostListed).map(fault => h("li", {}, fault)),
          ...(more > 0 ? [h("li", {}, `and ${more} more`)] : []));
    }

    /** What need not keep up with a slider, after a change that the reader made: the
     *  address, and the word to the reader. */
    tellLater() {
      clearTimeout(this.hashTimer);
      clearTimeout(this.speechTimer);
      if (this.isPage && this.isConnected) {
        this.hashTimer = setTimeout(() => this.writeHash(), kHashDelay);
      }
      this.speechTimer = setTimeout(() => setText(this.status, this.shown.map(
          answer => `${answer.title}: ${valueOf(answer, "makespan")}, idle fraction ${
              valueOf(answer, "idle fraction")}`).join("; ")), kSpeakDelay);
    }

    writeHash() {
      const hash = `#${this.drawn.link()}`;
      if (hash === location.hash) return;
      try { history.replaceState(null, "", hash); } catch { /* not allowed here */ }
    }

    watch() {
      watchWidth(this, () => this.resize(), ...kWidths);
      window.addEventListener("hashchange", () => {
        const link = this.linkHere();
        if (link) this.follow(link);
      });
      const [first, second] = this.figures.map(({element}) => element);
      const together = (one, other) => one.addEventListener("scroll", () => {
        if (other.scrollLeft !== one.scrollLeft) other.scrollLeft = one.scrollLeft;
      });
      together(first, second);
      together(second, first);
    }

    /** Shows what a link says. Where that is refused, it stands in the form all the same,
     *  to be mended there, with the reason beside what is wrong; the figure stays. */
    follow(link) {
      clearTimeout(this.hashTimer);
      this.query.read(link);
      if (this.redraw()) this.tellLater();
      else this.showForms(kindsOf(this.shown));
    }

    // ---- What the reader asks of it

    showCritical() {
      this.figures.forEach(figure => figure.showCritical(this.critical.checked));
    }

    compare() {
      const other = this.query.first.schedule === "gpipe" ? "1f1b" : "gpipe";
      this.query.compareWith(this.comparing.checked ? other : null);
      this.ask();
    }

    leaveFigures() {
      this.figures.forEach(figure => figure.moveTo(null));
    }

    /** The figure `index` has its cursor at `stop`. */
    pick(index, stop) {
      this.picked = stop ? {index, stop} : null;
      this.why.classList.toggle("lab-asked", stop !== null);
      if (this.explaining) return;
      this.explaining = requestAnimationFrame(() => {
        this.explaining = 0;
        if (this.picked) this.explainStop(this.picked.index, this.picked.stop);
      });
    }

    explainStop(index, stop) {
      const place = stop.gap ? {time: (stop.start + stop.end) / 2} : {entry: stop.entry};
      const reply = window.PipelineLab.answer(this.drawn.about(index === 1, {
        op: "why", device: stop.device, ...place,
      }));
      const span = reply.span || reply.gap || [stop.start, stop.end];
      const when = `on device ${stop.device}, ${span.map(number).join(" to ")}`;
      if (!reply.ok) {
        this.explain([sentences(reply.what, reply.remedy)]);
      } else if (stop.gap) {
        this.explain([`Idle ${when}`, reply.why]);
      } else {
        this.explain([`${reply.action} ${when}${
                          reply.critical ? ", on the critical path" : ""}`,
                      reply.waits,
                      reply.unlocks.length > 0 && `It unlocks: ${reply.unlocks.join(" ")}`]);
      }
    }

    /** Paragraphs for the live region; those that are empty are left out, and where
     *  there are none the invitation stands in their place. */
    explain(paragraphs) {
      const wanted = paragraphs.filter(text => text);
      const now = [...this.said.children].map(child => child.textContent);
      this.invitation.hidden = wanted.length > 0;
      if (wanted.join("\n") === now.join("\n")) return;
      this.said.replaceChildren(...wanted.map((text, i) =>
          h("p", {class: i === 0 && wanted.length > 1 ? "lab-what" : null}, text)));
    }

    wordsAt(time) {
      const said = this.shown.map((answer, i) => this.figures[i].axis
                                      ? this.figures[i].wordsAt(time) : "");
      return this.shown.length === 1 ? said[0]
          : said.map((text, i) => `${this.shown[i].title}: ${text}`).join(". ");
    }

    moments() {
      const all = this.shown.flatMap((_, i) => this.figures[i].moments());
      return [...new Set(all)].sort((a, b) => a - b);
    }

    share() {
      const page = this.isPage ? "" : kLabPage;
      copyLink(page, this.drawn.link(), this.shared);
    }

    save(format) {
      const second = this.drawn.compares && this.savedOne.value === "1";
      const reply = window.PipelineLab.answer(this.drawn.about(second, {op: "export", format}));
      if (!reply.ok) {
        setText(this.shared, sentences(reply.what, reply.remedy));
        return;
      }
      download(reply.file, reply.type, reply.text);
      setText(this.shared, `Saved ${reply.file}.`);
    }
  }

  customElements.define("pipeline-lab", PipelineLabElement);
})();
