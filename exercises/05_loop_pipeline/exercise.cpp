// Exercise 05: loop pipeline. The task is in exercises/05_loop_pipeline/README.md.
#include "exercise.hpp"

#include <thrust/transform.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "on_device.hpp"

namespace pipeline {

double loop_seconds(const std::vector<double>& stage_seconds, std::int32_t items) {
  // Your turn: the first item, and how long after it each of the others is done.
  return 0;
}

double seconds_apart(const std::vector<double>& stage_seconds, std::int32_t tokens) {
  // Your turn: two things can hold an item up. Which of them is slower?
  return 0;
}

std::int32_t tokens_needed(const std::vector<double>& stage_seconds) {
  // Your turn: from how many tokens on does the slowest stage set the pace?
  return 1;
}

std::vector<std::vector<Piece>> rounds_of(std::int32_t stages, std::int32_t items) {
  std::vector<std::vector<Piece>> rounds;
  // Your turn: which item is in which stage in round r?
  return rounds;
}

std::vector<std::uint8_t> erode(const std::vector<std::uint8_t>& image,
                                std::int32_t height, std::int32_t width) {
  const DeviceImage on_device = to_device(image);
  const std::uint8_t* const from = on_device.data().get();
  return make_image(height * width, [from, height, width] ON_DEVICE(std::int32_t i) {
    const std::int32_t row = i / width;
    const std::int32_t column = i % width;
    // Your turn: look at the pixel and its neighbours, as far as they are inside.
    return static_cast<std::uint8_t>(0 * (from[i] + row + column + height));
  });
}

std::vector<std::uint8_t> open_image(const std::vector<std::uint8_t>& image,
                                     std::int32_t height, std::int32_t width) {
  // Your turn: erode and dilate, in which order?
  return image;
}

}  // namespace pipeline
