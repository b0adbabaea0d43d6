// Speed of the layers on a host device, as ratios within one run: the matrix product
// against the most that the core's multipliers do, element-wise work against copying
// memory. Compiled for this very processor, so that the peak is its own.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "layers/bench_support.hpp"
#include "layers/layer_norm.hpp"
#include "layers/matmul.hpp"
#include "layers/optimizer.hpp"

namespace pipeline {
namespace {

/// Args: m, n, k, a transposed, b transposed. The ratio is the share of the peak, which
/// is measured before and after each product.
void product(benchmark::State& state, MatmulWith with) {
  const auto m = static_cast<std::int32_t>(state.range(0));
  const auto n = static_cast<std::int32_t>(state.range(1));
  const auto k = static_cast<std::int32_t>(state.range(2));
  const bool flip_a = state.range(3) != 0;
  const bool flip_b = state.range(4) != 0;
  const Bench bench;
  Compute compute(bench.platform->device(0), with);
  const DeviceArray<float> a = bench.random(m, k, 1);
  const DeviceArray<float> b = bench.random(k, n, 2);
  const DeviceArray<float> c = bench.random(m, n, 3);
  const Matrix view_a = flip_a ? a.matrix(k, m) : a.matrix(m, k);
  const Matrix view_b = flip_b ? b.matrix(n, k) : b.matrix(k, n);
  const auto multiply = [&] {
    matmul(compute, flip_a ? Transpose::Yes : Transpose::No, view_a,
           flip_b ? Transpose::Yes : Transpose::No, view_b, 0, c.matrix(m, n));
  };
  bench.run(multiply);
  // At least a millisecond at a time, so that the clock does not matter.
  const double work = 2.0 * m * n * k;
  const int repeats = std::max(1, static_cast<int>(2e8 / work));
  std::vector<double> shares;
  std::vector<double> flops;
  for ([[maybe_unused]] auto _ : state) {
    bench.run([&] {
      const double before = peak_flops();
      const double time = seconds([&] {
        for (int i = 0; i < repeats; ++i) multiply();
      });
      const double peak = std::max(before, peak_flops());
      flops.push_back(work * repeats / time);
      shares.push_back(flops.back() / peak);
    });
  }
  state.counters["ratio"] = median(shares);
  state.counters["gflops"] = median(flops) / 1e9;
  if (with == MatmulWith::Library && m == n && n == k && !flip_a && !flip_b) {
    state.counters["limit"] = 0.8;
    state.counters["at_most"] = 0;
  }
}

void shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"m", "n", "k", "at", "bt"})->Iterations(11);
  for (const std::int64_t n : {512, 1024}) {
    benchmark->Args({n, n, n, 0, 0});
  }
  benchmark
      ->Args({64, 256, 784, 0, 0})   // forward
      ->Args({64, 784, 256, 0, 1})   // input gradient
      ->Args({784, 256, 64, 1, 0});  // weight gradient
}
BENCHMARK_CAPTURE(product, library, MatmulWith::Library)
    ->Apply(shapes)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(product, thrust, MatmulWith::Thrust)
    ->Apply(shapes)
    ->Unit(benchmark::kMillisecond);

enum class Step {
  Relu,
  Gelu,
  GeluGradient,
  Bias,
  LayerNorm,
  LayerNormGradient,
  Softmax,
  SoftmaxGradient,
  SgdUpdate,
  AdamWUpdate
};

