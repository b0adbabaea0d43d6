#include "classroom/peer.hpp"

#include <algorithm>
#include <cstdio>
#include <system_error>

#include "classroom/console.hpp"
#include "classroom/files.hpp"
#include "classroom/json.hpp"
#include "classroom/process.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

/// The folder of the scripts stays as it is.
ProcessOptions for_python() {
  ProcessOptions options;
  options.environment = {{"PYTHONDONTWRITEBYTECODE", "1"}};
  return options;
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t end = text.rfind('\n');
  return end == std::string::npos ? text : text.substr(end + 1);
}

PeerRow row_of(const PeerContest& contest) {
  PeerRow row;
  row.name = contest.name;
  row.unit = contest.unit;
  row.wanted = contest.wanted;
  return row;
}

PeerRow failed(const PeerContest& contest, std::string why) {
  PeerRow row = row_of(contest);
  row.error = std::move(why);
  return row;
}

std::string verdict(const PeerRow& row) {
  if (!row.error.empty()) return row.error;
  if (!(row.largest_gap <= kPeerLossGap)) return "LOSSES DIFFER";
  return row.misses() ? "MISSED" : "ok";
}

std::vector<std::string> cells(const PeerRow& row) {
  const std::string wanted = ">= " + number(row.wanted, 3);
  if (!row.error.empty()) {
    return {row.name, row.unit, "", "", "", wanted, "", row.error};
  }
  return {row.name,
          row.unit,
          number(row.ours, 0),
          number(row.theirs, 0),
          number(row.ratio, 3),
          wanted,
          number(100 * row.largest_gap, 2) + " %",
          verdict(row)};
}

}  // namespace

bool PeerRow::misses() const {
  return !error.empty() || !(ratio >= wanted) || !(largest_gap <= kPeerLossGap);
}

Expected<std::string> probe_torch(const PeerSetup& setup) {
  const ProcessResult probe =
      run_process({setup.python, setup.scripts / "probe.py"}, for_python());
  const std::string said = last_line(probe.output);
  if (probe.exit_code == 0) return said;
  if (probe.exit_code == 127) {
    return absent("there is no program '" + setup.python + "'",
                  "Install Python, or name an interpreter: --python PATH");
  }
  return absent("PyTorch cannot be imported by " + setup.python + " (" + said + ")",
                "Install it: pip install torch numpy; or say where: --python PATH");
}

PeerRow run_contest(const PeerSetup& setup, const PeerContest& contest) {
  std::error_code error;
  const fs::path report = setup.program.string() + ".json";
  fs::remove(report, error);
  const ProcessResult run = run_process(
      {setup.python, setup.scripts / "compare.py", "--program", setup.program,
       "--contest", std::string(contest.name), "--output", report},
      for_python());
  const auto text = read_file(report);
  fs::remove(report, error);
  if (run.exit_code == 0 && text) return read_contest(contest, *text);
  std::fputs(run.output.c_str(), stderr);
  return failed(contest, "ended with exit code " + std::to_string(run.exit_code));
}

PeerRow read_contest(const PeerContest& contest, std::string_view text) {
  const Json json = parse_json(text);
  PeerRow row = row_of(contest);
  try {
    json.at("ours").get_to(row.ours);
    json.at("theirs").get_to(row.theirs);
    json.at("ratio").get_to(row.ratio);
    json.at("first_gap").get_to(row.first_gap);
    json.at("largest_gap").get_to(row.largest_gap);
    json.at("steps").get_to(row.steps);
  } catch (const Json::exception&) {
    return failed(contest, "left no readable report");
  }
  return row;
}

std::string peer_as_text(const PeerReport& report) {
  std::vector<std::vector<std::string>> table = {
      {"what", "a second", "ours", "PyTorch", "ratio", "wanted", "losses", "ok"}};
  for (const PeerRow& row : report.rows) table.push_back(cells(row));
  return "PyTorch " + report.torch + "; a thread a device on both sides\n" +
         format_table(table, {2, 3, 4, 6});
}

std::string peer_as_json(const PeerReport& report) {
  Json json = {{"torch", report.torch}, {"contests", Json::array()}};
  for (const PeerRow& row : report.rows) {
    Json entry = {{"what", row.name},
                  {"unit", row.unit},
                  {"wanted", row.wanted},
                  {"ok", !row.misses()}};
    if (!row.error.empty()) {
      entry["error"] = row.error;
    } else {
      entry.update(Json{{"ours", row.ours},
                        {"theirs", row.theirs},
                        {"ratio", row.ratio},
                        {"first_gap", row.first_gap},
                        {"largest_gap", row.largest_gap},
                        {"steps", row.steps}});
    }
    json["contests"].push_back(std::move(entry));
  }
  return to_text(json);
}

}  // namespace pipeline
