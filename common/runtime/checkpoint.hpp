/// \file
/// Training that survives being killed: what it has made, on disk.
///
///     FOLDER/                         of one training
///       step-0000000500/              a checkpoint: all that 500 steps have made
///         checkpoint.json             what it is, and a checksum of each file
///         weights.bin  moments.bin  state.bin      float32, in model order
///       step-0000001000/              the newest one
///       step-0000001500.unfinished/   being written; takes its name when it is on disk
///
/// Model order knows nothing of stages: what one schedule on one number of devices has
/// written, any other can go on from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "layers/network.hpp"
#include "layers/optimizer.hpp"
#include "runtime/network.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// A line of a training's log.
struct LogLine {
  std::int64_t step = 0;  ///< steps done
  /// Mean loss of the steps since the line before; of the first line, at step 0, the
  /// held-out one.
  double loss = 0;
  double held_out = 0;  ///< mean loss over the rows that are held out

  bool operator==(const LogLine&) const = default;
};

/// What a training has made after `step` steps, and what it was asked for. Data and
/// random numbers follow from seed and step, so that nothing else has to be kept.
struct Checkpoint {
  std::int64_t step = 0;  ///< how many steps were done
  /// `network_lines` of the network.
  std::vector<std::string> network;
  /// What the weights depend on beside the network, by name: seed, data, batch, rates …
  std::map<std::string, std::string> settings;
  std::vector<LogLine> log;      ///< all lines that were logged up to there
  std::vector<double> unlogged;  ///< losses of the steps since its last line
  std::vector<float> weights;    ///< of the network, in model order
  std::vector<float> moments;    ///< of the optimizer
  std::vector<float> state;      ///< of layers, such as running statistics
};

/// What a network is, a line for each layer, each skip and the tie: two networks with
/// the same lines can take each other's weights.
std::vector<std::string> network_lines(const Network& network);
/// What updates go by, as settings of a checkpoint.
std::map<std::string, std::string> settings_of(const Optimizer& optimizer, float clip);

/// Writes `checkpoint` into `folder`, which is made where it is missing, and removes
/// all but the newest two once it is safely on disk. Whatever fails or stops it on the
/// way (a full disk, a kill, a power cut), earlier checkpoints stand.
Expected<void> write_checkpoint(const std::string& folder,
                                const Checkpoint& checkpoint);

/// The path of the newest checkpoint in `folder`; none where there is no folder or none
/// in it.
Expected<std::optional<std::string>> newest_checkpoint(const std::string& folder);

/// Reads one checkpoint. A truncated, altered or foreign one, and one of a newer
/// version of the workbook, are refused by name, with what to do.
Expected<Checkpoint> read_checkpoint(const std::string& path);

/// Refuses to go on from `checkpoint` (read from `path`) with another network or other
/// settings, and names the first difference. Settings may be left out to compare the
/// network alone, as for generating text.
Expected<void> check_belongs(const Checkpoint& checkpoint, const std::string& path,
                             const std::vector<std::string>& network,
                             const std::map<std::string, std::string>& settings = {});

/// Copies weights, moments and state of `network` (of its first copy) into
/// `checkpoint`.
void take(PlacedNetwork& network, Checkpoint& checkpoint);
/// Copies them back, however that network is cut. Refuses sizes that are not its own.
Expected<void> restore(const Checkpoint& checkpoint, const std::string& path,
                       PlacedNetwork& network);
/// Weights and state alone, for a network that is not trained any further.
Expected<void> restore_weights(const Checkpoint& checkpoint, const std::string& path,
                               PlacedNetwork& network);

}  // namespace pipeline
