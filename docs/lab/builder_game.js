/**
 * A game of "build it yourself": which board, and the moves on it. What may be done and
 * what it is worth is for the C++ to say (op=levels and op=board of PipelineLab); a
 * board is its moves, and to undo is to drop the last one.
 *
 * A plain deferred script after core.js and parts.js; defines BuilderGame for builder.js.
 */
"use strict";

window.BuilderGame = window.BuilderGame || (() => {
  const {queryOf, freshId, sentences} = window.PipelineParts;

  /** "0F1", a move, in words. */
  function onDevice(move) {
    return `${move.slice(1)} on device ${move[0]}`;
  }

  function ask(pairs) {
    return window.PipelineLab.answer(queryOf(pairs));
  }

  class BuilderGame {
    /** `width()`: of the figure, in pixels. `lastMoves(level)`: those that were made on
     *  a level when it was last played, "" for none. */
    constructor(width, lastMoves) {
      this.width = width;
      this.lastMoves = lastMoves;
      this.levels = ask({op: "levels"}).levels;
      this.undone = [];
      this.figureId = freshId("board");
    }

    /** The level that `text` names, or null. */
    levelNamed(text) {
      return this.levels.find(level => String(level.level) === String(text)) || null;
    }

    /** The level that is played; null on a free board. */
    get level() {
      return "level" in this.board ? this.levelNamed(this.board.level) : null;
    }

    /** What is wrong, and what to do, in sentences. */
    wrongIn({what, remedy}) {
      return sentences(what, remedy);
    }

    /** The answer for `board`, {level} or {p, m, v, kinds, ...}, after `moves`. */
    look(board, moves = "") {
      return ask({op: "board", ...board, moves, width: this.width(), id: this.figureId});
    }

    /** The answer for the moves as they are now. */
    again() {
      this.last = this.look(this.board, this.moves.join("."));
      return this.last;
    }

    /** Begins at `board` after `moves`: where null, those of last time. What cannot be
     *  shown gives the next best, the empty board or else the first level, and what was
     *  wrong. */
    open(board, moves) {
      const kept = moves === null ? this.lastMoves(board.level) : moves;
      const first = {level: String(this.levels[0].level)};
      let wrong = "";
      for (const [tried, after] of [[board, kept], [board, ""], [first, ""]]) {
        const answer = this.look(tried, after);
        if (answer.ok) {
          const refused = this.begin(tried, after, answer);
          // That old moves fit no longer is not the reader's doing.
          const told = moves !== null || tried !== board;
          return {answer: this.again(), wrong: told ? wrong || refused : ""};
        }
        wrong = wrong || this.wrongIn(answer);
      }
      throw new Error(wrong);
    }

    /** Moves from one on that is refused are dropped; says why. */
    begin(board, moves, answer) {
      this.board = board;
      this.undone = [];
      this.moves = moves === "" ? [] : moves.split(".");
      if (!answer.refused) return "";
      this.moves.length = this.look(board).left - answer.left;
      return this.refusal(answer.refused);
    }

    refusal({move, why}) {
      return `${onDevice(move)} is refused. ${why}`;
    }

    /** Makes a move: {answer, start}; or says what is {wrong} with it. */
    place(device, action) {
      const move = `${device}${action}`;
      const answer = this.look(this.board, [...this.moves, move].join("."));
      if (!answer.ok) return {wrong: this.wrongIn(answer)};
      if (answer.refused) return {wrong: this.refusal(answer.refused)};
      const [, , start] = this.last.ready.find(
          ([on, what]) => on === device && what === action) || [];
      this.moves.push(move);
      this.undone = [];
      this.last = answer;
      return {answer, start};
    }

    /** The move that was taken back, in words; "" where there was none. */
    undo() {
      const move = this.moves.pop();
      if (move) this.undone.push(move);
      return move ? onDevice(move) : "";
    }

    redo() {
      const move = this.undone.pop();
      if (move) this.moves.push(move);
      return move ? onDevice(move) : "";
    }

    /** Everything is taken back, and can be placed again. */
    startOver() {
      this.undone.push(...this.moves.reverse());
      this.moves = [];
    }

    /** The query that shows this board, for a link. */
    link() {
      return queryOf({...this.board, moves: this.moves.join(".")});
    }
  }

  return BuilderGame;
})();
