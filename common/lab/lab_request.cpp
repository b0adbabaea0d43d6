#include "lab/lab_request.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/generate.hpp"
#include "schedule/numbers.hpp"
#include "schedule/parts.hpp"
#include "schedule/reading.hpp"
#include "schedule/recompute.hpp"
#include "timeline/draw_svg.hpp"

namespace pipeline {
namespace {

constexpr std::array<std::string_view, 19> kKeys{
    "schedule", "p",  "m", "v",     "group", "slices", "steps", "F",         "I", "W",
    "R",        "FB", "c", "limit", "freed", "width",  "kept",  "recompute", "id"};

constexpr std::int32_t kMostMicroBatches = 32'768;
constexpr std::int32_t kMostChunks = 64;
constexpr std::int32_t kMostSlices = 1024;
constexpr std::int32_t kMostSteps = 64;
constexpr double kMostCost = 1e6;
/// Times are told apart to 1e-9 of the whole, and are told in as many digits after the
/// point: what is shorter is none.
constexpr double kLeastCost = 1e-6;

Error out_of_range(std::string_view key, std::string_view typed, std::string what,
                   std::int32_t least, std::int32_t most) {
  return {std::string(key) + " " + in_quotes(typed) + " is " + std::move(what),
          "Give a whole number from " + std::to_string(least) + " to " +
              std::to_string(most) + "."};
}

Expected<std::int32_t> parse_count(std::string_view key, std::string_view typed,
                                   std::int32_t least, std::int32_t most) {
  std::string_view rest = trimmed(typed);
  const bool digits = std::all_of(rest.begin(), rest.end(),
                                  [](char c) { return c >= '0' && c <= '9'; });
  std::int64_t value = 0;
  std::optional<Error> error;
  if (rest.empty() || !digits) {
    error = out_of_range(key, typed, "not a whole number", least, most);
  } else if (!take_number(rest, value) || value > most) {
    error = out_of_range(key, typed, "more than " + std::to_string(most), least, most);
  } else if (value < least) {
    error = out_of_range(key, typed, "less than " + std::to_string(least), least, most);
  }
  if (error) return tl::unexpected<Error>(*std::move(error));
  return static_cast<std::int32_t>(value);
}

/// What an amount may be: 0, or from `least` to `most`.
struct Range {
  double least = 0;
  double most = 0;
};

Expected<double> parse_amount(std::string_view key, std::string_view typed,
                              const Range& range) {
  const auto value = amount(trimmed(typed));
  if (value && *value <= range.most && (*value == 0 || *value >= range.least))
    return *value;
  std::string what = " is not a number of at least 0";
  if (value) {
    what = *value > range.most ? " is more than " + number(range.most, 0)
                               : " is less than " + number(range.least, 6);
  }
  const std::string from = range.least > 0 ? "0, or a number from " : "a number from ";
  return refuse(std::string(key) + " " + in_quotes(typed) + what,
                "Give " + from + number(range.least, 6) + " to " +
                    number(range.most, 0) + ", such as 1 or 0.5.");
}

/// Reads key after key, and keeps the first refusal.
class Reader {
 public:
  Reader(const Query& query, std::string_view prefix)
      : query_(query), prefix_(prefix) {}

  /// Null where the query lacks it, or holds nothing there.
  const std::string* find(std::string_view key) const {
    return query_.find(named(key));
  }
  /// As the query spells it.
  std::string named(std::string_view key) const {
    std::string prefixed = std::string(prefix_) + std::string(key);
    return query_.holds(prefixed) ? std::move(prefixed) : std::string(key);
  }

  void count(std::string_view key, std::int32_t least, std::int32_t most,
             std::int32_t& value) {
    const std::string* typed = find(key);
    if (typed != nullptr) take(key, parse_count(key, *typed, least, most), value);
  }
  void amount(std::string_view key, const Range& range, double& value) {
    const std::string* typed = find(key);
    if (typed != nullptr) take(key, parse_amount(key, *typed, range), value);
  }
  void counts(std::string_view key, std::int32_t most,
              std::vector<std::int32_t>& values) {
    list(key, values,
         [&](std::string_view item) { return parse_count(key, item, 1, most); });
  }
  void amounts(std::string_view key, const Range& range, std::vector<double>& values) {
    list(key, values,
         [&](std::string_view item) { return parse_amount(key, item, range); });
  }

  void fail(std::string_view key, Error error) {
    if (!error_) error_ = LabError{named(key), std::move(error)};
  }
  const std::optional<LabError>& error() const { return error_; }

 private:
  template <typename T>
  bool take(std::string_view key, Expected<T> parsed, T& value) {
    if (parsed) {
      value = *parsed;
    } else {
      fail(key, std::move(parsed.error()));
    }
    return !error_;
  }

