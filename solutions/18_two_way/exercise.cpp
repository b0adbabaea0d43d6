// Exercise 18: two ways. The task is in exercises/18_two_way/README.md.
#include "exercise.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace pipeline {

std::int32_t stage_of(std::int32_t device, std::int32_t devices, std::int32_t copy) {
  // <solution>
  // The second copy lies on the devices in the opposite order.
  return copy == 0 ? device : devices - 1 - device;
  //~ // Your turn: which stage does a micro-batch that goes up meet first?
  //~ return 0;
  // </solution>
}

std::vector<float> sum_of_halves(const std::vector<std::vector<float>>& gradients) {
  std::vector<float> sum(gradients.front().size(), 0);
  // <solution>
  // Floating-point sums depend on their order. The copies add up apart, on two devices,
  // and that is the order to follow.
  const std::size_t first_half = (gradients.size() + 1) / 2;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    float down = 0;
    float up = 0;
    for (std::size_t k = 0; k < first_half; ++k) down += gradients[k][i];
    for (std::size_t k = first_half; k < gradients.size(); ++k) up += gradients[k][i];
    sum[i] = down + up;
  }
  //~ // Your turn: two sums, and then one.
  // </solution>
  return sum;
}

Row two_way_row(std::int32_t device, std::int32_t devices) {
  Row row;
  // <solution>
  // Alone, and with all actions one slot long, the i-th micro-batch of a way runs on
  // its stage s forward in slot 2i + s and backward in slot 2i + 2p-1-s. The two ways
  // of a device never meet in a slot, so that its row is both, in the order of their
  // slots.
  std::vector<std::pair<std::int32_t, Entry>> slots;
  const std::int32_t half = devices / 2;
  for (const std::int32_t copy : {0, 1}) {
    const std::int32_t stage = stage_of(device, devices, copy);
    for (std::int32_t i = 0; i < half; ++i) {
      const std::int32_t micro_batch = copy * half + i;
      slots.emplace_back(2 * i + stage, forward_of(stage, micro_batch));
      slots.emplace_back(2 * i + 2 * devices - 1 - stage,
                         backward_of(stage, micro_batch));
    }
  }
  std::sort(slots.begin(), slots.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [slot, entry] : slots) row.push_back(entry);
  //~ // Your turn: in which slot does each action of one way run, if it is alone?
  // </solution>
  return row;
}

double dualpipe_bubble(std::int32_t devices, const StageCosts& costs) {
  // <solution>
  // A stream has half the devices to fill instead of all of them.
  const std::int32_t further = devices / 2 - 1;
  return further * (costs.overlapped + costs.backward() - 3 * costs.weight_gradient);
  //~ // Your turn: how many devices lie between an end and the middle?
  //~ return 0;
  // </solution>
}

double dualpipe_step(std::int32_t devices, std::int32_t micro_batches,
                     const StageCosts& costs) {
  // <solution>
  // A device in the middle warms up with p/2 forwards of each way. From then on every
  // forward is beside a backward, but the very first of these pairs is not overlapped.
  const double one = costs.forward + costs.backward();
  const std::int32_t pairs = micro_batches - devices - 1;
  return micro_batches * one - pairs * (one - costs.overlapped) +
         dualpipe_bubble(devices, costs);
  //~ // Your turn: the work of a middle device, what its pairs save, and its bubble.
  //~ return 0;
  // </solution>
}

}  // namespace pipeline
