/// \file
/// For the tests of exercises that build rows: the sizes that they try, the step that a
/// student's rows make, and what their messages have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "classroom/chapter_rows.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {

/// How large a pipeline to try.
struct PipelineSize {
  std::int32_t devices = 1;
  std::int32_t micro_batches = 1;

  /// The beginning of a message: "4 devices, 8 micro-batches: ".
  std::string name() const {
    return std::to_string(devices) + " devices, " + std::to_string(micro_batches) +
           " micro-batches: ";
  }
};

/// The step in which the device of each stage does `row_of(stage)`.
template <typename RowOf>
Schedule step_of(std::string name, PipelineSize size, bool training,
                 const RowOf& row_of) {
  std::vector<Row> rows;
  rows.reserve(static_cast<std::size_t>(size.devices));
  for (std::int32_t s = 0; s < size.devices; ++s) rows.push_back(row_of(s));
  return one_step(std::move(name), std::move(rows), size.micro_batches, training);
}

/// "Each stage needs F0 to F7 and B0 to B7, each once", for the message of a test.
inline std::string each_action_once(PipelineSize size) {
  const std::string last = std::to_string(size.micro_batches - 1);
  return "Each stage needs F0 to F" + last + " and B0 to B" + last + ", each once";
}

/// 0, 1, … up to the last micro-batch.
inline std::vector<std::int32_t> first_to_last(std::int32_t micro_batches) {
  std::vector<std::int32_t> in_order(static_cast<std::size_t>(micro_batches));
  std::iota(in_order.begin(), in_order.end(), 0);
  return in_order;
}

/// How long a step takes when a forward takes 1 tick, a backward 2, and messages none.
inline Expected<double> ticks_of(const Schedule& schedule) {
  return simulate(schedule, Costs{}).transform([&](const Timeline& timeline) {
    return measure(schedule, timeline).makespan;
  });
}

}  // namespace pipeline
