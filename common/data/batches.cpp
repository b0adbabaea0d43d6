#include "data/batches.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "layers/random.hpp"

namespace pipeline {

BatchOrder::BatchOrder(std::int32_t count, std::int32_t batch_rows, std::uint64_t seed)
    : count_(count),
      batch_rows_(batch_rows),
      seed_(seed),
      order_(static_cast<std::size_t>(count)) {}

Expected<BatchOrder> BatchOrder::make(std::int32_t count, std::int32_t batch_rows,
                                      std::uint64_t seed) {
  if (batch_rows < 1 || batch_rows > count) {
    return refuse("a batch of " + std::to_string(batch_rows) + " rows out of " +
                      std::to_string(count) + " cannot be made",
                  "take a batch of 1 to " + std::to_string(count) + " rows");
  }
  return BatchOrder(count, batch_rows, seed);
}

// Fisher-Yates. Each epoch starts anew from its own seed, so that any batch can be
// asked for without the ones before.
void BatchOrder::shuffle(std::int64_t epoch) {
  std::iota(order_.begin(), order_.end(), 0);
  Random random(Random(seed_).next() + static_cast<std::uint64_t>(epoch));
  for (std::size_t left = order_.size(); left > 1; --left) {
    std::swap(order_[left - 1], order_[random.below(left)]);
  }
  epoch_ = epoch;
}

std::span<const std::int32_t> BatchOrder::batch(std::int64_t index) {
  const std::int64_t epoch = index / batches_per_epoch();
  if (epoch != epoch_) shuffle(epoch);
  const std::int64_t first = index % batches_per_epoch() * batch_rows_;
  return std::span(order_).subspan(static_cast<std::size_t>(first),
                                   static_cast<std::size_t>(batch_rows_));
}

void gather(const ImageSet& set, std::span<const std::int32_t> rows,
            std::vector<float>& inputs, std::vector<std::int32_t>& labels) {
  constexpr std::size_t kPixels = FashionMnist::kPixels;
  inputs.resize(rows.size() * kPixels);
  labels.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    std::copy_n(set.pixels.begin() + static_cast<std::ptrdiff_t>(row * kPixels),
                kPixels, inputs.begin() + static_cast<std::ptrdiff_t>(i * kPixels));
    labels[i] = set.labels[row];
  }
}

}  // namespace pipeline
