/// \file
/// Runs a schedule for real: a worker a device walks its row of the lowered schedule.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/split.hpp"
#include "device/device.hpp"
#include "layers/layer.hpp"
#include "schedule/error.hpp"
#include "schedule/schedule.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// A network: its layers in order, ending in logits. The loss is the last stage's.
using Network = std::vector<std::unique_ptr<Layer>>;

/// Stage s holds layers [first_layer[s], first_layer[s+1]); has stages + 1 entries.
using LayerSplit = std::vector<std::int32_t>;

struct TrainingOptions {
  float rate = 0.05F;
  float momentum = 0.9F;
  std::uint64_t seed = 1;       ///< of the starting weights
  std::int32_t buffers = 2;     ///< messages in flight a link; 0 is rendezvous
  bool verify_first = true;     ///< false: let the watchdog find what hangs (tests)
  double watchdog_seconds = 2;  ///< without progress on any device
};

/// One batch on the host, read by the first stage (images) and the last (labels).
struct Batch {
  const float* inputs = nullptr;  ///< rows x inputs of the first layer
  const std::int32_t* labels = nullptr;
  std::int32_t rows = 0;
};

/// What a run of one or several steps came to.
struct RunResult {
  std::vector<double> step_loss;        ///< mean loss over the rows of each step
  std::int64_t correct = 0;             ///< rows whose largest logit was the label
  Timeline timeline;                    ///< measured; belongs to `Executor::schedule()`
  std::vector<std::int32_t> peak_live;  ///< per device: most live micro-batches seen
  std::uint64_t allocations_after_first_step = 0;
};

}  // namespace pipeline
