// Speed of a transformer's layers on a host device, as ratios within one run: attention
// against the products of its block, a whole step against the most that the core's
// multipliers do.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "layers/attention.hpp"
#include "layers/bench_support.hpp"
#include "layers/optimizer.hpp"
#include "layers/sums.hpp"
#include "layers/transformer.hpp"

namespace pipeline {
namespace {

constexpr std::int32_t kSamples = 8;
constexpr std::int32_t kPositions = 128;
constexpr std::int32_t kRows = kSamples * kPositions;
constexpr std::int32_t kVocabulary = 256;

Pass whole_sequences() {
  Pass pass;
  pass.positions = kPositions;
  pass.all_positions = kPositions;
  return pass;
}

/// Attention over the products of its block: w -> 3w, w -> w, w -> 4w and 4w -> w,
/// which take as many operations as w -> 12w.
void attention(benchmark::State& state, bool backward) {
  constexpr std::int32_t kWidth = 256;
  const Bench bench;
  Compute compute(bench.platform->device(0));
  const auto layer = causal_attention(kWidth, 8);
  const auto products = linear(kWidth, 12 * kWidth);
  const DeviceArray<float> x = bench.random(kRows, 3 * kWidth, 1);
  const DeviceArray<float> dx = bench.random(kRows, 3 * kWidth, 2);
  const DeviceArray<float> y = bench.random(kRows, kWidth, 3);
  const DeviceArray<float> wide = bench.random(kRows, 12 * kWidth, 4);
  const DeviceArray<float> weights = bench.random(kWidth + 1, 12 * kWidth, 5);
  const DeviceArray<float> gradients = bench.random(kWidth + 1, 12 * kWidth, 6);
  const Matrix narrow = y.matrix(kRows, kWidth);
  const Matrix broad = wide.matrix(kRows, 12 * kWidth);
  Call call;
  call.pass = whole_sequences();
  const auto attend = [&] {
    if (backward) {
      layer->input_gradient(compute, call, x.matrix(kRows, 3 * kWidth), narrow,
                            dx.matrix(kRows, 3 * kWidth));
    } else {
      layer->forward(compute, call, x.matrix(kRows, 3 * kWidth), narrow);
    }
  };
  const auto multiply = [&] {
    if (backward) {
      products->input_gradient(compute, weights.data(), narrow, broad, narrow);
      products->weight_gradient(compute, weights.data(), narrow, broad,
                                gradients.data());
    } else {
      products->forward(compute, weights.data(), narrow, broad);
    }
  };
  bench.run(attend);
  bench.run(multiply);
  std::vector<double> ratios;
  for ([[maybe_unused]] auto _ : state) {
    bench.run([&] {
      const double attending = seconds(attend);
      ratios.push_back(attending / seconds(multiply));
    });
  }
  state.counters["ratio"] = median(ratios);
  state.counters["limit"] = 0.25;
  state.counters["at_most"] = 1;
}
BENCHMARK_CAPTURE(attention, forward, false)
    ->Iterations(21)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(attention, backward, true)
    ->Iterations(21)
    ->Unit(benchmark::kMillisecond);

/// The layers of a transformer with all that a training step needs, without a pipeline.
class Step {
 public:
  Step(const Bench& bench, const Network& network)
      : network_(network),
        compute_(bench.platform->device(0)),
        ids_(*bench.stream, numbers<float>(5)),
        labels_(*bench.stream, numbers<std::int32_t>(7)),
        correct_(*bench.stream, {0}),
        loss_(*bench.stream, {0}) {
    for (const auto& layer : network) {
      std::vector<float> start(layer->parameter_count());
      layer->initialise(start.data(), 1);
      weights_.emplace_back(*bench.stream, start);
      for (auto* kept : {&gradients_, &first_, &second_}) {
        kept->emplace_back(*bench.stream, std::vector<float>(start.size()));
      }
      outputs_.push_back(bench.random(kRows, layer->outputs(), 2));
      by_input_.push_back(bench.random(kRows, layer->inputs(), 3));
    }
  }

