/// \file
/// In which order training sees the images, and a batch of them side by side.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/fashion_mnist.hpp"

namespace pipeline {

/// A permutation of 0 … count-1 for each epoch, drawn from a seed, the same on every
/// platform. Batches are consecutive pieces of it; the rows that do not fill a last one
/// are left out of that epoch.
class BatchOrder {
 public:
  /// Refuses a batch that is empty or larger than the set.
  static Expected<BatchOrder> make(std::int32_t count, std::int32_t batch_rows,
                                   std::uint64_t seed);

  /// Rows of each batch.
  std::int32_t batch_rows() const { return batch_rows_; }
  /// Whole batches of the set; the rest is left out.
  std::int32_t batches_per_epoch() const { return count_ / batch_rows_; }
  /// The rows of batch `index`, counted on over epochs. Valid until the next call.
  std::span<const std::int32_t> batch(std::int64_t index);

 private:
  BatchOrder(std::int32_t count, std::int32_t batch_rows, std::uint64_t seed);
  void shuffle(std::int64_t epoch);

  std::int32_t count_;
  std::int32_t batch_rows_;
  std::uint64_t seed_;
  std::int64_t epoch_ = -1;
  std::vector<std::int32_t> order_;
};

/// Copies those rows next to each other: `inputs` rows x 784, `labels` rows. Both are
/// resized, which allocates nothing once they were this large.
void gather(const ImageSet& set, std::span<const std::int32_t> rows,
            std::vector<float>& inputs, std::vector<std::int32_t>& labels);

}  // namespace pipeline
