// Chapter 07: what a stage computes. The gradients of each layer against slopes found
// by trying, and the matrix product in several ways.
//   ./workbook run 07
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "classroom/chapter_program.hpp"
#include "classroom/console.hpp"
#include "device/device.hpp"
#include "layers/compute.hpp"
#include "layers/device_array.hpp"
#include "layers/layer.hpp"
#include "layers/matmul.hpp"
#include "layers/reference.hpp"

namespace {

using namespace pipeline;

const ChapterInfo kChapter = {
    .number = "07",
    .name = "layers",
    .question = "What does a stage compute, forward and backward?",
    .draws = false,
};

/// The one device of this chapter, its stream and its workspace.
struct Bench {
  std::unique_ptr<Platform> platform;
  std::unique_ptr<Stream> stream;
  std::unique_ptr<Compute> compute;

  static Expected<Bench> open(MatmulWith with) {
    auto platform = make_platform(1);
    if (!platform) return tl::unexpected(platform.error());
    Device& device = (*platform)->device(0);
    auto stream = device.make_stream("compute");
    return Bench{std::move(*platform), std::move(stream),
                 std::make_unique<Compute>(device, with)};
  }

  /// Runs work(compute) on the stream and waits for it.
  template <typename F>
  void run(const F& work) const {
    stream->run(Work([this, &work](NativeStream native) {
      compute->enter(native);
      work(*compute);
    }));
    stream->synchronize();
  }
};

constexpr std::int32_t kRows = 5;
constexpr double kStep = 0.01;

std::vector<float> random_floats(std::size_t count, std::uint64_t seed) {
  return to_float(random_matrix(1, static_cast<std::int32_t>(count), 1, seed).values);
}

/// values + step * direction.
std::vector<float> moved(const std::vector<float>& values,
                         const std::vector<float>& direction, double step) {
  std::vector<float> result = values;
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] += static_cast<float>(step * direction[i]);
  }
  return result;
}

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return sum;
}

/// A layer with an input, parameters, and the gradient dy that comes back to it. They
/// make a number, L = sum(dy * f(x)), and the layer's two backward halves must return
/// how L changes with x and with the parameters.
class LayerOnTrial {
 public:
  LayerOnTrial(const Bench& bench, const Layer& layer)
      : bench_(bench),
        layer_(layer),
        x_(random_floats(static_cast<std::size_t>(kRows) * layer.inputs(), 1)),
        parameters_(random_floats(layer.parameter_count(), 2)),
        dy_(random_floats(static_cast<std::size_t>(kRows) * layer.outputs(), 3)) {}

  // [trying]
  /// How L changes along a direction, found by moving x a little to either side.
  double slope_by_input(const std::vector<float>& direction) const {
    return (loss(moved(x_, direction, kStep), parameters_) -
            loss(moved(x_, direction, -kStep), parameters_)) /
           (2 * kStep);
  }
  double slope_by_weights(const std::vector<float>& direction) const {
    return (loss(x_, moved(parameters_, direction, kStep)) -
            loss(x_, moved(parameters_, direction, -kStep))) /
           (2 * kStep);
  }
  // [trying]

  std::vector<float> input_gradient() const {
    const DeviceArray<float> x(*bench_.stream, x_);
    const DeviceArray<float> parameters(*bench_.stream, parameters_);
    const DeviceArray<float> dy(*bench_.stream, dy_);
    const DeviceArray<float> dx(*bench_.stream, std::vector<float>(x_.size()));
    bench_.run([&](Compute& on) {
      layer_.input_gradient(on, parameters.data(), x.matrix(kRows, layer_.inputs()),
                            dy.matrix(kRows, layer_.outputs()),
                            dx.matrix(kRows, layer_.inputs()));
    });
    return dx.read();
  }

  std::vector<float> weight_gradient() const {
    const DeviceArray<float> x(*bench_.stream, x_);
    const DeviceArray<float> dy(*bench_.stream, dy_);
    const DeviceArray<float> sum(*bench_.stream,
                                 std::vector<float>(parameters_.size()));
    bench_.run([&](Compute& on) {
      layer_.weight_gradient(on, {}, x.matrix(kRows, layer_.inputs()),
                             dy.matrix(kRows, layer_.outputs()), sum.data());
    });
    return sum.read();
  }

