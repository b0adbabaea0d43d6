/// \file
/// Table 5 of the zero-bubble paper (Qi et al., ICLR 2024): for tests to hold against,
/// and for chapters to show.
#pragma once

#include <array>
#include <cstdint>

#include "schedule/costs.hpp"

namespace pipeline {

/// A row of it. Times are in microseconds, rates are span bubbles.
struct Table5Row {
  std::int32_t devices, micro_batches;  ///< p and m
  /// F, I, W and c of a stage, in microseconds.
  double forward, input_gradient, weight_gradient, transfer;
  double one_f_one_b;  ///< span bubble of 1F1B
  /// What the paper prints for interleaving. Its authors' script charges the transfer
  /// from the last device back to the first only for the first micro-batch of a group.
  double interleaved_as_printed;
  double interleaved;              ///< with every transfer charged
  std::int32_t chunks;             ///< v of interleaved 1F1B
  double zb_h1, zb_h2;             ///< span bubbles of the two schedules by hand
  double searched_p, searched_2p;  ///< under a memory limit of p and of 2p
  /// Heads a and width h of the model, at a sequence of s = 1024: a micro-batch's
  /// activation on a stage takes 34h + 5as, and W frees 32h of it.
  double width, heads;

  /// Of one chunk, with `parts` chunks a device.
  Costs costs(std::int32_t parts = 1) const {
    Costs costs;
    costs.stages = {{forward / parts, input_gradient / parts, weight_gradient / parts}};
    costs.within_node.latency = transfer;
    return costs;
  }
  /// Share of an activation that I frees: what W leaves.
  double freed_by_input_gradient() const {
    return 1 - 32 * width / (34 * width + 5 * heads * 1024);
  }
};

/// The rows in the order of the table.
inline constexpr std::array<Table5Row, 8> kTable5{{
    {8, 24, 18522, 18086, 9337, 601, .2431, .1055, .1090, 3, .1585, .1083, .1585, .0433,
     2304, 24},
    {8, 64, 18546, 18097, 9321, 762, .1240, .0443, .0461, 3, .0674, .0444, .0674, .0026,
     2304, 24},
    {8, 24, 29718, 29444, 19927, 527, .2347, .0808, .0827, 4, .1323, .0698, .1323,
     .0029, 4096, 32},
    {8, 64, 29935, 29621, 19388, 535, .1091, .0320, .0328, 4, .0554, .0294, .0554,
     .0010, 4096, 32},
    {16, 48, 11347, 11248, 8132, 377, .2552, .1104, .1136, 3, .1397, .0672, .1397,
     .0066, 5120, 40},
    {16, 128, 11325, 11308, 8109, 378, .1251, .0445, .0459, 3, .0576, .0266, .0576,
     .0028, 5120, 40},
    {32, 96, 10419, 10207, 7715, 408, .2646, .1493, .1528, 2, .1421, .0641, .1421,
     .0038, 6144, 48},
    {32, 256, 10402, 10248, 7698, 460, .1352, .0624, .0641, 2, .0594, .0257, .0594,
     .0018, 6144, 48},
}};

}  // namespace pipeline
