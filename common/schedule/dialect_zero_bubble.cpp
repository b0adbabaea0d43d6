#include <algorithm>
#include <array>
#include <utility>

#include "schedule/bounds.hpp"
#include "schedule/dialect_parts.hpp"
#include "schedule/lower.hpp"
#include "schedule/reading.hpp"

namespace pipeline {
namespace {

struct Letters {
  std::string_view upper;
  std::string_view lower;  ///< the same on the way back of a V
  ActionKind kind;
};
constexpr std::array kLetters{
    Letters{"F", "f", ActionKind::Forward},
    Letters{"B", "b", ActionKind::InputGradient},
    Letters{"W", "w", ActionKind::WeightGradient},
    Letters{"BW", "bw", ActionKind::Backward},
};

bool is_separator(char c) { return c == ' ' || c == '\t' || c == '\r' || c == ','; }

/// The gradient reaches the way back of a V first. So where B comes before b, B is the
/// first backward and not that of the first stage. The first row that has both of a
/// micro-batch decides. Stages from `first_of_way_back` on are those in lower case.
bool upper_case_comes_first(const std::vector<Row>& rows,
                            std::int32_t first_of_way_back) {
  struct Seen {
    std::int32_t micro_batch;
    std::size_t position;
    bool upper;
    bool operator<(const Seen& other) const {
      return std::pair(micro_batch, position) <
             std::pair(other.micro_batch, other.position);
    }
  };
  for (const Row& row : rows) {
    std::vector<Seen> backwards;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Action& action = row[i].action;
      if (action.kind == ActionKind::InputGradient ||
          action.kind == ActionKind::Backward) {
        backwards.push_back({action.micro_batch, i, action.stage < first_of_way_back});
      }
    }
    std::sort(backwards.begin(), backwards.end());
    for (std::size_t i = 1; i < backwards.size(); ++i) {
      if (backwards[i - 1].micro_batch == backwards[i].micro_batch &&
          backwards[i - 1].upper != backwards[i].upper) {
        return backwards[i - 1].upper;
      }
    }
  }
  return false;
}

/// Reads cells as (device, chunk), and turns chunks into stages once it is known how
/// they lie.
class LetterReader {
 public:
  LetterReader(std::string_view text, const DialectOptions& options)
      : rest_(without_blank_end(text)), options_(options) {}

  Expected<Schedule> read() {
    for (at_.line = 1; !rest_.empty(); ++at_.line) {
      if (!read_line(cut_off(rest_, '\n'))) return tl::unexpected(error_);
    }
    const auto devices = static_cast<std::int32_t>(rows_.size());
    // As many stages as the placement will hold.
    if (auto error = refuse_gaps(std::int64_t{devices} * chunks_, 1, actions_)) {
      return tl::unexpected(*error);
    }
    if (back_ && upper_case_comes_first(rows_, 1)) turn_around_backwards();
    Placement placement = place(devices);
    for (std::size_t d = 0; d < rows_.size(); ++d) set_stages(d);
    DialectOptions options = options_;
    if (options.name.empty()) options.name = "zero-bubble";
    return schedule_from_rows(std::move(rows_), std::move(placement), options);
  }

 private:
  bool fail(const std::string& what, std::string remedy) {
    error_ = fault_at(at_, what, std::move(remedy));
    return false;
  }

  bool fail_cell(std::string_view cell) {
    return fail(in_quotes(cell) + " is no action",
                "write F, B, W or BW and a micro-batch, as in F0; in lower case on the "
                "way back of a V; F0.1 for the second stage of a device in a loop");
  }

  bool read_line(std::string_view line) {
    at_.cell = 1;
    if (line.starts_with('#')) return true;
    if (rows_.size() == static_cast<std::size_t>(kMaximumDevices)) {
      return fail("there are more than " + std::to_string(kMaximumDevices) + " devices",
                  "write a line for each device");
    }
    rows_.emplace_back();
    while (!line.empty()) {
      if (is_separator(line.front())) {
        line.remove_prefix(1);
        continue;
      }
      const auto end = std::find_if(line.begin(), line.end(), is_separator);
      const auto length = static_cast<std::size_t>(end - line.begin());
      if (!read_cell(line.substr(0, length))) return false;
      line.remove_prefix(length);
      ++at_.cell;
    }
    at_.cell = 1;
    return !rows_.back().empty() ||
           fail("the line of device " + std::to_string(rows_.size() - 1) +
                    " holds no action",
                "take the line out, or give the device something to do");
  }

