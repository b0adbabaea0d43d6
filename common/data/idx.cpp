#include "data/idx.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace pipeline {

namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;

struct Close {
  void operator()(gzFile file) const { gzclose(file); }
};
using GzipFile = std::unique_ptr<gzFile_s, Close>;

std::uint32_t big_endian(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 |
         std::uint32_t{at[2]} << 8 | std::uint32_t{at[3]};
}

}  // namespace

/// A gzip stream. zlib reads a file without gzip's magic as it is.
class IdxReader::File {
 public:
  explicit File(const std::string& path) : path_(path) {
    errno = 0;
    file_.reset(gzopen(path.c_str(), "rb"));
    open_error_ = errno;
    if (file_) gzbuffer(file_.get(), 1U << 17);
  }

  bool is_open() const { return file_ != nullptr; }
  int open_error() const { return open_error_; }

  /// Fills `to`, or says why not.
  Expected<void> read(std::span<std::uint8_t> to) {
    const int got = gzread(file_.get(), to.data(), static_cast<unsigned>(to.size()));
    if (got >= 0 && static_cast<std::size_t>(got) == to.size()) return {};
    return damaged(problem());
  }
  /// True when nothing follows. Reading to the end also checks gzip's checksum.
  Expected<void> expect_end() {
    std::uint8_t more = 0;
    const int got = gzread(file_.get(), &more, 1);
    if (got > 0) return damaged("goes on after the last of its bytes");
    int code = Z_OK;
    gzerror(file_.get(), &code);
    if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) return damaged(problem());
    return {};
  }
  /// What the file begins with.
  Expected<std::vector<std::int32_t>> read_sizes(std::int32_t dimensions);
  tl::unexpected<Error> damaged(const std::string& how) const {
    return refuse(path_ + " " + how,
                  "put the original file back (dataset-fashion-mnist brings it)");
  }

 private:
  std::string problem() const {
    int code = Z_OK;
    const char* text = gzerror(file_.get(), &code);
    if (code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR) {
      return "ends early: it is truncated";
    }
    if (code == Z_ERRNO) return std::string("cannot be read: ") + std::strerror(errno);
    return std::string("is damaged: ") + text;
  }

  std::string path_;
  GzipFile file_;
  int open_error_ = 0;
};

Expected<std::vector<std::int32_t>> IdxReader::File::read_sizes(
    std::int32_t dimensions) {
  std::array<std::uint8_t, 4> magic{};
  if (const auto ok = read(magic); !ok) return tl::unexpected(ok.error());
  if (magic[0] != 0 || magic[1] != 0) return damaged("is not an IDX file");
  if (magic[2] != 8) {
    return damaged("holds values of type " + std::to_string(magic[2]) +
                   ", not bytes (8)");
  }
  if (magic[3] != dimensions) {
    return damaged("has " + std::to_string(magic[3]) + " dimensions, not " +
                   std::to_string(dimensions));
  }
  std::vector<std::int32_t> sizes;
  std::int64_t total = 1;
  for (std::int32_t i = 0; i < dimensions; ++i) {
    std::array<std::uint8_t, 4> word{};
    if (const auto ok = read(word); !ok) return tl::unexpected(ok.error());
    const std::uint32_t size = big_endian(word.data());
    if (size == 0 || size > kMostBytes || (total *= size) > kMostBytes) {
      return damaged("says that a dimension is " + std::to_string(size));
    }
    sizes.push_back(static_cast<std::int32_t>(size));
  }
  return sizes;
}

IdxReader::IdxReader(std::unique_ptr<File> file) : file_(std::move(file)) {}
IdxReader::~IdxReader() = default;
IdxReader::IdxReader(IdxReader&&) noexcept = default;
IdxReader& IdxReader::operator=(IdxReader&&) noexcept = default;

