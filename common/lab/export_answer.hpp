/// \file
/// A schedule as a file to save.
#pragma once

#include <string>

#include "lab/json.hpp"
#include "lab/query.hpp"

namespace pipeline {

/// `format` is svg, torch (PyTorch's CSV), csv (the timeline as a table), trace (for
/// Perfetto) or text (the text form of schedule/text.hpp):
/// `{"ok":true,"file":"1f1b-4-8.svg","type":"image/svg+xml","text":"…"}`.
LabExpected<std::string> export_answer(const Query& query);

}  // namespace pipeline
