#include "timeline/timeline.hpp"

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

}  // namespace pipeline