  /// The query itself is bounded, and with it the length of a list.
  template <typename T, typename ParseOne>
  void list(std::string_view key, std::vector<T>& values, const ParseOne& parse_one) {
    const std::string* typed = find(key);
    if (typed == nullptr) return;
    values.clear();
    std::string_view rest = *typed;
    for (bool more = true; more;) {
      more = rest.find(',') != rest.npos;
      T value{};
      if (!take(key, parse_one(cut_off(rest, ',')), value)) return;
      values.push_back(value);
    }
  }

  const Query& query_;
  std::string_view prefix_;
  std::optional<LabError> error_;
};

/// One cost a stage: `all` where one was given, else a stage's own.
double pick(const std::vector<double>& all, std::size_t stage, double otherwise) {
  if (all.empty()) return otherwise;
  return all[all.size() == 1 ? 0 : stage];
}

/// One number for all, or `wanted` of them.
void check_length(Reader& read, std::string_view key, std::size_t count,
                  std::int32_t wanted, std::string_view noun) {
  if (count <= 1 || count == static_cast<std::size_t>(wanted)) return;
  read.fail(key, {std::string(key) + " names " + std::to_string(count) +
                      " numbers for " + counted(wanted, noun),
                  "Give one for all, or one for each."});
}

struct TypedCosts {
  Costs costs;
  std::string_view longest = "F";  ///< which key says how many stages there are
};

TypedCosts read_costs(Reader& read) {
  constexpr Range kCost{kLeastCost, kMostCost};
  constexpr std::array<std::string_view, 5> kNames{"F", "I", "W", "R", "FB"};
  std::array<std::vector<double>, kNames.size()> typed;
  TypedCosts result;
  std::size_t stages = 1;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    read.amounts(kNames[i], kCost, typed[i]);
    const std::size_t count = typed[i].size();
    if (count > 1 && stages > 1 && count != stages) {
      read.fail(kNames[i], {std::string(kNames[i]) + " names " + std::to_string(count) +
                                " stages, and another cost " + std::to_string(stages),
                            "Give one number for all stages, or one for each."});
    }
    if (count > stages) {
      stages = count;
      result.longest = kNames[i];
    }
  }
  Costs& costs = result.costs;
  if (read.error()) return result;
  costs.stages.clear();
  for (std::size_t s = 0; s < stages; ++s) {
    StageCosts stage;
    stage.forward = pick(typed[0], s, 1);
    stage.input_gradient = pick(typed[1], s, 1);
    stage.weight_gradient = pick(typed[2], s, 1);
    stage.recompute = pick(typed[3], s, stage.forward);
    stage.overlapped = pick(typed[4], s, stage.forward + stage.backward());
    costs.stages.push_back(stage);
  }
  double transfer = 0;
  read.amount("c", kCost, transfer);
  costs.within_node.latency = costs.between_nodes.latency = transfer;
  return result;
}

void check_stages(Reader& read, const TypedCosts& typed, const Schedule& schedule) {
  check_length(read, typed.longest, typed.costs.stages.size(), schedule.stages(),
               "stage");
}

VerifyOptions read_limits(Reader& read, std::int32_t devices) {
  VerifyOptions limits;
  read.amounts("limit", {0, kMostCost}, limits.memory_limit);
  check_length(read, "limit", limits.memory_limit.size(), devices, "device");
  read.amount("freed", {0, 1}, limits.freed_by_input_gradient);
  if (read.find("kept") != nullptr) {
    limits.input_share = {0};
    read.amount("kept", {0, 1}, limits.input_share[0]);
  }
  return limits;
}

void read_figure(Reader& read, FigureAsked& figure) {
  read.count("width", 240, 4000, figure.width);
  const std::string* id = read.find("id");
  if (id == nullptr) return;
  figure.id = *id;
  constexpr std::size_t kLongestId = 64;
  if (is_figure_id(*id) && id->size() <= kLongestId) return;
  read.fail("id", {"id " + in_quotes(*id) + " cannot start an id",
                   "Use at most 64 letters, digits, '-' and '_'."});
}

/// What is too large is refused before it is made.
void check_size(Reader& read, const Request& request) {
  const Shape& shape = request.shape;
  std::int64_t slices = kDefaultSlices;
  if (!request.slices.empty()) {
    slices = *std::max_element(request.slices.begin(), request.slices.end());
  } else if (read.find("schedule") == nullptr ||
             *read.find("schedule") != "token-slices") {
    slices = 1;
  }
  // Each factor is bounded already: at most 2^10 * 2^6 * 2^15 * 2^6 * 2^10.
  const std::int64_t forwards = std::int64_t{shape.devices} *
                                std::max(request.chunks, 1) * shape.micro_batches *
                                shape.steps * slices;
  if (forwards <= kMostLabForwards) return;
  read.fail("m",
            {"devices times micro-batches (times chunks, steps and slices) is " +
                 std::to_string(forwards) + ", and the lab computes with at most " +
                 std::to_string(kMostLabForwards),
             "Ask for fewer of them; ./workbook schedule takes more."});
}

Request read_shape(Reader& read) {
  Request request;
  request.shape = {4, 8, 1, false};
  read.count("p", 1, kMostLabDevices, request.shape.devices);
  read.count("m", 1, kMostMicroBatches, request.shape.micro_batches);
  read.count("steps", 1, kMostSteps, request.shape.steps);
  read.count("v", 1, kMostChunks, request.chunks);
  read.count("group", 1, kMostMicroBatches, request.group_size);
  read.counts("slices", kMostSlices, request.slices);
  if (!read.error()) check_size(read, request);
  return request;
}

void add_recompute(Reader& read, LabRequest& request) {
  const std::string* typed = read.find("recompute");
  if (typed == nullptr) return;
  for (const RecomputePolicy policy :
       {RecomputePolicy::Never, RecomputePolicy::Always, RecomputePolicy::AllButLast,
        RecomputePolicy::ForMemory}) {
    if (*typed != to_text(policy)) continue;
    RecomputeOptions options{.policies = {policy}};
    options.freed_by_input_gradient = request.limits.freed_by_input_gradient;
    options.input_share = request.limits.input_share;
    if (policy == RecomputePolicy::ForMemory) {
      options.limit = request.limits.memory_limit;
    }
    auto longer = with_recompute(request.schedule, options);
    if (longer) {
      request.schedule = std::move(*longer);
    } else {
      read.fail("recompute", std::move(longer.error()));
    }
    return;
  }
  read.fail("recompute", {"recompute " + in_quotes(*typed) + " is no policy",
                          "Say never, always, all-but-last or for-memory."});
}

/// A stage's costs are those of a whole micro-batch: each of k slices has a k-th.
std::vector<double> shares_of_slices(const Schedule& schedule) {
  std::vector<double> shares;
  for (const std::int32_t slices : schedule.slices) {
    shares.insert(shares.end(), static_cast<std::size_t>(slices), 1.0 / slices);
  }
  return shares;
}

}  // namespace

