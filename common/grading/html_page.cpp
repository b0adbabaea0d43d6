#include "grading/html_page.hpp"

#include <array>
#include <cstdint>

#include "grading/sha256.hpp"
#include "grading/shown.hpp"

namespace pipeline {
namespace {

// Every pair of a text and what is behind it has a contrast of at least 4.5 (WCAG 2.1,
// 1.4.3), in both schemes.
constexpr std::string_view kStyle = R"css(
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1b1f24; --quiet: #59636e;
  --line: #d1d9e0; --soft: #f4f6f8; --link: #0a58ca; --good: #116329; --good-soft: #dafbe1;
  --bad: #a40e26; --bad-soft: #ffebe9; --bar: #7fb2e5; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #0f1318; --ink: #e6edf3; --quiet: #9da7b1; --line: #343b44;
    --soft: #181e25; --link: #79b8ff; --good: #7ee2a0; --good-soft: #10321d;
    --bad: #ff9d95; --bad-soft: #42171a; --bar: #2f5f8f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0.5rem 0; }
h2 { font-size: 1.2rem; margin: 2rem 0 0.5rem; }
a { color: var(--link); }
.quiet { color: var(--quiet); }
.figure { font-size: 1.3rem; font-weight: 600; }
.warning { border: 2px solid var(--bad); padding: 0.5rem 0.75rem; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; padding: 0;
  list-style: none; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 0.25rem;
  margin: 0.25rem 0 0.75rem; padding: 0.5rem 0.75rem; white-space: pre-wrap;
  overflow-wrap: anywhere; font: 0.875rem/1.4 ui-monospace, monospace; }
bdi, td, th, li, p, summary { overflow-wrap: break-word; }
.words { min-width: 12rem; }
.scroll { overflow: auto; max-height: 85vh; border: 1px solid var(--line); }
.scroll.low { max-height: none; }
table { border-collapse: separate; border-spacing: 0; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: 0.2rem 0.6rem;
  text-align: left; vertical-align: top; background: var(--paper); }
thead th { position: sticky; top: 0; z-index: 1; background: var(--soft);
  white-space: nowrap; }
#matrix tbody th { position: sticky; left: 0; min-width: 7.5rem; max-width: 10rem; }
#matrix thead th:first-child { left: 0; z-index: 2; }
#matrix td { max-width: 14rem; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th.mark, td.mark { text-align: center; padding: 0.2rem 0.4rem; }
.pass { color: var(--good); background: var(--good-soft); }
.fail { color: var(--bad); background: var(--bad-soft); font-weight: 600; }
.idle { color: var(--quiet); }
.word { position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap; }
.bar { display: inline-block; width: 6rem; height: 0.75rem; vertical-align: baseline;
  border: 1px solid var(--line);
  background: linear-gradient(to right, var(--bar) var(--share), transparent 0); }
.tools { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center;
  margin: 0.5rem 0; }
input, select, button { font: inherit; color: inherit; }
input, select { background: var(--soft); border: 1px solid var(--quiet);
  border-radius: 0.25rem; padding: 0.2rem 0.4rem; max-width: 100%; }
th button { background: none; border: 0; padding: 0; font-weight: inherit;
  cursor: pointer; text-decoration: underline dotted; }
th[aria-sort] button::after { content: " \2195"; color: var(--quiet); }
th.mark[aria-sort=none] button::after { content: ""; }
th[aria-sort=ascending] button::after { content: " \2191"; color: inherit; }
th[aria-sort=descending] button::after { content: " \2193"; color: inherit; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 1px; }
summary { cursor: pointer; }
.tests { padding-left: 0; list-style: none; }
.tests li { border-top: 1px solid var(--line); padding: 0.4rem 0; }
.chip { display: inline-block; border-radius: 0.25rem; padding: 0 0.4rem;
  min-width: 4.5rem; text-align: center; font-size: 0.875rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr));
  gap: 0 1rem; }
.pair > * { min-width: 0; }
mark { background: var(--bar); color: inherit; }
mark sup { font-weight: 600; line-height: 0; }
footer { margin-top: 2rem; border-top: 1px solid var(--line); padding-top: 0.5rem; }
@media (max-width: 40rem) { body { padding: 0.75rem; } .bar { width: 2.5rem; } }
@media print { .tools, nav { display: none; } .scroll { max-height: none; } }
)css";

/// Hexadecimal digits of whole bytes as base64 (RFC 4648).
std::string base64(std::string_view digits) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto value = [&](std::size_t i) -> std::uint32_t {
    if (i >= digits.size()) return 0;
    const char c = digits[i];
    return static_cast<std::uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  };
  std::string text;
  for (std::size_t i = 0; i < digits.size(); i += 3) {  // three digits, two letters
    const std::uint32_t bits = value(i) << 8U | value(i + 1) << 4U | value(i + 2);
    text += kLetters[bits >> 6U];
    text += kLetters[bits & 63U];
  }
  if (digits.size() % 6 != 0) text.resize((digits.size() / 2 * 8 + 5) / 6);
  while (text.size() % 4 != 0) text += '=';
  return text;
}

}  // namespace

std::string html_page(const HtmlPage& page) {
  std::string policy = "default-src 'none'; style-src 'unsafe-inline'";
  std::string script;
  if (!page.script.empty()) {
    policy += "; script-src 'sha256-" + base64(sha256(page.script)) + "'";
    script = "<script>" + std::string(page.script) + "</script>\n";
  }
  return "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n"
         "<head>\n<meta charset=\"utf-8\"/>\n<meta "
         "http-equiv=\"Content-Security-Policy\" "
         "content=\"" +
         policy +
         "\"/>\n<meta name=\"viewport\" content=\"width=device-width, "
         "initial-scale=1\"/>\n<meta name=\"referrer\" content=\"no-referrer\"/>\n" +
         element("title", visible_line(page.title)) + "\n<style>" +
         std::string(kStyle) + "</style>\n</head>\n<body>\n" + page.body + script +
         "</body>\n</html>\n";
}

std::string element(std::string_view name, std::string_view text,
                    std::string_view css_class) {
  std::string html = "<" + std::string(name);
  if (!css_class.empty()) html += " class=\"" + std::string(css_class) + "\"";
  return html + ">" + markup(text) + "</" + std::string(name) + ">";
}

std::string isolated(std::string_view text) {
  return element("bdi", visible_line(text));
}

std::string preformatted(std::string_view text, std::size_t bytes) {
  // HTML drops a line end right behind the tag.
  return "<pre>\n" + markup(shortened(text, bytes)) + "</pre>\n";
}

}  // namespace pipeline
