// mistake: applies ReLU to the gradient and not to the input
// fails: ReluInputGradient.LetsThroughWhereTheInputWasPositive
// says: You say 0, 0, 0, 0, 0, 2, 0. Where x > 0
// points: 11
#include <thrust/transform.h>

#include "exercise.hpp"
#include "on_device.hpp"

namespace pipeline {

std::vector<float> relu_input_gradient(const std::vector<float>& x,
                                       const std::vector<float>& dy) {
  const DeviceFloats inputs = to_device(x);
  const DeviceFloats gradients = to_device(dy);
  DeviceFloats dx(x.size());
  thrust::transform(inputs.begin(), inputs.end(), gradients.begin(), dx.begin(),
                    [] ON_DEVICE(float value, float gradient) {
                      return value * gradient > 0 && gradient > 0 ? gradient : 0;
                    });
  return to_host(dx);
}

}  // namespace pipeline
