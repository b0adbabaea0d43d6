/// \file
/// Mathematical morphology on batches of grey images, in Thrust: what a camera's
/// pictures go through before anybody counts what is on them (Serra 1982; Soille,
/// *Morphological Image Analysis*, 2nd ed., chapters 3 and 4).
///
///     image ─▶ opening ─▶ image - opening ─▶ ≥ level ─▶ components
///              (erosion,   (top-hat)
///               dilation)
///
/// All pointers are device memory, and pixels outside an image do not count. Work of
/// one stream: see `Compute`. What each function must give is in
/// morphology_reference.hpp, in plain loops.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "layers/layer.hpp"

namespace pipeline {

/// Images of one size, one after the other: count x height x width grey values,
/// row-major, fewer than 2^31 in all.
struct GreyImages {
  const std::uint8_t* pixels = nullptr;  ///< count x height x width
  std::int32_t count = 0;                ///< images
  std::int32_t height = 0;               ///< pixels
  std::int32_t width = 0;                ///< pixels

  /// Grey values of all images.
  std::size_t size() const {
    return static_cast<std::size_t>(count) * height * static_cast<std::size_t>(width);
  }
  /// Other values in images of the same number and size.
  GreyImages with(const std::uint8_t* others) const {
    return {others, count, height, width};
  }
};

/// How far a neighbour lies away, in pixels.
struct Offset {
  std::int16_t down = 0;   ///< rows; negative: above
  std::int16_t right = 0;  ///< columns; negative: to the left
};

/// The shape that is moved over an image: the neighbours of a pixel that count, up to
/// `kMost`. It need be neither symmetric nor hold the pixel itself.
struct StructuringElement {
  static constexpr std::int32_t kMost = 25;  ///< the most neighbours
  Offset offsets[kMost] = {};                ///< the first `count` of them hold
  std::int32_t count = 0;                    ///< neighbours

  /// One more neighbour; at most `kMost`.
  void add(Offset offset) {
    assert(count < kMost);
    offsets[count++] = offset;
  }
};

/// (2 radius + 1)^2 pixels, radius 0 to 2.
StructuringElement square_element(std::int32_t radius);
/// The pixel and `radius` others in each of the four directions, radius 0 to 6.
StructuringElement cross_element(std::int32_t radius);

/// out(p) = min of in(p + b) over b of the element: what is too thin for it vanishes.
/// `out` is not `in`; 255 where no neighbour is inside the image.
void erode(Compute& on, const StructuringElement& by, GreyImages in, std::uint8_t* out);

/// out(p) = max of in(p - b): what is left grows back. 0 where no neighbour is inside.
void dilate(Compute& on, const StructuringElement& by, GreyImages in,
            std::uint8_t* out);

/// The dilation of the erosion: the image without what the element does not fit into.
/// `out` is not `in`.
void open(Compute& on, const StructuringElement& by, GreyImages in, std::uint8_t* out);

/// The image minus its opening, which is nowhere larger: what opening took away.
/// `out` may be either of the two.
void top_hat(Compute& on, GreyImages in, const std::uint8_t* opening,
             std::uint8_t* out);

/// 1 where in(p) >= level, else 0. `out` may be `in`.
void threshold(Compute& on, GreyImages in, std::uint8_t level, std::uint8_t* out);

/// The label of a pixel that is 0 in the mask.
inline constexpr std::int32_t kNoComponent = 0x7fffffff;

/// Gives all pixels of a component (those that are 1 in the mask and hang together over
/// their four sides) one label: the smallest place of any of them in `mask.pixels`.
/// Each pixel begins with its own place and takes the smallest of its neighbours',
/// again and again, until nothing changes. Returns in how many rounds; waits for the
/// stream.
std::int32_t label_components(Compute& on, GreyImages mask, std::int32_t* labels);

/// How many components each image has: its pixels that bear their own place as label.
void count_components(Compute& on, GreyImages mask, const std::int32_t* labels,
                      std::int32_t* counts);

}  // namespace pipeline
