#include "timeline/memory.hpp"

#include <algorithm>

#include "timeline/holding.hpp"

namespace pipeline {

Memory memory(const Schedule& schedule, const MemoryOptions& options) {
  Memory memory;
  const std::vector<std::int32_t> visits = stages_visited(schedule);
  const Recomputed recomputed(schedule);
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    Holding holding(schedule, recomputed, options);
    std::int32_t chunks = 0;
    double micro_batches = 0;
    double bytes = 0;
    const Row& row = schedule.rows[d];
    const Entry* const end = row.data() + row.size();
    for (const Entry* first = row.data(); first != end;) {
      const Entry* last = end_of_cell(first, end);
      holding.make(first, last);
      chunks = std::max(chunks, holding.chunks());
      micro_batches = std::max(micro_batches, holding.micro_batches());
      bytes = std::max(bytes, holding.bytes());
      holding.release(first, last);
      first = last;
    }
    memory.peak_chunks.push_back(chunks);
    memory.peak.push_back(visits[d] > 0 ? micro_batches / visits[d] : 0);
    if (!options.activation_bytes.empty()) memory.peak_bytes.push_back(bytes);
  }
  return memory;
}

}  // namespace pipeline