  /// Letters, perhaps '-', a micro-batch, perhaps '.' and the number of the stage on
  /// its device, which `stage` holds for now.
  bool read_cell(std::string_view cell) {
    std::string_view rest = cell;
    Action action;
    bool lower = false;
    const std::string_view letters = rest.substr(0, rest.find_first_of("-0123456789"));
    if (!find_kind(letters, action.kind, lower)) return fail_cell(cell);
    rest.remove_prefix(letters.size());
    if (!rest.empty() && rest.front() == '-') rest.remove_prefix(1);
    if (!take_index(rest, action.micro_batch)) return fail_cell(cell);
    if (!rest.empty()) {
      if (rest.front() != '.') return fail_cell(cell);
      rest.remove_prefix(1);
      if (!take_index(rest, action.stage) || !rest.empty()) return fail_cell(cell);
      in_loop_ = true;
    }
    if (lower) {
      back_ = true;
      action.stage = 1;
    }
    if (back_ && in_loop_) {
      return fail(in_quotes(cell) + ": lower case is for a V and '.' for a loop",
                  "use one of the two in a file");
    }
    chunks_ = std::max(chunks_, action.stage + 1);
    rows_.back().push_back({action});
    ++actions_;
    return true;
  }

  static bool find_kind(std::string_view letters, ActionKind& kind, bool& lower) {
    for (const Letters& known : kLetters) {
      if (letters != known.upper && letters != known.lower) continue;
      kind = known.kind;
      lower = letters == known.lower;
      return true;
    }
    return false;
  }

  void turn_around_backwards() {
    for (Row& row : rows_) {
      for (Entry& entry : row) {
        if (entry.action.kind != ActionKind::Forward) {
          entry.action.stage = 1 - entry.action.stage;
        }
      }
    }
  }

  Placement place(std::int32_t devices) const {
    if (back_) return v_placement(devices);
    return loop_placement(devices, chunks_);
  }

  void set_stages(std::size_t device) {
    const auto devices = static_cast<std::int32_t>(rows_.size());
    const auto d = static_cast<std::int32_t>(device);
    for (Entry& entry : rows_[device]) {
      const std::int32_t chunk = entry.action.stage;
      entry.action.stage =
          back_ && chunk == 1 ? 2 * devices - 1 - d : chunk * devices + d;
    }
  }

  std::string_view rest_;
  const DialectOptions& options_;
  CellPlace at_;
  std::vector<Row> rows_;
  std::int64_t actions_ = 0;
  std::int32_t chunks_ = 1;  ///< stages a device
  bool back_ = false;        ///< lower case was met
  bool in_loop_ = false;     ///< a '.' was met
  Error error_;
};

// --- Writing ---

std::optional<Error> refuse_action(const Entry& entry) {
  if (is_communication(entry.action.kind)) {
    return Error{"the zero-bubble letters have none for sends and receives",
                 "write the rows without them, or in the dialect torch"};
  }
  if (entry.with_next) {
    return Error{"the zero-bubble letters have none for an overlapped pair",
                 "write it in the dialect torch"};
  }
  return std::nullopt;
}

std::string_view letters_of(ActionKind kind, bool lower) {
  for (const Letters& known : kLetters) {
    if (known.kind == kind) return lower ? known.lower : known.upper;
  }
  return "?";
}

std::string write_row(const Row& row, std::int32_t devices, bool in_v) {
  std::string line;
  for (const Entry& entry : row) {
    const Action& action = entry.action;
    if (ends_step(action.kind)) continue;
    const std::int32_t chunk = action.stage / devices;
    if (!line.empty()) line += ' ';
    line += letters_of(action.kind, in_v && chunk == 1);
    line += std::to_string(action.micro_batch);
    if (!in_v && chunk > 0) line += '.' + std::to_string(chunk);
  }
  return line + '\n';
}

/// The letters name no stage: where an action stands must say which one it is.
std::optional<Error> refuse_row(const Schedule& schedule, std::size_t device) {
  for (const Entry& entry : schedule.rows[device]) {
    if (ends_step(entry.action.kind)) continue;
    if (auto error = refuse_action(entry)) return error;
    if (schedule.placement.device_of(entry.action.stage) !=
        static_cast<std::int32_t>(device)) {
      return Error{"device " + std::to_string(device) + " does not hold stage " +
                       std::to_string(entry.action.stage) + " of its row",
                   "verify the schedule first"};
    }
  }
  return std::nullopt;
}

}  // namespace

Expected<Schedule> parse_zero_bubble(std::string_view text,
                                     const DialectOptions& options) {
  return LetterReader(text, options).read();
}

Expected<std::string> to_zero_bubble(const Schedule& schedule) {
  const std::int32_t devices = schedule.devices();
  if (schedule.placement.copies() == 2) {
    return refuse("the zero-bubble letters do not tell two copies of a stage apart",
                  "write it in the dialect torch");
  }
  const bool in_v = schedule.placement == v_placement(devices);
  if (!in_v &&
      schedule.placement != loop_placement(devices, schedule.stages() / devices)) {
    return refuse("the zero-bubble letters know stages in a row, a V or a loop alone",
                  "write it in the dialect torch");
  }
  if (in_v && upper_case_comes_first(schedule.rows, devices)) {
    return refuse("a backward on the way down stands before that on the way back",
                  "verify the schedule first");
  }
  std::string text;
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    if (auto error = refuse_row(schedule, d)) return tl::unexpected(*error);
    text += write_row(schedule.rows[d], devices, in_v);
  }
  return text;
}

}  // namespace pipeline
