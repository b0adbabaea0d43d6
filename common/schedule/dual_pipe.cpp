#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/generate.hpp"
#include "schedule/numbers.hpp"

namespace pipeline {
namespace {

/// One of the two ways that cross on a device: its stage, and the next micro-batch to
/// run forward, backward, and for the weights.
struct Way {
  std::int32_t stage = 0;
  std::int32_t forward = 0;
  std::int32_t backward = 0;
};

// Two streams of micro-batches enter at opposite ends and meet; each device works for
// both. Seen from a device, way 0 is the one that enters at its own end, `depth`
// devices away, and way 1 the one that has already crossed the other half. Every row is
// the same eight stretches, only of other lengths; `half` devices lie from the end to
// the middle, and n micro-batches come each way:
//
//     times         each time
//     2(half-1-d)   F0             way 0 arrives first
//     d+1           F0 F1          then both
//     half-1-d      I1 W1 F1       way 1 turns: the other half has sent gradients
//     n-2half+d+1   F0+B1 F1+B0    steady: everything overlaps
//     half-1-d      B1 F1+B0       way 0 has no forwards left
//     d+1           B1 B0          nor has way 1; from the middle on I alone
//     half-1-d      W I0           the gradient goes on first, weights fill the gaps
//     d+1           W              those put off
//
// Where nothing overlaps an input gradient runs alone when a neighbour waits for it and
// there is idle time ahead to put its weight gradient in.
class CrossingRow {
 public:
  CrossingRow(Row& row, Way near, Way far) : row_(row), ways_{near, far} {}

  void append(std::int32_t half, std::int32_t depth, std::int32_t micro_batches) {
    const std::int32_t ahead = half - 1 - depth;  // devices to the middle
    for (std::int32_t i = 0; i < 2 * ahead; ++i) forward(0);
    for (std::int32_t i = 0; i <= depth; ++i) {
      forward(0);
      forward(1);
    }
    for (std::int32_t i = 0; i < ahead; ++i) {
      input_gradient(1);
      weight_gradient();
      forward(1);
    }
    for (std::int32_t i = 0; i < micro_batches - 2 * half + depth + 1; ++i) {
      // The device in the middle passes its first forward on before it turns.
      forward_and_backward(0, 1, i > 0 || ahead > 0);
      forward_and_backward(1, 0, true);
    }
    for (std::int32_t i = 0; i < ahead; ++i) {
      backward(1);
      forward_and_backward(1, 0, true);
    }
    // 2(d+1) backwards, in turn; the last d+1 of them put their weights off.
    for (std::int32_t i = 0; i < 2 * (depth + 1); ++i) {
      const int way = i % 2 == 0 ? 1 : 0;
      if (i <= depth) {
        backward(way);
      } else {
        input_gradient(way);
      }
    }
    for (std::int32_t i = 0; i < ahead; ++i) {
      weight_gradient();
      input_gradient(0);
    }
    for (std::int32_t i = 0; i <= depth; ++i) weight_gradient();
  }

 private:
  void add(ActionKind kind, std::int32_t stage, std::int32_t micro_batch,
           bool joined = false) {
    row_.push_back({{kind, 0, stage, micro_batch}, joined});
  }

  void forward(int way, bool joined = false) {
    Way& on = ways_[static_cast<std::size_t>(way)];
    add(ActionKind::Forward, on.stage, on.forward++, joined);
  }
  void backward(int way) {
    Way& on = ways_[static_cast<std::size_t>(way)];
    add(ActionKind::Backward, on.stage, on.backward++);
  }
  void forward_and_backward(int forward_way, int backward_way, bool joined) {
    forward(forward_way, joined);
    backward(backward_way);
  }
  void input_gradient(int way) {
    Way& on = ways_[static_cast<std::size_t>(way)];
    put_off_.push_back({ActionKind::WeightGradient, 0, on.stage, on.backward});
    add(ActionKind::InputGradient, on.stage, on.backward++);
  }
  // The oldest of those put off.
  void weight_gradient() { row_.push_back({put_off_[done_++]}); }

