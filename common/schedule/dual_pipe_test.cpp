#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schedule/generate.hpp"
#include "schedule/text.hpp"

namespace pipeline {
namespace {

std::string row_text(const Schedule& schedule, std::size_t device) {
  std::string text;
  for (const Entry& entry : schedule.rows[device]) {
    text += to_text(entry.action, true) + (entry.with_next ? "+" : " ");
  }
  return text;
}

// What is done in which order, whatever for: of the computations alone.
using Shapes = std::vector<std::pair<ActionKind, bool>>;
Shapes shapes_of(const Row& row) {
  Shapes shapes;
  for (const Entry& entry : row) {
    if (entry.action.kind == ActionKind::Reduce) continue;
    if (entry.action.kind == ActionKind::Update) continue;
    shapes.emplace_back(entry.action.kind, entry.with_next);
  }
  return shapes;
}

// Activations of one stage; inside a joined entry the forward takes before the backward
// frees.
std::int32_t peak(const Row& row) {
  std::int32_t live = 0;
  std::int32_t most = 0;
  for (const Entry& entry : row) {
    if (entry.action.kind == ActionKind::Forward) most = std::max(most, ++live);
    if (entry.action.kind == ActionKind::Backward) --live;
    if (entry.action.kind == ActionKind::WeightGradient) --live;
  }
  return most;
}

TEST(DualPipe, SendsHalfTheMicroBatchesFromEachEnd) {
  const auto schedule = dual_pipe({2, 4, 1});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(row_text(*schedule, 0),
            "0F0 1F2 0F1 1B2 1F3+0B0 1B3 0I1 0W1 0AR1 1AR3 0U1 1U3 ");
  EXPECT_EQ(row_text(*schedule, 1),
            "0F2 1F0 0F3 1B0 1F1+0B2 1B1 0I3 0W3 0AR3 1AR1 0U3 1U1 ");
}

TEST(DualPipeV, GoesDownTheDevicesAndBackUp) {
  const auto schedule = dual_pipe_v({2, 4, 1});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(row_text(*schedule, 0),
            "0F0 0F1 0F2 3F0 3I0 3W0 3F1 0F3+3B1 3F2+0B0 3B2 3F3+0B1 3B3 "
            "0I2 0W2 0I3 0W3 0U3 3U3 ");
  EXPECT_EQ(row_text(*schedule, 1),
            "1F0 2F0 1F1 2F1 1F2 2B0 2F2+1B0 1F3+2B1 2F3+1B1 2B2 1B2 2I3 1I3 "
            "2W3 1W3 1U3 2U3 ");
}

template <typename Check>
void for_all_sizes(const Check& check) {
  for (std::int32_t p = 1; p <= 8; ++p) {
    for (std::int32_t m = 2 * p; m <= 17; ++m) check(p, m);
  }
}

TEST(DualPipe, HasMirroredRows) {
  for (const std::int32_t p : {2, 4, 8}) {
    const auto schedule = dual_pipe({p, 2 * p + 2, 1});
    ASSERT_TRUE(schedule);
    for (std::size_t d = 0; d < schedule->rows.size(); ++d) {
      EXPECT_EQ(shapes_of(schedule->rows[d]),
                shapes_of(schedule->rows[schedule->rows.size() - 1 - d]));
    }
  }
}

TEST(DualPipeV, DoesWhatHalfOfADualPipeDoes) {
  for_all_sizes([](std::int32_t p, std::int32_t m) {
    const auto whole = dual_pipe({2 * p, 2 * m, 1});
    const auto folded = dual_pipe_v({p, m, 1});
    ASSERT_TRUE(whole && folded);
    for (std::size_t d = 0; d < folded->rows.size(); ++d) {
      EXPECT_EQ(shapes_of(folded->rows[d]), shapes_of(whole->rows[d]));
    }
  });
}

TEST(DualPipe, HoldsPPlusOneActivationsOnEveryDevice) {
  for (const std::int32_t p : {2, 4, 6, 8}) {
    for (const std::int32_t m : {2 * p, 2 * p + 2, 4 * p}) {
      const auto schedule = dual_pipe({p, m, 2});
      ASSERT_TRUE(schedule);
      for (const Row& row : schedule->rows) EXPECT_EQ(peak(row), p + 1);
    }
  }
}

TEST(DualPipeV, HoldsTwoPPlusOneActivationsOnEveryDevice) {
  for_all_sizes([](std::int32_t p, std::int32_t m) {
    const auto schedule = dual_pipe_v({p, m, 2});
    ASSERT_TRUE(schedule);
    for (const Row& row : schedule->rows) EXPECT_EQ(peak(row), 2 * p + 1);
  });
}

TEST(DualPipeV, OverlapsEverythingInItsSteadyPart) {
  // On the last device m-p turns of two pairs; the first pair is not joined.
  for_all_sizes([](std::int32_t p, std::int32_t m) {
    const auto schedule = dual_pipe_v({p, m, 1});
    ASSERT_TRUE(schedule);
    const Row& row = schedule->rows.back();
    const auto joined = std::count_if(row.begin(), row.end(),
                                      [](const Entry& e) { return e.with_next; });
    EXPECT_EQ(joined, 2 * (m - p) - 1);
  });
}

void expect_refused(const Expected<Schedule>& schedule, const std::string& what,
                    const std::string& remedy) {
  ASSERT_FALSE(schedule);
  EXPECT_EQ(schedule.error().what, what);
  EXPECT_EQ(schedule.error().remedy, remedy);
}

TEST(DualPipe, SaysWhichSizesItNeeds) {
  expect_refused(dual_pipe({3, 8, 1}),
                 "dualpipe puts stages s and p-1-s on one device and needs an even "
                 "number of devices, but 3 were asked for",
                 "ask for 2 or 4 devices");
  expect_refused(dual_pipe({1, 8, 1}),
                 "dualpipe puts stages s and p-1-s on one device and needs an even "
                 "number of devices, but 1 was asked for",
                 "ask for 2 devices");
  expect_refused(dual_pipe({4, 9, 1}),
                 "dualpipe sends half of the micro-batches each way and needs an even "
                 "number of them, but 9 were asked for",
                 "ask for 8 or 10 micro-batches");
  expect_refused(dual_pipe({4, 7, 1}),
                 "dualpipe needs at least two micro-batches for each device, 8 for 4 "
                 "devices, but 7 were asked for",
                 "ask for 8 micro-batches, or for 2 devices and an even number of "
                 "micro-batches");
  expect_refused(dual_pipe({4, 6, 1}),
                 "dualpipe needs at least two micro-batches for each device, 8 for 4 "
                 "devices, but 6 were asked for",
                 "ask for 8 micro-batches, or for 2 devices");
  expect_refused(dual_pipe({2, 1, 1}),
                 "dualpipe needs at least two micro-batches for each device, 4 for 2 "
                 "devices, but 1 was asked for",
                 "ask for 4 micro-batches");
}

TEST(DualPipeV, SaysWhichSizesItNeeds) {
  expect_refused(dual_pipe_v({4, 7, 1}),
                 "dualpipe-v needs at least two micro-batches for each device, 8 for 4 "
                 "devices, but 7 were asked for",
                 "ask for 8 micro-batches, or for 3 devices");
  expect_refused(dual_pipe_v({3, 1, 1}),
                 "dualpipe-v needs at least two micro-batches for each device, 6 for 3 "
                 "devices, but 1 was asked for",
                 "ask for 6 micro-batches");
}

}  // namespace
}  // namespace pipeline
