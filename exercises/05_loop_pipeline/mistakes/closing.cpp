// mistake: dilates first, which closes holes
// fails: OpenImage.ErodesAndThenDilates
// says: The other way round holes are closed
// points: 17
#include "exercise.hpp"
#include "on_device.hpp"

namespace pipeline {

std::vector<std::uint8_t> open_image(const std::vector<std::uint8_t>& image,
                                     std::int32_t height, std::int32_t width) {
  return erode(dilate(image, height, width), height, width);
}

}  // namespace pipeline
