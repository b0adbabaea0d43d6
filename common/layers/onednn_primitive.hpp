/// \file
/// What the sources that call oneDNN share: primitives that are made once for a shape,
/// and the workspace that keeps them. Host builds only. Private to the layers part.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <oneapi/dnnl/dnnl.hpp>
#include <utility>
#include <vector>

#include "layers/compute.hpp"
#include "layers/onednn_accesses.hpp"

namespace pipeline {

/// A primitive with the memory objects that it reads and writes, which every call only
/// points at other data. Its scratchpad is ours.
class OnednnPrimitive {
 public:
  struct Argument {
    int name = 0;  ///< DNNL_ARG_…
    dnnl::memory::desc description;
  };

  /// `made` was made with `user_scratchpad()` among its attributes.
  OnednnPrimitive(const dnnl::engine& engine, const dnnl::primitive& made,
                  const dnnl::memory::desc& scratchpad,
                  const std::vector<Argument>& arguments);

  /// `data` in the order of the arguments. What is only read may be const elsewhere:
  /// oneDNN's handles are not.
  void run(const dnnl::stream& stream, ScratchCache& cache,
           std::initializer_list<const float*> data);
  /// What an argument takes in its own form, which may pad it.
  std::size_t bytes_of(std::size_t argument) const { return bytes_[argument]; }

 private:
  dnnl::primitive primitive_;
  // Of the arguments, and then of the scratchpad:
  std::vector<std::size_t> bytes_;
  std::vector<dnnl::memory> memory_;
  std::vector<dnnl_exec_arg_t> arguments_;
};

dnnl::primitive_attr user_scratchpad();

/// What tells one primitive from another: what it does, and its sizes.
using OnednnKey = std::array<std::int32_t, 16>;

/// The first number of a key.
enum class OnednnWork : std::int32_t {
  Product,
  Convolution,
  InputGradient,
  WeightGradient,
};

struct Compute::Workspace {
  Workspace() { share_no_primitives(); }

  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};

  /// The primitives of `key`, in the order in which they run; `make(engine)` makes them
  /// on its first use.
  template <typename Make>
  std::vector<OnednnPrimitive>& primitives(const OnednnKey& key, const Make& make) {
    for (auto& [known, found] : primitives_) {
      if (known == key) return found;
    }
    return primitives_.emplace_back(key, make(engine)).second;
  }

 private:
  std::vector<std::pair<OnednnKey, std::vector<OnednnPrimitive>>> primitives_;
};

}  // namespace pipeline
