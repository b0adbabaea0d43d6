#include "grading/archive.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <memory>
#include <new>

namespace pipeline {
namespace {

struct FreeReader {
  void operator()(archive* it) const { archive_read_free(it); }
};
struct FreeWriter {
  void operator()(archive* it) const { archive_write_free(it); }
};
struct FreeEntry {
  void operator()(archive_entry* it) const { archive_entry_free(it); }
};

tl::unexpected<Error> damaged(archive* zip) {
  const char* said = archive_error_string(zip);
  return refuse(std::string("not a whole zip: ") + (said == nullptr ? "" : said),
                "Ask for it again.");
}

ArchiveEntry describe(archive_entry* entry) {
  ArchiveEntry result;
  const char* path = archive_entry_pathname_utf8(entry);
  if (path == nullptr) path = archive_entry_pathname(entry);
  result.path = path == nullptr ? "" : path;
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
      result.kind = EntryKind::File;
      break;
    case AE_IFDIR:
      result.kind = EntryKind::Folder;
      break;
    case AE_IFLNK:
      result.kind = EntryKind::Link;
      break;
    default:
      result.kind = EntryKind::Other;
  }
  if (archive_entry_hardlink(entry) != nullptr) result.kind = EntryKind::Link;
  result.encrypted = archive_entry_is_encrypted(entry) != 0;
  if (archive_entry_mtime_is_set(entry) != 0) result.when = archive_entry_mtime(entry);
  return result;
}

std::optional<std::string> bytes_of(archive* zip, std::size_t most) {
  std::string bytes;
  char piece[8192];
  while (true) {
    const auto count = archive_read_data(zip, piece, sizeof piece);
    if (count < 0) return std::nullopt;
    if (count == 0) return bytes;
    bytes.append(piece, static_cast<std::size_t>(count));
    // What an entry says of its size may be a lie: only what came counts.
    if (bytes.size() > most) return std::nullopt;
  }
}

la_ssize_t append(archive* /*zip*/, void* to, const void* bytes, std::size_t count) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), count);
  return static_cast<la_ssize_t>(count);
}

}  // namespace

Expected<void> visit_zip(
    int descriptor,
    const std::function<bool(const ArchiveEntry&, const EntryBytes&)>& visit) {
  const std::unique_ptr<archive, FreeReader> zip(archive_read_new());
  if (zip == nullptr) throw std::bad_alloc();
  archive_read_support_format_zip(zip.get());
  constexpr std::size_t kBlock = 64 << 10;
  if (archive_read_open_fd(zip.get(), descriptor, kBlock) != ARCHIVE_OK)
    return damaged(zip.get());
  while (true) {
    archive_entry* entry = nullptr;
    const int result = archive_read_next_header(zip.get(), &entry);
    if (result == ARCHIVE_EOF) return {};
    if (result != ARCHIVE_OK && result != ARCHIVE_WARN) return damaged(zip.get());
    const bool more = visit(
        describe(entry), [&](std::size_t most) { return bytes_of(zip.get(), most); });
    if (!more) return {};
  }
}

Expected<std::string> make_zip(const std::vector<ArchiveFile>& files) {
  std::string bytes;
  const std::unique_ptr<archive, FreeWriter> zip(archive_write_new());
  if (zip == nullptr) throw std::bad_alloc();
  archive_write_set_format_zip(zip.get());
  archive_write_set_bytes_in_last_block(zip.get(), 1);
  bool good =
      archive_write_open(zip.get(), &bytes, nullptr, append, nullptr) == ARCHIVE_OK;
  for (const ArchiveFile& file : files) {
    const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
    if (entry == nullptr) throw std::bad_alloc();
    constexpr int kProgram = 0755;
    constexpr int kText = 0644;
    archive_entry_set_pathname(entry.get(), file.path.c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), file.executable ? kProgram : kText);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.bytes.size()));
    good = good && archive_write_header(zip.get(), entry.get()) == ARCHIVE_OK &&
           archive_write_data(zip.get(), file.bytes.data(), file.bytes.size()) ==
               static_cast<la_ssize_t>(file.bytes.size());
  }
  good = archive_write_close(zip.get()) == ARCHIVE_OK && good;
  if (!good) return damaged(zip.get());
  return bytes;
}

}  // namespace pipeline
