#include "data/fashion_mnist.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "data/idx.hpp"
#include "layers/random.hpp"
#include "schedule/full_tier.hpp"

namespace pipeline {
namespace {

using Bytes = std::vector<std::uint8_t>;

void append_word(Bytes& to, std::uint32_t word) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    to.push_back(static_cast<std::uint8_t>(word >> shift));
  }
}

Bytes idx(const std::vector<std::uint32_t>& sizes, const Bytes& payload) {
  Bytes bytes = {0, 0, 8, static_cast<std::uint8_t>(sizes.size())};
  for (const std::uint32_t size : sizes) append_word(bytes, size);
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

Bytes some_images(std::uint32_t count) {
  Bytes payload;
  for (std::uint32_t i = 0; i < count * 784; ++i) {
    payload.push_back(static_cast<std::uint8_t>(i * 13 % 256));
  }
  return idx({count, 28, 28}, payload);
}

Bytes some_labels(std::uint32_t count) {
  Bytes payload;
  for (std::uint32_t i = 0; i < count; ++i) {
    payload.push_back(static_cast<std::uint8_t>((i * 3 + 1) % 10));
  }
  return idx({count}, payload);
}

Bytes gzip(const Bytes& bytes) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  Bytes packed(deflateBound(&stream, bytes.size()));
  stream.next_in = const_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// A folder of its own with a small data set, gone afterwards.
class FashionMnistFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "fashion-mnist-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    write("train-images-idx3-ubyte.gz", gzip(some_images(6)));
    write("train-labels-idx1-ubyte.gz", gzip(some_labels(6)));
    write("t10k-images-idx3-ubyte.gz", gzip(some_images(3)));
    write("t10k-labels-idx1-ubyte.gz", gzip(some_labels(3)));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const Bytes& bytes) const {
    std::ofstream file(path(name), std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  void remove(const std::string& name) const { std::filesystem::remove(path(name)); }
  Error refusal() const {
    const auto read = read_fashion_mnist(folder_);
    EXPECT_FALSE(read) << "expected a refusal";
    return read ? Error{} : read.error();
  }
  void expect_invalid(const std::string& name, const std::string& how) const {
    const Error error = refusal();
    EXPECT_EQ(error.kind, ErrorKind::Invalid);
    EXPECT_EQ(error.what, path(name) + " " + how);
    EXPECT_NE(error.remedy, "");
  }

  std::string folder_;
};

TEST_F(FashionMnistFiles, AreReadWithPixelsScaledAndLabelsInOrder) {
  const auto data = read_fashion_mnist(folder_);
  ASSERT_TRUE(data) << data.error().what;
  EXPECT_EQ(data->train.count, 6);
  EXPECT_EQ(data->test.count, 3);
  EXPECT_EQ(data->train.labels, (std::vector<std::int32_t>{1, 4, 7, 0, 3, 6}));
  ASSERT_EQ(data->train.pixels.size(), 6U * 784U);
  EXPECT_FLOAT_EQ(data->train.pixels[0], -0.2860F / 0.3530F);
  EXPECT_FLOAT_EQ(data->train.pixels[1], (13.0F / 255 - 0.2860F) / 0.3530F);
}

TEST_F(FashionMnistFiles, AreReadInPartWhenLimited) {
  const auto data = read_fashion_mnist(folder_, 4);
  ASSERT_TRUE(data) << data.error().what;
  EXPECT_EQ(data->train.count, 4);
  EXPECT_EQ(data->train.labels.size(), 4U);
  EXPECT_EQ(data->train.pixels.size(), 4U * 784U);
  EXPECT_EQ(data->test.count, 3);
  EXPECT_EQ(read_fashion_mnist(folder_, 100)->train.count, 6);
}

TEST_F(FashionMnistFiles, MayBePlain) {
  remove("train-images-idx3-ubyte.gz");
  remove("t10k-labels-idx1-ubyte.gz");
  write("train-images-idx3-ubyte", some_images(6));
  write("t10k-labels-idx1-ubyte.gz", some_labels(3));
  const auto data = read_fashion_mnist(folder_);
  ASSERT_TRUE(data) << data.error().what;
  EXPECT_EQ(data->train.count, 6);
}

TEST_F(FashionMnistFiles, AreAbsentWithoutTheirFolder) {
  const auto read = read_fashion_mnist(folder_ + "/nowhere");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::Absent);
  EXPECT_EQ(read.error().what,
            "the Fashion-MNIST folder " + folder_ + "/nowhere is not there");
  EXPECT_NE(read.error().remedy.find("dataset-fashion-mnist"), std::string::npos);
  EXPECT_NE(read.error().remedy.find("$WORKBOOK_DATA"), std::string::npos);
}

