#include "classroom/pack.hpp"

#include <array>
#include <string>
#include <system_error>
#include <vector>

namespace pipeline {
namespace fs = std::filesystem;
namespace {

/// One thing to take along: the first of `from` that exists goes to `to`.
struct Item {
  std::vector<fs::path> from;
  fs::path to;
  std::string package;
};

std::vector<Item> items() {
  return {
      {{"/usr/include/CLI", "/usr/local/include/CLI"}, "include/CLI", "libcli11-dev"},
      {{"/usr/include/nlohmann", "/usr/local/include/nlohmann"},
       "include/nlohmann",
       "nlohmann-json3-dev"},
      {{"/usr/include/tl", "/usr/local/include/tl"}, "include/tl", "libexpected-dev"},
      {{"/usr/include/zlib.h"}, "include/zlib.h", "zlib1g-dev"},
      {{"/usr/include/zconf.h", "/usr/include/x86_64-linux-gnu/zconf.h",
        "/usr/include/aarch64-linux-gnu/zconf.h"},
       "include/zconf.h",
       "zlib1g-dev"},
      {{"/usr/lib/x86_64-linux-gnu/libz.a", "/usr/lib/aarch64-linux-gnu/libz.a",
        "/usr/lib64/libz.a", "/usr/lib/libz.a"},
       "lib/libz.a",
       "zlib1g-dev"},
      {{"/usr/src/googletest"}, "googletest", "googletest"},
      {{"/usr/share/datasets/fashion-mnist"}, "data", "dataset-fashion-mnist"},
  };
}

/// Copies what a link points to, and not the link, which would dangle elsewhere.
std::error_code bring(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  if (error) return error;
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing,
           error);
  return error;
}

const fs::path* find_source(const Item& item) {
  std::error_code error;
  for (const fs::path& path : item.from) {
    if (fs::exists(path, error)) return &path;
  }
  return nullptr;
}

}  // namespace

Expected<void> fill_pack(const fs::path& folder) {
  // First see that all is here, so that no pack is left half filled.
  const std::vector<Item> all = items();
  for (const Item& item : all) {
    if (find_source(item) == nullptr) {
      return absent("there is no " + item.from[0].string() + " to pack",
                    "Install it: apt-get install " + item.package);
    }
  }
  for (const Item& item : all) {
    if (const std::error_code error = bring(*find_source(item), folder / item.to)) {
      return refuse(
          "cannot write " + (folder / item.to).string() + ": " + error.message(),
          "Name a folder that you may write to.");
    }
  }
  return {};
}

}  // namespace pipeline
