// mistake: one way after the other, each as 1F1B
// fails: TwoWayRow.FillsTheBubblesOfOneWayWithTheOther
// says: your step takes 7, and Chimera takes 4
// points: 14
#include <algorithm>

#include "exercise.hpp"

namespace pipeline {

Row two_way_row(std::int32_t device, std::int32_t devices) {
  Row row;
  const std::int32_t half = devices / 2;
  for (const std::int32_t copy : {0, 1}) {
    const std::int32_t stage = stage_of(device, devices, copy);
    const std::int32_t ahead = std::min(devices - 1 - stage, half);
    const std::int32_t first = copy * half;
    for (std::int32_t i = 0; i < half + ahead; ++i) {
      if (i < half) row.push_back(forward_of(stage, first + i));
      if (i >= ahead) row.push_back(backward_of(stage, first + i - ahead));
    }
  }
  return row;
}

}  // namespace pipeline
