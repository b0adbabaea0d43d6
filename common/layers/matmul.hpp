/// \file
/// The matrix product behind one function, three ways: pure Thrust (the one chapter 07
/// teaches, and the reference), oneDNN on the host, cuBLAS on GPUs.
#pragma once

#include "layers/layer.hpp"

namespace pipeline {

/// Whether a matrix is read by rows or by columns.
enum class Transpose {
  No,  ///< op(a) = a
  Yes  ///< op(a) = a^T
};

/// Which implementation `matmul` calls. `Library` is oneDNN or cuBLAS, as built.
enum class MatmulWith {
  Thrust,  ///< the product in pure Thrust, as chapter 07 teaches it
  Library  ///< oneDNN or cuBLAS
};

/// c = op(a) op(b) + beta * c, with beta 0 or 1; op(a) is c.rows x k, op(b) k x
/// c.columns.
void matmul(Compute& on, Transpose transpose_a, ConstMatrix a, Transpose transpose_b,
            ConstMatrix b, float beta, Matrix c);

/// c = a b, and `bias`, c.columns long, added to each row.
void matmul_with_bias(Compute& on, ConstMatrix a, ConstMatrix b, const float* bias,
                      Matrix c);

/// Matrices of one size at equal distances, each of which may be a part of a wider one.
/// The heads of a sample's queries, say, in rows of 3 x width:
///
///                 columns   apart = columns
///                ├───────┤├───────┤
///     position 0   head 0   head 1  …  (keys, values) │
///     position 1   head 0   head 1  …                 │
///                ├──────── row_stride ────────────────┤
template <typename Float>
struct BasicMatrixBatch {
  Float* data = nullptr;        ///< of the first matrix
  std::int32_t rows = 0;        ///< of one matrix
  std::int32_t columns = 0;     ///< of one matrix
  std::int64_t row_stride = 0;  ///< floats from one row to the next
  std::int64_t apart = 0;       ///< floats from one matrix to the next
};
/// Matrices that can be written to.
using MatrixBatch = BasicMatrixBatch<float>;
/// Matrices that are only read.
using ConstMatrixBatch = BasicMatrixBatch<const float>;

/// `matmul` of `count` times as many matrices.
void matmul_batch(Compute& on, std::int32_t count, Transpose transpose_a,
                  ConstMatrixBatch a, Transpose transpose_b, ConstMatrixBatch b,
                  float beta, MatrixBatch c);

}  // namespace pipeline
