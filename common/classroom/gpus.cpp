#include "classroom/gpus.hpp"

#include "classroom/lines.hpp"
#include "classroom/process.hpp"

namespace pipeline {

int count_gpus() {
  const ProcessResult listing = run_process({"nvidia-smi", "-L"});
  if (listing.exit_code != 0) return 0;
  int gpus = 0;
  for (const std::string& line : lines_of(listing.output)) {
    gpus += line.starts_with("GPU ") ? 1 : 0;
  }
  return gpus;
}

}  // namespace pipeline
