/// \file
/// What the tests of training on text train: a transformer as small as it goes, on a
/// made-up text, so that dozens of runs take a second. No two sizes are the same. Test
/// code.
#pragma once

#include <string>

#include "layers/random.hpp"
#include "runtime/text_trainer.hpp"

namespace pipeline {

/// Sentences of eight words in random order.
inline Corpus small_corpus(std::size_t bytes = 3000) {
  constexpr const char* kWords[] = {"and", "the", "waters", "of",
                                    "day", "he",  "light",  "said"};
  Random random(5);
  Corpus corpus{"small text", {}};
  while (corpus.text.size() < bytes) {
    corpus.text += kWords[random.below(8)];
    corpus.text += random.below(9) == 0 ? ".\n" : " ";
  }
  return corpus;
}

/// 23 layers with dropout, all of them on few columns.
inline TransformerShape small_shape() {
  return {.width = 12,
          .heads = 2,
          .blocks = 2,
          .context = 11,
          .dropout = 0.1F,
          .tied = true};
}

inline TextTrainingOptions small_options() {
  TextTrainingOptions options;
  options.samples = 9;
  options.micro_batches = 4;
  options.steps = 12;
  options.log_every = 5;
  options.held_out_windows = 7;
  options.optimizer.rate = 0.02F;
  options.optimizer.warmup_steps = 3;
  options.optimizer.decay_steps = 12;
  options.optimizer.least_rate = 0.001F;
  options.seed = 3;
  return options;
}

}  // namespace pipeline
