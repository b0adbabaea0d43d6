/// \file
/// Which layers make a stage: as even as it goes, as somebody says, or so that the
/// slowest stage is as fast as can be.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "planning/pace.hpp"
#include "schedule/costs.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// Stage s holds layers [first_layer[s], first_layer[s+1]); has stages + 1 entries.
using LayerSplit = std::vector<std::int32_t>;

/// As even as it goes, longer stages first: 30 layers on 4 stages are 8, 8, 7, 7.
/// Fewer layers than stages is refused.
Expected<LayerSplit> even_split(std::int32_t layers, std::int32_t stages);

/// The split that somebody wrote down: `counts` layers for each stage in turn, such as
/// 1, 2, 2, 3. Refused, with what is missing or too much, when they are not `layers`
/// together, or when a stage has none.
Expected<LayerSplit> explicit_split(std::int32_t layers,
                                    std::span<const std::int32_t> counts);

/// A split as people write it: "[1,2,2,3]".
std::string layout_text(const LayerSplit& split);

/// The most layers that `optimal_split` takes.
inline constexpr std::int32_t kMostLayers = 2048;

/// What the stages of a split cost. `layers` are the costs of the network as if each
/// layer were a stage, an entry a layer; so are what is returned, an entry a stage. A
/// stage sends what its last layer sends.
Costs costs_of_stages(const Costs& layers, const LayerSplit& split);

/// The split into `stages` stages, stage s on device s, whose pace is the best that
/// there is: the least `Pace::interval`, transfers between the stages included. Of
/// those the one whose stages are most alike (least sum of squares of their times), and
/// of those the one with more layers in the earlier stages. `layers` as in
/// `costs_of_stages`.
///
/// Exact, by dynamic programming (as in PipeDream, Narayanan et al. 2019, section 3.1,
/// without replicas), in O(stages * layers * layers of the longest stage). Refuses
/// fewer layers than stages, more than `kMostLayers`, and costs that are none.
Expected<LayerSplit> optimal_split(const Costs& layers, std::int32_t stages,
                                   const PaceOptions& options = {});

}  // namespace pipeline
