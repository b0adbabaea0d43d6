#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "classroom/points.hpp"
#include "classroom/row_tests.hpp"
#include "exercise.hpp"
#include "schedule/generate.hpp"
#include "schedule/recompute.hpp"
#include "timeline/memory.hpp"

namespace pipeline {
namespace {

/// Without the updates that end the step, which `one_step` adds.
Schedule without_updates(Schedule schedule) {
  for (Row& row : schedule.rows) row = as_written(std::move(row));
  return schedule;
}

/// One device that takes micro-batch 0 back when it has done with all others.
Schedule one_waits_for_all(std::int32_t pairs) {
  Row row;
  const auto forward = [&row](std::int32_t k) { row.push_back(forward_of(0, k)); };
  const auto backward = [&row](std::int32_t k) { row.push_back(backward_of(0, k)); };
  forward(0);
  for (std::int32_t k = 1; k < 2 * pairs; k += 2) {
    forward(k);
    forward(k + 1);
    backward(k);
    backward(k + 1);
  }
  backward(0);
  return without_updates(
      one_step("a row of its own", {row}, 2 * pairs + 1, /*training=*/true));
}

/// GPipe and 1F1B: one device, fewer micro-batches than devices, as many, and more.
std::vector<Schedule> schedules() {
  std::vector<Schedule> all;
  for (const std::int32_t p : {1, 2, 4, 5}) {
    for (const std::int32_t m : {1, 2, 4, 7}) {
      all.push_back(without_updates(*gpipe({.devices = p, .micro_batches = m})));
      all.push_back(without_updates(*one_f_one_b({.devices = p, .micro_batches = m})));
    }
  }
  all.push_back(one_waits_for_all(3));
  return all;
}

std::string name(const Schedule& schedule, std::size_t stage) {
  return schedule.name + ", " + std::to_string(schedule.devices()) + " devices, " +
         std::to_string(schedule.micro_batches) + " micro-batches, stage " +
         std::to_string(stage) + ": ";
}

/// Every other micro-batch, or all but those.
std::vector<bool> every_other(std::int32_t micro_batches, bool first) {
  std::vector<bool> again(static_cast<std::size_t>(micro_batches), !first);
  for (std::size_t k = 0; k < again.size(); k += 2) again[k] = first;
  return again;
}

std::vector<bool> all_of(std::int32_t micro_batches) {
  return std::vector<bool>(static_cast<std::size_t>(micro_batches), true);
}

/// The student's step with those re-computed on every stage.
Schedule student_step(const Schedule& plain, const std::vector<bool>& again) {
  return step_of(plain.name, {plain.devices(), plain.micro_batches}, /*training=*/true,
                 [&](std::int32_t s) {
                   return with_recomputes(plain.rows[static_cast<std::size_t>(s)], s,
                                          again);
                 });
}

/// From the least that will do up to what holds all, in halves.
std::vector<double> limits_from(double least, std::int32_t micro_batches) {
  std::vector<double> limits;
  const auto steps = static_cast<std::size_t>(2 * (micro_batches - least)) + 1;
  limits.reserve(steps);
  for (std::size_t i = 0; i < steps; ++i) {
    limits.push_back(least + 0.5 * static_cast<double>(i));
  }
  return limits;
}

/// What a row holds, by the book and not by the student.
double held_by(const Row& row, double input_share) {
  Schedule alone;
  alone.placement = one_stage_per_device(1);
  alone.micro_batches = 1000;
  alone.rows = {row};
  for (Entry& entry : alone.rows[0]) entry.action.stage = 0;
  return memory(alone, {.input_share = {input_share}}).peak[0];
}

/// The same as `with_recomputes`, by the book.
Row by_the_book(const Row& row, const std::vector<bool>& again) {
  Row longer;
  for (const Entry& entry : row) {
    const Action& action = entry.action;
    if (action.kind == ActionKind::Backward &&
        again[static_cast<std::size_t>(action.micro_batch)]) {
      longer.push_back(recompute_of(action.stage, action.micro_batch));
    }
    longer.push_back(entry);
  }
  return longer;
}

/// How many re-computations keep stage `s` within its limit.
std::int64_t fewest_for(const Schedule& plain, std::size_t s, double limit,
                        double input_share) {
  RecomputeOptions options{.policies = {RecomputePolicy::ForMemory},
                           .input_share = {input_share}};
  options.limit.assign(plain.rows.size(), plain.micro_batches);  // all of them
  options.limit[s] = limit;
  const Schedule step =
      one_step(plain.name, plain.rows, plain.micro_batches, /*training=*/true);
  return recomputes_of(*with_recompute(step, options))[s];
}

void expect_step_ticks(const std::vector<PipelineSize>& sizes) {
  for (const auto& [p, m] : sizes) {
    const auto step = with_recompute(*gpipe({.devices = p, .micro_batches = m}));
    const double ticks = *ticks_of(*step);
    ASSERT_EQ(step_ticks(p, m), ticks)
        << PipelineSize{p, m}.name() << "the step takes " << ticks
        << " ticks, and you say " << step_ticks(p, m)
        << ": only the last device has no bubble to re-compute in. Re-read "
           "chapter 12, \"In the bubble\".";
  }
}

TEST(StepTicks, AreLessThanAThirdMore) {
  POINTS(2);
  std::vector<PipelineSize> sizes;
  for (const std::int32_t p : {1, 2, 4, 7}) {
    for (const std::int32_t m : {1, 2, 4, 8, 16}) sizes.push_back({p, m});
  }
  expect_step_ticks(sizes);
}

void expect_rows_that_run(const std::vector<Schedule>& all) {
  for (const Schedule& plain : all) {
    for (const bool first : {true, false}) {
      const auto again = every_other(plain.micro_batches, first);
      const Schedule step = student_step(plain, again);
      ASSERT_EQ(first_fault(step), "")
          << name(plain, 0) << "the row became " << in_words(step.rows[0])
          << ". All forwards and backwards stay in their order, and a re-computation "
             "stands between the two of its micro-batch, an entry of its own. Re-read "
             "chapter 12, \"Made again\".";
    }
  }
}

TEST(WithRecomputes, MakesARowThatCanRun) {
  POINTS(1);
  expect_rows_that_run(schedules());
}

void expect_asked_for(const std::vector<Schedule>& all) {
  for (const Schedule& plain : all) {
    const auto again = every_other(plain.micro_batches, true);
    const Row row = with_recomputes(plain.rows[0], 0, again);
    std::vector<std::int32_t> expected;
    for (std::int32_t k = 0; k < plain.micro_batches; k += 2) expected.push_back(k);
    std::vector<std::int32_t> came = order_of(row, ActionKind::Recompute);
    std::sort(came.begin(), came.end());
    ASSERT_EQ(came, expected)
        << name(plain, 0) << "the row became " << in_words(row)
        << ". Those with an even number were to be re-computed. Re-read chapter 12, "
           "\"Made again\".";
  }
}

TEST(WithRecomputes, RecomputesThoseThatAreAskedForAndNoOthers) {
  POINTS(1);
  expect_asked_for(schedules());
}

void expect_one_at_a_time(const std::vector<Schedule>& all) {
  for (const Schedule& plain : all) {
    const Schedule step = student_step(plain, all_of(plain.micro_batches));
    ASSERT_EQ(first_fault(step), "") << name(plain, 0) << "the rows cannot run";
    for (std::size_t s = 0; s < plain.rows.size(); ++s) {
      const Row& row = step.rows[s];
      ASSERT_EQ(held_by(row, 0), 1)
          << name(plain, s) << "with all re-computed the row became " << in_words(row)
          << ", and holds " << held_by(row, 0)
          << " activations at once. Make one again only when its backward is next. "
             "Re-read chapter 12, \"Made again\".";
    }
  }
}

TEST(WithRecomputes, HoldsOneActivationAtATime) {
  POINTS(3);
  expect_one_at_a_time(schedules());
}

void expect_most_held(const std::vector<Schedule>& all) {
  for (const Schedule& plain : all) {
    for (const double share : {0.0, 0.25, 0.5}) {
      for (const bool first : {true, false}) {
        const auto again = every_other(plain.micro_batches, first);
        for (std::size_t s = 0; s < plain.rows.size(); ++s) {
          const auto longer = by_the_book(plain.rows[s], again);
          ASSERT_NEAR(most_held(longer, share), held_by(longer, share), 1e-9)
              << name(plain, s) << in_words(longer) << " holds "
              << held_by(longer, share) << " at once, and you say "
              << figure(most_held(longer, share)) << ", where inputs are " << share
              << " of an activation. Each forward and each re-computation makes one "
                 "whole. Re-read chapter 12, \"What it holds\".";
        }
      }
    }
  }
}

TEST(MostHeld, CountsTheInputsOfThoseThatWereForgotten) {
  POINTS(2);
  expect_most_held(schedules());
}

void expect_within_limit(const std::vector<Schedule>& all) {
  for (const Schedule& plain : all) {
    for (const double share : {0.0, 0.25}) {
      for (std::size_t s = 0; s < plain.rows.size(); ++s) {
        const double least =
            held_by(by_the_book(plain.rows[s], all_of(plain.micro_batches)), share);
        for (const double limit : limits_from(least, plain.micro_batches)) {
          const auto again = choose(plain.rows[s], static_cast<std::int32_t>(s),
                                    plain.micro_batches, limit, share);
          ASSERT_EQ(again.size(), static_cast<std::size_t>(plain.micro_batches))
              << name(plain, s) << "the answer needs a place for each micro-batch.";
          const Row longer = by_the_book(plain.rows[s], again);
          ASSERT_LE(held_by(longer, share), limit + 1e-9)
              << name(plain, s) << "by your choice " << in_words(longer) << " holds "
              << held_by(longer, share) << ", over the limit of " << limit
              << ". Re-read chapter 12, \"As few as will do\".";
        }
      }
    }
  }
}

TEST(Choose, StaysWithinTheLimit) {
  POINTS(1);
  expect_within_limit(schedules());
}

void expect_fewest(const std::vector<Schedule>& all) {
  for (const Schedule& plain : all) {
    for (const double share : {0.0, 0.25}) {
      for (std::size_t s = 0; s < plain.rows.size(); ++s) {
        const double least =
            held_by(by_the_book(plain.rows[s], all_of(plain.micro_batches)), share);
        for (const double limit : limits_from(least, plain.micro_batches)) {
          const auto again = choose(plain.rows[s], static_cast<std::int32_t>(s),
                                    plain.micro_batches, limit, share);
          const auto fewest = fewest_for(plain, s, limit, share);
          const auto yours = std::count(again.begin(), again.end(), true);
          ASSERT_EQ(yours, fewest)
              << name(plain, s) << in_words(plain.rows[s]) << " can stay within "
              << limit << " with " << fewest << " re-computations, and you make "
              << yours
              << ". Keep those first that are needed soonest. Re-read "
                 "chapter 12, \"As few as will do\".";
        }
      }
    }
  }
}

TEST(Choose, RecomputesAsFewAsWillDo) {
  POINTS(2);
  expect_fewest(schedules());
}

// --- Drawn inputs: see classroom/draw.hpp

TEST(StepTicks, HoldForDrawnSizesToo) {
  POINTS(1);
  Draw draw;
  expect_step_ticks(draw_sizes(draw, 10, {2, 3}, {20, 40}));
}

std::vector<Schedule> drawn_schedules(PipelineSize most) {
  Draw draw;
  std::vector<Schedule> all;
  all.push_back(one_waits_for_all(draw.between(4, 6)));
  for (std::int32_t odd = 0; odd <= 1; ++odd) {
    const std::int32_t p = draw.between(3, most.devices);
    const std::int32_t m = 2 * draw.between(3, most.micro_batches / 2) + odd;
    all.push_back(without_updates(*gpipe({.devices = p, .micro_batches = m})));
    all.push_back(without_updates(*one_f_one_b({.devices = p, .micro_batches = m})));
  }
  return all;
}

TEST(WithRecomputes, HoldsForDrawnSchedulesToo) {
  POINTS(1);
  const std::vector<Schedule> all = drawn_schedules({12, 40});
  expect_rows_that_run(all);
  expect_asked_for(all);
  expect_one_at_a_time(all);
}

TEST(MostHeld, HoldsForDrawnSchedulesToo) {
  POINTS(1);
  expect_most_held(drawn_schedules({12, 40}));
}

TEST(Choose, HoldsForDrawnSchedulesToo) {
  POINTS(1);
  const std::vector<Schedule> all = drawn_schedules({5, 12});
  expect_within_limit(all);
  expect_fewest(all);
}

}  // namespace
}  // namespace pipeline
