// The matrix product by cuBLAS: one handle and one workspace a compute stream.
#include <cublas_v2.h>

#include <optional>
#include <stdexcept>
#include <string>

#include "layers/matmul_parts.hpp"

namespace pipeline {

namespace {

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw std::runtime_error(std::string("cuBLAS failed: ") +
                             cublasGetStatusString(status));
  }
}

cublasOperation_t operation(Transpose transpose) {
  return transpose == Transpose::Yes ? CUBLAS_OP_T : CUBLAS_OP_N;
}

}  // namespace

/// Made when the first product runs: only then is the GPU of the stream current.
struct Compute::Workspace {
  static constexpr std::size_t kBytes = std::size_t{32} << 20;

  cublasHandle_t handle = nullptr;
  std::optional<Scratch<char>> memory;
  std::optional<NativeStream> bound;

  ~Workspace() {
    if (handle != nullptr) cublasDestroy(handle);
  }

  /// Sums have one order when each stream has its own workspace; PEDANTIC keeps every
  /// product in float32 (no TF32).
  void enter(ScratchCache& scratch, NativeStream stream) {
    if (handle == nullptr) {
      check(cublasCreate(&handle));
      check(cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH));
      memory.emplace(scratch, kBytes);
    }
    if (bound != stream) {
      // Setting the stream takes the workspace away, so the order matters.
      check(cublasSetStream(handle, static_cast<cudaStream_t>(stream)));
      check(cublasSetWorkspace(handle, memory->data(), kBytes));
      bound = stream;
    }
  }
};

Compute::Compute(Device& device, MatmulWith with)
    : with_(with), scratch_(device), workspace_(std::make_unique<Workspace>()) {}

Compute::~Compute() = default;

// cuBLAS reads by columns, where our row-major m is its transposed. So it is asked for
// c^T = op(b)^T op(a)^T: the two factors change places, and each keeps its flag.
void matmul_library(Compute& on, std::int32_t count, Transpose transpose_a,
                    ConstMatrixBatch a, Transpose transpose_b, ConstMatrixBatch b,
                    float beta, MatrixBatch c) {
  Compute::Workspace& workspace = on.workspace();
  workspace.enter(on.scratch(), on.stream());
  const int depth = transpose_a == Transpose::Yes ? a.rows : a.columns;
  const float one = 1.0F;
  const auto stride = [](const auto& m) { return static_cast<int>(m.row_stride); };
  check(cublasSgemmStridedBatched(workspace.handle, operation(transpose_b),
                                  operation(transpose_a), c.columns, c.rows, depth,
                                  &one, b.data, stride(b), b.apart, a.data, stride(a),
                                  a.apart, &beta, c.data, stride(c), c.apart, count));
}

void matmul_with_bias_library(Compute& on, ConstMatrix a, ConstMatrix b,
                              const float* bias, Matrix c) {
  broadcast_row(on, bias, c);
  matmul_library(on, 1, Transpose::No, batch_of_one(a), Transpose::No, batch_of_one(b),
                 1, batch_of_one(c));
}

}  // namespace pipeline
