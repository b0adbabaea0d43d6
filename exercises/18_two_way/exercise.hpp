/// \file
/// Exercise 18: two-way schedules. Devices, stages and micro-batches are counted from
/// 0; the number of devices is even. Every device holds one stage of each of two copies
/// of the weights.
#pragma once

#include <cstdint>
#include <vector>

#include "classroom/chapter_rows.hpp"
#include "schedule/costs.hpp"

namespace pipeline {

/// The stage that a device holds of copy 0, whose micro-batches go down the devices
/// from 0 to p-1, or of copy 1, whose micro-batches go up from p-1 to 0.
std::int32_t stage_of(std::int32_t device, std::int32_t devices, std::int32_t copy);

/// The gradient of a stage when both copies have met. `gradients[k]` is that of
/// micro-batch k; the first half of them (the larger one, where they are odd in number)
/// ran on copy 0 and the rest on copy 1. Each copy adds up its own in order, starting
/// from zero, and then the two sums are added, copy 0 first. All are of one length, and
/// there are at least 2.
std::vector<float> sum_of_halves(const std::vector<std::vector<float>>& gradients);

/// What a device does in one step of Chimera with as many micro-batches as devices: 0
/// to p/2-1 go down on copy 0, the rest go up on copy 1. `forward_of` and `backward_of`
/// entries; the sum over the copies and the updates are added for you.
Row two_way_row(std::int32_t device, std::int32_t devices);

/// How long the devices in the middle of a DualPipe idle in a step. A forward takes as
/// long as an input gradient, and a weight gradient no longer.
double dualpipe_bubble(std::int32_t devices, const StageCosts& costs);

/// How long that step takes, of `micro_batches` in both directions together (an even
/// number, and at least twice as many as devices).
double dualpipe_step(std::int32_t devices, std::int32_t micro_batches,
                     const StageCosts& costs);

}  // namespace pipeline
