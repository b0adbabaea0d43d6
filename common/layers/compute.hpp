/// \file
/// The workspace of one compute stream. See `Compute` in layer.hpp.
#pragma once

#include <memory>

#include "device/device.hpp"
#include "layers/matmul.hpp"

namespace pipeline {

class Compute {
 public:
  explicit Compute(Device& device, MatmulWith with = MatmulWith::Library);
  ~Compute();
  Compute(const Compute&) = delete;
  Compute& operator=(const Compute&) = delete;

  /// The stream that the work now running belongs to; set by whoever calls the layers.
  void enter(NativeStream stream) { stream_ = stream; }
  NativeStream stream() const { return stream_; }
  MatmulWith matmul_with() const { return with_; }

  struct Workspace;  ///< oneDNN primitives, or a cuBLAS handle: matmul_*.cpp
  Workspace& workspace() { return *workspace_; }

 private:
  NativeStream stream_ = nullptr;
  MatmulWith with_;
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace pipeline