  Row& row_;
  std::array<Way, 2> ways_;
  std::vector<Action> put_off_;
  std::size_t done_ = 0;
};

Error too_few(std::string_view name, const Shape& shape, std::int32_t largest) {
  const std::int32_t needed = 2 * shape.devices;
  return {std::string(name) + " needs at least two micro-batches for each device, " +
              std::to_string(needed) + " for " + counted(shape.devices, "device") +
              ", but " + std::to_string(shape.micro_batches) +
              (shape.micro_batches == 1 ? " was" : " were") + " asked for",
          "ask for " + counted(needed, "micro-batch") +
              (largest > 0 ? ", or for " + counted(largest, "device") : "")};
}

/// Why DualPipe cannot run this shape, if it cannot.
std::optional<Error> refuse_two_way(const Shape& shape) {
  const std::int32_t p = shape.devices;
  const std::int32_t m = shape.micro_batches;
  if (auto error = refuse_odd_devices("dualpipe", p)) return error;
  if (m < 2 * p) {
    Error error = too_few("dualpipe", shape, m / 4 * 2);
    if (m >= 4 && m % 2 != 0) error.remedy += " and an even number of micro-batches";
    return error;
  }
  if (m % 2 != 0) {
    return Error{
        "dualpipe sends half of the micro-batches each way and needs an even "
        "number of them, but " +
            std::to_string(m) + " were asked for",
        "ask for " + std::to_string(m - 1) + " or " + counted(m + 1, "micro-batch")};
  }
  return std::nullopt;
}

}  // namespace

// Micro-batches 0 to m/2-1 go down the devices on the first copy of the weights, the
// others up on the second. p=4, m=8:
//
//   device 0  F0 F1 F2 F4 …           device 3  F4 F5 F6 F0 …
//   device 1     F0 F4 F1 F5 …        device 2     F4 F0 F5 F1 …
Expected<Schedule> dual_pipe(const Shape& shape) {
  const auto place = [](std::int32_t devices, std::int32_t) {
    return two_way_placement(devices);
  };
  auto schedule =
      blank_schedule("dualpipe", shape, {.place = place, .actions_per_cell = 3});
  if (!schedule) return schedule;
  if (const auto error = refuse_two_way(shape)) return tl::unexpected(*error);
  const std::int32_t half = shape.devices / 2;
  const std::int32_t each_way = shape.micro_batches / 2;
  for (std::int32_t step = 0; step < shape.steps; ++step) {
    const std::int32_t first = step * shape.micro_batches;
    for (std::int32_t depth = 0; depth < half; ++depth) {
      const std::int32_t mirror = shape.devices - 1 - depth;
      const std::int32_t second = first + each_way;
      CrossingRow(schedule->rows[static_cast<std::size_t>(depth)],
                  {depth, first, first}, {mirror, second, second})
          .append(half, depth, each_way);
      CrossingRow(schedule->rows[static_cast<std::size_t>(mirror)],
                  {depth, second, second}, {mirror, first, first})
          .append(half, depth, each_way);
    }
    append_updates(*schedule, step, shape.global_norm);
  }
  return schedule;
}

// The half of DualPipe's devices that the stream of one end enters, cut out and folded:
// what came from the other half comes back up from the bend. One copy of the weights.
//
//   device 0  F0 F1 F2 F3 F4 F5 F6 f0 …      f: of the stage on the way back up
//   device 1     F0 F1 F2 F3 F4 f0 F5 f1 …
//   device 2        F0 F1 F2 f0 F3 f1 F4 …
//   device 3           F0 f0 F1 f1 F2 f2 …
Expected<Schedule> dual_pipe_v(const Shape& shape) {
  const auto place = [](std::int32_t devices, std::int32_t) {
    return v_placement(devices);
  };
  auto schedule = blank_schedule("dualpipe-v", shape,
                                 {.chunks = 2, .place = place, .actions_per_cell = 3});
  if (!schedule) return schedule;
  if (shape.micro_batches < 2 * shape.devices) {
    return tl::unexpected(too_few("dualpipe-v", shape, shape.micro_batches / 2));
  }
  for (std::int32_t step = 0; step < shape.steps; ++step) {
    const std::int32_t first = step * shape.micro_batches;
    for (std::int32_t device = 0; device < shape.devices; ++device) {
      const std::int32_t back_up = 2 * shape.devices - 1 - device;
      CrossingRow(schedule->rows[static_cast<std::size_t>(device)],
                  {device, first, first}, {back_up, first, first})
          .append(shape.devices, device, shape.micro_batches);
    }
    append_updates(*schedule, step, shape.global_norm);
  }
  return schedule;
}

}  // namespace pipeline
