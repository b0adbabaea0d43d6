#include "timeline/why.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schedule/full_tier.hpp"
#include "schedule/generate.hpp"
#include "schedule/lower.hpp"
#include "schedule/random_schedules.hpp"
#include "timeline/drawing_test_support.hpp"
#include "timeline/picture.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

using test::Random;

/// Of the entry with this label; the row must have one.
std::size_t entry_of(const Schedule& schedule, std::size_t device, ActionKind kind,
                     std::int32_t micro_batch) {
  const Row& row = schedule.rows[device];
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i].action.kind == kind && row[i].action.micro_batch == micro_batch)
      return i;
  }
  return row.size();
}

std::string why_sentence(const Drawn& d, std::int32_t device, ActionKind kind,
                         std::int32_t micro_batch) {
  const auto row = static_cast<std::size_t>(device);
  const auto why = why_action(d.schedule, d.timeline, device,
                              entry_of(d.schedule, row, kind, micro_batch));
  return why ? why->sentence : why.error().what;
}

std::string gap_sentence(const Drawn& d, std::int32_t device, double time) {
  const auto why = why_gap(d.schedule, d.timeline, device, time);
  return why ? why->sentence : why.error().what;
}

// ---- What it says
// -----------------------------------------------------------------------

TEST(Why, NamesWhatADeviceWasBusyWith) {
  const Drawn d = drawn("1f1b", 4, 8);
  EXPECT_EQ(why_sentence(d, 0, ActionKind::Forward, 4),
            "F4 could not start earlier: device 0 was busy with B0 until 12 ticks.");
}

/// An update takes no time: it holds nobody up, and unlocks nothing.
TEST(Why, LooksThroughWhatTakesNoTime) {
  const Drawn d = drawn("pipedream", 4, 8);
  EXPECT_EQ(why_sentence(d, 0, ActionKind::Forward, 4),
            "F4 could not start earlier: device 0 was busy with B0 until 12 ticks.");
  const auto labels = [&](ActionKind kind, std::int32_t micro_batch) {
    const auto why = why_action(d.schedule, d.timeline, 0,
                                entry_of(d.schedule, 0, kind, micro_batch));
    std::vector<std::string> unlocked;
    for (const Unlocked& next : why->unlocks) unlocked.push_back(next.cell.label);
    return unlocked;
  };
  EXPECT_EQ(labels(ActionKind::Backward, 0), (std::vector<std::string>{"U0", "F4"}));
  EXPECT_EQ(labels(ActionKind::Update, 0), std::vector<std::string>{});
}

/// A meeting waits for others, and what follows it waits for the meeting.
TEST(Why, DoesNotLookThroughAMeeting) {
  Drawn d;
  d.schedule = *generate(
      "1f1b", {{.devices = 3, .micro_batches = 2, .steps = 2, .global_norm = true}});
  d.timeline = *simulate(d.schedule, Costs{});
  EXPECT_EQ(why_sentence(d, 0, ActionKind::Forward, 2),
            "F2 could not start earlier: device 0 had to come to NR1 first, at 12 "
            "ticks.");
}

TEST(Why, NamesTheMessageAndWhoMadeIt) {
  const Drawn d = drawn("1f1b", 4, 8);
  EXPECT_EQ(why_sentence(d, 0, ActionKind::Backward, 0),
            "B0 could not start earlier: it needs the gradient that B0 on device 1 "
            "makes from 8 to 10 ticks.");
  EXPECT_EQ(why_sentence(d, 1, ActionKind::Forward, 0),
            "F0 could not start earlier: it needs the activation that F0 on device 0 "
            "makes from 0 to 1 tick.");
}

