#include "timeline/draw_svg.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "schedule/full_tier.hpp"
#include "schedule/text.hpp"
#include "timeline/drawing_test_support.hpp"
#include "timeline/metrics.hpp"
#include "timeline/picture.hpp"
#include "timeline/svg_style.hpp"
#include "timeline/svg_test_support.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

std::vector<Element> drawing_of(const Drawn& d, const SvgStyle& style = {}) {
  const auto svg = draw_svg(d.schedule, d.timeline, style);
  return svg ? parse(*svg) : std::vector<Element>();
}

// ---- What can be read off a figure
// ----------------------------------------------------

/// A rectangle of a row: its class, device, and time.
struct Box {
  std::string css;
  std::size_t device = 0;
  double start = 0;
  double end = 0;
};

/// Reads the only band of a figure by its axis and its device labels alone.
struct Reading {
  std::vector<Box> cells;
  std::vector<Box> idle;

  Reading(const std::vector<Element>& all, double length) {
    const Element axis = of_class(all, "line", "axis").at(0);
    const double left = axis.number("x1");
    const double scale = (axis.number("x2") - left) / length;
    const std::vector<Element> devices = of_class(all, "text", "device");
    for (const Element& element : all) {
      if (element.name != "rect" || element.has_class("outline")) continue;
      const double top = element.number("y");
      const double bottom = top + element.number("height");
      const auto device =
          std::find_if(devices.begin(), devices.end(), [&](const auto& d) {
            const double middle = d.number("y");  // of the row
            return top <= middle + 0.01 && bottom >= middle - 0.01 && bottom - top < 60;
          });
      if (device == devices.end()) continue;  // the legend, the steady state
      // Cells and bubbles keep half a unit from their neighbours.
      const double start = (element.number("x") - 0.5 - left) / scale;
      const Box box{element.attributes.at("class"), std::stoul(device->text.substr(7)),
                    start, start + (element.number("width") + 1) / scale};
      (box.css == "idle" ? idle : cells).push_back(box);
    }
  }
};

/// The label of a part of a cell, as far as there is room for it.
void expect_letter(const std::string& came, const Action& action, bool names_stages,
                   bool roomy) {
  const std::string whole = to_text(action, names_stages);
  const std::string without_stage = to_text(action, false);
  if (roomy) {
    EXPECT_EQ(came, whole);
  } else if (came != whole && came != without_stage) {
    EXPECT_EQ(came, without_stage.substr(0, 1));
  }
}

