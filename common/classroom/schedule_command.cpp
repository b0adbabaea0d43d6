// workbook schedule: generate or read a schedule, verify it, time it, draw it.
#include <unistd.h>

#include <cstdio>

#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/files.hpp"
#include "classroom/numbers.hpp"
#include "classroom/schedule_report.hpp"
#include "schedule/bounds.hpp"
#include "schedule/generate.hpp"
#include "schedule/lower.hpp"
#include "schedule/text.hpp"
#include "schedule/verify.hpp"

namespace pipeline {
namespace {

Expected<Schedule> read_schedule(const ScheduleAsked& typed) {
  if (!typed.file.empty()) {
    if (!typed.name.empty()) {
      return refuse("both a name and --file were given", "Give one of the two.");
    }
    return read_file(typed.file).and_then([](const std::string& text) {
      return parse_schedule(text);
    });
  }
  if (typed.name.empty()) {
    return refuse("no schedule was named",
                  "Name one, such as 1f1b, or give --file FILE; see ./workbook list.");
  }
  constexpr auto kMost = static_cast<std::int32_t>(kMaximumActions);
  const auto devices = parse_count("--devices", typed.devices, 1,
                                   static_cast<std::int32_t>(kMaximumDevices));
  if (!devices) return tl::unexpected(devices.error());
  const auto micro_batches =
      parse_count("--micro-batches", typed.micro_batches, 1, kMost);
  if (!micro_batches) return tl::unexpected(micro_batches.error());
  const auto steps = parse_count("--steps", typed.steps, 1, kMost);
  if (!steps) return tl::unexpected(steps.error());
  return generate(typed.name, {*devices, *micro_batches, *steps});
}

Expected<std::vector<double>> read_memory_limit(const std::string& typed,
                                                std::int32_t devices) {
  std::vector<double> limits;
  std::string_view rest = typed;
  while (!typed.empty()) {
    const std::size_t comma = rest.find(',');
    const auto limit = parse_amount("--memory-limit", rest.substr(0, comma));
    if (!limit) return tl::unexpected(limit.error());
    limits.push_back(*limit);
    if (comma == rest.npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (limits.size() > 1 && limits.size() != static_cast<std::size_t>(devices)) {
    return refuse("--memory-limit names " + std::to_string(limits.size()) +
                      " limits for " + std::to_string(devices) + " devices",
                  "Give one for all devices, or one for each.");
  }
  return limits;
}

/// With --buffers, communication is verified too, on the lowered rows.
Expected<std::vector<Fault>> find_faults(const ScheduleAsked& typed,
                                         const Schedule& schedule) {
  VerifyOptions options;
  auto limits = read_memory_limit(typed.memory_limit, schedule.devices());
  if (!limits) return tl::unexpected(limits.error());
  options.memory_limit = std::move(*limits);
  if (typed.buffers.empty()) return verify(schedule, options);
  const auto buffers = parse_count("--buffers", typed.buffers, 0, 1'000'000);
  if (!buffers) return tl::unexpected(buffers.error());
  options.buffers = *buffers;
  if (is_lowered(schedule)) return verify(schedule, options);
  std::vector<Fault> faults = verify(schedule, {options.memory_limit, 0});
  // What is broken before it communicates cannot be lowered.
  return faults.empty() ? verify(lower(schedule), options) : faults;
}

Expected<std::string> write_out(const ScheduleAsked& typed,
                                const ScheduleReport& report) {
  if (typed.format == "json") return report_as_json(report, typed.rows);
  if (!report.timeline) {
    std::string text = faults_as_text(report);
    if (typed.rows) text += to_text(report.schedule);
    return text;
  }
  if (typed.format == "svg") return draw_report_svg(report);
  if (typed.format == "csv") return report_as_csv(report);
  if (typed.format == "trace") return report_as_trace(report);
  if (typed.rows) return to_text(report.schedule);
  const bool to_terminal = typed.output.empty() && isatty(STDOUT_FILENO) != 0;
  return report_as_text(report, typed.verify, wants_ascii(), to_terminal);
}

}  // namespace

int schedule_command(const ScheduleAsked& typed) {
  const auto costs = parse_costs(typed.costs);
  if (!costs) return complain(costs.error());
  const auto schedule = read_schedule(typed);
  if (!schedule) return complain(schedule.error());
  const auto faults = find_faults(typed, *schedule);
  if (!faults) return complain(faults.error());
  const auto report = make_report(*schedule, *costs, *faults);
  if (!report) return complain(report.error());
  if (!faults->empty() && !typed.verify && typed.format != "json") {
    complain({"this schedule cannot run: " + faults->front().reason,
              "See all faults: add --verify."});
    return kFailed;
  }
  const auto text = write_out(typed, *report);
  if (!text) return complain(text.error());
  if (typed.output.empty()) {
    print(*text);
  } else if (const auto written = write_file(typed.output, *text); !written) {
    return complain(written.error());
  }
  return faults->empty() ? kGood : kFailed;
}

}  // namespace pipeline
