/// \file
/// The generators: from the shape of a pipeline to its schedule. One source file each.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "schedule/error.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// What a generator is asked for. Sizes are bounded before anything is allocated.
struct Shape {
  std::int32_t devices = 1;
  std::int32_t micro_batches = 1;
  std::int32_t steps = 1;
};

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

/// Every generator there is, in the order in which the chapters meet them.
std::span<const Generator> generators();

/// By name; an unknown name is refused with the list of those there are.
Expected<Schedule> generate(std::string_view name, Shape shape);

}  // namespace pipeline
