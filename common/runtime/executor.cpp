#include "runtime/executor.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "runtime/batches.hpp"
#include "runtime/collectives.hpp"
#include "runtime/in_process.hpp"
#include "runtime/recorder.hpp"
#include "runtime/slots.hpp"
#include "runtime/stage_buffers.hpp"
#include "runtime/team.hpp"
#include "runtime/watchdog.hpp"
#include "runtime/worker.hpp"
#include "schedule/lower.hpp"
#include "schedule/numbers.hpp"
#include "schedule/parts.hpp"
#include "schedule/verify.hpp"

namespace pipeline {
namespace {

constexpr const char* kHangRemedy =
    "group sends and receives that face each other, or allow more buffers";

/// The gradients of tied layers are summed when all devices meet.
std::optional<Error> fault_of_tie(const Schedule& schedule,
                                  const PlacedNetwork& network) {
  if (!network.tie() || !schedule.training) return std::nullopt;
  for (const Row& row : schedule.rows) {
    if (row.empty() || takes_norm(row)) continue;
    return Error{
        "the network has tied layers, and the schedule no moment at which all "
        "devices meet to sum their gradients",
        "generate the schedule with the global norm"};
  }
  return std::nullopt;
}

/// A schedule that hangs can still be run, to see it stopped; other faults cannot.
bool is_hang(const Fault& fault) {
  return fault.kind == FaultKind::Blocked || fault.kind == FaultKind::OutOfOrder;
}

std::optional<Error> fault_of(const Schedule& schedule, const Schedule& lowered,
                              const PlacedNetwork& network, std::int32_t most_rows,
                              const ExecutorOptions& options) {
  if (schedule.placement != network.placement()) {
    return Error{"the schedule places its stages otherwise than the network",
                 "place the network by the schedule's placement"};
  }
  if (options.most_positions < 1) {
    return Error{"a sample cannot have " + counted(options.most_positions, "position"),
                 "give 1 or more"};
  }
  if (auto fault = options.slices.fault_of(schedule, options.most_positions)) {
    return fault;
  }
  if (auto fault = fault_of_tie(schedule, network)) return fault;
  if (options.clip < 0) {
    return Error{"gradients cannot be clipped to a negative norm",
                 "give a positive norm, or 0 for no limit"};
  }
  for (const Row& row : schedule.rows) {
    if (options.clip == 0 || row.empty() || takes_norm(row)) continue;
    return Error{"gradients cannot be clipped by a norm that not all devices take",
                 "generate the schedule with the global norm, or set clip to 0"};
  }
  if (options.buffers < 0) {
    return Error{"a link cannot hold " + std::to_string(options.buffers) + " messages",
                 "give 0 (rendezvous) or more buffers"};
  }
  if (most_rows < schedule.micro_batches) {
    return Error{"a batch of " + std::to_string(most_rows) + " rows has too few for " +
                     std::to_string(schedule.micro_batches) + " micro-batches",
                 "take a larger batch or fewer micro-batches"};
  }
  if (std::int64_t{most_rows} * options.most_positions >
      std::numeric_limits<std::int32_t>::max() / schedule.steps) {
    return Error{std::to_string(schedule.steps) + " steps of " +
                     std::to_string(std::int64_t{most_rows} * options.most_positions) +
                     " rows are too many for one run",
                 "make runs of fewer steps"};
  }
  VerifyOptions verify_options;
  verify_options.buffers = options.buffers;
  for (const Fault& fault : verify(lowered, verify_options)) {
    if (is_hang(fault) && !options.verify_first) continue;
    return Error{fault.reason, is_hang(fault) ? kHangRemedy : "mend the schedule"};
  }
  return std::nullopt;
}

/// The two ends of a link, or nothing where both are one device.
InProcessTransport::End end_of_link(
    PlacedNetwork& network, const std::vector<std::unique_ptr<StageBuffers>>& stages,
    const InProcessTransport::LinkName& link) {
  const Placement& placement = network.placement();
  const std::int32_t to = link.from_stage + (link.activations ? 1 : -1);
  if (to < 0 || to >= placement.stages()) return {};
  const std::int32_t sender = placement.device_of(link.from_stage, link.copy);
  const std::int32_t receiver = placement.device_of(to, link.copy);
  if (sender == receiver) return {};
  const StageBuffers& source = *stages[place_of(placement, link.from_stage, link.copy)];
  return {&network.platform().device(receiver), network.on(receiver).copy.get(), sender,
          receiver,
          (link.activations ? source.outputs : source.input_gradients).plan.buffers};
}

}  // namespace

/// In the order in which each needs the ones before it.
struct Executor::Parts {
  Parts(PlacedNetwork& on, const Schedule& given, Schedule rows,
        const std::vector<StagePlan>& plans, std::int32_t most_rows,
        const ExecutorOptions& with);

