#include "classroom/schedule_request.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "classroom/files.hpp"
#include "classroom/numbers.hpp"
#include "schedule/bounds.hpp"
#include "schedule/costs_text.hpp"
#include "schedule/dialect.hpp"
#include "schedule/generate.hpp"
#include "schedule/lower.hpp"
#include "schedule/reading.hpp"
#include "schedule/recompute.hpp"
#include "schedule/text.hpp"

namespace pipeline {
namespace {

constexpr auto kMost = static_cast<std::int32_t>(kMaximumActions);

/// Reads options one after another, and keeps the first refusal.
class Reader {
 public:
  void count(std::string_view option, const std::string& typed, std::int32_t most,
             std::int32_t& value) {
    if (!typed.empty()) take(parse_count(option, typed, 1, most), value);
  }
  void counts(std::string_view option, const std::string& typed, std::int32_t most,
              std::vector<std::int32_t>& values) {
    take(parse_counts(option, typed, 1, most), values);
  }
  void amount(std::string_view option, const std::string& typed, double& value) {
    if (!typed.empty()) take(parse_amount(option, typed), value);
  }
  void amounts(std::string_view option, const std::string& typed,
               std::vector<double>& values) {
    take(parse_amounts(option, typed), values);
  }
  template <typename T>
  void take(Expected<T> parsed, T& value) {
    if (!parsed && !error_) error_ = std::move(parsed.error());
    if (parsed) value = std::move(*parsed);
  }

  const std::optional<Error>& error() const { return error_; }

