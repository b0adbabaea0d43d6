/// \file
/// The Fashion-MNIST images (Xiao et al. 2017), from Debian's `dataset-fashion-mnist`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// Images of 28 x 28 grey values, scaled to mean 0 and deviation 1 over the training
/// set, a row an image; labels 0 to 9.
struct ImageSet {
  std::int32_t count = 0;
  std::vector<float> pixels;  ///< count x 784
  std::vector<std::int32_t> labels;
};

struct FashionMnist {
  static constexpr std::int32_t kPixels = 784;
  static constexpr std::int32_t kClasses = 10;
  ImageSet train;  ///< 60 000
  ImageSet test;   ///< 10 000
};

/// Where the data set is looked for: $WORKBOOK_DATA if set, else Debian's folder.
std::string fashion_mnist_folder();

/// Reads the four gzipped IDX files; at most `train_limit` training images when > 0. A
/// missing folder is refused with the package that brings it; a truncated file, or one
/// of the wrong kind, with its name and what was found.
Expected<FashionMnist> read_fashion_mnist(const std::string& folder,
                                          std::int32_t train_limit = 0);

}  // namespace pipeline
