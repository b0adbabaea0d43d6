/// \file
/// The workspace of one compute stream. See `Compute` in layer.hpp.
#pragma once

#include <cstddef>
#include <memory>

#include "device/device.hpp"
#include "layers/matmul.hpp"
#include "layers/scratch.hpp"

namespace pipeline {

/// Not for two threads at once: work of one stream never is. All its memory is asked
/// of the device, on the first use of a shape.
class Compute {
 public:
  /// Of the compute stream of a device; `with` says what multiplies matrices.
  explicit Compute(Device& device, MatmulWith with = MatmulWith::Library);
  ~Compute();
  Compute(const Compute&) = delete;
  Compute& operator=(const Compute&) = delete;

  /// The stream that the work now running belongs to; set by whoever calls the layers.
  void enter(NativeStream stream) { stream_ = stream; }
  /// The native stream that kernels go to.
  NativeStream stream() const { return stream_; }
  /// What multiplies matrices.
  MatmulWith matmul_with() const { return with_; }

  /// Device memory for what lives within one call of a layer, Thrust's own included.
  ScratchCache& scratch() { return scratch_; }
  /// Device memory held for scratch; it stops growing once every shape was seen.
  std::size_t scratch_bytes() const { return scratch_.held_bytes(); }

  struct Workspace;  ///< oneDNN primitives, or a cuBLAS handle: matmul_*.cpp
  Workspace& workspace() { return *workspace_; }

 private:
  NativeStream stream_ = nullptr;
  MatmulWith with_;
  ScratchCache scratch_;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace pipeline
