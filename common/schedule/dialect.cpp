#include "schedule/dialect.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "schedule/bounds.hpp"
#include "schedule/dialect_parts.hpp"
#include "schedule/generate.hpp"
#include "schedule/numbers.hpp"
#include "schedule/reading.hpp"

namespace pipeline {
namespace {

struct Sizes {
  std::int32_t stages = 0;
  std::int32_t micro_batches = 0;
  std::int64_t actions = 0;
  bool training = false;
};

Sizes sizes_of(const std::vector<Row>& rows) {
  Sizes sizes;
  for (const Row& row : rows) {
    for (const Entry& entry : row) {
      const Action& action = entry.action;
      sizes.stages = std::max(sizes.stages, action.stage + 1);
      sizes.micro_batches = std::max(sizes.micro_batches, action.micro_batch + 1);
      sizes.training |= action.kind == ActionKind::Backward ||
                        action.kind == ActionKind::InputGradient ||
                        action.kind == ActionKind::WeightGradient;
    }
    sizes.actions += static_cast<std::int64_t>(row.size());
  }
  return sizes;
}

/// Cells that even a short file may have without an action.
constexpr std::int64_t kAlwaysAllowed = 4096;

constexpr std::int32_t kNowhere = -1;

/// Two copies of the weights: of every stage the first ceil(m/2) micro-batches are in
/// one row and the others in another. With an odd number of stages the middle one may
/// have both copies on one device.
std::optional<Placement> two_copies(const std::vector<Row>& rows, const Sizes& sizes) {
  const std::int32_t first_half = (sizes.micro_batches + 1) / 2;
  const auto stages = static_cast<std::size_t>(sizes.stages);
  std::array<std::vector<std::int32_t>, 2> device_of;
  for (auto& devices : device_of) devices.assign(stages, kNowhere);
  for (std::size_t d = 0; d < rows.size(); ++d) {
    for (const Entry& entry : rows[d]) {
      const std::size_t half = entry.action.micro_batch < first_half ? 0 : 1;
      std::int32_t& device =
          device_of[half][static_cast<std::size_t>(entry.action.stage)];
      if (device == kNowhere) device = static_cast<std::int32_t>(d);
      if (device != static_cast<std::int32_t>(d)) return std::nullopt;
    }
  }
  std::int32_t together = 0;
  for (std::size_t s = 0; s < stages; ++s) {
    if (device_of[0][s] == kNowhere || device_of[1][s] == kNowhere) return std::nullopt;
    if (device_of[0][s] == device_of[1][s]) ++together;
  }
  if (sizes.stages < 2 || together > sizes.stages % 2) return std::nullopt;
  return Placement{static_cast<std::int32_t>(rows.size()), std::move(device_of[0]),
                   std::move(device_of[1])};
}

/// In whose row the actions of a stage stand.
struct Home {
  std::int32_t device = kNowhere;  ///< whose row has the most, so far
  std::int64_t most = 0;
  std::int64_t all = 0;
  std::int32_t last = kNowhere;  ///< the row counted last
  std::int64_t in_last = 0;

  void count(std::int32_t row) {
    if (row != last) in_last = 0;
    last = row;
    ++all;
    if (++in_last <= most) return;
    most = in_last;
    device = row;
  }
};

/// A few actions in a wrong row leave no doubt about where the stage lies, and are
/// faults of the schedule.
Expected<Placement> find_placement(const std::vector<Row>& rows, const Sizes& sizes) {
  if (auto placement = two_copies(rows, sizes)) return std::move(*placement);
  std::vector<Home> homes(static_cast<std::size_t>(sizes.stages));
  for (std::size_t d = 0; d < rows.size(); ++d) {
    for (const Entry& entry : rows[d]) {
      homes[static_cast<std::size_t>(entry.action.stage)].count(
          static_cast<std::int32_t>(d));
    }
  }
  Placement placement{static_cast<std::int32_t>(rows.size()), {}};
  placement.device_of_stage.reserve(homes.size());
  for (std::size_t s = 0; s < homes.size(); ++s) {
    const std::string stage = "stage " + std::to_string(s);
    if (homes[s].all == 0) {
      return refuse("no line holds an action of " + stage + ", but the last stage is " +
                        std::to_string(sizes.stages - 1),
                    "number the stages from 0 without gaps, and leave no line out");
    }
    if (2 * homes[s].most <= homes[s].all) {
      return refuse("the actions of " + stage + " are spread over several lines",
                    "keep a stage in the line of one device; for two copies of the "
                    "weights, each stage's first half of the micro-batches in one line "
                    "and the rest in another");
    }
    placement.device_of_stage.push_back(homes[s].device);
  }
  return placement;
}

std::optional<Error> refuse_for_all_dialects(const Schedule& schedule,
                                             const Action& action) {
  if (action.kind == ActionKind::Recompute) {
    return Error{"there is no name for a recomputation, as that of micro-batch " +
                     std::to_string(action.micro_batch) + " on stage " +
                     std::to_string(action.stage),
                 "take the schedule without recomputation, or --format text --rows"};
  }
  if (action.stage < 0 || action.stage >= schedule.stages() || action.micro_batch < 0 ||
      action.micro_batch >= schedule.micro_batches || action.slice != 0) {
    return Error{"an action names a stage, a micro-batch or a slice that there is not",
                 "verify the schedule first"};
  }
  return std::nullopt;
}

}  // namespace

Error fault_at(CellPlace at, const std::string& what, std::string remedy) {
  return {"line " + std::to_string(at.line) + ", cell " + std::to_string(at.cell) +
              ": " + what,
          std::move(remedy)};
}

std::string_view without_blank_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return last == text.npos ? std::string_view() : text.substr(0, last + 1);
}

