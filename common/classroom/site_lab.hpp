/// \file
/// The lab in a page: what stands there until it is live, and is all there is without
/// JavaScript.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// Answers the lab's queries, as JSON (common/lab/answer.hpp).
using LabAnswers = std::function<std::string(std::string_view query)>;

/// The element <pipeline-lab> for a query, around the figure and the figures in
/// numbers. Refused in the lab's words where it refuses.
Expected<std::string> lab_figure(const std::string& query, const LabAnswers& lab);

/// The element <pipeline-builder> for a level, around its task and its empty board.
/// Refused where no level has that number.
Expected<std::string> level_figure(const std::string& level, const LabAnswers& lab);

/// The elements that load them: `files` are scripts and style sheets, in order.
std::string lab_scripts(const std::vector<std::string>& files);

}  // namespace pipeline
