/**
 * Build it yourself: a schedule is put together action by action.
 *
 *     <pipeline-builder level="3">what there is without JavaScript</pipeline-builder>
 *
 * The rules, the figure, the coach, the score and what a schedule is recognised as come
 * from C++ (op=levels and op=board of PipelineLab): this file shows an answer, and turns
 * what is pressed into the next question. A board is its moves; to undo is to drop the
 * last one. On build.html the element has a list of all levels and a free board; there
 * it reads what to show from behind the '#' of the address, and keeps the address up to
 * date, so that a reload goes on where one was.
 *
 * A plain deferred script; needs core.js and parts.js before it. Sets `data-ready` once
 * its first figure is there; until then what is inside the element stays.
 */
"use strict";

(() => {
  const P = window.PipelineParts;
  const {h} = P;
  const {progress, Chooser} = window.BuilderLevels;
  const {scoreEntries, verdict, Handing} = window.BuilderOutcome;
  const kPage = "build.html";

  /** Dashed cells in the figure: on each device the ready action that starts first. */
  function ghosts(frame, ready) {
    const first = new Map();
    for (const move of ready) {
      const other = first.get(move[0]);
      if (!other || move[2] < other[2]) first.set(move[0], move);
    }
    return [...first.values()].map(([device, action, start, end]) => {
      const {y, height} = frame.rows[device];
      const x = frame.x + start * frame.scale;
      const width = (end - start) * frame.scale;
      return P.s("g", {class: "pb-ghost", "data-move": `${device}${action}`,
                       "aria-hidden": "true"},
          P.s("rect", {x: x + 1, y: y + 1, width: width - 2, height: height - 2}),
          width > 8 * action.length &&
              P.s("text", {x: x + width / 2, y: y + height / 2}, action));
    });
  }

  /** When the axis of a figure ends, on its clock: the drawn line says. */
  function axisEnd(figure, frame) {
    const right = Number(figure.querySelector("line.axis").getAttribute("x2"));
    return (right - frame.x) / frame.scale;
  }

  class PipelineBuilder extends HTMLElement {
    connectedCallback() {
      if (this.begun) return;
      this.begun = true;
      const ready = window.PipelineLab ? window.PipelineLab.ready
                                       : Promise.reject(new Error("no lab here"));
      ready.then(() => this.begin()).catch(error => this.fail(error));
    }

    /** All levels, or one of those in a chapter's page. */
    get isPage() { return P.isWholePage(this, kPage); }

    /** What was inside stays; a line says why there is no more than that. */
    fail(error) {
      if (this.inside) this.replaceChildren(...this.inside);
      this.append(h("p", {class: "pl-error", role: "alert"},
                    `The board could not be started here (${error.message}). `,
                    "Everything else on this page works without it."));
    }

    begin() {
      this.inside = [...this.childNodes];
      const width = () => P.figureWidth(this.figure);
      this.game = new window.BuilderGame(width, level => progress.moves(level));
      this.whole = this.isPage;
      this.build();
      P.watchWidth(this.figure, () => this.resize());
      if (this.whole) this.startFromAddress();
      else this.open({level: this.getAttribute("level")}, null);
      this.setAttribute("data-ready", "");
    }

    startFromAddress() {
      if (!this.readAddress()) {
        this.open({level: String(this.chooser.next().level)}, null);
      }
      window.addEventListener("hashchange", () => this.readAddress());
    }

    /** False where the address names no board: a heading, or nothing. */
    readAddress() {
      const {hash} = window.location;
      if (!hash.includes("=")) return false;
      if (hash === this.written) return true;
      const {moves = null, op, width, id, ...board} =
          Object.fromEntries(P.pairsOf(hash));
      this.open(board, moves);
      return true;
    }

    /** A board that the reader chose: there the focus goes, so that it is read. */
    choose(board, moves) {
      this.open(board, moves);
      if (this.whole) this.chooser.fold();
      this.heading.focus();
    }

    /** Shows a board, or the next best to it, with what was wrong. */
    open(board, moves) {
      const {answer, wrong} = this.game.open(board, moves);
      this.coachAsked = false;
      this.hintsAsked = 0;
      this.say("");
      this.take(answer);
      if (wrong) this.refuse(wrong);
    }

    // ---- moves ----

    place(device, action) {
      const {answer, wrong, start} = this.game.place(device, action);
      if (wrong) {
        this.refuse(wrong);
        return;
      }
      this.say(`${action} on device ${device}, from ${start}. ${answer.left} left.`);
      this.moved(answer);
    }

    undo() {
      const move = this.game.undo();
      if (move) this.say(`Taken back: ${move}.`);
      this.moved(this.game.again());
    }

    redo() {
      const move = this.game.redo();
      if (move) this.say(`Placed again: ${move}.`);
      this.moved(this.game.again());
    }

    startOver() {
      this.game.startOver();
      this.say("The board is empty. Redo brings your moves back.");
      this.moved(this.game.again());
    }

    /** After what the reader did, and not where a link was opened: the browser keeps it. */
    moved(answer) {
      const {level, moves} = this.game;
      if (answer.ok && level) {
        progress.note(level.level, moves.join("."), answer.score.stars);
      }
      this.take(answer);
    }

    // ---- the skeleton, made once ----

    build() {
      this.heading = h(this.whole ? "h2" : "h3", {class: "pb-title", tabindex: "-1",
                                                  id: P.freshId("pb-title")});
      this.task = h("p", {class: "pb-task"});
      this.figure = h("div", {class: "pl-figure pb-figure",
                              on: {click: event => this.pressed(event)}});
      this.alert = h("p", {class: "pl-error pb-alert", role: "alert", hidden: true});
      this.status = h("p", {class: "pb-status", role: "status"});
      this.readyMoves = h("div", {class: "pb-ready"});
      this.tools = this.buildTools();
      this.handing = new Handing(this.game, this.whole, kPage);
      this.score = h("dl", {class: "pb-score"});
      this.strips = h("div", {class: "pb-strips"});
      this.end = h("div", {class: "pb-end"});
      this.hints = h("ol", {class: "pb-hints", "aria-live": "polite"});
      const board = h("section", {class: "pb-board", "aria-labelledby": this.heading.id},
          this.heading, this.task, this.figure, this.strips, this.score,
          this.buildCoach(), this.hints, h("div", {class: "pb-said"}, this.alert, this.status),
          this.end, this.readyMoves, this.buildTry(), this.tools,
          this.handing.element);
      this.replaceChildren(...(this.whole ? [this.buildChooser()] : []), board);
    }

    buildChooser() {
      this.chooser = new Chooser(this.game.levels, board => this.choose(board, null),
                                 board => this.openFree(board));
      return this.chooser.element;
    }

    /** Null, or the answer that refuses such a board. */
    openFree(board) {
      const answer = this.game.look(board);
      if (answer.ok) this.choose(board, "");
      else this.refuse(this.game.wrongIn(answer));
      return answer.ok ? null : answer;
    }

    /** Any action that is left, ready or not: what is refused teaches the rules. */
    buildTry() {
      const id = P.freshId("pb-try");
      this.others = h("select", {id});
      this.trying = h("form", {class: "pl-row pb-try",
                               on: {submit: event => this.tryOther(event)}},
          h("label", {for: id}, "Or try any other action:"), this.others,
          h("button", {type: "submit"}, "Try it"));
      return this.trying;
    }

    tryOther(event) {
      event.preventDefault();
      if (!this.others.value) return;
      const [device, action] = this.others.value.split(" ");
      this.place(Number(device), action);
    }

    button(text, pressed, attributes) {
      return h("button", {type: "button", on: {click: pressed}, ...attributes}, text);
    }

    buildTools() {
      this.undoButton = this.button("Undo", () => this.undo());
      this.redoButton = this.button("Redo", () => this.redo());
      this.overButton = this.button("Start over", () => this.startOver());
      this.coachButton = this.button("What now?", () => this.toggleCoach(),
                                     {"aria-expanded": "false"});
      this.hintButton = this.button("A hint", () => this.nextHint());
      return h("div", {class: "pl-row pb-tools", role: "group", "aria-label": "Moves"},
          this.undoButton, this.redoButton, this.overButton, this.coachButton,
          this.hintButton);
    }

    buildCoach() {
      this.coach = h("p", {class: "pb-coach", role: "status",
                           id: P.freshId("pb-coach"), hidden: true});
      this.coachButton.setAttribute("aria-controls", this.coach.id);
      return this.coach;
    }

    toggleCoach() {
      this.coachAsked = !this.coachAsked;
      this.showCoach();
    }

    /** A level's hints come one by one, and stay. */
    nextHint() {
      this.hintsAsked += 1;
      this.showHints();
    }

    // ---- what an answer shows ----

    take(answer) {
      if (!answer.ok) {
        this.refuse(this.game.wrongIn(answer));
        return;
      }
      this.board = answer;
      this.level = this.game.level;
      this.showTask();
      this.showFigure();
      this.showEnd();
      this.showReady();
      this.showOthers();
      this.showTools();
      this.showCoach();
      this.showHints();
      this.score.replaceChildren(...scoreEntries(answer, this.level));
      this.handing.show(answer);
      if (this.whole) this.chooser.show(this.game.board);
      this.writeAddress();
    }

    writeAddress() {
      if (!this.whole) return;
      this.written = `#${this.game.link()}`;
      try {
        window.history.replaceState(null, "", this.written);
      } catch { /* some browsers refuse that on a page from disk */ }
    }

    showTask() {
      const level = this.level;
      this.heading.textContent = level ? `Level ${level.level} · ${level.title}`
                                     : "Free board";
      this.task.textContent = level ? level.task :
          "Place every action. Each one starts as soon as what it needs is there.";
    }

    showFigure() {
      const {svg, note, strips, frame, ready, score} = this.board;
      const figure = P.mountFigure(this.figure, svg);
      if (!figure) {
        this.figure.append(h("p", {}, note));
        this.strips.replaceChildren(P.memoryStrips(strips, score.value));
        return;
      }
      figure.append(...ghosts(frame, ready));
      this.strips.replaceChildren(P.memoryStrips(strips, axisEnd(figure, frame), frame));
    }

    /** Draws the same again, as wide as there is room; all else stays. */
    resize() {
      const answer = this.game.again();
      if (!answer.ok) return;
      this.board = answer;
      this.showFigure();
    }

    /** A press on a ready cell of the figure: the same as its button. */
    pressed(event) {
      const cell = event.target.closest("[data-move]");
      const move = cell && cell.getAttribute("data-move");
      const button = move && this.readyMoves.querySelector(
          `button[data-move="${CSS.escape(move)}"]`);
      if (button) button.click();
    }

    devices() {
      const rows = new Map();
      for (let device = 0; device < this.board.score.peak.length; ++device) {
        rows.set(device, []);
      }
      for (const entry of this.board.ready) {
        if (!rows.has(entry[0])) rows.set(entry[0], []);
        rows.get(entry[0]).push(entry);
      }
      return rows;
    }

    showReady() {
      const focused = this.readyMoves.contains(document.activeElement)
          ? document.activeElement.dataset.device : null;
      const done = this.board.left === 0;
      this.readyMoves.hidden = done;
      this.readyMoves.replaceChildren(
          h("p", {class: "pb-ready-title"}, "Ready now, and when it would start:"),
          ...[...this.devices()].map(row => this.readyRow(...row)));
      if (focused !== null) this.focusRow(focused);
    }

    readyRow(device, entries) {
      const row = h("div", {class: "pb-device", role: "group",
                            "aria-label": `Device ${device}`},
          h("span", {class: "pb-device-name", "aria-hidden": "true"},
              `device ${device}`),
          entries.length === 0 && h("span", {class: "pb-waits"}, "nothing ready"),
          entries.map(entry => this.readyButton(...entry)));
      P.arrowKeys(row);
      return row;
    }

    readyButton(device, action, start) {
      return h("button", {
        type: "button", class: `pb-action ${this.kindClass(action)}`,
        "data-move": `${device}${action}`, "data-device": device,
        "aria-label": `Place ${action} on device ${device}, starting at ${start}`,
        on: {click: () => this.place(device, action)},
      }, h("b", {}, action), h("span", {class: "pb-start"}, ` at ${start}`));
    }

    kindClass(action) {
      const letter = /[A-Z]/.exec(action);
      return `pb-kind-${letter ? letter[0].toLowerCase() : "x"}`;
    }

    /** The row that was pressed keeps the focus, or the first that has a button. */
    focusRow(device) {
      const next = this.readyMoves.querySelector(
          `button[data-device="${device}"]`) || this.readyMoves.querySelector("button") ||
          this.end.querySelector("button") || this.undoButton;
      next.focus();
    }

    showOthers() {
      const others = this.board.others || [];
      const kept = this.others.value;
      this.trying.hidden = others.length === 0;
      const groups = new Map();
      for (const [device, action] of others) {
        if (!groups.has(device)) groups.set(device, []);
        groups.get(device).push(h("option", {value: `${device} ${action}`},
            `${action} on device ${device}`));
      }
      this.others.replaceChildren(...[...groups].map(([device, options]) =>
          h("optgroup", {label: `device ${device}`}, options)));
      if (others.some(entry => entry.join(" ") === kept)) this.others.value = kept;
    }

    showTools() {
      this.disable(this.undoButton, this.game.moves.length === 0);
      this.disable(this.overButton, this.game.moves.length === 0);
      this.disable(this.redoButton, this.game.undone.length === 0);
      this.disable(this.coachButton, this.board.left === 0);
    }

    /** A button that had the focus hands it to its neighbour before it is disabled. */
    disable(button, disabled) {
      const focused = disabled && document.activeElement === button;
      button.disabled = disabled;
      if (focused) this.focusRow("0");
    }

    showCoach() {
      const shown = this.coachAsked && this.board.left > 0;
      this.coachButton.setAttribute("aria-expanded", String(shown));
      this.coach.hidden = !shown;
      this.coach.textContent = shown ? this.board.coach : "";
      const advised = shown && this.board.next && this.board.next.slice(0, 2).join("");
      for (const button of this.readyMoves.querySelectorAll(".pb-action")) {
        button.classList.toggle("pb-advised", button.dataset.move === advised);
      }
    }

    showHints() {
      const hints = (this.level && this.level.hints) || [];
      this.hintButton.hidden = hints.length === 0;
      this.disable(this.hintButton, this.hintsAsked >= hints.length);
      while (this.hints.childElementCount > this.hintsAsked) {
        this.hints.lastElementChild.remove();
      }
      for (const hint of hints.slice(this.hints.childElementCount, this.hintsAsked)) {
        this.hints.append(h("li", {}, hint));
      }
    }

    /** When nothing is left: what it is, how good, and where to go on. */
    showEnd() {
      const {board, level} = this;
      if (board.left !== 0) {
        this.end.replaceChildren();
        return;
      }
      const next = level && this.whole && this.game.levelNamed(level.level + 1);
      this.end.replaceChildren(...verdict(board, level));
      if (next) {
        this.end.append(this.button(`Next: ${next.title}`,
            () => this.choose({level: String(next.level)}, null), {class: "pl-primary"}));
      }
    }

    // ---- what is said ----

    say(text) {
      this.alert.hidden = true;
      this.alert.textContent = "";
      this.status.textContent = text;
    }

    refuse(text) {
      this.status.textContent = "";
      this.alert.hidden = false;
      this.alert.textContent = "";
      this.alert.append(text);
    }
  }

  if (!customElements.get("pipeline-builder")) {
    customElements.define("pipeline-builder", PipelineBuilder);
  }
})();
