// Speed of the layers of images on a host device, as ratios within one run:
// convolutions against the most that the core's multipliers do, batch norm against the
// convolution before it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "layers/batch_norm.hpp"
#include "layers/bench_support.hpp"

namespace pipeline {
namespace {

constexpr std::int32_t kImages = 64;

/// A layer on images, with all that a call of it reads and writes.
class Images {
 public:
  explicit Images(const Layer& layer)
      : layer_(layer),
        compute_(bench_.platform->device(0)),
        x_(bench_.random(kImages, layer.inputs(), 1)),
        dx_(bench_.random(kImages, layer.inputs(), 2)),
        y_(bench_.random(kImages, layer.outputs(), 3)),
        dy_(bench_.random(kImages, layer.outputs(), 4)),
        parameters_(
            bench_.random(1, static_cast<std::int32_t>(layer.parameter_count()), 5)),
        gradients_(
            bench_.random(1, static_cast<std::int32_t>(layer.parameter_count()), 6)) {}

  /// Seconds of a forward, an input gradient and a weight gradient together.
  double step_seconds() {
    double time = 0;
    bench_.run([&] {
      time = seconds([&] {
        const Call call(parameters_.data());
        const Matrix in = x_.matrix(kImages, layer_.inputs());
        const Matrix gradient = dy_.matrix(kImages, layer_.outputs());
        layer_.forward(compute_, call, in, y_.matrix(kImages, layer_.outputs()));
        layer_.input_gradient(compute_, call, in, gradient,
                              dx_.matrix(kImages, layer_.inputs()));
        layer_.weight_gradient(compute_, call, in, gradient, gradients_.data());
      });
    });
    return time;
  }

 private:
  const Bench bench_;
  const Layer& layer_;
  Compute compute_;
  DeviceArray<float> x_, dx_, y_, dy_, parameters_, gradients_;
};

ImageShape image_of(const benchmark::State& state) {
  const auto side = static_cast<std::int32_t>(state.range(0));
  return {side, side, static_cast<std::int32_t>(state.range(1))};
}

/// Args: height and width, channels. The ratio is the share of the peak.
void convolution_step(benchmark::State& state) {
  const ImageShape image = image_of(state);
  const auto layer = convolution(image, image.channels, {.bias = false});
  Images images(*layer);
  images.step_seconds();
  const double work = 3 * 2.0 * 9 * image.channels * image.columns() * kImages;
  std::vector<double> shares;
  for ([[maybe_unused]] auto _ : state) {
    const double before = peak_flops();
    const double flops = work / images.step_seconds();
    shares.push_back(flops / std::max(before, peak_flops()));
  }
  state.counters["ratio"] = median(shares);
}

/// The same args. The ratio is its time over the convolution's.
void batch_norm_step(benchmark::State& state) {
  const ImageShape image = image_of(state);
  const auto before = convolution(image, image.channels, {.bias = false});
  const auto layer = batch_norm(image);
  Images convolved_images(*before);
  Images images(*layer);
  convolved_images.step_seconds();
  images.step_seconds();
  std::vector<double> ratios;
  for ([[maybe_unused]] auto _ : state) {
    const double time = convolved_images.step_seconds();
    ratios.push_back(images.step_seconds() / time);
  }
  state.counters["ratio"] = median(ratios);
}

void shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"side", "channels"})->Iterations(21);
  benchmark->Args({28, 16})->Args({14, 32})->Args({7, 64});
}
BENCHMARK(convolution_step)->Apply(shapes)->Unit(benchmark::kMillisecond);
BENCHMARK(batch_norm_step)->Apply(shapes)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipeline
