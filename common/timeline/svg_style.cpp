#include "timeline/svg_style.hpp"

#include "timeline/writing.hpp"

namespace pipeline {
namespace {

/// ".pipeline-figure .forward{--fill:var(--pf-forward,#8cc8f0);fill:var(--fill)}" and
/// so on: a page may set --pf-forward; without it the figure follows the colour scheme
/// of the system. Tones follow what the page has set.
std::string colour_rules(bool dark) {
  std::string out = ".pipeline-figure{color:var(--pf-ink,";
  out += dark ? "#e6e8eb" : "#1f2328";
  out += ")}\n.pipeline-figure .letter{fill:var(--pf-letter,";
  out += dark ? kLetterDark : kLetterLight;
  out += ")}\n";
  for (const Fill& fill : kFills) {
    out += ".pipeline-figure .";
    out += fill.css_class;
    out += "{--fill:var(--pf-";
    out += fill.css_class;
    out += ",";
    out += dark ? fill.dark : fill.light;
    out += ");fill:var(--fill)}\n";
  }
  for (std::size_t tone = 1; tone < kTones; ++tone) {
    out += ".pipeline-figure .tone-" + number(static_cast<double>(tone), 0) +
           "{fill:color-mix(in srgb,var(--fill) " +
           number((dark ? kLeftInDark : kLeftInLight)[tone], 0) + "%,var(--pf-fade," +
           (dark ? "black" : "white") + "))}\n";
  }
  return out;
}

constexpr std::string_view kRules =
    R"(.pipeline-figure{max-width:100%;height:auto;font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",Arial,sans-serif}
.pipeline-figure text{fill:currentColor}
.pipeline-figure .name{font-size:14px;font-weight:600}
.pipeline-figure .device{text-anchor:end;dominant-baseline:central}
.pipeline-figure .key{dominant-baseline:central}
.pipeline-figure .letter{font-weight:600;text-anchor:middle;dominant-baseline:central;pointer-events:none}
.pipeline-figure .tight{font-size:10px}
.pipeline-figure .number{font-size:11px;text-anchor:middle}
.pipeline-figure .unit{font-size:11px;text-anchor:end}
.pipeline-figure .axis{stroke:currentColor;fill:none}
.pipeline-figure .hatch{stroke:currentColor;stroke-opacity:.3}
.pipeline-figure .idle{stroke:currentColor;stroke-opacity:.25}
.pipeline-figure .stripe{stroke:currentColor;stroke-width:3;stroke-opacity:.75;fill:none}
.pipeline-figure .instant path{stroke:currentColor;stroke-width:1}
.pipeline-figure .outline{stroke:currentColor;fill:none}
.pipeline-figure .steady{stroke:currentColor;stroke-width:1.5;stroke-dasharray:6 4;fill:none}
.pipeline-figure .steady-name{font-size:11px;font-style:italic;text-anchor:middle}
.pipeline-figure .arrow{stroke:currentColor;stroke-width:1.2;stroke-opacity:.8;fill:none}
.pipeline-figure .far{stroke-opacity:.5}
.pipeline-figure .head{fill:currentColor;fill-opacity:.85}
)";

}  // namespace

std::string_view css_class(ActionKind kind) {
  for (const Fill& fill : kFills)
    if (fill.kind == kind) return fill.css_class;
  return "update";
}

std::string css_class(ActionKind kind, std::size_t tone) {
  std::string css(css_class(kind));
  if (tone % kTones != 0)
    css += " tone-" + number(static_cast<double>(tone % kTones), 0);
  return css;
}

std::string style_rules() {
  std::string out(kRules);
  out += colour_rules(false) + "@media (prefers-color-scheme:dark){\n";
  return out + colour_rules(true) + "}\n";
}

std::string style_sheet() { return "<style>\n" + style_rules() + "</style>\n"; }

}  // namespace pipeline