void expect_drawn(const Drawn& d) {
  const Picture picture = *make_picture(d.schedule, d.timeline, 100'000, "a test");
  const std::vector<Element> all = drawing_of(d, of_width(4000));
  ASSERT_FALSE(all.empty());
  const Reading reading(all, picture.length);
  const auto letters = of_class(all, "text", "letter");
  const auto keys = of_class(all, "text", "key");
  const bool names_stages =
      std::any_of(keys.begin(), keys.end(),
                  [](const Element& key) { return key.text.starts_with("2F3"); });
  std::size_t next = 0;
  std::size_t next_idle = 0;
  for (std::size_t device = 0; device < picture.rows.size(); ++device) {
    for (const Cell& cell : picture.rows[device]) {
      for (const Action& action : cell.actions) {
        ASSERT_LT(next, reading.cells.size());
        const Box& box = reading.cells[next];
        expect_letter(letters[next].text, action, names_stages, picture.length <= 60);
        EXPECT_EQ(box.css, css_class(action.kind, picture.tones.of(action)));
        EXPECT_EQ(box.device, device);
        EXPECT_NEAR(box.start, cell.span.start, 0.01);
        EXPECT_NEAR(box.end, cell.span.end, 0.01);
        ++next;
      }
    }
    for (const Span& span : idle_spans(picture.rows[device], picture.length)) {
      ASSERT_LT(next_idle, reading.idle.size());
      EXPECT_EQ(reading.idle[next_idle].device, device);
      EXPECT_NEAR(reading.idle[next_idle].start, span.start, 0.01);
      EXPECT_NEAR(reading.idle[next_idle].end, span.end, 0.01);
      ++next_idle;
    }
  }
  EXPECT_EQ(next, reading.cells.size());
  EXPECT_EQ(next_idle, reading.idle.size());
}

TEST(DrawSvg, ShowsEveryCellAndEveryBubbleAtItsPlace) {
  const std::int32_t limit = in_full_tier() ? 12 : 6;
  for (const Generator& generator : generators()) {
    for (const Shape& shape : shapes_up_to(limit)) {
      SCOPED_TRACE(std::string(generator.name) + " p=" + std::to_string(shape.devices) +
                   " m=" + std::to_string(shape.micro_batches));
      const auto d = drawn_if_allowed(generator, shape);
      // Longer ones are folded into bands, even on the widest sheet.
      if (d && measure(d->schedule, d->timeline).makespan <= 120) expect_drawn(*d);
    }
  }
}

/// "forward of micro-batch 3 on stage 0", in words of its own.
std::string phrase_of(const Action& action) {
  std::string phrase(kind_name(action.kind));
  phrase += action.kind >= ActionKind::Reduce ? " after " : " of ";
  if (action.slice > 0) phrase += "slice " + std::to_string(action.slice) + " of ";
  return phrase + "micro-batch " + std::to_string(action.micro_batch) + " on stage " +
         std::to_string(action.stage);
}

TEST(DrawSvg, NamesEveryActionInOneTooltipOfItsDevice) {
  for (const Generator& generator : generators()) {
    for (Shape shape : shapes_up_to(5)) {
      shape.steps = 1 + shape.micro_batches % 2;
      const auto d = drawn_if_allowed(generator, shape);
      if (!d) continue;
      SCOPED_TRACE(std::string(generator.name) + " p=" + std::to_string(shape.devices) +
                   " m=" + std::to_string(shape.micro_batches));
      const auto all = drawing_of(*d, of_width(360));  // folded
      std::map<std::string, std::string> tooltips;     // of each device, all in one
      for (const Element& element : all) {
        const Element& parent = all[element.parent];
        if (element.name != "title" || parent.has_class("continued")) continue;
        if (!parent.has_class("cell") && !parent.has_class("instant")) continue;
        tooltips[element.text.substr(0, element.text.find(':'))] += element.text + ",";
      }
      for (std::size_t device = 0; device < d->schedule.rows.size(); ++device) {
        std::string& text = tooltips["device " + std::to_string(device)];
        for (const Entry& entry : d->schedule.rows[device]) {
          const std::string phrase = phrase_of(entry.action) + ",";
          const std::size_t at = text.find(phrase);
          ASSERT_NE(at, std::string::npos) << phrase << " in " << text;
          text.erase(at, phrase.size());
        }
        EXPECT_EQ(text.find(" on stage "), std::string::npos) << text;
      }
    }
  }
}

TEST(DrawSvg, MarksWhatTakesNoTimeWhereItHappens) {
  const auto all = drawing_of(drawn("1f1b", 2, 3, 2), of_width(4000));
  const Element axis = of_class(all, "line", "axis").at(0);
  const double tick = (axis.number("x2") - axis.number("x1")) / 24;
  std::vector<double> times;
  for (const Element& mark : of_class(all, "path", "update")) {
    double x = 0;
    ASSERT_EQ(std::sscanf(mark.attributes.at("d").c_str(), "M%lf", &x), 1);
    times.push_back((x + 4.5 - axis.number("x1")) / tick);
  }
  ASSERT_EQ(times.size(), 5U);  // two of each device, and one in the legend
  EXPECT_NEAR(times[0], 12, 0.01);
  EXPECT_NEAR(times[1], 24, 0.01);
  EXPECT_NEAR(times[2], 10, 0.01);
  EXPECT_NEAR(times[3], 22, 0.01);
}

TEST(DrawSvg, TellsReducesNormsAndUpdatesApart) {
  Shape shape{.devices = 2, .micro_batches = 4, .global_norm = true};
  Drawn d;
  d.schedule = *generate("dualpipe", {.shape = shape});
  d.timeline = *simulate(d.schedule, Costs{});
  const auto all = drawing_of(d);
  std::set<std::string> forms;
  for (const char* css : {"reduce", "reduce-norm", "update"}) {
    const auto marks = of_class(all, "path", css);
    ASSERT_EQ(marks.size(), 3U) << css;  // one of each device, and the legend
    const std::string& path = marks[0].attributes.at("d");
    forms.insert(path.substr(path.find_first_of("lah")));
  }
  EXPECT_EQ(forms.size(), 3U);
  // What takes time is a cell, and has a letter in the legend.
  const Costs costs{.stages = {{.update = 1, .reduce = 2}}};
  d.timeline = *simulate(d.schedule, costs);
  const auto cells = drawing_of(d);
  EXPECT_TRUE(of_class(cells, "path", "reduce").empty());
  EXPECT_EQ(of_class(cells, "rect", "reduce").size(), 4U + 1U);
  EXPECT_EQ(of_class(cells, "rect", "update").size(), 4U + 1U);
}

TEST(DrawSvg, ShadesAndStripesFurtherStagesAndTheSecondCopy) {
  EXPECT_TRUE(of_class(drawing_of(drawn("1f1b", 4, 4)), "rect", "tone-1").empty());
  for (const char* name :
       {"interleaved", "zb-v", "dualpipe", "dualpipe-v", "chimera"}) {
    const Drawn d = drawn(name, 2, 4);
    const Picture picture = *make_picture(d.schedule, d.timeline, 1000, "a test");
    std::size_t expected = 1;  // in the legend
    for (const auto& row : picture.rows) {
      for (const Cell& cell : row) {
        for (const Action& action : cell.actions)
          expected += picture.tones.of(action) == 1 ? 1 : 0;
      }
    }
    const auto all = drawing_of(d, of_width(2000));
    EXPECT_EQ(of_class(all, "rect", "tone-1").size(), expected) << name;
    EXPECT_EQ(of_class(all, "path", "stripe").size(), expected) << name;
    std::set<std::string> keys;
    for (const Element& key : of_class(all, "text", "key")) keys.insert(key.text);
    for (std::size_t tone = 0; tone < 2; ++tone)
      EXPECT_TRUE(keys.contains(picture.tones.name(tone))) << name;
  }
}

TEST(DrawSvg, SaysWhichWeightsAreUsedWhereVersionsDiffer) {
  const auto said = [](const char* name, const std::string& phrase) {
    const Drawn d = drawn(name, 2, 4);
    return draw_svg(d.schedule, d.timeline)->find(phrase) != std::string::npos;
  };
  EXPECT_TRUE(said("pipedream", "forward of micro-batch 3 on stage 0, uses weights 2"));
  EXPECT_TRUE(
      said("pipedream", "update after micro-batch 3 on stage 0, makes weights 4"));
  EXPECT_FALSE(said("1f1b", "uses weights"));
}

TEST(DrawSvg, DrawsEachCellOnceWhenTheAxisIsFolded) {
  const Drawn d = drawn("1f1b", 4, 8);
  const auto all = drawing_of(d, of_width(320));
  EXPECT_GT(of_class(all, "text", "unit").size(), 1U);
  std::size_t begun = 0;
  for (const Element& cell : of_class(all, "g", "cell"))
    if (!cell.has_class("continued")) ++begun;
  EXPECT_EQ(begun, 4U * 8U * 2U);
  // Every device has its row in every band.
  EXPECT_EQ(of_class(all, "text", "device").size(),
            4 * of_class(all, "text", "unit").size());
  for (const Element& element : all) {
    if (element.name != "rect") continue;
    EXPECT_LE(element.number("x") + element.number("width"), 320);
    EXPECT_GE(element.number("x"), 0);
  }
}

TEST(DrawSvg, KeepsTheRowOfADeviceThatDoesNothing) {
  const auto all = drawing_of(with_an_idle_device());
  const Reading reading(all, 3);
  ASSERT_EQ(reading.cells.size(), 4U);
  EXPECT_EQ(reading.cells[2].device, 2U);
  ASSERT_EQ(reading.idle.size(), 3U);
  EXPECT_EQ(reading.idle[1].device, 1U);
  EXPECT_NEAR(reading.idle[1].start, 0, 0.01);
  EXPECT_NEAR(reading.idle[1].end, 3, 0.01);
}

TEST(DrawSvg, SplitsWhatRunsTogetherIntoHalvesOfOneCell) {
  const auto all = drawing_of(one_row({{{ActionKind::Forward, 0, 0, 3}, true},
                                       {{ActionKind::Backward, 0, 0, 1}, false}}));
  ASSERT_EQ(of_class(all, "g", "cell").size(), 1U);
  const Element forward = of_class(all, "rect", "forward").at(0);
  const Element backward = of_class(all, "rect", "backward").at(0);
  EXPECT_EQ(forward.number("x"), backward.number("x"));
  EXPECT_EQ(forward.number("width"), backward.number("width"));
  EXPECT_EQ(forward.number("y") + forward.number("height"), backward.number("y"));
  const auto letters = of_class(all, "text", "letter");
  EXPECT_EQ(letters.at(0).text, "F3");
  EXPECT_EQ(letters.at(1).text, "B1");
}

TEST(DrawSvg, HasAnArrowForEachTransfer) {
  for (std::int32_t p = 1; p <= 4; ++p) {
    for (std::int32_t m = 1; m <= 4; ++m) {
      const Drawn d = drawn("1f1b", p, m);
      const auto arrows = of_class(drawing_of(d), "path", "arrow");
      // One more explains them in the legend.
      const std::size_t transfers = std::size_t{2} * static_cast<std::size_t>(p - 1) *
                                    static_cast<std::size_t>(m);
      EXPECT_EQ(arrows.size(), transfers == 0 ? 0 : transfers + 1);
      SvgStyle without;
      without.transfers = false;
      EXPECT_TRUE(of_class(drawing_of(d, without), "path", "arrow").empty());
    }
  }
}

TEST(DrawSvg, PointsArrowsFromRowToRow) {
  const auto all = drawing_of(drawn("forward", 2, 1));
  const Element arrow = of_class(all, "path", "arrow").at(0);
  double x1 = 0;
  double y1 = 0;
  double x2 = 0;
  double y2 = 0;
  ASSERT_EQ(std::sscanf(arrow.attributes.at("d").c_str(), "M%lf %lfL%lf %lf", &x1, &y1,
                        &x2, &y2),
            4);
  const auto cells = of_class(all, "rect", "forward");
  EXPECT_GT(x1, cells[0].number("x"));
  EXPECT_LT(x1, cells[0].number("x") + cells[0].number("width"));
  EXPECT_EQ(y1, cells[0].number("y") + cells[0].number("height"));
  EXPECT_GT(x2, cells[1].number("x"));
  EXPECT_LT(x2, cells[1].number("x") + cells[1].number("width"));
  EXPECT_EQ(y2, cells[1].number("y"));
}

TEST(DrawSvg, BoxesTheSteadyState) {
  const auto all = drawing_of(drawn("forward", 3, 4));
  const Element axis = of_class(all, "line", "axis").at(0);
  const double tick = (axis.number("x2") - axis.number("x1")) / 6;
  const auto boxes = of_class(all, "rect", "steady");
  ASSERT_EQ(boxes.size(), 2U);  // and one in the legend
  EXPECT_NEAR(boxes[0].number("x"), axis.number("x1") + 2 * tick, 0.02);
  EXPECT_NEAR(boxes[0].number("width"), 2 * tick, 0.02);
  for (const Element& cell : of_class(all, "rect", "forward")) {
    if (cell.parent == 0) continue;  // the legend
    EXPECT_GT(cell.number("y"), boxes[0].number("y"));
    EXPECT_LT(cell.number("y") + cell.number("height"),
              boxes[0].number("y") + boxes[0].number("height"));
  }
}

TEST(DrawSvg, HasNoSteadyStateWithFewerMicroBatchesThanDevices) {
  for (const char* name : {"forward", "gpipe", "1f1b"}) {
    for (const auto& [p, m] : {std::pair{1, 1}, {1, 3}, {4, 1}, {4, 2}, {4, 3}})
      EXPECT_TRUE(of_class(drawing_of(drawn(name, p, m)), "rect", "steady").empty());
    EXPECT_EQ(of_class(drawing_of(drawn(name, 4, 4)), "rect", "steady").size(), 2U);
  }
}

TEST(DrawSvg, HasNoCellForUpdatesThatTakeNoTime) {
  EXPECT_TRUE(of_class(drawing_of(drawn("gpipe", 2, 2)), "rect", "update").empty());
}

TEST(DrawSvg, IsNamedAndDescribed) {
  const auto all = drawing_of(drawn("1f1b", 4, 8));
  const Element& root = all.at(0);
  EXPECT_EQ(root.name, "svg");
  EXPECT_EQ(root.attributes.at("role"), "img");
  EXPECT_EQ(root.attributes.at("aria-labelledby"),
            "pf-1f1b-4-8-title pf-1f1b-4-8-desc");
  std::map<std::string, std::string> by_id;
  for (const Element& element : all) {
    const auto id = element.attributes.find("id");
    if (id == element.attributes.end()) continue;
    EXPECT_TRUE(by_id.emplace(id->second, element.text).second) << "an id twice";
  }
  EXPECT_EQ(by_id["pf-1f1b-4-8-title"], "1f1b, 4 devices, 8 micro-batches, 33 ticks");
  EXPECT_NE(by_id["pf-1f1b-4-8-desc"].find(
                "Device 0 is busy for 24 ticks and idle for 9 ticks."),
            std::string::npos);
}

TEST(DrawSvg, HasATooltipForEachCell) {
  const Drawn d = drawn("gpipe", 2, 2);
  std::set<std::string> tooltips;
  const auto all = drawing_of(d);
  for (const Element& element : all)
    if (element.name == "title" && all[element.parent].has_class("cell"))
      tooltips.insert(element.text);
  EXPECT_EQ(tooltips.size(), 8U);
  EXPECT_TRUE(tooltips.contains(
      "device 1: B1, backward of micro-batch 1 on stage 1, 5 to 7 ticks"));
}

TEST(DrawSvg, IsWellFormedWhateverTheScheduleIsCalled) {
  Drawn d = drawn("forward", 2, 2);
  d.schedule.name = "a <b> & \"c\" \x01 \xFF ]]>";
  const auto all = drawing_of(d);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.at(1).text,
            "a &lt;b&gt; &amp; &quot;c&quot; ? ? ]]&gt;, 2 devices, 2 micro-batches, 3 "
            "ticks");
}

