// mistake: the backwards take the chunks from the first to the last
// fails: InterleavedRow.RunsEveryActionOnceInAnOrderThatCanRun
// says: device 0 does 0F0 1F0 0B0 1B0. Each of its stages needs
// points: 8
#include "exercise.hpp"

namespace pipeline {

Row interleaved_row(std::int32_t device, std::int32_t devices, std::int32_t chunks,
                    std::int32_t micro_batches) {
  Row forwards;
  Row backwards;
  std::int32_t first = 0;
  const std::vector<std::int32_t> groups = groups_of(devices, micro_batches);
  for (const std::int32_t size : groups) {
    for (std::int32_t chunk = 0; chunk < chunks; ++chunk) {
      for (std::int32_t k = first; k < first + size; ++k) {
        forwards.push_back(forward_of(stage_of(device, chunk, devices), k));
        backwards.push_back(backward_of(stage_of(device, chunk, devices), k));
      }
    }
    first += size;
  }
  Row row;
  const auto ahead = static_cast<std::size_t>(
      warm_up(device, devices, chunks, micro_batches, groups.front()));
  for (std::size_t i = 0; i < forwards.size() + ahead; ++i) {
    if (i < forwards.size()) row.push_back(forwards[i]);
    if (i >= ahead) row.push_back(backwards[i - ahead]);
  }
  return row;
}

}  // namespace pipeline
