// Gradients of micro-batches, added up, against those of the whole batch: the equality
// on which pipelining rests.
#include <algorithm>
#include <vector>

#include "layers/device_array.hpp"
#include "layers/layer_check.hpp"
#include "layers/on_platform.hpp"
#include "layers/random.hpp"

namespace pipeline {
namespace {

constexpr std::int32_t kRows = 41;
constexpr std::int32_t kInputs = 19;
constexpr std::int32_t kHidden = 23;
constexpr std::int32_t kClasses = 10;

struct Problem {
  DoubleMatrix x = random_matrix(kRows, kInputs, 1.5, 1);
  std::vector<std::int32_t> labels;
  DoubleMatrix first = random_matrix(1, (kInputs + 1) * kHidden, 0.5, 2);
  DoubleMatrix second = random_matrix(1, (kHidden + 1) * kClasses, 0.5, 3);

  Problem() {
    for (std::int32_t i = 0; i < kRows; ++i) labels.push_back(i * 7 % kClasses);
  }
};

struct Gradients {
  std::vector<double> first;
  std::vector<double> second;
};

/// Linear, GELU, linear, mean loss over the whole batch, in double.
Gradients reference_gradients(const Problem& p) {
  const auto first = reference_linear(kInputs, kHidden);
  const auto second = reference_linear(kHidden, kClasses);
  const auto between = reference_gelu();
  const DoubleMatrix h = first->forward({}, p.first.values, p.x);
  const DoubleMatrix a = between->forward({}, {}, h);
  const DoubleMatrix logits = second->forward({}, p.second.values, a);
  const DoubleMatrix dlogits = reference_loss_gradient(logits, p.labels, 1.0 / kRows);
  const DoubleMatrix da = second->input_gradient({}, p.second.values, a, dlogits);
  const DoubleMatrix dh = between->input_gradient({}, {}, h, da);
  return {first->weight_gradient({}, p.x, dh), second->weight_gradient({}, a, dlogits)};
}

class Accumulation : public OnPlatform {
 protected:
  /// Micro-batches end at `ends`, the last of which is kRows.
  void expect_full_batch(const std::vector<std::int32_t>& ends) {
    const Problem p;
    const Gradients expected = reference_gradients(p);
    Compute compute(device());
    const DeviceArray<float> x(stream(), to_float(p.x.values));
    const DeviceArray<std::int32_t> labels(stream(), p.labels);
    const DeviceArray<float> w1(stream(), to_float(p.first.values));
    const DeviceArray<float> w2(stream(), to_float(p.second.values));
    const DeviceArray<float> g1(stream(), std::vector<float>(expected.first.size()));
    const DeviceArray<float> g2(stream(), std::vector<float>(expected.second.size()));
    const auto layer1 = linear(kInputs, kHidden);
    const auto layer2 = gelu(kHidden);
    const auto layer3 = linear(kHidden, kClasses);
    std::int32_t begin = 0;
    for (const std::int32_t end : ends) {
      const std::int32_t rows = end - begin;
      const auto make = [&](std::int32_t columns) {
        return DeviceArray<float>(
            stream(), std::vector<float>(static_cast<std::size_t>(rows) * columns));
      };
      const DeviceArray<float> h = make(kHidden);
      const DeviceArray<float> a = make(kHidden);
      const DeviceArray<float> logits = make(kClasses);
      run(compute, [&](Compute& on) {
        const Matrix mx{x.data() + static_cast<std::ptrdiff_t>(begin) * kInputs, rows,
                        kInputs};
        const Matrix mh = h.matrix(rows, kHidden);
        const Matrix ma = a.matrix(rows, kHidden);
        const Matrix ml = logits.matrix(rows, kClasses);
        layer1->forward(on, w1.data(), mx, mh);
        layer2->forward(on, nullptr, mh, ma);
        layer3->forward(on, w2.data(), ma, ml);
        softmax_cross_entropy_gradient(on, ml, labels.data() + begin, 1.0F / kRows, ml);
        layer3->weight_gradient(on, {}, ma, ml, g2.data());
        layer3->input_gradient(on, w2.data(), ma, ml, ma);
        layer2->input_gradient(on, nullptr, mh, ma, mh);
        layer1->weight_gradient(on, {}, mx, mh, g1.data());
      });
      begin = end;
    }
    EXPECT_LT(relative_error(g1.read(), expected.first), 1e-5);
    EXPECT_LT(relative_error(g2.read(), expected.second), 1e-5);
  }
};

TEST_F(Accumulation, OfOneMicroBatchIsTheBatch) { expect_full_batch({kRows}); }

TEST_F(Accumulation, OfSingleRowsIsTheBatch) {
  std::vector<std::int32_t> ends;
  for (std::int32_t i = 1; i <= kRows; ++i) ends.push_back(i);
  expect_full_batch(ends);
}

TEST_F(Accumulation, OfAnyRaggedSplitIsTheBatch) {
  Random random(17);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<std::int32_t> ends = {kRows};
    const std::uint64_t cuts = 1 + random.below(12);
    for (std::uint64_t i = 0; i < cuts; ++i) {
      ends.push_back(1 + static_cast<std::int32_t>(random.below(kRows - 1)));
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    expect_full_batch(ends);
  }
}

}  // namespace
}  // namespace pipeline
