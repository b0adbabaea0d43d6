/// \file
/// The implementations behind `matmul`; nobody else calls them.
#pragma once

#include "layers/compute.hpp"
#include "layers/matmul.hpp"

namespace pipeline {

/// oneDNN's threads are unknown to the thread sanitizer: there Thrust stands in.
#if defined(WORKBOOK_THRUST_PRODUCT_ONLY)
inline constexpr bool kThrustProductOnly = true;
#else
inline constexpr bool kThrustProductOnly = false;
#endif

/// Thrust alone, on every backend.
void matmul_thrust(Compute& on, std::int32_t count, Transpose transpose_a,
                   ConstMatrixBatch a, Transpose transpose_b, ConstMatrixBatch b,
                   float beta, MatrixBatch c);

/// oneDNN on the host, cuBLAS on cuda.
void matmul_library(Compute& on, std::int32_t count, Transpose transpose_a,
                    ConstMatrixBatch a, Transpose transpose_b, ConstMatrixBatch b,
                    float beta, MatrixBatch c);

}  // namespace pipeline
