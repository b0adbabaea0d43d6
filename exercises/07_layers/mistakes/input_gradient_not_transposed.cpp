// mistake: multiplies dy with w and not with its transpose
// fails: LinearInputGradient.AgreesWithFiniteDifferences
// says: goes into output o with weight w(i, o)
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

#include <cstddef>

#include "exercise.hpp"

#if defined(__CUDACC__)
#define ON_DEVICE __host__ __device__
#else
#define ON_DEVICE
#endif

namespace pipeline {
namespace {

using DeviceFloats = thrust::device_vector<float>;

DeviceFloats to_device(const std::vector<float>& values) {
  return DeviceFloats(values.begin(), values.end());
}

std::vector<float> to_host(const DeviceFloats& values) {
  std::vector<float> host(values.size());
  thrust::copy(values.begin(), values.end(), host.begin());
  return host;
}

template <typename Element>
std::vector<float> make_matrix(std::int32_t rows, std::int32_t columns,
                               Element element) {
  DeviceFloats matrix(static_cast<std::size_t>(rows) * columns);
  const thrust::counting_iterator<std::int32_t> first(0);
  thrust::transform(first, first + rows * columns, matrix.begin(), element);
  return to_host(matrix);
}

}  // namespace

std::vector<float> relu_input_gradient(const std::vector<float>& x,
                                       const std::vector<float>& dy) {
  const DeviceFloats inputs = to_device(x);
  const DeviceFloats gradients = to_device(dy);
  DeviceFloats dx(x.size());
  thrust::transform(
      inputs.begin(), inputs.end(), gradients.begin(), dx.begin(),
      [] ON_DEVICE(float value, float gradient) { return value > 0 ? gradient : 0; });
  return to_host(dx);
}

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
                       float sum = pb[o];
                       for (std::int32_t i = 0; i < shape.inputs; ++i) {
                         sum += px[r * shape.inputs + i] * pw[i * shape.outputs + o];
                       }
                       return sum;
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
                       float sum = 0;
                       for (std::int32_t o = 0; o < shape.outputs; ++o) {
                         sum += pdy[r * shape.outputs + o] * pw[o * shape.inputs + i];
                       }
                       return sum;
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
                       float sum = 0;
                       for (std::int32_t r = 0; r < shape.rows; ++r) {
                         sum += px[r * shape.inputs + i] * pdy[r * shape.outputs + o];
                       }
                       return sum;
                     });
}

std::vector<float> linear_bias_gradient(const std::vector<float>& dy,
                                        LinearShape shape) {
  const DeviceFloats on_device_dy = to_device(dy);
  const float* const pdy = on_device_dy.data().get();
  return make_matrix(1, shape.outputs, [pdy, shape] ON_DEVICE(std::int32_t o) {
    float sum = 0;
    for (std::int32_t r = 0; r < shape.rows; ++r) sum += pdy[r * shape.outputs + o];
    return sum;
  });
}

}  // namespace pipeline
