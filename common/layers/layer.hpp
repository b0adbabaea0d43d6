/// \file
/// What a layer is: forward, input gradient and weight gradient, apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace pipeline {

/// A row-major matrix of floats that somebody else owns, on the device of the stream.
struct Matrix {
  float* data = nullptr;     ///< row-major, on the device
  std::int32_t rows = 0;     ///< as many as the batch has
  std::int32_t columns = 0;  ///< floats of a row

  /// Rows x columns.
  std::size_t size() const { return static_cast<std::size_t>(rows) * columns; }
};

/// The same, not to be written to.
struct ConstMatrix {
  const float* data = nullptr;  ///< row-major, on the device
  std::int32_t rows = 0;        ///< as many as the batch has
  std::int32_t columns = 0;     ///< floats of a row

  ConstMatrix() = default;
  /// Views floats that are there.
  ConstMatrix(const float* d, std::int32_t r, std::int32_t c)
      : data(d), rows(r), columns(c) {}
  /// Every matrix can be read.
  ConstMatrix(Matrix m) : data(m.data), rows(m.rows), columns(m.columns) {}  // NOLINT
  /// Rows x columns.
  std::size_t size() const { return static_cast<std::size_t>(rows) * columns; }
};

/// Where a layer's kernels go: the native stream, and the workspace of the one device
/// stream that computes. One Compute belongs to one compute stream; it owns what the
/// matrix product needs (oneDNN primitives and scratchpad, a cuBLAS handle and
/// workspace) and makes it on first use of a shape, so that later steps allocate
/// nothing.
class Compute;

/// Which part of which batch a layer works on. Rows of a matrix are the positions of
/// the samples, a sample's together:
///
///     x       sample 0: position 0 … positions-1 │ sample 1: position 0 … │ …
///
/// An image has one position; a sequence has one for each token (of this slice, where
/// sequences are cut).
struct Pass {
  std::int32_t positions = 1;       ///< rows of one sample
  std::int32_t first_sample = 0;    ///< place of the first sample in its whole batch
  std::int32_t first_position = 0;  ///< of a slice in its sequence
  std::int32_t all_positions = 1;   ///< of the whole sequence; `positions` if not cut
  std::int64_t step = 0;            ///< since training began
  std::uint64_t seed = 0;           ///< of what is drawn anew in each step (dropout)
  bool training = true;             ///< false: nothing is drawn, nothing is kept
  bool again = false;               ///< re-computation: what the forward counted stands
};

/// What a call of a layer works with beside x, y and their gradients. All of it is
/// device memory that somebody else owns.
struct Call {
  const float* parameters = nullptr;  ///< `parameter_count()` floats
  /// What training keeps and no gradient changes (the running statistics of batch
  /// norm): `state_count()` floats.
  float* state = nullptr;
  /// What the slices of a micro-batch share: `cache_floats()`; null where sequences are
  /// not cut.
  float* cache = nullptr;
  Pass pass;  ///< which rows these are

  Call() = default;
  /// Of a layer with nothing but parameters.
  Call(const float* p) : parameters(p) {}  // NOLINT: most layers need no more
};

/// A layer of a network. The only thing that it needs back in the backward pass is its
/// own input x, which the stage keeps. See `Pass` for what a row is.
///
/// `weight_gradient` *adds* to `gradients`, so that micro-batches accumulate in the
/// order in which it is called. All pointers are device memory, 64-byte aligned.
class Layer {
 public:
  virtual ~Layer() = default;
  virtual std::string name() const = 0;             ///< "linear 784 -> 256"
  virtual std::int32_t inputs() const = 0;          ///< columns of x
  virtual std::int32_t outputs() const = 0;         ///< columns of y
  virtual std::size_t parameter_count() const = 0;  ///< floats; 0 for ReLU and GELU
  /// How many of them, the first ones, AdamW lets decay: those of matrices, not biases
  /// or scales.
  virtual std::size_t decayed_count() const { return 0; }
  /// Fills host memory with starting values drawn from `seed`, the same on every
  /// platform.
  virtual void initialise(float* parameters, std::uint64_t seed) const = 0;

  virtual std::size_t state_count() const { return 0; }  ///< floats
  /// Fills host memory, `state_count()` floats.
  virtual void initialise_state(float* /*state*/) const {}
  /// Called once a step, before the update: what the step's micro-batches left in the
  /// state takes effect.
  virtual void end_step(Compute& /*on*/, float* /*state*/) const {}

  /// Floats of a micro-batch's cache, for sequences of so many positions in all.
  virtual std::size_t cache_floats(std::int32_t /*samples*/,
                                   std::int32_t /*positions*/) const {
    return 0;
  }

  /// y = f(x); x is rows x inputs(), y is rows x outputs(). Of the slices of one
  /// micro-batch, in order.
  virtual void forward(Compute& on, const Call& call, ConstMatrix x,
                       Matrix y) const = 0;
  /// dx = (df/dx)^T dy. dx may be dy where inputs() = outputs() and the layer works on
  /// each element by itself. Of the slices of one micro-batch, from the last to the
  /// first.
  virtual void input_gradient(Compute& on, const Call& call, ConstMatrix x,
                              ConstMatrix dy, Matrix dx) const = 0;
  /// gradients += (df/dparameters)^T dy. Nothing to do without parameters.
  virtual void weight_gradient(Compute& on, const Call& call, ConstMatrix x,
                               ConstMatrix dy, float* gradients) const = 0;
};

/// y = x W + b. Parameters: W first (inputs x outputs, row-major), then b (outputs).
/// Starts He-uniform (He et al. 2015, section 2.2), b = 0.
std::unique_ptr<Layer> linear(std::int32_t inputs, std::int32_t outputs);
/// The same, but W starts normal with this deviation (`normal` in initialise.hpp).
std::unique_ptr<Layer> linear(std::int32_t inputs, std::int32_t outputs,
                              double deviation);
/// y = max(x, 0), element by element, on rows of `width` floats.
std::unique_ptr<Layer> relu(std::int32_t width);
std::unique_ptr<Layer> gelu(
    std::int32_t width);  ///< tanh form (Hendrycks & Gimpel 2016)

/// Softmax and cross-entropy in one. Adds the *sum* of the rows' losses, in double, to
/// *loss_sum, and the count of rows whose largest logit is the label to *correct
/// (device memory). Of equal largest logits the first counts. No atomics: one fixed
/// order. Labels are below logits.columns.
void softmax_cross_entropy(Compute& on, ConstMatrix logits, const std::int32_t* labels,
                           double* loss_sum, std::int32_t* correct);

/// dlogits = (softmax(logits) - onehot(labels)) * weight. With weight = 1 / rows of the
/// *whole* batch, gradients of ragged micro-batches add up to the full batch's. May be
/// written over the logits.
void softmax_cross_entropy_gradient(Compute& on, ConstMatrix logits,
                                    const std::int32_t* labels, float weight,
                                    Matrix dlogits);

}  // namespace pipeline
