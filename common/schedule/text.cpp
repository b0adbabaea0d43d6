#include "schedule/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "schedule/bounds.hpp"
#include "schedule/reading.hpp"

namespace pipeline {
namespace {

constexpr std::array<std::string_view, 12> kLetters{"F",  "B",  "I",  "W",  "R",  "SA",
                                                    "RA", "SG", "RG", "AR", "NR", "U"};

constexpr std::array<std::string_view, 4> kPolicies{"synchronous", "stashed",
                                                    "vertical-sync", "double-buffered"};

constexpr std::int32_t kNoSingleStage = -1;

// For each device the one stage that it holds, which its row then need not name.
std::vector<std::int32_t> single_stage_of_device(const Placement& placement) {
  const std::int32_t devices = std::max(placement.devices, 0);
  std::vector<std::int32_t> single(static_cast<std::size_t>(devices), kNoSingleStage);
  std::vector<bool> seen(single.size());
  for (const auto* copy :
       {&placement.device_of_stage, &placement.device_of_second_copy}) {
    for (std::size_t stage = 0; stage < copy->size(); ++stage) {
      const std::int32_t device = (*copy)[stage];
      if (device < 0 || device >= placement.devices) continue;
      const auto d = static_cast<std::size_t>(device);
      const auto s = static_cast<std::int32_t>(stage);
      single[d] = seen[d] && single[d] != s ? kNoSingleStage : s;
      seen[d] = true;
    }
  }
  return single;
}

// --- Writing ---

std::string one_line(std::string_view name) {
  std::string line(name);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  }
  return line;
}

void append_row(std::string& text, const Row& row, std::int32_t single_stage) {
  bool joined = false;
  for (const Entry& entry : row) {
    if (!joined) text += ' ';
    const bool with_stage =
        single_stage == kNoSingleStage || entry.action.stage != single_stage;
    text += to_text(entry.action, with_stage);
    if (entry.with_next) text += '+';
    joined = entry.with_next;
  }
}

// --- Reading ---

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Cuts the next word off `rest`; empty at its end.
std::string_view next_word(std::string_view& rest) {
  std::size_t begin = 0;
  while (begin < rest.size() && is_blank(rest[begin])) ++begin;
  std::size_t end = begin;
  while (end < rest.size() && !is_blank(rest[end])) ++end;
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  Expected<Schedule> parse() {
    if (!(read_name() && read_placement() && read_counts() && read_training() &&
          read_weights() && read_slices() && read_rows())) {
      return tl::unexpected(error_);
    }
    return std::move(schedule_);
  }

 private:
  bool fail(std::string what, std::string remedy) {
    error_ = {"line " + std::to_string(line_number_) + ": " + std::move(what),
              std::move(remedy)};
    return false;
  }

  // The next line that says something, into `line_`.
  bool next_line() {
    while (!rest_.empty()) {
      ++line_number_;
      const std::size_t length = rest_.find('\n');
      line_ = rest_.substr(0, length);
      rest_.remove_prefix(length == rest_.npos ? rest_.size() : length + 1);
      if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
      std::string_view words = line_;
      const std::string_view word = next_word(words);
      if (!word.empty() && word.front() != '#') return true;
    }
    return false;
  }

  // Whether the next line that says something reads "`key`: …"; takes it only then.
  bool next_is(const std::string& key) {
    const std::string_view rest = rest_;
    const std::int64_t line_number = line_number_;
    if (next_line() && cut_key(key)) return true;
    rest_ = rest;
    line_number_ = line_number;
    return false;
  }
  bool cut_key(const std::string& key) {
    if (line_.substr(0, key.size()) != key || line_.size() == key.size() ||
        line_[key.size()] != ':') {
      return false;
    }
    line_.remove_prefix(key.size() + 1);
    return true;
  }

  // The next line must read "`key`: …"; leaves what follows in `line_`.
  bool expect(const std::string& key) {
    if (!next_line()) {
      ++line_number_;
      return fail("the text ends before '" + key + ":'",
                  "the file may be cut short; a schedule ends with the line 'end'");
    }
    return cut_key(key) ||
           fail(in_quotes(line_) + " stands where '" + key + ":' belongs",
                "write the lines in the order that `workbook schedule` prints");
  }

  // A line of one number between 1 and `maximum`.
  bool read_count(const char* key, std::int64_t maximum, std::int32_t& count) {
    if (!expect(key)) return false;
    const std::string_view word = next_word(line_);
    std::string_view number = word;
    if (!take_number(number, count) || !number.empty()) {
      return fail(in_quotes(word) + " is no number of " + key,
                  "write a whole number from 1 to " + std::to_string(maximum));
    }
    if (const auto error = refuse_count(key, count, maximum)) {
      return fail(error->what, error->remedy);
    }
    return expect_line_end();
  }

  bool expect_line_end() {
    const std::string_view word = next_word(line_);
    if (word.empty()) return true;
    return fail(in_quotes(word) + " stands after the end of the line's value",
                "take it out");
  }

  bool read_name() {
    if (!expect("schedule")) return false;
    if (!line_.empty() && line_.front() == ' ') line_.remove_prefix(1);
    schedule_.name = one_line(line_);
    return true;
  }

  bool read_placement() {
    Placement& placement = schedule_.placement;
    if (!read_count("devices", kMaximumDevices, placement.devices) ||
        !expect("device-of-stage") || !read_devices(placement.device_of_stage)) {
      return false;
    }
    if (placement.stages() == 0) {
      return fail("there are no stages",
                  "write for each stage the number of its device");
    }
    if (!next_is("second-copy")) return true;
    if (!read_devices(placement.device_of_second_copy)) return false;
    return placement.device_of_second_copy.size() == placement.device_of_stage.size() ||
           fail("the second copy has " +
                    std::to_string(placement.device_of_second_copy.size()) +
                    " stages, the first " + std::to_string(placement.stages()),
                "write for each stage the device of its second copy");
  }

  // The device of each stage, up to the end of the line.
  bool read_devices(std::vector<std::int32_t>& device_of_stage) {
    const std::int32_t devices = schedule_.devices();
    for (auto word = next_word(line_); !word.empty(); word = next_word(line_)) {
      std::string_view number = word;
      std::int32_t device = 0;
      if (!take_number(number, device) || !number.empty() || device < 0 ||
          device >= devices) {
        return fail(in_quotes(word) + " is no device",
                    "write for each stage the number of its device, from 0 to " +
                        std::to_string(devices - 1));
      }
      if (std::cmp_equal(device_of_stage.size(), kMaximumStages)) {
        return fail("there are more than " + std::to_string(kMaximumStages) + " stages",
                    "cut the model into fewer stages");
      }
      device_of_stage.push_back(device);
    }
    return true;
  }

  bool read_counts() {
    if (!read_count("micro-batches", kMaximumActions, schedule_.micro_batches) ||
        !read_count("steps", kMaximumActions, schedule_.steps)) {
      return false;
    }
    const auto error = refuse_size(schedule_.stages(), schedule_.micro_batches,
                                   schedule_.steps, /*actions_per_cell=*/1);
    return !error || fail(error->what, error->remedy);
  }

  bool read_training() {
    if (!expect("training")) return false;
    const std::string_view word = next_word(line_);
    if (word != "yes" && word != "no") {
      return fail(in_quotes(word) + " is neither yes nor no", "write 'training: yes'");
    }
    schedule_.training = word == "yes";
    return expect_line_end();
  }

  bool read_weights() {
    if (!next_is("weights")) return true;
    const std::string_view word = next_word(line_);
    const auto* const found = std::find(kPolicies.begin(), kPolicies.end(), word);
    if (found == kPolicies.end()) {
      return fail(in_quotes(word) + " is no way to keep weights",
                  "write synchronous, stashed, vertical-sync or double-buffered");
    }
    schedule_.weights = static_cast<WeightPolicy>(found - kPolicies.begin());
    return expect_line_end();
  }

  bool read_slices() {
    if (!next_is("slices")) return true;
    for (auto word = next_word(line_); !word.empty(); word = next_word(line_)) {
      std::string_view number = word;
      std::int32_t count = 0;
      if (!take_number(number, count) || !number.empty() || count < 1 ||
          count > kMaximumSlices) {
        return fail(in_quotes(word) + " is no count of slices",
                    "write for each micro-batch of a step a whole number from 1 to " +
                        std::to_string(kMaximumSlices));
      }
      if (std::cmp_equal(schedule_.slices.size(), schedule_.micro_batches)) {
        return fail(in_quotes(word) + " is one count of slices too many",
                    "there are " + std::to_string(schedule_.micro_batches) +
                        " micro-batches in a step");
      }
      schedule_.slices.push_back(count);
    }
    if (schedule_.slices.empty()) {
      return fail("there are no counts of slices",
                  "write one for each micro-batch of a step, or leave the line out");
    }
    const auto error =
        refuse_slices(schedule_.slices, schedule_.stages(), schedule_.micro_batches,
                      schedule_.steps, /*actions_per_cell=*/1);
    return !error || fail(error->what, error->remedy);
  }

  bool read_rows() {
    const auto single = single_stage_of_device(schedule_.placement);
    for (const std::int32_t single_stage : single) {
      if (!expect("row " + std::to_string(schedule_.rows.size()))) return false;
      schedule_.rows.emplace_back();
      for (auto word = next_word(line_); !word.empty(); word = next_word(line_)) {
        if (!read_entries(word, single_stage, schedule_.rows.back())) return false;
      }
    }
    if (!next_line()) {
      ++line_number_;
      return fail("the text ends before 'end'", "the file may be cut short");
    }
    if (next_word(line_) != "end") {
      return fail("the line after the last row is not 'end'",
                  "there is a row for each of the " +
                      std::to_string(schedule_.devices()) + " devices, then 'end'");
    }
    if (!expect_line_end()) return false;
    return !next_line() ||
           fail(in_quotes(line_) + " stands after 'end'", "take it out");
  }

  // One action, or several joined by '+'.
  bool read_entries(std::string_view word, std::int32_t single_stage, Row& row) {
    std::string_view rest = word;
    while (true) {
      const std::size_t length = rest.find('+');
      const std::string_view part = rest.substr(0, length);
      const bool joined = length != rest.npos;
      Action action;
      if (part.empty()) {
        return fail(in_quotes(word) + " joins nothing to something",
                    "write an action on either side of '+'");
      }
      if (!read_action(part, single_stage, action)) return false;
      row.push_back({action, joined});
      if (!joined) return true;
      rest.remove_prefix(length + 1);
    }
  }

  // [stage] letters micro-batch [.slice]
  bool read_action(std::string_view word, std::int32_t single_stage, Action& action) {
    std::string_view rest = word;
    action.stage = single_stage;
    const bool named = take_number(rest, action.stage);
    const std::size_t letters = rest.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (!kind_of(rest.substr(0, letters), action.kind)) return fail_action(word);
    rest.remove_prefix(letters == rest.npos ? rest.size() : letters);
    if (!take_number(rest, action.micro_batch)) return fail_action(word);
    if (!rest.empty() && rest.front() == '.') {
      rest.remove_prefix(1);
      if (!take_number(rest, action.slice)) return fail_action(word);
    }
    if (!rest.empty()) return fail_action(word);
    if (named || single_stage != kNoSingleStage) return true;
    return fail(
        in_quotes(word) + " names no stage, and its device does not hold just one",
        "write the stage first, as in 2F3");
  }

  bool fail_action(std::string_view word) {
    return fail(
        in_quotes(word) + " is no action",
        "write letters and a micro-batch, as in F3, B0 or SA3, joined as F3+B1");
  }

  static bool kind_of(std::string_view letters, ActionKind& kind) {
    for (std::size_t i = 0; i < kLetters.size(); ++i) {
      if (kLetters[i] != letters) continue;
      kind = static_cast<ActionKind>(i);
      return true;
    }
    return false;
  }

  std::string_view rest_;
  std::string_view line_;
  std::int64_t line_number_ = 0;
  Schedule schedule_;
  Error error_;
};

}  // namespace

