#include "layers/finite.hpp"

#include <bit>

#include "layers/policy.hpp"

namespace pipeline {
namespace {

constexpr std::uint32_t kExponent = 0x7f800000U;  // all set: infinite, or not a number

PIPELINE_HD inline std::uint32_t bits_of(float value) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(value);
#else
  return std::bit_cast<std::uint32_t>(value);
#endif
}

}  // namespace

// Rows side by side; whoever finds something writes the same number.
void mark_if_not_finite(Compute& on, ConstMatrix m, std::int32_t micro_batch,
                        const std::int32_t* only_if, std::int32_t* mark) {
  for_each_piece(
      on, m.rows, m.columns,
      [=] PIPELINE_HD(std::int32_t row, std::int32_t first, std::int32_t end) {
        if (only_if != nullptr && *only_if == 0) return;
        const float* const in =
            m.data + static_cast<std::int64_t>(row) * m.columns + first;
        const std::int32_t width = piece_width(first, end);
        std::uint32_t found = 0;
        for (std::int32_t j = 0; j < width; ++j) {
          found |=
              static_cast<std::uint32_t>((bits_of(in[j]) & kExponent) == kExponent);
        }
        if (found != 0 && *mark == 0) *mark = micro_batch + 1;
      });
}

}  // namespace pipeline
