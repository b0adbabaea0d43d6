/// \file
/// Which actions of which stage and micro-batch are still to run: a dense table, a set
/// of kinds a cell. Private to the schedule part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedule/parts.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// A set of action kinds, a bit each.
using KindSet = std::uint16_t;

constexpr KindSet set_of(ActionKind kind) {
  return static_cast<KindSet>(1U << static_cast<unsigned>(kind));
}

template <typename... Kinds>
constexpr KindSet set_of(ActionKind first, Kinds... rest) {
  return static_cast<KindSet>(set_of(first) | set_of(rest...));
}

/// Whose gradients each update takes in: a step's on one copy of the weights, or those
/// of one micro-batch where each backward is followed by an update. A group is what the
/// updates of all stages and copies take in together.
class UpdateGroups {
 public:
  explicit UpdateGroups(const Schedule& schedule)
      : size_(schedule.micro_batches_per_update()),
        count_(schedule.total_micro_batches() / size_),
        copies_(schedule.placement.copies()),
        of_first_copy_(copies_ == 1 ? size_ : schedule.micro_batches_of_first_copy()) {}

  std::int32_t count() const { return count_; }
  std::int32_t copies() const { return copies_; }
  std::int32_t of(std::int32_t micro_batch) const {
    return count_ == 1 ? 0 : size_ == 1 ? micro_batch : micro_batch / size_;
  }
  std::int32_t copy_of(std::int32_t micro_batch) const {
    return copies_ == 1 || micro_batch % size_ < of_first_copy_ ? 0 : 1;
  }
  /// The micro-batches of a group on a copy are [begin, end), and never none.
  std::int32_t begin(std::int32_t group, std::int32_t copy) const {
    return group * size_ + (copy == 0 ? 0 : of_first_copy_);
  }
  std::int32_t end(std::int32_t group, std::int32_t copy) const {
    return copy + 1 == copies_ ? (group + 1) * size_ : group * size_ + of_first_copy_;
  }
  std::int32_t last(std::int32_t group, std::int32_t copy) const {
    return end(group, copy) - 1;
  }
  bool is_last(std::int32_t micro_batch) const {
    return last(of(micro_batch), copy_of(micro_batch)) == micro_batch;
  }

 private:
  std::int32_t size_;
  std::int32_t count_;
  std::int32_t copies_;
  std::int32_t of_first_copy_;
};

class PendingTable {
 public:
  explicit PendingTable(const Schedule& schedule)
      : stages_(schedule.stages()),
        micro_batches_(schedule.total_micro_batches()),
        parts_(schedule),
        cells_(static_cast<std::size_t>(stages_) *
               static_cast<std::size_t>(parts_.count())) {}

  const Parts& parts() const { return parts_; }
  std::size_t size() const { return cells_.size(); }

  /// The cells of stage s follow one another by part, those of s+1 come next.
  std::size_t cell(std::int32_t stage, std::int32_t part) const {
    return static_cast<std::size_t>(stage) * static_cast<std::size_t>(parts_.count()) +
           static_cast<std::size_t>(part);
  }
  std::size_t cell(const Action& action) const {
    return cell(action.stage, parts_.of(action.micro_batch, action.slice));
  }

  bool in_range(const Action& action) const {
    return static_cast<std::uint32_t>(action.stage) <
               static_cast<std::uint32_t>(stages_) &&
           static_cast<std::uint32_t>(action.micro_batch) <
               static_cast<std::uint32_t>(micro_batches_) &&
           (action.slice == 0 ||
            (action.slice > 0 &&
             action.slice < parts_.slices_of(action.micro_batch))) &&
           action.kind <= ActionKind::Update;
  }

  KindSet operator[](std::size_t cell) const { return cells_[cell]; }
  bool contains(const Action& action) const {
    return (cells_[cell(action)] & set_of(action.kind)) != 0;
  }
  void insert(const Action& action) { cells_[cell(action)] |= set_of(action.kind); }
  void erase(const Action& action) {
    cells_[cell(action)] &= static_cast<KindSet>(~set_of(action.kind));
  }

  /// That a device has come to a Reduce or ReduceNorm, and takes part in it. Kept
  /// beside the kinds.
  void mark_joined(const Action& collective) {
    cells_[cell(collective)] |= joined_bit(collective.kind);
  }
  bool has_joined(const Action& collective) const {
    return (cells_[cell(collective)] & joined_bit(collective.kind)) != 0;
  }

  std::int32_t stages() const { return stages_; }
  std::int32_t micro_batches() const { return micro_batches_; }

 private:
  static constexpr KindSet joined_bit(ActionKind kind) {
    constexpr unsigned kBehindTheKinds = 3;
    static_assert(static_cast<unsigned>(ActionKind::Update) <
                  static_cast<unsigned>(ActionKind::Reduce) + kBehindTheKinds);
    return static_cast<KindSet>(set_of(kind) << kBehindTheKinds);
  }

  std::int32_t stages_;
  std::int32_t micro_batches_;
  Parts parts_;
  std::vector<KindSet> cells_;
};

}  // namespace pipeline
