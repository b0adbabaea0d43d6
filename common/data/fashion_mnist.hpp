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
  std::int32_t count = 0;            ///< images
  std::vector<float> pixels;         ///< count x 784
  std::vector<std::int32_t> labels;  ///< count: 0 to 9
};

/// Both parts of the data set.
struct FashionMnist {
  static constexpr std::int32_t kPixels = 784;  ///< grey values of an image: 28 x 28
  static constexpr std::int32_t kClasses = 10;  ///< kinds of clothing
  /// Mean and deviation of all grey values (0 to 1) of the 60 000 training images:
  /// fixed numbers, so that part of the set is scaled as the whole is.
  static constexpr float kMean = 0.2860F;
  static constexpr float kDeviation = 0.3530F;  ///< see `kMean`
  ImageSet train;                               ///< 60 000
  ImageSet test;                                ///< 10 000
};

/// Where the data set is looked for: $WORKBOOK_DATA if set, else Debian's folder.
std::string fashion_mnist_folder();

/// One of its files there: the gzipped one, or the plain one where only that is there.
/// `name` is e.g. "train-images-idx3-ubyte".
std::string fashion_mnist_file(const std::string& folder, const std::string& name);

/// Reads the four IDX files, gzipped (x.gz) or plain (x); at most `train_limit`
/// training images when > 0. What is missing is refused as absent, with the package
/// that brings it; a truncated file, one of the wrong kind, or images and labels that
/// do not belong together as invalid, with the file's name and what was found.
Expected<FashionMnist> read_fashion_mnist(const std::string& folder,
                                          std::int32_t train_limit = 0);

}  // namespace pipeline
