// mistake: the bias is forgotten
// fails: LinearForward.MultipliesAndAddsTheBias
// says: 1 rows, 1 inputs, 1 outputs: y(r, o) is b(o) plus
// points: 10
#include "exercise.hpp"
#include "on_device.hpp"

namespace pipeline {

std::vector<float> linear_forward(const std::vector<float>& x,
                                  const std::vector<float>& w,
                                  const std::vector<float>& b, LinearShape shape) {
  const DeviceFloats on_device_x = to_device(x);
  const DeviceFloats on_device_w = to_device(w);
  const DeviceFloats on_device_b = to_device(b);
  const float* const px = on_device_x.data().get();
  const float* const pw = on_device_w.data().get();
  const float* const pb = on_device_b.data().get();
  return make_matrix(shape.rows, shape.outputs,
                     [px, pw, pb, shape] ON_DEVICE(std::int32_t place) {
                       const std::int32_t r = place / shape.outputs;
                       const std::int32_t o = place % shape.outputs;
                       float sum = 0 * pb[o];
                       for (std::int32_t i = 0; i < shape.inputs; ++i) {
                         sum += px[r * shape.inputs + i] * pw[i * shape.outputs + o];
                       }
                       return sum;
                     });
}

}  // namespace pipeline
