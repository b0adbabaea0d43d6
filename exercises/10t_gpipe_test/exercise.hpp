/// \file
/// Exercise 10t: tests for exercise 10. They may call its three functions, which
/// exercises/10_gpipe/exercise.hpp promises something about:
///
///     Row gpipe_row(std::int32_t stage, std::int32_t micro_batches);
///     std::vector<double> accumulate(gradients, rows);
///     std::int32_t micro_batches_needed(std::int32_t devices, std::int32_t percent);
///
/// and what looks at rows: `forward_of` and `backward_of` to compare an entry with,
/// `order_of` for the micro-batches of one kind, `row_in_words` for a message.
#pragma once

#include <gtest/gtest.h>

#include "10_gpipe/exercise.hpp"