TEST(DrawSvg, IsAFunctionOfItsInput) {
  const Drawn d = drawn("1f1b", 4, 8);
  EXPECT_EQ(*draw_svg(d.schedule, d.timeline), *draw_svg(d.schedule, d.timeline));
}

TEST(DrawSvg, DrawsMeasuredTimes) {
  Drawn d = drawn("1f1b", 3, 5);
  const Reading symbolic(drawing_of(d, of_width(4000)), 21);
  d.timeline.level = Level::HostThreads;
  for (auto& row : d.timeline.spans)
    for (Span& span : row) span = {4 + span.start * 0.0011, 4 + span.end * 0.0011};
  const auto all = drawing_of(d, of_width(4000));
  const Reading measured(all, 21);
  ASSERT_EQ(measured.cells.size(), symbolic.cells.size());
  for (std::size_t i = 0; i < symbolic.cells.size(); ++i)
    EXPECT_NEAR(measured.cells[i].start, symbolic.cells[i].start, 0.01);
  EXPECT_EQ(of_class(all, "text", "unit").at(0).text, "ms");
  EXPECT_EQ(all.at(1).text, "1f1b, 3 devices, 5 micro-batches, 23.1 ms, host threads");
}

TEST(DrawSvg, RefusesPolitely) {
  const Drawn d = drawn("forward", 2, 2);
  EXPECT_FALSE(draw_svg(d.schedule, d.timeline, of_width(239)));
  EXPECT_FALSE(draw_svg(d.schedule, d.timeline, of_width(4001)));
  SvgStyle style;
  style.id = "a\"b";
  EXPECT_FALSE(draw_svg(d.schedule, d.timeline, style));
  EXPECT_FALSE(draw_svg(d.schedule, drawn("forward", 3, 2).timeline));
  const Drawn large = drawn("forward", 100, 201);
  const auto refused = draw_svg(large.schedule, large.timeline);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "the schedule has 20100 actions; an SVG figure holds at most 20000");
}

