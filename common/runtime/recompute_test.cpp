// Re-materialization, executed: the same bits, in less memory.
#include "schedule/recompute.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "layers/batch_norm.hpp"
#include "layers/dropout.hpp"
#include "layers/transformer.hpp"
#include "runtime/slots.hpp"
#include "runtime/small_training.hpp"
#include "runtime/stage_work.hpp"
#include "schedule/full_tier.hpp"
#include "schedule/lower.hpp"
#include "timeline/memory.hpp"

namespace pipeline {
namespace {

using Policy = RecomputePolicy;

Schedule recomputed(const Schedule& schedule, Policy policy) {
  return *with_recompute(schedule, {.policies = {policy}});
}

/// With the smallest limit there can be, or one above.
Schedule recomputed_within(const Schedule& schedule, double above_least) {
  const Memory least = memory(recomputed(schedule, Policy::Always));
  RecomputeOptions options{.policies = {Policy::ForMemory}, .limit = least.peak};
  for (double& limit : options.limit) limit += above_least;
  return *with_recompute(schedule, options);
}

std::string called(const Schedule& schedule) {
  return schedule.name + " p=" + std::to_string(schedule.devices()) +
         " m=" + std::to_string(schedule.micro_batches);
}

class Rematerialization : public RuntimeTest {
 protected:
  Trained train(const Schedule& schedule, std::int32_t buffers = 1) {
    ExecutorOptions options;
    options.buffers = buffers;
    return train_small(*platform_of(schedule.devices()), schedule, options,
                       small_steps(), layers_for(schedule.stages()));
  }