TEST(Why, SaysWhenAMessageThatTakesTimeArrives) {
  Drawn d = drawn("forward", 2, 3);
  const Costs costs{.within_node = {.latency = 1, .bandwidth = 1},
                    .message_bytes = {3}};
  d.timeline = *simulate(d.schedule, costs, {.record_transfers = true});
  EXPECT_EQ(why_sentence(d, 1, ActionKind::Forward, 0),
            "F0 could not start earlier: it needs the activation that F0 on device 0 "
            "makes from 0 to 1 tick, which arrives at 5 ticks.");
  EXPECT_EQ(why_sentence(d, 1, ActionKind::Forward, 1),
            "F1 could not start earlier: it needs the activation that F1 on device 0 "
            "makes from 1 to 2 ticks, which its link is free for at 4 ticks and which "
            "arrives at 8 ticks.");
  const auto why = why_action(d.schedule, d.timeline, 1, 1);
  EXPECT_EQ(why->message->waited_for, WaitReason::Link);
  // The queue on the link began with F0: none of the later messages would have arrived
  // sooner, had the action that makes it been quicker.
  const auto first = why_action(d.schedule, d.timeline, 0, 0);
  std::vector<std::string> unlocked;
  for (const Unlocked& next : first->unlocks)
    unlocked.push_back(next.cell.label + "@" + std::to_string(next.cell.device));
  EXPECT_EQ(unlocked, (std::vector<std::string>{"F1@0", "F0@1", "F1@1", "F2@1"}));
  EXPECT_EQ(why_action(d.schedule, d.timeline, 0, 1)->unlocks.size(), 1U);  // F2
}

TEST(Why, SaysThatTheFirstActionWaitsForNothing) {
  const auto why =
      why_action(drawn("1f1b", 4, 8).schedule, drawn("1f1b", 4, 8).timeline, 0, 0);
  EXPECT_EQ(why->waited_for, WaitReason::Nothing);
  EXPECT_FALSE(why->cause);
  EXPECT_EQ(why->sentence,
            "F0 waits for nothing: it needs no other device, and its own has nothing "
            "to do before it.");
}

TEST(Why, NamesWhoComesLastToAMeeting) {
  Drawn d;
  d.schedule = *generate(
      "1f1b", {{.devices = 3, .micro_batches = 2, .steps = 1, .global_norm = true}});
  d.timeline = *simulate(d.schedule, Costs{});
  const std::size_t norm = entry_of(d.schedule, 2, ActionKind::ReduceNorm, 1);
  const auto why = why_action(d.schedule, d.timeline, 2, norm);
  EXPECT_EQ(why->waited_for, WaitReason::Meeting);
  EXPECT_EQ(why->sentence,
            "NR1 could not start earlier: several devices do it together, and device 0 "
            "comes to it last, at 12 ticks, after B1.");
  EXPECT_EQ(gap_sentence(d, 2, 9),
            "This bubble exists because several devices do NR1 together, and device 0 "
            "comes to it last, at 12 ticks, after B1; before that comes B1 on device "
            "1.");
}

TEST(Why, TellsWhatTheEndOfAnActionUnlocks) {
  const Drawn d = drawn("1f1b", 4, 8);
  const auto why = why_action(d.schedule, d.timeline, 1,
                              entry_of(d.schedule, 1, ActionKind::Backward, 0));
  ASSERT_EQ(why->unlocks.size(), 2U);
  EXPECT_EQ(why->unlocks[0].sentence,
            "B0 on device 0 starts at 10 ticks, when what B0 makes has arrived.");
  EXPECT_EQ(why->unlocks[0].through, WaitReason::Message);
  EXPECT_EQ(why->unlocks[1].sentence,
            "F3 starts at 10 ticks, when B0 leaves device 1 free.");
  EXPECT_EQ(why->unlocks[1].through, WaitReason::Device);
}

TEST(Why, ExplainsEachKindOfBubble) {
  const Drawn d = drawn("1f1b", 4, 8);
  EXPECT_EQ(gap_sentence(d, 2, 0),
            "This bubble exists because nothing has reached device 2 yet (warm-up): F0 "
            "waits for the activation that F0 on device 1 makes from 1 to 2 ticks; "
            "before that comes F0 on device 0.");
  EXPECT_EQ(
      gap_sentence(d, 0, 5),
      "This bubble exists because B0 waits for the gradient that B0 on device 1 "
      "makes from 8 to 10 ticks; before that come B0 on device 2 and B0 on device "
      "3.");
  EXPECT_EQ(gap_sentence(d, 3, 30),
            "This bubble exists because device 3 has done all its work by 27 ticks "
            "(drain), and other devices are at work until 33 ticks.");
  EXPECT_EQ(gap_sentence(with_an_idle_device(), 1, 1),
            "This bubble exists because device 1 has nothing to do in this schedule.");
}

