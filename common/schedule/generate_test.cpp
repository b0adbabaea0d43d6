#include "schedule/generate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
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

// Whether the algorithm itself forbids these sizes, so that they are refused.
bool forbids(const Generator& generator, std::int32_t p, std::int32_t m) {
  if (generator.name == "pipedream-2bw") return m < p;
  if (generator.name == "dualpipe") return p % 2 != 0 || m % 2 != 0 || m < 2 * p;
  if (generator.name == "dualpipe-v") return m < 2 * p;
  if (generator.name == "chimera") return p % 2 != 0 || m < 2;
  return false;
}

template <typename Check>
void for_every_generator(std::int32_t steps, const Check& check) {
  for (const Generator& generator : generators()) {
    for_all_sizes([&](std::int32_t p, std::int32_t m) {
      SCOPED_TRACE(std::string(generator.name));
      const auto schedule = generator.generate({{p, m, steps}});
      ASSERT_EQ(!schedule, forbids(generator, p, m));
      if (schedule) {
        check(*schedule);
      } else {
        EXPECT_FALSE(schedule.error().remedy.empty());
      }
    });
  }
}

TEST(Generators, HoldEveryActionOnceOnItsDeviceInEveryStep) {
  for_every_generator(3, [](const Schedule& schedule) {
    std::set<Action> held;
    std::size_t entries = 0;
    for (std::int32_t d = 0; d < schedule.devices(); ++d) {
      for (const Entry& entry : schedule.rows[static_cast<std::size_t>(d)]) {
        const Action& action = entry.action;
        EXPECT_EQ(schedule.device_of(action.stage, action.micro_batch), d);
        held.insert(action);
        ++entries;
      }
    }
    EXPECT_EQ(held.size(), entries);

    for (std::int32_t s = 0; s < schedule.stages(); ++s) {
      for (std::int32_t k = 0; k < schedule.total_micro_batches(); ++k) {
        for (std::int32_t j = 0; j < schedule.slices_of(k); ++j) {
          const auto slice = static_cast<std::int16_t>(j);
          EXPECT_EQ(held.erase({ActionKind::Forward, slice, s, k}), 1U);
          if (!schedule.training) continue;
          if (held.erase({ActionKind::Backward, slice, s, k}) == 1) continue;
          EXPECT_EQ(held.erase({ActionKind::InputGradient, slice, s, k}), 1U);
          EXPECT_EQ(held.erase({ActionKind::WeightGradient, slice, s, k}), 1U);
        }
        const bool last = (k + 1) % schedule.micro_batches_per_update() == 0 ||
                          (schedule.placement.copies() == 2 &&
                           schedule.copy_of(k) == 0 && schedule.copy_of(k + 1) == 1);
        if (!schedule.training || !last) continue;
        EXPECT_EQ(held.erase({ActionKind::Update, 0, s, k}), 1U);
        if (schedule.placement.copies() == 2) {
          EXPECT_EQ(held.erase({ActionKind::Reduce, 0, s, k}), 1U);
        }
      }
    }
    EXPECT_TRUE(held.empty());
  });
}

TEST(Generators, KeepForwardsAndWeightGradientsOfAStageInOrder) {
  // So gradients add up in the same order on every schedule.
  for_every_generator(2, [](const Schedule& schedule) {
    for (const Row& row : schedule.rows) {
      // Of each stage, copy and kind (a whole backward and the weights' half are one).
      std::map<std::tuple<std::int32_t, std::int32_t, bool>,
               std::pair<std::int32_t, std::int32_t>>
          last;
      for (const Entry& entry : row) {
        const Action& action = entry.action;
        const bool forward = action.kind == ActionKind::Forward;
        if (!forward && action.kind != ActionKind::Backward &&
            action.kind != ActionKind::WeightGradient) {
          continue;
        }
        // The slices of a micro-batch go back from the last to the first.
        const std::pair<std::int32_t, std::int32_t> position{
            action.micro_batch, forward ? action.slice : -action.slice};
        const auto [before, first] = last.try_emplace(
            {action.stage, schedule.copy_of(action.micro_batch), forward}, position);
        if (!first) {
          EXPECT_LT(before->second, position);
        }
        before->second = position;
      }
    }
  });
}

TEST(Generators, UpdateAStageAfterItsLastWeightGradientOfTheStep) {
  for_every_generator(2, [](const Schedule& schedule) {
    for (const Row& row : schedule.rows) {
      std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> newest;
      for (const Entry& entry : row) {
        const Action& action = entry.action;
        std::int32_t& micro_batch =
            newest[{action.stage, schedule.copy_of(action.micro_batch)}];
        if (action.kind == ActionKind::Backward ||
            action.kind == ActionKind::WeightGradient) {
          micro_batch = action.micro_batch;
        }
        if (action.kind == ActionKind::Update) {
          EXPECT_EQ(action.micro_batch, micro_batch);
        }
      }
    }
  });
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
       " stages times 8192 micro-batches times 100 steps is more than 67108864 "
       "actions"},
      {{65'536, 67'108'864, 67'108'864},
       " stages times 67108864 micro-batches times 67108864 steps is more than "
       "67108864 actions"},
  };
  for (const Generator& generator : generators()) {
    for (const Case& c : cases) {
      const auto schedule = generator.generate({c.shape});
      ASSERT_FALSE(schedule) << c.what;
      // How many stages that is, is the generator's own.
      EXPECT_TRUE(schedule.error().what.ends_with(c.what)) << schedule.error().what;
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
    const auto schedule = generate(generator.name, {{2, 4, 1}});
    ASSERT_TRUE(schedule);
    EXPECT_EQ(schedule->name, generator.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "forward",
                       "model-parallel",
                       "gpipe",
                       "1f1b",
                       "interleaved",
                       "pipedream",
                       "pipedream-vertical-sync",
                       "pipedream-2bw",
                       "zb-h1",
                       "zb-h2",
                       "zb-auto",
                       "v-min",
                       "v-half",
                       "zb-v",
                       "dualpipe",
                       "dualpipe-v",
                       "chimera",
                       "token-slices",
                   }));
}

TEST(Generators, AnUnknownNameIsRefusedWithThoseThereAre) {
  const auto schedule = generate("pipedram", {2, 3, 1});
  ASSERT_FALSE(schedule);
  EXPECT_EQ(schedule.error().what, "there is no schedule called 'pipedram'");
  EXPECT_EQ(schedule.error().remedy.find(
                "choose one of: forward, model-parallel, gpipe, 1f1b"),
            0U);
}

}  // namespace
}  // namespace pipeline
