#include "schedule/generate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "schedule/bounds.hpp"
#include "schedule/text.hpp"

namespace pipeline {
namespace {

constexpr std::int32_t kLargest = 12;

std::string row_text(const Schedule& schedule, std::size_t device) {
  std::string text;
  for (const Entry& entry : schedule.rows[device]) {
    text += (text.empty() ? "" : " ") + to_text(entry.action, false);
  }
  return text;
}

// Most micro-batches in flight: forwards that are not followed by their backward yet.
std::int32_t peak_in_flight(const Row& row) {
  std::int32_t live = 0;
  std::int32_t peak = 0;
  for (const Entry& entry : row) {
    if (entry.action.kind == ActionKind::Forward) peak = std::max(peak, ++live);
    if (entry.action.kind == ActionKind::Backward) --live;
  }
  return peak;
}

std::int32_t forwards_before_first_backward(const Row& row) {
  std::int32_t forwards = 0;
  for (const Entry& entry : row) {
    if (entry.action.kind == ActionKind::Backward) break;
    if (entry.action.kind == ActionKind::Forward) ++forwards;
  }
  return forwards;
}

template <typename Check>
void for_all_sizes(const Check& check) {
  for (std::int32_t p = 1; p <= kLargest; ++p) {
    for (std::int32_t m = 1; m <= kLargest; ++m) {
      SCOPED_TRACE("p=" + std::to_string(p) + " m=" + std::to_string(m));
      check(p, m);
    }
  }
}

TEST(Generators, HoldEveryActionOnceOnItsDeviceInEveryStep) {
  for (const Generator& generator : generators()) {
    SCOPED_TRACE(std::string(generator.name));
    for_all_sizes([&](std::int32_t p, std::int32_t m) {
      constexpr std::int32_t kSteps = 3;
      const auto schedule = generator.generate({p, m, kSteps});
      ASSERT_TRUE(schedule);
      ASSERT_EQ(schedule->rows.size(), static_cast<std::size_t>(p));
      const std::int32_t all = m * kSteps;
      for (std::int32_t s = 0; s < p; ++s) {
        EXPECT_EQ(schedule->placement.device_of(s), s);
        std::map<ActionKind, std::set<std::int32_t>> held;
        std::int32_t entries = 0;
        for (const Entry& entry : schedule->rows[static_cast<std::size_t>(s)]) {
          EXPECT_EQ(entry.action.stage, s);
          EXPECT_EQ(entry.action.slice, 0);
          EXPECT_FALSE(entry.with_next);
          held[entry.action.kind].insert(entry.action.micro_batch);
          ++entries;
        }
        std::set<std::int32_t> numbers;
        for (std::int32_t k = 0; k < all; ++k) numbers.insert(numbers.end(), k);
        EXPECT_EQ(held[ActionKind::Forward], numbers);
        if (!schedule->training) {
          EXPECT_EQ(entries, all);
          continue;
        }
        EXPECT_EQ(held[ActionKind::Backward], numbers);
        EXPECT_EQ(held[ActionKind::Update],
                  (std::set<std::int32_t>{m - 1, 2 * m - 1, 3 * m - 1}));
        EXPECT_EQ(entries, 2 * all + kSteps);
      }
    });
  }
}

TEST(Generators, RunForwardsAndBackwardsInMicroBatchOrder) {
  // So gradients add up in the same order on every schedule.
  for (const Generator& generator : generators()) {
    for_all_sizes([&](std::int32_t p, std::int32_t m) {
      const auto schedule = generator.generate({p, m, 2});
      ASSERT_TRUE(schedule);
      for (const Row& row : schedule->rows) {
        std::map<ActionKind, std::int32_t> last;
        for (const Entry& entry : row) {
          const auto [before, first] =
              last.try_emplace(entry.action.kind, entry.action.micro_batch);
          if (!first) {
            EXPECT_LT(before->second, entry.action.micro_batch);
          }
          before->second = entry.action.micro_batch;
        }
      }
    });
  }
}

TEST(Generators, UpdateBetweenTheStepsAndNowhereElse) {
  for (const Generator& generator : generators()) {
    const auto schedule = generator.generate({3, 4, 2});
    ASSERT_TRUE(schedule);
    if (!schedule->training) continue;
    for (const Row& row : schedule->rows) {
      ASSERT_EQ(row.size(), 18U);
      EXPECT_EQ(to_text(row[8].action, false), "U3");
      EXPECT_EQ(to_text(row[17].action, false), "U7");
    }
  }
}

TEST(ForwardOnly, IsFlatRowsOfForwards) {
  const auto schedule = forward_only({3, 4, 1});
  ASSERT_TRUE(schedule);
  EXPECT_FALSE(schedule->training);
  for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(row_text(*schedule, d), "F0 F1 F2 F3");
}

TEST(ModelParallel, FinishesAMicroBatchBeforeTheNext) {
  const auto schedule = model_parallel({3, 3, 1});
  ASSERT_TRUE(schedule);
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_EQ(row_text(*schedule, d), "F0 B0 F1 B1 F2 B2 U2");
  }
}

TEST(GPipe, RunsAllForwardsThenAllBackwards) {
  const auto schedule = gpipe({2, 3, 1});
  ASSERT_TRUE(schedule);
  for (std::size_t d = 0; d < 2; ++d) {
    EXPECT_EQ(row_text(*schedule, d), "F0 F1 F2 B0 B1 B2 U2");
  }
}

TEST(GPipe, KeepsAllMicroBatchesInFlight) {
  for_all_sizes([](std::int32_t p, std::int32_t m) {
    const auto schedule = gpipe({p, m, 2});
    ASSERT_TRUE(schedule);
    for (const Row& row : schedule->rows) EXPECT_EQ(peak_in_flight(row), m);
  });
}

TEST(OneFOneB, WarmsUpAlternatesAndDrains) {
  const auto schedule = one_f_one_b({4, 6, 1});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(row_text(*schedule, 0), "F0 F1 F2 F3 B0 F4 B1 F5 B2 B3 B4 B5 U5");
  EXPECT_EQ(row_text(*schedule, 1), "F0 F1 F2 B0 F3 B1 F4 B2 F5 B3 B4 B5 U5");
  EXPECT_EQ(row_text(*schedule, 2), "F0 F1 B0 F2 B1 F3 B2 F4 B3 F5 B4 B5 U5");
  EXPECT_EQ(row_text(*schedule, 3), "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4 F5 B5 U5");
}

TEST(OneFOneB, CapsItsWarmUpAtTheMicroBatchesThatThereAre) {
  const auto schedule = one_f_one_b({4, 2, 2});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(row_text(*schedule, 0), "F0 F1 B0 B1 U1 F2 F3 B2 B3 U3");
  EXPECT_EQ(row_text(*schedule, 3), "F0 B0 F1 B1 U1 F2 B2 F3 B3 U3");
}

TEST(OneFOneB, WarmsUpWithAsManyForwardsAsStagesLieBehind) {
  for_all_sizes([](std::int32_t p, std::int32_t m) {
    const auto schedule = one_f_one_b({p, m, 1});
    ASSERT_TRUE(schedule);
    for (std::int32_t s = 0; s < p; ++s) {
      // One forward of the steady part comes before its first backward, if there is a
      // steady part.
      const std::int32_t warm_up = std::min(p - 1 - s, m);
      const std::int32_t steady = m > warm_up ? 1 : 0;
      EXPECT_EQ(
          forwards_before_first_backward(schedule->rows[static_cast<std::size_t>(s)]),
          warm_up + steady);
    }
  });
}

TEST(OneFOneB, KeepsAtMostPMinusSMicroBatchesInFlight) {
  for_all_sizes([](std::int32_t p, std::int32_t m) {
    const auto schedule = one_f_one_b({p, m, 2});
    ASSERT_TRUE(schedule);
    for (std::int32_t s = 0; s < p; ++s) {
      EXPECT_EQ(peak_in_flight(schedule->rows[static_cast<std::size_t>(s)]),
                std::min(p - s, m));
    }
  });
}

TEST(Generators, RefuseSizesThatMakeNoSenseAndNameTheValue) {
  struct Case {
    Shape shape;
    const char* what;
  };
  const std::vector<Case> cases{
      {{0, 4, 1}, "devices must be at least 1, but 0 was asked for"},
      {{-3, 4, 1}, "devices must be at least 1, but -3 was asked for"},
      {{65'537, 4, 1}, "devices may be at most 65536, but 65537 was asked for"},
      {{4, 0, 1}, "micro-batches must be at least 1, but 0 was asked for"},
      {{4, -1, 1}, "micro-batches must be at least 1, but -1 was asked for"},
      {{4, 2'000'000'000, 1},
       "micro-batches may be at most 67108864, but 2000000000 was asked for"},
      {{4, 4, 0}, "steps must be at least 1, but 0 was asked for"},
      {{1024, 8192, 100},
       "1024 stages times 8192 micro-batches times 100 steps is more than 67108864 "
       "actions"},
      {{65'536, 67'108'864, 67'108'864},
       "65536 stages times 67108864 micro-batches times 67108864 steps is more than "
       "67108864 actions"},
  };
  for (const Generator& generator : generators()) {
    for (const Case& c : cases) {
      const auto schedule = generator.generate({c.shape});
      ASSERT_FALSE(schedule) << c.what;
      EXPECT_EQ(schedule.error().what, c.what);
      EXPECT_FALSE(schedule.error().remedy.empty());
      EXPECT_EQ(schedule.error().kind, ErrorKind::Invalid);
    }
  }
}

TEST(Generators, AcceptTheLargestNumberOfDevices) {
  const auto schedule = one_f_one_b({static_cast<std::int32_t>(kMaximumDevices), 1, 1});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(schedule->rows.size(), 65'536U);
  EXPECT_EQ(schedule->rows.back().size(), 3U);
}

TEST(Generators, AreFoundByName) {
  std::vector<std::string> names;
  for (const Generator& generator : generators()) {
    names.emplace_back(generator.name);
    EXPECT_LE(generator.summary.size(), 60U);
    const auto schedule = generate(generator.name, {2, 3, 1});
    ASSERT_TRUE(schedule);
    EXPECT_EQ(schedule->name, generator.name);
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"forward", "model-parallel", "gpipe", "1f1b"}));
}

TEST(Generators, AnUnknownNameIsRefusedWithThoseThereAre) {
  const auto schedule = generate("pipedram", {2, 3, 1});
  ASSERT_FALSE(schedule);
  EXPECT_EQ(schedule.error().what, "there is no schedule called 'pipedram'");
  EXPECT_EQ(schedule.error().remedy,
            "choose one of: forward, model-parallel, gpipe, 1f1b");
}

}  // namespace
}  // namespace pipeline
