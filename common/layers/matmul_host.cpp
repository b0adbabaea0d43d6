// The matrix product by oneDNN. Not its sgemm, which allocates at each call: a matmul
// primitive is made on the first use of a shape and kept, with the three memory objects
// that it reads and writes. Later calls only point them at other data.
#include <omp.h>

#include <algorithm>
#include <array>
#include <oneapi/dnnl/dnnl.hpp>
#include <tuple>
#include <vector>

#include "device/allocation_watch.hpp"
#include "layers/matmul_parts.hpp"

namespace pipeline {

namespace {

/// What tells one primitive from another.
struct ProductShape {
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  std::int32_t depth = 0;
  bool flip_a = false;
  bool flip_b = false;
  bool accumulate = false;

  bool operator==(const ProductShape&) const = default;
};

/// A matrix as oneDNN sees it; transposed is a matter of the strides alone.
dnnl::memory::desc describe(std::int32_t rows, std::int32_t columns, bool flip) {
  const dnnl::memory::dims strides =
      flip ? dnnl::memory::dims{1, rows} : dnnl::memory::dims{columns, 1};
  return {{rows, columns}, dnnl::memory::data_type::f32, strides};
}

class Product {
 public:
  Product(const dnnl::engine& engine, ProductShape shape) : shape_(shape) {
    const auto a = describe(shape.rows, shape.depth, shape.flip_a);
    const auto b = describe(shape.depth, shape.columns, shape.flip_b);
    const auto c = describe(shape.rows, shape.columns, false);
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    if (shape.accumulate) {
      dnnl::post_ops sum;
      sum.append_sum(1.0F);
      attributes.set_post_ops(sum);
    }
    const dnnl::matmul::primitive_desc description(dnnl::matmul::desc(a, b, c),
                                                   attributes, engine);
    primitive_ = dnnl::matmul(description);
    scratchpad_bytes_ = description.scratchpad_desc().get_size();
    const std::array<int, 4> names = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST,
                                      DNNL_ARG_SCRATCHPAD};
    const std::array<dnnl::memory::desc, 4> descriptions = {
        a, b, c, description.scratchpad_desc()};
    for (std::size_t i = 0; i < names.size(); ++i) {
      memory_[i] = dnnl::memory(descriptions[i], engine, DNNL_MEMORY_NONE);
      arguments_[i] = {names[i], memory_[i].get()};
    }
  }

  const ProductShape& shape() const { return shape_; }

  void run(const dnnl::stream& stream, ScratchCache& cache, const float* a,
           const float* b, float* c) {
    const Scratch<char> scratchpad(cache, std::max<std::size_t>(scratchpad_bytes_, 1));
    // oneDNN's handles are not const; a and b are only read.
    memory_[0].set_data_handle(const_cast<float*>(a));
    memory_[1].set_data_handle(const_cast<float*>(b));
    memory_[2].set_data_handle(c);
    memory_[3].set_data_handle(scratchpad.data());
    const AllocationsNotCounted inside_of_onednn;  // its execution context, ~7 times
    dnnl::error::wrap_c_api(
        dnnl_primitive_execute(primitive_.get(), stream.get(),
                               static_cast<int>(arguments_.size()), arguments_.data()),
        "the matrix product failed");
  }

 private:
  ProductShape shape_;
  dnnl::matmul primitive_;
  std::size_t scratchpad_bytes_ = 0;
  std::array<dnnl::memory, 4> memory_;
  std::array<dnnl_exec_arg_t, 4> arguments_{};
};

}  // namespace

struct Compute::Workspace {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  std::vector<Product> products;

  Product& product(const ProductShape& shape) {
    for (Product& known : products) {
      if (known.shape() == shape) return known;
    }
    return products.emplace_back(engine, shape);
  }
};

Compute::Compute(Device& device, MatmulWith with)
    : with_(kThrustProductOnly ? MatmulWith::Thrust : with),
      scratch_(device),
      workspace_(std::make_unique<Workspace>()) {}

Compute::~Compute() = default;

void matmul_library(Compute& on, Transpose transpose_a, ConstMatrix a,
                    Transpose transpose_b, ConstMatrix b, float beta, Matrix c) {
  // A host device is one thread, so its products take one too. The setting belongs to
  // the calling thread.
  omp_set_num_threads(1);
  ProductShape shape;
  shape.rows = c.rows;
  shape.columns = c.columns;
  shape.flip_a = transpose_a == Transpose::Yes;
  shape.flip_b = transpose_b == Transpose::Yes;
  shape.depth = shape.flip_a ? a.rows : a.columns;
  shape.accumulate = beta != 0.0F;
  Compute::Workspace& workspace = on.workspace();
  workspace.product(shape).run(workspace.stream, on.scratch(), a.data, b.data, c.data);
}

}  // namespace pipeline
