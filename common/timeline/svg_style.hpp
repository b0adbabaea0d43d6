/// \file
/// The colours of a figure, and its style sheet.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "schedule/action.hpp"

namespace pipeline {

/// How the cells of a kind are filled, in light and in dark pages. Hues after Okabe and
/// Ito (2008), with steps in lightness for those who do not see the hues; the letter on
/// a fill has a contrast of at least 4.5 (WCAG 2.1, 1.4.3).
struct Fill {
  ActionKind kind = ActionKind::Forward;  ///< whose cells
  std::string_view css_class;             ///< the class of its cells
  std::string_view light;                 ///< colour in light pages
  std::string_view dark;                  ///< colour in dark pages
};

/// Letters on fills in light pages.
inline constexpr std::string_view kLetterLight = "#111111";
/// Letters on fills in dark pages.
inline constexpr std::string_view kLetterDark = "#ffffff";

/// Of every kind that has cells.
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

/// Further stages of a device, and the second copy, are drawn in the same hue, mixed
/// with white (in dark pages black), away from the colour of the letters; and with
/// stripes for those who do not see that: the first tone none, the next one along the
/// bottom, along the top, and both. From there on tones begin again.
inline constexpr std::size_t kTones = 4;
/// How much of the hue is left, in percent.
inline constexpr std::array<int, kTones> kLeftInLight = {100, 62, 38, 20};
/// Likewise, in dark pages.
inline constexpr std::array<int, kTones> kLeftInDark = {100, 72, 50, 32};

/// The class of the cells of a kind that is drawn, and "forward tone-1".
std::string_view css_class(ActionKind kind);
/// The same, with a tone from 0.
std::string css_class(ActionKind kind, std::size_t tone);

/// Rules that all lie below `.pipeline-figure`, so that a figure inline in a page
/// leaves the page alone.
std::string style_rules();

/// The same as a `<style>` element.
std::string style_sheet();

}  // namespace pipeline
