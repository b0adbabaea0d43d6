/// \file
/// What the readers and writers of the dialects share. Private to the schedule part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/dialect.hpp"

namespace pipeline {

/// Where a cell stands in a file, counted from 1.
struct CellPlace {
  std::int64_t line = 1;
  std::int64_t cell = 1;
};

Error fault_at(CellPlace at, const std::string& what, std::string remedy);

/// The lines of a file up to its last line that says something.
std::string_view without_blank_end(std::string_view text);

/// Cuts a stage or a micro-batch off the front of `rest`: digits of a number that some
/// schedule may hold.
bool take_index(std::string_view& rest, std::int32_t& index);

/// A step needs an action at least for each stage and micro-batch: a short text that
/// names a high one is damaged, and must not cost the memory of a long one.
std::optional<Error> refuse_gaps(std::int64_t stages, std::int64_t micro_batches,
                                 std::int64_t actions);

/// Takes in what the rows hold, and makes a schedule of one step of it: micro-batches,
/// training, updates at the end. Without a placement it is found from the rows.
Expected<Schedule> schedule_from_rows(std::vector<Row> rows,
                                      std::optional<Placement> placement,
                                      const DialectOptions& options);

/// Why no dialect has words for the schedule, if so.
std::optional<Error> refuse_for_all_dialects(const Schedule& schedule);

/// Whether a file of these rows would be taken for one with older names: it has a
/// `Backward` and a `WeightGradient` of exactly the same cells, and no `InputGradient`.
bool backward_means_input_gradient(const std::vector<Row>& rows);

/// Sums, norms and updates end the step; no dialect writes them.
constexpr bool ends_step(ActionKind kind) {
  return kind == ActionKind::Reduce || kind == ActionKind::ReduceNorm ||
         kind == ActionKind::Update;
}

Expected<Schedule> parse_torch(std::string_view text, const DialectOptions& options);
Expected<std::string> to_torch(const Schedule& schedule);
Expected<Schedule> parse_zero_bubble(std::string_view text,
                                     const DialectOptions& options);
Expected<std::string> to_zero_bubble(const Schedule& schedule);

}  // namespace pipeline
