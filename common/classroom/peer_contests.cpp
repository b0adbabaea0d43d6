#include "classroom/peer_contests.hpp"

#include <algorithm>

namespace pipeline {
namespace {

Optimizer momentum_sgd(float rate) {
  Optimizer optimizer;
  optimizer.kind = Optimizer::Kind::Sgd;
  optimizer.rate = rate;
  return optimizer;
}

PeerContest image_contest(std::string_view name, std::int32_t samples,
                          std::int32_t batches, std::int32_t steps, float rate) {
  PeerContest contest;
  contest.name = name;
  contest.model = name;
  contest.unit = "images";
  contest.samples = samples;
  contest.batches = batches;
  contest.steps = steps;
  contest.optimizer = momentum_sgd(rate);
  return contest;
}

/// A step is 1024 tokens on one device, and 4096 where there are micro-batches.
PeerContest text_contest(std::string_view name, std::string_view schedule,
                         std::int32_t devices, std::int32_t chunks) {
  PeerContest contest;
  contest.name = name;
  contest.model = "transformer";
  contest.unit = "tokens";
  contest.wanted = devices == 1 ? 1 : 1.15;
  contest.schedule = schedule;
  contest.devices = devices;
  contest.chunks = chunks;
  contest.micro_batches = devices == 1 ? 1 : 8;
  contest.samples = devices == 1 ? 8 : 32;
  contest.positions = kPeerTransformer.context;
  contest.batches = devices == 1 ? 48 : 32;
  contest.steps = devices == 1 ? 6 : 3;
  contest.held_out = devices == 1 ? 16 : 0;
  contest.optimizer.kind = Optimizer::Kind::AdamW;
  contest.optimizer.rate = 1e-3F;
  return contest;
}

std::vector<PeerContest> make_contests() {
  return {image_contest("mlp", 128, 128, 60, 2e-3F),
          image_contest("residual", 64, 128, 20, 3e-3F),
          text_contest("transformer", "1f1b", 1, 1), text_contest("1f1b", "1f1b", 2, 1),
          text_contest("interleaved", "interleaved", 2, 2)};
}

}  // namespace

const std::vector<PeerContest>& peer_contests() {
  static const std::vector<PeerContest> contests = make_contests();
  return contests;
}

const PeerContest* find_peer_contest(std::string_view name) {
  const auto& all = peer_contests();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const PeerContest& c) { return c.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace pipeline
