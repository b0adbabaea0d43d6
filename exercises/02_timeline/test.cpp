#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "classroom/draw.hpp"
#include "classroom/points.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

/// A pipeline to try. Times are binary fractions, so that sums are exact.
struct Case {
  std::vector<double> stage_time;
  std::int32_t micro_batches;
  double transfer;

  std::string name() const {
    std::string text = "Stages of ";
    for (const double time : stage_time) text += testing::PrintToString(time) + " ";
    return text + "ticks, " + std::to_string(micro_batches) +
           " micro-batches, transfer " + testing::PrintToString(transfer) + ": ";
  }
};

std::vector<Case> cases() {
  const std::vector<std::vector<double>> pipelines = {
      {2.5}, {1, 1, 1}, {1, 2.5}, {3, 0.5, 2}, {0.5, 1.25, 3, 1}, {4, 2, 1, 0.25}};
  std::vector<Case> all;
  for (const auto& stage_time : pipelines) {
    for (const std::int32_t m : {1, 2, 5}) {
      for (const double transfer : {0.0, 0.75, 3.5}) {
        all.push_back({stage_time, m, transfer});
      }
    }
  }
  return all;
}

/// The earliest start, found by trying every chain of forwards that leads to it: each
/// link of a chain is either the next micro-batch on the same device, or the same
/// micro-batch on the next device. The slowest chain decides.
double slowest_chain(const Case& c, std::size_t device, std::size_t micro_batch) {
  double latest = 0;
  if (micro_batch > 0) {
    latest = std::max(latest,
                      slowest_chain(c, device, micro_batch - 1) + c.stage_time[device]);
  }
  if (device > 0) {
    latest = std::max(latest, slowest_chain(c, device - 1, micro_batch) +
                                  c.stage_time[device - 1] + c.transfer);
  }
  return latest;
}

Starts true_starts(const Case& c) {
  Starts starts(c.stage_time.size());
  for (std::size_t d = 0; d < starts.size(); ++d) {
    for (std::int32_t k = 0; k < c.micro_batches; ++k) {
      starts[d].push_back(slowest_chain(c, d, static_cast<std::size_t>(k)));
    }
  }
  return starts;
}

/// False, with a failure, when the answer has not a row a device with a start for each
/// micro-batch.
bool has_the_right_shape(const Case& c, const Starts& starts) {
  bool fits = starts.size() == c.stage_time.size();
  for (const auto& row : starts) {
    fits = fits && row.size() == static_cast<std::size_t>(c.micro_batches);
  }
  EXPECT_TRUE(fits) << c.name()
                    << "start_times needs a row for each device, and in it a "
                    << "start for each micro-batch.";
  return fits;
}

void expect_one_at_a_time(const std::vector<Case>& all) {
  for (const Case& c : all) {
    const Starts starts = start_times(c.stage_time, c.micro_batches, c.transfer);
    ASSERT_TRUE(has_the_right_shape(c, starts));
    for (std::size_t d = 0; d < starts.size(); ++d) {
      for (std::size_t k = 1; k < starts[d].size(); ++k) {
        ASSERT_GE(starts[d][k], starts[d][k - 1] + c.stage_time[d])
            << c.name() << "device " << d << " begins micro-batch " << k << " at "
            << starts[d][k] << ", while it is busy with the one before until "
            << starts[d][k - 1] + c.stage_time[d]
            << ". A device runs one forward at a time. Re-read chapter 02, \"What a "
               "forward waits for\".";
      }
    }
  }
}

TEST(StartTimes, NeverRunTwoForwardsAtOnceOnOneDevice) {
  POINTS(1);
  expect_one_at_a_time(cases());
}

void expect_waiting(const std::vector<Case>& all) {
  for (const Case& c : all) {
    const Starts starts = start_times(c.stage_time, c.micro_batches, c.transfer);
    ASSERT_TRUE(has_the_right_shape(c, starts));
    for (std::size_t d = 1; d < starts.size(); ++d) {
      for (std::size_t k = 0; k < starts[d].size(); ++k) {
        const double arrives = starts[d - 1][k] + c.stage_time[d - 1] + c.transfer;
        ASSERT_GE(starts[d][k], arrives)
            << c.name() << "device " << d << " begins micro-batch " << k << " at "
            << starts[d][k] << ", but its activation arrives at " << arrives
            << ": it is computed on device " << d - 1 << " and then travels for "
            << c.transfer << ". Re-read chapter 02, \"What a forward waits for\".";
      }
    }
  }
}

TEST(StartTimes, WaitForTheActivationToArrive) {
  POINTS(1);
  expect_waiting(cases());
}

void expect_earliest(const std::vector<Case>& all) {
  for (const Case& c : all) {
    const Starts starts = start_times(c.stage_time, c.micro_batches, c.transfer);
    ASSERT_TRUE(has_the_right_shape(c, starts));
    const Starts earliest = true_starts(c);
    for (std::size_t d = 0; d < starts.size(); ++d) {
      for (std::size_t k = 0; k < starts[d].size(); ++k) {
        ASSERT_EQ(starts[d][k], earliest[d][k])
            << c.name() << "device " << d << " can begin micro-batch " << k << " at "
            << earliest[d][k] << ", and begins it at " << starts[d][k]
            << ". A forward waits for its device and for its activation, and for "
               "nothing "
               "else; a sender does not wait for what it sent to arrive. Re-read "
               "chapter "
               "02, \"What a forward waits for\".";
      }
    }
  }
}