std::string_view to_text(ActionKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < kLetters.size() ? kLetters[index] : "?";
}

std::string to_text(const Action& action, bool with_stage) {
  std::string text;
  if (with_stage) text += std::to_string(action.stage);
  text += to_text(action.kind);
  text += std::to_string(action.micro_batch);
  if (action.slice != 0) text += '.' + std::to_string(action.slice);
  return text;
}

std::string to_text(const Schedule& schedule) {
  std::string text = "schedule: " + one_line(schedule.name);
  text += "\ndevices: " + std::to_string(schedule.devices());
  text += "\ndevice-of-stage:";
  for (const std::int32_t device : schedule.placement.device_of_stage) {
    text += ' ' + std::to_string(device);
  }
  if (schedule.placement.copies() > 1) {
    text += "\nsecond-copy:";
    for (const std::int32_t device : schedule.placement.device_of_second_copy) {
      text += ' ' + std::to_string(device);
    }
  }
  text += "\nmicro-batches: " + std::to_string(schedule.micro_batches);
  text += "\nsteps: " + std::to_string(schedule.steps);
  text += schedule.training ? "\ntraining: yes\n" : "\ntraining: no\n";
  if (schedule.weights != WeightPolicy::Synchronous) {
    text += "weights: ";
    text += kPolicies[static_cast<std::size_t>(schedule.weights)];
    text += '\n';
  }
  if (!schedule.slices.empty()) {
    text += "slices:";
    for (const std::int32_t slices : schedule.slices) {
      text += ' ' + std::to_string(slices);
    }
    text += '\n';
  }
  const auto single = single_stage_of_device(schedule.placement);
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    text += "row " + std::to_string(d) + ":";
    append_row(text, schedule.rows[d], d < single.size() ? single[d] : kNoSingleStage);
    text += '\n';
  }
  return text + "end\n";
}

Expected<Schedule> parse_schedule(std::string_view text) {
  return Parser(text).parse();
}

}  // namespace pipeline