  LargestParts largest(std::int32_t most_rows) const;
  void look_for_not_finite(bool collect);
  void read_not_finite();

  PlacedNetwork& network;
  Schedule schedule;
  Schedule lowered;
  ExecutorOptions options;
  pipeline::Parts numbering;
  std::vector<std::unique_ptr<StageBuffers>> stages;
  BatchStaging batches;
  Watchdog watchdog;
  InProcessTransport transport;
  Collectives collectives;
  Recorder recorder;
  std::vector<LiveCount> live;
  std::vector<Buffer> host_not_finite;  ///< by stage
  RunResult result;
  Workplace workplace;
  std::vector<Worker> workers;
  Team team;

  Expected<void> run(std::span<const Batch> given, std::int64_t first_step);
  void synchronize();
};

Executor::Parts::Parts(PlacedNetwork& on, const Schedule& given, Schedule rows,
                       const std::vector<StagePlan>& plans, std::int32_t most_rows,
                       const ExecutorOptions& with)
    : network(on),
      schedule(given),
      lowered(std::move(rows)),
      options(with),
      numbering(lowered),
      stages(allocate_stages(network, plans, lowered, largest(most_rows))),
      batches(network, lowered, most_rows, options),
      watchdog(lowered),
      transport(watchdog, lowered, options.buffers,
                [this](const InProcessTransport::LinkName& link) {
                  return end_of_link(network, stages, link);
                }),
      collectives(network, lowered, watchdog, options.clip),
      recorder(network.platform(), schedule, lowered),
      live(static_cast<std::size_t>(lowered.devices())),
      workplace{network,   lowered,     stages,   batches,  numbering,
                transport, collectives, watchdog, recorder, live},
      team(lowered.devices(),
           [this](std::int32_t w) { workers[static_cast<std::size_t>(w)].walk(); }) {
  for (std::int32_t d = 0; d < lowered.devices(); ++d) {
    workers.emplace_back(workplace, d);
  }
  for (const auto& stage : stages) {
    host_not_finite.emplace_back(network.platform(), stage->not_finite.region().bytes);
  }
  result.step_loss.resize(static_cast<std::size_t>(lowered.steps));
  if (collectives.takes_norms()) result.step_norm.resize(result.step_loss.size());
  result.peak_live.resize(live.size());
  result.weight_versions.resize(static_cast<std::size_t>(lowered.stages()));
  result.most_stale.resize(result.weight_versions.size());
  result.timeline = recorder.make_timeline();
}

LargestParts Executor::Parts::largest(std::int32_t most_rows) const {
  return {(most_rows + lowered.micro_batches - 1) / lowered.micro_batches,
          options.most_positions,
          options.slices.longest(lowered, options.most_positions)};
}

Expected<void> Executor::Parts::run(std::span<const Batch> given,
                                    std::int64_t first_step) {
  if (auto fault = batches.fault_of(given)) return tl::unexpected(std::move(*fault));
  std::fill(live.begin(), live.end(), LiveCount{});
  for (const auto& stage : stages) stage->weight_log.begin();
  watchdog.begin();
  transport.begin();
  collectives.begin();
  network.on(0).compute->mark(recorder.origin());
  batches.begin(given, first_step);
  workplace.updates =
      first_step * (lowered.micro_batches / lowered.micro_batches_per_update());
  look_for_not_finite(/*collect=*/false);
  team.run();
  look_for_not_finite(/*collect=*/true);
  batches.collect();
  collectives.collect();
  synchronize();
  if (watchdog.stopped()) {
    network.clear_gradients();
    return refuse(watchdog.verdict(), kHangRemedy);
  }
  if (const std::string fault = network.platform().fault(); !fault.empty()) {
    return refuse(fault, "this is a fault of the workbook or of the device: report it");
  }
  batches.read(result);
  read_not_finite();
  collectives.read(result.step_norm);
  recorder.fill(result.timeline);
  std::transform(live.begin(), live.end(), result.peak_live.begin(),
                 [](const LiveCount& count) { return count.peak; });
  for (std::size_t s = 0; s < result.weight_versions.size(); ++s) {
    const WeightLog& log =
        stages[s]->weight_log;  // of the first copy, as of the second
    result.weight_versions[s] = log.most_versions();
    result.most_stale[s] = log.most_stale();
  }
  return {};
}

void Executor::Parts::look_for_not_finite(bool collect) {
  for (std::size_t s = 0; s < stages.size(); ++s) {
    Stream& compute = *network.on(stages[s]->stage->device).compute;
    if (collect) {
      compute.copy(host_not_finite[s].region(), stages[s]->not_finite.region());
    } else {
      compute.fill_zero(stages[s]->not_finite.region());
    }
  }
}

/// The first micro-batch counts, and of those its first layer.
void Executor::Parts::read_not_finite() {
  result.not_finite.reset();
  std::int32_t first = std::numeric_limits<std::int32_t>::max();
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const Stage& stage = *stages[s]->stage;
    const auto* marks =
        reinterpret_cast<const std::int32_t*>(host_not_finite[s].region().data);
    for (std::size_t i = 0; i < stage.layers.size(); ++i) {
      if (marks[i] == 0 || marks[i] >= first) continue;
      first = marks[i];
      result.not_finite = {stage.index, stage.layer_at(i),
                           (first - 1) / lowered.micro_batches};
    }
  }
}

