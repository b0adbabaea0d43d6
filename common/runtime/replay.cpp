#include "runtime/replay.hpp"

#include <sched.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "runtime/stage_work.hpp"
#include "timeline/median.hpp"
#include "timeline/simulate.hpp"

namespace pipeline {
namespace {

/// Times pieces of work on one stream, one at a time.
class Stopwatch {
 public:
  Stopwatch(Platform& platform, std::int32_t from, std::int32_t to)
      : platform_(platform),
        begin_(platform.device(from).make_mark()),
        end_(platform.device(to).make_mark()) {}

  TimeMark& begin() { return *begin_; }
  TimeMark& end() { return *end_; }
  double seconds() const { return platform_.seconds_between(*begin_, *end_); }

 private:
  Platform& platform_;
  std::unique_ptr<TimeMark> begin_;
  std::unique_ptr<TimeMark> end_;
};

double median_seconds(Platform& platform, Stream& stream, std::int32_t repetitions,
                      const Work& work) {
  const std::int32_t device = stream.device().index();
  Stopwatch watch(platform, device, device);
  std::vector<double> seconds;
  for (std::int32_t i = -1; i < repetitions; ++i) {
    stream.mark(watch.begin());
    stream.run(work);
    stream.mark(watch.end());
    stream.synchronize();
    if (i >= 0) seconds.push_back(watch.seconds());  // the first one warms up
  }
  return median(std::move(seconds));
}

/// Memory of one stage for one micro-batch, beside the network's: the weights are
/// copies, so that an Update can be measured too.
class Rehearsal {
 public:
  Rehearsal(PlacedNetwork& network, std::int32_t index, std::int32_t rows,
            std::int32_t positions)
      : network_(network),
        streams_(network.on(network.stage(index).device)),
        stage_(copy_of(network.stage(index))),
        layout_(stage_, rows * positions) {
    data_.rows = rows * positions;
    data_.samples = rows;
    data_.pass.positions = data_.pass.all_positions = positions;
    add(layout_.input_bytes, data_.input);
    add(layout_.slot_bytes, data_.slot);
    add(layout_.output_bytes, data_.output);
    add(layout_.output_bytes, data_.output_gradient);
    add(layout_.inner_bytes, data_.inner);
    add(layout_.input_bytes, data_.input_gradient);
    float* labels = nullptr;
    float* sums = nullptr;
    add(static_cast<std::size_t>(data_.rows) * sizeof(std::int32_t), labels);
    add(sizeof(double) + sizeof(std::int32_t), sums);
    data_.labels = reinterpret_cast<std::int32_t*>(labels);
    data_.loss_sum = reinterpret_cast<double*>(sums);
    data_.correct = reinterpret_cast<std::int32_t*>(data_.loss_sum + 1);
    data_.loss_weight = 1.0F / static_cast<float>(data_.rows);
    data_.weights = stage_.weights.region().floats();
    update_.weights = update_.new_weights = data_.weights;
    update_.optimizer = &network.optimizer();
    fill_inputs();
  }

  StageCosts measure(std::int32_t repetitions) {
    const auto time = [&](const auto& work) {
      return median_seconds(network_.platform(), *streams_.compute, repetitions,
                            Work(work));
    };
    StageCosts costs;
    const StageLayout* layout = &layout_;
    const MicroBatchData* data = &data_;
    const UpdateData* update = &update_;
    Compute* on = streams_.workspace.get();
    costs.forward = time([=](NativeStream stream) {
      on->enter(stream);
      stage_forward(*layout, *on, *data);
    });
    costs.input_gradient = time([=](NativeStream stream) {
      on->enter(stream);
      stage_input_gradient(*layout, *on, *data);
    });
    costs.weight_gradient = time([=](NativeStream stream) {
      on->enter(stream);
      stage_weight_gradient(*layout, *on, *data);
    });
    costs.update = time([=](NativeStream stream) {
      on->enter(stream);
      stage_update(*layout->stage, *on, *update);
    });
    costs.recompute = time([=](NativeStream stream) {
      on->enter(stream);
      stage_recompute(*layout, *on, *data);
    });
    costs.overlapped = costs.forward + costs.backward();
    return costs;
  }

 private:
  Stage copy_of(const Stage& original) {
    Stage stage;
    stage.index = original.index;
    stage.device = original.device;
    stage.first = original.first;
    stage.last = original.last;
    stage.first_layer = original.first_layer;
    stage.layers = original.layers;
    stage.offsets = original.offsets;
    stage.parameter_count = original.parameter_count;
    stage.state_offsets = original.state_offsets;
    stage.state_count = original.state_count;
    stage.skips = original.skips;
    stage.skips_in = original.skips_in;
    stage.skips_out = original.skips_out;
    for (Buffer Stage::*kept :
         {&Stage::weights, &Stage::gradients, &Stage::moments, &Stage::state}) {
      const Region from = (original.*kept).region();
      if (from.bytes == 0) continue;
      stage.*kept = Buffer(network_.platform().device(stage.device), from.bytes);
      streams_.compute->copy((stage.*kept).region(), from);
    }
    return stage;
  }

  void add(std::size_t bytes, float*& at) {
    memory_.emplace_back(network_.platform().device(stage_.device), bytes);
    at = memory_.back().region().floats();
    streams_.compute->fill_zero(memory_.back().region());
  }

