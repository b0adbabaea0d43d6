// mistake: what is outside of the image counts as black
// fails: Erode.TakesTheLeastOfAPixelAndItsNeighbours
// says: those outside of the image do not count
// points: 15
#include <thrust/transform.h>

#include "exercise.hpp"
#include "on_device.hpp"

namespace pipeline {

std::vector<std::uint8_t> erode(const std::vector<std::uint8_t>& image,
                                std::int32_t height, std::int32_t width) {
  const DeviceImage on_device = to_device(image);
  const std::uint8_t* const from = on_device.data().get();
  return make_image(height * width, [from, height, width] ON_DEVICE(std::int32_t i) {
    std::uint8_t least = 255;
    for (std::int32_t y = i / width - 1; y <= i / width + 1; ++y) {
      for (std::int32_t x = i % width - 1; x <= i % width + 1; ++x) {
        const bool inside = y >= 0 && y < height && x >= 0 && x < width;
        const std::uint8_t grey = inside ? from[y * width + x] : 0;
        least = grey < least ? grey : least;
      }
    }
    return least;
  });
}

}  // namespace pipeline
