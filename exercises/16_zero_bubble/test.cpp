#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "classroom/points.hpp"
#include "classroom/row_tests.hpp"
#include "exercise.hpp"
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
  std::function<ZeroBubblePlan(std::int32_t, std::int32_t, std::int32_t)> plan_of;
  /// What it may hold, and what a longest span takes with many micro-batches.
  std::int32_t (*limit)(std::int32_t p);
  std::int32_t (*span)(std::int32_t p, std::int32_t m);
};

std::vector<Kind> kinds() {
  return {{"ZB-H1", h1_plan, [](std::int32_t p) { return p; },
           [](std::int32_t p, std::int32_t m) { return 3 * m + p - 1; }},
          {"ZB-H2", h2_plan, [](std::int32_t p) { return 2 * p - 1; },
           [](std::int32_t /*p*/, std::int32_t m) { return 3 * m; }}};
}

Schedule student_schedule(const Kind& kind, PipelineSize size) {
  return step_of(kind.name, size, /*training=*/true, [&](std::int32_t s) {
    return zero_bubble_row(s, kind.plan_of(s, size.devices, size.micro_batches),
                           size.micro_batches);
  });
}

std::string plan_in_words(const ZeroBubblePlan& plan) {
  return "warms up with " + std::to_string(plan.warm_up) + " and is " +
         std::to_string(plan.late) + " late";
}

TEST(Plans, NeverTakeMoreMicroBatchesThanThereAre) {
  POINTS(1);
  for (const Kind& kind : kinds()) {
    for (const PipelineSize size : sizes()) {
      for (std::int32_t s = 0; s < size.devices; ++s) {
        const ZeroBubblePlan plan = kind.plan_of(s, size.devices, size.micro_batches);
        ASSERT_LE(plan.warm_up + plan.late, size.micro_batches)
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

TEST(Plans, FillTheSameMemoryOnEveryStage) {
  POINTS(2);
  for (const Kind& kind : kinds()) {
    for (const PipelineSize size : sizes()) {
      const std::int32_t limit = std::min(kind.limit(size.devices), size.micro_batches);
      for (std::int32_t s = 0; s < size.devices; ++s) {
        const ZeroBubblePlan plan = kind.plan_of(s, size.devices, size.micro_batches);
        ASSERT_EQ(plan.warm_up + plan.late, limit)
            << size.name() << "stage " << s << " of " << kind.name << " "
            << plan_in_words(plan) << ", and may hold " << limit
            << ": what the warm-up leaves, late weight gradients fill. Re-read chapter "
               "16, \"Warm-up and lateness\".";
      }
    }
  }
}

TEST(ZeroBubbleRow, RunsEveryActionOnceInAnOrderThatCanRun) {
  POINTS(2);
  for (const Kind& kind : kinds()) {
    for (const PipelineSize size : sizes()) {
      const Schedule schedule = student_schedule(kind, size);
      ASSERT_EQ(first_fault(schedule), "")
          << size.name() << kind.name << " on device 0 does "
          << row_in_words(schedule.rows[0])
          << ". Each stage needs every F, every I and every W once, and no row may "
             "wait for another in a circle. Re-read chapter 16, \"Two halves\".";
    }
  }
}

TEST(ZeroBubbleRow, AddsGradientsInTheOrderOfTheMicroBatches) {
  POINTS(1);
  for (const Kind& kind : kinds()) {
    for (const PipelineSize size : sizes()) {
      for (const Row& row : student_schedule(kind, size).rows) {
        ASSERT_EQ(order_of(row, ActionKind::WeightGradient),
                  first_to_last(size.micro_batches))
            << size.name() << kind.name << " does " << row_in_words(row)
            << ": however late, the oldest weight gradient goes first, or the weights "
               "are no longer those of one device. Re-read chapter 16, \"Two halves\".";
      }
    }
  }
}

TEST(ZeroBubbleRow, HasTheBubbleOfItsClosedForm) {
  POINTS(2);
  for (const Kind& kind : kinds()) {
    for (const PipelineSize size : sizes()) {
      if (size.micro_batches < 2 * size.devices) continue;
      const Schedule schedule = student_schedule(kind, size);
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
  for (const PipelineSize size : sizes()) {
    for (const Kind& kind : kinds()) {
      const Schedule schedule = student_schedule(kind, size);
      for (const double freed : {0.0, 0.5}) {
        const auto peak = memory(schedule, {.freed_by_input_gradient = freed}).peak;
        for (std::size_t d = 0; d < peak.size(); ++d) {
          ASSERT_DOUBLE_EQ(most_held(schedule.rows[d], freed), peak[d])
              << size.name() << kind.name << " does " << row_in_words(schedule.rows[d])
              << ". Re-read chapter 16, \"What it holds\".";
        }
      }
    }
  }
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

TEST(StepsOfH2, InterlockUnlessThereIsABarrier) {
  POINTS(2);
  for (std::int32_t p = 1; p <= 5; ++p) {
    for (const std::int32_t m : {2 * p - 1, 2 * p, 3 * p + 1}) {
      for (std::int32_t n = 1; n <= 4; ++n) {
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
}

}  // namespace
}  // namespace pipeline
