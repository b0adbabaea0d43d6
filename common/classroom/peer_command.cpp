// workbook bench --peer: the same models trained here and in PyTorch, in one run.
#include <algorithm>

#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/peer.hpp"
#include "classroom/process.hpp"

namespace pipeline {
namespace {

/// Those whose name holds `filter`.
std::vector<PeerContest> choose(const std::string& filter) {
  std::vector<PeerContest> chosen;
  for (const PeerContest& contest : peer_contests()) {
    if (contest.name.find(filter) != std::string::npos) chosen.push_back(contest);
  }
  return chosen;
}

std::string names() {
  std::string all;
  for (const PeerContest& contest : peer_contests()) {
    all += (all.empty() ? "" : ", ") + std::string(contest.name);
  }
  return all;
}

}  // namespace

int peer_command(const Workspace& at, const std::string& python,
                 const std::string& filter, bool as_json) {
  const std::vector<PeerContest> chosen = choose(filter);
  if (chosen.empty()) {
    return complain({"no contest with PyTorch is called '" + filter + "'",
                     "Choose of: " + names() + "; or leave it out for all"});
  }
  const PeerSetup setup = {python, at.root / "common" / "classroom" / "peer",
                           at.build / "peer_trainer"};
  PeerReport report;
  show_status("looking for PyTorch");
  auto version = probe_torch(setup);
  if (interrupted()) return kInterrupted;
  if (!version) return complain(version.error());
  report.torch = std::move(*version);
  const BuildResult built = build_targets(at.build, {"peer_trainer"});
  if (interrupted()) return kInterrupted;
  if (!built.good) {
    return complain({"our side does not compile: " + compiler_errors(built.output),
                     "Mend the first error above."});
  }
  for (const PeerContest& contest : chosen) {
    show_status("measuring " + std::string(contest.name));
    report.rows.push_back(run_contest(setup, contest));
    if (interrupted()) return kInterrupted;
  }
  print(as_json ? peer_as_json(report) : peer_as_text(report));
  const bool missed = std::any_of(report.rows.begin(), report.rows.end(),
                                  [](const PeerRow& row) { return row.misses(); });
  return missed ? kFailed : kGood;
}

}  // namespace pipeline
