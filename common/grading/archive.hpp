/// \file
/// Zip archives, by libarchive. Nothing is ever unpacked onto the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

enum class EntryKind : std::uint8_t { File, Folder, Link, Other };

struct ArchiveEntry {
  std::string path;  ///< as it stands there: may be absolute or lead outside
  EntryKind kind = EntryKind::File;
  bool encrypted = false;
  std::optional<std::int64_t> when;  ///< seconds since 1970
};

/// Gives the bytes of the entry that is being visited; nothing where there are more
/// than `most`, or they are damaged.
using EntryBytes = std::function<std::optional<std::string>(std::size_t most)>;

/// Visits the entries of the zip that is open as `descriptor`, in its order, until
/// `visit` returns false. Refuses what is no zip, or a damaged one.
Expected<void> visit_zip(
    int descriptor,
    const std::function<bool(const ArchiveEntry&, const EntryBytes&)>& visit);

struct ArchiveFile {
  std::string path;
  std::string bytes;
  bool executable = false;
};

/// A zip of these files, in this order. Without times, so that the same files give the
/// same bytes.
Expected<std::string> make_zip(const std::vector<ArchiveFile>& files);

}  // namespace pipeline
