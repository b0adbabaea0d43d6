/// \file
/// The IDX format of MNIST and its relatives: big-endian magic 0 0 8 d (bytes, d
/// dimensions), d sizes of 32 bits, then the bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// What a file holds, and how it is shaped.
struct IdxFile {
  std::int32_t items_in_file = 0;   ///< of the first dimension, read or not
  std::vector<std::int32_t> sizes;  ///< of what was read
  std::vector<std::uint8_t> bytes;  ///< product(sizes) of them
};

/// Reads a file, gzipped or plain, that must hold bytes in `dimensions` dimensions; at
/// most `limit` items of the first dimension when > 0. Absent where the file is;
/// invalid where it is of another kind, truncated, longer than it says, or larger than
/// 1 GB.
Expected<IdxFile> read_idx(const std::string& path, std::int32_t dimensions,
                           std::int32_t limit = 0);

/// The same, as many items at a time as the caller likes.
class IdxReader {
 public:
  /// Reads the sizes; refuses as `read_idx` does.
  static Expected<IdxReader> open(const std::string& path, std::int32_t dimensions);
  ~IdxReader();
  /// Takes over the open file.
  IdxReader(IdxReader&&) noexcept;
  IdxReader& operator=(IdxReader&&) noexcept;  ///< takes over the open file

  /// The size of each dimension, as the file says.
  const std::vector<std::int32_t>& sizes() const { return sizes_; }
  /// Fills `to` with the bytes that follow; refuses a file that ends before.
  Expected<void> read(std::span<std::uint8_t> to);
  /// Refuses a file that goes on. Reading to the end also checks gzip's checksum.
  Expected<void> expect_end();

 private:
  class File;
  explicit IdxReader(std::unique_ptr<File> file);

  std::unique_ptr<File> file_;
  std::vector<std::int32_t> sizes_;
};

/// Writes such a file, gzipped at its fastest, with the same bytes in every run.
class IdxWriter {
 public:
  /// Refuses a path that cannot be written to.
  static Expected<IdxWriter> create(const std::string& path,
                                    const std::vector<std::int32_t>& sizes);
  ~IdxWriter();
  /// Takes over the open file.
  IdxWriter(IdxWriter&&) noexcept;
  IdxWriter& operator=(IdxWriter&&) noexcept;  ///< takes over the open file

  /// The bytes that follow; refuses when there is no space left.
  Expected<void> write(std::span<const std::uint8_t> bytes);
  /// What was written is whole only after this.
  Expected<void> close();

 private:
  class File;
  explicit IdxWriter(std::unique_ptr<File> file);

  std::unique_ptr<File> file_;
};

}  // namespace pipeline