/// One step on rows x columns, over the time that copying as many floats takes; `most`
/// of it, where that is promised.
void element_wise(benchmark::State& state, Step step, double most = 0) {
  constexpr std::int32_t kRows = 256;
  constexpr std::int32_t kColumns = 1024;
  constexpr std::size_t kCount = std::size_t{kRows} * kColumns;
  const Bench bench;
  Compute compute(bench.platform->device(0));
  const DeviceArray<float> x = bench.random(kRows, kColumns, 1);
  const DeviceArray<float> y = bench.random(kRows, kColumns, 2);
  const DeviceArray<float> z = bench.random(kRows, kColumns, 3);
  const DeviceArray<float> second(*bench.stream, std::vector<float>(kCount));
  const DeviceArray<std::int32_t> labels(*bench.stream,
                                         std::vector<std::int32_t>(kRows, 7));
  const Matrix in = x.matrix(kRows, kColumns);
  const Matrix gradient = y.matrix(kRows, kColumns);
  const Matrix out = z.matrix(kRows, kColumns);
  const std::unique_ptr<Layer> rectify = relu(kColumns);
  const std::unique_ptr<Layer> bend = gelu(kColumns);
  const std::unique_ptr<Layer> norm = layer_norm(kColumns);
  const DeviceArray<float> scales = bench.random(2, kColumns, 4);
  const DeviceArray<double> loss(*bench.stream, {0});
  const DeviceArray<std::int32_t> correct(*bench.stream, {0});
  // One input only, so that next to nothing but the bias is left.
  const std::unique_ptr<Layer> narrow = linear(1, kColumns);
  const auto work = [&] {
    switch (step) {
      case Step::Relu:
        return rectify->forward(compute, nullptr, in, out);
      case Step::Gelu:
        return bend->forward(compute, nullptr, in, out);
      case Step::GeluGradient:
        return bend->input_gradient(compute, nullptr, in, gradient, out);
      case Step::Bias:
        return narrow->weight_gradient(compute, {}, {x.data(), kRows, 1}, gradient,
                                       z.data());
      case Step::LayerNorm:
        return norm->forward(compute, scales.data(), in, out);
      case Step::LayerNormGradient:
        return norm->input_gradient(compute, scales.data(), in, gradient, out);
      case Step::Softmax:
        return softmax_cross_entropy(compute, in, labels.data(), loss.data(),
                                     correct.data());
      case Step::SoftmaxGradient:
        return softmax_cross_entropy_gradient(compute, in, labels.data(), 0.1F, out);
      case Step::SgdUpdate:
        return update(compute, {}, 0,
                      {kCount, 0, x.data(), x.data(), y.data(), z.data(), nullptr});
      case Step::AdamWUpdate:
        return update(compute, {.kind = Optimizer::Kind::AdamW}, 0,
                      {kCount, kCount / 2, x.data(), x.data(), y.data(), z.data(),
                       second.data()});
    }
  };
  bench.run(work);
  std::vector<double> ratios;
  for ([[maybe_unused]] auto _ : state) {
    bench.run([&] {
      const double copying = seconds([&] {
        std::memcpy(z.data(), x.data(), kCount * sizeof(float));
        benchmark::ClobberMemory();
      });
      ratios.push_back(seconds(work) / copying);
    });
  }
  state.counters["ratio"] = median(ratios);
  if (most > 0) {
    state.counters["limit"] = most;
    state.counters["at_most"] = 1;
  }
}
BENCHMARK_CAPTURE(element_wise, relu, Step::Relu)->Iterations(101);
BENCHMARK_CAPTURE(element_wise, gelu, Step::Gelu)->Iterations(101);
BENCHMARK_CAPTURE(element_wise, gelu_gradient, Step::GeluGradient)->Iterations(101);
BENCHMARK_CAPTURE(element_wise, bias_gradient, Step::Bias)->Iterations(101);
BENCHMARK_CAPTURE(element_wise, layer_norm, Step::LayerNorm, 6)->Iterations(101);
BENCHMARK_CAPTURE(element_wise, layer_norm_gradient, Step::LayerNormGradient, 8)
    ->Iterations(101);
BENCHMARK_CAPTURE(element_wise, softmax_loss, Step::Softmax, 10)->Iterations(101);
BENCHMARK_CAPTURE(element_wise, softmax_gradient, Step::SoftmaxGradient, 10)
    ->Iterations(101);
BENCHMARK_CAPTURE(element_wise, sgd_update, Step::SgdUpdate)->Iterations(101);
BENCHMARK_CAPTURE(element_wise, adam_w_update, Step::AdamWUpdate)->Iterations(101);

}  // namespace
}  // namespace pipeline