Expected<IdxReader> IdxReader::open(const std::string& path, std::int32_t dimensions) {
  IdxReader reader(std::make_unique<File>(path));
  if (!reader.file_->is_open()) {
    const std::string why = std::strerror(reader.file_->open_error());
    return absent(path + " cannot be opened: " + why,
                  "install the Debian package dataset-fashion-mnist, or name its "
                  "folder in $WORKBOOK_DATA");
  }
  auto sizes = reader.file_->read_sizes(dimensions);
  if (!sizes) return tl::unexpected(sizes.error());
  reader.sizes_ = std::move(*sizes);
  return reader;
}

Expected<void> IdxReader::read(std::span<std::uint8_t> to) { return file_->read(to); }

Expected<void> IdxReader::expect_end() { return file_->expect_end(); }

Expected<IdxFile> read_idx(const std::string& path, std::int32_t dimensions,
                           std::int32_t limit) {
  auto reader = IdxReader::open(path, dimensions);
  if (!reader) return tl::unexpected(reader.error());
  IdxFile file;
  file.sizes = reader->sizes();
  file.items_in_file = file.sizes[0];
  const bool part = limit > 0 && limit < file.sizes[0];
  if (part) file.sizes[0] = limit;
  std::size_t total = 1;
  for (const std::int32_t size : file.sizes) total *= static_cast<std::size_t>(size);
  // Grown as it is read: a header may promise more than the file holds.
  constexpr std::size_t kPiece = std::size_t{1} << 22;
  while (file.bytes.size() < total) {
    const std::size_t begin = file.bytes.size();
    file.bytes.resize(std::min(total, begin + kPiece));
    const auto ok = reader->read(std::span(file.bytes).subspan(begin));
    if (!ok) return tl::unexpected(ok.error());
  }
  if (!part) {
    if (const auto ok = reader->expect_end(); !ok) return tl::unexpected(ok.error());
  }
  return file;
}

class IdxWriter::File {
 public:
  explicit File(const std::string& path) : path_(path) {
    errno = 0;
    file_.reset(gzopen(path.c_str(), "wb1"));
    if (file_) gzbuffer(file_.get(), 1U << 17);
  }

  bool is_open() const { return file_ != nullptr; }
  Expected<void> write(std::span<const std::uint8_t> bytes) {
    if (bytes.empty()) return {};
    errno = 0;
    const int put =
        gzwrite(file_.get(), bytes.data(), static_cast<unsigned>(bytes.size()));
    if (put > 0 && static_cast<std::size_t>(put) == bytes.size()) return {};
    return failed();
  }
  Expected<void> close() {
    errno = 0;
    if (gzclose(file_.release()) == Z_OK) return {};
    return failed();
  }
  tl::unexpected<Error> failed() const {
    return refuse(path_ + " cannot be written: " + std::strerror(errno),
                  "make space there, or name another folder in $TMPDIR");
  }

 private:
  std::string path_;
  GzipFile file_;
};

IdxWriter::IdxWriter(std::unique_ptr<File> file) : file_(std::move(file)) {}
IdxWriter::~IdxWriter() = default;
IdxWriter::IdxWriter(IdxWriter&&) noexcept = default;
IdxWriter& IdxWriter::operator=(IdxWriter&&) noexcept = default;

Expected<IdxWriter> IdxWriter::create(const std::string& path,
                                      const std::vector<std::int32_t>& sizes) {
  IdxWriter writer(std::make_unique<File>(path));
  if (!writer.file_->is_open()) return writer.file_->failed();
  std::vector<std::uint8_t> head = {0, 0, 8, static_cast<std::uint8_t>(sizes.size())};
  for (const std::int32_t size : sizes) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      head.push_back(static_cast<std::uint8_t>(size >> shift));
    }
  }
  if (const auto ok = writer.write(head); !ok) return tl::unexpected(ok.error());
  return writer;
}

Expected<void> IdxWriter::write(std::span<const std::uint8_t> bytes) {
  return file_->write(bytes);
}

Expected<void> IdxWriter::close() { return file_->close(); }

}  // namespace pipeline
