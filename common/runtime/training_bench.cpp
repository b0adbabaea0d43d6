// How much of what the core's multipliers can do a training step of a transformer
// reaches that the executor runs: forward, backward and update, norms, softmax, the
// batch on its way in. Compiled for this very processor, so that the peak is its own.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "layers/bench_support.hpp"
#include "layers/random.hpp"
#include "layers/transformer.hpp"
#include "runtime/executor.hpp"
#include "schedule/generate.hpp"

namespace pipeline {
namespace {

constexpr std::int32_t kSamples = 8;
constexpr TransformerShape kShape = {
    .width = 512, .heads = 8, .blocks = 4, .context = 128};

/// Operations that a step cannot do without: two for each weight of a matrix and row in
/// the forward pass, and in attention two for each value of each pair of positions that
/// sees the other, with keys and with values; and twice as many in the backward pass,
/// for inputs and for weights. What the backward pass computes again, and what is not a
/// product, does not count.
double flops_of_step() {
  const double w = kShape.width;
  const double rows = kSamples * kShape.context;
  const double seen = (kShape.context + 1) / 2.0;  // positions, on average
  const double block = 2 * rows * (3 * w * w + w * w + 8 * w * w) + 4 * rows * seen * w;
  const double forward = kShape.blocks * block + 2 * rows * w * kShape.vocabulary;
  return 3 * forward;
}

/// Training on one device, one micro-batch a step.
class Training {
 public:
  Training()
      : schedule_(*one_f_one_b({1, 1, 1, /*global_norm=*/true})),
        network_(*transformer(kShape)),
        platform_(*make_platform(1)),
        placed_(*PlacedNetwork::place(*platform_, network_, *even_split(layers(), 1),
                                      schedule_.placement, 1,
                                      {.kind = Optimizer::Kind::AdamW, .rate = 1e-4F})),
        executor_(*Executor::make(*placed_, schedule_, kSamples,
                                  {.most_positions = kShape.context})) {
    Random random(1);
    for (std::int32_t i = 0; i < kSamples * kShape.context; ++i) {
      tokens_.push_back(static_cast<float>(random.below(256)));
      labels_.push_back(static_cast<std::int32_t>(random.below(256)));
    }
    step();  // the first one sees the shapes for the first time
  }

  void step() {
    const Batch batch{tokens_.data(), labels_.data(), kSamples, kShape.context};
    if (!executor_->run(std::span(&batch, 1), done_++)) std::abort();
  }

 private:
  std::int32_t layers() const { return static_cast<std::int32_t>(network_.size()); }

  Schedule schedule_;
  Network network_;
  std::unique_ptr<Platform> platform_;
  std::unique_ptr<PlacedNetwork> placed_;
  std::unique_ptr<Executor> executor_;
  std::vector<float> tokens_;
  std::vector<std::int32_t> labels_;
  std::int64_t done_ = 0;
};

double seconds_of_all_threads() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The time is that of all threads together, and the peak the best of a few tries
/// before and after each step.
void BM_ShareOfPeakInATrainingStep(benchmark::State& state) {
  const auto platform = make_platform(1);
  if (!platform) return state.SkipWithError(platform.error().what.c_str());
  if ((*platform)->level() != Level::HostThreads) {
    return state.SkipWithError("the peak is that of a core, not of a GPU");
  }
  Training training;
  std::vector<double> shares;
  std::vector<double> flops;
  for ([[maybe_unused]] auto _ : state) {
    double peak = 0;
    for (int i = 0; i < 4; ++i) peak = std::max(peak, peak_flops());
    const double start = seconds_of_all_threads();
    training.step();
    flops.push_back(flops_of_step() / (seconds_of_all_threads() - start));
    for (int i = 0; i < 4; ++i) peak = std::max(peak, peak_flops());
    shares.push_back(flops.back() / peak);
  }
  state.counters["ratio"] = median(shares);
  state.counters["limit"] = 0.6;
  state.counters["at_most"] = 0;
  state.counters["gflops"] = median(flops) / 1e9;
}
BENCHMARK(BM_ShareOfPeakInATrainingStep)->Iterations(7)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipeline
