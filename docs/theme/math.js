// Formulas as MathML, so that pages need no script to show them: node math.js FOLDER.
// Doxygen leaves them as \(…\) and \[…\] in its pages. Code keeps what it has. What else
// is to be mended in a page is mended on the way.
"use strict";
const fs = require("fs");
const katex = require("/usr/share/nodejs/katex");  // the package of Debian
const {mendPage, mendTree} = require("./mend.js");

const kCode = "<pre[^]*?</pre>|<code>[^]*?</code>|<div class=\"line\">.*|<script[^]*?</script>";
const kFormula = "\\\\\\(([^]*?)\\\\\\)|\\\\\\[([^]*?)\\\\\\]";
const kEntities = {"&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": "\"", "&#39;": "'"};

const folder = process.argv[2];
for (const name of fs.readdirSync(folder)) {
  if (!name.endsWith(".html")) continue;
  const page = fs.readFileSync(`${folder}/${name}`, "utf8");
  const changed = mendPage(page).replace(new RegExp(`${kCode}|${kFormula}`, "g"), (all, line, block) => {
    if (line === undefined && block === undefined) return all;
    const formula = (line ?? block).replace(/&(lt|gt|amp|quot|#39);/g, e => kEntities[e]);
    return katex.renderToString(
        formula, {output: "mathml", displayMode: line === undefined, strict: "error"});
  });
  if (changed !== page) fs.writeFileSync(`${folder}/${name}`, changed);
}
mendTree(folder);
