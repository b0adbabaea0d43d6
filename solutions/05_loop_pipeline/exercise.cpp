// Exercise 05: loop pipeline. The task is in exercises/05_loop_pipeline/README.md.
#include "exercise.hpp"

#include <thrust/transform.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "on_device.hpp"

namespace pipeline {

double loop_seconds(const std::vector<double>& stage_seconds, std::int32_t items) {
  // <solution>
  // The first item goes through all stages; the slowest stage lets one more through
  // each time that it takes.
  const double slowest = *std::max_element(stage_seconds.begin(), stage_seconds.end());
  return std::accumulate(stage_seconds.begin(), stage_seconds.end(), 0.0) +
         (items - 1) * slowest;
  //~ // Your turn: the first item, and how long after it each of the others is done.
  //~ return 0;
  // </solution>
}

double seconds_apart(const std::vector<double>& stage_seconds, std::int32_t tokens) {
  // <solution>
  // The slowest stage lets no more through; and the tokens, each of which is away for
  // the time of all stages, bring no more.
  const double slowest = *std::max_element(stage_seconds.begin(), stage_seconds.end());
  const double away = std::accumulate(stage_seconds.begin(), stage_seconds.end(), 0.0);
  return std::max(slowest, away / tokens);
  //~ // Your turn: two things can hold an item up. Which of them is slower?
  //~ return 0;
  // </solution>
}

std::int32_t tokens_needed(const std::vector<double>& stage_seconds) {
  // <solution>
  // Σt / tokens <= max t. Of whole tokens, so round up.
  const double slowest = *std::max_element(stage_seconds.begin(), stage_seconds.end());
  const double away = std::accumulate(stage_seconds.begin(), stage_seconds.end(), 0.0);
  return static_cast<std::int32_t>(std::ceil(away / slowest));
  //~ // Your turn: from how many tokens on does the slowest stage set the pace?
  //~ return 1;
  // </solution>
}

std::vector<std::vector<Piece>> rounds_of(std::int32_t stages, std::int32_t items) {
  std::vector<std::vector<Piece>> rounds;
  // <solution>
  // Item k enters in round k and is a stage further in each round, so that stage s does
  // item r - s in round r; at both ends there is no such item. The last stage goes
  // first: it takes its item out of the buffer that the stage before it will fill.
  for (std::int32_t r = 0; r < items + stages - 1; ++r) {
    rounds.emplace_back();
    for (std::int32_t s = stages - 1; s >= 0; --s) {
      if (r - s >= 0 && r - s < items) rounds.back().push_back({s, r - s});
    }
  }
  //~ // Your turn: which item is in which stage in round r?
  // </solution>
  return rounds;
}

std::vector<std::uint8_t> erode(const std::vector<std::uint8_t>& image,
                                std::int32_t height, std::int32_t width) {
  const DeviceImage on_device = to_device(image);
  const std::uint8_t* const from = on_device.data().get();
  return make_image(height * width, [from, height, width] ON_DEVICE(std::int32_t i) {
    const std::int32_t row = i / width;
    const std::int32_t column = i % width;
    // <solution>
    std::uint8_t least = 255;
    for (std::int32_t y = row - 1; y <= row + 1; ++y) {
      for (std::int32_t x = column - 1; x <= column + 1; ++x) {
        if (y < 0 || y >= height || x < 0 || x >= width) continue;
        const std::uint8_t grey = from[y * width + x];
        least = grey < least ? grey : least;
      }
    }
    return least;
    //~ // Your turn: look at the pixel and its neighbours, as far as they are inside.
    //~ return static_cast<std::uint8_t>(0 * (from[i] + row + column + height));
    // </solution>
  });
}

std::vector<std::uint8_t> open_image(const std::vector<std::uint8_t>& image,
                                     std::int32_t height, std::int32_t width) {
  // <solution>
  // What is too thin goes with the erosion and does not come back with the dilation.
  return dilate(erode(image, height, width), height, width);
  //~ // Your turn: erode and dilate, in which order?
  //~ return image;
  // </solution>
}

}  // namespace pipeline
