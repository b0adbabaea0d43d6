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

/// A gzip stream. zlib reads a file without gzip's magic as it is.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {
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
  tl::unexpected<Error> damaged(const std::string& how) const {
    return refuse(path_ + " " + how,
                  "put the original file back (dataset-fashion-mnist brings it)");
  }

 private:
  struct Close {
    void operator()(gzFile file) const { gzclose(file); }
  };

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
  std::unique_ptr<gzFile_s, Close> file_;
  int open_error_ = 0;
};

std::uint32_t big_endian(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 |
         std::uint32_t{at[2]} << 8 | std::uint32_t{at[3]};
}

Expected<std::vector<std::int32_t>> read_sizes(Reader& reader,
                                               std::int32_t dimensions) {
  std::array<std::uint8_t, 4> magic{};
  if (const auto ok = reader.read(magic); !ok) return tl::unexpected(ok.error());
  if (magic[0] != 0 || magic[1] != 0) return reader.damaged("is not an IDX file");
  if (magic[2] != 8) {
    return reader.damaged("holds values of type " + std::to_string(magic[2]) +
                          ", not bytes (8)");
  }
  if (magic[3] != dimensions) {
    return reader.damaged("has " + std::to_string(magic[3]) + " dimensions, not " +
                          std::to_string(dimensions));
  }
  std::vector<std::int32_t> sizes;
  std::int64_t total = 1;
  for (std::int32_t i = 0; i < dimensions; ++i) {
    std::array<std::uint8_t, 4> word{};
    if (const auto ok = reader.read(word); !ok) return tl::unexpected(ok.error());
    const std::uint32_t size = big_endian(word.data());
    if (size == 0 || size > kMostBytes || (total *= size) > kMostBytes) {
      return reader.damaged("says that a dimension is " + std::to_string(size));
    }
    sizes.push_back(static_cast<std::int32_t>(size));
  }
  return sizes;
}

}  // namespace

Expected<IdxFile> read_idx(const std::string& path, std::int32_t dimensions,
                           std::int32_t limit) {
  Reader reader(path);
  if (!reader.is_open()) {
    const std::string why = std::strerror(reader.open_error());
    return absent(path + " cannot be opened: " + why,
                  "install the Debian package dataset-fashion-mnist, or name its "
                  "folder in $WORKBOOK_DATA");
  }
  auto sizes = read_sizes(reader, dimensions);
  if (!sizes) return tl::unexpected(sizes.error());
  IdxFile file;
  file.sizes = std::move(*sizes);
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
    const auto ok = reader.read(std::span(file.bytes).subspan(begin));
    if (!ok) return tl::unexpected(ok.error());
  }
  if (!part) {
    if (const auto ok = reader.expect_end(); !ok) return tl::unexpected(ok.error());
  }
  return file;
}

}  // namespace pipeline
