// The grammar is that of PyTorch's class _Action (torch/distributed/pipelining/
// schedules.py, 2025); a line is what Python's csv.writer makes of a rank's actions.
#include <array>
#include <utility>

#include "schedule/bounds.hpp"
#include "schedule/dialect_parts.hpp"
#include "schedule/lower.hpp"
#include "schedule/one_at_a_time.hpp"
#include "schedule/reading.hpp"

namespace pipeline {
namespace {

constexpr std::string_view kOverlap = "OVERLAP_F_B";

/// Older files say BW for a full backward.
constexpr std::string_view kOldBackward = "BW";

struct NamedKind {
  std::string_view name;
  ActionKind kind;
};
constexpr std::array kKinds{
    NamedKind{"F", ActionKind::Forward},
    NamedKind{"B", ActionKind::Backward},
    NamedKind{"I", ActionKind::InputGradient},
    NamedKind{"W", ActionKind::WeightGradient},
    NamedKind{"SEND_F", ActionKind::SendActivation},
    NamedKind{"RECV_F", ActionKind::ReceiveActivation},
    NamedKind{"SEND_B", ActionKind::SendGradient},
    NamedKind{"RECV_B", ActionKind::ReceiveGradient},
};

bool concerns_replicas(std::string_view name) {
  return name == "UNSHARD" || name == "RESHARD" || name == "REDUCE_GRAD";
}

class TorchReader {
 public:
  TorchReader(std::string_view text, const DialectOptions& options)
      : rest_(without_blank_end(text)), options_(options) {}

  Expected<Schedule> read() {
    for (at_.line = 1; !rest_.empty(); ++at_.line) {
      if (!read_line(cut_off(rest_, '\n'))) return tl::unexpected(error_);
    }
    use_names_of_the_file();
    DialectOptions options = options_;
    if (options.name.empty()) options.name = "torch";
    return schedule_from_rows(std::move(rows_), std::nullopt, options);
  }

 private:
  bool fail(const std::string& what, std::string remedy) {
    error_ = fault_at(at_, what, std::move(remedy));
    return false;
  }

  bool fail_cell(std::string_view cell) {
    return fail(in_quotes(cell) + " is no action",
                "write a stage, an action and a micro-batch, as in 2F0, 1B3, 0SEND_F1 "
                "or (2F3;0B1)OVERLAP_F_B");
  }

  bool read_line(std::string_view line) {
    at_.cell = 1;
    if (rows_.size() == static_cast<std::size_t>(kMaximumDevices)) {
      return fail("there are more than " + std::to_string(kMaximumDevices) + " ranks",
                  "write a line for each rank");
    }
    rows_.emplace_back();
    bool more = true;
    for (; more; ++at_.cell) {
      more = line.find(',') != line.npos;
      if (!read_cell(trimmed(cut_off(line, ',')))) return false;
    }
    at_.cell = 1;
    return !rows_.back().empty() ||
           fail("the line of rank " + std::to_string(rows_.size() - 1) +
                    " holds no action",
                "take the line out, or give the rank something to do");
  }

  bool read_cell(std::string_view cell) {
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') {
      cell = trimmed(cell.substr(1, cell.size() - 2));
    }
    if (cell.empty()) return true;
    return cell.front() == '(' ? read_overlap(cell) : read_action(cell);
  }

  /// (2F3;0B1)OVERLAP_F_B
  bool read_overlap(std::string_view cell) {
    std::string_view rest = cell.substr(1);
    if (rest.find(')') == rest.npos) return fail_cell(cell);
    std::string_view pair = cut_off(rest, ')');
    const std::string_view first = trimmed(cut_off(pair, ';'));
    const std::string_view second = trimmed(pair);
    if (rest != kOverlap || first.empty() || second.empty()) return fail_cell(cell);
    const std::size_t before = rows_.back().size();
    if (!read_action(first) || !read_action(second)) return false;
    Row& row = rows_.back();
    if (row.size() != before + 2 || is_communication(row[before].action.kind) ||
        is_communication(row[before + 1].action.kind)) {
      return fail(in_quotes(cell) + " overlaps what does not compute",
                  "overlap a forward and a backward, as in (2F3;0B1)OVERLAP_F_B");
    }
    row[before].with_next = true;
    return true;
  }

