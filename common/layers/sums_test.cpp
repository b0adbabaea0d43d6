#include "layers/sums.hpp"

#include <cmath>
#include <vector>

#include "layers/device_array.hpp"
#include "layers/layer.hpp"
#include "layers/on_platform.hpp"
#include "layers/reference.hpp"

namespace pipeline {
namespace {

class Sums : public OnPlatform {
 protected:
  static std::vector<float> drawn(std::int32_t count, std::uint64_t seed) {
    return to_float(random_matrix(1, count, 1, seed).values);
  }
  double squares_of(const std::vector<float>& values) {
    Compute compute(device());
    const DeviceArray<float> on_device(stream(), values);
    const DeviceArray<double> sum(stream(), std::vector<double>(1, -1));
    run(compute, [&](Compute& on) {
      sum_of_squares(on, values.size(), on_device.data(), sum.data());
    });
    return sum.read()[0];
  }
};

TEST_F(Sums, AddTwoArraysAlsoIntoOneOfThem) {
  Compute compute(device());
  const std::vector<float> a = drawn(77, 1);
  const std::vector<float> b = drawn(77, 2);
  const DeviceArray<float> first(stream(), a);
  const DeviceArray<float> second(stream(), b);
  const DeviceArray<float> out(stream(), std::vector<float>(77));
  run(compute, [&](Compute& on) {
    add(on, 77, first.data(), second.data(), out.data());
    add(on, 76, first.data(), second.data(), first.data());
  });
  for (std::size_t i = 0; i < 77; ++i) {
    EXPECT_EQ(out.read()[i], a[i] + b[i]);
    EXPECT_EQ(first.read()[i], i < 76 ? a[i] + b[i] : a[i]);
  }
}

TEST_F(Sums, AddTwoArraysIntoBoth) {
  Compute compute(device());
  const std::vector<float> a = drawn(40, 1);
  const std::vector<float> b = drawn(40, 2);
  const DeviceArray<float> first(stream(), a);
  const DeviceArray<float> second(stream(), b);
  run(compute,
      [&](Compute& on) { add_into_both(on, 39, first.data(), second.data()); });
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(first.read()[i], i < 39 ? a[i] + b[i] : a[i]);
    EXPECT_EQ(second.read()[i], i < 39 ? a[i] + b[i] : b[i]);
  }
}

TEST_F(Sums, ScaleByWhatLiesOnTheDevice) {
  Compute compute(device());
  const std::vector<float> a = drawn(50, 3);
  const DeviceArray<float> values(stream(), a);
  const DeviceArray<float> factor(stream(), std::vector<float>{0.3F});
  run(compute, [&](Compute& on) { scale(on, 49, values.data(), factor.data()); });
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(values.read()[i], i < 49 ? a[i] * 0.3F : a[i]);
  }
}

TEST_F(Sums, OfSquaresAreAddedInTheOrderThatIsPromised) {
  for (const std::int32_t count : {0, 1, 7, 1023, 1024, 1025, 3000}) {
    const std::vector<float> values = drawn(count, 4);
    double expected = 0;
    for (std::size_t first = 0; first < values.size(); first += kSquaresInARow) {
      double row = 0;
      for (std::size_t i = first; i < std::min(first + kSquaresInARow, values.size());
           ++i) {
        row += static_cast<double>(values[i]) * static_cast<double>(values[i]);
      }
      expected += row;
    }
    EXPECT_DOUBLE_EQ(squares_of(values), expected) << count;
  }
}

TEST_F(Sums, GiveTheNormAndTheFactorThatClipsIt) {
  Compute compute(device());
  const DeviceArray<double> squares(stream(), std::vector<double>{9, 0, 16, 144});
  const DeviceArray<double> norm(stream(), std::vector<double>(1));
  const DeviceArray<float> factor(stream(), std::vector<float>(1));
  const auto factor_at = [&](float most) {
    run(compute, [&](Compute& on) {
      norm_of(on, 4, squares.data(), most, norm.data(), factor.data());
    });
    EXPECT_DOUBLE_EQ(norm.read()[0], 13);
    return factor.read()[0];
  };
  EXPECT_EQ(factor_at(0), 1);
  EXPECT_EQ(factor_at(13), 1);
  EXPECT_EQ(factor_at(20), 1);
  EXPECT_FLOAT_EQ(factor_at(6.5F), 0.5F);
}

}  // namespace
}  // namespace pipeline
