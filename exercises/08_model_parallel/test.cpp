#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "classroom/points.hpp"
#include "classroom/row_tests.hpp"
#include "exercise.hpp"
#include "schedule/generate.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

std::string on(std::int32_t layers, std::int32_t stages) {
  return std::to_string(layers) + " layers on " + std::to_string(stages) + " stages: ";
}

TEST(SplitLayers, CutsThirtyLayersIntoEightEightSevenSeven) {
  POINTS(1);
  const std::vector<std::int32_t> expected = {0, 8, 16, 23, 30};
  EXPECT_EQ(split_layers(30, 4), expected)
      << "Stages of 8, 8, 7 and 7 layers begin at 0, 8, 16 and 23, and the last entry "
         "is "
         "30. Re-read chapter 08, \"Cutting the network\".";
}

TEST(SplitLayers, DropsNoLayerAndGivesNoneTwice) {
  POINTS(2);
  for (std::int32_t stages = 1; stages <= 9; ++stages) {
    for (std::int32_t layers = stages; layers <= 40; ++layers) {
      const std::vector<std::int32_t> first = split_layers(layers, stages);
      ASSERT_EQ(first.size(), static_cast<std::size_t>(stages) + 1)
          << on(layers, stages) << "an entry for each stage, and one for the end.";
      ASSERT_EQ(first.front(), 0) << on(layers, stages) << "stage 0 begins at layer 0.";
      ASSERT_EQ(first.back(), layers)
          << on(layers, stages) << "the stages end at layer " << first.back() << " of "
          << layers
          << ", so that the layers after it would be dropped (or do not exist). "
          << "Re-read chapter 08, \"Cutting the network\".";
      ASSERT_TRUE(std::is_sorted(first.begin(), first.end()))
          << on(layers, stages) << "a stage begins before the one in front of it: "
          << testing::PrintToString(first);
    }
  }
}

TEST(SplitLayers, KeepsStagesAsEvenAsTheyGo) {
  POINTS(1);
  for (std::int32_t stages = 1; stages <= 9; ++stages) {
    for (std::int32_t layers = stages; layers <= 40; ++layers) {
      const std::vector<std::int32_t> first = split_layers(layers, stages);
      ASSERT_EQ(first.size(), static_cast<std::size_t>(stages) + 1)
          << on(layers, stages) << "an entry for each stage, and one for the end.";
      for (std::size_t s = 0; s + 1 < first.size(); ++s) {
        const std::int32_t held = first[s + 1] - first[s];
        const std::int32_t even = layers / stages;
        const bool longer = static_cast<std::int32_t>(s) < layers % stages;
        ASSERT_EQ(held, even + (longer ? 1 : 0))
            << on(layers, stages) << "stage " << s << " holds " << held
            << " layers. The slowest stage sets the pace, so no stage may hold two "
               "more "
               "than another. Re-read chapter 08, \"Cutting the network\".";
      }
    }
  }
}

const std::vector<PipelineSize> kSizes = {{1, 1}, {1, 4}, {2, 1}, {2, 3},
                                          {3, 2}, {4, 5}, {6, 3}};

Schedule student_schedule(PipelineSize size) {
  return step_of("model-parallel", size, /*training=*/true, [size](std::int32_t s) {
    return model_parallel_row(s, size.micro_batches);
  });
}

TEST(ModelParallelRow, RunsEveryActionOnceInAnOrderThatCanRun) {
  POINTS(1);
  for (const PipelineSize size : kSizes) {
    ASSERT_EQ(first_fault(student_schedule(size)), "")
        << size.name() << "device 0 does "
        << row_in_words(model_parallel_row(0, size.micro_batches)) << ". "
        << each_action_once(size) << ". Re-read chapter 08, \"One at a time\".";
  }
}

TEST(ModelParallelRow, KeepsOneDeviceBusyAtATime) {
  POINTS(2);
  for (const PipelineSize size : kSizes) {
    const Schedule schedule = student_schedule(size);
    const auto timeline = simulate(schedule, Costs{});  // F = 1, B = I + W = 2
    ASSERT_TRUE(timeline.has_value()) << size.name() << timeline.error().what;
    std::vector<Span> spans;
    for (const auto& row : timeline->spans) {
      for (const Span& span : row) {
        if (span.length() > 0) spans.push_back(span);
      }
    }
    std::sort(spans.begin(), spans.end(),
              [](const Span& a, const Span& b) { return a.start < b.start; });
    for (std::size_t i = 1; i < spans.size(); ++i) {
      ASSERT_GE(spans[i].start, spans[i - 1].end)
          << size.name() << "two devices work at tick " << spans[i].start
          << ". A micro-batch must be back at device 0 before the next one begins: "
             "device "
             "0 does "
          << row_in_words(model_parallel_row(0, size.micro_batches))
          << ". Re-read chapter 08, \"One at a time\".";
    }
    ASSERT_EQ(measure(schedule, *timeline).makespan,
              3.0 * size.devices * size.micro_batches)
        << size.name() << "the step must take as long as one device alone would.";
  }
}

TEST(BusyShare, IsWhatThePictureShows) {
  POINTS(1);
  for (std::int32_t p = 1; p <= 12; ++p) {
    const auto schedule = model_parallel({.devices = p, .micro_batches = 3});
    ASSERT_TRUE(schedule.has_value());
    const auto timeline = simulate(*schedule, Costs{});
    ASSERT_TRUE(timeline.has_value());
    const Metrics seen = measure(*schedule, *timeline);
    for (const double busy : seen.busy) {
      ASSERT_NEAR(busy_share(p), busy / seen.makespan, 1e-12)
          << "On " << p << " devices a step of 3 micro-batches takes " << seen.makespan
          << " ticks, of which each device works " << busy
          << ": one works at a time. Re-read chapter 08, \"One at a time\".";
    }
  }
}

}  // namespace
}  // namespace pipeline
