#include "schedule/recompute.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "schedule/activations.hpp"
#include "schedule/lower.hpp"
#include "schedule/memory_budget.hpp"
#include "schedule/numbers.hpp"
#include "schedule/pending.hpp"
#include "schedule/verify.hpp"

namespace pipeline {
namespace {

constexpr double kRounding = 1e-6;  // sums of shares are not exact

/// What the units of a row hold: amounts are added to a stretch of them, and its most
/// is asked for. A tree over the units; a node's `most` counts what was added within
/// it, and not what was added to all of a node above.
class Loads {
 public:
  explicit Loads(std::size_t units) : units_(units), nodes_(4 * units + 4) {}

  /// To [first, last); nothing if empty.
  void add(std::size_t first, std::size_t last, double amount) {
    if (first < last) add(1, {0, units_}, {first, last}, amount);
  }
  /// Of [first, last), which is not empty.
  double most(std::size_t first, std::size_t last) const {
    return most(1, {0, units_}, {first, last});
  }

 private:
  struct Node {
    double most = 0;
    double to_all = 0;
  };
  struct Stretch {
    std::size_t begin, end;

    bool covers(Stretch other) const {
      return begin <= other.begin && other.end <= end;
    }
    bool misses(Stretch other) const {
      return end <= other.begin || other.end <= begin;
    }
    Stretch lower() const { return {begin, (begin + end) / 2}; }
    Stretch upper() const { return {(begin + end) / 2, end}; }
  };

  void add(std::size_t node, Stretch of, Stretch asked, double amount) {
    if (asked.misses(of)) return;
    if (asked.covers(of)) {
      nodes_[node].to_all += amount;
      nodes_[node].most += amount;
      return;
    }
    add(2 * node, of.lower(), asked, amount);
    add(2 * node + 1, of.upper(), asked, amount);
    nodes_[node].most = std::max(nodes_[2 * node].most, nodes_[2 * node + 1].most) +
                        nodes_[node].to_all;
  }

  double most(std::size_t node, Stretch of, Stretch asked) const {
    if (asked.misses(of)) return -std::numeric_limits<double>::infinity();
    if (asked.covers(of)) return nodes_[node].most;
    return std::max(most(2 * node, of.lower(), asked),
                    most(2 * node + 1, of.upper(), asked)) +
           nodes_[node].to_all;
  }

  std::size_t units_;
  std::vector<Node> nodes_;
};

/// An activation in a row whose units (entries, or several joined ones) are numbered:
///
///     unit      3   4   5   6   7   8
///               F2  ·   ·   I2  ·   W2      made at 3, needed at 6, gone after 8
struct Stay {
  Action backward;  ///< Backward or InputGradient
  std::size_t made = 0;
  std::size_t needed = 0;
  std::size_t gone = 0;
  bool last_in = false;  ///< no other forward of the stage between
  bool recomputed = false;
};

/// The activations of one device, in order of their backwards.
struct DeviceStays {
  std::size_t units = 0;
  std::vector<Stay> stays;
};

class Transformation {
 public:
  Transformation(const Schedule& schedule, const RecomputeOptions& options)
      : schedule_(schedule),
        options_(options),
        parts_(schedule),
        visited_(stages_visited(schedule)),
        made_at_(cells()),
        stay_of_(cells()) {}

  Expected<Schedule> run() {
    Schedule result = schedule_;
    std::optional<Excess> worst;
    for (std::size_t d = 0; d < schedule_.rows.size(); ++d) {
      DeviceStays device = find_stays(schedule_.rows[d]);
      choose(device.stays);
      if (const auto needed = keep_what_fits(device, d)) {
        if (!worst || (options_.limit.size() == 1 && *needed > worst->needed)) {
          worst = Excess{d, *needed};
        }
      }
      result.rows[d] = rebuilt(schedule_.rows[d], device.stays);
    }
    if (worst) return refused(*worst);
    return result;
  }

 private:
  /// A device whose limit is too small, and what it needs.
  struct Excess {
    std::size_t device;
    double needed;
  };

  std::size_t cells() const {
    return static_cast<std::size_t>(schedule_.stages()) *
           static_cast<std::size_t>(parts_.count());
  }
  std::size_t cell(const Action& action) const {
    return static_cast<std::size_t>(action.stage) *
               static_cast<std::size_t>(parts_.count()) +
           static_cast<std::size_t>(parts_.of(action.micro_batch, action.slice));
  }

