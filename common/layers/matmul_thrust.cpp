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

/// op(a) of one matrix, read as it is or transposed by its strides alone.
struct Factor {
  const float* data;
  std::int64_t row_stride;
  std::int64_t column_stride;
  std::int64_t apart;

  Factor(Transpose transpose, ConstMatrixBatch m)
      : data(m.data),
        row_stride(transpose == Transpose::Yes ? 1 : m.row_stride),
        column_stride(transpose == Transpose::Yes ? m.row_stride : 1),
        apart(m.apart) {}
  PIPELINE_HD float operator()(std::int64_t row, std::int64_t column) const {
    return data[row * row_stride + column * column_stride];
  }
};

/// A piece of a row of c, and what it is made from.
struct Piece {
  Factor a;
  const float* b;
  float* out;
  std::int32_t row;

  /// `item` counts the rows of all matrices.
  PIPELINE_HD Piece(const Factor& all_a, const ConstMatrixBatch& all_b,
                    const MatrixBatch& all_c, std::int32_t item, std::int32_t first)
      : a(all_a), row(item % all_c.rows) {
    const std::int64_t matrix = item / all_c.rows;
    a.data += matrix * a.apart;
    b = all_b.data + matrix * all_b.apart;
    out = all_c.data + matrix * all_c.apart + row * all_c.row_stride + first;
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
PIPELINE_HD void add_rows(const Piece& piece, const ConstMatrixBatch& b,
                          std::int32_t first, std::int32_t columns, float* sums) {
  const std::int32_t width = kFull ? kColumnsPerItem : columns;
  const float* b_row = piece.b + first;
  for (std::int32_t k = 0; k < b.rows; ++k, b_row += b.row_stride) {
    const float a_ik = piece.a(piece.row, k);
    for (std::int32_t j = 0; j < width; ++j) sums[j] += a_ik * b_row[j];
  }
}

void multiply_rows(Compute& on, std::int32_t count, Factor a, ConstMatrixBatch b,
                   float beta, MatrixBatch c) {
  for_each_piece(
      on, count * c.rows, c.columns,
      [=] PIPELINE_HD(std::int32_t item, std::int32_t first, std::int32_t end) {
        float sums[kColumnsPerItem] = {};
        const Piece piece(a, b, c, item, first);
        const std::int32_t width = piece_width(first, end);
        if (width == kColumnsPerItem) {
          add_rows<true>(piece, b, first, width, sums);
        } else {
          add_rows<false>(piece, b, first, width, sums);
        }
        store(sums, width, beta, piece.out);
      });
}

/// b is read transposed, so it is its columns that lie in memory: each output is the
/// dot product of a row of a and one of them.
void multiply_dots(Compute& on, std::int32_t count, Factor a, ConstMatrixBatch b,
                   float beta, MatrixBatch c) {
  for_each_piece(
      on, count * c.rows, c.columns,
      [=] PIPELINE_HD(std::int32_t item, std::int32_t first, std::int32_t end) {
        float sums[kColumnsPerItem] = {};
        const Piece piece(a, b, c, item, first);
        const std::int32_t width = piece_width(first, end);
        for (std::int32_t j = 0; j < width; ++j) {
          const float* b_column = piece.b + (first + j) * b.row_stride;
          float sum = 0;
          for (std::int32_t k = 0; k < b.columns; ++k) {
            sum += piece.a(piece.row, k) * b_column[k];
          }
          sums[j] = sum;
        }
        store(sums, width, beta, piece.out);
      });
}

}  // namespace

void broadcast_row(Compute& on, const float* row, Matrix c) {
  for_each_piece(on, c.rows, c.columns,
                 [=] PIPELINE_HD(std::int32_t i, std::int32_t first, std::int32_t end) {
                   float* out = c.data + static_cast<std::int64_t>(i) * c.columns;
                   for (std::int32_t j = first; j < end; ++j) out[j] = row[j];
                 });
}

void matmul_thrust(Compute& on, std::int32_t count, Transpose transpose_a,
                   ConstMatrixBatch a, Transpose transpose_b, ConstMatrixBatch b,
                   float beta, MatrixBatch c) {
  const Factor factor(transpose_a, a);
  if (transpose_b == Transpose::Yes) {
    multiply_dots(on, count, factor, b, beta, c);
  } else {
    multiply_rows(on, count, factor, b, beta, c);
  }
}

}  // namespace pipeline
