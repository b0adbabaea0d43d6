/// \file
/// The V schedules (Qi et al. 2024, "Pipeline Parallelism with Controllable Memory"):
/// two stages on each device, the second on the way back up, so that the first and the
/// last stage share a device. See building_block.hpp and v_order.hpp for how they come
/// about. Actions are Forward, InputGradient and WeightGradient; their order assumes
/// that each takes one tick.
#pragma once

#include "schedule/error.hpp"
#include "schedule/generate.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// The least memory: at most (p+4)/3 micro-batches on a device, in whole numbers.
Expected<Schedule> v_min(const Shape& shape);

/// Half of 1F1B's memory: at most (p+2)/2 micro-batches, in whole numbers.
Expected<Schedule> v_half(const Shape& shape);

/// The memory of 1F1B, and no bubble on a device from its first action to its last
/// (given m >= 2p): at most p micro-batches.
Expected<Schedule> zb_v(const Shape& shape);

}  // namespace pipeline
