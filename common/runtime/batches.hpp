/// \file
/// The batches of a run on their way in, and what it came to on its way out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/split.hpp"
#include "runtime/executor.hpp"
#include "runtime/stage_work.hpp"

namespace pipeline {

/// Host memory that streams copy from and to without blocking, cut into micro-batches,
/// and the last stage's memory for labels and losses, on each device that holds a copy
/// of that stage.
class BatchStaging {
 public:
  /// `schedule` says how many steps, how many micro-batches in each, and how many of
  /// them an update takes in. It must outlive this.
  BatchStaging(PlacedNetwork& network, const Schedule& schedule,
               std::int32_t most_rows);

  std::optional<Error> fault_of(std::span<const Batch> batches) const;
  /// Splits the batches, and issues the copy of their labels to the last stage. A step
  /// is a batch; where each micro-batch has an update of its own, it is a small batch
  /// by itself, and its loss the mean over its own rows.
  void begin(std::span<const Batch> batches);
  /// Copies the rows of a micro-batch into host memory that streams like.
  Region stage_inputs(std::int32_t micro_batch);
  std::int32_t rows_of(std::int32_t micro_batch) const {
    return parts_[static_cast<std::size_t>(micro_batch)].range.rows();
  }
  /// What the last stage needs beside its buffers.
  void complete(std::int32_t micro_batch, MicroBatchData& data) const;
  /// Issues the copy of the losses to the host.
  void collect();
  /// Once `collect` has run on the device: sums in the order of the micro-batches.
  void read(RunResult& result) const;

  /// What it holds on a device.
  std::size_t bytes_on(std::int32_t device) const;

 private:
  struct Part {
    const Batch* batch = nullptr;
    RowRange range;           ///< of the batch
    std::int32_t offset = 0;  ///< of its first row among the rows of all steps
  };
  /// On a device that holds the last stage, and where its sums come to on the host.
  struct AtLastStage {
    Stream* compute = nullptr;
    Buffer labels;     ///< of all rows
    Buffer sums;       ///< a double and then an int32 for each micro-batch
    Buffer host_sums;  ///< likewise
  };
  double* loss_sums(const Buffer& buffer) const;
  std::int32_t* correct_counts(const Buffer& buffer) const;
  const AtLastStage& last_stage_of(std::int32_t micro_batch) const {
    return last_[static_cast<std::size_t>(schedule_.copy_of(micro_batch))];
  }

  const Schedule& schedule_;
  std::int32_t most_rows_;
  std::int32_t inputs_;  ///< columns
  std::vector<Batch> batches_;
  std::vector<Part> parts_;  ///< by micro-batch
  Buffer host_inputs_;
  Buffer host_labels_;
  std::vector<AtLastStage> last_;  ///< by copy of the weights
};

}  // namespace pipeline
