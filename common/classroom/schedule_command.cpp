// workbook schedule: generate or read a schedule, verify it, time it, draw it.
#include <unistd.h>

#include <cstdio>

#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/files.hpp"
#include "classroom/numbers.hpp"
#include "classroom/schedule_report.hpp"
#include "classroom/schedule_request.hpp"
#include "schedule/dialect.hpp"
#include "schedule/lower.hpp"
#include "schedule/text.hpp"
#include "schedule/verify.hpp"

namespace pipeline {
namespace {

/// With --buffers, communication is verified too, on the lowered rows.
Expected<std::vector<Fault>> find_faults(const ScheduleAsked& typed,
                                         const ScheduleRequest& request) {
  const Schedule& schedule = request.schedule;
  VerifyOptions options = request.verify;
  if (typed.buffers.empty()) return verify(schedule, options);
  const auto buffers = parse_count("--buffers", typed.buffers, 0, 1'000'000);
  if (!buffers) return tl::unexpected(buffers.error());
  std::vector<Fault> faults;
  // What is broken before it communicates cannot be lowered.
  if (!is_lowered(schedule)) faults = verify(schedule, options);
  options.buffers = *buffers;
  return faults.empty() ? verify(lower(schedule), options) : faults;
}

Expected<std::string> write_out(const ScheduleAsked& typed,
                                const ScheduleReport& report) {
  if (typed.format == "json") return report_as_json(report, typed.rows);
  if (typed.format == "torch") return to_dialect(Dialect::Torch, report.schedule);
  if (typed.format == "zb") return to_dialect(Dialect::ZeroBubble, report.schedule);
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
  const auto request = read_request(typed);
  if (!request) return complain(request.error());
  const auto faults = find_faults(typed, *request);
  if (!faults) return complain(faults.error());
  const auto report = make_report(
      request->schedule, request->costs, *faults,
      {request->verify.freed_by_input_gradient, {}, request->verify.input_share});
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
