#include <cmath>
#include <vector>

#include "layers/device_array.hpp"
#include "layers/on_platform.hpp"
#include "layers/reference.hpp"

namespace pipeline {
namespace {

class Sgd : public OnPlatform {};

TEST_F(Sgd, FollowsTheReferenceOverSeveralStepsWithMomentum) {
  constexpr std::int32_t kCount = 77;
  const float rate = 0.05F;
  const float momentum = 0.9F;
  Compute compute(device());
  std::vector<double> weights = random_matrix(1, kCount, 1, 1).values;
  std::vector<double> velocity(kCount);
  const DeviceArray<float> device_weights(stream(), to_float(weights));
  const DeviceArray<float> device_velocity(stream(), std::vector<float>(kCount));
  DeviceArray<float> gradients(stream(), std::vector<float>(kCount));
  for (std::uint64_t step = 0; step < 5; ++step) {
    const DoubleMatrix g = random_matrix(1, kCount, 2, 10 + step);
    std::vector<float> drawn = to_float(g.values);
    gradients.write(drawn);
    run(compute, [&](Compute& on) {
      sgd_update(on, kCount, device_weights.data(), gradients.data(),
                 device_velocity.data(), rate, momentum);
    });
    for (std::size_t i = 0; i < weights.size(); ++i) {
      velocity[i] = static_cast<double>(momentum) * velocity[i] + g.values[i];
      weights[i] -= static_cast<double>(rate) * velocity[i];
    }
    EXPECT_EQ(gradients.read(), std::vector<float>(kCount, 0.0F));
  }
  EXPECT_LT(largest_difference(device_weights.read(), weights), 1e-6);
  EXPECT_LT(largest_difference(device_velocity.read(), velocity), 1e-6);
}

TEST_F(Sgd, KeepsTheOldWeightsWhereTheNewOnesGetAPlaceOfTheirOwn) {
  constexpr std::size_t kCount = 33;
  Compute compute(device());
  const std::vector<float> weights = to_float(random_matrix(1, kCount, 1, 1).values);
  const std::vector<float> drawn = to_float(random_matrix(1, kCount, 1, 2).values);
  const DeviceArray<float> in_place(stream(), weights);
  const DeviceArray<float> old(stream(), weights);
  const DeviceArray<float> fresh(stream(), std::vector<float>(kCount));
  const DeviceArray<float> gradients(stream(), drawn);
  const DeviceArray<float> same_gradients(stream(), drawn);
  const DeviceArray<float> velocity(stream(), std::vector<float>(kCount, 0.25F));
  const DeviceArray<float> same_velocity(stream(), std::vector<float>(kCount, 0.25F));
  run(compute, [&](Compute& on) {
    sgd_update(on, kCount, in_place.data(), gradients.data(), velocity.data(), 0.1F,
               0.5F);
    sgd_update(on, kCount, old.data(), fresh.data(), same_gradients.data(),
               same_velocity.data(), 0.1F, 0.5F);
  });
  EXPECT_EQ(old.read(), weights);
  EXPECT_EQ(fresh.read(), in_place.read());
  EXPECT_NE(fresh.read(), weights);
  EXPECT_EQ(same_velocity.read(), velocity.read());
  EXPECT_EQ(same_gradients.read(), std::vector<float>(kCount, 0.0F));
}

// A network cut into more stages holds the same parameters at other places and in
// shorter arrays. Not a bit of them may depend on it.
TEST_F(Sgd, GivesAParameterTheSameBitsWhereverItStands) {
  constexpr std::size_t kCount = 101;
  Compute compute(device());
  const std::vector<float> weights = to_float(random_matrix(1, kCount, 1, 1).values);
  const std::vector<float> drawn = to_float(random_matrix(1, kCount, 1, 2).values);
  const std::vector<float> velocity = to_float(random_matrix(1, kCount, 1, 3).values);
  const auto update_from = [&](std::size_t first) {
    const DeviceArray<float> w(stream(), weights);
    const DeviceArray<float> g(stream(), drawn);
    const DeviceArray<float> v(stream(), velocity);
    run(compute, [&](Compute& on) {
      sgd_update(on, kCount - first, w.data() + first, g.data() + first,
                 v.data() + first, 0.03F, 0.9F);
    });
    return w.read();
  };
  const std::vector<float> whole = update_from(0);
  EXPECT_NE(whole, weights);
  for (std::size_t first = 1; first < kCount; ++first) {
    const std::vector<float> part = update_from(first);
    for (std::size_t i = first; i < kCount; ++i) ASSERT_EQ(part[i], whole[i]) << i;
    for (std::size_t i = 0; i < first; ++i) ASSERT_EQ(part[i], weights[i]) << i;
  }
}

}  // namespace
}  // namespace pipeline
