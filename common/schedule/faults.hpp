/// \file
/// The faults found so far, bounded for schedules that are broken throughout. Private
/// to the schedule part.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schedule/verify.hpp"

namespace pipeline {

class FaultList {
 public:
  /// `reason` makes the text, and is called only while there is room for it.
  template <typename Reason>
  void add(FaultKind kind, const Reason& reason) {
    if (++count(kind) <= kMaximumFaultsOfAKind) faults_.push_back({kind, reason()});
  }

  bool empty() const { return faults_.empty(); }
  /// Whether looking for more of this kind can still tell something new.
  bool has_room(FaultKind kind) { return count(kind) <= kMaximumFaultsOfAKind; }

  /// The faults in the order in which they were found, and one more for each kind of
  /// which there were too many.
  std::vector<Fault> take() {
    for (std::size_t kind = 0; kind < counts_.size(); ++kind) {
      const std::int64_t left_out = counts_[kind] - kMaximumFaultsOfAKind;
      if (left_out > 0) {
        faults_.push_back(
            {static_cast<FaultKind>(kind),
             "and at least " + std::to_string(left_out) + " more of this kind"});
      }
    }
    return std::move(faults_);
  }

 private:
  std::int64_t& count(FaultKind kind) {
    return counts_[static_cast<std::size_t>(kind)];
  }

  std::array<std::int64_t, static_cast<std::size_t>(FaultKind::Blocked) + 1> counts_{};
  std::vector<Fault> faults_;
};

}  // namespace pipeline
