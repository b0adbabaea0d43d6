// The matrix product by oneDNN. Not its sgemm, which allocates at each call: a matmul
// primitive is made on the first use of a shape and kept, with the memory objects that
// it reads and writes.
#include <omp.h>

#include "layers/matmul_parts.hpp"
#include "layers/onednn_primitive.hpp"

namespace pipeline {

namespace {

/// What tells one product from another. Transposed is a matter of the strides alone.
struct ProductShape {
  /// How the matrices of a batch lie in memory.
  struct Strides {
    std::int32_t apart = 0;
    std::int32_t row = 0;
    std::int32_t column = 0;
  };

  std::int32_t count = 0;
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  std::int32_t depth = 0;
  Strides a, b, c;
  bool accumulate = false;
  bool bias = false;

  OnednnKey key() const {
    return {static_cast<std::int32_t>(OnednnWork::Product),
            count,
            rows,
            columns,
            depth,
            a.apart,
            a.row,
            a.column,
            b.apart,
            b.row,
            b.column,
            c.apart,
            c.row,
            c.column,
            accumulate ? 1 : 0,
            bias ? 1 : 0};
  }
};

template <typename Float>
ProductShape::Strides strides_of(Transpose transpose,
                                 const BasicMatrixBatch<Float>& m) {
  const auto apart = static_cast<std::int32_t>(m.apart);
  const auto row = static_cast<std::int32_t>(m.row_stride);
  if (transpose == Transpose::Yes) return {apart, 1, row};
  return {apart, row, 1};
}

/// As oneDNN sees it; a matrix alone has two dimensions, for which it is faster.
dnnl::memory::desc describe(std::int32_t count, std::int32_t rows, std::int32_t columns,
                            const ProductShape::Strides& strides) {
  constexpr auto kFloat = dnnl::memory::data_type::f32;
  using Dims = dnnl::memory::dims;
  if (count == 1) {
    return {{rows, columns}, kFloat, Dims{strides.row, strides.column}};
  }
  return {
      {count, rows, columns}, kFloat, Dims{strides.apart, strides.row, strides.column}};
}

std::vector<OnednnPrimitive> make_product(const dnnl::engine& engine,
                                          const ProductShape& shape) {
  const auto a = describe(shape.count, shape.rows, shape.depth, shape.a);
  const auto b = describe(shape.count, shape.depth, shape.columns, shape.b);
  const auto c = describe(shape.count, shape.rows, shape.columns, shape.c);
  dnnl::primitive_attr attributes = user_scratchpad();
  if (shape.accumulate) {
    dnnl::post_ops sum;
    sum.append_sum(1.0F);
    attributes.set_post_ops(sum);
  }
  const auto bias = describe(1, 1, shape.columns, {0, shape.columns, 1});
  const auto product =
      shape.bias ? dnnl::matmul::desc(a, b, bias, c) : dnnl::matmul::desc(a, b, c);
  const dnnl::matmul::primitive_desc description(product, attributes, engine);
  std::vector<OnednnPrimitive::Argument> arguments = {
      {DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}};
  if (shape.bias) arguments.push_back({DNNL_ARG_BIAS, bias});
  return {OnednnPrimitive(engine, dnnl::matmul(description),
                          description.scratchpad_desc(), arguments)};
}

template <typename... Pointers>
void run_product(Compute& on, const ProductShape& shape, Pointers... data) {
  // A host device is one thread, so its products take one too. The setting belongs to
  // the calling thread.
  omp_set_num_threads(1);
  Compute::Workspace& workspace = on.workspace();
  workspace
      .primitives(
          shape.key(),
          [&](const dnnl::engine& engine) { return make_product(engine, shape); })
      .front()
      .run(workspace.stream, on.scratch(), {data...});
}

}  // namespace

Compute::Compute(Device& device, MatmulWith with)
    : with_(with), scratch_(device), workspace_(std::make_unique<Workspace>()) {}

Compute::~Compute() = default;

void matmul_library(Compute& on, std::int32_t count, Transpose transpose_a,
                    ConstMatrixBatch a, Transpose transpose_b, ConstMatrixBatch b,
                    float beta, MatrixBatch c) {
  ProductShape shape;
  shape.count = count;
  shape.rows = c.rows;
  shape.columns = c.columns;
  shape.depth = transpose_a == Transpose::Yes ? a.rows : a.columns;
  shape.a = strides_of(transpose_a, a);
  shape.b = strides_of(transpose_b, b);
  shape.c = strides_of(Transpose::No, c);
  shape.accumulate = beta != 0.0F;
  run_product(on, shape, a.data, b.data, c.data);
}

void matmul_with_bias_library(Compute& on, ConstMatrix a, ConstMatrix b,
                              const float* bias, Matrix c) {
  ProductShape shape;
  shape.count = 1;
  shape.rows = c.rows;
  shape.columns = c.columns;
  shape.depth = a.columns;
  shape.a = {0, a.columns, 1};
  shape.b = {0, b.columns, 1};
  shape.c = {0, c.columns, 1};
  shape.bias = true;
  run_product(on, shape, a.data, b.data, c.data, bias);
}

}  // namespace pipeline
