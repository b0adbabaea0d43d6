// Exercise 04: transfer. The task is in exercises/04_transfer/README.md.
#include "exercise.hpp"

#include <algorithm>
#include <cmath>

namespace pipeline {

double message_time(const SlowLine& line, double bytes) {
  // Your turn: when has the last byte left, and when has it arrived?
  return 0;
}

double interval_of(double stage_time, const SlowLine& line, double bytes,
                   bool overlapped) {
  // Your turn: what is the slowest place? And what if the sender has to wait?
  return 0;
}

double forwards_time(std::int32_t devices, std::int32_t micro_batches,
                     double stage_time, const SlowLine& line, double bytes,
                     bool overlapped) {
  // Your turn: how long does the first micro-batch take, and each one after it?
  return 0;
}

double least_bandwidth(double bytes, double stage_time) {
  // Your turn: when does the link take as long as the stage?
  return 0;
}

std::int32_t held_to_hide(std::int32_t stage, std::int32_t devices, double stage_time,
                          double message) {
  // Your turn: without transfers it is p-s. How much longer is the way back now?
  return 0;
}

}  // namespace pipeline
