/// \file
/// From a batch to micro-batches.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// Rows [begin, end) of a batch.
struct RowRange {
  std::int32_t begin = 0;
  std::int32_t end = 0;

  std::int32_t rows() const { return end - begin; }
  bool operator==(const RowRange&) const = default;
};

/// Balanced: 8 rows into 3 are 3, 3, 2, and 10 into 4 are 3, 3, 2, 2. Fewer rows than
/// micro-batches is refused.
Expected<std::vector<RowRange>> split_rows(std::int32_t rows,
                                           std::int32_t micro_batches);

}  // namespace pipeline