TEST(Why, CountsMeasuredTimesFromTheFirstStartAndOwnsUpToWhatItCannotExplain) {
  Drawn d = drawn("forward", 2, 2);
  d.timeline.level = Level::HostThreads;
  for (auto& row : d.timeline.spans) {
    for (Span& span : row) span = {7 + span.start * 0.01, 7 + span.end * 0.01};
  }
  d.timeline.spans[1][1] = {7.022, 7.032};
  EXPECT_EQ(
      why_sentence(d, 1, ActionKind::Forward, 1),
      "F1 could not start earlier: device 1 was busy with F0 until 20 ms; for the "
      "2 ms after that the timeline shows no reason.");
  EXPECT_EQ(gap_sentence(d, 1, 7.021),
            "This bubble exists because F1 starts at 22 ms, for which the timeline "
            "shows no reason.");
}

TEST(Why, RefusesPolitely) {
  const Drawn d = drawn("1f1b", 4, 8);
  EXPECT_EQ(why_action(d.schedule, d.timeline, 4, 0).error().what,
            "there is no device 4");
  EXPECT_EQ(why_action(d.schedule, d.timeline, -1, 0).error().what,
            "there is no device -1");
  EXPECT_EQ(why_action(d.schedule, d.timeline, 0, 17).error().what,
            "device 0 has no entry 17");
  EXPECT_FALSE(why_action(d.schedule, drawn("1f1b", 4, 7).timeline, 0, 0));
  EXPECT_FALSE(why_gap(d.schedule, drawn("1f1b", 3, 8).timeline, 0, 0));
  EXPECT_FALSE(why_gap(d.schedule, d.timeline, 4, 5));
  EXPECT_EQ(why_gap(d.schedule, d.timeline, 0, 0.5).error().what,
            "device 0 is busy with F0 at 0.5 ticks");
  EXPECT_EQ(why_gap(d.schedule, d.timeline, 0, 33).error().what,
            "33 ticks is no moment of this timeline");
  EXPECT_EQ(why_gap(d.schedule, d.timeline, 0, 33).error().remedy,
            "ask for one from 0 on and before 33 ticks");
  for (const double time : {-1.0, 1e300, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_FALSE(why_gap(d.schedule, d.timeline, 0, time));
  }
  const Schedule lowered = lower(d.schedule);
  const Timeline timeline = *simulate(lowered, Costs{});
  EXPECT_FALSE(why_action(lowered, timeline, 0, 1));  // sends activation 0
}

// ---- What must hold of every timeline
// -----------------------------------------------------

/// Small whole numbers, so that times are exact.
Costs whole_costs(Random& random, const Schedule& schedule) {
  const auto cost = [&random](std::int32_t low) -> double {
    return random.between(low, 9);
  };
  Costs costs;
  costs.stages.clear();
  for (std::int32_t s = 0; s < schedule.stages(); ++s) {
    costs.stages.push_back({.forward = cost(1),
                            .input_gradient = cost(1),
                            .weight_gradient = cost(0),
                            .recompute = cost(0),
                            .overlapped = 12,
                            .update = cost(0) > 5 ? 1.0 : 0.0,
                            .reduce = cost(0) > 5 ? 2.0 : 0.0});
  }
  costs.within_node = {random.one_in(2) ? 0 : cost(1), cost(0) > 5 ? 1.0 : 0.0};
  costs.message_bytes = {cost(0)};
  return costs;
}

using Place = std::pair<std::int32_t, std::size_t>;

Place place_of(const CellAt& cell) { return {cell.device, cell.first_entry}; }

/// A named cause really ends when the cell starts, plus the transfer.
void expect_cause(const Why& why) {
  SCOPED_TRACE(why.sentence);
  EXPECT_EQ(why.until, why.cell.span.start);
  if (why.waited_for == WaitReason::Nothing) {
    EXPECT_EQ(why.cell.span.start, 0);
    EXPECT_FALSE(why.cause);
    return;
  }
  ASSERT_TRUE(why.cause);
  if (why.waited_for != WaitReason::Meeting) {
    EXPECT_EQ(why.message.has_value(), why.waited_for == WaitReason::Message);
  }
  if (why.waited_for == WaitReason::Device) {
    EXPECT_EQ(why.cause->device, why.cell.device);
  }
  if (!why.message) {
    EXPECT_EQ(why.cause->span.end, why.until);
    return;
  }
  EXPECT_EQ(why.message->span.end, why.until);
  EXPECT_EQ(why.message->device, why.cause->device);
  if (why.waited_for == WaitReason::Message) {
    EXPECT_EQ(why.message->to_device, why.cell.device);
  }
  if (why.message->waited_for == WaitReason::Producer) {
    EXPECT_EQ(why.message->span.start, why.cause->span.end);
  } else {
    EXPECT_GT(why.message->span.start, why.cause->span.end);
  }
}

/// Every cell but the first is unlocked by one cell, and only by one.
void expect_causes(const Drawn& d) {
  std::set<Place> cells;
  std::set<Place> unlocked;
  std::size_t roots = 0;
  for (std::size_t row = 0; row < d.schedule.rows.size(); ++row) {
    const auto device = static_cast<std::int32_t>(row);
    for (std::size_t i = 0; i < d.schedule.rows[row].size(); ++i) {
      const auto why = why_action(d.schedule, d.timeline, device, i);
      ASSERT_TRUE(why) << why.error().what;
      if (!cells.insert(place_of(why->cell)).second) continue;
      expect_cause(*why);
      if (why->waited_for == WaitReason::Nothing) ++roots;
      for (const Unlocked& next : why->unlocks) {
        EXPECT_TRUE(unlocked.insert(place_of(next.cell)).second) << next.sentence;
        EXPECT_GE(next.cell.span.start, why->cell.span.end) << next.sentence;
      }
    }
  }
  EXPECT_EQ(unlocked.size() + roots, cells.size());
}

void expect_gap(const Drawn& d, std::int32_t device, const Span& gap, double length) {
  const auto why = why_gap(d.schedule, d.timeline, device, (gap.start + gap.end) / 2);
  ASSERT_TRUE(why) << why.error().what;
  SCOPED_TRACE(why->sentence);
  EXPECT_TRUE(why->sentence.starts_with("This bubble exists because "));
  EXPECT_EQ(why->gap.start, gap.start);
  EXPECT_EQ(why->gap.end, gap.end);
  EXPECT_NE(why->cause, GapCause::Other);
  if (why->cause == GapCause::Drain) {
    EXPECT_FALSE(why->next);
    EXPECT_TRUE(why->chain.empty());
    EXPECT_EQ(gap.end, length);
    return;
  }
  ASSERT_TRUE(why->next);
  EXPECT_EQ(why->next->cell.span.start, gap.end);
  EXPECT_NE(why->next->waited_for, WaitReason::Device);
  expect_cause(*why->next);
  // One step after another, from before the gap to its end.
  ASSERT_FALSE(why->chain.empty());
  EXPECT_LE(why->chain.front().span.start, gap.start);
  EXPECT_EQ(why->chain.back().span.end, gap.end);
  for (std::size_t i = 1; i < why->chain.size(); ++i)
    EXPECT_EQ(why->chain[i - 1].span.end, why->chain[i].span.start);
  EXPECT_EQ(why->cause == GapCause::WarmUp, gap.start == 0);
}

void expect_gaps(const Drawn& d) {
  const Picture picture = *make_picture(d.schedule, d.timeline, 100'000, "a test");
  for (std::size_t row = 0; row < picture.rows.size(); ++row) {
    for (const Span& gap : idle_spans(picture.rows[row], picture.length))
      expect_gap(d, static_cast<std::int32_t>(row), gap, picture.length);
  }
}

TEST(Why, HoldsForEveryGenerator) {
  const bool full = in_full_tier();
  Random random(21);
  for (const Generator& generator : generators()) {
    int accepted = 0;
    for (Shape shape : shapes_up_to(full ? 7 : 4)) {
      shape.steps = 1 + shape.micro_batches % 2;
      auto d = drawn_if_allowed(generator, shape);
      if (!d) continue;
      ++accepted;
      Costs costs = whole_costs(random, d->schedule);
      d->timeline = *simulate(d->schedule, costs, {.record_transfers = true});
      SCOPED_TRACE(std::string(generator.name) + " p=" + std::to_string(shape.devices) +
                   " m=" + std::to_string(shape.micro_batches));
      expect_causes(*d);
      expect_gaps(*d);
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(accepted, 2) << generator.name;
  }
}

TEST(Why, HoldsForSchedulesWithoutAPlan) {
  Random random(22);
  for (int round = in_full_tier() ? 3000 : 60; round > 0; --round) {
    Drawn d{test::random_schedule(random), {}};
    d.timeline = *simulate(d.schedule, whole_costs(random, d.schedule),
                           {.record_transfers = true});
    SCOPED_TRACE("round " + std::to_string(round));
    expect_causes(d);
    expect_gaps(d);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace pipeline
