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
  /// `schedule` says how many steps, how many micro-batches in each, into how many
  /// slices they are cut, and how many an update takes in. It must outlive this, as
  /// must `options`. `most_rows` samples a batch.
  BatchStaging(PlacedNetwork& network, const Schedule& schedule, std::int32_t most_rows,
               const ExecutorOptions& options);

  /// Why these batches cannot be run, if they cannot: their number, or the size of one.
  std::optional<Error> fault_of(std::span<const Batch> batches) const;
  /// Splits the batches, and issues the copy of their labels to the last stage. A step
  /// is a batch; where each micro-batch has an update of its own, it is a small batch
  /// by itself, and its loss the mean over its own rows. `first_step` is the number of
  /// the first since training began.
  void begin(std::span<const Batch> batches, std::int64_t first_step);
  /// Copies the rows of a part (see parts.hpp) into host memory that streams like.
  Region stage_inputs(std::int32_t part);
  /// Of the part's matrices: samples x positions.
  std::int32_t rows_of(std::int32_t part) const {
    return parts_[static_cast<std::size_t>(part)].rows();
  }
  /// Which rows those are; on the last stage also what it needs beside its buffers.
  void complete(std::int32_t part, bool last_stage, MicroBatchData& data) const;
  /// Issues the copy of the losses to the host.
  void collect();
  /// Once `collect` has run on the device: sums in the order of the micro-batches.
  void read(RunResult& result) const;

  /// What it holds on a device.
  std::size_t bytes_on(std::int32_t device) const;

 private:
  struct Part {
    const Batch* batch = nullptr;
    std::int32_t micro_batch = 0;
    RowRange samples;         ///< of the batch
    RowRange positions;       ///< of each sample
    std::int32_t offset = 0;  ///< of its first row among the rows of all parts
    std::int64_t step = 0;

    std::int32_t rows() const { return samples.rows() * positions.rows(); }
  };
  std::optional<Error> fault_of_positions(std::int32_t positions) const;
  void add_micro_batch(const Batch& batch, std::int32_t step, std::int32_t place,
                       std::int64_t first_step);
  void copy_labels(const Part& part);
  /// On a device that holds the last stage, and where its sums come to on the host.
  struct AtLastStage {
    Stream* compute = nullptr;
    Buffer labels;     ///< of all rows
    Buffer sums;       ///< doubles and then int32s, one of each for each micro-batch
    Buffer host_sums;  ///< likewise
  };
  double* loss_sums(const Buffer& buffer) const;
  std::int32_t* correct_counts(const Buffer& buffer) const;
  std::size_t micro_batches() const {
    return static_cast<std::size_t>(schedule_.total_micro_batches());
  }
  const AtLastStage& last_stage_of(std::int32_t micro_batch) const {
    return last_[static_cast<std::size_t>(schedule_.copy_of(micro_batch))];
  }

  const Schedule& schedule_;
  const ExecutorOptions& options_;
  std::int32_t most_rows_;
  std::int32_t inputs_;  ///< columns
  std::uint64_t seed_;
  std::vector<Batch> batches_;
  std::vector<Part> parts_;  ///< by number
  Buffer host_inputs_;
  Buffer host_labels_;
  std::vector<AtLastStage> last_;  ///< by copy of the weights
};

}  // namespace pipeline
