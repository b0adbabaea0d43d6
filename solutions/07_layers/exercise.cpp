// Exercise 07: layers in Thrust. The task is in exercises/07_layers/README.md.
#include "exercise.hpp"

#include <thrust/transform.h>

#include "on_device.hpp"

namespace pipeline {

std::vector<float> relu_input_gradient(const std::vector<float>& x,
                                       const std::vector<float>& dy) {
  const DeviceFloats inputs = to_device(x);
  const DeviceFloats gradients = to_device(dy);
  DeviceFloats dx(x.size());
  // <solution>
  // Where x was positive y moves as x does, elsewhere y does not move at all.
  thrust::transform(
      inputs.begin(), inputs.end(), gradients.begin(), dx.begin(),
      [] ON_DEVICE(float value, float gradient) { return value > 0 ? gradient : 0; });
  //~ // Your turn: thrust::transform takes two ranges and a lambda of two floats.
  // </solution>
  return to_host(dx);
}

std::vector<float> linear_forward(const std::vector<float>& x,
                                  const std::vector<float>& w,
                                  const std::vector<float>& b, LinearShape shape) {
  const DeviceFloats on_device_x = to_device(x);
  const DeviceFloats on_device_w = to_device(w);
  const DeviceFloats on_device_b = to_device(b);
  // The lambdas below run on the device: they hold plain pointers into its memory.
  const float* const px = on_device_x.data().get();
  const float* const pw = on_device_w.data().get();
  const float* const pb = on_device_b.data().get();
  return make_matrix(shape.rows, shape.outputs,
                     [px, pw, pb, shape] ON_DEVICE(std::int32_t place) {
                       const std::int32_t r = place / shape.outputs;
                       const std::int32_t o = place % shape.outputs;
                       // <solution>
                       // One thread a result: row r of x times column o of w.
                       float sum = pb[o];
                       for (std::int32_t i = 0; i < shape.inputs; ++i) {
                         sum += px[r * shape.inputs + i] * pw[i * shape.outputs + o];
                       }
                       return sum;
                       //~ // Your turn: what is y(r, o)? Read from px, pw and pb.
                       //~ return 0 * (px[r] + pw[o] + pb[o]);
                       // </solution>
                     });
}

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
                       // <solution>
                       // x(r, i) has a hand in every output of its row, in each as much
                       // as w says.
                       float sum = 0;
                       for (std::int32_t o = 0; o < shape.outputs; ++o) {
                         sum += pdy[r * shape.outputs + o] * pw[i * shape.outputs + o];
                       }
                       return sum;
                       //~ // Your turn: which outputs does x(r, i) have a hand in?
                       //~ return 0 * (pdy[r] + pw[i]);
                       // </solution>
                     });
}

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
                       // <solution>
                       // w(i, o) has a hand in output o of every sample: the sum runs
                       // over the rows.
                       float sum = 0;
                       for (std::int32_t r = 0; r < shape.rows; ++r) {
                         sum += px[r * shape.inputs + i] * pdy[r * shape.outputs + o];
                       }
                       return sum;
                       //~ // Your turn: which outputs does w(i, o) have a hand in?
                       //~ return 0 * (px[i] + pdy[o]);
                       // </solution>
                     });
}

std::vector<float> linear_bias_gradient(const std::vector<float>& dy,
                                        LinearShape shape) {
  const DeviceFloats on_device_dy = to_device(dy);
  const float* const pdy = on_device_dy.data().get();
  return make_matrix(1, shape.outputs, [pdy, shape] ON_DEVICE(std::int32_t o) {
    // <solution>
    float sum = 0;
    for (std::int32_t r = 0; r < shape.rows; ++r) sum += pdy[r * shape.outputs + o];
    return sum;
    //~ // Your turn: b(o) is added to every row.
    //~ return 0 * pdy[o + 0 * shape.rows];
    // </solution>
  });
}

}  // namespace pipeline
