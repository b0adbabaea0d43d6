/**
 * The levels of "build it yourself": what was reached on each, and the list to choose
 * from, with the form for a free board below it.
 *
 * A plain deferred script after parts.js; defines BuilderLevels for builder.js.
 */
"use strict";

window.BuilderLevels = window.BuilderLevels || (() => {
  const {h, freshId, recall, remember} = window.PipelineParts;
  const kStore = "pipeline-workbook.levels";
  const kMostStars = 3;
  /** So many stars, and a level counts as solved. */
  const kSolved = 2;
  /** The list of levels is folded in windows that are no wider, in CSS pixels. */
  const kNarrow = 600;

  /** What was reached on each level, kept by the browser where it keeps anything:
   *  {"3": {stars, moves}}; `moves` as they were last, to go on from there. What is found
   *  there may be anything: only what fits is taken. */
  const progress = {
    kept: {},
    all() {
      try {
        const stored = JSON.parse(recall(kStore) || "{}");
        if (stored && typeof stored === "object") this.kept = {...this.kept, ...stored};
      } catch { /* not ours, or damaged: begin anew */ }
      return this.kept;
    },
    of(level) {
      const entry = this.all()[level];
      return entry && typeof entry === "object" ? entry : {};
    },
    stars(level) {
      const {stars} = this.of(level);
      return Number.isInteger(stars) && stars >= 0 && stars <= kMostStars ? stars : 0;
    },
    moves(level) {
      const {moves} = this.of(level);
      return typeof moves === "string" ? moves : "";
    },
    solved(level) {
      return this.stars(level) >= kSolved;
    },
    note(level, moves, stars) {
      const best = Math.max(this.stars(level), stars);
      this.kept = {...this.all(), [level]: {stars: best, moves}};
      remember(kStore, JSON.stringify(this.kept));
    },
  };

  function starsOf(stars) {
    return h("span", {class: "pb-stars", role: "img",
                      "aria-label": `${stars} of ${kMostStars} stars`},
             "★".repeat(stars) + "☆".repeat(kMostStars - stars));
  }

  const kKinds = [["FB", "F and B"], ["F", "F alone"], ["FIW", "F, I and W"],
                  ["FRB", "F, R and B"]];
  const kStages = [["1", "one"], ["2", "two, looped"], ["v", "two, in a V"],
                   ["3", "three, looped"], ["4", "four, looped"]];

  /** The form for a board without a task; `open(board)` gives null, or the answer that
   *  refuses it, whose field is then shown. */
  class FreeBoard {
    constructor(open) {
      this.open = open;
      this.element = h("form", {class: "pl-row pb-free", novalidate: true,
                                on: {submit: event => this.submit(event)}},
                       h("span", {class: "pb-free-title"}, "Free board"),
                       this.number("devices p", "p", {max: 8, value: 3}),
                       this.number("micro-batches m", "m", {max: 32, value: 4}),
                       this.choice("stages a device", "stages", kStages),
                       this.choice("actions", "kinds", kKinds),
                       this.number("memory limit", "limit", {placeholder: "none"}),
                       h("button", {type: "submit"}, "Open"));
    }

    number(label, name, more) {
      const id = freshId("pb-free");
      return h("span", {}, h("label", {for: id}, label), " ",
               h("input", {id, name, type: "number", min: 1, step: "any", ...more}));
    }

    choice(label, name, options) {
      const id = freshId("pb-free");
      return h("span", {}, h("label", {for: id}, label), " ",
               h("select", {id, name},
                 options.map(([value, text]) => h("option", {value}, text))));
    }

    /** What the form says, with the keys of op=board. */
    board() {
      const {stages, limit, ...rest} = Object.fromEntries(new FormData(this.element));
      return {...rest, ...(stages === "v" ? {placement: "v"} : {v: stages}),
              ...(limit && {limit})};
    }

    submit(event) {
      event.preventDefault();
      const refused = this.open(this.board());
      const field = refused && this.element.elements.namedItem(refused.field || "");
      if (field) field.focus();
    }
  }

  /** All levels, each with what was reached. `choose(game)` is told what is wanted:
   *  {level}; `open(game)` is for the free board. */
  class Chooser {
    constructor(levels, choose, open) {
      this.levels = levels;
      this.choose = choose;
      this.title = h("summary", {});
      this.list = h("ol", {class: "pb-levels"});
      this.element = h("details", {class: "pb-choose",
                                   open: window.innerWidth > kNarrow},
                       this.title, this.list, new FreeBoard(open).element);
    }

    /** The first one that is not solved. */
    next() {
      return this.levels.find(level => !progress.solved(level.level)) || this.levels[0];
    }

    /** Out of the way of the board, where there is little room. */
    fold() {
      if (window.innerWidth <= kNarrow) this.element.open = false;
    }

    show(game) {
      const {levels} = this;
      const solved = levels.filter(level => progress.solved(level.level)).length;
      const stars = levels.reduce((sum, level) => sum + progress.stars(level.level), 0);
      this.title.textContent = `${levels.length} levels: ${solved} solved, ${stars} of ${
          kMostStars * levels.length} stars`;
      this.list.replaceChildren(...levels.map(level => this.item(level, game)));
    }

    item({level, title, chapter}, game) {
      const choose = () => this.choose({level: String(level)});
      return h("li", {},
               h("button", {type: "button", class: "pb-level", "data-level": level,
                            "aria-current": String(level) === game.level && "true",
                            on: {click: choose}},
                 h("span", {class: "pb-level-title"}, `${level} · ${title}`),
                 h("span", {class: "pb-level-more"}, `chapter ${chapter} `,
                   starsOf(progress.stars(level)))));
    }
  }

  return {progress, starsOf, Chooser};
})();