  bool read_action(std::string_view cell) {
    std::string_view rest = cell;
    Action action;
    if (!take_index(rest, action.stage)) return fail_cell(cell);
    const std::string_view name = rest.substr(0, rest.find_first_of("0123456789"));
    rest.remove_prefix(name.size());
    if (concerns_replicas(name)) {
      return rest.empty() || take_last_index(rest, action) || fail_cell(cell);
    }
    if (!find_kind(name, action.kind) || !take_last_index(rest, action)) {
      return fail_cell(cell);
    }
    if (name == kOldBackward) old_.emplace_back(rows_.size() - 1, rows_.back().size());
    rows_.back().push_back({action});
    return true;
  }

  static bool take_last_index(std::string_view rest, Action& action) {
    return take_index(rest, action.micro_batch) && rest.empty();
  }

  static bool find_kind(std::string_view name, ActionKind& kind) {
    if (name == kOldBackward) name = "B";
    for (const NamedKind& named : kKinds) {
      if (named.name != name) continue;
      kind = named.kind;
      return true;
    }
    return false;
  }

  void use_names_of_the_file() {
    if (old_.empty() && !backward_means_input_gradient(rows_)) return;
    for (Row& row : rows_) {
      for (Entry& entry : row) {
        if (entry.action.kind == ActionKind::Backward) {
          entry.action.kind = ActionKind::InputGradient;
        }
      }
    }
    for (const auto& [row, index] : old_) {
      rows_[row][index].action.kind = ActionKind::Backward;
    }
  }

  std::string_view rest_;
  const DialectOptions& options_;
  CellPlace at_;
  std::vector<Row> rows_;
  std::vector<std::pair<std::size_t, std::size_t>> old_;  ///< where BW stands
  Error error_;
};

// --- Writing ---

void append_action(std::string& text, const Action& action) {
  text += std::to_string(action.stage);
  for (const NamedKind& named : kKinds) {
    if (named.kind == action.kind) text += named.name;
  }
  text += std::to_string(action.micro_batch);
}

bool is_overlapped_pair(ActionKind one, ActionKind other) {
  return (one == ActionKind::Forward && other == ActionKind::Backward) ||
         (one == ActionKind::Backward && other == ActionKind::Forward);
}

/// What the dialect can join: messages, which it then does not, and a forward with a
/// backward.
bool can_join(const Row& row, std::size_t begin, std::size_t end) {
  const bool messages = is_communication(row[begin].action.kind);
  for (std::size_t i = begin; i < end; ++i) {
    if (is_communication(row[i].action.kind) != messages) return false;
  }
  return messages || end == begin + 1 ||
         (end == begin + 2 &&
          is_overlapped_pair(row[begin].action.kind, row[begin + 1].action.kind));
}

std::size_t end_of_group(const Row& row, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < row.size() && row[end - 1].with_next) ++end;
  return end;
}

std::optional<Error> refuse_groups(const Schedule& schedule) {
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    const Row& row = schedule.rows[d];
    for (std::size_t begin = 0, end = 0; begin < row.size(); begin = end) {
      end = end_of_group(row, begin);
      if (can_join(row, begin, end)) continue;
      return Error{
          "device " + std::to_string(d) + " joins what PyTorch has no cell for",
          "PyTorch overlaps one forward with one full backward"};
    }
  }
  return std::nullopt;
}

std::string write_row(const Row& row) {
  std::string line;
  for (std::size_t begin = 0, end = 0; begin < row.size(); begin = end) {
    end = end_of_group(row, begin);
    if (ends_step(row[begin].action.kind)) continue;
    if (!line.empty()) line += ',';
    if (end == begin + 1) {
      append_action(line, row[begin].action);
      continue;
    }
    line += '(';
    append_action(line, row[begin].action);
    line += ';';
    append_action(line, row[begin + 1].action);
    line += ')';
    line += kOverlap;
  }
  return line + '\n';
}

}  // namespace

Expected<Schedule> parse_torch(std::string_view text, const DialectOptions& options) {
  return TorchReader(text, options).read();
}

Expected<std::string> to_torch(const Schedule& schedule) {
  if (backward_means_input_gradient(schedule.rows)) {
    return refuse("every B here has a W of its own, which reads as B in older files",
                  "take I and W, or B alone");
  }
  if (auto error = refuse_groups(schedule)) return tl::unexpected(*error);
  if (is_lowered(schedule)) {
    const auto rows = one_at_a_time(schedule);
    if (!rows) return tl::unexpected(rows.error());
    std::string text;
    for (const Row& row : rows->rows) text += write_row(row);
    return text;
  }
  std::string text;
  for (const Row& row : schedule.rows) text += write_row(row);
  return text;
}

}  // namespace pipeline