  void operator()() {
    for (std::size_t i = 0; i < network_.size(); ++i) {
      network_[i]->forward(compute_, call(i), input(i), output(i));
      for (const Skip& skip : network_.skips) {
        if (index(skip.to) == i) add_to(input(index(skip.from)), output(i));
      }
    }
    const Matrix logits = output(network_.size() - 1);
    softmax_cross_entropy(compute_, logits, labels_.data(), loss_.data(),
                          correct_.data());
    softmax_cross_entropy_gradient(compute_, logits, labels_.data(), 1.0F / kRows,
                                   logits);
    for (std::size_t i = network_.size(); i-- > 0;) {
      const Matrix dy = i + 1 < network_.size() ? by_input(i + 1) : logits;
      network_[i]->input_gradient(compute_, call(i), input(i), dy, by_input(i));
      network_[i]->weight_gradient(compute_, call(i), input(i), dy,
                                   gradients_[i].data());
      for (const Skip& skip : network_.skips) {
        if (index(skip.from) == i) {
          add_to(by_input(index(skip.to) + 1), by_input(i));
        }
      }
    }
    for (std::size_t i = 0; i < network_.size(); ++i) {
      if (weights_[i].size() == 0) continue;
      update(compute_, {.kind = Optimizer::Kind::AdamW, .rate = 1e-4F}, 0,
             {weights_[i].size(), network_[i]->decayed_count(), weights_[i].data(),
              weights_[i].data(), gradients_[i].data(), first_[i].data(),
              second_[i].data()});
    }
  }

  /// Of the products with weights alone: 2 forward, and twice that backward, for each
  /// weight of a matrix that a row is multiplied by.
  double operations() const {
    double weights = 0;
    for (std::size_t i = 1; i < network_.size(); ++i) {
      weights += static_cast<double>(network_[i]->decayed_count());
    }
    return 6 * weights * kRows;
  }

 private:
  /// Token ids: a number a row, below the vocabulary.
  template <typename T>
  static std::vector<T> numbers(std::int32_t step) {
    std::vector<T> made;
    made.reserve(kRows);
    for (std::int32_t i = 0; i < kRows; ++i) {
      made.push_back(static_cast<T>(i * step % kVocabulary));
    }
    return made;
  }
  static std::size_t index(std::int32_t layer) {
    return static_cast<std::size_t>(layer);
  }
  Call call(std::size_t i) const {
    Call made(weights_[i].data());
    made.pass = whole_sequences();
    return made;
  }
  Matrix input(std::size_t i) const {
    return i == 0 ? ids_.matrix(kRows, 1) : output(i - 1);
  }
  Matrix output(std::size_t i) const {
    return outputs_[i].matrix(kRows, network_[i]->outputs());
  }
  Matrix by_input(std::size_t i) const {
    return by_input_[i].matrix(kRows, network_[i]->inputs());
  }
  void add_to(Matrix from, Matrix to) {
    add(compute_, to.size(), to.data, from.data, to.data);
  }

  const Network& network_;
  Compute compute_;
  std::vector<DeviceArray<float>> weights_, gradients_, first_, second_;
  std::vector<DeviceArray<float>> outputs_, by_input_;
  DeviceArray<float> ids_;
  DeviceArray<std::int32_t> labels_, correct_;
  DeviceArray<double> loss_;
};

/// A whole training step of a transformer of two blocks: the share of the peak that the
/// products with its weights reach, with everything else counted as lost time.
void transformer_step(benchmark::State& state) {
  TransformerShape shape;
  shape.width = static_cast<std::int32_t>(state.range(0));
  shape.heads = 8;
  shape.blocks = 2;
  shape.context = kPositions;
  const Bench bench;
  const Network network = std::move(*transformer(shape));
  Step step(bench, network);
  bench.run([&] { step(); });
  std::vector<double> shares;
  for ([[maybe_unused]] auto _ : state) {
    bench.run([&] {
      const double before = peak_flops();
      const double time = seconds([&] { step(); });
      const double peak = std::max(before, peak_flops());
      shares.push_back(step.operations() / time / peak);
    });
  }
  state.counters["ratio"] = median(shares);
  if (shape.width == 512) {
    state.counters["limit"] = 0.6;
    state.counters["at_most"] = 0;
  }
}
BENCHMARK(transformer_step)
    ->ArgName("width")
    ->Arg(256)
    ->Arg(512)
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipeline
