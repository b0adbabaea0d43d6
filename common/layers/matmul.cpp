#include "layers/matmul.hpp"

#include <cassert>

#include "layers/matmul_parts.hpp"

namespace pipeline {

void matmul(Compute& on, Transpose transpose_a, ConstMatrix a, Transpose transpose_b,
            ConstMatrix b, float beta, Matrix c) {
  matmul_batch(on, 1, transpose_a, {a.data, a.rows, a.columns, a.columns, 0},
               transpose_b, {b.data, b.rows, b.columns, b.columns, 0}, beta,
               {c.data, c.rows, c.columns, c.columns, 0});
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
