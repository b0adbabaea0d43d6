// mistake: the mean over the rows instead of the sum
// fails: LinearBiasGradient.AgreesWithFiniteDifferences
// says: not the mean
// points: 11
#include "exercise.hpp"
#include "on_device.hpp"

namespace pipeline {

std::vector<float> linear_bias_gradient(const std::vector<float>& dy,
                                        LinearShape shape) {
  const DeviceFloats on_device_dy = to_device(dy);
  const float* const pdy = on_device_dy.data().get();
  return make_matrix(1, shape.outputs, [pdy, shape] ON_DEVICE(std::int32_t o) {
    float sum = 0;
    for (std::int32_t r = 0; r < shape.rows; ++r) sum += pdy[r * shape.outputs + o];
    return sum / static_cast<float>(shape.rows);
  });
}

}  // namespace pipeline
