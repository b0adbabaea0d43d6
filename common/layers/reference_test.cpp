#include "layers/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "layers/layer_check.hpp"

namespace pipeline {
namespace {

// Central differences of step 1e-5 are right to about 1e-10 in double.
constexpr double kTolerance = 1e-8;

double error_of(const ReferenceLayer& layer, std::int32_t inputs,
                std::int32_t outputs) {
  const auto count = static_cast<std::int32_t>(layer.parameter_count());
  return finite_difference_error(layer, {}, random_matrix(1, count, 0.5, 1).values,
                                 random_matrix(5, inputs, 2, 2),
                                 random_matrix(5, outputs, 1, 3));
}

TEST(Reference, LinearHasTheGradientsThatFiniteDifferencesFind) {
  EXPECT_LT(error_of(*reference_linear(7, 3), 7, 3), kTolerance);
}

TEST(Reference, ReluHasTheGradientsThatFiniteDifferencesFind) {
  EXPECT_LT(error_of(*reference_relu(), 11, 11), kTolerance);
}

TEST(Reference, GeluHasTheGradientsThatFiniteDifferencesFind) {
  EXPECT_LT(error_of(*reference_gelu(), 11, 11), kTolerance);
}

TEST(Reference, LossHasTheGradientThatFiniteDifferencesFind) {
  const std::vector<std::int32_t> labels = {3, 0, 5, 2};
  EXPECT_LT(finite_difference_error_of_loss(random_matrix(4, 6, 3, 4), labels),
            kTolerance);
}

TEST(Reference, LossOfEqualLogitsIsTheLogarithmOfTheirNumber) {
  const DoubleMatrix logits(2, 5);
  EXPECT_NEAR(reference_loss(logits, std::vector<std::int32_t>{4, 1}), 2 * std::log(5),
              1e-12);
}

// A check that cannot fail checks nothing: a layer with a wrong slope must be found.
TEST(Reference, FiniteDifferencesFindAWrongGradient) {
  class Doubled : public ReferenceLayer {
   public:
    DoubleMatrix forward(const Pass&, std::span<const double>,
                         const DoubleMatrix& x) const override {
      return x;
    }
    DoubleMatrix input_gradient(const Pass&, std::span<const double>,
                                const DoubleMatrix&,
                                const DoubleMatrix& dy) const override {
      DoubleMatrix dx = dy;
      dx.at(1, 2) *= 1.01;
      return dx;
    }
  };
  EXPECT_GT(error_of(Doubled(), 4, 4), 1e-4);
}

TEST(Reference, ErrorIsInfiniteWithANan) {
  const std::vector<float> a = {1, std::nanf(""), 2};
  EXPECT_EQ(relative_error(a, std::vector<double>{1, 2, 2}), INFINITY);
}

TEST(Reference, ErrorIsThatOfTheWholeTensorOverItsNorm) {
  EXPECT_DOUBLE_EQ(
      relative_error(std::vector<float>{3, 4.5F, 0}, std::vector<double>{3, 4, 0}),
      0.1);
  EXPECT_DOUBLE_EQ(relative_error(std::vector<float>{3, 4}, std::vector<double>{0, 0}),
                   5);
}

}  // namespace
}  // namespace pipeline
