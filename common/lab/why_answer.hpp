/// \file
/// The lab's answer to "why": why an action did not start earlier, what it unlocks, and
/// why a bubble is there.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "lab/json.hpp"
#include "lab/query.hpp"

namespace pipeline {

/// The keys of `op=why`, beside those of a schedule: a `device`, and an `entry` of its
/// row (0) or a `time` at which it idles.
inline constexpr std::array<std::string_view, 3> kWhyKeys{"device", "entry", "time"};

/// Of an entry `{"ok":true,"action":"B0","span":[8,10],"waits":"…","unlocks":["…"],
/// "critical":true}`; of a time `{"ok":true,"gap":[3,8],"why":"This bubble exists
/// because …"}`. The sentences are those of timeline/why.hpp.
LabExpected<std::string> why_answer(const Query& query);

}  // namespace pipeline
