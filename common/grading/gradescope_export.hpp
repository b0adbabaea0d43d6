/// \file
/// submission_metadata.yml of Gradescope's "Download Submissions".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// One person who handed something in.
struct Submitter {
  /// As Gradescope knows them; empty where it does not say.
  std::string name, sid, email;

  bool operator==(const Submitter&) const = default;
};

/// One submission of the export.
struct ExportedSubmission {
  std::vector<Submitter> submitters;  ///< several for a group
  std::optional<std::int64_t> when;   ///< seconds since 1970

  bool operator==(const ExportedSubmission&) const = default;
};

/// By the names of their folders, "submission_67890". Refuses what is no such file.
Expected<std::map<std::string, ExportedSubmission>> parse_gradescope_metadata(
    std::string_view yaml);

}  // namespace pipeline
