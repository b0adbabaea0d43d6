// mistake: the weight gradient of the last sample alone
// fails: LinearWeightGradient.AgreesWithFiniteDifferences
// says: every sample has its say
// points: 10
#include "exercise.hpp"
#include "on_device.hpp"

namespace pipeline {

std::vector<float> linear_weight_gradient(const std::vector<float>& x,
                                          const std::vector<float>& dy,
                                          LinearShape shape) {
  const DeviceFloats on_device_x = to_device(x);
  const DeviceFloats on_device_dy = to_device(dy);
  const float* const px = on_device_x.data().get();
  const float* const pdy = on_device_dy.data().get();
  return make_matrix(shape.inputs, shape.outputs,
                     [px, pdy, shape] ON_DEVICE(std::int32_t place) {
                       const std::int32_t i = place / shape.outputs;
                       const std::int32_t o = place % shape.outputs;
                       float sum = 0;
                       for (std::int32_t r = 0; r < shape.rows; ++r) {
                         sum = px[r * shape.inputs + i] * pdy[r * shape.outputs + o];
                       }
                       return sum;
                     });
}

}  // namespace pipeline
