#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "timeline/draw_svg.hpp"
#include "timeline/drawing_test_support.hpp"
#include "timeline/metrics.hpp"
#include "timeline/picture.hpp"
#include "timeline/svg_style.hpp"
#include "timeline/svg_test_support.hpp"

namespace pipeline {
namespace {

/// What the paths of a live figure fill: boxes of a class, from its data alone.
struct Filled {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

/// Of "M12 40v22h3v-22z" and "m9 0v22h3v-22z", one after another.
std::vector<Filled> filled_by(const std::string& data) {
  std::vector<Filled> boxes;
  double x = 0;
  double y = 0;
  int taken = 0;
  for (std::size_t at = 0; at < data.size(); at += static_cast<std::size_t>(taken)) {
    double dx = 0;
    double dy = 0;
    double up = 0;
    Filled box;
    const char* text = data.c_str() + at;
    const int read = std::sscanf(text + 1, "%lf %lfv%lfh%lfv%lfz%n", &dx, &dy,
                                 &box.height, &box.width, &up, &taken);
    EXPECT_EQ(read, 5) << text;
    EXPECT_EQ(up, -box.height);
    if (read != 5) return boxes;
    ++taken;
    x = *text == 'M' ? dx : x + dx;
    y = *text == 'M' ? dy : y + dy;
    box.x = x;
    box.y = y;
    boxes.push_back(box);
  }
  return boxes;
}

LiveSvg live(const Drawn& d, const SvgStyle& style = {}) {
  auto figure = draw_live_svg(d.schedule, d.timeline, style);
  EXPECT_TRUE(figure) << figure.error().what;
  return figure ? *std::move(figure) : LiveSvg{};
}

/// Everything filled in the class of `css`, whether by itself or in a path.
std::vector<Filled> filled_of(const std::vector<Element>& all, const std::string& css) {
  std::vector<Filled> boxes;
  for (const Element& element : all) {
    const auto at = element.attributes.find("class");
    if (at == element.attributes.end() || at->second != css) continue;
    if (element.name == "rect") {
      boxes.push_back({element.number("x"), element.number("y"),
                       element.number("width"), element.number("height")});
    } else if (element.name == "path") {
      const auto more = filled_by(element.attributes.at("d"));
      boxes.insert(boxes.end(), more.begin(), more.end());
    }
  }
  return boxes;
}

/// The time that device `device` spends in what looks like `css`, as far as it is
/// drawn.
double drawn_time(const std::vector<Filled>& boxes, const FigureFrame& frame,
                  std::size_t device) {
  const FigureFrame::Row& row = frame.rows[device];
  double time = 0;
  for (const Filled& box : boxes) {
    if (box.y < row.y - 0.01 || box.y + box.height > row.y + row.height + 0.01)
      continue;
    time += box.width / frame.scale * box.height / row.height;
  }
  return time;
}

TEST(LiveSvg, FillsForEachDeviceWhatItIsBusyWith) {
  for (const Generator& generator : generators()) {
    for (const Shape& shape :
         {Shape{2, 4}, Shape{4, 8}, Shape{3, 7}, Shape{8, 32}, Shape{16, 128}}) {
      const auto d = drawn_if_allowed(generator, shape);
      if (!d) continue;
      SCOPED_TRACE(std::string(generator.name) + " p=" + std::to_string(shape.devices) +
                   " m=" + std::to_string(shape.micro_batches));
      const LiveSvg figure = live(*d);
      const auto all = parse(figure.svg);
      const Picture picture = *make_picture(d->schedule, d->timeline, 20'000, "a test");
      ASSERT_EQ(figure.frame.rows.size(), picture.rows.size());
      // By class and device: the time that is busy, and the same where nothing is
      // thinner than half a pixel.
      std::map<std::string, std::vector<std::pair<double, double>>> times;
      for (std::size_t device = 0; device < picture.rows.size(); ++device) {
        for (const Cell& cell : picture.rows[device]) {
          const double share = 1 / static_cast<double>(cell.actions.size());
          const double length = cell.span.length();
          for (const Action& action : cell.actions) {
            auto& of = times[css_class(action.kind, picture.tones.of(action))];
            of.resize(picture.rows.size());
            of[device].first += length * share;
            of[device].second += std::max(length, 0.5 / figure.frame.scale) * share;
          }
        }
      }
      for (const auto& [css, of_device] : times) {
        const auto boxes = filled_of(all, css);
        for (std::size_t device = 0; device < of_device.size(); ++device) {
          const auto& [busy, visible] = of_device[device];
          const double came = drawn_time(boxes, figure.frame, device);
          EXPECT_LE(came, visible * 1.001 + 0.1) << css << ' ' << device;
          // Less the hair's breadth on both sides of a cell, at most a quarter of it.
          EXPECT_GE(came, busy * 0.74) << css << ' ' << device;
        }
      }
    }
  }
}

TEST(LiveSvg, KeepsTheAreaOfWhatIsThinnerThanAPixel) {
  // 1200 forwards and backwards in 650 pixels: a third of the time is forward.
  Drawn d = drawn("1f1b", 4, 600);
  const LiveSvg figure = live(d);
  const auto all = parse(figure.svg);
  const double forward = drawn_time(filled_of(all, "forward"), figure.frame, 3);
  const double backward = drawn_time(filled_of(all, "backward"), figure.frame, 3);
  EXPECT_NEAR(forward, 600, 12);
  EXPECT_NEAR(backward, 1200, 12);
}

TEST(LiveSvg, LetsNothingVanish) {
  // One tick of work in ten thousand, alone between bubbles.
  Drawn d = drawn("forward", 3, 2);
  d.timeline.spans = {
      {{0, 1}, {1, 2}}, {{2, 3}, {9000, 9001}}, {{3, 4}, {9999, 10000}}};
  const LiveSvg figure = live(d);
  for (const Filled& box : filled_of(parse(figure.svg), "forward"))
    EXPECT_GE(box.width, 0.5);
  EXPECT_EQ(filled_of(parse(figure.svg), "forward").size(), 1U + 2U + 2U + 1U);
}

TEST(LiveSvg, IsExactlyAsWideAsAskedFor) {
  for (const std::int32_t width : {240, 360, 760, 2000}) {
    for (const auto& [p, m] : {std::pair{1, 1}, {4, 8}, {8, 32}, {16, 128}}) {
      const Drawn d = drawn("1f1b", p, m);
      const LiveSvg figure = live(d, of_width(width));
      const auto all = parse(figure.svg);
      EXPECT_EQ(figure.frame.width, width);
      EXPECT_EQ(all.at(0).number("width"), width);
      EXPECT_EQ(all.at(0).number("height"), figure.frame.height);
      EXPECT_EQ(of_class(all, "text", "unit").size(), 1U);  // never folded
      const double end = measure(d.schedule, d.timeline).makespan;
      EXPECT_NEAR(of_class(all, "line", "axis").at(0).number("x2"),
                  figure.frame.x_of(end), 0.01);
    }
  }
}

TEST(LiveSvg, NumbersOfTheAxisKeepApart) {
  for (const std::int32_t m : {8, 32, 128, 600}) {
    const auto all = parse(live(drawn("1f1b", 4, m)).svg);
    double last = -100;
    for (const Element& mark : of_class(all, "text", "number")) {
      const double width = 6.2 * static_cast<double>(mark.text.size());
      EXPECT_GE(mark.number("x") - last, width) << mark.text;
      last = mark.number("x");
    }
  }
}

TEST(LiveSvg, SaysWhereEachRowAndEachTimeIs) {
  const Drawn d = drawn("1f1b", 4, 8);
  const LiveSvg figure = live(d);
  const auto cells = filled_of(parse(figure.svg), "forward");
  // F0 of device 1 from 1 to 2.
  const auto at = std::find_if(cells.begin(), cells.end(), [&](const Filled& cell) {
    return std::fabs(cell.y - figure.frame.rows[1].y) < 0.01;
  });
  ASSERT_NE(at, cells.end());
  EXPECT_NEAR(at->x, figure.frame.x_of(1) + 0.5, 0.01);
  EXPECT_NEAR(at->x + at->width, figure.frame.x_of(2) - 0.5, 0.01);
  EXPECT_EQ(at->height, figure.frame.rows[1].height);
  // On a clock that starts elsewhere too.
  Drawn later = d;
  for (auto& row : later.timeline.spans)
    for (Span& span : row) span = {span.start + 100, span.end + 100};
  EXPECT_NEAR(live(later).frame.x_of(101), figure.frame.x_of(1), 1e-6);
}

TEST(LiveSvg, SharesItsAxisUpToWhatIsAskedFor) {
  SvgStyle style;
  style.until = 100;
  const FigureFrame gpipe = live(drawn("gpipe", 4, 8), style).frame;
  const FigureFrame zero_bubble = live(drawn("zb-h2", 12, 8), style).frame;
  EXPECT_EQ(gpipe.x, zero_bubble.x);
  EXPECT_EQ(gpipe.scale, zero_bubble.scale);
  EXPECT_LT(gpipe.x_of(100), 760);
  EXPECT_GT(gpipe.x_of(100), 700);
  style.until = 33;
  const FigureFrame whole = live(drawn("gpipe", 4, 8), style).frame;
  style.until = 1;  // less than the timeline needs
  EXPECT_EQ(live(drawn("gpipe", 4, 8), style).frame.scale, whole.scale);
}

TEST(LiveSvg, DrawsABoardOnWhichNothingStandsYet) {
  Drawn d = drawn("1f1b", 3, 4);
  for (auto& row : d.schedule.rows) row.clear();
  for (auto& row : d.timeline.spans) row.clear();
  EXPECT_FALSE(draw_live_svg(d.schedule, d.timeline));
  SvgStyle style;
  style.until = 20;
  const LiveSvg figure = live(d, style);
  EXPECT_EQ(figure.frame.rows.size(), 3U);
  EXPECT_EQ(of_class(parse(figure.svg), "text", "device").size(), 3U);
}

TEST(LiveSvg, HasFewElementsAndBytes) {
  const auto tags = [](const LiveSvg& figure) {
    return std::count(figure.svg.begin(), figure.svg.end(), '<');
  };
  const LiveSvg small = live(drawn("1f1b", 8, 32));
  EXPECT_LT(tags(small), 400);
  EXPECT_LT(small.svg.size(), 30'000U);
  for (const char* name : {"gpipe", "1f1b", "zb-h1", "dualpipe", "pipedream"}) {
    const LiveSvg large = live(drawn(name, 16, 128));
    EXPECT_LT(tags(large), 800) << name;
    EXPECT_LT(large.svg.size(), 150'000U) << name;
  }
}

TEST(LiveSvg, LeavesStyleAndTooltipsToThePage) {
  const auto all = parse(live(drawn("1f1b", 4, 8)).svg);
  std::size_t titles = 0;
  for (const Element& element : all) {
    EXPECT_NE(element.name, "style");
    titles += element.name == "title" ? 1 : 0;
  }
  EXPECT_EQ(titles, 1U);  // that of the figure
  EXPECT_EQ(all.at(1).text, "1f1b, 4 devices, 8 micro-batches, 33 ticks");
  EXPECT_EQ(all.at(0).attributes.at("role"), "img");
  EXPECT_EQ(style_sheet(), "<style>\n" + style_rules() + "</style>\n");
}

TEST(LiveSvg, DrawsArrowsWhereTheyStandApart) {
  const auto all = parse(live(drawn("1f1b", 4, 8)).svg);
  ASSERT_EQ(of_class(all, "path", "arrow").size(), 2U);  // and one in the legend
  const auto count = [](const std::string& text, char c) {
    return std::count(text.begin(), text.end(), c);
  };
  EXPECT_EQ(count(of_class(all, "path", "arrow")[0].attributes.at("d"), 'M'),
            2 * 3 * 8);
  EXPECT_EQ(count(of_class(all, "path", "head").at(1).attributes.at("d"), 'z'),
            2 * 3 * 8);
  const auto crowded = parse(live(drawn("1f1b", 8, 32)).svg);
  EXPECT_TRUE(of_class(crowded, "path", "arrow").empty());
  for (const Element& key : of_class(crowded, "text", "key"))
    EXPECT_NE(key.text, "transfer");
  SvgStyle without;
  without.transfers = false;
  without.steady = false;
  const auto plain = parse(live(drawn("1f1b", 4, 8), without).svg);
  EXPECT_TRUE(of_class(plain, "path", "arrow").empty());
  EXPECT_TRUE(of_class(plain, "rect", "steady").empty());
}

TEST(LiveSvg, MarksWhatTakesNoTimeWithoutCoveringIt) {
  const auto marks = [](const Drawn& d) {
    std::size_t count = 0;
    for (const Element& path : of_class(parse(live(d).svg), "path", "update")) {
      const std::string& data = path.attributes.at("d");
      count += static_cast<std::size_t>(std::count(data.begin(), data.end(), 'M'));
    }
    return count;
  };
  EXPECT_EQ(marks(drawn("1f1b", 2, 3, 2)), 2U * 2U + 1U);  // one in the legend
  const std::size_t crowded = marks(drawn("pipedream", 16, 256));
  EXPECT_GT(crowded, 16U * 120U);
  EXPECT_LT(crowded, 16U * 150U);
}

TEST(LiveSvg, RefusesPolitely) {
  const Drawn d = drawn("forward", 2, 2);
  EXPECT_FALSE(draw_live_svg(d.schedule, d.timeline, of_width(239)));
  SvgStyle style;
  for (const double until : {-1.0, std::nan(""), HUGE_VAL}) {
    style.until = until;
    EXPECT_FALSE(draw_live_svg(d.schedule, d.timeline, style));
  }
  style.until = 1;
  EXPECT_FALSE(draw_live_svg(Schedule{}, Timeline{}, style));
}

/// No scale is finite for what is over in 1e-320 ticks.
TEST(LiveSvg, RefusesATimelineThatIsOverTooSoon) {
  Drawn d = drawn("forward", 1, 1);
  d.timeline.spans[0][0] = {0, 1e-320};
  EXPECT_FALSE(draw_live_svg(d.schedule, d.timeline));
  EXPECT_FALSE(draw_svg(d.schedule, d.timeline));
  EXPECT_FALSE(draw_comparison_svg(d.schedule, d.timeline, d.timeline));
  SvgStyle style;
  style.until = 1e-320;
  EXPECT_FALSE(draw_live_svg(d.schedule, d.timeline, style));
  style.until = 1;
  EXPECT_TRUE(draw_live_svg(d.schedule, d.timeline, style));
  d.timeline.spans[0][0] = {0, 1e-299};
  EXPECT_EQ(live(d).svg.find("nan"), std::string::npos);
  EXPECT_EQ(live(d).svg.find("inf"), std::string::npos);
}

}  // namespace
}  // namespace pipeline
