/// \file
/// Our side of the bench beside PyTorch: models trained on batches that are written
/// down for whoever trains the same ones with something else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "classroom/peer_contests.hpp"
#include "data/text.hpp"
#include "layers/network.hpp"
#include "runtime/executor.hpp"
#include "runtime/network.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// What a turn came to.
struct PeerTurn {
  double seconds = 0;              ///< on the clock
  double cpu_seconds = 0;          ///< of all threads together
  std::vector<double> losses;      ///< by step
  std::optional<double> held_out;  ///< loss of the held-out windows after the turn
};

/// A model on its devices, with its batches.
class PeerTraining {
 public:
  /// Places the model and makes its batches; refuses a schedule that does not fit.
  static Expected<std::unique_ptr<PeerTraining>> make(const PeerContest& contest);

  /// Writes what the other side needs into a folder that is there: setting.json (sizes
  /// and optimizer), weights.bin (all parameters in model order), inputs.bin (floats,
  /// batch after batch) and labels.bin (int32), in this machine's byte order; and the
  /// same of the held-out windows, if any, in held_inputs.bin and held_labels.bin.
  Expected<void> write(const std::filesystem::path& folder);

  /// Trains for `contest.steps` steps, from where the last turn ended.
  Expected<PeerTurn> turn();

 private:
  explicit PeerTraining(const PeerContest& contest);
  Expected<void> make_batches();
  void read_windows(const Corpus& corpus);
  std::vector<Batch> next_batches();

  PeerContest contest_;
  Network network_;
  std::unique_ptr<Platform> platform_;
  std::unique_ptr<PlacedNetwork> placed_;
  std::unique_ptr<Executor> executor_;
  std::vector<float> inputs_;
  std::vector<std::int32_t> labels_;
  TextBatch held_out_;
  std::int64_t done_ = 0;  ///< steps
};

}  // namespace pipeline