  // Not constant and not zero: what a layer costs may depend on what it reads. In one
  // column come tokens, of a vocabulary that has at least two.
  void fill_inputs() {
    for (const std::size_t i : {std::size_t{0}, std::size_t{3}}) {
      const bool tokens = i == 0 && stage_.inputs() == 1;
      std::vector<float> values(memory_[i].region().float_count());
      for (std::size_t j = 0; j < values.size(); ++j) {
        const int number = static_cast<int>(j * 37 % 101);
        values[j] = tokens ? static_cast<float>(number % 2)
                           : static_cast<float>(number - 50) * 0.02F;
      }
      streams_.compute->copy(memory_[i].region(),
                             {reinterpret_cast<std::byte*>(values.data()),
                              memory_[i].region().bytes, nullptr});
      streams_.compute->synchronize();
    }
  }

  PlacedNetwork& network_;
  DeviceStreams& streams_;
  Stage stage_;
  StageLayout layout_;
  MicroBatchData data_;
  UpdateData update_;
  std::vector<Buffer> memory_;  // input, slot, output, output gradient, …
};

/// Seconds from the end of work on one device to the start of work on another that
/// needs `bytes` bytes of it: the same events and copy as in a run.
double hop_seconds(PlacedNetwork& network, std::int32_t from, std::int32_t to,
                   std::size_t bytes, std::int32_t repetitions) {
  Platform& platform = network.platform();
  const Buffer source(platform.device(from), bytes);
  const Buffer target(platform.device(to), bytes);
  const auto ready = platform.device(from).make_event();
  const auto arrived = platform.device(to).make_event();
  Stopwatch watch(platform, from, to);
  std::vector<double> seconds;
  for (std::int32_t i = -1; i < repetitions; ++i) {
    Stream& sender = *network.on(from).compute;
    sender.fill_zero(source.region());
    sender.mark(watch.begin());
    sender.record(*ready);
    network.on(to).copy->wait(*ready);
    network.on(to).copy->copy(target.region(), source.region());
    network.on(to).copy->record(*arrived);
    network.on(to).compute->wait(*arrived);
    network.on(to).compute->mark(watch.end());
    network.on(to).compute->synchronize();
    if (i >= 0) seconds.push_back(watch.seconds());
  }
  return median(std::move(seconds));
}

/// Of the first pair of neighbouring stages on two devices; free if there is none.
LinkCosts measure_link(PlacedNetwork& network, double most_bytes,
                       std::int32_t repetitions) {
  const Placement& placement = network.placement();
  for (std::int32_t s = 0; s + 1 < placement.stages(); ++s) {
    const std::int32_t from = placement.device_of(s);
    const std::int32_t to = placement.device_of(s + 1);
    if (from == to) continue;
    constexpr std::size_t kSmall = 64;
    const auto large = std::max(static_cast<std::size_t>(most_bytes), 2 * kSmall);
    LinkCosts link;
    link.latency = std::max(hop_seconds(network, from, to, kSmall, repetitions), 0.0);
    const double more =
        hop_seconds(network, from, to, large, repetitions) - link.latency;
    if (more > 0) link.bandwidth = static_cast<double>(large - kSmall) / more;
    return link;
  }
  return {};
}

}  // namespace

std::int32_t usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return CPU_COUNT(&set);
}

Level honest_level(const Platform& platform) {
  const Level level = platform.level();
  const bool shared =
      (level == Level::HostThreads && platform.devices() > usable_cores()) ||
      (level == Level::OneGpu && platform.devices() > 1);
  return shared ? Level::Replay : level;
}

Costs measure_action_costs(PlacedNetwork& network, std::int32_t rows,
                           std::int32_t repetitions, std::int32_t positions) {
  Costs costs;
  costs.stages.clear();
  costs.message_bytes.clear();
  double most_bytes = 0;
  for (std::int32_t s = 0; s < network.placement().stages(); ++s) {
    costs.stages.push_back(Rehearsal(network, s, rows, positions).measure(repetitions));
    const StageLayout layout(network.stage(s), rows * positions);
    const auto bytes =
        static_cast<double>(layout.output_floats(rows * positions) * sizeof(float));
    costs.message_bytes.push_back(bytes);
    if (!network.stage(s).last) most_bytes = std::max(most_bytes, bytes);
  }
  costs.within_node = measure_link(network, most_bytes, repetitions);
  costs.between_nodes = costs.within_node;
  return costs;
}

Expected<Costs> measure_layer_costs(Platform& platform, const Network& network,
                                    std::int32_t rows, std::int32_t repetitions) {
  const auto layers = static_cast<std::int32_t>(network.size());
  const auto each = even_split(layers, layers);
  if (!each) return tl::unexpected(each.error());
  const auto placed = PlacedNetwork::place(platform, network, *each,
                                           loop_placement(1, layers), /*seed=*/1);
  if (!placed) return tl::unexpected(placed.error());
  Costs costs = measure_action_costs(**placed, rows, repetitions);
  // Alone, a layer has nothing to make again; in a stage all but the last one have.
  for (StageCosts& layer : costs.stages) layer.recompute = layer.forward;
  return costs;
}

Expected<Timeline> replay(const Schedule& schedule, const Costs& costs) {
  auto timeline = simulate(schedule, costs, {.record_transfers = true});
  if (timeline) timeline->level = Level::Replay;
  return timeline;
}

}  // namespace pipeline
