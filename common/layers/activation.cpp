// Layers that work on each element by itself.
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>

#include <cassert>
#include <cmath>

#include "layers/layer.hpp"
#include "layers/policy.hpp"

namespace pipeline {

namespace {

/// y = f(x) and dx = f'(x) dy, where `Function` has `value` and `slope`.
template <typename Function>
class Activation : public Layer {
 public:
  explicit Activation(std::int32_t width) : width_(width) {}

  std::string name() const override {
    return std::string(Function::kName) + " " + std::to_string(width_);
  }
  std::int32_t inputs() const override { return width_; }
  std::int32_t outputs() const override { return width_; }
  std::size_t parameter_count() const override { return 0; }
  void initialise(float*, std::uint64_t) const override {}
  void forward(Compute& on, const Call&, ConstMatrix x, Matrix y) const override {
    thrust::transform(policy(on), x.data, x.data + x.size(), y.data,
                      [] PIPELINE_HD(float in) { return Function::value(in); });
  }
  void input_gradient(Compute& on, const Call&, ConstMatrix x, ConstMatrix dy,
                      Matrix dx) const override {
    thrust::transform(policy(on), x.data, x.data + x.size(), dy.data, dx.data,
                      [] PIPELINE_HD(float in, float gradient) {
                        return Function::slope(in) * gradient;
                      });
  }
  void weight_gradient(Compute&, const Call&, ConstMatrix, ConstMatrix,
                       float*) const override {}

 private:
  std::int32_t width_;
};

struct Relu {
  static constexpr const char* kName = "relu";
  PIPELINE_HD static float value(float x) { return x > 0 ? x : 0.0F; }
  PIPELINE_HD static float slope(float x) { return x > 0 ? 1.0F : 0.0F; }
};

/// x/2 (1 + tanh(u)) with u = sqrt(2/pi) (x + 0.044715 x^3).
struct Gelu {
  static constexpr const char* kName = "gelu";
  static constexpr float kScale = 0.7978845608F;  // sqrt(2/pi)
  static constexpr float kCubic = 0.044715F;

  PIPELINE_HD static float value(float x) {
    return 0.5F * x * (1 + std::tanh(kScale * (x + kCubic * x * x * x)));
  }
  PIPELINE_HD static float slope(float x) {
    const float t = std::tanh(kScale * (x + kCubic * x * x * x));
    const float du = kScale * (1 + 3 * kCubic * x * x);
    return 0.5F * (1 + t) + 0.5F * x * (1 - t * t) * du;
  }
};

}  // namespace

std::unique_ptr<Layer> relu(std::int32_t width) {
  assert(width > 0);
  return std::make_unique<Activation<Relu>>(width);
}

std::unique_ptr<Layer> gelu(std::int32_t width) {
  assert(width > 0);
  return std::make_unique<Activation<Gelu>>(width);
}

}  // namespace pipeline
