// mistake: looks for a gap in this micro-batch only, not in every period
// fails: FillGaps.PutsEachWeightGradientInTheFirstGapOfThePeriod
// says: the first tick after I1 that no micro-batch before or after needs
// points: 13
#include <set>

#include "exercise.hpp"

namespace pipeline {

DeviceBlock fill_gaps(DeviceBlock block) {
  std::set<std::int32_t> taken = {block.forward0, block.forward1, block.input_gradient1,
                                  block.input_gradient0};
  const auto gap_after = [&](std::int32_t tick) {
    do {
      ++tick;
    } while (!taken.insert(tick).second);
    return tick;
  };
  block.weight_gradient1 = gap_after(block.input_gradient1);
  block.weight_gradient0 = gap_after(block.input_gradient0);
  return block;
}

}  // namespace pipeline
