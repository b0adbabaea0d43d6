#include "data/fashion_mnist.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "data/idx.hpp"

namespace pipeline {

namespace {

constexpr const char* kFolder = "/usr/share/datasets/fashion-mnist";
constexpr std::int32_t kSide = 28;

std::vector<float> scale(const std::vector<std::uint8_t>& bytes) {
  std::array<float, 256> scaled{};
  for (std::size_t grey = 0; grey < scaled.size(); ++grey) {
    scaled[grey] = (static_cast<float>(grey) / 255.0F - FashionMnist::kMean) /
                   FashionMnist::kDeviation;
  }
  std::vector<float> pixels(bytes.size());
  std::transform(bytes.begin(), bytes.end(), pixels.begin(),
                 [&](std::uint8_t grey) { return scaled[grey]; });
  return pixels;
}

tl::unexpected<Error> wrong(const std::string& path, const std::string& how) {
  return refuse(path + " " + how, "use the files of Fashion-MNIST, all from one set");
}

Expected<ImageSet> read_set(const std::string& folder, const std::string& prefix,
                            std::int32_t limit) {
  const std::string image_path =
      fashion_mnist_file(folder, prefix + "-images-idx3-ubyte");
  const std::string label_path =
      fashion_mnist_file(folder, prefix + "-labels-idx1-ubyte");
  // The labels whole, so that their count can be held against the images'.
  auto labels = read_idx(label_path, 1);
  if (!labels) return tl::unexpected(labels.error());
  auto images = read_idx(image_path, 3, limit);
  if (!images) return tl::unexpected(images.error());

  if (images->sizes[1] != kSide || images->sizes[2] != kSide) {
    return wrong(image_path, "holds images of " + std::to_string(images->sizes[1]) +
                                 " x " + std::to_string(images->sizes[2]) +
                                 ", not 28 x 28");
  }
  if (images->items_in_file != labels->items_in_file) {
    return wrong(label_path, "holds " + std::to_string(labels->items_in_file) +
                                 " labels for " +
                                 std::to_string(images->items_in_file) + " images");
  }
  ImageSet set;
  set.count = images->sizes[0];
  set.labels.assign(labels->bytes.begin(), labels->bytes.begin() + set.count);
  const auto largest = std::max_element(set.labels.begin(), set.labels.end());
  if (*largest >= FashionMnist::kClasses) {
    return wrong(label_path, "holds the label " + std::to_string(*largest) +
                                 "; they go from 0 to 9");
  }
  set.pixels = scale(images->bytes);
  return set;
}

}  // namespace

std::string fashion_mnist_folder() {
  const char* named = std::getenv("WORKBOOK_DATA");
  return named != nullptr && *named != '\0' ? named : kFolder;
}

std::string fashion_mnist_file(const std::string& folder, const std::string& name) {
  const std::string plain = folder + "/" + name;
  std::error_code ignored;
  return std::filesystem::exists(plain + ".gz", ignored) ||
                 !std::filesystem::exists(plain, ignored)
             ? plain + ".gz"
             : plain;
}

Expected<FashionMnist> read_fashion_mnist(const std::string& folder,
                                          std::int32_t train_limit) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    return absent("the Fashion-MNIST folder " + folder + " is not there",
                  "install the Debian package dataset-fashion-mnist, or name its "
                  "folder in $WORKBOOK_DATA");
  }
  auto train = read_set(folder, "train", train_limit);
  if (!train) return tl::unexpected(train.error());
  auto test = read_set(folder, "t10k", 0);
  if (!test) return tl::unexpected(test.error());
  return FashionMnist{std::move(*train), std::move(*test)};
}

}  // namespace pipeline
