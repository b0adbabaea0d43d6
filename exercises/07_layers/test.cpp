#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "classroom/draw.hpp"
#include "classroom/points.hpp"
#include "classroom/test_words.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

/// All three sizes differ, so that a mixed-up row and column shows.
const std::vector<LinearShape> kShapes = {{1, 1, 1}, {5, 3, 4}, {2, 7, 3}, {6, 2, 9},
                                          {1, 4, 2}, {8, 5, 1}, {3, 1, 5}};

std::string name_of(LinearShape shape) {
  return std::to_string(shape.rows) + " rows, " + std::to_string(shape.inputs) +
         " inputs, " + std::to_string(shape.outputs) + " outputs: ";
}

/// Numbers of both signs, none like another, none of them zero.
std::vector<float> numbers(std::int32_t count, double seed) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(count));
  for (std::int32_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(std::sin(seed + 1.3 * i) + 0.01 * (i + 1)));
  }
  return values;
}

/// A layer with its data, and what comes out of it, in double precision.
struct Linear {
  LinearShape shape;
  double seed;
  std::vector<float> x = numbers(shape.rows * shape.inputs, seed + 0.3);
  std::vector<float> w = numbers(shape.inputs * shape.outputs, seed + 1.1);
  std::vector<float> b = numbers(shape.outputs, seed + 2.7);
  std::vector<float> dy = numbers(shape.rows * shape.outputs, seed + 4.2);

  explicit Linear(LinearShape a_shape, double a_seed = 0)
      : shape(a_shape), seed(a_seed) {}

  std::vector<double> forward() const {
    std::vector<double> y;
    for (std::int32_t r = 0; r < shape.rows; ++r) {
      for (std::int32_t o = 0; o < shape.outputs; ++o) {
        double sum = at(b, o);
        for (std::int32_t i = 0; i < shape.inputs; ++i) {
          sum += double{at(x, r * shape.inputs + i)} * at(w, i * shape.outputs + o);
        }
        y.push_back(sum);
      }
    }
    return y;
  }

  /// The scalar whose gradients the exercise asks for: the sum of y times dy.
  double loss() const {
    double sum = 0;
    const std::vector<double> y = forward();
    for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] * dy[i];
    return sum;
  }

  static float at(const std::vector<float>& values, std::int32_t index) {
    return values[static_cast<std::size_t>(index)];
  }
};

std::vector<Linear> layers() {
  std::vector<Linear> all;
  all.reserve(kShapes.size());
  for (const LinearShape shape : kShapes) all.emplace_back(shape);
  return all;
}

/// How the loss changes with each element of `part`, found by moving it a little to
/// either side. Exact but for rounding, since the loss is linear in each of them.
std::vector<double> finite_differences(const Linear& given,
                                       std::vector<float> Linear::*part) {
  Linear layer = given;
  std::vector<double> gradient;
  gradient.reserve((layer.*part).size());
  for (float& value : layer.*part) {
    const float kept = value;
    value = kept + 0.5F;
    const double above = layer.loss();
    value = kept - 0.5F;
    const double below = layer.loss();
    value = kept;
    gradient.push_back(above - below);
  }
  return gradient;
}

/// Fails unless the two have the same elements, to the accuracy of float.
void expect_same(const std::vector<float>& yours, const std::vector<double>& expected,
                 const std::string& about) {
  ASSERT_EQ(yours.size(), expected.size()) << about;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(yours[i], expected[i], 1e-4)
        << about << " Element " << i << " should be " << expected[i] << ", yours is "
        << yours[i] << ". Re-read chapter 07, \"Three gradients\".";
  }
}

TEST(ReluInputGradient, LetsThroughWhereTheInputWasPositive) {
  POINTS(1);
  const std::vector<float> x = {1.5F, -2, 0, 0.25F, -0.5F, 3, -1};
  const std::vector<float> dy = {-1, 2.5F, 4, -3.5F, 0.5F, 2, -7};
  const std::vector<float> expected = {-1, 0, 0, -3.5F, 0, 2, 0};
  const std::vector<float> yours = relu_input_gradient(x, dy);
  EXPECT_EQ(yours, expected)
      << "You say " << listed(yours)
      << ". Where x > 0 the gradient passes as it is, whatever its own sign; elsewhere "
         "it "
         "is 0. Re-read chapter 07, \"Three gradients\".";
}

