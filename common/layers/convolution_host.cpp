// Convolutions by oneDNN, which reads the images as they lie ("nhwc") but wants the
// filters in blocks of its own, as wide as a vector. So each call also brings the
// filters into that form, or their gradient back from it; they are small beside images.
#include <omp.h>

#include "layers/convolution_parts.hpp"
#include "layers/onednn_primitive.hpp"

namespace pipeline {

namespace {

using dnnl::memory;

OnednnKey key_of(OnednnWork work, const ConvolutionShape& s, std::int32_t images,
                 bool accumulate) {
  return {static_cast<std::int32_t>(work),
          images,
          s.in.height,
          s.in.width,
          s.in.channels,
          s.out.channels,
          s.kernel,
          s.stride,
          accumulate ? 1 : 0};
}

/// The sizes of a convolution as oneDNN has them.
struct Sizes {
  memory::desc x, y, filters, any_filters;
  memory::dims strides, before, after;

  Sizes(const ConvolutionShape& s, std::int32_t images) {
    const auto f32 = memory::data_type::f32;
    const memory::dims filter = {s.out.channels, s.in.channels, s.kernel, s.kernel};
    x = {{images, s.in.channels, s.in.height, s.in.width},
         f32,
         memory::format_tag::nhwc};
    y = {{images, s.out.channels, s.out.height, s.out.width},
         f32,
         memory::format_tag::nhwc};
    filters = {filter, f32, memory::format_tag::hwio};
    any_filters = {filter, f32, memory::format_tag::any};
    strides = {s.stride, s.stride};
    before = {s.before(), s.before()};
    after = {(s.out.height - 1) * s.stride + s.kernel - s.in.height - s.before(),
             (s.out.width - 1) * s.stride + s.kernel - s.in.width - s.before()};
  }
};

dnnl::primitive_attr attributes(bool accumulate) {
  dnnl::primitive_attr made = user_scratchpad();
  if (accumulate) {
    dnnl::post_ops sum;
    sum.append_sum(1.0F);
    made.set_post_ops(sum);
  }
  return made;
}

OnednnPrimitive make_reorder(const dnnl::engine& engine, const memory::desc& from,
                             const memory::desc& to, bool accumulate) {
  const dnnl::reorder::primitive_desc description(engine, from, engine, to,
                                                  attributes(accumulate));
  return {engine,
          dnnl::reorder(description),
          description.scratchpad_desc(),
          {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}};
}

dnnl::convolution_forward::primitive_desc describe_forward(const dnnl::engine& engine,
                                                           const Sizes& s,
                                                           bool accumulate) {
  return {dnnl::convolution_forward::desc(
              dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct,
              s.x, s.any_filters, s.y, s.strides, s.before, s.after),
          attributes(accumulate), engine};
}

std::vector<OnednnPrimitive> make_forward(const dnnl::engine& engine, const Sizes& s,
                                          bool accumulate) {
  const auto description = describe_forward(engine, s, accumulate);
  const memory::desc filters = description.weights_desc();
  return {
      make_reorder(engine, s.filters, filters, false),
      OnednnPrimitive(
          engine, dnnl::convolution_forward(description), description.scratchpad_desc(),
          {{DNNL_ARG_SRC, s.x}, {DNNL_ARG_WEIGHTS, filters}, {DNNL_ARG_DST, s.y}})};
}

std::vector<OnednnPrimitive> make_input_gradient(const dnnl::engine& engine,
                                                 const Sizes& s) {
  const dnnl::convolution_backward_data::primitive_desc description(
      dnnl::convolution_backward_data::desc(dnnl::algorithm::convolution_direct, s.x,
                                            s.any_filters, s.y, s.strides, s.before,
                                            s.after),
      user_scratchpad(), engine, describe_forward(engine, s, false));
  const memory::desc filters = description.weights_desc();
  return {make_reorder(engine, s.filters, filters, false),
          OnednnPrimitive(engine, dnnl::convolution_backward_data(description),
                          description.scratchpad_desc(),
                          {{DNNL_ARG_DIFF_DST, s.y},
                           {DNNL_ARG_WEIGHTS, filters},
                           {DNNL_ARG_DIFF_SRC, s.x}})};
}

std::vector<OnednnPrimitive> make_weight_gradient(const dnnl::engine& engine,
                                                  const Sizes& s) {
  const dnnl::convolution_backward_weights::primitive_desc description(
      dnnl::convolution_backward_weights::desc(dnnl::algorithm::convolution_direct, s.x,
                                               s.any_filters, s.y, s.strides, s.before,
                                               s.after),
      user_scratchpad(), engine, describe_forward(engine, s, false));
  const memory::desc filters = description.diff_weights_desc();
  return {OnednnPrimitive(engine, dnnl::convolution_backward_weights(description),
                          description.scratchpad_desc(),
                          {{DNNL_ARG_SRC, s.x},
                           {DNNL_ARG_DIFF_DST, s.y},
                           {DNNL_ARG_DIFF_WEIGHTS, filters}}),
          make_reorder(engine, filters, s.filters, true)};
}

/// x or dy, times the filters, to y or dx: both begin by a reorder of the filters.
void run_with_filters(Compute& on, std::vector<OnednnPrimitive>& primitives,
                      const float* from, const float* filters, float* to) {
  OnednnPrimitive& reorder = primitives[0];
  const Scratch<float> blocked(on.scratch(), reorder.bytes_of(1) / sizeof(float));
  const dnnl::stream& stream = on.workspace().stream;
  reorder.run(stream, on.scratch(), {filters, blocked.data()});
  primitives[1].run(stream, on.scratch(), {from, blocked.data(), to});
}

}  // namespace

void convolve_library(Compute& on, const ConvolutionShape& shape, const float* filters,
                      ConstMatrix x, float beta, Matrix y) {
  omp_set_num_threads(1);  // as in matmul_host.cpp
  const bool accumulate = beta != 0.0F;
  auto& primitives = on.workspace().primitives(
      key_of(OnednnWork::Convolution, shape, x.rows, accumulate),
      [&](const dnnl::engine& engine) {
        return make_forward(engine, Sizes(shape, x.rows), accumulate);
      });
  run_with_filters(on, primitives, x.data, filters, y.data);
}

void convolve_input_gradient_library(Compute& on, const ConvolutionShape& shape,
                                     const float* filters, ConstMatrix dy, Matrix dx) {
  omp_set_num_threads(1);
  auto& primitives = on.workspace().primitives(
      key_of(OnednnWork::InputGradient, shape, dy.rows, false),
      [&](const dnnl::engine& engine) {
        return make_input_gradient(engine, Sizes(shape, dy.rows));
      });
  run_with_filters(on, primitives, dy.data, filters, dx.data);
}

void convolve_weight_gradient_library(Compute& on, const ConvolutionShape& shape,
                                      ConstMatrix x, ConstMatrix dy, float* gradients) {
  omp_set_num_threads(1);
  auto& primitives = on.workspace().primitives(
      key_of(OnednnWork::WeightGradient, shape, x.rows, true),
      [&](const dnnl::engine& engine) {
        return make_weight_gradient(engine, Sizes(shape, x.rows));
      });
  OnednnPrimitive& reorder = primitives[1];
  const Scratch<float> blocked(on.scratch(), reorder.bytes_of(0) / sizeof(float));
  const dnnl::stream& stream = on.workspace().stream;
  primitives[0].run(stream, on.scratch(), {x.data, dy.data, blocked.data()});
  reorder.run(stream, on.scratch(), {blocked.data(), gradients});
}

}  // namespace pipeline
