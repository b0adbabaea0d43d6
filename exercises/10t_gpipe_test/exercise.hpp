/// \file
/// Exercise 10t: tests for exercise 10. They may call its three functions, which
/// exercises/10_gpipe/exercise.hpp promises something about:
///
///     Row gpipe_row(std::int32_t stage, std::int32_t micro_batches);
///     std::vector<double> accumulate(gradients, rows);
///     std::int32_t micro_batches_needed(std::int32_t devices, std::int32_t percent);
///
/// and what looks at rows: `forward_of` and `backward_of` to compare an entry with,
/// and `order_of` for the micro-batches of one kind, in their order.
#pragma once

#include <gtest/gtest.h>

#include <ostream>

#include "10_gpipe/exercise.hpp"

namespace pipeline {

/// How GoogleTest shows an entry in a message: "2F0", forward of micro-batch 0,
/// stage 2.
inline void PrintTo(const Entry& entry, std::ostream* out) {
  *out << to_text(entry.action, true);
}

}  // namespace pipeline
