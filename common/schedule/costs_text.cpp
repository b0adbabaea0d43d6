#include "schedule/costs_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schedule/bounds.hpp"
#include "schedule/reading.hpp"

namespace pipeline {
namespace {

/// What may be named, in the order in which help lists it.
enum class Named : std::uint8_t { F, I, W, R, FB, U, Transfer, Bytes, Stage };
constexpr std::array<std::string_view, 9> kNames{"F", "I", "W",     "R",    "FB",
                                                 "U", "c", "bytes", "stage"};

std::optional<Named> find_name(std::string_view name) {
  const auto* found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Named>(found - kNames.begin());
}

/// The amounts of one stage; what was not named is missing.
class Amounts {
 public:
  void set(Named name, double value) { at(name) = value; }
  bool has(Named name) const { return at(name).has_value(); }
  double get(Named name, double otherwise) const {
    return at(name).value_or(otherwise);
  }

  StageCosts stage() const {
    StageCosts costs;
    costs.forward = get(Named::F, 1);
    costs.input_gradient = get(Named::I, 1);
    costs.weight_gradient = get(Named::W, 1);
    costs.recompute = get(Named::R, costs.forward);
    costs.overlapped = get(Named::FB, costs.forward + costs.backward());
    costs.update = get(Named::U, 0);
    return costs;
  }

 private:
  std::optional<double>& at(Named name) {
    return values_[static_cast<std::size_t>(name)];
  }
  const std::optional<double>& at(Named name) const {
    return values_[static_cast<std::size_t>(name)];
  }

  std::array<std::optional<double>, kNames.size()> values_;
};

Expected<Amounts> read_typed(std::string_view typed) {
  Amounts amounts;
  bool more = !typed.empty();
  while (more) {
    more = typed.find(',') != typed.npos;
    const std::string_view item = trimmed(cut_off(typed, ','));
    std::string_view value = item;
    const std::string_view word = cut_off(value, '=');
    const auto name = find_name(word);
    if (!name || *name >= Named::Bytes || word.size() == item.size()) {
      return refuse("--costs does not know " + in_quotes(item),
                    "Write F=1,I=1,W=1,R=1,FB=3,U=0,c=0 or some of these.");
    }
    if (amounts.has(*name)) {
      return refuse("--costs names " + std::string(word) + " twice", "Name it once.");
    }
    const auto cost = amount(value);
    if (!cost) {
      return refuse("--costs " + std::string(word) + " " + in_quotes(value) +
                        " is not a number of at least 0",
                    "Give a number such as 1 or 0.5.");
    }
    amounts.set(*name, *cost);
  }
  return amounts;
}

class FileReader {
 public:
  FileReader(std::string_view text, const Amounts& typed)
      : rest_(text), typed_(typed) {}

  Expected<Costs> read() {
    if (!read_header()) return tl::unexpected(error_);
    Costs costs;
    costs.stages.clear();
    costs.message_bytes.clear();
    while (next_line()) {
      Amounts amounts = typed_;
      if (!read_stage(static_cast<double>(costs.stages.size()), amounts)) {
        return tl::unexpected(error_);
      }
      costs.stages.push_back(amounts.stage());
      costs.message_bytes.push_back(amounts.get(Named::Bytes, 0));
    }
    if (!costs.stages.empty()) return costs;
    fail("there is no line of a stage", "write one below the header for each stage");
    return tl::unexpected(error_);
  }

 private:
  bool fail(const std::string& what, std::string remedy) {
    error_ = {"costs, line " + std::to_string(line_number_) + ": " + what,
              std::move(remedy)};
    return false;
  }

  bool next_line() {
    while (!rest_.empty()) {
      ++line_number_;
      line_ = trimmed(cut_off(rest_, '\n'));
      if (!line_.empty() && line_.front() != '#') return true;
    }
    return false;
  }

  bool read_header() {
    if (!next_line()) {
      ++line_number_;
      return fail("there is no header", "begin with a line such as stage,F,I,W");
    }
    for (bool more = true; more;) {
      more = line_.find(',') != line_.npos;
      const std::string_view word = trimmed(cut_off(line_, ','));
      const auto name = find_name(word);
      if (!name || *name == Named::Transfer) {
        return fail(in_quotes(word) + " is no column",
                    "name some of stage, F, I, W, R, FB, U, bytes");
      }
      if (std::find(columns_.begin(), columns_.end(), *name) != columns_.end()) {
        return fail("the column " + in_quotes(word) + " stands twice", "take one out");
      }
      columns_.push_back(*name);
    }
    return true;
  }

  bool read_stage(double stage, Amounts& amounts) {
    if (stage >= static_cast<double>(kMaximumStages)) {
      return fail("there are more than " + std::to_string(kMaximumStages) + " stages",
                  "cut the model into fewer stages");
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool more = line_.find(',') != line_.npos;
      const std::string_view word = trimmed(cut_off(line_, ','));
      if (more != (i + 1 < columns_.size())) return fail_count();
      const auto value = amount(word);
      if (!value) {
        return fail(in_quotes(word) + " is not a number of at least 0",
                    "write one below " +
                        in_quotes(kNames[static_cast<std::size_t>(columns_[i])]));
      }
      if (columns_[i] == Named::Stage && *value != stage) {
        return fail("stage " + in_quotes(word) + " stands where the next one belongs",
                    "write a line for each stage in order, from 0");
      }
      amounts.set(columns_[i], *value);
    }
    return true;
  }

  bool fail_count() {
    return fail(
        "there are not as many cells as columns",
        "write " + std::to_string(columns_.size()) + " numbers, a comma between");
  }

  std::string_view rest_;
  std::string_view line_;
  std::int64_t line_number_ = 0;
  const Amounts& typed_;
  std::vector<Named> columns_;
  Error error_;
};

}  // namespace

Expected<Costs> parse_costs(std::string_view typed,
                            std::optional<std::string_view> file) {
  const auto amounts = read_typed(typed);
  if (!amounts) return tl::unexpected(amounts.error());
  Costs costs;
  if (file) {
    auto read = FileReader(*file, *amounts).read();
    if (!read) return tl::unexpected(read.error());
    costs = std::move(*read);
  } else {
    costs.stages = {amounts->stage()};
  }
  costs.within_node.latency = costs.between_nodes.latency =
      amounts->get(Named::Transfer, 0);
  // A sum of finite costs may still be infinite.
  if (auto fault = fault_of(costs, static_cast<std::int32_t>(costs.stages.size()))) {
    return tl::unexpected(std::move(*fault));
  }
  return costs;
}

}  // namespace pipeline
