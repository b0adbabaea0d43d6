// Token slices, executed: a transformer whose sequences pass the pipeline in pieces.
#include <gtest/gtest.h>

#include <cmath>

#include "layers/transformer.hpp"
#include "runtime/small_training.hpp"
#include "timeline/memory.hpp"

namespace pipeline {
namespace {

/// Sequences of letters, each the one before it plus 1 or 2, and what comes next.
class SmallText {
 public:
  static constexpr std::int32_t kLetters = 11;

  explicit SmallText(std::int32_t letters) {
    Random random(9);
    std::int32_t letter = 0;
    for (std::int32_t i = 0; i <= letters; ++i) {
      const std::int32_t next =
          (letter + 1 + static_cast<std::int32_t>(random.below(2))) % kLetters;
      inputs_.push_back(static_cast<float>(letter));
      labels_.push_back(next);
      letter = next;
    }
  }
  /// So many sequences, one after the other.
  Batch batch(std::int32_t rows, std::int32_t positions) const {
    return {inputs_.data(), labels_.data(), rows, positions};
  }

 private:
  std::vector<float> inputs_;
  std::vector<std::int32_t> labels_;
};

Network small_transformer(float dropout = 0) {
  TransformerShape shape;
  shape.vocabulary = SmallText::kLetters;
  shape.width = 12;
  shape.heads = 3;
  shape.blocks = 2;
  shape.context = 9;
  shape.dropout = dropout;
  return std::move(*transformer(shape));
}

struct Step {
  std::int32_t rows = 0;
  std::int32_t positions = 0;
};

class TokenSlices : public RuntimeTest {
 protected:
  struct Outcome {
    std::vector<float> weights;
    std::vector<double> losses;
    std::vector<std::int32_t> peak_live;
  };

  /// Trains one step of each size; lengths may change from step to step.
  Outcome trained(const Network& network, const Schedule& schedule,
                  const std::vector<Step>& steps, const SliceLengths& slices = {}) {
    const auto layers = static_cast<std::int32_t>(network.size());
    const auto platform = platform_of(schedule.devices());
    Optimizer optimizer;
    optimizer.kind = Optimizer::Kind::AdamW;
    optimizer.rate = 0.01F;
    auto placed = *PlacedNetwork::place(*platform, network,
                                        *even_split(layers, schedule.stages()),
                                        schedule.placement, kSmallSeed, optimizer);
    ExecutorOptions options;
    options.most_positions = 9;
    options.slices = slices;
    auto executor = Executor::make(*placed, schedule, 7, options);
    if (!executor) {
      ADD_FAILURE() << executor.error().what;
      return {};
    }
    const SmallText text(7 * 9);
    std::vector<Batch> batches;
    batches.reserve(steps.size());
    for (const Step& step : steps) {
      batches.push_back(text.batch(step.rows, step.positions));
    }
    if (const auto ran = (*executor)->run(batches, 3); !ran) {
      ADD_FAILURE() << ran.error().what;
      return {};
    }
    for (std::int32_t d = 0; d < schedule.devices(); ++d) {
      EXPECT_EQ(platform->device(d).meter().peak_bytes,
                placed->bytes_on(d) + (*executor)->planned_bytes(d) +
                    placed->on(d).workspace->scratch_bytes());
    }
    return {placed->weights(), (*executor)->result().step_loss,
            (*executor)->result().peak_live};
  }

