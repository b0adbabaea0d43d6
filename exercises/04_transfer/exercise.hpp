/// \file
/// Exercise 04: what transfers cost. Devices and stages are counted from 0; the device
/// of stage s is device s, and all stages take the same. Times are in seconds, sizes in
/// bytes, bandwidths in bytes a second, and all of them are above 0 but the latency,
/// which may be 0.
#pragma once

#include <cstdint>

namespace pipeline {

/// A message of b bytes occupies the link for b / bandwidth. A `latency` after it has
/// left the link it arrives; meanwhile the link can carry the next one.
struct SlowLine {
  double latency = 0;
  double bandwidth = 1;
};

/// From when the message may leave to when it has arrived, on a link that is free.
double message_time(const SlowLine& line, double bytes);

/// The time from one micro-batch to the next once the pipeline is full, forwards only,
/// on two devices or more. A forward takes `stage_time`. If `overlapped`, a device
/// computes while its messages are under way; else it does nothing until its message
/// has arrived.
double interval_of(double stage_time, const SlowLine& line, double bytes,
                   bool overlapped);

/// What `micro_batches` such forwards take on `devices` devices, from the start of the
/// first to the end of the last.
double forwards_time(std::int32_t devices, std::int32_t micro_batches,
                     double stage_time, const SlowLine& line, double bytes,
                     bool overlapped);

/// The least bandwidth on which overlapped transfers of `bytes` do not slow down stages
/// that take `stage_time`.
double least_bandwidth(double bytes, double stage_time);

/// Training by 1F1B, forward and backward of a micro-batch together taking `stage_time`
/// on each stage, and each message `message` seconds, at most `stage_time` of them on
/// the link. The fewest micro-batches that `stage` must be allowed to hold, of
/// `devices` stages, so that one leaves every `stage_time` all the same.
std::int32_t held_to_hide(std::int32_t stage, std::int32_t devices, double stage_time,
                          double message);

}  // namespace pipeline
