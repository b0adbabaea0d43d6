/// \file
/// oneDNN is not built for the thread sanitizer. In a build with it the sanitizer is
/// told what a primitive reads and writes, so that a race with it is found all the
/// same; and threads share no primitive there. Private to the layers part.
#pragma once

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>

#if defined(__SANITIZE_THREAD__)
extern "C" void __tsan_read_range(void* begin, std::size_t bytes);
extern "C" void __tsan_write_range(void* begin, std::size_t bytes);
#endif

namespace pipeline {

#if defined(__SANITIZE_THREAD__)

/// Whether a primitive writes the argument of that name.
inline bool is_written(int name) {
  return name == DNNL_ARG_DST || name == DNNL_ARG_DIFF_SRC ||
         name == DNNL_ARG_DIFF_WEIGHTS || name == DNNL_ARG_SCRATCHPAD;
}

/// Calls tell(begin, bytes) for each stretch of memory without a gap, from dimension
/// `from` on: a part of a wider matrix is not all that lies between its ends.
template <typename Tell>
void for_each_stretch(const dnnl_memory_desc_t& of, int from, float* begin,
                      const Tell& tell) {
  const auto& blocks = of.format_desc.blocking;
  if (from == of.ndims) return tell(begin, sizeof(float));
  if (from + 1 == of.ndims && blocks.strides[from] == 1)
    return tell(begin, sizeof(float) * static_cast<std::size_t>(of.dims[from]));
  for (dnnl_dim_t i = 0; i < of.dims[from]; ++i)
    for_each_stretch(of, from + 1, begin + i * blocks.strides[from], tell);
}

/// Tells the sanitizer of one argument of a primitive that is about to run.
inline void tell_sanitizer(const dnnl::memory& memory, int name) {
  const auto tell = [name](void* begin, std::size_t bytes) {
    (is_written(name) ? __tsan_write_range : __tsan_read_range)(begin, bytes);
  };
  const dnnl::memory::desc description = memory.get_desc();
  const dnnl_memory_desc_t& of = description.data;
  const bool plain = of.format_kind == dnnl_blocked && of.data_type == dnnl_f32 &&
                     of.format_desc.blocking.inner_nblks == 0;
  if (plain) {
    for_each_stretch(of, 0, static_cast<float*>(memory.get_data_handle()), tell);
  } else {  // in a form of oneDNN's own, which has no gaps
    tell(memory.get_data_handle(), description.get_size());
  }
}

/// oneDNN hands what one thread made to others of the same shape, behind locks that the
/// sanitizer does not know: it would report a race.
inline void share_no_primitives() { dnnl::set_primitive_cache_capacity(0); }

#else

inline void tell_sanitizer(const dnnl::memory& /*memory*/, int /*name*/) {}
inline void share_no_primitives() {}

#endif

}  // namespace pipeline
