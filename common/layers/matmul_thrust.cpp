// The matrix product in Thrust alone. One item of work is a piece of a row of c: it
// walks down k and keeps its sums to itself until the end.
//
//              k              ┌──── piece ────┐
//     row i  a a a a    ×   b b b b b b b b b b    =   row i  c c c c c c c c c c
//                           b b b b b b b b b b
//                           b b b b b b b b b b  k
//                           b b b b b b b b b b
//
// A core takes the piece as a few vectors, a GPU has a thread for every single output
// (kColumnsPerItem).
#include "layers/matmul_parts.hpp"
#include "layers/policy.hpp"

namespace pipeline {

namespace {

/// op(a), read as it is or transposed by its strides alone.
struct Factor {
  const float* data;
  std::int64_t row_stride;
  std::int64_t column_stride;

  Factor(Transpose transpose, ConstMatrix m)
      : data(m.data),
        row_stride(transpose == Transpose::Yes ? 1 : m.columns),
        column_stride(transpose == Transpose::Yes ? m.columns : 1) {}
  PIPELINE_HD float operator()(std::int64_t row, std::int64_t column) const {
    return data[row * row_stride + column * column_stride];
  }
};

PIPELINE_HD inline void store(const float* sums, std::int32_t width, float beta,
                              float* out) {
  for (std::int32_t j = 0; j < width; ++j) {
    out[j] = beta == 0.0F ? sums[j] : out[j] + sums[j];
  }
}

/// The rows of b lie in memory as they are: each, times one number of a, is added to
/// the sums. Of a full piece the compiler knows the width, and keeps the sums in
/// registers.
template <bool kFull>
PIPELINE_HD void add_rows(const Factor& a, ConstMatrix b, std::int32_t i,
                          std::int32_t first, std::int32_t columns, float* sums) {
  const std::int32_t width = kFull ? kColumnsPerItem : columns;
  const float* b_row = b.data + first;
  for (std::int32_t k = 0; k < b.rows; ++k, b_row += b.columns) {
    const float a_ik = a(i, k);
    for (std::int32_t j = 0; j < width; ++j) sums[j] += a_ik * b_row[j];
  }
}

void multiply_rows(Compute& on, Factor a, ConstMatrix b, float beta, Matrix c) {
  for_each_piece(on, c.rows, c.columns,
                 [=] PIPELINE_HD(std::int32_t i, std::int32_t first, std::int32_t end) {
                   float sums[kColumnsPerItem] = {};
                   const std::int32_t width = piece_width(first, end);
                   if (width == kColumnsPerItem) {
                     add_rows<true>(a, b, i, first, width, sums);
                   } else {
                     add_rows<false>(a, b, i, first, width, sums);
                   }
                   store(sums, width, beta,
                         c.data + static_cast<std::int64_t>(i) * c.columns + first);
                 });
}

/// b is read transposed, so it is its columns that lie in memory: each output is the
/// dot product of a row of a and one of them.
void multiply_dots(Compute& on, Factor a, ConstMatrix b, float beta, Matrix c) {
  for_each_piece(on, c.rows, c.columns,
                 [=] PIPELINE_HD(std::int32_t i, std::int32_t first, std::int32_t end) {
                   float sums[kColumnsPerItem] = {};
                   const std::int32_t width = piece_width(first, end);
                   for (std::int32_t j = 0; j < width; ++j) {
                     const float* b_column =
                         b.data + static_cast<std::int64_t>(first + j) * b.columns;
                     float sum = 0;
                     for (std::int32_t k = 0; k < b.columns; ++k)
                       sum += a(i, k) * b_column[k];
                     sums[j] = sum;
                   }
                   store(sums, width, beta,
                         c.data + static_cast<std::int64_t>(i) * c.columns + first);
                 });
}

}  // namespace

void matmul_thrust(Compute& on, Transpose transpose_a, ConstMatrix a,
                   Transpose transpose_b, ConstMatrix b, float beta, Matrix c) {
  const Factor factor(transpose_a, a);
  if (transpose_b == Transpose::Yes) {
    multiply_dots(on, factor, b, beta, c);
  } else {
    multiply_rows(on, factor, b, beta, c);
  }
}

}  // namespace pipeline
