/// \file
/// What the command `bench` trains on both sides when asked for the peer.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "layers/optimizer.hpp"
#include "layers/transformer.hpp"

namespace pipeline {

/// A model, and how it is trained on both sides.
struct PeerContest {
  std::string_view name;               ///< "mlp"
  std::string_view model;              ///< mlp, residual or transformer
  std::string_view unit;               ///< what is counted: images, tokens
  double wanted = 1;                   ///< the least that our speed over theirs may be
  std::string_view schedule = "1f1b";  ///< a name that `generate` knows
  std::int32_t devices = 1;            ///< here a thread each, there a process each
  std::int32_t chunks = 1;             ///< stages a device
  std::int32_t micro_batches = 1;      ///< m
  std::int32_t samples = 0;            ///< in a batch
  std::int32_t positions = 1;          ///< in a sample
  std::int32_t batches = 0;            ///< different ones, used in turn
  std::int32_t steps = 0;              ///< in a turn of one side
  /// Windows of the book's text that no step shows, whose loss is compared after each
  /// turn, too; 0: the batches are made up.
  std::int32_t held_out = 0;
  Optimizer optimizer;  ///< the same on both sides

  /// Of the model.
  std::int32_t stages() const { return devices * chunks; }
};

/// The transformer that both sides train.
inline constexpr TransformerShape kPeerTransformer = {
    .width = 256, .heads = 8, .blocks = 8, .context = 128};

/// All of them, in the order of the table.
const std::vector<PeerContest>& peer_contests();
/// Null if there is none of that name.
const PeerContest* find_peer_contest(std::string_view name);

}  // namespace pipeline