 private:
  double loss(const std::vector<float>& x_values,
              const std::vector<float>& parameter_values) const {
    const DeviceArray<float> x(*bench_.stream, x_values);
    const DeviceArray<float> parameters(*bench_.stream, parameter_values);
    const DeviceArray<float> y(*bench_.stream, std::vector<float>(dy_.size()));
    bench_.run([&](Compute& on) {
      layer_.forward(on, parameters.data(), x.matrix(kRows, layer_.inputs()),
                     y.matrix(kRows, layer_.outputs()));
    });
    return dot(y.read(), dy_);
  }

  const Bench& bench_;
  const Layer& layer_;
  std::vector<float> x_;
  std::vector<float> parameters_;
  std::vector<float> dy_;
};

void compare_slopes(ChapterReport& report, const Bench& bench, const Layer& layer) {
  const LayerOnTrial trial(bench, layer);
  const auto along_x = random_floats(
      static_cast<std::size_t>(kRows) * static_cast<std::size_t>(layer.inputs()), 4);
  report.row("slope of " + layer.name() + ", by its input",
             trial.slope_by_input(along_x), dot(trial.input_gradient(), along_x));
  if (layer.parameter_count() == 0) return;
  const auto along_w = random_floats(layer.parameter_count(), 5);
  report.headline("slope of " + layer.name() + ", by its weights",
                  trial.slope_by_weights(along_w),
                  dot(trial.weight_gradient(), along_w));
}

/// Seconds that a square product of this size takes: the median of a few.
double product_seconds(const Bench& bench, std::int32_t size) {
  const std::size_t count = static_cast<std::size_t>(size) * size;
  const DeviceArray<float> a(*bench.stream, random_floats(count, 6));
  const DeviceArray<float> b(*bench.stream, random_floats(count, 7));
  const DeviceArray<float> c(*bench.stream, std::vector<float>(count));
  const auto begin = bench.platform->device(0).make_mark();
  const auto end = bench.platform->device(0).make_mark();
  std::vector<double> seconds;
  for (int i = 0; i < 6; ++i) {
    bench.stream->mark(*begin);
    bench.run([&](Compute& on) {
      matmul(on, Transpose::No, a.matrix(size, size), Transpose::No,
             b.matrix(size, size), 0, c.matrix(size, size));
    });
    bench.stream->mark(*end);
    bench.stream->synchronize();
    if (i > 0) seconds.push_back(bench.platform->seconds_between(*begin, *end));
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

// [ways]
/// The same product by the code of this book and by the library, in GFLOP/s.
Expected<std::string> product_table(std::int32_t size) {
  std::vector<std::vector<std::string>> cells = {{"product", "GFLOP/s", "of Thrust's"}};
  double first = 0;
  for (const MatmulWith with : {MatmulWith::Thrust, MatmulWith::Library}) {
    const auto bench = Bench::open(with);
    if (!bench) return tl::unexpected(bench.error());
    const bool on_gpu = bench->platform->level() != Level::HostThreads;
    const double rate = 2e-9 * size * size * size / product_seconds(*bench, size);
    if (with == MatmulWith::Thrust) first = rate;
    char numbers[2][32];
    std::snprintf(numbers[0], sizeof numbers[0], "%.0f", rate);
    std::snprintf(numbers[1], sizeof numbers[1], "%.1f", rate / first);
    const char* const library = on_gpu ? "cuBLAS" : "oneDNN";
    cells.push_back(
        {with == MatmulWith::Thrust ? "Thrust" : library, numbers[0], numbers[1]});
    if (with == MatmulWith::Library) {
      cells.push_back({on_gpu ? "oneDNN" : "cuBLAS", "not run", ""});
    }
  }
  return format_table(cells, {1, 2});
}
// [ways]

Expected<ChapterReport> layers(const ChapterOptions& /*options*/) {
  const auto bench = Bench::open(MatmulWith::Library);
  if (!bench) return tl::unexpected(bench.error());
  const auto products = product_table(512);
  if (!products) return tl::unexpected(products.error());

  ChapterReport report;
  report.say("The product of two matrices of 512 x 512, on one device:");
  report.show(*products);
  report.say(
      "Slopes along a random direction: predicted by moving the numbers to either "
      "side, measured with the gradient that the layer computes.");
  compare_slopes(report, *bench, *linear(7, 4));
  compare_slopes(report, *bench, *relu(6));
  compare_slopes(report, *bench, *gelu(6));
  report.level = bench->platform->level();
  report.try_next("./workbook check 07: write these gradients in Thrust.");
  return report;
}

}  // namespace

int main(int argc, char** argv) { return run_chapter(argc, argv, kChapter, layers); }