TEST_F(FashionMnistFiles, AreAbsentWhenOneIsMissing) {
  remove("t10k-images-idx3-ubyte.gz");
  const Error error = refusal();
  EXPECT_EQ(error.kind, ErrorKind::Absent);
  EXPECT_EQ(error.what, path("t10k-images-idx3-ubyte.gz") +
                            " cannot be opened: No such file or directory");
  EXPECT_NE(error.remedy.find("dataset-fashion-mnist"), std::string::npos);
}

TEST_F(FashionMnistFiles, AreRefusedWhenTheGzipIsTruncated) {
  Bytes packed = gzip(some_images(6));
  packed.resize(packed.size() / 2);
  write("train-images-idx3-ubyte.gz", packed);
  expect_invalid("train-images-idx3-ubyte.gz", "ends early: it is truncated");
}

TEST_F(FashionMnistFiles, AreRefusedWhenOnlyTheChecksumIsCutOff) {
  Bytes packed = gzip(some_images(6));
  packed.resize(packed.size() - 4);
  write("train-images-idx3-ubyte.gz", packed);
  expect_invalid("train-images-idx3-ubyte.gz", "ends early: it is truncated");
}

TEST_F(FashionMnistFiles, AreRefusedWhenThePayloadIsShort) {
  Bytes bytes = some_images(6);
  bytes.pop_back();
  write("train-images-idx3-ubyte.gz", gzip(bytes));
  expect_invalid("train-images-idx3-ubyte.gz", "ends early: it is truncated");
}

TEST_F(FashionMnistFiles, AreRefusedWhenThePayloadIsLong) {
  Bytes bytes = some_images(3);
  bytes.push_back(1);
  write("t10k-images-idx3-ubyte.gz", gzip(bytes));
  expect_invalid("t10k-images-idx3-ubyte.gz", "goes on after the last of its bytes");
}

TEST_F(FashionMnistFiles, AreRefusedWhenTheGzipIsDamaged) {
  Bytes packed = gzip(some_labels(6));
  packed[packed.size() - 6] ^= 0x55U;  // in the checksum
  write("train-labels-idx1-ubyte.gz", packed);
  const Error error = refusal();
  EXPECT_EQ(error.kind, ErrorKind::Invalid);
  EXPECT_NE(error.what.find("is damaged"), std::string::npos) << error.what;
}

TEST_F(FashionMnistFiles, AreRefusedWhenEmptyOrOfAnotherKind) {
  write("train-images-idx3-ubyte.gz", {});
  expect_invalid("train-images-idx3-ubyte.gz", "ends early: it is truncated");
  write("train-images-idx3-ubyte.gz", {'P', '5', ' ', '2', '8', ' ', '2', '8'});
  expect_invalid("train-images-idx3-ubyte.gz", "is not an IDX file");
  Bytes floats = some_images(6);
  floats[2] = 13;
  write("train-images-idx3-ubyte.gz", floats);
  expect_invalid("train-images-idx3-ubyte.gz",
                 "holds values of type 13, not bytes (8)");
  write("train-images-idx3-ubyte.gz", some_labels(6));
  expect_invalid("train-images-idx3-ubyte.gz", "has 1 dimensions, not 3");
}

TEST_F(FashionMnistFiles, AreRefusedWhenTheImagesHaveAnotherSize) {
  write("t10k-images-idx3-ubyte.gz", idx({3, 16, 49}, Bytes(2352, 5)));
  expect_invalid("t10k-images-idx3-ubyte.gz", "holds images of 16 x 49, not 28 x 28");
}

TEST_F(FashionMnistFiles, AreRefusedWhenImagesAndLabelsDiffer) {
  write("train-labels-idx1-ubyte.gz", gzip(some_labels(5)));
  expect_invalid("train-labels-idx1-ubyte.gz", "holds 5 labels for 6 images");
  const auto limited = read_fashion_mnist(folder_, 4);
  EXPECT_FALSE(limited) << "a limit must not hide it";
}

TEST_F(FashionMnistFiles, AreRefusedWithALabelThatIsNone) {
  write("t10k-labels-idx1-ubyte.gz", idx({3}, {0, 10, 3}));
  expect_invalid("t10k-labels-idx1-ubyte.gz",
                 "holds the label 10; they go from 0 to 9");
}

