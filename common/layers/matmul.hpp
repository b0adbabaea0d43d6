/// \file
/// The matrix product behind one function, three ways: pure Thrust (the one chapter 07
/// teaches, and the reference), oneDNN on the host, cuBLAS on GPUs.
#pragma once

#include "layers/layer.hpp"

namespace pipeline {

enum class Transpose { No, Yes };

/// Which implementation `matmul` calls. `Library` is oneDNN or cuBLAS, as built.
enum class MatmulWith { Thrust, Library };

/// c = op(a) op(b) + beta * c, with beta 0 or 1; op(a) is c.rows x k, op(b) k x
/// c.columns.
void matmul(Compute& on, Transpose transpose_a, ConstMatrix a, Transpose transpose_b,
            ConstMatrix b, float beta, Matrix c);

}  // namespace pipeline
