/// \file
/// Costs as people write them: a few for all stages on a command line, or a line for
/// each stage in a file.
#pragma once

#include <optional>
#include <string_view>

#include "schedule/costs.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// `typed` is `F=1,I=1,W=1,R=1,FB=3,U=0,c=0` in any order, each optional: what the
/// forward, the input gradient, the weight gradient, the recomputation, an overlapped
/// pair and the update of every stage cost, and c, the time of a transfer. What is not
/// named is as above, but R is F, and FB is F+I+W.
///
/// `file`, if any, holds a header and then a line for each stage, in order:
///
///     stage,F,I,W,bytes
///     0,1,1,1,4096
///     1,2,1.5,1.5,4096
///
/// Columns are those of `typed` but c, and `bytes`, the size of the message that leaves
/// the stage; each is optional and in any order. `stage`, if there, counts from 0. A
/// column that the file lacks is as `typed` says. Blank lines and lines that start with
/// '#' are skipped.
///
/// Refuses with the line and the cell, or the item, at fault. Nothing is allocated that
/// the text does not hold.
Expected<Costs> parse_costs(std::string_view typed,
                            std::optional<std::string_view> file = std::nullopt);

}  // namespace pipeline
