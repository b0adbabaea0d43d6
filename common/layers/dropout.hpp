/// \file
/// Dropout whose mask does not depend on how a batch is cut.
#pragma once

#include <cstdint>
#include <memory>

#include "layers/layer.hpp"

namespace pipeline {

/// Puts a share `rate` of the elements to 0 and the others to x / (1 - rate)
/// (Srivastava et al. 2014, section 10, scaled in training). Without `Pass::training` y
/// = x.
///
/// Whether an element stays is drawn from what names it: seed and step of the pass,
/// `layer`, which tells one dropout of a network from the others, the sample's place in
/// the whole batch, the position in the whole sequence, and the column. So the mask is
/// the same for every number of micro-batches, for slices, and on re-computation.
std::unique_ptr<Layer> dropout(std::int32_t width, float rate, std::int32_t layer);

}  // namespace pipeline
