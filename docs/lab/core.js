/**
 * PipelineLab: the lab's C++ (common/lab/answer.hpp), in the page as WebAssembly.
 *
 *   PipelineLab.ready          a promise: kept when questions can be asked, rejected
 *                              with an Error where there is no WebAssembly
 *   PipelineLab.answer(query)  the answer, an object, to "op=draw&schedule=1f1b&p=4"
 *   PipelineLab.text(query)    the same as the text (JSON) that came
 *
 * The module comes in base64 from lab_wasm.js, which must be loaded before: so a page
 * works from a disk, where nothing can be fetched. It has no imports. Should it ever
 * stop (out of memory), it is started anew, and the question is met by a refusal.
 */
"use strict";

(() => {
  let module = null;
  let lab = null;

  function refusal(what, remedy) {
    return JSON.stringify({ok: false, field: "", what, remedy});
  }

  function bytesOf(base64) {
    return Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
  }

  async function start() {
    if (typeof WebAssembly !== "object") {
      throw new Error("this browser has no WebAssembly");
    }
    if (module === null) {
      if (!globalThis.PIPELINE_LAB_WASM) throw new Error("lab_wasm.js is not loaded");
      module = await WebAssembly.compile(bytesOf(globalThis.PIPELINE_LAB_WASM));
    }
    const {exports} = await WebAssembly.instantiate(module, {});
    exports._initialize();
    lab = exports;
  }

  function text(query) {
    if (lab === null) {
      return refusal("the lab is not running",
                     "Wait a moment; it needs a browser with WebAssembly.");
    }
    // Memory may grow, and moves then: its buffer is asked for after each call.
    try {
      const question = new TextEncoder().encode(query);
      const room = lab.lab_room(question.length) >>> 0;
      new Uint8Array(lab.memory.buffer, room, question.length).set(question);
      const reply = lab.lab_answer(question.length) >>> 0;
      const length = lab.lab_answer_bytes() >>> 0;
      return new TextDecoder().decode(new Uint8Array(lab.memory.buffer, reply, length));
    } catch (fault) {
      if (!(fault instanceof WebAssembly.RuntimeError)) throw fault;
      lab = null;
      begin();
      return refusal("this is too much for the lab", "Ask for something smaller.");
    }
  }

  const PipelineLab = {text, answer: query => JSON.parse(text(query))};

  function begin() {
    PipelineLab.ready = start();
    // Whoever waits is told; nobody waiting is no fault.
    PipelineLab.ready.catch(() => {});
  }

  begin();
  globalThis.PipelineLab = PipelineLab;
})();