void Executor::Parts::synchronize() {
  for (std::int32_t d = 0; d < lowered.devices(); ++d) {
    network.on(d).copy->synchronize();
    network.on(d).compute->synchronize();
  }
}

Expected<std::unique_ptr<Executor>> Executor::make(PlacedNetwork& network,
                                                   const Schedule& schedule,
                                                   std::int32_t most_rows,
                                                   const ExecutorOptions& options) {
  Schedule lowered = lower(schedule);
  if (auto fault = fault_of(schedule, lowered, network, most_rows, options)) {
    return tl::unexpected(std::move(*fault));
  }
  auto plans = plan_stages(lowered, options.buffers);
  if (!plans) return tl::unexpected(std::move(plans.error()));
  return std::unique_ptr<Executor>(new Executor(std::make_unique<Parts>(
      network, schedule, std::move(lowered), *plans, most_rows, options)));
}

Executor::Executor(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Executor::~Executor() = default;

Expected<void> Executor::run(std::span<const Batch> batches, std::int64_t first_step) {
  return parts_->run(batches, first_step);
}

const RunResult& Executor::result() const { return parts_->result; }

const Schedule& Executor::schedule() const { return parts_->schedule; }

std::size_t Executor::planned_bytes(std::int32_t device) const {
  std::size_t bytes = parts_->batches.bytes_on(device);
  bytes += parts_->collectives.bytes_on(device);
  for (const auto& stage : parts_->stages) {
    if (stage->stage->device == device) bytes += stage->bytes();
  }
  return bytes;
}

}  // namespace pipeline
