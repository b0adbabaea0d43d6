/// \file
/// Text to train on: bytes are its tokens. The text is cut once, by position:
///
///     │◂──────────── training: nine tenths ────────────▸│◂─ held out ─▸│
///        ├─ window ─┤      ├─ window ─┤                  ├──┼──┼──┼──┤
///          drawn anew for each sample of each step         the same ones each time
///
/// What a model is asked for at each position of a window is the byte after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// Tokens of a text: its bytes, 0 to 255.
inline constexpr std::int32_t kByteTokens = 256;

/// A text, cut into a part to train on and a part that is held out.
struct Corpus {
  std::string name;  ///< where it comes from
  std::string text;  ///< all of it

  std::string_view train() const;     ///< the first nine tenths
  std::string_view held_out() const;  ///< the rest
};

/// The file at `path`; an empty path stands for the King James Bible, a verse a line,
/// as Debian's program `bible` prints it (packages bible-kjv and bible-kjv-text), which
/// is refused as absent where it is not installed. A file that is missing, empty, not
/// readable, larger than 1 GB, or binary (it has a byte 0) is refused by name.
Expected<Corpus> read_corpus(const std::string& path = "");

/// Refuses a text that has not got a window of `context` tokens, and the byte after
/// it, in both of its parts.
Expected<void> check_length(const Corpus& corpus, std::int32_t context);

/// Windows side by side, as a transformer takes them: samples x context rows.
struct TextBatch {
  std::int32_t samples = 0;          ///< windows
  std::int32_t context = 0;          ///< positions of a sample
  std::vector<float> inputs;         ///< token ids, exact as floats
  std::vector<std::int32_t> labels;  ///< for each the token after it

  /// Positions of all samples.
  std::int32_t rows() const { return samples * context; }
};

/// The windows of one step of training into `batch`, whose `samples` and `context` say
/// how many and how long. They follow from the seed and the step alone. Vectors are
/// resized, which allocates nothing once they were this large. `text` is longer than
/// `context`.
void draw_windows(std::string_view text, std::uint64_t seed, std::int64_t step,
                  TextBatch& batch);

/// As many windows as `batch` has samples, evenly spread over the text: the same ones
/// each time.
void spread_windows(std::string_view text, TextBatch& batch);

/// How many windows of `context` tokens the text has side by side.
std::int64_t windows_in(std::string_view text, std::int32_t context);

}  // namespace pipeline