TEST(ComparisonSvg, LaysMeasuredBelowPredictedOnOneScale) {
  const Drawn d = drawn("forward", 2, 2);
  Timeline slower = d.timeline;
  slower.level = Level::HostThreads;
  for (auto& row : slower.spans)
    for (Span& span : row) span = {9 + span.start * 2, 9 + span.end * 2};
  const auto all = parse(*draw_comparison_svg(d.schedule, d.timeline, slower));
  std::vector<Element> cells = of_class(all, "rect", "forward");
  cells.pop_back();  // the legend
  ASSERT_EQ(cells.size(), 8U);
  // Device 0 predicted, device 0 measured, device 1 predicted, device 1 measured.
  for (std::size_t i = 0; i < 8; i += 4) {
    EXPECT_LT(cells[i].number("y"), cells[i + 2].number("y"));
    EXPECT_NEAR(cells[i + 2].number("width") + 1, 2 * (cells[i].number("width") + 1),
                0.05);
  }
  EXPECT_EQ(cells[0].number("x"), cells[2].number("x"));
  EXPECT_EQ(cells[3].number("x"), cells[6].number("x"));  // F1 of 0, and F0 of 1
  EXPECT_NE(all.at(1).text.find("ratio 2"), std::string::npos);
}

// ---- Colours
// ----------------------------------------------------------------------------

