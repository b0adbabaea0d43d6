// Every schedule there is, executed: the weights of one device, the memory that was
// predicted and the bytes that were planned.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "runtime/reference_training.hpp"
#include "runtime/small_training.hpp"
#include "schedule/full_tier.hpp"
#include "schedule/versions.hpp"
#include "timeline/memory.hpp"

namespace pipeline {
namespace {

std::string called(const Schedule& schedule, std::int32_t buffers) {
  return schedule.name + " p=" + std::to_string(schedule.devices()) +
         " stages=" + std::to_string(schedule.stages()) +
         " m=" + std::to_string(schedule.micro_batches) +
         " buffers=" + std::to_string(buffers);
}

class EverySchedule : public RuntimeTest {
 protected:
  static constexpr std::int32_t kSteps = 3;

  /// What an executed schedule is held against, each made once.
  const std::vector<float>& expected_for(const Schedule& schedule) {
    const std::int32_t layers = layers_for(schedule.stages());
    const auto key = std::tuple(
        schedule.placement.copies(), schedule.weights,
        schedule.weights == WeightPolicy::Synchronous ? 0 : schedule.devices(),
        schedule.micro_batches, layers);
    auto& weights = expected_[key];
    if (!weights.empty()) return weights;
    if (schedule.weights != WeightPolicy::Synchronous) {
      weights = with_versions(schedule, layers);
    } else if (schedule.placement.copies() == 2) {
      weights = with_halves(schedule.micro_batches, layers);
    } else {
      weights =
          train_small(*platform_of(1), generated("gpipe", 1, schedule.micro_batches),
                      {}, small_steps(), layers)
              .weights;
    }
    return weights;
  }

  void expect_all_is_right(const Schedule& schedule, std::int32_t buffers) {
    ExecutorOptions options;
    options.buffers = buffers;
    const auto platform = platform_of(schedule.devices());
    const Trained trained = train_small(*platform, schedule, options, small_steps(),
                                        layers_for(schedule.stages()));
    ASSERT_EQ(trained.weights, expected_for(schedule)) << called(schedule, buffers);
    ASSERT_TRUE(trained.copies_agree) << called(schedule, buffers);
    ASSERT_EQ(trained.result.peak_live, memory(schedule).peak_chunks)
        << called(schedule, buffers);
    ASSERT_EQ(trained.measured_bytes, trained.planned_bytes)
        << called(schedule, buffers);
    const WeightVersions versions = weight_versions(schedule);
    ASSERT_EQ(trained.result.weight_versions, versions.most_kept)
        << called(schedule, buffers);
    ASSERT_EQ(trained.result.most_stale, versions.most_stale)
        << called(schedule, buffers);
    ++executed_[schedule.name];
  }

  /// One device that sums the gradients of each half of the micro-batches apart.
  std::vector<float> with_halves(std::int32_t m, std::int32_t layers) {
    const auto platform = platform_of(1);
    const Network network = small_network(layers);
    ReferenceTraining reference(*platform, network);
    Parameters weights = reference.start();
    const SmallData data(23 * kSteps);
    for (const Batch& batch : data.batches(small_steps())) {
      Parameters halves[2] = {reference.zeros(), reference.zeros()};
      const auto parts = cut(batch, m);
      for (std::int32_t k = 0; k < m; ++k) {
        reference.add_gradients(weights, parts[static_cast<std::size_t>(k)],
                                1.0F / static_cast<float>(batch.rows),
                                halves[k < (m + 1) / 2 ? 0 : 1]);
      }
      for (std::size_t i = 0; i < halves[0].size(); ++i) {
        for (std::size_t j = 0; j < halves[0][i].size(); ++j) {
          halves[0][i][j] += halves[1][i][j];
        }
      }
      weights = reference.updated(weights, halves[0]);
    }
    return in_one(weights);
  }

  /// Which update left the weights that a micro-batch meets: PipeDream's papers.
  static std::int32_t version_of(const Schedule& schedule, std::int32_t stage,
                                 std::int32_t k) {
    const std::int32_t p = schedule.devices();
    switch (schedule.weights) {
      case WeightPolicy::Stashed:
        return std::max(0, k - (p - 1 - stage));
      case WeightPolicy::VerticalSync:
        return std::max(0, k - (p - 1));
      default:
        return std::max(0, k / schedule.micro_batches - 1);
    }
  }

  /// One device that keeps every version of the weights, and runs the micro-batches one
  /// after the other, each with the versions that its stages would have.
  std::vector<float> with_versions(const Schedule& schedule, std::int32_t layers) {
    const auto platform = platform_of(1);
    const Network network = small_network(layers);
    const LayerSplit split = *even_split(layers, schedule.stages());
    ReferenceTraining reference(*platform, network);
    std::vector<Parameters> versions = {reference.start()};
    Parameters gradients = reference.zeros();
    const SmallData data(23 * kSteps);
    std::int32_t k = 0;
    for (const Batch& batch : data.batches(small_steps())) {
      for (const Batch& rows : cut(batch, schedule.micro_batches)) {
        Parameters used;
        for (std::int32_t s = 0; s < schedule.stages(); ++s) {
          const auto version =
              versions[static_cast<std::size_t>(version_of(schedule, s, k))];
          for (auto i = static_cast<std::size_t>(split[static_cast<std::size_t>(s)]);
               i < static_cast<std::size_t>(split[static_cast<std::size_t>(s) + 1]);
               ++i) {
            used.push_back(version[i]);
          }
        }
        const bool alone = schedule.micro_batches_per_update() == 1;
        reference.add_gradients(
            used, rows, 1.0F / static_cast<float>(alone ? rows.rows : batch.rows),
            gradients);
        ++k;
        if (k % schedule.micro_batches_per_update() != 0) continue;
        versions.push_back(reference.updated(versions.back(), gradients));
        gradients = reference.zeros();
      }
    }
    return in_one(versions.back());
  }

  using Key =
      std::tuple<std::int32_t, WeightPolicy, std::int32_t, std::int32_t, std::int32_t>;
  std::map<Key, std::vector<float>> expected_;
  std::map<std::string, std::int32_t> executed_;  ///< by schedule
};

TEST_F(EverySchedule, TrainsTheWeightsOfOneDeviceInTheMemoryThatWasPredicted) {
  const auto devices = in_full_tier()
                           ? std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7, 8}
                           : std::vector<std::int32_t>{1, 2, 4, 8};
  const auto micro_batches =
      in_full_tier() ? std::vector<std::int32_t>{1,  2,  3,  4,  5,  6,  7,  8, 9,
                                                 10, 11, 12, 13, 14, 15, 16, 17}
                     : std::vector<std::int32_t>{1, 3, 8, 17};
  for (const std::int32_t p : devices) {
    for (const std::int32_t m : micro_batches) {
      for (const Generator& generator : generators()) {
        for (const std::int32_t chunks : {0, 3}) {
          if (chunks > 0 && (!generator.reads.chunks || p > 4)) continue;
          Request request;
          request.shape = {p, m, kSteps, (p + m) % 2 == 0};
          request.chunks = chunks;
          auto schedule = generator.generate(request);
          if (!schedule) {
            request.shape.global_norm = false;
            schedule = generator.generate(request);
          }
          if (!schedule || !schedule->training || !schedule->slices.empty()) continue;
          expect_all_is_right(*schedule, (p + m) % 3);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  for (const Generator& generator : generators()) {
    if (generator.name == "forward" || generator.name == "token-slices") continue;
    EXPECT_GT(executed_[std::string(generator.name)], 0) << generator.name;
  }
}

}  // namespace
}  // namespace pipeline
