/// \file
/// The IDX format of MNIST and its relatives: big-endian magic 0 0 8 d (bytes, d
/// dimensions), d sizes of 32 bits, then the bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

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

}  // namespace pipeline