void expect_forward(const std::vector<Linear>& all) {
  for (const Linear& layer : all) {
    const LinearShape shape = layer.shape;
    ASSERT_NO_FATAL_FAILURE(expect_same(
        linear_forward(layer.x, layer.w, layer.b, shape), layer.forward(),
        name_of(shape) + "y(r, o) is b(o) plus the sum over i of x(r, i) w(i, "
                         "o), and w(i, o) is at i * outputs + o."));
  }
}

TEST(LinearForward, MultipliesAndAddsTheBias) {
  POINTS(2);
  expect_forward(layers());
}

void expect_input_gradient(const std::vector<Linear>& all) {
  for (const Linear& layer : all) {
    const LinearShape shape = layer.shape;
    ASSERT_NO_FATAL_FAILURE(
        expect_same(linear_input_gradient(layer.dy, layer.w, shape),
                    finite_differences(layer, &Linear::x),
                    name_of(shape) + "dx(r, i) sums over the outputs of row r: x(r, i) "
                                     "goes into output o with weight w(i, o)."));
  }
}

TEST(LinearInputGradient, AgreesWithFiniteDifferences) {
  POINTS(2);
  expect_input_gradient(layers());
}

void expect_weight_gradient(const std::vector<Linear>& all) {
  for (const Linear& layer : all) {
    const LinearShape shape = layer.shape;
    ASSERT_NO_FATAL_FAILURE(expect_same(
        linear_weight_gradient(layer.x, layer.dy, shape),
        finite_differences(layer, &Linear::w),
        name_of(shape) + "dw(i, o) sums over all rows: every sample has its "
                         "say in every weight."));
  }
}

TEST(LinearWeightGradient, AgreesWithFiniteDifferences) {
  POINTS(2);
  expect_weight_gradient(layers());
}

void expect_bias_gradient(const std::vector<Linear>& all) {
  for (const Linear& layer : all) {
    const LinearShape shape = layer.shape;
    ASSERT_NO_FATAL_FAILURE(expect_same(
        linear_bias_gradient(layer.dy, shape), finite_differences(layer, &Linear::b),
        name_of(shape) + "db(o) is the sum, not the mean, of column o of dy: "
                         "b(o) is added to every row."));
  }
}

TEST(LinearBiasGradient, AgreesWithFiniteDifferences) {
  POINTS(1);
  expect_bias_gradient(layers());
}

// --- Drawn inputs: see classroom/draw.hpp

TEST(ReluInputGradient, HoldsForDrawnNumbersToo) {
  POINTS(1);
  Draw draw;
  std::vector<float> x;
  std::vector<float> dy;
  std::vector<float> expected;
  for (int i = 0; i < 300; ++i) {
    x.push_back(static_cast<float>(draw.quarters(-4, 4)));
    dy.push_back(static_cast<float>(draw.quarters(1, 9)) * (i % 3 == 0 ? -1.0F : 1.0F));
    expected.push_back(x.back() > 0 ? dy.back() : 0);
  }
  EXPECT_EQ(relu_input_gradient(x, dy), expected)
      << "Where x > 0 the gradient passes as it is; elsewhere it is 0.";
}

std::vector<Linear> drawn_layers() {
  Draw draw;
  std::vector<Linear> all;
  for (int i = 0; i < 5; ++i) {
    const LinearShape shape = {draw.between(2, 12), draw.between(2, 12),
                               draw.between(2, 12)};
    all.emplace_back(shape, draw.quarters(7, 90));
  }
  return all;
}

TEST(LinearForward, HoldsForDrawnLayersToo) {
  POINTS(1);
  expect_forward(drawn_layers());
}

TEST(LinearInputGradient, HoldsForDrawnLayersToo) {
  POINTS(1);
  expect_input_gradient(drawn_layers());
}

TEST(LinearWeightGradient, HoldsForDrawnLayersToo) {
  POINTS(1);
  expect_weight_gradient(drawn_layers());
}

TEST(LinearBiasGradient, HoldsForDrawnLayersToo) {
  POINTS(1);
  expect_bias_gradient(drawn_layers());
}

}  // namespace
}  // namespace pipeline