  DeviceStays find_stays(const Row& row) {
    DeviceStays device;
    // By stage, and by copy within it: the cell of the latest forward.
    std::vector<std::size_t> latest(2 * static_cast<std::size_t>(schedule_.stages()));
    for (const Entry& entry : row) {
      const Action& action = entry.action;
      std::size_t& latest_in =
          latest[2 * static_cast<std::size_t>(action.stage) +
                 static_cast<std::size_t>(schedule_.copy_of(action.micro_batch))];
      switch (action.kind) {
        case ActionKind::Forward:
          made_at_[cell(action)] = device.units;
          latest_in = cell(action);
          break;
        case ActionKind::Backward:
        case ActionKind::InputGradient:
          stay_of_[cell(action)] = device.stays.size();
          device.stays.push_back({action, made_at_[cell(action)], device.units,
                                  device.units, latest_in == cell(action), false});
          break;
        case ActionKind::WeightGradient:
          device.stays[stay_of_[cell(action)]].gone = device.units;
          break;
        default:
          break;
      }
      if (!entry.with_next) ++device.units;
    }
    return device;
  }

  RecomputePolicy policy_of(const Stay& stay) const {
    return of_stage(options_.policies, stay);
  }

  /// Those that ForMemory may keep are re-computed until they are found to fit.
  void choose(std::vector<Stay>& stays) const {
    for (Stay& stay : stays) {
      const RecomputePolicy policy = policy_of(stay);
      stay.recomputed = policy == RecomputePolicy::Always ||
                        policy == RecomputePolicy::ForMemory ||
                        (policy == RecomputePolicy::AllButLast && !stay.last_in);
    }
  }

  /// What device `d` needs, if that is more than its limit. A Recompute itself needs no
  /// more than the backward behind it.
  std::optional<double> keep_what_fits(DeviceStays& device, std::size_t d) const {
    const auto limit = limit_of(options_.limit, d);
    if (!limit || device.stays.empty()) return std::nullopt;
    const double most = *limit + kRounding * std::max(*limit, 1.0);
    Loads loads(device.units);
    for (const Stay& stay : device.stays) add_to(loads, stay, d);
    const double needed = loads.most(0, device.units);
    if (needed > most) return needed;
    for (Stay& stay : device.stays) {
      if (policy_of(stay) != RecomputePolicy::ForMemory) continue;
      const std::size_t first = stay.made + 1;
      const double rest = size_of(stay, d) * (1 - input_share(stay));
      if (first < stay.needed && loads.most(first, stay.needed) + rest > most) continue;
      loads.add(first, stay.needed, rest);
      stay.recomputed = false;
    }
    return std::nullopt;
  }

  void add_to(Loads& loads, const Stay& stay, std::size_t d) const {
    const double size = size_of(stay, d);
    const double between = stay.recomputed ? size * input_share(stay) : size;
    loads.add(stay.made, stay.made + 1, size);
    loads.add(stay.made + 1, stay.needed, between);
    loads.add(stay.needed, stay.needed + 1, size);
    loads.add(stay.needed + 1, stay.gone + 1,
              size * (1 - options_.freed_by_input_gradient));
  }

  /// As the limit counts.
  double size_of(const Stay& stay, std::size_t d) const {
    const double share = 1.0 / schedule_.slices_of(stay.backward.micro_batch);
    return counts_bytes() ? share * of_stage(options_.activation_bytes, stay)
                          : share / visited_[d];
  }
  double input_share(const Stay& stay) const {
    return options_.input_share.empty() ? 0 : of_stage(options_.input_share, stay);
  }
  bool counts_bytes() const { return !options_.activation_bytes.empty(); }

  template <typename T>
  static T of_stage(const std::vector<T>& values, const Stay& stay) {
    return values[values.size() == 1 ? 0
                                     : static_cast<std::size_t>(stay.backward.stage)];
  }

  Row rebuilt(const Row& row, const std::vector<Stay>& stays) const {
    Row result;
    result.reserve(row.size() + stays.size());
    auto next = stays.begin();
    for (std::size_t begin = 0; begin < row.size();) {
      std::size_t end = begin;
      while (row[end].with_next) ++end;
      ++end;
      for (std::size_t i = begin; i < end; ++i) {
        if (next == stays.end() || row[i].action != next->backward) continue;
        Action again = next->backward;
        again.kind = ActionKind::Recompute;
        if (next->recomputed) result.push_back({again});
        ++next;
      }
      for (std::size_t i = begin; i < end; ++i) result.push_back(row[i]);
      begin = end;
    }
    return result;
  }

  tl::unexpected<Error> refused(const Excess& excess) const {
    // Rounded up, so that it works when asked for.
    const double digits = counts_bytes() ? 1 : 100;
    const double least = std::ceil(excess.needed * digits - kRounding) / digits;
    const std::string unit = counts_bytes() ? "byte" : "activation";
    const double limit = limit_of(options_.limit, excess.device).value_or(0);
    return refuse("device " + std::to_string(excess.device) + " holds " +
                      number(least, 2) + " " + unit + (least == 1 ? "" : "s") +
                      " even where it re-computes all that it may, over its limit of " +
                      number(limit, 2),
                  "allow it at least " + number(least, 2));
  }