/// Relative luminance of "#rrggbb" (WCAG 2.1).
double luminance(std::string_view colour) {
  const auto channel = [&](std::size_t at) {
    const double value =
        std::stoi(std::string(colour.substr(at, 2)), nullptr, 16) / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

double contrast(std::string_view a, std::string_view b) {
  const double light = std::max(luminance(a), luminance(b));
  const double dark = std::min(luminance(a), luminance(b));
  return (light + 0.05) / (dark + 0.05);
}

/// A colour of which `percent` are left beside white (255) or black (0).
std::string mixed(std::string_view colour, int percent, int with) {
  std::string out = "#";
  for (const std::size_t at : {1U, 3U, 5U}) {
    const int value = std::stoi(std::string(colour.substr(at, 2)), nullptr, 16);
    const int mix = (value * percent + with * (100 - percent)) / 100;
    out += "0123456789abcdef"[mix / 16];
    out += "0123456789abcdef"[mix % 16];
  }
  return out;
}

TEST(SvgStyle, LettersStandOutFromEveryFill) {
  for (const Fill& fill : kFills) {
    EXPECT_GE(contrast(fill.light, kLetterLight), 4.5) << fill.css_class;
    EXPECT_GE(contrast(fill.dark, kLetterDark), 4.5) << fill.css_class;
    for (std::size_t tone = 1; tone < kTones; ++tone) {
      EXPECT_GE(contrast(mixed(fill.light, kLeftInLight[tone], 255), kLetterLight),
                4.5);
      EXPECT_GE(contrast(mixed(fill.dark, kLeftInDark[tone], 0), kLetterDark), 4.5);
    }
  }
}

TEST(SvgStyle, FadesEachToneFurther) {
  for (std::size_t tone = 1; tone < kTones; ++tone) {
    EXPECT_LT(kLeftInLight[tone], kLeftInLight[tone - 1]);
    EXPECT_LT(kLeftInDark[tone], kLeftInDark[tone - 1]);
    const std::string number = std::to_string(tone);
    EXPECT_NE(
        style_sheet().find(".tone-" + number + "{fill:color-mix(in srgb,var(--fill) " +
                           std::to_string(kLeftInLight[tone]) + "%,"),
        std::string::npos);
  }
}

TEST(SvgStyle, FollowsTheColourSchemeOfTheReader) {
  const std::string sheet = style_sheet();
  const std::size_t dark = sheet.find("@media (prefers-color-scheme:dark)");
  ASSERT_NE(dark, std::string::npos);
  const auto rule = [](const Fill& fill, std::string_view colour) {
    const std::string css(fill.css_class);
    return "." + css + "{--fill:var(--pf-" + css + "," + std::string(colour) +
           ");fill:var(--fill)}";
  };
  for (const Fill& fill : kFills) {
    EXPECT_LT(sheet.find(rule(fill, fill.light)), dark);
    EXPECT_NE(sheet.find(rule(fill, fill.dark), dark), std::string::npos);
  }
}

TEST(SvgStyle, TouchesNothingOutsideTheFigure) {
  const std::string sheet = style_sheet();
  std::size_t rules = 0;
  for (std::size_t at = sheet.find('\n'); at + 1 < sheet.size();
       at = sheet.find('\n', at + 1)) {
    if (sheet[at + 1] != '.') continue;
    ++rules;
    EXPECT_EQ(sheet.compare(at + 1, 16, ".pipeline-figure"), 0);
  }
  EXPECT_GT(rules, 2 * kFills.size());
}

}  // namespace
}  // namespace pipeline
