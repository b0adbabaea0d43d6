/// \file
/// The colours of a figure, and its style sheet.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "schedule/action.hpp"

namespace pipeline {

/// How the cells of a kind are filled, in light and in dark pages. Hues after Okabe and
/// Ito (2008), with steps in lightness for those who do not see the hues; the letter on
/// a fill has a contrast of at least 4.5 (WCAG 2.1, 1.4.3).
struct Fill {
  ActionKind kind = ActionKind::Forward;
  std::string_view css_class;
  std::string_view light;
  std::string_view dark;
};

inline constexpr std::string_view kLetterLight = "#111111";
inline constexpr std::string_view kLetterDark = "#ffffff";

inline constexpr std::array<Fill, 8> kFills = {{
    {ActionKind::Forward, "forward", "#8cc8f0", "#1f6ba5"},
    {ActionKind::Backward, "backward", "#f3a763", "#a34e0c"},
    {ActionKind::InputGradient, "input-gradient", "#f7d774", "#7d6200"},
    {ActionKind::WeightGradient, "weight-gradient", "#74cdb0", "#14735a"},
    {ActionKind::Recompute, "recompute", "#dcb3de", "#824a86"},
    {ActionKind::Reduce, "reduce", "#b9b4f2", "#5350a8"},
    {ActionKind::ReduceNorm, "reduce-norm", "#d3a7c9", "#7a3f6c"},
    {ActionKind::Update, "update", "#cfcfcf", "#5c5c5c"},
}};

/// The class of the cells of a kind that is drawn.
std::string_view css_class(ActionKind kind);

/// A `<style>` element whose rules all lie below `.pipeline-figure`, so that a figure
/// inline in a page leaves the page alone.
std::string style_sheet();

}  // namespace pipeline
