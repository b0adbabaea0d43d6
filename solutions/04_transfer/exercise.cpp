// Exercise 04: transfer. The task is in exercises/04_transfer/README.md.
#include "exercise.hpp"

#include <algorithm>
#include <cmath>

namespace pipeline {

double message_time(const SlowLine& line, double bytes) {
  // <solution>
  return bytes / line.bandwidth + line.latency;
  //~ // Your turn: when has the last byte left, and when has it arrived?
  //~ return 0;
  // </solution>
}

double interval_of(double stage_time, const SlowLine& line, double bytes,
                   bool overlapped) {
  // <solution>
  // Overlapped, the link is a stage of its own, and the slowest place sets the pace. A
  // latency occupies nothing: the next message leaves while this one is under way.
  if (overlapped) return std::max(stage_time, bytes / line.bandwidth);
  return stage_time + message_time(line, bytes);
  //~ // Your turn: what is the slowest place? And what if the sender has to wait?
  //~ return 0;
  // </solution>
}

double forwards_time(std::int32_t devices, std::int32_t micro_batches,
                     double stage_time, const SlowLine& line, double bytes,
                     bool overlapped) {
  // <solution>
  // One micro-batch crosses all stages and the links between them; each of the others
  // leaves an interval after the one before it. On one device nothing is sent.
  if (devices == 1) return micro_batches * stage_time;
  const double pass = devices * stage_time + (devices - 1) * message_time(line, bytes);
  return pass + (micro_batches - 1) * interval_of(stage_time, line, bytes, overlapped);
  //~ // Your turn: how long does the first micro-batch take, and each one after it?
  //~ return 0;
  // </solution>
}

double least_bandwidth(double bytes, double stage_time) {
  // <solution>
  return bytes / stage_time;
  //~ // Your turn: when does the link take as long as the stage?
  //~ return 0;
  // </solution>
}

std::int32_t held_to_hide(std::int32_t stage, std::int32_t devices, double stage_time,
                          double message) {
  // <solution>
  // There and back again over each link behind this stage: that long a micro-batch is
  // away in addition, and for every stage time of it there must be one more to work on.
  // A pair of neighbours rounds up on its own, since each of them runs a forward and a
  // backward in turn.
  const std::int32_t links = devices - 1 - stage;
  const auto more = static_cast<std::int32_t>(std::ceil(2 * message / stage_time));
  return devices - stage + links * more;
  //~ // Your turn: without transfers it is p-s. How much longer is the way back now?
  //~ return 0;
  // </solution>
}

}  // namespace pipeline
