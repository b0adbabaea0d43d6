// mistake: multiplies dy with w and not with its transpose
// fails: LinearInputGradient.AgreesWithFiniteDifferences
// says: goes into output o with weight w(i, o)
// points: 10
#include "exercise.hpp"
#include "on_device.hpp"

namespace pipeline {

std::vector<float> linear_input_gradient(const std::vector<float>& dy,
                                         const std::vector<float>& w,
                                         LinearShape shape) {
  const DeviceFloats on_device_dy = to_device(dy);
  const DeviceFloats on_device_w = to_device(w);
  const float* const pdy = on_device_dy.data().get();
  const float* const pw = on_device_w.data().get();
  return make_matrix(shape.rows, shape.inputs,
                     [pdy, pw, shape] ON_DEVICE(std::int32_t place) {
                       const std::int32_t r = place / shape.inputs;
                       const std::int32_t i = place % shape.inputs;
                       float sum = 0;
                       for (std::int32_t o = 0; o < shape.outputs; ++o) {
                         sum += pdy[r * shape.outputs + o] * pw[o * shape.inputs + i];
                       }
                       return sum;
                     });
}

}  // namespace pipeline
