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

struct Cut {
  std::int32_t layers = 1;
  std::int32_t stages = 1;
};

/// Up to 40 layers on up to 9 stages.
std::vector<Cut> all_cuts() {
  std::vector<Cut> all;
  for (std::int32_t stages = 1; stages <= 9; ++stages) {
    for (std::int32_t layers = stages; layers <= 40; ++layers)
      all.push_back({layers, stages});
  }
  return all;
}

TEST(SplitLayers, CutsThirtyLayersIntoEightEightSevenSeven) {
  POINTS(1);
  const std::vector<std::int32_t> expected = {0, 8, 16, 23, 30};
  EXPECT_EQ(split_layers(30, 4), expected)
      << "Stages of 8, 8, 7 and 7 layers begin at 0, 8, 16 and 23, and the last entry "
         "is "
         "30. Re-read chapter 08, \"Cutting the network\".";
}

void expect_all_layers(const std::vector<Cut>& cuts) {
  for (const auto& [layers, stages] : cuts) {
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

TEST(SplitLayers, DropsNoLayerAndGivesNoneTwice) {
  POINTS(2);
  expect_all_layers(all_cuts());
}

void expect_even(const std::vector<Cut>& cuts) {
  for (const auto& [layers, stages] : cuts) {
    const std::vector<std::int32_t> first = split_layers(layers, stages);
    ASSERT_EQ(first.size(), static_cast<std::size_t>(stages) + 1)
        << on(layers, stages) << "an entry for each stage, and one for the end.";
    for (std::size_t s = 0; s + 1 < first.size(); ++s) {
      const std::int64_t held = std::int64_t{first[s + 1]} - first[s];
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

TEST(SplitLayers, KeepsStagesAsEvenAsTheyGo) {
  POINTS(1);
  expect_even(all_cuts());
}

const std::vector<PipelineSize> kSizes = {{1, 1}, {1, 4}, {2, 1}, {2, 3},
                                          {3, 2}, {4, 5}, {6, 3}};

Schedule student_schedule(PipelineSize size) {
  return step_of("model-parallel", size, /*training=*/true, [size](std::int32_t s) {
    return model_parallel_row(s, size.micro_batches);
  });
}

void expect_rows_that_run(const std::vector<PipelineSize>& sizes) {
  for (const PipelineSize size : sizes) {
    const Schedule schedule = student_schedule(size);
    ASSERT_EQ(first_fault(schedule), "")
        << size.name() << "device 0 does " << in_words(as_written(schedule.rows[0]))
        << ". " << each_action_once(size) << ". Re-read chapter 08, \"One at a time\".";
  }
}

TEST(ModelParallelRow, RunsEveryActionOnceInAnOrderThatCanRun) {
  POINTS(1);
  expect_rows_that_run(kSizes);
}

void expect_one_at_a_time(const std::vector<PipelineSize>& sizes) {
  for (const PipelineSize size : sizes) {
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
          << in_words(as_written(schedule.rows[0]))
          << ". Re-read chapter 08, \"One at a time\".";
    }
    ASSERT_EQ(measure(schedule, *timeline).makespan,
              3.0 * size.devices * size.micro_batches)
        << size.name() << "the step must take as long as one device alone would.";
  }
}

TEST(ModelParallelRow, KeepsOneDeviceBusyAtATime) {
  POINTS(2);
  expect_one_at_a_time(kSizes);
}

void expect_share_of_picture(const std::vector<std::int32_t>& devices) {
  for (const std::int32_t p : devices) {
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

TEST(BusyShare, IsWhatThePictureShows) {
  POINTS(1);
  expect_share_of_picture({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
}

// --- Drawn inputs: see classroom/draw.hpp

TEST(SplitLayers, HoldsForDrawnNetworksToo) {
  POINTS(1);
  Draw draw;
  std::vector<Cut> cuts;
  for (int i = 0; i < 60; ++i) {
    const std::int32_t layers = draw.between(41, 200);
    cuts.push_back({layers, draw.between(2, layers)});
  }
  expect_all_layers(cuts);
  expect_even(cuts);
}

TEST(ModelParallelRow, HoldsForDrawnSizesToo) {
  POINTS(1);
  Draw draw;
  const auto sizes = draw_sizes(draw, 8, {2, 4}, {16, 40});
  expect_rows_that_run(sizes);
  expect_one_at_a_time(sizes);
}

TEST(BusyShare, HoldsForDrawnDevicesToo) {
  POINTS(1);
  Draw draw;
  expect_share_of_picture(
      {draw.between(13, 24), draw.between(25, 40), draw.between(41, 64)});
}

}  // namespace
}  // namespace pipeline
