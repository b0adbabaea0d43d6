/// \file
/// The implementations behind `matmul`. Private to the layers part.
#pragma once

#include "layers/compute.hpp"
#include "layers/matmul.hpp"

namespace pipeline {

inline MatrixBatch batch_of_one(Matrix m) {
  return {m.data, m.rows, m.columns, m.columns, 0};
}
inline ConstMatrixBatch batch_of_one(ConstMatrix m) {
  return {m.data, m.rows, m.columns, m.columns, 0};
}

/// Thrust alone, on every backend.
void matmul_thrust(Compute& on, std::int32_t count, Transpose transpose_a,
                   ConstMatrixBatch a, Transpose transpose_b, ConstMatrixBatch b,
                   float beta, MatrixBatch c);

/// Each row of c becomes `row`, c.columns long.
void broadcast_row(Compute& on, const float* row, Matrix c);

/// oneDNN on the host, cuBLAS on cuda.
void matmul_library(Compute& on, std::int32_t count, Transpose transpose_a,
                    ConstMatrixBatch a, Transpose transpose_b, ConstMatrixBatch b,
                    float beta, MatrixBatch c);

void matmul_with_bias_library(Compute& on, ConstMatrix a, ConstMatrix b,
                              const float* bias, Matrix c);

}  // namespace pipeline
