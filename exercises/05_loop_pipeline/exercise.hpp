/// \file
/// Exercise 05: a loop whose iterations overlap, and an opening. Stages and items are
/// counted from 0; there is at least one of each.
#pragma once

#include <cstdint>
#include <vector>

namespace pipeline {

/// What a loop over `items` items takes when stage s takes `stage_seconds[s]` for each,
/// all stages work beside each other, and there are tokens enough.
double loop_seconds(const std::vector<double>& stage_seconds, std::int32_t items);

/// The mean time between two items that leave, in the middle of a long loop in which at
/// most `tokens` items are in flight.
double seconds_apart(const std::vector<double>& stage_seconds, std::int32_t tokens);

/// The fewest tokens with which items leave as close together as they can.
std::int32_t tokens_needed(const std::vector<double>& stage_seconds);

/// A piece of the loop: what one stage does for one item.
struct Piece {
  std::int32_t stage = 0;
  std::int32_t item = 0;

  bool operator==(const Piece&) const = default;
};

/// The loop in rounds. The pieces of a round are done at once, so that none of them may
/// need another one of the same round: each is of another stage and of another item.
/// There are as few rounds as can be.
///
/// A machine that can do one thing at a time does the pieces of a round in the order in
/// which they are listed. It has one buffer between each two stages: stage s puts its
/// item there, and stage s+1 takes it away.
std::vector<std::vector<Piece>> rounds_of(std::int32_t stages, std::int32_t items);

/// The least of each pixel and its eight neighbours. `image` is height x width grey
/// values, row by row, as is what is returned. What is outside does not count.
std::vector<std::uint8_t> erode(const std::vector<std::uint8_t>& image,
                                std::int32_t height, std::int32_t width);

/// The opening of the image with a 3 x 3 square.
std::vector<std::uint8_t> open_image(const std::vector<std::uint8_t>& image,
                                     std::int32_t height, std::int32_t width);

}  // namespace pipeline
