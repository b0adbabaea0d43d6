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
#include "classroom/draw.hpp"
#include "classroom/test_words.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {

/// How large a pipeline to try.
struct PipelineSize {
  std::int32_t devices = 1;        ///< p
  std::int32_t micro_batches = 1;  ///< m

  /// The beginning of a message: "4 devices, 8 micro-batches: ".
  std::string name() const {
    return std::to_string(devices) + " devices, " + std::to_string(micro_batches) +
           " micro-batches: ";
  }
};

/// `count` sizes from `least` to `most`: larger ones than tests name.
inline std::vector<PipelineSize> draw_sizes(Draw& draw, std::int32_t count,
                                            PipelineSize least, PipelineSize most) {
  std::vector<PipelineSize> sizes;
  for (std::int32_t i = 0; i < count; ++i) {
    const std::int32_t devices = draw.between(least.devices, most.devices);
    sizes.push_back({devices, draw.between(least.micro_batches, most.micro_batches)});
  }
  return sizes;
}

/// Every size from one device and one micro-batch to `most`.
inline std::vector<PipelineSize> sizes_up_to(PipelineSize most) {
  std::vector<PipelineSize> sizes;
  for (std::int32_t p = 1; p <= most.devices; ++p) {
    for (std::int32_t m = 1; m <= most.micro_batches; ++m) sizes.push_back({p, m});
  }
  return sizes;
}

/// A row as people read it, "F0 F1 B0 B1", or how it begins. With stages: "2F0".
inline std::string in_words(const Row& row, bool with_stages = false) {
  std::string words;
  for (std::size_t i = 0; i < row.size() && i < kMostShown; ++i)
    words += (i == 0 ? "" : " ") + to_text(row[i].action, with_stages);
  if (row.size() > kMostShown)
    words += " and " + std::to_string(row.size() - kMostShown) + " more";
  return words.empty() ? "(empty)" : words;
}

/// A row without the sums and updates that are added to what a student writes.
inline Row as_written(Row row) {
  std::erase_if(row, [](const Entry& entry) {
    return entry.action.kind == ActionKind::Update ||
           entry.action.kind == ActionKind::Reduce;
  });
  return row;
}

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