TEST(StartTimes, AreAsEarlyAsTheyCanBe) {
  POINTS(3);
  expect_earliest(cases());
}

TEST(IdleTimes, FormTwoTrianglesWhenStagesAreEqual) {
  POINTS(1);
  const Case c{{1, 1, 1, 1}, 6, 0};
  const std::vector<Idle> idle = idle_times(true_starts(c), c.stage_time);
  ASSERT_EQ(idle.size(), 4U) << "One Idle for each of the 4 devices.";
  for (std::size_t d = 0; d < 4; ++d) {
    EXPECT_EQ(idle[d].before, static_cast<double>(d))
        << "The wave reaches device " << d << " after " << d
        << " ticks: that is its opening corner. Re-read chapter 02, \"Bubbles\".";
    EXPECT_EQ(idle[d].between, 0)
        << "Equal stages leave no gap on device " << d
        << " between its forwards. Re-read chapter 02, \"Bubbles\".";
    EXPECT_EQ(idle[d].after, static_cast<double>(3 - d))
        << "Device " << d << " is done " << 3 - d
        << " ticks before the last one: that is its closing corner. Re-read chapter "
           "02, "
           "\"Bubbles\".";
  }
}

void expect_three_bubbles(const std::vector<Case>& all) {
  for (const Case& c : all) {
    const Starts starts = true_starts(c);
    const std::vector<Idle> idle = idle_times(starts, c.stage_time);
    ASSERT_EQ(idle.size(), starts.size()) << "One Idle for each device.";
    double end = 0;
    for (std::size_t d = 0; d < starts.size(); ++d) {
      end = std::max(end, starts[d].back() + c.stage_time[d]);
    }
    for (std::size_t d = 0; d < starts.size(); ++d) {
      double gaps = 0;
      for (std::size_t k = 1; k < starts[d].size(); ++k) {
        gaps += starts[d][k] - (starts[d][k - 1] + c.stage_time[d]);
      }
      ASSERT_EQ(idle[d].before, starts[d].front())
          << c.name() << "device " << d
          << " idles from time 0 until its first forward.";
      ASSERT_EQ(idle[d].between, gaps) << c.name() << "device " << d
                                       << " idles between its forwards wherever one "
                                          "begins later than the one before "
                                          "ended. Re-read chapter 02, \"Bubbles\".";
      ASSERT_EQ(idle[d].after, end - (starts[d].back() + c.stage_time[d]))
          << c.name() << "device " << d
          << " idles from its last forward until the whole pipeline is done, at " << end
          << ". Re-read chapter 02, \"Bubbles\".";
    }
  }
}

TEST(IdleTimes, TellTheThreeBubblesApart) {
  POINTS(2);
  expect_three_bubbles(cases());
}

void expect_latency(const std::vector<Case>& all) {
  for (const Case& c : all) {
    const Starts starts = true_starts(c);
    for (std::int32_t k = 0; k < c.micro_batches; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const double leaves = starts.back()[at] + c.stage_time.back();
      ASSERT_EQ(latency(starts, c.stage_time, k), leaves - starts.front()[at])
          << c.name() << "micro-batch " << k << " enters device 0 at "
          << starts.front()[at] << " and leaves the last device at " << leaves
          << ". Its latency does not count the time before it entered. Re-read chapter "
             "02, \"Latency and pace\".";
    }
  }
}

TEST(Latency, CountsFromEnteringToLeaving) {
  POINTS(1);
  expect_latency(cases());
}

void expect_pace(const std::vector<Case>& all) {
  for (const Case& c : all) {
    const double slowest = *std::max_element(c.stage_time.begin(), c.stage_time.end());
    ASSERT_EQ(leaving_interval(true_starts(c)), slowest)
        << c.name() << "the last two leave " << slowest
        << " apart: once the pipeline is full, one leaves whenever the slowest stage "
           "has "
           "finished another. Re-read chapter 02, \"Latency and pace\".";
  }
}

TEST(LeavingInterval, IsThePaceOfTheSlowestStage) {
  POINTS(1);
  expect_pace({{{1, 1, 1}, 7, 0.75},
               {{1, 2.5}, 7, 0.75},
               {{3, 0.5, 2}, 7, 0.75},
               {{0.5, 4, 1}, 7, 0.75}});
}

// --- Drawn inputs: see classroom/draw.hpp

std::vector<Case> drawn_cases() {
  Draw draw;
  std::vector<Case> all;
  for (int i = 0; i < 10; ++i) {
    const std::int32_t devices = draw.between(2, 6);
    all.push_back({draw.quarters(devices, 1, 6), draw.between(3, 11),
                   draw.quarters(0, 4) + 0.25});
  }
  return all;
}

TEST(StartTimes, HoldForDrawnPipelinesToo) {
  POINTS(1);
  const std::vector<Case> all = drawn_cases();
  expect_one_at_a_time(all);
  expect_waiting(all);
  expect_earliest(all);
}

TEST(IdleTimes, HoldForDrawnPipelinesToo) {
  POINTS(1);
  expect_three_bubbles(drawn_cases());
}

TEST(Latency, HoldsForDrawnPipelinesToo) {
  POINTS(1);
  expect_latency(drawn_cases());
}

TEST(LeavingInterval, HoldsForDrawnPipelinesToo) {
  POINTS(1);
  expect_pace(drawn_cases());
}

}  // namespace
}  // namespace pipeline
