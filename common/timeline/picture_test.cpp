#include "timeline/picture.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "schedule/lower.hpp"
#include "timeline/drawing_test_support.hpp"

namespace pipeline {
namespace {

Picture picture_of(const Drawn& d) {
  return *make_picture(d.schedule, d.timeline, 100'000, "a test");
}

double total(const std::vector<Span>& spans) {
  double sum = 0;
  for (const Span& span : spans) sum += span.length();
  return sum;
}

TEST(Picture, HasNoCellForAnUpdateThatTakesNoTime) {
  EXPECT_EQ(picture_of(drawn("gpipe", 3, 4)).cells, 3U * 4U * 2U);
  EXPECT_EQ(picture_of(one_row({{{ActionKind::Update, 0, 0, 0}, false}})).cells, 1U);
}

TEST(Picture, MakesOneCellOfWhatRunsTogether) {
  const Picture picture =
      picture_of(one_row({{{ActionKind::Forward, 0, 0, 3}, true},
                          {{ActionKind::Backward, 0, 0, 1}, false},
                          {{ActionKind::Forward, 0, 0, 4}, false}}));
  ASSERT_EQ(picture.rows[0].size(), 2U);
  EXPECT_EQ(cell_label(picture.rows[0][0], false), "F3+B1");
  EXPECT_EQ(cell_label(picture.rows[0][1], false), "F4");
  EXPECT_EQ(cell_label(picture.rows[0][1], true), "0F4");
}

TEST(Picture, LeavesSendsAndReceivesToTheArrows) {
  Drawn d = drawn("1f1b", 3, 4);
  const std::size_t cells = picture_of(d).cells;
  d.schedule = lower(d.schedule);
  d.timeline = *simulate(d.schedule, Costs{});
  EXPECT_EQ(picture_of(d).cells, cells);
}

TEST(Picture, StartsAtTheFirstCell) {
  Drawn d = drawn("forward", 2, 2);
  for (auto& row : d.timeline.spans)
    for (Span& span : row) span = {span.start + 50, span.end + 50};
  const Picture picture = picture_of(d);
  EXPECT_EQ(picture.origin, 50);
  EXPECT_EQ(picture.length, 3);
  EXPECT_EQ(picture.rows[1][0].span.start, 1);
}

TEST(Picture, KeepsTheRowOfADeviceThatDoesNothing) {
  const Picture picture = picture_of(with_an_idle_device());
  ASSERT_EQ(picture.rows.size(), 3U);
  EXPECT_TRUE(picture.rows[1].empty());
  EXPECT_EQ(total(idle_spans(picture.rows[0], picture.length)), 1);
  EXPECT_EQ(total(idle_spans(picture.rows[1], picture.length)), 3);
}

TEST(Picture, FillsEveryRowWithCellsAndBubbles) {
  for (const Generator& generator : generators()) {
    for (std::int32_t p = 1; p <= 5; ++p) {
      for (std::int32_t m = 1; m <= 5; ++m) {
        const Picture picture = picture_of(drawn(generator.name, p, m));
        for (const auto& row : picture.rows) {
          double busy = 0;
          for (const Cell& cell : row) busy += cell.span.length();
          EXPECT_EQ(busy + total(idle_spans(row, picture.length)), picture.length);
        }
      }
    }
  }
}

TEST(Picture, RefusesWhatItCannotDraw) {
  Drawn d = drawn("gpipe", 2, 2);
  EXPECT_FALSE(make_picture(d.schedule, drawn("gpipe", 2, 3).timeline, 100, "a test"));
  EXPECT_FALSE(make_picture(d.schedule, drawn("gpipe", 3, 2).timeline, 100, "a test"));
  EXPECT_TRUE(make_picture(d.schedule, d.timeline, 10, "a test"));
  const auto many = make_picture(d.schedule, d.timeline, 9, "a test");
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().what, "the schedule has 10 actions; a test holds at most 9");

  Drawn damaged = d;
  damaged.timeline.spans[1][0].end = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(make_picture(damaged.schedule, damaged.timeline, 100, "a test"));
  damaged.timeline.spans[1][0] = {2, 1};
  EXPECT_FALSE(make_picture(damaged.schedule, damaged.timeline, 100, "a test"));

  for (auto& row : d.timeline.spans)
    for (Span& span : row) span = {0, 0};
  EXPECT_FALSE(make_picture(d.schedule, d.timeline, 100, "a test"));
}

TEST(Links, FollowTheDependencesBetweenDevices) {
  for (std::int32_t p = 1; p <= 4; ++p) {
    for (std::int32_t m = 1; m <= 4; ++m) {
      const Drawn d = drawn("1f1b", p, m);
      const auto links = find_links(d.schedule, d.timeline);
      EXPECT_EQ(links.size(), static_cast<std::size_t>(2 * (p - 1) * m));
      for (const Link& link : links) {
        const Span& from = d.timeline.spans[link.from.device][link.from.entry];
        const Span& to = d.timeline.spans[link.to.device][link.to.entry];
        EXPECT_EQ(link.span.start, from.end);
        EXPECT_EQ(link.span.end, from.end);
        EXPECT_LE(link.span.end, to.start);
      }
    }
  }
}

TEST(Links, TakeTheTimesOfRecordedTransfers) {
  Drawn d = drawn("gpipe", 3, 2);
  Costs costs;
  costs.within_node.latency = 0.5;
  SimulateOptions options;
  options.record_transfers = true;
  d.timeline = *simulate(d.schedule, costs, options);
  ASSERT_EQ(d.timeline.transfers.size(), 8U);
  for (const Link& link : find_links(d.schedule, d.timeline))
    EXPECT_EQ(link.span.length(), 0.5);
}

TEST(Links, TakeTheTimesOfTheSendsInLoweredRows) {
  Drawn d = drawn("gpipe", 3, 2);
  Costs costs;
  costs.within_node.latency = 0.5;
  d.schedule = lower(d.schedule);
  d.timeline = *simulate(d.schedule, costs);
  const auto links = find_links(d.schedule, d.timeline);
  EXPECT_EQ(links.size(), 8U);
  for (const Link& link : links) EXPECT_EQ(link.span.length(), 0.5);
}

TEST(SteadyState, LastsFromTheLastDevicesFirstForwardToTheFirstsLast) {
  for (std::int32_t p = 2; p <= 6; ++p) {
    for (std::int32_t m = 1; m <= 8; ++m) {
      const Drawn d = drawn("forward", p, m);
      const auto steady = steady_states(d.schedule, d.timeline);
      ASSERT_EQ(steady.size(), m < p ? 0U : 1U) << p << " " << m;
      if (m < p) continue;
      EXPECT_EQ(steady[0].start, p - 1);
      EXPECT_EQ(steady[0].end, m);
    }
  }
}

TEST(SteadyState, DoesNotExistWhereOneDeviceIsBusyAtATime) {
  const Drawn d = drawn("model-parallel", 4, 8);
  EXPECT_TRUE(steady_states(d.schedule, d.timeline).empty());
  const Drawn alone = drawn("gpipe", 1, 8);
  EXPECT_TRUE(steady_states(alone.schedule, alone.timeline).empty());
}

TEST(SteadyState, ComesOnceAStep) {
  const Drawn d = drawn("gpipe", 2, 4, 3);
  const auto steady = steady_states(d.schedule, d.timeline);
  ASSERT_EQ(steady.size(), 3U);
  EXPECT_EQ(steady[0].start, 1);
  EXPECT_EQ(steady[0].end, 4);
  EXPECT_GT(steady[1].start, steady[0].end);
}

}  // namespace
}  // namespace pipeline
