#include "timeline/timeline.hpp"

#include <algorithm>

namespace pipeline {

std::string_view to_text(Level level) {
  switch (level) {
    case Level::Symbolic:
      return "symbolic";
    case Level::HostThreads:
      return "host threads";
    case Level::Replay:
      return "replay";
    case Level::OneGpu:
      return "one GPU, p streams";
    case Level::Gpus:
      return "p GPUs";
    case Level::Processes:
      return "p processes";
  }
  return "unknown level";
}

bool belongs_to(const Timeline& timeline, const Schedule& schedule) {
  return std::equal(schedule.rows.begin(), schedule.rows.end(), timeline.spans.begin(),
                    timeline.spans.end(), [](const Row& row, const auto& spans) {
                      return row.size() == spans.size();
                    });
}

}  // namespace pipeline
