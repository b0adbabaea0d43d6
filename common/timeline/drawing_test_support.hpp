/// \file
/// Schedules and timelines for the tests of the drawings. Test code.
#pragma once

#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "schedule/full_tier.hpp"
#include "schedule/generate.hpp"
#include "timeline/simulate.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

struct Drawn {
  Schedule schedule;
  Timeline timeline;
};

/// A generated schedule with unit costs: F takes 1 tick, B takes 2; nothing where the
/// schedule's algorithm forbids the shape. What can be sliced has micro-batches of 1,
/// 2, 3, 1, … slices.
inline std::optional<Drawn> drawn_if_allowed(const Generator& generator,
                                             const Shape& shape) {
  Request request{.shape = shape};
  for (std::int32_t k = 0; generator.reads.slices && k < shape.micro_batches; ++k) {
    request.slices.push_back(1 + k % 3);
  }
  const auto schedule = generate(generator.name, request);
  if (!schedule) return std::nullopt;
  return Drawn{*schedule, *simulate(*schedule, Costs{})};
}

inline Drawn drawn(std::string_view name, std::int32_t p, std::int32_t m,
                   std::int32_t steps = 1) {
  Shape shape;
  shape.devices = p;
  shape.micro_batches = m;
  shape.steps = steps;
  Drawn result;
  result.schedule = *generate(name, {shape});
  result.timeline = *simulate(result.schedule, Costs{});
  return result;
}

/// Every shape up to `largest`, those with few micro-batches first, and one that the
/// two-way schedules accept on four devices.
inline std::vector<Shape> shapes_up_to(std::int32_t largest) {
  std::vector<Shape> shapes;
  for (std::int32_t p = 1; p <= largest; ++p) {
    for (std::int32_t m = 1; m <= largest; ++m)
      shapes.push_back({.devices = p, .micro_batches = m});
  }
  shapes.push_back({.devices = 4, .micro_batches = 8});
  shapes.push_back({.devices = 4, .micro_batches = 10, .global_norm = true});
  return shapes;
}

/// One device, one entry of each given action, one after another, a tick each.
inline Drawn one_row(std::vector<Entry> row) {
  Drawn result;
  result.schedule.name = "by hand";
  result.schedule.placement = one_stage_per_device(1);
  result.schedule.micro_batches = 1;
  result.timeline.spans.emplace_back();
  double now = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    result.timeline.spans[0].push_back({now, now + 1});
    if (!row[i].with_next) ++now;
  }
  result.schedule.rows.push_back(std::move(row));
  return result;
}

/// Three devices of which the middle one does nothing, and the first ends early.
inline Drawn with_an_idle_device() {
  Drawn result;
  result.schedule.name = "idle device";
  result.schedule.placement.devices = 3;
  result.schedule.placement.device_of_stage = {0, 2};
  result.schedule.micro_batches = 2;
  result.schedule.training = false;
  const auto forward = [](std::int32_t stage, std::int32_t micro_batch) {
    return Entry{{ActionKind::Forward, 0, stage, micro_batch}, false};
  };
  result.schedule.rows = {
      {forward(0, 0), forward(0, 1)}, {}, {forward(1, 0), forward(1, 1)}};
  result.timeline.spans = {{{0, 1}, {1, 2}}, {}, {{1, 2}, {2, 3}}};
  return result;
}

inline std::int32_t sweep_limit() { return in_full_tier() ? 12 : 8; }

}  // namespace pipeline
