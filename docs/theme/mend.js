// What Doxygen 1.9 writes and HTML or a reader who listens would not have: its pages and
// the tree beside them, mended. math.js calls it.
"use strict";
const fs = require("fs");

// The title is the page's only heading of the first level; sections come below it.
function headings(page) {
  const titled = page.replace(
      /<div class="title">((?:(?!<\/?div)[^])*)<\/div>/, '<h1 class="title">$1</h1>');
  const at = titled.indexOf('<div class="contents">');
  if (at < 0 || !/<h1[ >]/.test(titled.slice(at))) return titled;
  return titled.slice(0, at) + titled.slice(at).replace(
      /<(\/?)h([1-5])(?=[ >])(?! class="(?:groupheader|memtitle))/g,
      (all, slash, level) => `<${slash}h${Number(level) + 1}`);
}

function frames(page) {
  return page.replace(/(<iframe src="javascript:void\(0\)") frameborder="0"/g,
                      '$1 title="What the search found"');
}

// A class whose only inner classes are private has a link to a list that is not there.
function summaries(page) {
  return page.replace(/<a href="#([a-z-]+)">[^<]*<\/a> &#124;\n/g,
      (link, anchor) => new RegExp(`(id|name)="${anchor}"`).test(page) ? link : "");
}

// In the tree, what a file declares leads to the file's page, which does not describe it:
// that of the namespace does.
function mendTree(folder) {
  const names = fs.readdirSync(folder);
  const home = new Map();
  for (const name of names.filter(name => /^namespace.*\.html$/.test(name))) {
    const page = fs.readFileSync(`${folder}/${name}`, "utf8");
    for (const [, id] of page.matchAll(/ id="(a[0-9a-f]{32,})"/g)) home.set(id, name);
  }
  for (const name of names.filter(name => name.endsWith("_8hpp.js"))) {
    const tree = fs.readFileSync(`${folder}/${name}`, "utf8");
    const mended = tree.replace(/"[^"#]+#(a[0-9a-f]{32,})"/g,
        (link, id) => home.has(id) ? `"${home.get(id)}#${id}"` : link);
    if (mended !== tree) fs.writeFileSync(`${folder}/${name}`, mended);
  }
}

module.exports = {mendTree, mendPage: page => summaries(frames(headings(page)))};
