/// \file
/// How large a schedule may be. Everything that builds one (a generator, the reader of
/// the text form) checks these before it allocates anything.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "schedule/error.hpp"

namespace pipeline {

/// The most devices of a schedule.
inline constexpr std::int64_t kMaximumDevices = 65'536;
/// The most stages of a schedule.
inline constexpr std::int64_t kMaximumStages = 1'048'576;
/// Also the most micro-batches and steps, and the most cells (stages times the
/// micro-batches of all steps): 2^26, which is 1 GiB of entries.
inline constexpr std::int64_t kMaximumActions = 67'108'864;
/// Of one micro-batch.
inline constexpr std::int64_t kMaximumSlices = 32'767;

/// Why `value` is no good as the number of `what` ("devices"), if it is not within 1 to
/// `maximum`.
std::optional<Error> refuse_count(std::string_view what, std::int64_t value,
                                  std::int64_t maximum);

/// Why a schedule of `stages` times `micro_batches` times `steps` cells with
/// `actions_per_cell` each is too large, if it is. All counts are at least 1 and at
/// most `kMaximumActions`.
std::optional<Error> refuse_size(std::int64_t stages, std::int64_t micro_batches,
                                 std::int64_t steps, std::int64_t actions_per_cell);

/// The same where micro-batch k of a step is cut into `slices[k]` slices; also why the
/// list is of no use, if it is not: the wrong length, or a count that is not within 1
/// to `kMaximumSlices`. Empty: none is cut.
std::optional<Error> refuse_slices(std::span<const std::int32_t> slices,
                                   std::int64_t stages, std::int64_t micro_batches,
                                   std::int64_t steps, std::int64_t actions_per_cell);

}  // namespace pipeline
