#include "runtime/batches.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace pipeline {
namespace {

std::size_t floats_to_bytes(std::int64_t floats) {
  return static_cast<std::size_t>(floats) * sizeof(float);
}

}  // namespace

BatchStaging::BatchStaging(PlacedNetwork& network, const Schedule& schedule,
                           std::int32_t most_rows)
    : schedule_(schedule),
      most_rows_(most_rows),
      inputs_(network.stage(0).inputs()),
      batches_(static_cast<std::size_t>(schedule.steps)),
      parts_(static_cast<std::size_t>(schedule.total_micro_batches())) {
  const std::int64_t rows = std::int64_t{most_rows} * schedule.steps;
  const std::size_t labels = static_cast<std::size_t>(rows) * sizeof(std::int32_t);
  const std::size_t sums = parts_.size() * (sizeof(double) + sizeof(std::int32_t));
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
  }
  return std::nullopt;
}

void BatchStaging::begin(std::span<const Batch> batches) {
  std::copy(batches.begin(), batches.end(), batches_.begin());
  std::int32_t offset = 0;
  auto part = parts_.begin();
  for (const Batch& batch : batches_) {
    for (std::int32_t j = 0; j < schedule_.micro_batches; ++j) {
      const RowRange range = row_range(batch.rows, schedule_.micro_batches, j);
      *part++ = {&batch, range, offset + range.begin};
    }
    std::memcpy(host_labels_.region().data +
                    static_cast<std::size_t>(offset) * sizeof(std::int32_t),
                batch.labels,
                static_cast<std::size_t>(batch.rows) * sizeof(std::int32_t));
    offset += batch.rows;
  }
  const std::size_t bytes = static_cast<std::size_t>(offset) * sizeof(std::int32_t);
  for (const AtLastStage& at : last_) {
    at.compute->copy(at.labels.part(0, bytes), host_labels_.part(0, bytes));
    at.compute->fill_zero(at.sums.region());
  }
}

Region BatchStaging::stage_inputs(std::int32_t micro_batch) {
  const Part& part = parts_[static_cast<std::size_t>(micro_batch)];
  const std::size_t bytes = floats_to_bytes(std::int64_t{part.range.rows()} * inputs_);
  const Region region =
      host_inputs_.part(floats_to_bytes(std::int64_t{part.offset} * inputs_), bytes);
  std::memcpy(region.data,
              part.batch->inputs + std::ptrdiff_t{part.range.begin} * inputs_, bytes);
  return region;
}

void BatchStaging::complete(std::int32_t micro_batch, MicroBatchData& data) const {
  const Part& part = parts_[static_cast<std::size_t>(micro_batch)];
  const AtLastStage& at = last_stage_of(micro_batch);
  data.labels =
      reinterpret_cast<const std::int32_t*>(at.labels.region().data) + part.offset;
  data.loss_sum = loss_sums(at.sums) + micro_batch;
  data.correct = correct_counts(at.sums) + micro_batch;
  const bool alone = schedule_.micro_batches_per_update() == 1;
  data.loss_weight =
      1.0F / static_cast<float>(alone ? part.range.rows() : part.batch->rows);
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
    const std::int32_t rows = batches_[static_cast<std::size_t>(step)].rows;
    result.step_loss[static_cast<std::size_t>(step)] = sum / rows;
    result.rows += rows;
  }
}

double* BatchStaging::loss_sums(const Buffer& buffer) const {
  return reinterpret_cast<double*>(buffer.region().data);
}

std::int32_t* BatchStaging::correct_counts(const Buffer& buffer) const {
  return reinterpret_cast<std::int32_t*>(loss_sums(buffer) + parts_.size());
}

}  // namespace pipeline
