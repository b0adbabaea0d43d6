#include "schedule/interleaved.hpp"

#include <algorithm>
#include <string>

#include "schedule/bounds.hpp"
#include "schedule/numbers.hpp"

namespace pipeline {
namespace {

/// One forward or backward of a device's row; `chunk` counts its stages.
struct Piece {
  std::int32_t chunk;
  std::int32_t micro_batch;
};

/// The forwards of one device in one step, with v = 2 and two groups of two:
///
///     chunk         0 0 1 1   0 0 1 1
///     micro-batch   0 1 0 1   2 3 2 3
///
/// The backwards are the same with the chunks counted from the last.
std::vector<Piece> order_of_forwards(const std::vector<std::int32_t>& groups,
                                     std::int32_t chunks) {
  std::vector<Piece> order;
  std::int32_t first = 0;
  for (const std::int32_t size : groups) {
    for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
      for (std::int32_t k = first; k < first + size; ++k) order.push_back({chunk, k});
    }
    first += size;
  }
  return order;
}

/// How many forwards more the first device warms up with than the last. Two for each
/// device between them, one to get there and one to come back. But a forward waits for
/// the one a group before it on the last device, and that one, if backwards come in
/// between, for a backward another group before: with less than 2(p-1) micro-batches in
/// those two groups all would wait for each other.
std::int32_t most_warm_up_saved(const std::vector<std::int32_t>& groups,
                                std::int32_t devices) {
  const std::int32_t apart = 2 * (devices - 1);
  if (groups.size() == 1) return apart;
  return std::min(apart, groups[groups.size() - 2] + groups.back());
}

std::string nearest(std::int32_t below, std::int32_t above) {
  return below == 0 ? std::to_string(above)
                    : std::to_string(below) + " or " + std::to_string(above);
}

}  // namespace

std::vector<std::int32_t> interleaved_groups(std::int32_t devices,
                                             std::int32_t micro_batches,
                                             std::int32_t group_size) {
  std::vector<std::int32_t> sizes;
  if (group_size > 0) {
    for (std::int32_t left = micro_batches; left > 0; left -= sizes.back()) {
      sizes.push_back(std::min(left, group_size));
    }
    return sizes;
  }
  const std::int32_t groups = std::max(1, micro_batches / devices);
  for (std::int32_t i = 0; i < groups; ++i) {
    sizes.push_back(micro_batches / groups + (i < micro_batches % groups ? 1 : 0));
  }
  return sizes;
}

//   p=2, v=2, m=4; the number before each letter is the stage
//
//   device 0  0F0 0F1 2F0 2F1 0F2 2B0 0F3 2B1 2F2 0B0 2F3 0B1 …
//   device 1      1F0 1F1 3F0 3B0 3F1 3B1 1F2 1B0 1F3 1B1 3F2 3B2 …
Expected<Schedule> interleaved(const Shape& shape, const Interleaving& choice) {
  auto schedule = blank_schedule("interleaved", shape,
                                 {.chunks = choice.chunks, .place = loop_placement});
  if (!schedule) return schedule;
  if (choice.group_size != 0) {
    if (auto error = refuse_count("group size", choice.group_size, kMaximumActions)) {
      return tl::unexpected(*error);
    }
  }
  const std::int32_t p = shape.devices;
  const std::int32_t v = choice.chunks;
  const auto groups = interleaved_groups(p, shape.micro_batches, choice.group_size);
  const std::vector<Piece> order = order_of_forwards(groups, v);
  const std::size_t pieces = order.size();
  const std::int64_t first_warm_up =
      std::int64_t{2} * (p - 1) + (v - 1) * std::int64_t{groups.front()};
  const std::int32_t most_saved = most_warm_up_saved(groups, p);

  for (std::int32_t step = 0; step < shape.steps; ++step) {
    const std::int32_t first = step * shape.micro_batches;
    for (std::int32_t r = 0; r < p; ++r) {
      Row& row = schedule->rows[static_cast<std::size_t>(r)];
      const std::size_t warm_up = std::min(
          pieces,
          static_cast<std::size_t>(first_warm_up - std::min(2 * r, most_saved)));
      for (std::size_t i = 0; i < pieces + warm_up; ++i) {
        if (i < pieces) {
          const Piece& piece = order[i];
          row.push_back({{ActionKind::Forward, 0, piece.chunk * p + r,
                          first + piece.micro_batch}});
        }
        if (i >= warm_up) {
          const Piece& piece = order[i - warm_up];
          row.push_back({{ActionKind::Backward, 0, (v - 1 - piece.chunk) * p + r,
                          first + piece.micro_batch}});
        }
      }
    }
    append_updates(*schedule, step, shape.global_norm);
  }
  return schedule;
}

std::optional<Error> refused_by_pytorch(std::int32_t devices,
                                        std::int32_t micro_batches) {
  const auto fits = [&](std::int32_t m) { return m % std::max(1, m / devices) == 0; };
  if (fits(micro_batches)) return std::nullopt;
  // Multiples of p fit, so that neither search goes further than p.
  std::int32_t below = micro_batches;
  std::int32_t above = micro_batches;
  while (!fits(below)) --below;
  while (!fits(above)) ++above;
  return Error{"PyTorch cuts a step into " + std::to_string(micro_batches / devices) +
                   " equal groups, and " + std::to_string(micro_batches) +
                   " micro-batches do not divide into them",
               "take " + nearest(below, above) + " micro-batches"};
}

std::optional<Error> refused_by_megatron(std::int32_t devices,
                                         std::int32_t micro_batches,
                                         std::int32_t group_size) {
  if (micro_batches < devices) {
    return Error{"Megatron-LM needs a group of at least " +
                     counted(devices, "micro-batch") + ", but the step has " +
                     std::to_string(micro_batches),
                 "take at least " + counted(devices, "micro-batch")};
  }
  const auto fits = [&](std::int32_t size) {
    const std::int32_t left = micro_batches % size;
    return size >= devices && size <= micro_batches && (left == 0 || left >= devices);
  };
  if (group_size >= 1 && fits(group_size)) return std::nullopt;
  std::int32_t below = std::min(group_size, micro_batches);
  std::int32_t above = std::max(group_size, devices);
  while (below >= devices && !fits(below)) --below;
  while (above < micro_batches && !fits(above)) ++above;
  const bool is_below = below >= devices;
  const bool is_above = above <= micro_batches;
  std::string sizes = is_below ? std::to_string(below) : "";
  if (is_above) sizes += (is_below ? " or " : "") + std::to_string(above);
  return Error{"Megatron-LM takes groups of " + std::to_string(devices) + " to " +
                   std::to_string(micro_batches) +
                   " micro-batches that leave over none or at least " +
                   std::to_string(devices) + ", but groups of " +
                   std::to_string(group_size) + " were asked for",
               "take groups of " + sizes};
}

}  // namespace pipeline
