#include "grading/cache.hpp"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "classroom/files.hpp"
#include "classroom/json.hpp"
#include "grading/sha256.hpp"

namespace pipeline {
namespace fs = std::filesystem;
namespace {

/// Changes when the same answer, kit and seed may come to another verdict or to another
/// file of it.
constexpr const char* kFormat = "1";

std::string file_name(const CacheKey& key) { return key.who + "-" + key.how + ".json"; }

/// A hash of several texts, none of which can pass for a part of another.
std::string hash_of(std::initializer_list<std::string_view> texts) {
  std::string all;
  for (const std::string_view text : texts) all += sha256(text);
  return sha256(all).substr(0, 32);
}

std::optional<Verdict> read_verdict(const fs::path& path) {
  const auto text = read_file(path);
  if (!text) return std::nullopt;
  // The first line is the hash of all that follows.
  const std::size_t end = text->find('\n');
  if (end == std::string::npos) return std::nullopt;
  const std::string_view rest = std::string_view(*text).substr(end + 1);
  if (text->substr(0, end) != sha256(rest)) return std::nullopt;
  const auto verdict = parse_verdict(parse_json(rest));
  if (!verdict) return std::nullopt;
  return *verdict;
}

}  // namespace

CacheKey cache_key(std::string_view answer, const std::string& student,
                   const std::string& kit_hash, const std::string& seed, Tier tier) {
  return {hash_of({answer, student}),
          hash_of({kFormat, kit_hash, seed, to_text(tier)})};
}

Expected<Cache> Cache::open(fs::path folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return refuse("cannot create " + folder.string() + ": " + error.message(),
                  "Name another folder: --out DIR.");
  }
  // What tests said of drawn inputs is for nobody else, and above all for no answer.
  fs::permissions(folder, fs::perms::owner_all, error);
  std::vector<fs::path> halves;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().string().find(".json.part") != std::string::npos)
      halves.push_back(entry.path());
  }
  for (const fs::path& half : halves) fs::remove(half, error);
  return Cache(std::move(folder));
}

std::optional<Verdict> Cache::find(const CacheKey& key) const {
  return read_verdict(folder_ / file_name(key));
}

std::optional<Verdict> Cache::find_earlier(const std::string& who) const {
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(who + "-") && name.ends_with(".json"))
      files.emplace_back(entry.last_write_time(error), entry.path());
  }
  std::sort(files.rbegin(), files.rend());
  for (const auto& [when, path] : files) {
    if (auto verdict = read_verdict(path)) return verdict;
  }
  return std::nullopt;
}

Expected<void> Cache::keep(const CacheKey& key, const Verdict& verdict) const {
  const std::string text = to_text(to_json(verdict));
  return write_file(folder_ / file_name(key), sha256(text) + "\n" + text);
}

}  // namespace pipeline
