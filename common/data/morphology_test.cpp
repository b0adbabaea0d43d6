#include "data/morphology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "data/morphology_reference.hpp"
#include "layers/device_array.hpp"
#include "layers/on_platform.hpp"
#include "layers/random.hpp"

namespace pipeline {
namespace {

using reference::Images;

/// Grey values of blobs and noise; `levels` of them, so that few make large components.
Images random_images(std::int32_t count, std::int32_t height, std::int32_t width,
                     std::uint64_t levels = 256) {
  Images images{{}, count, height, width};
  Random random(static_cast<std::uint64_t>(count + 100 * height + 10000 * width));
  images.pixels.resize(static_cast<std::size_t>(count) * height * width);
  for (std::uint8_t& grey : images.pixels) {
    grey = static_cast<std::uint8_t>(random.below(levels));
  }
  return images;
}

/// Wider than high, higher than wide, a pixel, a line; more columns than one piece.
std::vector<Images> image_sets(std::uint64_t levels = 256) {
  std::vector<Images> sets;
  for (const auto [count, height, width] : std::vector<std::array<std::int32_t, 3>>{
           {3, 5, 9}, {2, 28, 28}, {4, 7, 3}, {1, 1, 1}, {2, 1, 11}, {1, 6, 150}}) {
    sets.push_back(random_images(count, height, width, levels));
  }
  return sets;
}

/// Lopsided, and without the pixel itself.
StructuringElement lopsided() {
  StructuringElement element;
  for (const Offset offset : {Offset{-1, 2}, {0, -1}, {2, 1}}) element.add(offset);
  return element;
}

const std::vector<StructuringElement> kElements = {square_element(0), square_element(1),
                                                   square_element(2), cross_element(1),
                                                   cross_element(3),  lopsided()};

class Morphology : public OnPlatform {
 protected:
  /// work(compute, images on the device, result on the device), brought back.
  template <typename T, typename F>
  std::vector<T> result(const Images& images, std::size_t size, const F& work) {
    Compute compute(device());
    const DeviceArray<std::uint8_t> in(stream(), images.pixels);
    const DeviceArray<T> out(stream(), std::vector<T>(size, 77));
    run(compute, [&](Compute& on) {
      work(on, GreyImages{in.data(), images.count, images.height, images.width},
           out.data());
    });
    return out.read();
  }
  template <typename F>
  std::vector<std::uint8_t> pixels(const Images& images, const F& work) {
    return result<std::uint8_t>(images, images.pixels.size(), work);
  }
  std::vector<std::uint8_t> opening_of(const StructuringElement& by,
                                       const Images& images) {
    return pixels(images, [&](Compute& on, GreyImages in, std::uint8_t* out) {
      open(on, by, in, out);
    });
  }
};

TEST_F(Morphology, ErodesAndDilatesAsTheReferenceDoes) {
  for (const Images& images : image_sets()) {
    for (const StructuringElement& by : kElements) {
      EXPECT_EQ(pixels(images, [&](Compute& on, GreyImages in,
                                   std::uint8_t* out) { erode(on, by, in, out); }),
                reference::eroded(by, images).pixels);
      EXPECT_EQ(pixels(images, [&](Compute& on, GreyImages in,
                                   std::uint8_t* out) { dilate(on, by, in, out); }),
                reference::dilated(by, images).pixels);
    }
  }
}

TEST_F(Morphology, TakesAwayALineAndKeepsASquare) {
  const Images image{{0, 0, 0, 0, 0, 0,  //
                      9, 9, 9, 0, 5, 0,  //
                      9, 9, 9, 0, 5, 0,  //
                      9, 9, 9, 0, 5, 0},
                     1,
                     4,
                     6};
  EXPECT_EQ(opening_of(square_element(1), image),
            (std::vector<std::uint8_t>{0, 0, 0, 0, 0, 0,  //
                                       9, 9, 9, 0, 0, 0,  //
                                       9, 9, 9, 0, 0, 0,  //
                                       9, 9, 9, 0, 0, 0}));
}

TEST_F(Morphology, OpeningIsNowhereLargerAndChangesNothingTheSecondTime) {
  for (const Images& images : image_sets()) {
    for (const StructuringElement& by : kElements) {
      Images opened = images;
      opened.pixels = opening_of(by, images);
      EXPECT_EQ(opened.pixels, reference::opened(by, images).pixels);
      EXPECT_TRUE(std::equal(opened.pixels.begin(), opened.pixels.end(),
                             images.pixels.begin(), std::less_equal<>()));
      EXPECT_EQ(opening_of(by, opened), opened.pixels);
    }
  }
}

TEST_F(Morphology, TopHatIsWhatOpeningTookAway) {
  for (const Images& images : image_sets()) {
    for (const StructuringElement& by : kElements) {
      EXPECT_EQ(pixels(images,
                       [&](Compute& on, GreyImages in, std::uint8_t* out) {
                         open(on, by, in, out);
                         top_hat(on, in, out, out);
                       }),
                reference::top_hat(by, images).pixels);
    }
  }
}

TEST_F(Morphology, ThresholdCountsTheLevelItselfIn) {
  const Images images = random_images(2, 9, 4);
  const std::uint8_t level = images.pixels[5];
  const auto mask = pixels(images, [&](Compute& on, GreyImages in, std::uint8_t* out) {
    threshold(on, in, level, out);
  });
  EXPECT_EQ(mask, reference::at_least(level, images).pixels);
  EXPECT_EQ(mask[5], 1);
}

TEST_F(Morphology, LabelsAndCountsComponentsAsFloodFillDoes) {
  for (const Images& mask : image_sets(2)) {
    EXPECT_EQ(
        result<std::int32_t>(mask, mask.pixels.size(),
                             [](Compute& on, GreyImages in, std::int32_t* labels) {
                               EXPECT_GE(label_components(on, in, labels), 1);
                             }),
        reference::labels(mask));
    EXPECT_EQ(result<std::int32_t>(
                  mask, static_cast<std::size_t>(mask.count),
                  [](Compute& on, GreyImages in, std::int32_t* counts) {
                    const Scratch<std::int32_t> labels(on.scratch(), in.size());
                    label_components(on, in, labels.data());
                    count_components(on, in, labels.data(), counts);
                  }),
              reference::component_counts(mask));
  }
}

// A label goes a pixel a round, and a last round finds nothing to change.
TEST_F(Morphology, NeedsAsManyRoundsAsTheLongestWayInside) {
  const Images snake{{1, 1, 1, 1, 1,  //
                      0, 0, 0, 0, 1,  //
                      1, 1, 1, 1, 1,  //
                      1, 0, 0, 0, 0,  //
                      1, 1, 1, 1, 1},
                     1,
                     5,
                     5};
  const auto labels = result<std::int32_t>(
      snake, 25, [](Compute& on, GreyImages in, std::int32_t* out) {
        EXPECT_EQ(label_components(on, in, out), 16 + 1);
      });
  EXPECT_EQ(labels[24], 0);
  EXPECT_EQ(labels[5], kNoComponent);
}

// Neighbouring images touch in memory and nowhere else; corners do not connect.
TEST_F(Morphology, KeepsImagesAndCornersApart) {
  const Images mask{{0, 1, 1, 0,  // image 0
                     1, 1, 1, 1,  // image 1
                     0, 0, 0, 0},
                    3,
                    2,
                    2};
  EXPECT_EQ(result<std::int32_t>(mask, 3,
                                 [](Compute& on, GreyImages in, std::int32_t* counts) {
                                   const Scratch<std::int32_t> labels(on.scratch(), 12);
                                   label_components(on, in, labels.data());
                                   count_components(on, in, labels.data(), counts);
                                 }),
            (std::vector<std::int32_t>{2, 1, 0}));
}

TEST(StructuringElement, HoldsItsPixels) {
  EXPECT_EQ(square_element(0).count, 1);
  EXPECT_EQ(square_element(2).count, 25);
  EXPECT_EQ(cross_element(0).count, 1);
  EXPECT_EQ(cross_element(6).count, 25);
}

}  // namespace
}  // namespace pipeline
