/// \file
/// The lab: a question as text in, an answer as text out. The same function serves the
/// page, as WebAssembly, and the tests.
#pragma once

#include <string>
#include <string_view>

namespace pipeline {

/// The answer, one line of JSON, to the query of a URL such as
/// `op=draw&schedule=1f1b&p=4&m=8`. `op` says what is asked: `list`, `draw` (as
/// without it), `why`, `compare`, `export`, `levels` or `board`. The keys of a schedule
/// are listed at `read_lab_request`, the others at `kWhyKeys` and `kBoardKeys`, and the
/// fields of the answers in common/lab/README.md. What cannot be answered is met by
/// `{"ok":false,"field":"p","what":"…","remedy":"…"}`, whatever the text. The time that
/// an answer takes and its length are bounded, and the same query gives the same bytes
/// on every platform.
std::string lab_answer(std::string_view query);

}  // namespace pipeline
