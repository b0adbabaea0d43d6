/// \file
/// Our side of `./workbook bench --peer`: models trained on made-up batches, which are
/// written down for whoever trains the same ones with something else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "classroom/peer_contests.hpp"
#include "layers/network.hpp"
#include "runtime/executor.hpp"
#include "runtime/network.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// What a turn came to.
struct PeerTurn {
  double seconds = 0;      ///< on the clock
  double cpu_seconds = 0;  ///< of all threads together
  std::vector<double> losses;
};

/// A model on its devices, with its batches.
class PeerTraining {
 public:
  static Expected<std::unique_ptr<PeerTraining>> make(const PeerContest& contest);

  /// Writes what the other side needs into a folder that is there: setting.json (sizes
  /// and optimizer), weights.bin (all parameters in model order), inputs.bin (floats,
  /// batch after batch) and labels.bin (int32), in this machine's byte order.
  Expected<void> write(const std::filesystem::path& folder);

  /// Trains for `contest.steps` steps, from where the last turn ended.
  Expected<PeerTurn> turn();

 private:
  explicit PeerTraining(const PeerContest& contest);
  void make_up_batches();
  std::vector<Batch> next_batches();

  PeerContest contest_;
  Network network_;
  std::unique_ptr<Platform> platform_;
  std::unique_ptr<PlacedNetwork> placed_;
  std::unique_ptr<Executor> executor_;
  std::vector<float> inputs_;
  std::vector<std::int32_t> labels_;
  std::int64_t done_ = 0;  ///< steps
};

}  // namespace pipeline
