#include "layers/matmul.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "layers/device_array.hpp"
#include "layers/layer_check.hpp"
#include "layers/on_platform.hpp"

namespace pipeline {
namespace {

class Matmul : public OnPlatform {};

struct Form {
  bool flip_a;
  bool flip_b;
  float beta;
};

std::vector<Form> all_forms() {
  std::vector<Form> forms;
  for (const bool flip_a : {false, true}) {
    for (const bool flip_b : {false, true}) {
      for (const float beta : {0.0F, 1.0F}) forms.push_back({flip_a, flip_b, beta});
    }
  }
  return forms;
}

struct Size {
  std::int32_t m, n, k;
};

constexpr Size kSizes[] = {
    {1, 1, 1}, {3, 5, 7}, {64, 10, 33}, {17, 130, 65}, {129, 64, 31}};

std::string in_words(MatmulWith with, const Form& form, const Size& size) {
  return std::string(with == MatmulWith::Thrust ? "Thrust" : "library") +
         (form.flip_a ? ", a transposed" : "") + (form.flip_b ? ", b transposed" : "") +
         (form.beta == 0 ? "" : ", added to c") + ", " + std::to_string(size.m) +
         " x " + std::to_string(size.n) + " x " + std::to_string(size.k);
}

Transpose transpose(bool flip) { return flip ? Transpose::Yes : Transpose::No; }

class EveryForm : public Matmul {
 protected:
  /// By how much the product is off, over its largest element.
  double error_of(Compute& compute, const Form& form, const Size& size) {
    const std::int32_t m = size.m;
    const std::int32_t n = size.n;
    const std::int32_t k = size.k;
    const DoubleMatrix a =
        form.flip_a ? random_matrix(k, m, 1, 1) : random_matrix(m, k, 1, 1);
    const DoubleMatrix b =
        form.flip_b ? random_matrix(n, k, 1, 2) : random_matrix(k, n, 1, 2);
    const DoubleMatrix before = random_matrix(m, n, 1, 3);
    DoubleMatrix expected = reference_product(form.flip_a, a, form.flip_b, b);
    for (std::size_t i = 0; i < expected.values.size(); ++i) {
      expected.values[i] += static_cast<double>(form.beta) * before.values[i];
    }
    const DeviceArray<float> device_a(stream(), to_float(a.values));
    const DeviceArray<float> device_b(stream(), to_float(b.values));
    const DeviceArray<float> device_c(stream(), to_float(before.values));
    run(compute, [&](Compute& on) {
      matmul(on, transpose(form.flip_a), device_a.matrix(a.rows, a.columns),
             transpose(form.flip_b), device_b.matrix(b.rows, b.columns), form.beta,
             device_c.matrix(m, n));
    });
    return relative_error(device_c.read(), expected.values);
  }
};

// One workspace for all of them: it must not take one form for another.
TEST_F(EveryForm, AgreesWithDoublePrecision) {
  for (const MatmulWith with : {MatmulWith::Thrust, MatmulWith::Library}) {
    Compute compute(device(), with);
    for (int round = 0; round < 2; ++round) {
      for (const Form& form : all_forms()) {
        for (const Size& size : kSizes) {
          EXPECT_LT(error_of(compute, form, size), 1e-5) << in_words(with, form, size);
        }
      }
    }
  }
}

// With beta 0 the old c must not be read: 0 * NaN is NaN.
TEST_F(Matmul, IgnoresWhatCHeldWhenBetaIsZero) {
  for (const MatmulWith with : {MatmulWith::Thrust, MatmulWith::Library}) {
    Compute compute(device(), with);
    const DoubleMatrix a = random_matrix(6, 9, 1, 1);
    const DoubleMatrix b = random_matrix(9, 20, 1, 2);
    const DeviceArray<float> device_a(stream(), to_float(a.values));
    const DeviceArray<float> device_b(stream(), to_float(b.values));
    const DeviceArray<float> c(stream(), std::vector<float>(120, std::nanf("")));
    run(compute, [&](Compute& on) {
      matmul(on, Transpose::No, device_a.matrix(6, 9), Transpose::No,
             device_b.matrix(9, 20), 0, c.matrix(6, 20));
    });
    EXPECT_LT(relative_error(c.read(), reference_product(false, a, false, b).values),
              1e-5);
  }
}

// What bit-identical training rests on: the same shape and numbers give the same bits,
// in any buffers, by any Compute.
TEST_F(Matmul, GivesTheSameBitsFromOtherBuffersAndAnotherWorkspace) {
  const std::vector<float> a = to_float(random_matrix(37, 200, 1, 1).values);
  const std::vector<float> b = to_float(random_matrix(200, 75, 1, 2).values);
  const std::vector<float> before = to_float(random_matrix(37, 75, 1, 3).values);
  for (const MatmulWith with : {MatmulWith::Thrust, MatmulWith::Library}) {
    std::vector<float> first;
    for (int attempt = 0; attempt < 8; ++attempt) {
      Compute compute(device(), with);
      const Buffer moves_the_next(device(), 64U * static_cast<std::size_t>(attempt));
      const DeviceArray<float> device_a(stream(), a);
      const Buffer moves_this(device(),
                              std::size_t{448} * static_cast<std::size_t>(attempt));
      const DeviceArray<float> device_b(stream(), b);
      const DeviceArray<float> c(stream(), before);
      run(compute, [&](Compute& on) {
        matmul(on, Transpose::No, device_a.matrix(37, 200), Transpose::No,
               device_b.matrix(200, 75), 1, c.matrix(37, 75));
      });
      if (attempt == 0) first = c.read();
      EXPECT_EQ(c.read(), first);
    }
  }
}

}  // namespace
}  // namespace pipeline
