#include "data/image_filter.hpp"

#include <vector>

#include "data/morphology_reference.hpp"
#include "layers/on_platform.hpp"
#include "layers/random.hpp"

namespace pipeline {
namespace {

class ImageFilterOnPlatform : public OnPlatform {};

reference::Images noise(std::int32_t count, std::uint64_t seed) {
  reference::Images images{{}, count, 9, 13};
  Random random(seed);
  images.pixels.resize(static_cast<std::size_t>(count) * 9 * 13);
  for (std::uint8_t& grey : images.pixels) {
    grey = static_cast<std::uint8_t>(random.below(256));
  }
  return images;
}

TEST_F(ImageFilterOnPlatform, DoesTheWholeChainForOneBatchAfterTheOther) {
  const FilterOptions options = {cross_element(1), 70};
  ImageFilter filter(device(), 6, 9, 13, options);
  for (const std::int32_t count : {4, 6, 1}) {
    const auto images = noise(count, static_cast<std::uint64_t>(count));
    const auto mask =
        reference::at_least(70, reference::top_hat(options.element, images));
    std::vector<std::uint8_t> got(images.pixels.size(), 9);
    std::vector<std::int32_t> components(static_cast<std::size_t>(count), -1);
    filter.run({images.pixels.data(), count, 9, 13}, got.data(), components.data());
    EXPECT_EQ(got, mask.pixels);
    EXPECT_EQ(components, reference::component_counts(mask));
    filter.opening({images.pixels.data(), count, 9, 13}, got.data());
    EXPECT_EQ(got, reference::opened(options.element, images).pixels);
  }
}

}  // namespace
}  // namespace pipeline
