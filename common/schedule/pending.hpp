/// \file
/// Which actions of which stage and micro-batch are still to run: a dense table, a set
/// of kinds a cell. Private to the schedule part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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

class PendingTable {
 public:
  explicit PendingTable(const Schedule& schedule)
      : stages_(schedule.stages()),
        micro_batches_(schedule.total_micro_batches()),
        cells_(static_cast<std::size_t>(stages_) *
               static_cast<std::size_t>(micro_batches_)) {}

  /// The cells of stage s follow one another by micro-batch, those of s+1 come next.
  std::size_t cell(std::int32_t stage, std::int32_t micro_batch) const {
    return static_cast<std::size_t>(stage) * static_cast<std::size_t>(micro_batches_) +
           static_cast<std::size_t>(micro_batch);
  }
  std::size_t cell(const Action& action) const {
    return cell(action.stage, action.micro_batch);
  }

  bool in_range(const Action& action) const {
    return static_cast<std::uint32_t>(action.stage) <
               static_cast<std::uint32_t>(stages_) &&
           static_cast<std::uint32_t>(action.micro_batch) <
               static_cast<std::uint32_t>(micro_batches_) &&
           action.slice == 0 && action.kind <= ActionKind::Update;
  }

  KindSet operator[](std::size_t cell) const { return cells_[cell]; }
  bool contains(const Action& action) const {
    return (cells_[cell(action)] & set_of(action.kind)) != 0;
  }
  void insert(const Action& action) { cells_[cell(action)] |= set_of(action.kind); }
  void erase(const Action& action) {
    cells_[cell(action)] &= static_cast<KindSet>(~set_of(action.kind));
  }

  std::int32_t stages() const { return stages_; }
  std::int32_t micro_batches() const { return micro_batches_; }

 private:
  std::int32_t stages_;
  std::int32_t micro_batches_;
  std::vector<KindSet> cells_;
};

}  // namespace pipeline
