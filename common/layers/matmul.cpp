#include "layers/matmul.hpp"

#include <cassert>

#include "layers/matmul_parts.hpp"

namespace pipeline {

void matmul(Compute& on, Transpose transpose_a, ConstMatrix a, Transpose transpose_b,
            ConstMatrix b, float beta, Matrix c) {
  matmul_batch(on, 1, transpose_a, batch_of_one(a), transpose_b, batch_of_one(b), beta,
               batch_of_one(c));
}

void matmul_with_bias(Compute& on, ConstMatrix a, ConstMatrix b, const float* bias,
                      Matrix c) {
  assert(a.rows == c.rows && b.columns == c.columns && a.columns == b.rows);
  if (on.matmul_with() == MatmulWith::Thrust) {
    broadcast_row(on, bias, c);
    matmul(on, Transpose::No, a, Transpose::No, b, 1, c);
  } else {
    matmul_with_bias_library(on, a, b, bias, c);
  }
}

void matmul_batch(Compute& on, std::int32_t count, Transpose transpose_a,
                  ConstMatrixBatch a, Transpose transpose_b, ConstMatrixBatch b,
                  float beta, MatrixBatch c) {
  const bool flip_a = transpose_a == Transpose::Yes;
  const bool flip_b = transpose_b == Transpose::Yes;
  assert((flip_a ? a.columns : a.rows) == c.rows);
  assert((flip_b ? b.rows : b.columns) == c.columns);
  assert((flip_a ? a.rows : a.columns) == (flip_b ? b.columns : b.rows));
  assert(beta == 0.0F || beta == 1.0F);
  if (on.matmul_with() == MatmulWith::Thrust) {
    matmul_thrust(on, count, transpose_a, a, transpose_b, b, beta, c);
  } else {
    matmul_library(on, count, transpose_a, a, transpose_b, b, beta, c);
  }
}

}  // namespace pipeline
