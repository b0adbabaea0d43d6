/// \file
/// The building block of a V schedule: when each device works on one micro-batch. All
/// micro-batches do the same, one period later each, so that the memory of the whole
/// schedule is read off a single one (Qi et al. 2024, "Pipeline Parallelism with
/// Controllable Memory", arXiv 2405.15362).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pipeline {

/// What a device of a V placement does with one micro-batch. It holds two chunks: 0 on
/// the way down the devices, 1 on the way back up. The passes stand in the order in
/// which a device can run them.
enum class BlockPass : std::uint8_t {
  Forward0,         ///< of chunk 0
  Forward1,         ///< of chunk 1
  InputGradient1,   ///< of chunk 1, which comes first on the way back
  InputGradient0,   ///< of chunk 0
  WeightGradient1,  ///< of chunk 1
  WeightGradient0,  ///< of chunk 0
};

/// How many passes a block has on each device.
inline constexpr std::int32_t kPasses = 6;

/// Ticks between a micro-batch and the next: six passes of a tick each keep a device
/// busy all the time.
inline constexpr std::int32_t kPeriod = kPasses;

/// Of one device: the tick at which each pass starts, counted from the micro-batch's
/// first forward on device 0.
using Offsets = std::array<std::int32_t, kPasses>;

/// The tick at which a pass starts.
constexpr std::int32_t offset_of(const Offsets& offsets, BlockPass pass) {
  return offsets[static_cast<std::size_t>(pass)];
}

/// Offsets a device. No two offsets of a device are equal modulo `kPeriod`: else two
/// micro-batches would need the device in the same tick.
using BuildingBlock = std::vector<Offsets>;

/// One tick from device to device on all four ways: the shortest lifespans there can
/// be. Peak (p+4)/3 micro-batches, in whole numbers.
BuildingBlock v_min_block(std::int32_t devices);

/// Two ticks a device on the ways down (forward 0, input gradient 1), one on the ways
/// up. Peak (p+2)/2 micro-batches, in whole numbers.
BuildingBlock v_half_block(std::int32_t devices);

/// Four ticks a device on the ways down, two on the ways up. Peak p micro-batches, and
/// no device idles once it has begun.
BuildingBlock zb_v_block(std::int32_t devices);

/// Of chunks 0 and 1: ticks from the start of the forward to the end of the weight
/// gradient, which frees the activation.
std::array<std::int32_t, 2> lifespans(const Offsets& offsets);

/// Most micro-batches that the device holds when the block is repeated, in activations
/// of both chunks together: the sum of its lifespans over twice the period, rounded up.
/// A lifespan over the period is how many activations of that chunk are held in the
/// mean, and never is there one more; for the blocks here rounding up to a whole
/// micro-batch covers it.
std::int32_t peak_bound(const Offsets& offsets);

/// The same of the whole pipeline: that of its worst device.
std::int32_t peak_bound(const BuildingBlock& block);

/// The last tick of the block, over all devices, plus one.
std::int32_t length(const BuildingBlock& block);

/// Makespan of the block repeated as it is: `length` after the last micro-batch began.
constexpr std::int32_t repeated_makespan(std::int32_t length,
                                         std::int32_t micro_batches) {
  return length + kPeriod * (micro_batches - 1);
}

}  // namespace pipeline