std::optional<Error> refuse_gaps(std::int64_t stages, std::int64_t micro_batches,
                                 std::int64_t actions) {
  if (actions == 0) {
    return Error{"the file holds no action",
                 "write a line for each device, and an action in it"};
  }
  if (stages > kMaximumStages ||
      stages * micro_batches > 16 * actions + kAlwaysAllowed) {
    return Error{"stage " + std::to_string(stages - 1) + " and micro-batch " +
                     std::to_string(micro_batches - 1) + " are named by only " +
                     counted(actions, "action"),
                 "number stages and micro-batches from 0 without gaps"};
  }
  return std::nullopt;
}

bool take_index(std::string_view& rest, std::int32_t& index) {
  std::uint32_t number = 0;
  if (!take_number(rest, number) || number >= kMaximumActions) return false;
  index = static_cast<std::int32_t>(number);
  return true;
}

Expected<Schedule> schedule_from_rows(std::vector<Row> rows,
                                      std::optional<Placement> placement,
                                      const DialectOptions& options) {
  const Sizes sizes = sizes_of(rows);
  auto error = refuse_gaps(sizes.stages, sizes.micro_batches, sizes.actions);
  if (!error) {
    error = refuse_size(sizes.stages, sizes.micro_batches, /*steps=*/1,
                        /*actions_per_cell=*/1);
  }
  if (error) return tl::unexpected(*error);
  if (!placement) {
    auto found = find_placement(rows, sizes);
    if (!found) return tl::unexpected(found.error());
    placement = std::move(*found);
  }
  Schedule schedule;
  schedule.name = options.name;
  schedule.placement = std::move(*placement);
  schedule.micro_batches = sizes.micro_batches;
  schedule.training = sizes.training;
  schedule.rows = std::move(rows);
  if (sizes.training) append_updates(schedule, 0, options.global_norm);
  return schedule;
}

std::optional<Error> refuse_for_all_dialects(const Schedule& schedule) {
  if (schedule.stages() < 1 || schedule.devices() < 1 ||
      schedule.rows.size() != static_cast<std::size_t>(schedule.devices())) {
    return Error{"the schedule has no devices, or not a row for each of them",
                 "generate or read one"};
  }
  if (schedule.steps != 1) {
    return Error{"a file in this dialect holds one step, and this schedule has " +
                     std::to_string(schedule.steps),
                 "write it with --steps 1, or as text with --rows"};
  }
  if (schedule.weights != WeightPolicy::Synchronous) {
    return Error{"a file in this dialect says nothing of updates, and those of " +
                     schedule.name + " are not synchronous",
                 "write it as text with --rows"};
  }
  if (!schedule.slices.empty()) {
    return Error{"a file in this dialect has no slices of micro-batches",
                 "write it as text with --rows"};
  }
  if (schedule.placement.copies() == 2 && schedule.micro_batches == 1) {
    return Error{
        "with one micro-batch the second copy of the weights has nothing to do",
        "take two micro-batches at least"};
  }
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    bool works = false;
    for (const Entry& entry : schedule.rows[d]) {
      if (ends_step(entry.action.kind)) continue;
      if (auto error = refuse_for_all_dialects(schedule, entry.action)) return error;
      works = true;
    }
    if (!works) {
      return Error{"device " + std::to_string(d) + " has nothing to do",
                   "take fewer devices"};
    }
  }
  return std::nullopt;
}

bool backward_means_input_gradient(const std::vector<Row>& rows) {
  std::vector<std::pair<std::int32_t, std::int32_t>> backwards;
  std::vector<std::pair<std::int32_t, std::int32_t>> weights;
  for (const Row& row : rows) {
    for (const Entry& entry : row) {
      const Action& action = entry.action;
      if (action.kind == ActionKind::InputGradient) return false;
      if (action.kind == ActionKind::Backward) {
        backwards.emplace_back(action.stage, action.micro_batch);
      }
      if (action.kind == ActionKind::WeightGradient) {
        weights.emplace_back(action.stage, action.micro_batch);
      }
    }
  }
  if (backwards.size() != weights.size() || backwards.empty()) return false;
  std::sort(backwards.begin(), backwards.end());
  std::sort(weights.begin(), weights.end());
  return backwards == weights;
}

Expected<Schedule> parse_dialect(Dialect dialect, std::string_view text,
                                 const DialectOptions& options) {
  return dialect == Dialect::Torch ? parse_torch(text, options)
                                   : parse_zero_bubble(text, options);
}

Expected<std::string> to_dialect(Dialect dialect, const Schedule& schedule) {
  if (auto error = refuse_for_all_dialects(schedule)) return tl::unexpected(*error);
  return dialect == Dialect::Torch ? to_torch(schedule) : to_zero_bubble(schedule);
}

}  // namespace pipeline
