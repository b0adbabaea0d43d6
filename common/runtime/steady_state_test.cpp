// Nothing is allocated after the first step, over all kinds of layers.
#include <gtest/gtest.h>

#include "device/allocation_watch.hpp"
#include "layers/residual_net.hpp"
#include "layers/transformer.hpp"
#include "runtime/small_training.hpp"

namespace pipeline {
namespace {

/// Made-up samples: whole numbers below 7, which are tokens as well as pixels.
struct Samples {
  std::vector<float> inputs;
  std::vector<std::int32_t> labels;

  Samples(std::size_t floats, std::size_t rows) {
    Random random(4);
    for (std::size_t i = 0; i < floats; ++i) {
      inputs.push_back(static_cast<float>(random.below(7)));
    }
    for (std::size_t i = 0; i < rows; ++i) {
      labels.push_back(static_cast<std::int32_t>(random.below(7)));
    }
  }
};

class SteadyStateOfLayers : public RuntimeTest {
 protected:
  struct Case {
    const Network& network;
    Schedule schedule;
    std::vector<Batch> batches;
    Optimizer::Kind optimizer = Optimizer::Kind::AdamW;
    std::int32_t most_positions = 1;
  };

  void expect_no_allocation(const Case& given) {
    const Schedule& schedule = given.schedule;
    const auto layers = static_cast<std::int32_t>(given.network.size());
    const auto platform = platform_of(schedule.devices());
    Optimizer optimizer;
    optimizer.kind = given.optimizer;
    optimizer.rate = 1e-3F;
    optimizer.warmup_steps = 2;
    optimizer.decay_steps = 9;
    auto placed = *PlacedNetwork::place(*platform, given.network,
                                        *even_split(layers, schedule.stages()),
                                        schedule.placement, 1, optimizer);
    ExecutorOptions options;
    options.clip = 0.5F;
    options.most_positions = given.most_positions;
    auto executor = Executor::make(*placed, schedule, 7, options);
    ASSERT_TRUE(executor) << executor.error().what;
    const std::vector<Batch>& batches = given.batches;
    ASSERT_TRUE((*executor)->run(batches));
    std::vector<MeterReading> meters;
    meters.reserve(static_cast<std::size_t>(schedule.devices()));
    for (std::int32_t d = 0; d < schedule.devices(); ++d) {
      meters.push_back(platform->device(d).meter());
    }
    const std::uint64_t before = allocations_so_far();
    for (std::int64_t run = 1; run < 4; ++run) {
      const bool ran = (*executor)->run(batches, run * schedule.steps).has_value();
      ASSERT_TRUE(ran);
    }
    EXPECT_EQ(allocations_so_far(), before)
        << schedule.name << " p=" << schedule.devices();
    for (std::int32_t d = 0; d < schedule.devices(); ++d) {
      const MeterReading meter = platform->device(d).meter();
      EXPECT_EQ(meter.allocations, meters[static_cast<std::size_t>(d)].allocations);
      EXPECT_EQ(meter.peak_bytes, meters[static_cast<std::size_t>(d)].peak_bytes);
    }
    EXPECT_FALSE((*executor)->result().not_finite);
  }
};

TEST_F(SteadyStateOfLayers, OfATransformerWithDropoutTiesAndSlices) {
  ASSERT_TRUE(allocations_are_watched());
  TransformerShape shape;
  shape.vocabulary = 7;
  shape.width = 12;
  shape.heads = 3;
  shape.blocks = 2;
  shape.context = 6;
  shape.dropout = 0.1F;
  const Network network = std::move(*transformer(shape));
  const Samples samples(42, 42);
  const Batch long_one = {samples.inputs.data(), samples.labels.data(), 7, 6};
  const Batch short_one = {samples.inputs.data(), samples.labels.data(), 5, 4};
  for (const char* const name : {"1f1b", "interleaved", "zb-h1", "token-slices"}) {
    for (const std::int32_t p : {1, 2}) {
      expect_no_allocation({network,
                            generated(name, {.shape = {p, 3, 2, true}}),
                            {long_one, short_one},
                            Optimizer::Kind::AdamW,
                            6});
    }
  }
}

TEST_F(SteadyStateOfLayers, OfAResidualNetForPictures) {
  ASSERT_TRUE(allocations_are_watched());
  for (const BatchNormMode mode :
       {BatchNormMode::PerMicroBatch, BatchNormMode::Deferred}) {
    ResidualShape shape;
    shape.image = {6, 5, 2};
    shape.levels = {3, 4};
    shape.classes = 7;
    shape.batch_norm = mode;
    const Network network = residual_net(shape);
    const Samples samples(420, 7);
    const Batch batch = {samples.inputs.data(), samples.labels.data(), 7};
    const Batch smaller = {samples.inputs.data(), samples.labels.data(), 5};
    for (const std::int32_t p : {1, 3}) {
      expect_no_allocation({network,
                            generated("1f1b", {.shape = {p, 3, 2, true}}),
                            {batch, smaller},
                            Optimizer::Kind::Sgd});
    }
  }
}

}  // namespace
}  // namespace pipeline
