/// \file
/// One device's worker: walks its row and issues what it says.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/batches.hpp"
#include "runtime/collectives.hpp"
#include "runtime/executor.hpp"
#include "runtime/recorder.hpp"
#include "runtime/stage_buffers.hpp"
#include "runtime/transport.hpp"
#include "runtime/watchdog.hpp"
#include "schedule/parts.hpp"

namespace pipeline {

/// Activations that a device holds, but not those of which only the input is left;
/// counted by the work itself when it runs. Touched by
/// the compute stream alone.
struct LiveCount {
  std::int32_t now = 0;   ///< held at this moment
  std::int32_t peak = 0;  ///< held at most, so far
};

/// What the workers of one executor share.
struct Workplace {
  PlacedNetwork& network;                              ///< whose stages run
  const Schedule& lowered;                             ///< what runs
  std::vector<std::unique_ptr<StageBuffers>>& stages;  ///< by copy and stage
  BatchStaging& batches;                               ///< of the run
  const Parts& parts;                                  ///< of the run
  Transport& transport;                                ///< what moves messages
  Collectives& collectives;                            ///< what sums over devices
  Watchdog& watchdog;                                  ///< who stops a run that hangs
  Recorder& recorder;                                  ///< what takes times
  std::vector<LiveCount>& live;                        ///< by device
  std::int64_t updates = 0;  ///< of each stage before this run
};

/// Walks the row of one device.
class Worker {
 public:
  /// Of a device; `workplace` must outlive it.
  Worker(Workplace& workplace, std::int32_t device);

  /// Issues everything in the row; returns early when the watchdog stops the run.
  void walk();

 private:
  bool communicate(std::span<const Entry> group);
  void post_send(const Action& action);
  void post_receive(const Action& action);
  void mark_arrival(const Action& action);

  bool compute(const Action& action);
  void forward(StageBuffers& stage, const Action& action);
  void recompute(StageBuffers& stage, std::int32_t part);
  void input_gradient(StageBuffers& stage, const Action& action);
  void weight_gradient(StageBuffers& stage, std::int32_t part);
  void after_weight_gradient(StageBuffers& stage, std::int32_t part);
  bool collective(const Action& action);
  void update(StageBuffers& stage, std::int32_t micro_batch);
  void keep_newest_weights();
  void load_input(StageBuffers& stage, std::int32_t part);
  void run_marked(const Work& work);

  std::int32_t part_of(const Action& action) const {
    return at_.parts.of(action.micro_batch, action.slice);
  }
  StageBuffers& stage_of(const Action& action) {
    return *at_.stages[place_of(at_.lowered, action.stage, action.micro_batch)];
  }
  bool is_on_other_device(const Stage& stage, std::int32_t neighbour) const;

  Workplace& at_;
  std::int32_t device_;
  const Row& row_;
  Stream& compute_;
  Stream& copy_;
  Compute& workspace_;
  LiveCount& live_;
  std::int32_t computations_ = 0;  ///< issued
  std::int32_t receives_ = 0;
};

}  // namespace pipeline