  void expect_same_bits(const Schedule& longer, const Trained& plain,
                        std::int32_t buffers) {
    const Trained trained = train(longer, buffers);
    ASSERT_EQ(trained.weights, plain.weights) << called(longer);
    ASSERT_EQ(trained.result.step_loss, plain.result.step_loss) << called(longer);
    ASSERT_EQ(trained.result.correct, plain.result.correct) << called(longer);
    ASSERT_EQ(trained.result.peak_live, memory(longer).peak_chunks) << called(longer);
    ASSERT_EQ(trained.measured_bytes, trained.planned_bytes) << called(longer);
    ASSERT_EQ(trained.result.weight_versions, plain.result.weight_versions)
        << called(longer);
  }
};

TEST_F(Rematerialization, TrainsTheSameBitsByEveryPolicyOnEverySchedule) {
  const bool full = in_full_tier();
  std::int32_t tried = 0;
  for (const Generator& generator : generators()) {
    if (generator.reads.slices) continue;
    for (const std::int32_t p : full ? std::vector{1, 2, 3, 4, 6} : std::vector{1, 4}) {
      for (const std::int32_t m : full ? std::vector{1, 2, 5, 8, 13} : std::vector{8}) {
        const auto schedule = generator.generate({.shape = {p, m, 3}});
        if (!schedule || !schedule->training) continue;
        ++tried;
        const std::int32_t buffers = tried % 3;
        const Trained plain = train(*schedule, buffers);
        expect_same_bits(recomputed(*schedule, Policy::Always), plain, buffers);
        expect_same_bits(recomputed(*schedule, Policy::AllButLast), plain, buffers);
        expect_same_bits(recomputed_within(*schedule, 1), plain, buffers);
      }
    }
  }
  EXPECT_GT(tried, 20);
}

TEST_F(Rematerialization, TakesRaggedMicroBatchesOfOneRowToo) {
  for (const auto* const name : {"gpipe", "1f1b", "zb-h1"}) {
    for (const std::int32_t m : {1, 3, 17}) {
      const Schedule schedule = generated(name, 3, m);
      expect_same_bits(recomputed(schedule, Policy::Always), train(schedule), 1);
    }
  }
}

// --- Bytes

/// What the activations of each stage take, and which share of it is the input.
RecomputeOptions sizes_of(const Schedule& schedule, std::int32_t rows) {
  const Network network = small_network();
  const auto platform = std::move(*make_platform(schedule.devices()));
  const auto placed =
      *PlacedNetwork::place(*platform, network, *even_split(9, schedule.stages()),
                            schedule.placement, kSmallSeed);
  RecomputeOptions sizes;
  for (std::int32_t s = 0; s < schedule.stages(); ++s) {
    const StageLayout layout(placed->stage(s), rows);
    const auto input = static_cast<double>(layout.input_bytes);
    const double all = input + static_cast<double>(layout.slot_bytes);
    sizes.activation_bytes.push_back(all);
    sizes.input_share.push_back(input / all);
  }
  return sizes;
}

Memory memory_of(const Schedule& schedule, const RecomputeOptions& sizes) {
  return memory(schedule, {.activation_bytes = sizes.activation_bytes,
                           .input_share = sizes.input_share});
}

TEST_F(Rematerialization, SavesTheBytesThatWerePredicted) {
  for (const std::int32_t m : {3, 5, 8}) {
    const Schedule plain = generated("gpipe", 3, m);
    const RecomputeOptions sizes = sizes_of(plain, (23 + m - 1) / m);
    const Memory held = memory_of(plain, sizes);
    const Trained trained = train(plain);
    for (const Policy policy : {Policy::Always, Policy::AllButLast}) {
      const Schedule longer = recomputed(plain, policy);
      const Memory less = memory_of(longer, sizes);
      const Trained saved = train(longer);
      for (std::size_t d = 0; d < 3; ++d) {
        EXPECT_EQ(static_cast<double>(trained.measured_bytes[d]) -
                      static_cast<double>(saved.measured_bytes[d]),
                  std::round(held.peak_bytes[d] - less.peak_bytes[d]))
            << called(longer) << ", device " << d;
      }
      EXPECT_LT(saved.measured_bytes[0], trained.measured_bytes[0]);
    }
  }
}

TEST_F(Rematerialization, HasASlotForEachActivationThatIsHeldWholeAndNoMore) {
  for (const auto* const name : {"gpipe", "1f1b", "zb-h1", "zb-h2"}) {
    for (const std::int32_t m : {1, 4, 8}) {
      const Schedule plain = generated(name, 4, m);
      for (const Policy policy : {Policy::Never, Policy::AllButLast, Policy::Always}) {
        const Schedule longer = recomputed(plain, policy);
        const auto plans = *plan_stages(lower(longer), 1);
        for (std::size_t d = 0; d < 4; ++d) {
          EXPECT_EQ(plans[d].activations.buffers, memory(longer).peak_chunks[d])
              << called(longer) << ", device " << d;
          // Inputs may come a little earlier where there is more to do meanwhile.
          EXPECT_LE(plans[d].inputs.buffers, memory(plain).peak_chunks[d] + 2)
              << called(longer) << ", device " << d;
        }
      }
    }
  }
}

TEST_F(Rematerialization, StaysWithinALimitInBytesOnTheDevice) {
  const std::int32_t m = 7;
  const Schedule plain = generated("gpipe", 3, m);
  RecomputeOptions options = sizes_of(plain, (23 + m - 1) / m);
  const Memory least = memory_of(recomputed(plain, Policy::Always), options);
  const Memory all = memory_of(plain, options);
  const Trained trained = train(plain);
  options.policies = {Policy::ForMemory};
  for (const double part : {0.0, 0.3, 0.6, 1.0}) {
    options.limit.clear();
    for (std::size_t d = 0; d < 3; ++d) {
      options.limit.push_back(least.peak_bytes[d] +
                              part * (all.peak_bytes[d] - least.peak_bytes[d]));
    }
    const Schedule longer = *with_recompute(plain, options);
    const Trained saved = train(longer);
    EXPECT_EQ(saved.weights, trained.weights);
    for (std::size_t d = 0; d < 3; ++d) {
      // What a device holds beside its activations is the same for all.
      const double rest =
          static_cast<double>(trained.measured_bytes[d]) - all.peak_bytes[d];
      EXPECT_LE(static_cast<double>(saved.measured_bytes[d]) - rest,
                options.limit[d] + 1e-3)
          << part << ", device " << d;
    }
  }
}

// --- Layers that draw, count, and lie under a skip

/// All that a forward could do twice, under skips that boundaries cut.
Network counting_network() {
  Network network;
  network.push_back(linear(6, 8));
  network.push_back(batch_norm({1, 1, 8}));
  network.push_back(gelu(8));
  network.push_back(dropout(8, 0.3F, 3));
  network.push_back(linear(8, 8));
  network.push_back(batch_norm({1, 1, 8}, BatchNormMode::Deferred));
  network.push_back(relu(8));
  network.push_back(linear(8, 8));
  network.push_back(dropout(8, 0.5F, 8));
  network.push_back(linear(8, 4));
  network.skips = {{1, 3}, {4, 6}, {2, 8}};
  return network;
}

struct Outcome {
  std::vector<float> weights, state;
  std::vector<double> losses;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome_of(Platform& platform, const Network& network, const LayerSplit& split,
                   const Schedule& schedule, const std::vector<Batch>& batches,
                   const ExecutorOptions& options = {}) {
  const auto placed =
      *PlacedNetwork::place(platform, network, split, schedule.placement, kSmallSeed);
  const auto executor = Executor::make(*placed, schedule, batches[0].rows, options);
  if (!executor) {
    ADD_FAILURE() << executor.error().what;
    return {};
  }
  if (const auto ran = (*executor)->run(batches); !ran) {
    ADD_FAILURE() << ran.error().what;
    return {};
  }
  for (std::int32_t d = 0; d < schedule.devices(); ++d) {
    EXPECT_EQ(platform.device(d).meter().peak_bytes,
              placed->bytes_on(d) + (*executor)->planned_bytes(d) +
                  placed->on(d).workspace->scratch_bytes());
  }
  return {placed->weights(), placed->state(), (*executor)->result().step_loss};
}

TEST_F(Rematerialization, DrawsAndCountsOnceWhereverTheNetworkIsCut) {
  const Network network = counting_network();
  const SmallData data(69);
  const auto batches = data.batches(small_steps());
  for (const char* const name : {"gpipe", "1f1b", "zb-h1", "interleaved"}) {
    for (const std::int32_t p : {1, 2, 3, 5}) {
      const Schedule schedule = generated(name, p, 4);
      if (schedule.stages() > 10) continue;
      const LayerSplit split = *even_split(10, schedule.stages());
      const Outcome plain =
          outcome_of(*platform_of(p), network, split, schedule, batches);
      for (const Policy policy : {Policy::Always, Policy::AllButLast}) {
        const Schedule longer = recomputed(schedule, policy);
        EXPECT_EQ(outcome_of(*platform_of(p), network, split, longer, batches), plain)
            << called(longer);
      }
    }
  }
}

TEST_F(Rematerialization, MakesTheSlicesOfSequencesAgain) {
  constexpr std::int32_t kRows = 6;
  constexpr std::int32_t kPositions = 11;
  constexpr std::int32_t kTokens = 13;
  const Network network = *transformer({.vocabulary = kTokens,
                                        .width = 8,
                                        .heads = 2,
                                        .blocks = 2,
                                        .context = kPositions,
                                        .dropout = 0.2F,
                                        .tied = false});
  std::vector<float> tokens;
  std::vector<std::int32_t> labels;
  for (std::int32_t i = 0; i < kRows * kPositions; ++i) {
    tokens.push_back(static_cast<float>(i * i % kTokens));
    labels.push_back((i * 5 + 3) % kTokens);
  }
  const std::vector<Batch> batches = {
      {tokens.data(), labels.data(), kRows, kPositions}};
  ExecutorOptions options;
  options.most_positions = kPositions;
  const auto layers = static_cast<std::int32_t>(network.size());
  for (const std::int32_t p : {1, 3}) {
    const Schedule schedule =
        *generate("token-slices", {.shape = {p, 2, 1}, .slices = {3}});
    const LayerSplit split = *even_split(layers, p);
    const Outcome plain =
        outcome_of(*platform_of(p), network, split, schedule, batches, options);
    for (const Policy policy : {Policy::Always, Policy::AllButLast}) {
      const Schedule longer = recomputed(schedule, policy);
      EXPECT_EQ(outcome_of(*platform_of(p), network, split, longer, batches, options),
                plain)
          << called(longer);
    }
  }
}

}  // namespace
}  // namespace pipeline
