/// \file
/// Verdicts that were come to before. One file each, named by a hash of everything that
/// a verdict depends on, and whole or not there at all:
///
///     CACHE/WHO-HOW.json     WHO: the answer (and the student, where each has their
///     own
///                            inputs); HOW: the kit, the seed, the sandbox's tier
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "grading/sandbox.hpp"
#include "grading/verdict.hpp"

namespace pipeline {

/// The names of one verdict.
struct CacheKey {
  /// Hashes: of the answer and whose it is, and of what it is judged with.
  std::string who, how;

  bool operator==(const CacheKey&) const = default;
  /// Some order, for maps.
  bool operator<(const CacheKey& other) const {
    return std::tie(who, how) < std::tie(other.who, other.how);
  }
};

/// `student` is empty where all have the same inputs.
CacheKey cache_key(std::string_view answer, const std::string& student,
                   const std::string& kit_hash, const std::string& seed, Tier tier);

/// A folder of verdicts.
class Cache {
 public:
  /// Creates the folder, and removes from it what a killed run left half written.
  static Expected<Cache> open(std::filesystem::path folder);

  /// Nothing where there is none, or its file is damaged.
  std::optional<Verdict> find(const CacheKey& key) const;
  /// The newest verdict on the same answer, whatever the kit was and the seed.
  std::optional<Verdict> find_earlier(const std::string& who) const;
  /// Replaces one of the same key; refused when it cannot be written.
  Expected<void> keep(const CacheKey& key, const Verdict& verdict) const;

 private:
  explicit Cache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;
};

}  // namespace pipeline