TEST_F(FashionMnistFiles, AreRefusedBeforeMemoryIsTakenForWhatTheyPromise) {
  write("train-images-idx3-ubyte.gz", idx({0xffffffffU, 28, 28}, {1, 2, 3}));
  expect_invalid("train-images-idx3-ubyte.gz", "says that a dimension is 4294967295");
  write("train-images-idx3-ubyte.gz", idx({65536, 65536, 65536}, {1, 2, 3}));
  expect_invalid("train-images-idx3-ubyte.gz", "says that a dimension is 65536");
  write("train-images-idx3-ubyte.gz", idx({0, 28, 28}, {}));
  expect_invalid("train-images-idx3-ubyte.gz", "says that a dimension is 0");
  write("train-images-idx3-ubyte.gz", idx({1000000, 28, 28}, {1, 2, 3}));
  expect_invalid("train-images-idx3-ubyte.gz", "ends early: it is truncated");
}

TEST_F(FashionMnistFiles, AreRefusedWhenOneIsAFolder) {
  remove("t10k-labels-idx1-ubyte.gz");
  std::filesystem::create_directory(path("t10k-labels-idx1-ubyte.gz"));
  const Error error = refusal();
  EXPECT_EQ(error.kind, ErrorKind::Invalid);
  EXPECT_NE(error.what.find("cannot be read"), std::string::npos) << error.what;
}

/// Flips, cuts and adds bytes.
Bytes mutate(Bytes bytes, Random& random) {
  for (std::uint64_t edits = 1 + random.below(4); edits > 0; --edits) {
    const std::size_t at = random.below(bytes.size());
    switch (random.below(4)) {
      case 0:
        bytes[at] = static_cast<std::uint8_t>(random.below(256));
        break;
      case 1:
        bytes[at] ^= static_cast<std::uint8_t>(1U << random.below(8));
        break;
      case 2:
        bytes.resize(at + 1);
        break;
      default:
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), 0xff);
    }
  }
  return bytes;
}

// Whatever is in the file, it is read or refused with a reason; what is read is whole.
TEST_F(FashionMnistFiles, AreNeverACrashWhateverIsInThem) {
  Random random(2024);
  const bool full = in_full_tier();
  const Bytes plain = idx({4, 3, 2}, Bytes(24, 77));
  const Bytes packed = gzip(plain);
  int refused = 0;
  const int trials = full ? 10000 : 1000;
  for (int trial = 0; trial < trials; ++trial) {
    write("garbage", mutate(trial % 2 == 0 ? plain : packed, random));
    const auto file = read_idx(path("garbage"), 3);
    if (!file) {
      ++refused;
      EXPECT_NE(file.error().what, "");
      EXPECT_EQ(file.error().kind, ErrorKind::Invalid);
      continue;
    }
    ASSERT_EQ(file->sizes.size(), 3U);
    EXPECT_EQ(file->bytes.size(), static_cast<std::size_t>(file->sizes[0]) *
                                      static_cast<std::size_t>(file->sizes[1]) *
                                      static_cast<std::size_t>(file->sizes[2]));
  }
  EXPECT_GT(refused, trials / 4);
  EXPECT_LT(refused, trials);
}

TEST(FashionMnistFolder, IsTheOneNamedInTheEnvironment) {
  const char* before = std::getenv("WORKBOOK_DATA");
  const std::string kept = before == nullptr ? "" : before;
  setenv("WORKBOOK_DATA", "/some/folder", 1);
  EXPECT_EQ(fashion_mnist_folder(), "/some/folder");
  unsetenv("WORKBOOK_DATA");
  EXPECT_EQ(fashion_mnist_folder(), "/usr/share/datasets/fashion-mnist");
  if (before != nullptr) setenv("WORKBOOK_DATA", kept.c_str(), 1);
}

// The real set, where it is installed.
TEST(FashionMnistSet, HasItsImagesOfMeanZeroAndDeviationOne) {
  const auto data = read_fashion_mnist(fashion_mnist_folder());
  if (!data && data.error().kind == ErrorKind::Absent) {
    GTEST_SKIP() << data.error().what << "; " << data.error().remedy;
  }
  ASSERT_TRUE(data) << data.error().what;
  EXPECT_EQ(data->train.count, 60000);
  EXPECT_EQ(data->test.count, 10000);
  double sum = 0;
  double squares = 0;
  for (const float pixel : data->train.pixels) {
    sum += static_cast<double>(pixel);
    squares += static_cast<double>(pixel) * static_cast<double>(pixel);
  }
  const auto count = static_cast<double>(data->train.pixels.size());
  EXPECT_NEAR(sum / count, 0, 5e-4);
  EXPECT_NEAR(std::sqrt(squares / count), 1, 5e-4);
  std::vector<int> of_class(10);
  for (const std::int32_t label : data->train.labels) {
    ++of_class[static_cast<std::size_t>(label)];
  }
  EXPECT_EQ(of_class, std::vector<int>(10, 6000));
}

}  // namespace
}  // namespace pipeline
