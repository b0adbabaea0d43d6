#include "schedule/generate.hpp"

#include <array>
#include <string>

#include "schedule/bounds.hpp"

namespace pipeline {
namespace {

constexpr std::array<Generator, 4> kGenerators{{
    {"forward", "forwards alone: the ticks of a pipeline", forward_only},
    {"model-parallel", "one micro-batch, so one busy device, at a time",
     model_parallel},
    {"gpipe", "all forwards, then all backwards", gpipe},
    {"1f1b", "one forward and one backward in turn", one_f_one_b},
}};

}  // namespace

Expected<Schedule> blank_schedule(std::string_view name, Shape shape, bool training) {
  const std::int64_t actions_per_cell = training ? 2 : 1;
  auto error = refuse_count("devices", shape.devices, kMaximumDevices);
  if (!error) {
    error = refuse_count("micro-batches", shape.micro_batches, kMaximumActions);
  }
  if (!error) error = refuse_count("steps", shape.steps, kMaximumActions);
  if (!error) {
    error =
        refuse_size(shape.devices, shape.micro_batches, shape.steps, actions_per_cell);
  }
  if (error) return tl::unexpected(*error);

  Schedule schedule;
  schedule.name = name;
  schedule.placement = one_stage_per_device(shape.devices);
  schedule.micro_batches = shape.micro_batches;
  schedule.steps = shape.steps;
  schedule.training = training;
  schedule.rows.resize(static_cast<std::size_t>(shape.devices));
  const std::int64_t updates = training ? shape.steps : 0;
  const std::int64_t length =
      schedule.total_micro_batches() * actions_per_cell + updates;
  for (Row& row : schedule.rows) row.reserve(static_cast<std::size_t>(length));
  return schedule;
}

std::span<const Generator> generators() { return kGenerators; }

Expected<Schedule> generate(std::string_view name, Shape shape) {
  std::string known;
  for (const Generator& generator : kGenerators) {
    if (generator.name == name) return generator.generate(shape);
    known += known.empty() ? "" : ", ";
    known += generator.name;
  }
  return refuse("there is no schedule called '" + std::string(name) + "'",
                "choose one of: " + known);
}

}  // namespace pipeline
