#include "timeline/picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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
    for (const Shape& shape : shapes_up_to(5)) {
      const auto d = drawn_if_allowed(generator, shape);
      if (!d) continue;
      const Picture picture = picture_of(*d);
      ASSERT_EQ(picture.rows.size(), static_cast<std::size_t>(shape.devices));
      for (const auto& row : picture.rows) {
        double busy = 0;
        for (const Cell& cell : row) busy += cell.span.length();
        EXPECT_EQ(busy + total(idle_spans(row, picture.length)), picture.length);
      }
    }
  }
}

TEST(Picture, HoldsEveryActionOnceInTheRowOfItsDevice) {
  for (const Generator& generator : generators()) {
    for (Shape shape : shapes_up_to(5)) {
      shape.steps = 1 + shape.micro_batches % 2;
      const auto d = drawn_if_allowed(generator, shape);
      if (!d) continue;
      const Picture picture = picture_of(*d);
      for (std::size_t device = 0; device < picture.rows.size(); ++device) {
        std::vector<Action> shown;
        for (const Cell& cell : picture.rows[device])
          shown.insert(shown.end(), cell.actions.begin(), cell.actions.end());
        for (const Instant& instant : picture.instants[device])
          shown.insert(shown.end(), instant.actions.begin(), instant.actions.end());
        std::vector<Action> there;
        for (const Entry& entry : d->schedule.rows[device])
          there.push_back(entry.action);
        std::sort(shown.begin(), shown.end());
        std::sort(there.begin(), there.end());
        EXPECT_EQ(shown, there) << generator.name << ", device " << device;
      }
    }
  }
}

TEST(Picture, KeepsUpdatesThatTakeNoTimeAsInstants) {
  const Picture picture = picture_of(drawn("1f1b", 2, 3, 2));
  ASSERT_EQ(picture.instants[0].size(), 2U);
  EXPECT_EQ(picture.instants[0][0].actions,
            (std::vector<Action>{{ActionKind::Update, 0, 0, 2}}));
  EXPECT_EQ(picture.instants[0][0].time, 12);
  EXPECT_EQ(picture.instant_kinds, std::vector<ActionKind>{ActionKind::Update});
  // What ends a step of a two-way schedule happens at one moment.
  const Picture two_way = picture_of(drawn("dualpipe", 2, 4));
  ASSERT_EQ(two_way.instants[1].size(), 1U);
  EXPECT_EQ(two_way.instants[1][0].actions.size(), 4U);
}

TEST(Tones, TellTheStagesOfADeviceApart) {
  EXPECT_EQ(Tones(drawn("1f1b", 4, 4).schedule).count(), 1U);
  const Schedule loop = drawn("interleaved", 4, 4).schedule;
  const Tones looped(loop);
  ASSERT_EQ(looped.count(), 2U);
  EXPECT_EQ(looped.name(0), "stages 0 to 3");
  EXPECT_EQ(looped.name(1), "stages 4 to 7");
  EXPECT_EQ(looped.of({ActionKind::Forward, 0, 3, 0}), 0U);
  EXPECT_EQ(looped.of({ActionKind::Forward, 0, 4, 0}), 1U);
  // A micro-batch runs on one copy, and the copy tells the stage of a device.
  const Tones two_way(drawn("dualpipe", 4, 9 + 1).schedule);
  ASSERT_EQ(two_way.count(), 2U);
  EXPECT_EQ(two_way.name(0), "copy 1");
  EXPECT_EQ(two_way.name(1), "copy 2: last 5 of 10 micro-batches");
  EXPECT_EQ(two_way.of({ActionKind::Forward, 0, 3, 4}), 0U);
  EXPECT_EQ(two_way.of({ActionKind::Forward, 0, 0, 5}), 1U);
  // Whatever does not exist has a tone too.
  EXPECT_EQ(two_way.of({ActionKind::Forward, 0, 99, 5}), 0U);
  // Stages that do not lie side by side.
  Schedule odd = loop;
  odd.placement.device_of_stage = {0, 0, 1, 1, 2, 2, 3, 3};
  EXPECT_EQ(Tones(odd).name(1), "stages 1, 3, 5, 7");
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

TEST(Links, JoinEveryTwoNeighbouringActionsOnTwoDevices) {
  for (const Generator& generator : generators()) {
    for (const Shape& shape : shapes_up_to(5)) {
      const auto d = drawn_if_allowed(generator, shape);
      if (!d) continue;
      const Schedule& schedule = d->schedule;
      std::size_t expected = 0;
      for (std::int32_t k = 0; k < schedule.total_micro_batches(); ++k) {
        for (std::int32_t s = 1; s < schedule.stages(); ++s) {
          if (schedule.device_of(s - 1, k) == schedule.device_of(s, k)) continue;
          expected += static_cast<std::size_t>(schedule.slices_of(k)) *
                      (schedule.training ? 2 : 1);
        }
      }
      const auto links = find_links(schedule, d->timeline);
      EXPECT_EQ(links.size(), expected) << generator.name;
      for (const Link& link : links) {
        EXPECT_LE(link.span.end,
                  d->timeline.spans[link.to.device][link.to.entry].start);
      }
    }
  }
}

TEST(Links, TakeTheTimesOfTheirOwnSlices) {
  Drawn d = drawn("token-slices", 2, 1);
  d.schedule = *generate("token-slices",
                         {.shape = {.devices = 2, .micro_batches = 1}, .slices = {3}});
  Costs costs{.part_weights = {1, 2, 4}};
  costs.within_node.bandwidth = 1;
  costs.message_bytes = {0.5};
  d.timeline = *simulate(d.schedule, costs, {.record_transfers = true});
  const auto links = find_links(d.schedule, d.timeline);
  ASSERT_EQ(links.size(), 6U);
  for (const Link& link : links) {
    const Action& sent = d.schedule.rows[link.from.device][link.from.entry].action;
    EXPECT_EQ(link.span.length(),
              0.5 * costs.part_weights[static_cast<std::size_t>(sent.slice)]);
  }
}

TEST(SteadyState, IsOneOfAllStepsWhereNoneEndsInAFlush) {
  const Drawn d = drawn("pipedream", 3, 6, 3);
  const auto steady = steady_states(d.schedule, d.timeline);
  ASSERT_EQ(steady.size(), 1U);
  EXPECT_EQ(steady[0].start, 2);
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
