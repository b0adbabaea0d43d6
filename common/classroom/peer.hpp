/// \file
/// Our speed beside that of PyTorch: what the command `bench` measures and prints when
/// asked for the peer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "classroom/peer_contests.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// The most by which two losses of one step may differ, over the larger.
inline constexpr double kPeerLossGap = 0.01;

/// One contest.
struct PeerRow {
  std::string name;        ///< of the contest
  std::string unit;        ///< what is counted
  double wanted = 1;       ///< the least that `ratio` may be
  double ours = 0;         ///< units a second, the median turn
  double theirs = 0;       ///< likewise
  double ratio = 0;        ///< median over the pairs of turns
  double first_gap = 0;    ///< between the losses of the first step, over the larger
  double largest_gap = 0;  ///< of all steps
  std::int64_t steps = 0;  ///< whose losses were compared
  std::string error;       ///< why there is nothing of all this

  /// Too slow, or not the same training.
  bool misses() const;
};

/// All contests of one bench.
struct PeerReport {
  std::string torch;          ///< its version
  std::vector<PeerRow> rows;  ///< in the order in which they were run
};

/// What to run.
struct PeerSetup {
  std::string python;             ///< an interpreter
  std::filesystem::path scripts;  ///< common/classroom/peer
  std::filesystem::path program;  ///< peer_trainer
};

/// The version of PyTorch that `setup.python` imports; refused as absent if it does
/// not.
Expected<std::string> probe_torch(const PeerSetup& setup);

/// Trains on both sides in turn. A contest that does not end well is in its row.
PeerRow run_contest(const PeerSetup& setup, const PeerContest& contest);

/// Reads what compare.py wrote.
PeerRow read_contest(const PeerContest& contest, std::string_view json);

/// The report as a table.
std::string peer_as_text(const PeerReport& report);
/// The report as JSON, for `bench --peer --json`.
std::string peer_as_json(const PeerReport& report);

}  // namespace pipeline
