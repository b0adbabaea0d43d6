/// \file
/// Turns the time marks of a run into a timeline.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/device.hpp"
#include "schedule/schedule.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// The marks before and after one piece of work.
struct MarkPair {
  std::unique_ptr<TimeMark> begin;  ///< taken in front of it
  std::unique_ptr<TimeMark> end;    ///< taken behind it
};

/// Holds a pair for every computation and every receive of the lowered rows, in the
/// order of the rows. The timeline that it fills belongs to the schedule as given,
/// lowered or not, since lowering keeps the order of the computations.
class Recorder {
 public:
  /// `lowered` is what runs; all three must outlive it.
  Recorder(Platform& platform, const Schedule& given, const Schedule& lowered);

  /// The mark from which times count.
  TimeMark& origin() { return *origin_; }
  /// Around the computation of that number in a device's row.
  MarkPair& computation(std::int32_t device, std::int32_t index) {
    return computations_[static_cast<std::size_t>(device)]
                        [static_cast<std::size_t>(index)];
  }
  /// Around the receive of that number in a device's row.
  MarkPair& receive(std::int32_t device, std::int32_t index) {
    return receives_[static_cast<std::size_t>(device)][static_cast<std::size_t>(index)];
  }

  /// A timeline of the right shape, to be filled again and again.
  Timeline make_timeline() const;
  /// Reads the marks; all streams must have been synchronized. Allocates nothing.
  void fill(Timeline& timeline) const;

 private:
  /// Where the span of an entry of the given schedule comes from.
  struct Source {
    std::int32_t device = 0;
    std::int32_t first = 0;  ///< index of a receive, or of the first computation
    std::int32_t last = 0;   ///< of the computations that it is joined with
    bool is_transfer = false;
  };
  /// A message, and the receive that took it.
  struct Message {
    Transfer transfer;
    std::int32_t device = 0;
    std::int32_t index = 0;
  };
  void find_sources(const Schedule& given);
  const Message& message_of(const Action& action) const;
  Span span_of(const MarkPair& first, const MarkPair& last) const;

  Platform& platform_;
  std::unique_ptr<TimeMark> origin_;
  std::vector<std::vector<MarkPair>> computations_;
  std::vector<std::vector<MarkPair>> receives_;
  std::vector<Message> messages_;             ///< sorted by what they carry
  std::vector<std::vector<Source>> sources_;  ///< by entry of the given rows
};

}  // namespace pipeline
