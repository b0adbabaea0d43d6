/// \file
/// Schedules written out row by row, for tests. Test code.
#pragma once

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "schedule/text.hpp"
#include "schedule/verify.hpp"

namespace pipeline {

/// So that GoogleTest prints a schedule as text.
inline void PrintTo(const Schedule& schedule, std::ostream* out) {
  *out << to_text(schedule);
}

namespace test {

/// One step of `micro_batches`, a stage on each device unless `device_of_stage` says
/// otherwise; a row a string, as in the text form: "F0 SA0+RG1 B0".
inline Schedule from_rows(std::int32_t micro_batches,
                          const std::vector<std::string>& rows,
                          std::vector<std::int32_t> device_of_stage = {}) {
  if (device_of_stage.empty()) {
    for (std::size_t s = 0; s < rows.size(); ++s) {
      device_of_stage.push_back(static_cast<std::int32_t>(s));
    }
  }
  std::string text = "schedule: written out\ndevices: " + std::to_string(rows.size());
  text += "\ndevice-of-stage:";
  for (const std::int32_t device : device_of_stage)
    text += " " + std::to_string(device);
  text += "\nmicro-batches: " + std::to_string(micro_batches);
  text += "\nsteps: 1\ntraining: yes\n";
  for (std::size_t d = 0; d < rows.size(); ++d) {
    text += "row " + std::to_string(d) + ": " + rows[d] + "\n";
  }
  auto schedule = parse_schedule(text + "end\n");
  // A typing error in a test: what is returned has no devices, and no test accepts it.
  if (!schedule) return {};
  return std::move(*schedule);
}

/// The same with forwards alone.
inline Schedule forwards_from_rows(std::int32_t micro_batches,
                                   const std::vector<std::string>& rows,
                                   std::vector<std::int32_t> device_of_stage = {}) {
  Schedule schedule = from_rows(micro_batches, rows, std::move(device_of_stage));
  schedule.training = false;
  return schedule;
}

inline std::vector<std::string> reasons(const std::vector<Fault>& faults) {
  std::vector<std::string> texts;
  texts.reserve(faults.size());
  for (const Fault& fault : faults) texts.push_back(fault.reason);
  return texts;
}

inline bool has(const std::vector<Fault>& faults, FaultKind kind) {
  return std::any_of(faults.begin(), faults.end(),
                     [kind](const Fault& fault) { return fault.kind == kind; });
}

}  // namespace test
}  // namespace pipeline
