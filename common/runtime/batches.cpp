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
    : network_(network),
      micro_batches_(schedule.micro_batches),
      steps_(schedule.steps),
      most_rows_(most_rows),
      inputs_(network.stage(0).inputs()),
      batches_(static_cast<std::size_t>(schedule.steps)),
      parts_(static_cast<std::size_t>(schedule.total_micro_batches())) {
  const std::int64_t rows = std::int64_t{most_rows} * steps_;
  const std::size_t labels = static_cast<std::size_t>(rows) * sizeof(std::int32_t);
  const std::size_t sums = parts_.size() * (sizeof(double) + sizeof(std::int32_t));
  Platform& platform = network.platform();
  host_inputs_ = Buffer(platform, floats_to_bytes(rows * inputs_));
  host_labels_ = Buffer(platform, labels);
  host_sums_ = Buffer(platform, sums);
  Device& last =
      platform.device(network.stage(network.placement().stages() - 1).device);
  labels_ = Buffer(last, labels);
  sums_ = Buffer(last, sums);
}

std::optional<Error> BatchStaging::fault_of(std::span<const Batch> batches) const {
  if (static_cast<std::int32_t>(batches.size()) != steps_) {
    return Error{"the schedule has " + std::to_string(steps_) + " steps, and got " +
                     std::to_string(batches.size()) + " batches",
                 "give one batch a step"};
  }
  for (const Batch& batch : batches) {
    if (batch.rows < micro_batches_) {
      return Error{"a batch of " + std::to_string(batch.rows) +
                       " rows has too few for " + std::to_string(micro_batches_) +
                       " micro-batches",
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
    for (std::int32_t j = 0; j < micro_batches_; ++j) {
      const RowRange range = row_range(batch.rows, micro_batches_, j);
      *part++ = {&batch, range, offset + range.begin};
    }
    std::memcpy(host_labels_.region().data +
                    static_cast<std::size_t>(offset) * sizeof(std::int32_t),
                batch.labels,
                static_cast<std::size_t>(batch.rows) * sizeof(std::int32_t));
    offset += batch.rows;
  }
  Stream& compute = *network_.on(labels_.region().device->index()).compute;
  const std::size_t bytes = static_cast<std::size_t>(offset) * sizeof(std::int32_t);
  compute.copy(labels_.part(0, bytes), host_labels_.part(0, bytes));
  compute.fill_zero(sums_.region());
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
  data.labels =
      reinterpret_cast<const std::int32_t*>(labels_.region().data) + part.offset;
  data.loss_sum = loss_sums(sums_) + micro_batch;
  data.correct = correct_counts(sums_) + micro_batch;
  data.loss_weight = 1.0F / static_cast<float>(part.batch->rows);
}

void BatchStaging::collect() {
  Stream& compute = *network_.on(sums_.region().device->index()).compute;
  compute.copy(host_sums_.region(), sums_.region());
}

void BatchStaging::read(RunResult& result) const {
  result.rows = 0;
  result.correct = 0;
  for (std::int32_t step = 0; step < steps_; ++step) {
    double sum = 0;
    for (std::int32_t j = 0; j < micro_batches_; ++j) {
      const std::int32_t micro_batch = step * micro_batches_ + j;
      sum += loss_sums(host_sums_)[micro_batch];
      result.correct += correct_counts(host_sums_)[micro_batch];
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
