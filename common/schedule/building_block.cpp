#include "schedule/building_block.hpp"

#include <algorithm>

namespace pipeline {
namespace {

std::int32_t& at(Offsets& offsets, BlockPass pass) {
  return offsets[static_cast<std::size_t>(pass)];
}

// The first tick after `offset` whose place in the period nothing has taken yet.
std::int32_t next_gap(std::array<bool, kPeriod>& taken, std::int32_t offset) {
  std::int32_t tick = offset + 1;
  while (taken[static_cast<std::size_t>(tick % kPeriod)]) ++tick;
  taken[static_cast<std::size_t>(tick % kPeriod)] = true;
  return tick;
}

// Nobody waits for a weight gradient but the memory that it frees, so each takes the
// first tick that the four passes on the way of the micro-batch leave free:
//
//   tick mod 6     0  1  2  3  4  5
//   device 0      F0 F1 I1 I0 W1 W0      (V-Min, p = 4)
Offsets with_weight_gradients(std::int32_t forward0, std::int32_t forward1,
                              std::int32_t input1, std::int32_t input0) {
  std::array<bool, kPeriod> taken{};
  for (const std::int32_t offset : {forward0, forward1, input1, input0}) {
    taken[static_cast<std::size_t>(offset % kPeriod)] = true;
  }
  Offsets offsets{forward0, forward1, input1, input0};
  at(offsets, BlockPass::WeightGradient1) = next_gap(taken, input1);
  at(offsets, BlockPass::WeightGradient0) = next_gap(taken, input0);
  return offsets;
}

}  // namespace

// The offsets of the first two are those of the paper's authors; k keeps the ways down
// and up from meeting on a device modulo 6.
BuildingBlock v_min_block(std::int32_t devices) {
  const std::int32_t p = devices;
  const std::int32_t k = p % 3 == 0 ? 2 : 0;
  BuildingBlock block;
  block.reserve(static_cast<std::size_t>(p));
  for (std::int32_t i = 0; i < p; ++i) {
    block.push_back(
        with_weight_gradients(i, 2 * p - i - 1, 2 * p + k + i, 4 * p + k - i - 1));
  }
  return block;
}

BuildingBlock v_half_block(std::int32_t devices) {
  const std::int32_t p = devices;
  const std::int32_t k = p % 2 == 0 ? 3 : 0;
  BuildingBlock block;
  block.reserve(static_cast<std::size_t>(p));
  for (std::int32_t i = 0; i < p; ++i) {
    block.push_back(with_weight_gradients(2 * i, 3 * p - i - 2, 3 * p + k + 2 * i - 1,
                                          6 * p + k - i - 2));
  }
  return block;
}

// Four ticks down and two up: a device's passes keep their places in the period, 4i and
// -2i being the same modulo 6. With the turns as short as they can be, these are
//
//   F0  4i              mod 6: 4i
//   F1  6p - 5 - 2i            4i + 1
//   I1  6p - 4 + 4i            4i + 2
//   I0  12p - 9 - 2i           4i + 3
BuildingBlock zb_v_block(std::int32_t devices) {
  const std::int32_t p = devices;
  BuildingBlock block;
  block.reserve(static_cast<std::size_t>(p));
  for (std::int32_t i = 0; i < p; ++i) {
    block.push_back(with_weight_gradients(4 * i, 6 * p - 5 - 2 * i, 6 * p - 4 + 4 * i,
                                          12 * p - 9 - 2 * i));
  }
  return block;
}

std::array<std::int32_t, 2> lifespans(const Offsets& offsets) {
  const auto span = [&](BlockPass from, BlockPass to) {
    return offset_of(offsets, to) + 1 - offset_of(offsets, from);
  };
  return {span(BlockPass::Forward0, BlockPass::WeightGradient0),
          span(BlockPass::Forward1, BlockPass::WeightGradient1)};
}

std::int32_t peak_bound(const Offsets& offsets) {
  const auto [down, up] = lifespans(offsets);
  constexpr std::int32_t kBothChunks = 2 * kPeriod;
  return (down + up + kBothChunks - 1) / kBothChunks;
}

std::int32_t peak_bound(const BuildingBlock& block) {
  std::int32_t bound = 0;
  for (const Offsets& offsets : block) bound = std::max(bound, peak_bound(offsets));
  return bound;
}

std::int32_t length(const BuildingBlock& block) {
  std::int32_t end = 0;
  for (const Offsets& offsets : block) {
    end = std::max(end, 1 + *std::max_element(offsets.begin(), offsets.end()));
  }
  return end;
}

}  // namespace pipeline
