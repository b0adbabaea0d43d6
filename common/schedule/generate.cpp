#include "schedule/generate.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "schedule/bounds.hpp"
#include "schedule/chimera.hpp"
#include "schedule/interleaved.hpp"
#include "schedule/numbers.hpp"
#include "schedule/reading.hpp"
#include "schedule/v_schedules.hpp"
#include "schedule/zb_auto.hpp"
#include "schedule/zero_bubble.hpp"

namespace pipeline {
namespace {

/// A generator that needs nothing but the shape.
template <Expected<Schedule> (*kGenerate)(const Shape&)>
Expected<Schedule> from_shape(const Request& request) {
  return kGenerate(request.shape);
}

Expected<Schedule> interleaved_as_asked(const Request& request) {
  Interleaving choice{.group_size = request.group_size};
  if (request.chunks != 0) choice.chunks = request.chunks;
  return interleaved(request.shape, choice);
}

Expected<Schedule> chimera_directly(const Request& request) {
  return chimera(request.shape, Concatenation::Direct);
}

Expected<Schedule> token_slices_as_asked(const Request& request) {
  return token_slices(request.shape, request.slices);
}

Expected<Schedule> zb_auto_as_asked(const Request& request) {
  return zb_auto(request.shape, request.costs,
                 {request.memory_limit, request.freed_by_input_gradient});
}

constexpr std::array kGenerators{
    Generator{"forward", "forwards alone: the ticks of a pipeline",
              from_shape<forward_only>},
    Generator{"model-parallel", "one micro-batch, so one busy device, at a time",
              from_shape<model_parallel>},
    Generator{"gpipe", "all forwards, then all backwards", from_shape<gpipe>},
    Generator{"1f1b", "one forward and one backward in turn", from_shape<one_f_one_b>},
    Generator{"interleaved",
              "1F1B with several stages on each device",
              interleaved_as_asked,
              {.chunks = true, .group_size = true}},
    Generator{"pipedream", "1F1B without flush, weights stashed",
              from_shape<pipedream>},
    Generator{"pipedream-vertical-sync", "the same, one version a micro-batch",
              from_shape<pipedream_vertical_sync>},
    Generator{"pipedream-2bw", "1F1B without flush, weights double-buffered",
              from_shape<pipedream_2bw>},
    Generator{"zb-h1", "zero bubble by hand, in the memory of 1F1B", from_shape<zb_h1>},
    Generator{"zb-h2", "zero bubble by hand, in twice that memory", from_shape<zb_h2>},
    Generator{"zb-auto",
              "zero bubble by search, for these costs and memory limits",
              zb_auto_as_asked,
              {.memory_limit = true}},
    Generator{"v-min", "up and down the devices, in the least memory",
              from_shape<v_min>},
    Generator{"v-half", "up and down the devices, in half the memory of 1F1B",
              from_shape<v_half>},
    Generator{"zb-v", "up and down the devices, without a bubble on any",
              from_shape<zb_v>},
    Generator{"dualpipe", "from both ends, forward and backward overlapped",
              from_shape<dual_pipe>},
    Generator{"dualpipe-v", "the same folded into a V, one copy of the weights",
              from_shape<dual_pipe_v>},
    Generator{"chimera", "two pipelines in opposite directions, 1F1B each",
              chimera_directly},
    Generator{"token-slices",
              "sequences cut into slices that follow one another",
              token_slices_as_asked,
              {.slices = true}},
};

std::optional<Error> refuse_unread(const Generator& generator, const Request& request) {
  const auto refusal = [&](std::string_view what) {
    std::string readers;
    for (const Generator& other : kGenerators) {
      const bool reads = what == "chunks"       ? other.reads.chunks
                         : what == "group size" ? other.reads.group_size
                         : what == "slices"     ? other.reads.slices
                                                : other.reads.memory_limit;
      if (!reads) continue;
      readers += readers.empty() ? "" : ", ";
      readers += other.name;
    }
    return Error{
        std::string(generator.name) + " has no " + std::string(what) + " to choose",
        "leave it out" + (readers.empty() ? "" : ", or ask for " + readers)};
  };
  if (request.chunks != 0 && !generator.reads.chunks) return refusal("chunks");
  if (request.group_size != 0 && !generator.reads.group_size) {
    return refusal("group size");
  }
  if (!request.slices.empty() && !generator.reads.slices) return refusal("slices");
  return std::nullopt;
}

/// The last micro-batch of a step that runs on a copy of the weights.
std::int32_t last_of(const Schedule& schedule, std::int32_t step, std::int32_t copy) {
  const std::int32_t first = step * schedule.micro_batches;
  return first - 1 +
         (copy + 1 == schedule.placement.copies()
              ? schedule.micro_batches
              : schedule.micro_batches_of_first_copy());
}

}  // namespace

Expected<Schedule> blank_schedule(std::string_view name, const Shape& shape,
                                  const Arrangement& arrangement) {
  auto error = refuse_count("devices", shape.devices, kMaximumDevices);
  if (!error) {
    error = refuse_count("chunks", arrangement.chunks, kMaximumStages / shape.devices);
  }
  if (!error) {
    error = refuse_count("micro-batches", shape.micro_batches, kMaximumActions);
  }
  if (!error) error = refuse_count("steps", shape.steps, kMaximumActions);
  if (!error) {
    error = refuse_size(std::int64_t{shape.devices} * arrangement.chunks,
                        shape.micro_batches, shape.steps, arrangement.actions_per_cell);
  }
  if (error) return tl::unexpected(*error);

  Schedule schedule;
  schedule.name = name;
  schedule.placement = arrangement.place == nullptr
                           ? one_stage_per_device(shape.devices)
                           : arrangement.place(shape.devices, arrangement.chunks);
  schedule.micro_batches = shape.micro_batches;
  schedule.steps = shape.steps;
  schedule.training = arrangement.training;
  schedule.rows.resize(static_cast<std::size_t>(shape.devices));
  // A Reduce, a ReduceNorm and an Update at most.
  const std::int64_t at_end = arrangement.training ? 2 * arrangement.chunks + 1 : 0;
  const std::int64_t length = std::int64_t{schedule.total_micro_batches()} *
                                  arrangement.chunks * arrangement.actions_per_cell +
                              at_end * shape.steps;
  for (Row& row : schedule.rows) row.reserve(static_cast<std::size_t>(length));
  return schedule;
}

std::optional<Error> refuse_odd_devices(std::string_view name, std::int32_t devices) {
  if (devices % 2 == 0) return std::nullopt;
  return Error{std::string(name) +
                   " puts stages s and p-1-s on one device and needs an even number of "
                   "devices, but " +
                   std::to_string(devices) + (devices == 1 ? " was" : " were") +
                   " asked for",
               "ask for " + (devices > 1 ? std::to_string(devices - 1) + " or " : "") +
                   counted(devices + 1, "device")};
}

void append_updates(Schedule& schedule, std::int32_t step, bool global_norm) {
  const Placement& placement = schedule.placement;
  const auto append = [&](ActionKind kind, std::int32_t stage, std::int32_t copy) {
    schedule.rows[static_cast<std::size_t>(placement.device_of(stage, copy))].push_back(
        {{kind, 0, stage, last_of(schedule, step, copy)}});
  };
  const auto append_to_all = [&](ActionKind kind) {
    for (std::int32_t stage = 0; stage < placement.stages(); ++stage) {
      for (std::int32_t copy = 0; copy < placement.copies(); ++copy) {
        append(kind, stage, copy);
      }
    }
  };
  if (placement.copies() > 1) append_to_all(ActionKind::Reduce);
  if (global_norm) {
    std::vector<bool> has_it(schedule.rows.size(), false);
    for (std::int32_t stage = 0; stage < placement.stages(); ++stage) {
      const auto device = static_cast<std::size_t>(placement.device_of(stage));
      if (!has_it[device]) append(ActionKind::ReduceNorm, stage, 0);
      has_it[device] = true;
    }
  }
  append_to_all(ActionKind::Update);
}

std::span<const Generator> generators() { return kGenerators; }

Expected<Schedule> generate(std::string_view name, const Request& request) {
  std::string known;
  for (const Generator& generator : kGenerators) {
    if (generator.name == name) {
      if (const auto error = refuse_unread(generator, request)) {
        return tl::unexpected(*error);
      }
      return generator.generate(request);
    }
    known += known.empty() ? "" : ", ";
    known += generator.name;
  }
  return refuse("there is no schedule called " + in_quotes(name),
                "choose one of: " + known);
}

}  // namespace pipeline
