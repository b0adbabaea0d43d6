// Zero-bubble and interleaved schedules in time: their closed forms, and every row of
// the tables that their papers print.
#include "schedule/zero_bubble.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "schedule/generate.hpp"
#include "schedule/interleaved.hpp"
#include "schedule/zb_auto.hpp"
#include "timeline/memory.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"
#include "timeline/table_5.hpp"

namespace pipeline {
namespace {

Metrics time(const Expected<Schedule>& schedule, const Costs& costs) {
  if (!schedule) return {};
  const auto timeline = simulate(*schedule, costs);
  return timeline ? measure(*schedule, *timeline) : Metrics{};
}

std::string size_text(std::int32_t p, std::int32_t m) {
  return "p=" + std::to_string(p) + " m=" + std::to_string(m);
}

// --- By hand

TEST(ZeroBubbleTimes, MatchTable5OfThePaper) {
  for (const Table5Row& row : kTable5) {
    SCOPED_TRACE(size_text(row.devices, row.micro_batches));
    const Shape shape{row.devices, row.micro_batches, 1};
    const Costs costs = row.costs();
    EXPECT_NEAR(time(one_f_one_b(shape), costs).span_bubble, row.one_f_one_b, 1e-4);
    EXPECT_NEAR(time(zb_h1(shape), costs).span_bubble, row.zb_h1, 1e-4);
    EXPECT_NEAR(time(zb_h2(shape), costs).span_bubble, row.zb_h2, 1e-4);
  }
}

// Micro-batches in groups of p, and chunks that cost a v-th of a stage.
TEST(InterleavedTimes, MatchTable5WhereEveryTransferCounts) {
  for (const Table5Row& row : kTable5) {
    SCOPED_TRACE(size_text(row.devices, row.micro_batches));
    const auto schedule =
        interleaved({row.devices, row.micro_batches, 1},
                    {.chunks = row.chunks, .group_size = row.devices});
    EXPECT_NEAR(time(schedule, row.costs(row.chunks)).span_bubble, row.interleaved,
                1e-4);
  }
}

TEST(ZeroBubbleTimes, MatchTheLongestSpansOfThePaperToTheMicrosecond) {
  struct Spans {
    std::size_t row;
    double ideal, one_f_one_b, zb_h1, zb_h2;
  };
  for (const Spans& spans : {Spans{0, 1102680, 1456749, 1310405, 1236632},
                             Spans{4, 1474896, 1980287, 1714461, 1581171},
                             Spans{7, 7257088, 8391636, 7715640, 7448482}}) {
    const Table5Row& row = kTable5[spans.row];
    const Shape shape{row.devices, row.micro_batches, 1};
    const Costs costs = row.costs();
    EXPECT_EQ(time(zb_h1(shape), costs).ideal, spans.ideal);
    EXPECT_EQ(time(one_f_one_b(shape), costs).longest_span, spans.one_f_one_b);
    EXPECT_EQ(time(zb_h1(shape), costs).longest_span, spans.zb_h1);
    EXPECT_EQ(time(zb_h2(shape), costs).longest_span, spans.zb_h2);
  }
}

TEST(ZeroBubbleTimes, MatchTheUnitTable) {
  struct Row {
    Shape shape;
    double one_f_one_b, zb_h1, zb_h2, zb_h2_span;
  };
  for (const Row& row : {Row{{4, 8}, 33, 27, 27, 24}, Row{{4, 12}, 45, 39, 39, 36},
                         Row{{8, 16}, 69, 55, 55, 48}, Row{{4, 4}, 21, 15, 15, 15},
                         Row{{4, 3}, 18, 13, 13, 13}, Row{{4, 1}, 12, 9, 9, 9}}) {
    SCOPED_TRACE(size_text(row.shape.devices, row.shape.micro_batches));
    EXPECT_EQ(time(one_f_one_b(row.shape), Costs()).makespan, row.one_f_one_b);
    EXPECT_EQ(time(zb_h1(row.shape), Costs()).makespan, row.zb_h1);
    EXPECT_EQ(time(zb_h1(row.shape), Costs()).longest_span, row.zb_h1);
    EXPECT_EQ(time(zb_h2(row.shape), Costs()).makespan, row.zb_h2);
    EXPECT_EQ(time(zb_h2(row.shape), Costs()).longest_span, row.zb_h2_span);
  }
}

TEST(ZeroBubbleTimes, HaveTheBubblesOfTheClosedForms) {
  for (const StageCosts& stage :
       {StageCosts{1, 1, 1}, StageCosts{2, 2, 1}, StageCosts{10, 11, 7},
        StageCosts{10, 9, 9}, StageCosts{4, 5, 3}}) {
    Costs costs;
    costs.stages = {stage};
    const double f = stage.forward;
    const double i = stage.input_gradient;
    const double w = stage.weight_gradient;
    for (std::int32_t p = 1; p <= 9; ++p) {
      for (std::int32_t m = 2 * p; m <= 4 * p + 1; ++m) {
        const Shape shape{p, m, 1};
        const double ideal = m * (f + i + w);
        EXPECT_EQ(time(one_f_one_b(shape), costs).longest_span - ideal,
                  (p - 1) * (f + i + w));
        EXPECT_EQ(time(zb_h1(shape), costs).longest_span - ideal, (p - 1) * (f + i - w))
            << size_text(p, m) << " F=" << f;
        EXPECT_EQ(time(zb_h2(shape), costs).longest_span - ideal,
                  (p - 1) * (f + i - 2 * w))
            << size_text(p, m) << " F=" << f;
      }
    }
  }
}

TEST(ZeroBubbleTimes, OfH2GrowByTwoTransfersForEachLink) {
  for (const double c : {0.25, 0.5, 1.0}) {
    Costs costs;
    costs.stages = {{10, 11, 7}};
    costs.within_node.latency = c;
    for (std::int32_t p = 1; p <= 9; ++p) {
      const std::int32_t m = 2 * p + 1;
      EXPECT_EQ(time(zb_h2({p, m, 1}), costs).longest_span - m * 28,
                (p - 1) * (10 + 11 + 2 * c - 2 * 7))
          << size_text(p, m);
    }
  }
}

// H2's rows are a parallelogram: the next step's forwards run where this one has ended.
TEST(ZeroBubbleTimes, OfH2sStepsInterlockUnlessTheNormIsABarrier) {
  for (std::int32_t p = 2; p <= 8; ++p) {
    for (const std::int32_t m : {2 * p - 1, 2 * p, 4 * p}) {
      for (std::int32_t n = 1; n <= 4; ++n) {
        SCOPED_TRACE(size_text(p, m) + " n=" + std::to_string(n));
        const double step = 3 * m + p - 1;
        EXPECT_EQ(time(zb_h2({p, m, n}), Costs()).makespan, n * 3 * m + p - 1);
        EXPECT_EQ(time(zb_h2({p, m, n, true}), Costs()).makespan, n * step);
        EXPECT_EQ(time(zb_h1({p, m, n}), Costs()).makespan, n * step);
        EXPECT_EQ(time(zb_h1({p, m, n, true}), Costs()).makespan, n * step);
      }
    }
  }
}

// --- By search

/// Under one limit for all devices, which the schedule is also held to.
Metrics search(const Shape& shape, const Costs& costs, double limit, double freed) {
  const auto schedule = zb_auto(shape, costs, {{limit}, freed});
  if (!schedule) return {};
  for (const double peak : memory(*schedule, {.freed_by_input_gradient = freed}).peak) {
    EXPECT_LE(peak, limit + 1e-9) << size_text(shape.devices, shape.micro_batches);
  }
  return time(schedule, costs);
}

TEST(ZbAutoTimes, AreAtMostThoseThatThePaperFound) {
  for (const Table5Row& row : kTable5) {
    SCOPED_TRACE(size_text(row.devices, row.micro_batches));
    const Shape shape{row.devices, row.micro_batches, 1};
    const double freed = row.freed_by_input_gradient();
    const Costs costs = row.costs();
    EXPECT_LE(search(shape, costs, row.devices, freed).span_bubble,
              row.searched_p + 5e-4);
    EXPECT_LE(search(shape, costs, 2 * row.devices, freed).span_bubble,
              row.searched_2p + 5e-4);
  }
}

TEST(ZbAutoTimes, AreThoseOfTheUnitTable) {
  struct Row {
    Shape shape;
    double makespan, span_with_p, span_with_2p;
  };
  for (const Row& row :
       {Row{{4, 8}, 27, 27, 24}, Row{{4, 12}, 39, 39, 36}, Row{{8, 16}, 55, 55, 48},
        Row{{4, 4}, 15, 15, 15}, Row{{4, 3}, 13, 13, 13}, Row{{4, 1}, 9, 9, 9}}) {
    SCOPED_TRACE(size_text(row.shape.devices, row.shape.micro_batches));
    const double p = row.shape.devices;
    const Metrics with_p = search(row.shape, Costs(), p, 0);
    const Metrics with_2p = search(row.shape, Costs(), 2 * p, 0);
    EXPECT_EQ(with_p.makespan, row.makespan);
    EXPECT_EQ(with_p.longest_span, row.span_with_p);
    EXPECT_EQ(with_2p.makespan, row.makespan);
    EXPECT_EQ(with_2p.longest_span, row.span_with_2p);
  }
}

TEST(ZbAutoTimes, AreNeverBehindTheSchedulesByHandThatFit) {
  Costs costs;
  costs.within_node.latency = 0.5;
  for (const StageCosts& stage :
       {StageCosts{10, 11, 7}, StageCosts{4, 5, 6}, StageCosts{7, 7, 3}}) {
    costs.stages = {stage};
    for (std::int32_t p = 1; p <= 6; ++p) {
      for (const std::int32_t m : {1, p, 2 * p, 3 * p + 1}) {
        const Shape shape{p, m, 1};
        EXPECT_LE(search(shape, costs, p, 0).longest_span,
                  time(zb_h1(shape), costs).longest_span);
        EXPECT_LE(search(shape, costs, 2 * p - 1, 0).longest_span,
                  time(zb_h2(shape), costs).longest_span);
      }
    }
  }
}

// A device with twice the work sets the pace, and the others' bubbles cannot be helped;
// but it should itself be busy almost all of the time.
TEST(ZbAutoTimes, KeepTheSlowestDeviceBusy) {
  Costs costs;
  costs.stages = {{1, 1, 1}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}};
  const Metrics metrics = search({4, 16, 1}, costs, 8, 0);
  EXPECT_EQ(metrics.ideal, 96);
  EXPECT_LE(metrics.longest_span, 101);
}

// --- Interleaved

Costs costs_of(double forward, double backward) {
  Costs costs;
  costs.stages = {{forward, backward / 2, backward / 2}};
  return costs;
}

TEST(InterleavedTimes, HaveTheClosedFormWhereGroupsAreFull) {
  for (std::int32_t p = 1; p <= 6; ++p) {
    for (std::int32_t v = 1; v <= 4; ++v) {
      for (std::int32_t groups = 1; groups <= 3; ++groups) {
        const std::int32_t m = groups * p;
        const auto schedule = interleaved({p, m, 1}, {.chunks = v});
        for (const Costs& costs : {costs_of(1, 2), costs_of(1, 1), costs_of(3, 5)}) {
          const double cell = costs.of(0).forward + costs.of(0).backward();
          const Metrics metrics = time(schedule, costs);
          EXPECT_DOUBLE_EQ(metrics.makespan, (m * v + p - 1) * cell);
          EXPECT_DOUBLE_EQ(metrics.idle_overhead, (p - 1.0) / (v * m));
          EXPECT_NEAR(metrics.idle_fraction, (p - 1.0) / (m * v + p - 1), 1e-12);
        }
      }
    }
  }
}

TEST(InterleavedTimes, MatchTheRowsWithLeftOverMicroBatches) {
  struct Row {
    Shape shape;
    Interleaving choice;
    double backward, makespan;
    std::vector<std::int32_t> peaks;
  };
  for (const Row& row : {
           Row{{4, 8}, {2, 0}, 2, 57, {11, 9, 7, 5}},
           Row{{4, 8}, {2, 4}, 1, 38, {11, 9, 7, 5}},
           Row{{4, 10}, {2, 4}, 2, 79, {11, 9, 7, 5}},
           Row{{4, 10}, {2, 5}, 2, 69, {12, 10, 8, 6}},
           Row{{4, 10}, {2, 0}, 2, 69, {12, 10, 8, 6}},
           Row{{3, 4}, {2, 3}, 1, 24, {8, 6, 4}},
           Row{{3, 4}, {2, 4}, 1, 20, {8, 7, 5}},
       }) {
    SCOPED_TRACE(size_text(row.shape.devices, row.shape.micro_batches) +
                 " G=" + std::to_string(row.choice.group_size));
    const auto schedule = interleaved(row.shape, row.choice);
    ASSERT_TRUE(schedule);
    EXPECT_EQ(time(schedule, costs_of(1, row.backward)).makespan, row.makespan);
    EXPECT_EQ(memory(*schedule).peak_chunks, row.peaks);
  }
}

TEST(InterleavedTimes, HoldPTimesVPlusPMinusOneChunksOnTheFirstDevice) {
  for (std::int32_t p = 1; p <= 6; ++p) {
    for (std::int32_t v = 2; v <= 4; ++v) {
      const auto schedule = interleaved({p, 3 * p, 1}, {.chunks = v});
      ASSERT_TRUE(schedule);
      const auto held = memory(*schedule).peak_chunks;
      for (std::int32_t r = 0; r < p; ++r) {
        EXPECT_EQ(held[static_cast<std::size_t>(r)], p * v + p - 1 - 2 * r);
      }
    }
  }
}

}  // namespace
}  // namespace pipeline
