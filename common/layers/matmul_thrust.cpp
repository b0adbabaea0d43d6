#include "layers/matmul_parts.hpp"
#include "layers/policy.hpp"

namespace pipeline {

namespace {

/// op(m): a matrix read as it is or transposed, by its strides alone.
struct View {
  const float* data;
  std::int64_t row_stride;
  std::int64_t column_stride;

  View(Transpose transpose, ConstMatrix m)
      : data(m.data),
        row_stride(transpose == Transpose::Yes ? 1 : m.columns),
        column_stride(transpose == Transpose::Yes ? m.columns : 1) {}
  PIPELINE_HD float operator()(std::int64_t row, std::int64_t column) const {
    return data[row * row_stride + column * column_stride];
  }
};

}  // namespace

// One item of work is a piece of a row of c: it walks down k and keeps its sums in
// registers.
//
//              k             ┌──── piece ────┐
//     row i  a a a a    ×    b b b b b b b b b b    =   row i  c c c c c c c c
//                            b b b b b b b b b b
//                            b b b b b b b b b b  k
//
// Row by row of b the piece is contiguous memory, so the inner loop vectorises. Where b
// is read transposed its *columns* are contiguous instead, and the loops are swapped:
// each output is one dot product.
void matmul_thrust(Compute& on, Transpose transpose_a, ConstMatrix a,
                   Transpose transpose_b, ConstMatrix b, float beta, Matrix c) {
  const View view_a(transpose_a, a);
  const View view_b(transpose_b, b);
  const std::int32_t depth = transpose_a == Transpose::Yes ? a.rows : a.columns;
  const bool dot_products = transpose_b == Transpose::Yes;
  for_each_piece(on, c.rows, c.columns,
                 [=] PIPELINE_HD(std::int32_t i, std::int32_t first, std::int32_t end) {
                   float sums[kColumnsPerItem] = {};
                   const std::int32_t width = end - first;
                   if (dot_products) {
                     for (std::int32_t j = 0; j < width; ++j) {
                       for (std::int32_t k = 0; k < depth; ++k) {
                         sums[j] += view_a(i, k) * view_b(k, first + j);
                       }
                     }
                   } else {
                     for (std::int32_t k = 0; k < depth; ++k) {
                       const float a_ik = view_a(i, k);
                       for (std::int32_t j = 0; j < width; ++j) {
                         sums[j] += a_ik * view_b(k, first + j);
                       }
                     }
                   }
                   float* out =
                       c.data + static_cast<std::int64_t>(i) * c.columns + first;
                   for (std::int32_t j = 0; j < width; ++j) {
                     out[j] = beta == 0.0F ? sums[j] : out[j] + sums[j];
                   }
                 });
}

}  // namespace pipeline
