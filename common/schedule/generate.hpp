/// \file
/// The generators: from the shape of a pipeline to its schedule. One source file each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "schedule/error.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// What a generator is asked for, each at least 1. Sizes are bounded (see bounds.hpp)
/// before anything is allocated.
struct Shape {
  std::int32_t devices = 1;
  std::int32_t micro_batches = 1;
  std::int32_t steps = 1;
};

// In every training schedule below each stage ends a step with one `Update`, and runs
// its backwards in the order of the micro-batches: gradients then add up in the same
// order on every schedule, so that all of them train the same weights bit for bit.
// Several steps follow one another in each row, and micro-batches number on.

/// Forwards alone: device s runs F0, F1, … (the ticks of chapter 01).
Expected<Schedule> forward_only(Shape shape);

/// Naive model parallelism: one micro-batch at a time through all devices and back, so
/// that one device is busy at a time.
Expected<Schedule> model_parallel(Shape shape);

/// GPipe (Huang et al. 2019, section 2.3): all forwards, then all backwards.
Expected<Schedule> gpipe(Shape shape);

/// 1F1B (PipeDream-Flush; Narayanan et al. 2021, section 2.2): min(p-1-s, m) forwards
/// to warm up on stage s, then one forward and one backward in turn, then the rest.
Expected<Schedule> one_f_one_b(Shape shape);

/// A schedule as the command line knows it.
struct Generator {
  std::string_view name;     ///< e.g. "1f1b"
  std::string_view summary;  ///< one line for help
  Expected<Schedule> (*generate)(Shape);
};

/// What every generator starts from: a stage on each device, empty rows with room for
/// what each micro-batch and each step brings. A
/// shape out of bounds is refused with the value.
Expected<Schedule> blank_schedule(std::string_view name, Shape shape, bool training);

/// Every generator there is, in the order in which the chapters meet them.
std::span<const Generator> generators();

/// By name; an unknown name is refused with the list of those there are.
Expected<Schedule> generate(std::string_view name, Shape shape);

}  // namespace pipeline