MemoryOptions LabRequest::sizes() const {
  return {limits.freed_by_input_gradient, {}, limits.input_share};
}

bool is_lab_request_key(std::string_view key) {
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

LabExpected<std::int32_t> read_count(const Query& query, std::string_view key,
                                     std::int32_t least, std::int32_t most,
                                     std::int32_t otherwise) {
  Reader read(query, "");
  std::int32_t value = otherwise;
  read.count(key, least, most, value);
  if (read.error()) return tl::unexpected<LabError>(*read.error());
  return value;
}

LabExpected<FigureAsked> read_figure(const Query& query) {
  Reader read(query, "");
  FigureAsked figure;
  read_figure(read, figure);
  if (read.error()) return tl::unexpected<LabError>(*read.error());
  return figure;
}

LabExpected<CostsAndLimits> read_costs_and_limits(const Query& query,
                                                  const Schedule& blank) {
  Reader read(query, "");
  TypedCosts typed = read_costs(read);
  const VerifyOptions limits = read_limits(read, blank.devices());
  check_stages(read, typed, blank);
  if (read.error()) return tl::unexpected<LabError>(*read.error());
  return CostsAndLimits{std::move(typed.costs), limits.memory_limit};
}

LabExpected<LabRequest> read_lab_request(const Query& query, std::string_view prefix) {
  Reader read(query, prefix);
  LabRequest request;
  Request asked = read_shape(read);
  TypedCosts typed = read_costs(read);
  request.limits = read_limits(read, asked.shape.devices);
  read_figure(read, request.figure);
  if (read.error()) return tl::unexpected<LabError>(*read.error());

  asked.costs = typed.costs;
  asked.memory_limit = request.limits.memory_limit;
  asked.freed_by_input_gradient = request.limits.freed_by_input_gradient;
  const std::string* name = read.find("schedule");
  auto schedule = generate(name == nullptr ? "1f1b" : *name, asked);
  if (!schedule) return refuse_field(read.named("schedule"), schedule.error());
  request.schedule = std::move(*schedule);
  check_stages(read, typed, request.schedule);
  request.costs = std::move(typed.costs);
  if (!read.error()) {
    request.costs.part_weights = shares_of_slices(request.schedule);
    add_recompute(read, request);
  }
  if (read.error()) return tl::unexpected<LabError>(*read.error());
  return request;
}

}  // namespace pipeline
