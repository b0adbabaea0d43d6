// What kill_test kills: a small training with a checkpoint after each step.
//
//     killed FOLDER SCHEDULE DEVICES      prints the digest of the trained weights
#include <cstdio>
#include <cstdlib>

#include "runtime/small_text.hpp"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  pipeline::TextTrainingOptions options = pipeline::small_options();
  options.checkpoints = argv[1];
  options.schedule = argv[2];
  options.devices = std::atoi(argv[3]);
  options.steps = 20;
  options.checkpoint_every = 1;
  const auto platform = pipeline::make_platform(options.devices);
  if (!platform) {
    std::fprintf(stderr, "%s\n", platform.error().what.c_str());
    return 3;
  }
  const auto report = pipeline::train_text(**platform, pipeline::small_shape(),
                                           pipeline::small_corpus(), options);
  if (!report) {
    std::fprintf(stderr, "%s\n", report.error().what.c_str());
    return 2;
  }
  std::printf("%s\n", report->digest.c_str());
  return 0;
}