  const Schedule& schedule_;
  const RecomputeOptions& options_;
  Parts parts_;
  std::vector<std::int32_t> visited_;
  std::vector<std::size_t> made_at_;  ///< by cell
  std::vector<std::size_t> stay_of_;  ///< by cell: its place among those of the device
};

std::optional<Error> refuse_count(std::string_view what, std::size_t count,
                                  std::int32_t of, std::string_view each) {
  if (count == 1 || count == static_cast<std::size_t>(of)) return std::nullopt;
  return Error{std::to_string(count) + " " + std::string(what) + " do not fit " +
                   counted(of, each),
               "give one for all, or one for each " + std::string(each)};
}

std::optional<Error> refuse_shares(const RecomputeOptions& options) {
  const auto is_share = [](double share) { return share >= 0 && share <= 1; };
  const auto in_words = [](double share) {
    return std::isnan(share) ? "not a number" : short_number(share);
  };
  if (!is_share(options.freed_by_input_gradient)) {
    return Error{
        "an input gradient can free a share of an activation from 0 to 1, "
        "not " +
            in_words(options.freed_by_input_gradient),
        "give a share from 0 to 1"};
  }
  for (const double share : options.input_share) {
    if (is_share(share)) continue;
    return Error{"a stage's input is a share of its activation from 0 to 1, not " +
                     in_words(share),
                 "give a share from 0 to 1"};
  }
  for (const double bytes : options.activation_bytes) {
    if (bytes >= 0 && std::isfinite(bytes)) continue;
    return Error{"an activation cannot take " + in_words(bytes) + " bytes",
                 "give a number from 0 up"};
  }
  return std::nullopt;
}

std::optional<Error> refuse_limit(const Schedule& schedule,
                                  const RecomputeOptions& options) {
  const bool asked = std::find(options.policies.begin(), options.policies.end(),
                               RecomputePolicy::ForMemory) != options.policies.end();
  if (asked == options.limit.empty()) {
    return asked ? Error{"re-computation for memory was asked for, without a limit",
                         "say how much a device may hold"}
                 : Error{"a limit was given, and no stage re-computes for memory",
                         "leave it out, or let a stage re-compute for memory"};
  }
  for (const double limit : options.limit) {
    if (limit >= 0) continue;
    return Error{"a memory limit is a number from 0 up, not " +
                     (std::isnan(limit) ? "this" : short_number(limit)),
                 "give what a device may hold"};
  }
  if (options.limit.empty()) return std::nullopt;
  return refuse_count("limits", options.limit.size(), schedule.devices(), "device");
}

std::optional<Error> fault_of(const Schedule& schedule,
                              const RecomputeOptions& options) {
  if (const auto faults = verify(schedule); !faults.empty()) {
    return Error{faults.front().reason, "correct the schedule first"};
  }
  if (!schedule.training) {
    return Error{schedule.name + " only goes forward, and re-computes for no backward",
                 "take a schedule that trains"};
  }
  if (is_lowered(schedule)) {
    return Error{"the rows hold sends and receives already",
                 "put the re-computations in first, then lower the schedule"};
  }
  for (const std::int64_t count : recomputes_of(schedule)) {
    if (count == 0) continue;
    return Error{"the schedule re-computes already", "take it as it was before"};
  }
  auto error =
      refuse_count("policies", options.policies.size(), schedule.stages(), "stage");
  if (!error && !options.input_share.empty()) {
    error = refuse_count("shares of inputs", options.input_share.size(),
                         schedule.stages(), "stage");
  }
  if (!error && !options.activation_bytes.empty()) {
    error = refuse_count("sizes of activations", options.activation_bytes.size(),
                         schedule.stages(), "stage");
  }
  if (!error) error = refuse_shares(options);
  if (!error) error = refuse_limit(schedule, options);
  return error;
}

}  // namespace

std::string_view to_text(RecomputePolicy policy) {
  switch (policy) {
    case RecomputePolicy::Never:
      return "never";
    case RecomputePolicy::Always:
      return "always";
    case RecomputePolicy::AllButLast:
      return "all-but-last";
    case RecomputePolicy::ForMemory:
      return "for-memory";
  }
  return "";
}

Expected<Schedule> with_recompute(const Schedule& schedule,
                                  const RecomputeOptions& options) {
  if (auto error = fault_of(schedule, options)) return tl::unexpected(*error);
  return Transformation(schedule, options).run();
}

std::vector<std::int64_t> recomputes_of(const Schedule& schedule) {
  std::vector<std::int64_t> counts;
  counts.reserve(schedule.rows.size());
  for (const Row& row : schedule.rows) {
    counts.push_back(std::count_if(row.begin(), row.end(), [](const Entry& entry) {
      return entry.action.kind == ActionKind::Recompute;
    }));
  }
  return counts;
}

}  // namespace pipeline
