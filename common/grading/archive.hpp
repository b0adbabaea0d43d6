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

/// What an entry of an archive is.
enum class EntryKind : std::uint8_t {
  File,    ///< with bytes of its own
  Folder,  ///< of others
  Link,    ///< to another path, wherever that leads
  Other    ///< a device, a pipe, a socket
};

/// One entry of a zip, as its directory describes it.
struct ArchiveEntry {
  std::string path;  ///< as it stands there: may be absolute or lead outside
  EntryKind kind = EntryKind::File;  ///< what it is
  bool encrypted = false;            ///< whether it cannot be read without a password
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

/// A file that is to go into a zip.
struct ArchiveFile {
  std::string path;         ///< within the zip, "/" between
  std::string bytes;        ///< all of it
  bool executable = false;  ///< whether it is to be run
};

/// A zip of these files, in this order. Without times, so that the same files give the
/// same bytes.
Expected<std::string> make_zip(const std::vector<ArchiveFile>& files);

}  // namespace pipeline