 private:
  std::optional<Error> error_;
};

Expected<Costs> read_costs(const ScheduleAsked& typed) {
  Costs costs;
  Reader read;
  if (typed.costs_file.empty()) {
    read.take(parse_costs(typed.costs), costs);
  } else {
    std::string file;
    read.take(read_file(typed.costs_file), file);
    if (!read.error()) read.take(parse_costs(typed.costs, file), costs);
  }
  if (!typed.message_bytes.empty()) {
    costs.message_bytes = {0};
    read.amount("--message-bytes", typed.message_bytes, costs.message_bytes[0]);
  }
  read.amount("--bandwidth", typed.bandwidth, costs.within_node.bandwidth);
  costs.between_nodes = costs.within_node;
  read.count("--devices-per-node", typed.devices_per_node,
             static_cast<std::int32_t>(kMaximumDevices), costs.devices_per_node);
  read.amount("--node-latency", typed.node_latency, costs.between_nodes.latency);
  read.amount("--node-bandwidth", typed.node_bandwidth, costs.between_nodes.bandwidth);
  if (read.error()) return tl::unexpected(*read.error());
  if (typed.devices_per_node.empty() &&
      !(typed.node_latency.empty() && typed.node_bandwidth.empty())) {
    return refuse("links between nodes were given, but no nodes",
                  "Say with --devices-per-node how many devices share one.");
  }
  return costs;
}

Expected<Schedule> parse_file(const ScheduleAsked& typed, const std::string& text) {
  if (typed.dialect.empty()) {
    if (!typed.global_norm) return parse_schedule(text);
    return refuse("--global-norm was given, but the file says how a step ends",
                  "Leave it out, or read a file in a --dialect, which does not.");
  }
  DialectOptions options;
  options.global_norm = typed.global_norm;
  return parse_dialect(typed.dialect == "torch" ? Dialect::Torch : Dialect::ZeroBubble,
                       text, options);
}

Expected<Schedule> read_schedule_file(const ScheduleAsked& typed) {
  if (!typed.name.empty()) {
    return refuse("both a name and --file were given", "Give one of the two.");
  }
  for (const auto& [option, value] : {std::pair{"--devices", &typed.devices},
                                      {"--micro-batches", &typed.micro_batches},
                                      {"--chunks", &typed.chunks},
                                      {"--group-size", &typed.group_size},
                                      {"--steps", &typed.steps},
                                      {"--slices", &typed.slices}}) {
    if (value->empty()) continue;
    return refuse("both " + std::string(option) + " and --file were given",
                  "Leave it out: the file says it.");
  }
  return read_file(typed.file).and_then([&](const std::string& text) {
    return parse_file(typed, text);
  });
}

Expected<Schedule> make_schedule(const ScheduleAsked& typed, const Costs& costs,
                                 const VerifyOptions& limits) {
  if (typed.name.empty()) {
    return refuse("no schedule was named",
                  "Name one, such as 1f1b, or give --file FILE; see ./workbook list.");
  }
  if (!typed.dialect.empty()) {
    return refuse("--dialect says how to read a --file, and none was given",
                  "To write one, say --format " + typed.dialect + ".");
  }
  Request request;
  request.shape = {4, 8, 1, typed.global_norm};
  Reader read;
  read.count("--devices", typed.devices, static_cast<std::int32_t>(kMaximumDevices),
             request.shape.devices);
  read.count("--micro-batches", typed.micro_batches, kMost,
             request.shape.micro_batches);
  read.count("--steps", typed.steps, kMost, request.shape.steps);
  read.count("--chunks", typed.chunks, static_cast<std::int32_t>(kMaximumStages),
             request.chunks);
  read.count("--group-size", typed.group_size, kMost, request.group_size);
  read.counts("--slices", typed.slices, kMost, request.slices);
  if (read.error()) return tl::unexpected(*read.error());
  request.costs = costs;
  request.memory_limit = limits.memory_limit;
  request.freed_by_input_gradient = limits.freed_by_input_gradient;
  return generate(typed.name, request);
}

Expected<VerifyOptions> read_limits(const ScheduleAsked& typed) {
  VerifyOptions limits;
  Reader read;
  read.amounts("--memory-limit", typed.memory_limit, limits.memory_limit);
  read.amount("--freed-by-input-gradient", typed.freed_by_input_gradient,
              limits.freed_by_input_gradient);
  if (read.error()) return tl::unexpected(*read.error());
  if (limits.freed_by_input_gradient > 1) {
    return refuse("--freed-by-input-gradient '" + typed.freed_by_input_gradient +
                      "' is more than 1",
                  "Give the share of an activation that I frees, from 0 to 1.");
  }
  if (!typed.input_share.empty()) {
    limits.input_share = {0};
    read.amount("--input-share", typed.input_share, limits.input_share[0]);
    if (read.error()) return tl::unexpected(*read.error());
    if (limits.input_share[0] > 1) {
      return refuse("--input-share '" + typed.input_share + "' is more than 1",
                    "Give the share of an activation that is its stage's input, from "
                    "0 to 1.");
    }
  }
  return limits;
}

Expected<RecomputePolicy> parse_policy(std::string_view word) {
  for (const RecomputePolicy policy :
       {RecomputePolicy::Never, RecomputePolicy::Always, RecomputePolicy::AllButLast}) {
    if (word == to_text(policy)) return policy;
  }
  return refuse("--recompute does not know '" + std::string(word) + "'",
                "Say never, always or all-but-last, or cap=K for a limit of K.");
}

/// "always", or one word for each stage; "cap=4", "cap=4,3,2,1".
Expected<RecomputeOptions> read_recompute(std::string_view typed) {
  RecomputeOptions options;
  constexpr std::string_view kCap = "cap=";
  if (typed.starts_with(kCap)) {
    options.policies = {RecomputePolicy::ForMemory};
    Reader read;
    read.take(parse_amounts("--recompute cap", typed.substr(kCap.size())),
              options.limit);
    if (read.error()) return tl::unexpected(*read.error());
    return options;
  }
  options.policies.clear();
  for (bool more = true; more;) {
    more = typed.find(',') != typed.npos;
    const auto policy = parse_policy(cut_off(typed, ','));
    if (!policy) return tl::unexpected(policy.error());
    options.policies.push_back(*policy);
  }
  return options;
}

/// What was re-computed to stay within a cap is held against it.
Expected<void> add_recompute(const ScheduleAsked& typed, ScheduleRequest& request) {
  if (typed.recompute.empty()) return {};
  auto options = read_recompute(typed.recompute);
  if (!options) return tl::unexpected(options.error());
  options->freed_by_input_gradient = request.verify.freed_by_input_gradient;
  options->input_share = request.verify.input_share;
  if (request.verify.memory_limit.empty()) {
    request.verify.memory_limit = options->limit;
  }
  auto longer = with_recompute(request.schedule, *options);
  if (!longer) return tl::unexpected(longer.error());
  request.schedule = std::move(*longer);
  return {};
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

Expected<ScheduleRequest> read_request(const ScheduleAsked& typed) {
  ScheduleRequest request;
  Reader read;
  read.take(read_costs(typed), request.costs);
  read.take(read_limits(typed), request.verify);
  if (read.error()) return tl::unexpected(*read.error());
  read.take(typed.file.empty() ? make_schedule(typed, request.costs, request.verify)
                               : read_schedule_file(typed),
            request.schedule);
  if (read.error()) return tl::unexpected(*read.error());
  Schedule& schedule = request.schedule;
  const std::size_t limits = request.verify.memory_limit.size();
  if (limits > 1 && limits != static_cast<std::size_t>(schedule.devices())) {
    return refuse("--memory-limit names " + std::to_string(limits) + " limits for " +
                      std::to_string(schedule.devices()) + " devices",
                  "Give one for all devices, or one for each.");
  }
  if (auto error = fault_of(request.costs, schedule.stages())) {
    return tl::unexpected(std::move(*error));
  }
  request.costs.part_weights = shares_of_slices(schedule);
  if (const auto added = add_recompute(typed, request); !added) {
    return tl::unexpected(added.error());
  }
  if (typed.lowered) schedule = lower(schedule);
  return request;
}

}  // namespace pipeline
