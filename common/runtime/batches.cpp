#include "runtime/batches.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "schedule/numbers.hpp"
#include "schedule/parts.hpp"

namespace pipeline {
namespace {

std::size_t floats_to_bytes(std::int64_t floats) {
  return static_cast<std::size_t>(floats) * sizeof(float);
}

}  // namespace

BatchStaging::BatchStaging(PlacedNetwork& network, const Schedule& schedule,
                           std::int32_t most_rows, const ExecutorOptions& options)
    : schedule_(schedule),
      options_(options),
      most_rows_(most_rows),
      inputs_(network.stage(0).inputs()),
      seed_(network.seed()),
      batches_(static_cast<std::size_t>(schedule.steps)) {
  parts_.reserve(static_cast<std::size_t>(Parts(schedule).count()));
  const std::int64_t rows =
      std::int64_t{most_rows} * options.most_positions * schedule.steps;
  const std::size_t labels = static_cast<std::size_t>(rows) * sizeof(std::int32_t);
  const std::size_t sums = micro_batches() * (sizeof(double) + sizeof(std::int32_t));
  Platform& platform = network.platform();
  host_inputs_ = Buffer(platform, floats_to_bytes(rows * inputs_));
  host_labels_ = Buffer(platform, labels);
  for (std::int32_t copy = 0; copy < schedule.placement.copies(); ++copy) {
    const Stage& last = network.stage(schedule.stages() - 1, copy);
    Device& device = platform.device(last.device);
    last_.push_back({network.on(last.device).compute.get(), Buffer(device, labels),
                     Buffer(device, sums), Buffer(platform, sums)});
  }
}

std::optional<Error> BatchStaging::fault_of(std::span<const Batch> batches) const {
  if (static_cast<std::int32_t>(batches.size()) != schedule_.steps) {
    return Error{"the schedule has " + std::to_string(schedule_.steps) +
                     " steps, and got " + std::to_string(batches.size()) + " batches",
                 "give one batch a step"};
  }
  for (const Batch& batch : batches) {
    if (batch.rows < schedule_.micro_batches) {
      return Error{"a batch of " + std::to_string(batch.rows) +
                       " rows has too few for " +
                       std::to_string(schedule_.micro_batches) + " micro-batches",
                   "take a larger batch or fewer micro-batches"};
    }
    if (batch.rows > most_rows_) {
      return Error{"a batch of " + std::to_string(batch.rows) +
                       " rows is larger than the " + std::to_string(most_rows_) +
                       " that the executor was made for",
                   "make the executor for the largest batch"};
    }
    if (auto fault = fault_of_positions(batch.positions)) return fault;
  }
  return std::nullopt;
}

std::optional<Error> BatchStaging::fault_of_positions(std::int32_t positions) const {
  if (positions < 1 || positions > options_.most_positions) {
    return Error{"a batch has samples of " + counted(positions, "position") +
                     ", and the executor was made for 1 to " +
                     std::to_string(options_.most_positions),
                 "make the executor for the longest samples"};
  }
  return options_.slices.fault_of(schedule_, positions);
}

void BatchStaging::begin(std::span<const Batch> batches, std::int64_t first_step) {
  std::copy(batches.begin(), batches.end(), batches_.begin());
  parts_.clear();
  for (std::int32_t step = 0; step < schedule_.steps; ++step) {
    for (std::int32_t j = 0; j < schedule_.micro_batches; ++j) {
      add_micro_batch(batches_[static_cast<std::size_t>(step)], step, j, first_step);
    }
  }
  for (const Part& part : parts_) copy_labels(part);
  const std::int32_t rows = parts_.back().offset + parts_.back().rows();
  const std::size_t bytes = static_cast<std::size_t>(rows) * sizeof(std::int32_t);
  for (const AtLastStage& at : last_) {
    at.compute->copy(at.labels.part(0, bytes), host_labels_.part(0, bytes));
    at.compute->fill_zero(at.sums.region());
  }
}

void BatchStaging::add_micro_batch(const Batch& batch, std::int32_t step,
                                   std::int32_t place, std::int64_t first_step) {
  const std::int32_t micro_batch = step * schedule_.micro_batches + place;
  const std::int32_t slices = schedule_.slices_of(micro_batch);
  const RowRange samples = row_range(batch.rows, schedule_.micro_batches, place);
  for (std::int32_t slice = 0; slice < slices; ++slice) {
    const std::int32_t offset =
        parts_.empty() ? 0 : parts_.back().offset + parts_.back().rows();
    parts_.push_back({&batch, micro_batch, samples,
                      options_.slices.range(batch.positions, slices, place, slice),
                      offset, first_step + step});
  }
}

void BatchStaging::copy_labels(const Part& part) {
  auto* to = reinterpret_cast<std::int32_t*>(host_labels_.region().data) + part.offset;
  const Batch& batch = *part.batch;
  for (std::int32_t i = part.samples.begin; i < part.samples.end; ++i) {
    const std::int32_t* const from =
        batch.labels + std::ptrdiff_t{i} * batch.positions + part.positions.begin;
    to = std::copy_n(from, part.positions.rows(), to);
  }
}

Region BatchStaging::stage_inputs(std::int32_t number) {
  const Part& part = parts_[static_cast<std::size_t>(number)];
  const Region region =
      host_inputs_.part(floats_to_bytes(std::int64_t{part.offset} * inputs_),
                        floats_to_bytes(std::int64_t{part.rows()} * inputs_));
  float* to = region.floats();
  const Batch& batch = *part.batch;
  const std::ptrdiff_t floats = std::ptrdiff_t{part.positions.rows()} * inputs_;
  for (std::int32_t i = part.samples.begin; i < part.samples.end; ++i) {
    const std::ptrdiff_t row =
        std::ptrdiff_t{i} * batch.positions + part.positions.begin;
    to = std::copy_n(batch.inputs + row * inputs_, floats, to);
  }
  return region;
}

void BatchStaging::complete(std::int32_t number, bool last_stage,
                            MicroBatchData& data) const {
  const Part& part = parts_[static_cast<std::size_t>(number)];
  data.rows = part.rows();
  data.samples = part.samples.rows();
  data.pass.positions = part.positions.rows();
  data.pass.all_positions = part.batch->positions;
  data.pass.first_position = part.positions.begin;
  data.pass.first_sample = part.samples.begin;
  data.pass.step = part.step;
  data.pass.seed = seed_;
  data.pass.training = schedule_.training;
  if (!last_stage) return;
  const AtLastStage& at = last_stage_of(part.micro_batch);
  data.labels =
      reinterpret_cast<const std::int32_t*>(at.labels.region().data) + part.offset;
  data.loss_sum = loss_sums(at.sums) + part.micro_batch;
  data.correct = correct_counts(at.sums) + part.micro_batch;
  const bool alone = schedule_.micro_batches_per_update() == 1;
  const std::int32_t samples = alone ? part.samples.rows() : part.batch->rows;
  data.loss_weight = 1.0F / static_cast<float>(samples * part.batch->positions);
}

void BatchStaging::collect() {
  for (const AtLastStage& at : last_) {
    at.compute->copy(at.host_sums.region(), at.sums.region());
  }
}

std::size_t BatchStaging::bytes_on(std::int32_t device) const {
  std::size_t bytes = 0;
  for (const AtLastStage& at : last_) {
    if (at.compute->device().index() != device) continue;
    bytes += at.labels.region().bytes + at.sums.region().bytes;
  }
  return bytes;
}

void BatchStaging::read(RunResult& result) const {
  result.rows = 0;
  result.correct = 0;
  for (std::int32_t step = 0; step < schedule_.steps; ++step) {
    double sum = 0;
    for (std::int32_t j = 0; j < schedule_.micro_batches; ++j) {
      const std::int32_t micro_batch = step * schedule_.micro_batches + j;
      const Buffer& sums = last_stage_of(micro_batch).host_sums;
      sum += loss_sums(sums)[micro_batch];
      result.correct += correct_counts(sums)[micro_batch];
    }
    const Batch& batch = batches_[static_cast<std::size_t>(step)];
    const std::int32_t rows = batch.rows * batch.positions;
    result.step_loss[static_cast<std::size_t>(step)] = sum / rows;
    result.rows += rows;
  }
}

double* BatchStaging::loss_sums(const Buffer& buffer) const {
  return reinterpret_cast<double*>(buffer.region().data);
}

std::int32_t* BatchStaging::correct_counts(const Buffer& buffer) const {
  return reinterpret_cast<std::int32_t*>(loss_sums(buffer) + micro_batches());
}

}  // namespace pipeline
