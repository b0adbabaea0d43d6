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
  /// By how much the product is off.
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

/// `count` matrices side by side in the rows of one, as `matmul_batch` takes them, and
/// a column between every two that belongs to none.
struct SideBySide {
  std::int32_t rows, columns;
  DoubleMatrix whole;

  SideBySide(std::int32_t count, std::int32_t r, std::int32_t c, std::uint64_t seed)
      : rows(r), columns(c), whole(random_matrix(r, count * (c + 1), 1, seed)) {}
  DoubleMatrix matrix(std::int32_t index) const {
    DoubleMatrix m(rows, columns);
    for (std::int32_t i = 0; i < rows; ++i) {
      for (std::int32_t j = 0; j < columns; ++j) {
        m.at(i, j) = whole.at(i, index * (columns + 1) + j);
      }
    }
    return m;
  }
  void add(std::int32_t index, const DoubleMatrix& m, double beta) {
    for (std::int32_t i = 0; i < rows; ++i) {
      for (std::int32_t j = 0; j < columns; ++j) {
        double& at = whole.at(i, index * (columns + 1) + j);
        at = beta * at + m.at(i, j);
      }
    }
  }
  template <typename Float>
  BasicMatrixBatch<Float> at(Float* data) const {
    return {data, rows, columns, whole.columns, columns + 1};
  }
};

/// By how much the products of a batch are off; what lies between them counts too.
double batch_error(Stream& stream, Compute& compute, const Form& form,
                   const Size& size) {
  constexpr std::int32_t kCount = 3;
  const SideBySide a = form.flip_a ? SideBySide(kCount, size.k, size.m, 1)
                                   : SideBySide(kCount, size.m, size.k, 1);
  const SideBySide b = form.flip_b ? SideBySide(kCount, size.n, size.k, 2)
                                   : SideBySide(kCount, size.k, size.n, 2);
  SideBySide c(kCount, size.m, size.n, 3);
  const DeviceArray<float> device_a(stream, to_float(a.whole.values));
  const DeviceArray<float> device_b(stream, to_float(b.whole.values));
  const DeviceArray<float> device_c(stream, to_float(c.whole.values));
  const auto multiply = [&](NativeStream native) {
    compute.enter(native);
    matmul_batch(compute, kCount, transpose(form.flip_a),
                 a.at<const float>(device_a.data()), transpose(form.flip_b),
                 b.at<const float>(device_b.data()), form.beta, c.at(device_c.data()));
  };
  stream.run(Work([&multiply](NativeStream native) { multiply(native); }));
  stream.synchronize();
  for (std::int32_t i = 0; i < kCount; ++i) {
    c.add(i, reference_product(form.flip_a, a.matrix(i), form.flip_b, b.matrix(i)),
          static_cast<double>(form.beta));
  }
  return relative_error(device_c.read(), c.whole.values);
}

TEST_F(EveryForm, OfABatchAgreesWithDoublePrecision) {
  for (const MatmulWith with : {MatmulWith::Thrust, MatmulWith::Library}) {
    Compute compute(device(), with);
    for (const Form& form : all_forms()) {
      for (const Size& size : kSizes) {
        EXPECT_LT(batch_error(stream(), compute, form, size), 1e-6)
            << in_words(with, form, size);
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
