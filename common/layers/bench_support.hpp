/// \file
/// What the benches of the layers share. Compiled for this very processor, so that the
/// peak is its own. Private to the layers part.
#pragma once

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "device/host.hpp"
#include "layers/compute.hpp"
#include "layers/device_array.hpp"
#include "layers/reference.hpp"

namespace pipeline {

inline double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Of this thread alone, so that what else runs on the machine counts less.
template <typename F>
double seconds(const F& work) {
  const double start = cpu_seconds();
  work();
  return cpu_seconds() - start;
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif
using Vector = float __attribute__((vector_size(kVectorBytes)));

/// Operations a second of fused multiply-adds on registers alone, in twelve chains, so
/// that none waits for another. 0.999 x + 0.001 stays near 1: no overflow, no
/// denormals.
inline double peak_flops() {
  constexpr int kChains = 12;
  constexpr int kRounds = 100000;
  Vector chain[kChains];
  for (int c = 0; c < kChains; ++c) chain[c] = Vector{} + (1.0F + 0.1F * c);
  Vector factor = Vector{} + 0.999F;
  Vector term = Vector{} + 0.001F;
  benchmark::DoNotOptimize(factor);
  benchmark::DoNotOptimize(term);
  const double time = seconds([&] {
    for (int i = 0; i < kRounds; ++i) {
#pragma GCC unroll 12
      for (int c = 0; c < kChains; ++c) chain[c] = chain[c] * factor + term;
    }
  });
  for (Vector& c : chain) benchmark::DoNotOptimize(c);
  constexpr std::size_t kLanes = kVectorBytes / sizeof(float);
  return 2.0 * static_cast<double>(kLanes) * kChains * kRounds / time;
}

/// One host device with its stream; `run` waits.
struct Bench {
  std::unique_ptr<Platform> platform = make_host_platform(1);
  std::unique_ptr<Stream> stream = platform->device(0).make_stream("compute");

  DeviceArray<float> random(std::int32_t rows, std::int32_t columns,
                            std::uint64_t seed) const {
    return {*stream, to_float(random_matrix(rows, columns, 1, seed).values)};
  }
  template <typename F>
  void run(const F& work) const {
    stream->run(Work([&work](NativeStream) { work(); }));
    stream->synchronize();
  }
};

}  // namespace pipeline
