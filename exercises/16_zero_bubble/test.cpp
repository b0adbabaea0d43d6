#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "classroom/points.hpp"
#include "classroom/row_tests.hpp"
#include "exercise.hpp"
#include "schedule/generate.hpp"
#include "timeline/memory.hpp"

namespace pipeline {
namespace {

/// One device, one micro-batch, fewer micro-batches than devices, as many, and more.
std::vector<PipelineSize> sizes() {
  std::vector<PipelineSize> all;
  for (const std::int32_t p : {1, 2, 3, 4, 6}) {
    for (const std::int32_t m : {1, 2, 3, 5, 8, 13}) all.push_back({p, m});
  }
  return all;
}

struct Kind {
  const char* name;
  const char* generator;  ///< of the workbook
  std::function<ZeroBubblePlan(std::int32_t, std::int32_t, std::int32_t)> plan_of;
  /// What it may hold, and what a longest span takes with many micro-batches.
  std::int32_t (*limit)(std::int32_t p);
  std::int32_t (*span)(std::int32_t p, std::int32_t m);
};

std::vector<Kind> kinds() {
  return {{"ZB-H1", "zb-h1", h1_plan, [](std::int32_t p) { return p; },
           [](std::int32_t p, std::int32_t m) { return 3 * m + p - 1; }},
          {"ZB-H2", "zb-h2", h2_plan, [](std::int32_t p) { return 2 * p - 1; },
           [](std::int32_t /*p*/, std::int32_t m) { return 3 * m; }}};
}

Schedule generated(const Kind& kind, PipelineSize size) {
  return *generate(kind.generator, {{size.devices, size.micro_batches}});
}

/// The plan that a row follows: what stands before its first input gradient, and how
/// many of those before its first weight gradient.
ZeroBubblePlan plan_behind(const Row& row) {
  const auto place_of = [&row](ActionKind kind) {
    return std::find_if(row.begin(), row.end(), [kind](const Entry& entry) {
      return entry.action.kind == kind;
    });
  };
  const auto inputs_before = std::count_if(
      row.begin(), place_of(ActionKind::WeightGradient), [](const Entry& entry) {
        return entry.action.kind == ActionKind::InputGradient;
      });
  return {static_cast<std::int32_t>(place_of(ActionKind::InputGradient) - row.begin()),
          static_cast<std::int32_t>(inputs_before) - 1};
}

/// The student's rows by the right plans, so that a wrong plan fails its own tests.
Schedule student_schedule(const Kind& kind, PipelineSize size) {
  const Schedule right = generated(kind, size);
  return step_of(kind.name, size, /*training=*/true, [&](std::int32_t s) {
    return zero_bubble_row(s, plan_behind(right.rows[static_cast<std::size_t>(s)]),
                           size.micro_batches);
  });
}

std::string plan_in_words(const ZeroBubblePlan& plan) {
  return "warms up with " + std::to_string(plan.warm_up) + " and is " +
         std::to_string(plan.late) + " late";
}

void expect_no_more_than_there_are(const std::vector<PipelineSize>& some) {
  for (const Kind& kind : kinds()) {
    for (const PipelineSize size : some) {
      for (std::int32_t s = 0; s < size.devices; ++s) {
        const ZeroBubblePlan plan = kind.plan_of(s, size.devices, size.micro_batches);
        ASSERT_LE(std::int64_t{plan.warm_up} + plan.late, size.micro_batches)
            << size.name() << "stage " << s << " of " << kind.name << " "
            << plan_in_words(plan)
            << ": a weight gradient is kept back for a forward in its place, so that "
               "both together are no more than there are micro-batches. Re-read "
               "chapter 16, \"Warm-up and lateness\".";
        ASSERT_GE(plan.warm_up, 1)
            << size.name() << "stage " << s << " of " << kind.name
            << " needs a forward before its first input gradient. Re-read chapter 16, "
               "\"Warm-up and lateness\".";
      }
    }
  }
}

TEST(Plans, NeverTakeMoreMicroBatchesThanThereAre) {
  POINTS(1);
  expect_no_more_than_there_are(sizes());
}

void expect_filled_memory(const std::vector<PipelineSize>& some) {
  for (const Kind& kind : kinds()) {
    for (const PipelineSize size : some) {
      const std::int32_t limit = std::min(kind.limit(size.devices), size.micro_batches);
      for (std::int32_t s = 0; s < size.devices; ++s) {
        const ZeroBubblePlan plan = kind.plan_of(s, size.devices, size.micro_batches);
        ASSERT_EQ(std::int64_t{plan.warm_up} + plan.late, limit)
            << size.name() << "stage " << s << " of " << kind.name << " "
            << plan_in_words(plan) << ", and may hold " << limit
            << ": what the warm-up leaves, late weight gradients fill. Re-read chapter "
               "16, \"Warm-up and lateness\".";
      }
    }
  }
}

TEST(Plans, FillTheSameMemoryOnEveryStage) {
  POINTS(2);
  expect_filled_memory(sizes());
}

void expect_rows_that_run(const std::vector<PipelineSize>& some) {
  for (const Kind& kind : kinds()) {
    for (const PipelineSize size : some) {
      const Schedule schedule = student_schedule(kind, size);
      ASSERT_EQ(first_fault(schedule), "")
          << size.name() << kind.name << " on device 0 does "
          << in_words(as_written(schedule.rows[0]))
          << ". Each stage needs every F, every I and every W once, and no row may "
             "wait for another in a circle. Re-read chapter 16, \"Two halves\".";
    }
  }
}

TEST(ZeroBubbleRow, RunsEveryActionOnceInAnOrderThatCanRun) {
  POINTS(2);
  expect_rows_that_run(sizes());
}

void expect_gradients_in_order(const std::vector<PipelineSize>& some) {
  for (const Kind& kind : kinds()) {
    for (const PipelineSize size : some) {
      for (const Row& row : student_schedule(kind, size).rows) {
        ASSERT_EQ(order_of(row, ActionKind::WeightGradient),
                  first_to_last(size.micro_batches))
            << size.name() << kind.name << " does " << in_words(row)
            << ": however late, the oldest weight gradient goes first, or the weights "
               "are no longer those of one device. Re-read chapter 16, \"Two halves\".";
      }
    }
  }
}

TEST(ZeroBubbleRow, AddsGradientsInTheOrderOfTheMicroBatches) {
  POINTS(1);
  expect_gradients_in_order(sizes());
}

void expect_bubble(const std::vector<PipelineSize>& some) {
  for (const Kind& kind : kinds()) {
    for (const PipelineSize size : some) {
      if (size.micro_batches < 2 * size.devices) continue;
      // By the student's own plans.
      std::vector<ZeroBubblePlan> plans;
      for (std::int32_t s = 0; s < size.devices; ++s) {
        const ZeroBubblePlan plan = kind.plan_of(s, size.devices, size.micro_batches);
        plans.push_back(plan);
        ASSERT_TRUE(plan.warm_up >= 1 && plan.warm_up <= size.micro_batches &&
                    plan.late >= 0 && plan.late <= size.micro_batches)
            << size.name() << "stage " << s << " of " << kind.name << " "
            << plan_in_words(plan) << ", which no row can do.";
      }
      const Schedule schedule =
          step_of(kind.name, size, /*training=*/true, [&](std::int32_t s) {
            return zero_bubble_row(s, plans[static_cast<std::size_t>(s)],
                                   size.micro_batches);
          });
      const auto timeline = simulate(schedule, Costs{});
      ASSERT_TRUE(timeline.has_value()) << size.name() << timeline.error().what;
      const std::int32_t span = kind.span(size.devices, size.micro_batches);
      ASSERT_EQ(measure(schedule, *timeline).longest_span, span)
          << size.name() << "with F = I = W = 1 no device of " << kind.name
          << " takes longer than " << span
          << ". Re-read chapter 16, \"Span and makespan\".";
    }
  }
}

TEST(ZeroBubbleRow, HasTheBubbleOfItsClosedForm) {
  POINTS(2);
  expect_bubble(sizes());
}

/// What the workbook counts for its own rows.
void expect_peak(const std::vector<PipelineSize>& some) {
  for (const PipelineSize size : some) {
    for (const Kind& kind : kinds()) {
      const Schedule schedule = generated(kind, size);
      for (const double freed : {0.0, 0.5}) {
        const auto peak = memory(schedule, {.freed_by_input_gradient = freed}).peak;
        for (std::size_t d = 0; d < peak.size(); ++d) {
          ASSERT_DOUBLE_EQ(most_held(schedule.rows[d], freed), peak[d])
              << size.name() << kind.name << " does " << in_words(schedule.rows[d])
              << ". Re-read chapter 16, \"What it holds\".";
        }
      }
    }
  }
}

TEST(MostHeld, CountsAPartBetweenInputAndWeightGradient) {
  POINTS(2);
  const Row row = {
      forward_of(0, 0),         forward_of(0, 1),         input_gradient_of(0, 0),
      forward_of(0, 2),         input_gradient_of(0, 1),  input_gradient_of(0, 2),
      weight_gradient_of(0, 0), weight_gradient_of(0, 1), weight_gradient_of(0, 2)};
  for (const double freed : {0.0, 0.25, 0.5, 1.0}) {
    ASSERT_DOUBLE_EQ(most_held(row, freed), 3 - freed)
        << "after F0 F1 I0 F2 this row holds two whole activations and " << 1 - freed
        << " of the first, when an input gradient frees " << freed
        << ". Re-read chapter 16, \"What it holds\".";
  }
  expect_peak(sizes());
}

TEST(LongestSpan, IsOfOneDeviceAndNotOfAll) {
  POINTS(1);
  const std::vector<std::vector<Span>> spans = {
      {{0, 2}, {2, 3}, {7, 9}}, {{2, 5}, {6, 12}}, {{5, 8}, {9, 13}}};
  ASSERT_EQ(longest_span(spans), 10)
      << "the devices take 9, 10 and 8 from their first start to their last end: 13, "
         "the time of the step, is none of them. Re-read chapter 16, \"Span and "
         "makespan\".";
  ASSERT_EQ(longest_span({}), 0) << "without devices there is no span.";
}

void expect_steps(const std::vector<PipelineSize>& some, std::int32_t most_steps) {
  for (const auto& [p, m] : some) {
    for (std::int32_t n = 1; n <= most_steps; ++n) {
      const std::string size = PipelineSize{p, m}.name() + std::to_string(n) +
                               (n == 1 ? " step: " : " steps: ");
      ASSERT_EQ(steps_of_h2(n, p, m, false), n * 3 * m + p - 1)
          << size
          << "the next step's forwards run where this one has ended, so that the "
             "devices' late start counts once. Re-read chapter 16, \"Steps that "
             "interlock\".";
      ASSERT_EQ(steps_of_h2(n, p, m, true), n * (3 * m + p - 1))
          << size
          << "with a barrier every step begins anew on device 0, when the last "
             "device has ended. Re-read chapter 16, \"Steps that interlock\".";
    }
  }
}

TEST(StepsOfH2, InterlockUnlessThereIsABarrier) {
  POINTS(2);
  std::vector<PipelineSize> some;
  for (std::int32_t p = 1; p <= 5; ++p) {
    for (const std::int32_t m : {2 * p - 1, 2 * p, 3 * p + 1}) some.push_back({p, m});
  }
  expect_steps(some, 4);
}

// --- Drawn inputs: see classroom/draw.hpp

TEST(Plans, HoldForDrawnSizesToo) {
  POINTS(1);
  Draw draw;
  auto some = draw_sizes(draw, 4, {7, 4}, {16, 12});
  for (const PipelineSize size : draw_sizes(draw, 4, {2, 14}, {12, 60}))
    some.push_back(size);
  expect_no_more_than_there_are(some);
  expect_filled_memory(some);
  // What the sums do not show: how the two share them.
  for (const Kind& kind : kinds()) {
    for (const PipelineSize size : some) {
      const Schedule right = generated(kind, size);
      for (std::int32_t s = 0; s < size.devices; ++s) {
        const ZeroBubblePlan plan = kind.plan_of(s, size.devices, size.micro_batches);
        ASSERT_EQ(plan.warm_up,
                  plan_behind(right.rows[static_cast<std::size_t>(s)]).warm_up)
            << size.name() << "stage " << s << " of " << kind.name << " "
            << plan_in_words(plan) << ".";
      }
    }
  }
}

TEST(ZeroBubbleRow, HoldsForDrawnSizesToo) {
  POINTS(1);
  Draw draw;
  const auto some = draw_sizes(draw, 5, {2, 14}, {12, 40});
  expect_rows_that_run(some);
  expect_gradients_in_order(some);
}

TEST(MostHeld, HoldsForDrawnSizesToo) {
  POINTS(1);
  Draw draw;
  expect_peak(draw_sizes(draw, 5, {2, 9}, {12, 40}));
}

TEST(LongestSpan, HoldsForDrawnSpansToo) {
  POINTS(1);
  Draw draw;
  for (int i = 0; i < 10; ++i) {
    std::vector<std::vector<Span>> spans(static_cast<std::size_t>(draw.between(2, 8)));
    double longest = 0;
    for (std::vector<Span>& device : spans) {
      double now = draw.quarters(0, 9);
      const std::int32_t actions = draw.between(2, 12);
      for (std::int32_t k = 0; k < actions; ++k) {
        const double start = now + draw.quarters(0, 2);
        now = start + draw.quarters(1, 3);
        device.push_back({start, now});
      }
      longest = std::max(longest, device.back().end - device.front().start);
    }
    ASSERT_EQ(longest_span(spans), longest)
        << "of one device, from its first start to its last end.";
  }
}

TEST(StepsOfH2, HoldForDrawnSizesToo) {
  POINTS(1);
  Draw draw;
  std::vector<PipelineSize> some;
  for (int i = 0; i < 8; ++i) {
    const std::int32_t devices = draw.between(2, 20);
    some.push_back({devices, 2 * devices + draw.between(2, 40)});
  }
  expect_steps(some, 9);
}

}  // namespace
}  // namespace pipeline
