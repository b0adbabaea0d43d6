/**
 * What came of a board of "build it yourself": its score, the verdict once all is placed,
 * and the ways to keep it, share it and hand it in.
 *
 * A plain deferred script after parts.js and builder_levels.js; defines BuilderOutcome for
 * builder.js. `board` is an answer to op=board, `level` one of op=levels, or null.
 */
"use strict";

window.BuilderOutcome = window.BuilderOutcome || (() => {
  const {h, copyLink, copyText, download, linkTo, number} = window.PipelineParts;
  const {starsOf} = window.BuilderLevels;
  const kLabPage = "lab.html";

  function ticks(value) {
    return `${number(value)} tick${value === 1 ? "" : "s"}`;
  }

  /** The entries of the list <dl> that is the score; what is not known is left out. */
  function scoreEntries({score, left}, level) {
    const limits = [score.limit].flat().filter(limit => limit !== null);
    const known = value => typeof value === "number" && ticks(value);
    const entries = [
      [left === 0 ? `your ${score.measure}` : `${score.measure} so far`,
       ticks(score.value)],
      ["asked for", known(score.goal) && `at most ${ticks(score.goal)}`],
      ["proven optimum", known(score.optimum)],
      [score.reference_name, known(score.reference)],
      ["peak a device", score.peak.map(number).join(", ")],
      ["allowed", limits.join(", ")],
      ["stars", level && starsOf(score.stars)],
    ];
    return entries.filter(([, value]) => value).map(
        ([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)));
  }

  function praise({value, measure, optimum, goal, solved}) {
    const taken = `All is placed: a ${measure} of ${ticks(value)}`;
    if (value === optimum) return `${taken}. No schedule can do better.`;
    return solved ? `${taken}.` : `${taken}; asked for are ${goal} at most.`;
  }

  /** "This is 1F1B", or which schedules cost the same; null where neither. */
  function recognition({recognised, alike}) {
    if (recognised) return h("p", {}, "This is ", h("strong", {}, recognised), ".");
    if (!alike || alike.length === 0) return null;
    return h("p", {}, "It takes as long, and holds as much, as ",
             h("strong", {}, alike.join(", ")), ", in another order.");
  }

  /** Paragraphs about a board that is full. */
  function verdict(board, level) {
    const stars = level && [" ", starsOf(board.score.stars)];
    return [h("p", {class: "pb-verdict"}, praise(board.score), stars),
            recognition(board)].filter(Boolean);
  }

  function button(text, click) {
    return h("button", {type: "button", on: {click}}, text);
  }

  /** Links, files, and how to hand a solution in. `game` is a BuilderGame; `whole` says
   *  whether this is `page` itself, where all levels are. */
  class Handing {
    constructor(game, whole, page) {
      this.game = game;
      this.whole = whole;
      this.page = page;
      this.said = h("p", {class: "pb-shared", role: "status"});
      this.handIn = h("div", {class: "pb-hand-in"});
      this.links = h("p", {class: "pb-links"});
      this.element = h("div", {class: "pb-handing"},
          h("div", {class: "pl-row", role: "group", "aria-label": "Keep and share"},
            button("Share a link", () => this.share()),
            button("Save as text", () => this.save())),
          this.said, this.handIn, this.links);
    }

    show(board) {
      this.board = board;
      const {level} = this.game;
      const answered = level && level.exercise && board.answer;
      this.handIn.replaceChildren(
          ...(answered ? this.waysIn(level, board.answer) : []));
      this.links.replaceChildren(...this.waysOn(level).flatMap(
          (link, at) => at === 0 ? [link] : [" · ", link]));
    }

    share() {
      copyLink(this.whole ? "" : this.page, this.game.link(), this.said);
    }

    save() {
      const {level} = this.game;
      download(level ? `level-${level.level}.txt` : "board.txt", "text/plain",
               this.board.text);
    }

    waysIn({level, exercise}, answer) {
      const others = this.game.levels.filter(
          other => other.exercise === exercise && other.level !== level);
      return [
        h("p", {}, h("strong", {}, "Hand it in"), ": save this as ",
          h("code", {}, `exercises/${exercise}/exercise.cpp`), ", then run ",
          h("code", {}, `./workbook check ${exercise.split("_")[0]}`), "."),
        others.length > 0 && h("p", {}, "That exercise asks for level ",
            others.map(other => other.level).join(" and "), " too: its function ",
            "goes into the same file."),
        h("div", {class: "pl-row"},
          button("Download exercise.cpp",
                 () => download("exercise.cpp", "text/x-c++src", answer)),
          button("Copy", () => this.copy(answer))),
        h("details", {}, h("summary", {}, "Show exercise.cpp"),
          h("pre", {tabindex: "0", role: "region", "aria-label": "exercise.cpp"}, answer)),
      ].filter(Boolean);
    }

    async copy(answer) {
      const copied = await copyText(answer);
      this.said.textContent = copied ? "exercise.cpp copied."
                                     : "The browser does not let it be copied.";
    }

    waysOn(level) {
      return [
        level && this.whole && h("a", {href: `chapter_${level.chapter}.html`},
                                 `Chapter ${level.chapter}`),
        level && level.lab && h("a", {href: linkTo(kLabPage, level.lab)},
                                "This case in the lab"),
        !this.whole && h("a", {href: linkTo(this.page, this.game.link())}, "All levels"),
      ].filter(Boolean);
    }
  }

  return {scoreEntries, verdict, Handing};
})();
