#include "timeline/draw_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "timeline/drawing_test_support.hpp"
#include "timeline/picture.hpp"

namespace pipeline {
namespace {

TextStyle ascii(std::int32_t width = 80) {
  TextStyle style;
  style.ascii = true;
  style.width = width;
  return style;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::int32_t columns(const std::string& line) {
  return static_cast<std::int32_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

/// What stands between the frame's bars for one device, all bands in a row. A band of
/// boxed ticks ends in a bar that belongs to its last tick.
std::string strip(const std::string& drawing, std::int32_t device) {
  const std::string label = "device " + std::to_string(device) + " ";
  std::string whole;
  for (const std::string& line : lines_of(drawing)) {
    if (!line.starts_with(label)) continue;
    const std::size_t bar = line.find('|');  // labels are padded to one width
    whole += line.substr(bar + 1, line.size() - bar - 2);
  }
  return whole;
}

/// The columns of some ticks, without what only fills and frames them.
std::string content(const std::string& strip, std::int32_t width, double start,
                    double end) {
  const auto from = static_cast<std::size_t>(start) * static_cast<std::size_t>(width);
  const auto to = static_cast<std::size_t>(end) * static_cast<std::size_t>(width);
  std::string inside = strip.substr(from, to - from);
  std::erase_if(inside, [](char c) { return c == ' ' || c == '-' || c == '|'; });
  return inside;
}

/// Reads each cell and each idle tick where it should be: every column of the strip
/// belongs to one of them.
void expect_row(const std::string& row, const std::vector<Cell>& cells,
                const Picture& picture) {
  const auto ticks = static_cast<std::int32_t>(picture.length);
  const bool boxed = row.front() == ' ';
  const auto size = static_cast<std::int32_t>(row.size()) + (boxed ? 1 : 0);
  ASSERT_EQ(size % ticks, 0) << row;
  const std::int32_t width = size / ticks;
  double now = 0;
  const auto expect_idle_until = [&](double until) {
    while (now < until) {
      EXPECT_EQ(content(row, width, now, now + 1).find_first_not_of('.'),
                std::string::npos)
          << "tick " << now;
      ++now;
    }
  };
  for (const Cell& cell : cells) {
    expect_idle_until(cell.span.start);
    EXPECT_EQ(content(row, width, cell.span.start, cell.span.end),
              cell_label(cell, picture.names_stages));
    now = cell.span.end;
  }
  expect_idle_until(picture.length);
  // An idle tick has its dot, and nothing else has.
  for (const Span& idle : idle_spans(cells, picture.length)) {
    const auto end = static_cast<std::int32_t>(idle.end);
    for (auto tick = static_cast<std::int32_t>(idle.start); tick < end; ++tick)
      EXPECT_FALSE(content(row, width, tick, tick + 1).empty());
  }
}

/// The columns that each tick needs at least.
double columns_per_tick(const Picture& picture) {
  double most = 1;
  for (const auto& row : picture.rows) {
    for (const Cell& cell : row) {
      const auto size =
          static_cast<double>(cell_label(cell, picture.names_stages).size());
      most = std::max(most, std::ceil(size / cell.span.length()));
    }
  }
  return most + (picture.names_stages ? 1 : 0);
}

void expect_drawn(const Drawn& d, std::int32_t width) {
  const Picture picture = *make_picture(d.schedule, d.timeline, 100'000, "a test");
  const std::string drawing = *draw_text(d.schedule, d.timeline, ascii(width));
  SCOPED_TRACE(drawing);
  for (const std::string& line : lines_of(drawing)) ASSERT_LE(columns(line), width);
  if (drawing.find("one column is") != std::string::npos) {
    // Only where whole ticks would take more bands than one wants to read.
    EXPECT_GT(picture.length * columns_per_tick(picture), (width - 12 - 5) * 5);
    return;
  }
  for (std::size_t device = 0; device < picture.rows.size(); ++device) {
    expect_row(strip(drawing, static_cast<std::int32_t>(device)), picture.rows[device],
               picture);
  }
}

TEST(DrawText, ShowsEveryCellOnceAtItsTickAndEveryIdleTick) {
  for (const Generator& generator : generators()) {
    for (const Shape& shape : shapes_up_to(sweep_limit())) {
      const auto d = drawn_if_allowed(generator, shape);
      if (!d) continue;
      SCOPED_TRACE(generator.name);
      for (const std::int32_t width : {40, 80, 132}) expect_drawn(*d, width);
    }
  }
}

TEST(DrawText, ShowsSeveralSteps) {
  for (const Generator& generator : generators()) {
    for (const std::int32_t p : {1, 2, 4}) {
      const auto d =
          drawn_if_allowed(generator, {.devices = p, .micro_batches = 4, .steps = 2});
      if (d) expect_drawn(*d, 132);
    }
  }
}

TEST(DrawText, NamesTheStageWhereADeviceHoldsSeveral) {
  const Drawn d = drawn("interleaved", 2, 2);
  const std::string drawing = *draw_text(d.schedule, d.timeline, ascii());
  EXPECT_TRUE(strip(drawing, 0).starts_with("0F0")) << drawing;
  EXPECT_NE(drawing.find("2F3: stage 2, forward, micro-batch 3"), std::string::npos);
}

TEST(DrawText, KeepsLabelsThatNameStagesApart) {
  // "0F00F1" could be read in two ways, though there is room for it.
  const Drawn d = drawn("dualpipe", 4, 10);
  const std::string drawing = *draw_text(d.schedule, d.timeline, ascii(110));
  EXPECT_TRUE(strip(drawing, 0).starts_with("0F0 ") ||
              strip(drawing, 0).starts_with("0F0- "))
      << drawing;
  const Drawn plain = drawn("gpipe", 2, 12);
  EXPECT_TRUE(strip(*draw_text(plain.schedule, plain.timeline, ascii(132)), 0)
                  .starts_with("F0 F1 "));
}

TEST(DrawText, SaysWhichMicroBatchesRunOnTheSecondCopy) {
  const Drawn d = drawn("dualpipe", 2, 4);
  const std::string drawing = *draw_text(d.schedule, d.timeline, ascii());
  EXPECT_NE(drawing.find("2 copies of the weights"), std::string::npos);
  EXPECT_NE(drawing.find("copy 2: last 2 of 4 micro-batches"), std::string::npos);
  EXPECT_NE(drawing.find("1F3+0B0"), std::string::npos) << drawing;
}

TEST(DrawText, NamesSlices) {
  const Drawn d = *drawn_if_allowed(
      *std::find_if(generators().begin(), generators().end(),
                    [](const Generator& g) { return g.reads.slices; }),
      {.devices = 2, .micro_batches = 2});
  const std::string drawing = *draw_text(d.schedule, d.timeline, ascii());
  EXPECT_NE(drawing.find("F1.1"), std::string::npos) << drawing;
  EXPECT_NE(drawing.find("F3.1: slice 1 of micro-batch 3"), std::string::npos);
}

TEST(DrawText, UnderlinesFurtherStagesInColour) {
  const auto coloured = [](const char* name) {
    const Drawn d = drawn(name, 2, 4);
    TextStyle style = ascii();
    style.color = true;
    return *draw_text(d.schedule, d.timeline, style);
  };
  EXPECT_EQ(coloured("1f1b").find(";4m"), std::string::npos);
  EXPECT_NE(coloured("interleaved").find(";4m"), std::string::npos);
  EXPECT_NE(coloured("dualpipe").find(";4m"), std::string::npos);
}

TEST(DrawText, SixTicksCanBeReadOffThePictureOfChapterOne) {
  const Drawn d = drawn("forward", 3, 4);
  EXPECT_EQ(*draw_text(d.schedule, d.timeline),
            "forward · 3 devices · 4 micro-batches · 6 ticks\n"
            "\n"
            "tick        1    2    3    4    5    6\n"
            "         ┌────┬────┬────┬────┬────┬────┐\n"
            "device 0 │ F0 │ F1 │ F2 │ F3 │ ·· │ ·· │\n"
            "device 1 │ ·· │ F0 │ F1 │ F2 │ F3 │ ·· │\n"
            "device 2 │ ·· │ ·· │ F0 │ F1 │ F2 │ F3 │\n"
            "         └────┴────┴────┴────┴────┴────┘\n"
            "                   └─────────┘ steady state\n"
            "F forward   · idle   the number is the micro-batch\n");
}

TEST(DrawText, InAsciiHasTheSameShape) {
  for (const std::int32_t m : {4, 8, 40}) {
    const Drawn d = drawn("1f1b", 4, m);
    const auto unicode = lines_of(*draw_text(d.schedule, d.timeline));
    const std::string plain = *draw_text(d.schedule, d.timeline, ascii());
    EXPECT_TRUE(std::all_of(plain.begin(), plain.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x80;
    }));
    const auto lines = lines_of(plain);
    ASSERT_EQ(lines.size(), unicode.size());
    for (std::size_t i = 1; i < lines.size(); ++i)
      EXPECT_EQ(columns(lines[i]), columns(unicode[i]));
  }
}

TEST(DrawText, KeepsTheRowOfADeviceThatDoesNothing) {
  const Drawn d = with_an_idle_device();
  const std::string drawing = *draw_text(d.schedule, d.timeline, ascii());
  EXPECT_EQ(strip(drawing, 0), " F0 | F1 | .. ");
  EXPECT_EQ(strip(drawing, 1), " .. | .. | .. ");
  EXPECT_EQ(strip(drawing, 2), " .. | F0 | F1 ");
}

TEST(DrawText, KeepsEveryDeviceInEveryBand) {
  const Drawn d = drawn("forward", 3, 40);
  const std::string drawing = *draw_text(d.schedule, d.timeline, ascii());
  EXPECT_NE(drawing.find("time axis folded into 3 bands"), std::string::npos)
      << drawing;
  std::map<std::string, int> rows;
  for (const std::string& line : lines_of(drawing))
    if (line.starts_with("device")) ++rows[line.substr(0, 8)];
  EXPECT_EQ(rows, (std::map<std::string, int>{
                      {"device 0", 3}, {"device 1", 3}, {"device 2", 3}}));
}

TEST(DrawText, LeavesOutUpdatesThatTakeNoTime) {
  const Drawn d = drawn("gpipe", 2, 2);
  EXPECT_EQ(draw_text(d.schedule, d.timeline)->find('U'), std::string::npos);
}

TEST(DrawText, ShowsWhatRunsTogetherAsOneCell) {
  const Drawn d = one_row({{{ActionKind::Forward, 0, 0, 3}, true},
                           {{ActionKind::Backward, 0, 0, 1}, false}});
  EXPECT_EQ(strip(*draw_text(d.schedule, d.timeline, ascii()), 0), " F3+B1 ");
}

TEST(DrawText, RoundsMeasuredTimesToColumns) {
  Drawn d = drawn("forward", 2, 3);
  d.timeline.level = Level::HostThreads;
  for (auto& row : d.timeline.spans)
    for (Span& span : row) span = {3 + span.start * 0.0021, 3 + span.end * 0.0021};
  const std::string drawing = *draw_text(d.schedule, d.timeline, ascii());
  SCOPED_TRACE(drawing);
  EXPECT_NE(drawing.find("8.4 ms, host threads"), std::string::npos);
  const std::string first = strip(drawing, 0);
  const std::string second = strip(drawing, 1);
  EXPECT_EQ(first.find("F0"), 0U);
  EXPECT_EQ(first.find("F1"), second.find("F0"));
  EXPECT_EQ(first.find("F2"), second.find("F1"));
  EXPECT_EQ(std::count(first.begin(), first.end(), '.'),
            std::count(second.begin(), second.end(), '.'));
}

TEST(DrawText, SaysHowManyCellsAreTooNarrow) {
  Drawn d = one_row({{{ActionKind::Forward, 0, 0, 0}, false},
                     {{ActionKind::Forward, 0, 0, 1}, false},
                     {{ActionKind::Forward, 0, 0, 2}, false}});
  d.timeline.level = Level::HostThreads;
  d.timeline.spans[0] = {{0, 1}, {1, 1.00001}, {1.02, 1.04}};
  const std::string drawing = *draw_text(d.schedule, d.timeline, ascii());
  EXPECT_NE(drawing.find("1 cell too narrow for a number"), std::string::npos)
      << drawing;
  EXPECT_NE(drawing.find("1 cell too narrow to be seen"), std::string::npos) << drawing;
}

TEST(DrawText, FitsTheWidthWhateverIsDrawn) {
  for (const char* name : {"gpipe", "1f1b", "model-parallel"}) {
    for (const std::int32_t m : {1, 7, 30, 200}) {
      Drawn d = drawn(name, 5, m);
      d.schedule.name = std::string(200, 'x');
      for (const std::int32_t width : {40, 57, 80, 200}) {
        for (const bool plain : {false, true}) {
          TextStyle style = ascii(width);
          style.ascii = plain;
          for (const std::string& line :
               lines_of(*draw_text(d.schedule, d.timeline, style)))
            EXPECT_LE(columns(line), width) << line;
        }
      }
    }
  }
}

TEST(DrawText, ColoursCellsAndNothingElse) {
  const Drawn d = drawn("gpipe", 3, 4);
  TextStyle style = ascii();
  const std::string plain = *draw_text(d.schedule, d.timeline, style);
  style.color = true;
  const std::string coloured = *draw_text(d.schedule, d.timeline, style);
  std::string stripped;
  bool escape = false;
  for (const char c : coloured) {
    if (c == '\x1b') escape = true;
    if (!escape) stripped += c;
    if (c == 'm') escape = false;
  }
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  EXPECT_NE(coloured, plain);
  // The letter m ends an escape and nothing but an escape was taken out.
  EXPECT_EQ(stripped, plain);
  for (const std::string& line : lines_of(coloured))
    EXPECT_TRUE(line.find('\x1b') == std::string::npos || line.starts_with("device"));
}

TEST(DrawText, DoesNotPassControlsToTheTerminal) {
  Drawn d = drawn("forward", 1, 1);
  d.schedule.name = "\x1b[2J\n";
  const std::string drawing = *draw_text(d.schedule, d.timeline);
  EXPECT_TRUE(drawing.starts_with("?[2J? · 1 device")) << drawing;
}

TEST(DrawText, RefusesPolitely) {
  const Drawn d = drawn("forward", 2, 2);
  EXPECT_FALSE(draw_text(d.schedule, d.timeline, ascii(39)));
  EXPECT_FALSE(draw_text(d.schedule, d.timeline, ascii(-1)));
  EXPECT_FALSE(draw_text(d.schedule, d.timeline, ascii(1001)));
  EXPECT_FALSE(draw_text(d.schedule, drawn("forward", 2, 3).timeline));
  const Drawn large = drawn("forward", 257, 1);
  const auto refused = draw_text(large.schedule, large.timeline);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "a drawing of 257 devices would be too long to read");
}

TEST(ComparisonText, LaysMeasuredBelowPredictedOnOneScale) {
  const Drawn d = drawn("forward", 2, 2);
  Timeline slower = d.timeline;
  slower.level = Level::HostThreads;
  for (auto& row : slower.spans)
    for (Span& span : row) span = {9 + span.start * 2, 9 + span.end * 2};
  const std::string drawing =
      *draw_comparison_text(d.schedule, d.timeline, slower, ascii());
  SCOPED_TRACE(drawing);
  EXPECT_NE(drawing.find("ratio 2"), std::string::npos);
  std::vector<std::string> rows;
  for (const std::string& line : lines_of(drawing))
    if (const std::size_t bar = line.find('|'); bar != std::string::npos)
      rows.push_back(line.substr(bar + 1));
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_NEAR(static_cast<double>(rows[1].find("F1")),
              2 * static_cast<double>(rows[0].find("F1")), 1);
  EXPECT_NEAR(static_cast<double>(rows[3].find("F1")),
              2 * static_cast<double>(rows[2].find("F1")), 1);
  EXPECT_EQ(rows[1].find("F1"), rows[3].find("F0"));
}

}  // namespace
}  // namespace pipeline