  static Request request(std::int32_t p, std::int32_t m, std::int32_t slices) {
    Request asked = {.shape = {p, m, 3, /*global_norm=*/true}};
    if (slices > 0) asked.slices = {slices};
    return asked;
  }
  /// A whole context, a shorter one, and ragged micro-batches of another.
  static std::vector<Step> steps() { return {{6, 9}, {5, 7}, {7, 8}}; }
};

TEST_F(TokenSlices, TrainTheBitsOfOneDeviceWithTheSameSlices) {
  for (const float dropout : {0.0F, 0.2F}) {
    const Network network = small_transformer(dropout);
    for (const std::int32_t slices : {1, 2, 3, 5}) {
      for (const std::int32_t m : {1, 3}) {
        const Outcome expected =
            trained(network, generated("token-slices", request(1, m, slices)), steps());
        for (const std::int32_t p : {2, 4}) {
          const Schedule schedule = generated("token-slices", request(p, m, slices));
          const Outcome outcome = trained(network, schedule, steps());
          ASSERT_EQ(outcome.weights, expected.weights)
              << "p=" << p << " m=" << m << " slices=" << slices;
          EXPECT_EQ(outcome.losses, expected.losses);
          EXPECT_EQ(outcome.peak_live, memory(schedule).peak_chunks);
        }
      }
    }
  }
}

TEST_F(TokenSlices, TrainLikeWholeSequencesWithinRounding) {
  const Network network = small_transformer();
  const Outcome whole = trained(network, generated("gpipe", request(2, 3, 0)), steps());
  for (const std::int32_t slices : {2, 3, 7}) {
    const Outcome outcome =
        trained(network, generated("token-slices", request(2, 3, slices)), steps());
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < whole.weights.size(); ++i) {
      const double d = static_cast<double>(outcome.weights[i]) -
                       static_cast<double>(whole.weights[i]);
      difference += d * d;
      size +=
          static_cast<double>(whole.weights[i]) * static_cast<double>(whole.weights[i]);
    }
    EXPECT_LT(std::sqrt(difference / size), 1e-3) << slices;
    for (std::size_t step = 0; step < 3; ++step) {
      EXPECT_NEAR(outcome.losses[step], whole.losses[step], 1e-4);
    }
  }
}

TEST_F(TokenSlices, MayHaveLengthsOfTheirOwn) {
  const Network network = small_transformer();
  const SliceLengths lengths = {{{5, 3, 1}}};
  const std::vector<Step> all_nine = {{6, 9}, {4, 9}, {7, 9}};
  const Outcome expected =
      trained(network, generated("token-slices", request(1, 2, 3)), all_nine, lengths);
  const Outcome outcome =
      trained(network, generated("token-slices", request(3, 2, 3)), all_nine, lengths);
  EXPECT_EQ(outcome.weights, expected.weights);
  // Other cuts add up in another order.
  EXPECT_NE(
      outcome.weights,
      trained(network, generated("token-slices", request(3, 2, 3)), all_nine).weights);
}

TEST_F(TokenSlices, RefuseLengthsThatDoNotFit) {
  const Network network = small_transformer();
  const auto refusal = [&](std::vector<std::vector<std::int32_t>> lengths,
                           std::int32_t slices) {
    const auto platform = platform_of(2);
    const Schedule schedule = generated("token-slices", request(2, 2, slices));
    auto placed = *PlacedNetwork::place(
        *platform, network, *even_split(static_cast<std::int32_t>(network.size()), 2),
        schedule.placement, 1);
    ExecutorOptions options;
    options.most_positions = 9;
    options.slices.lengths = std::move(lengths);
    const auto made = Executor::make(*placed, schedule, 7, options);
    return made ? std::string() : made.error().what;
  };
  EXPECT_EQ(refusal({{5, 3}}, 3),
            "the slice lengths of micro-batch 0 do not cut 9 positions into 3 slices");
  EXPECT_EQ(refusal({{5, 3, 1}, {5, 4, 1}}, 3),
            "the slice lengths of micro-batch 1 do not cut 9 positions into 3 slices");
  EXPECT_EQ(refusal({{9, 0, 0}}, 3),
            "the slice lengths of micro-batch 0 do not cut 9 positions into 3 slices");
  EXPECT_EQ(refusal({}, 10), "a sequence of 9 positions cannot be cut into 10 slices");
}

TEST_F(TokenSlices, ATransformerTrainsTheSameBitsUnderEverySchedule) {
  const Network network = small_transformer(0.1F);
  for (const std::int32_t m : {1, 4}) {
    const Outcome expected =
        trained(network, generated("gpipe", request(1, m, 0)), steps());
    for (const char* const name : {"gpipe", "1f1b", "interleaved", "zb-h1", "zb-v"}) {
      for (const std::int32_t p : {2, 4}) {
        const Schedule schedule = generated(name, request(p, m, 0));
        ASSERT_EQ(trained(network, schedule, steps()).weights, expected.weights)
            << name << " p=" << p << " m=" << m;
      }
    }
  }
}

}  // namespace
}  // namespace pipeline
