/**
 * Holds the lab in WebAssembly against the same C++ compiled natively: every reply must
 * be the same, byte for byte. Of each only length and hash are compared.
 *
 *   node identity_check.js LAB_WASM_JS LAB_NATIVE [--all]
 *     asks both the questions that `lab_native --queries` (or --all-queries) prints;
 *     exits 0 and says how many replies were the same, or 1 with those that differ
 *
 * In a browser: LabIdentity.hashes(queries) are the lines that `lab_native --hash`
 * prints for the same queries, one for each. Needs core.js and a PipelineLab that is
 * ready.
 */
"use strict";

globalThis.LabIdentity = (() => {
  /** FNV-1a, as in lab_native_main.cpp. */
  function hash(bytes) {
    let value = 2166136261;
    for (const byte of bytes) value = Math.imul(value ^ byte, 16777619);
    return value >>> 0;
  }

  function hashes(queries) {
    const encoder = new TextEncoder();
    return queries.map(query => {
      const bytes = encoder.encode(globalThis.PipelineLab.text(query));
      return `${bytes.length} ${hash(bytes)}`;
    });
  }

  return {hashes};
})();

if (typeof module !== "undefined" && require.main === module) {
  const {execFileSync} = require("child_process");
  const path = require("path");
  const [, , script, native, all] = process.argv;

  const lines = (option, input) =>
      execFileSync(native, [option], {input, maxBuffer: 1 << 30})
          .toString().split("\n").slice(0, -1);

  async function compare() {
    require(path.resolve(script));
    require("./core.js");
    await globalThis.PipelineLab.ready;
    const queries = lines(all === "--all" ? "--all-queries" : "--queries");
    const expected = lines("--hash", queries.join("\n") + "\n");
    const found = globalThis.LabIdentity.hashes(queries);
    const different = queries.filter((_, i) => found[i] !== expected[i]);
    for (const query of different.slice(0, 20)) console.log(`differs: ${query}`);
    console.log(`${queries.length - different.length} of ${queries.length} replies ` +
                "are the same");
    return queries.length > 0 && different.length === 0;
  }

  compare().then(same => process.exit(same ? 0 : 1), fault => {
    console.error(fault);
    process.exit(1);
  });
}
