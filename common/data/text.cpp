#include "data/text.hpp"

#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "layers/random.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// All that comes; false where reading fails or there is too much of it.
bool read_all(std::FILE* from, std::string& text) {
  std::array<char, 1U << 16> piece{};
  while (text.size() <= kMostBytes) {
    const std::size_t got = std::fread(piece.data(), 1, piece.size(), from);
    text.append(piece.data(), got);
    if (got < piece.size()) return std::ferror(from) == 0;
  }
  return false;
}

tl::unexpected<Error> wrong(const std::string& path, const std::string& how,
                            const std::string& remedy) {
  return refuse("the text " + path + " " + how, remedy);
}

Expected<std::string> read_text(const std::string& path) {
  const std::string readable = "name a text file that you may read";
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) {
    return wrong(path, std::string("cannot be read: ") + std::strerror(errno),
                 readable);
  }
  if (!S_ISREG(about.st_mode)) return wrong(path, "is not a file", readable);
  if (static_cast<std::size_t>(about.st_size) > kMostBytes) {
    return wrong(path, "is larger than 1 GB", "train on a part of it");
  }
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  std::string text;
  if (file == nullptr || !read_all(file.get(), text)) {
    return wrong(path, std::string("cannot be read: ") + std::strerror(errno),
                 readable);
  }
  return text;
}

Expected<std::string> print_bible() {
  const auto missing = [] {
    return absent("the default text, the King James Bible, is not installed here",
                  "install the Debian packages bible-kjv and bible-kjv-text, or name "
                  "a text of your own by --text");
  };
  std::FILE* const pipe =
      popen("bible -f 'gen1:1-rev22:21' </dev/null 2>/dev/null", "r");  // NOLINT
  if (pipe == nullptr) return missing();
  std::string text;
  const bool whole = read_all(pipe, text);
  const int status = pclose(pipe);
  const bool printed = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!whole || !printed || text.empty()) return missing();
  return text;
}

/// The window that begins at `first`, as sample `sample`.
void put_window(std::string_view text, std::size_t first, std::int32_t sample,
                TextBatch& batch) {
  const auto context = static_cast<std::size_t>(batch.context);
  const std::size_t row = static_cast<std::size_t>(sample) * context;
  const auto token = [&](std::size_t at) {
    return static_cast<std::int32_t>(static_cast<unsigned char>(text[at]));
  };
  for (std::size_t i = 0; i < context; ++i) {
    batch.inputs[row + i] = static_cast<float>(token(first + i));
    batch.labels[row + i] = token(first + i + 1);
  }
}

/// Places where a window may begin: the token after it is in the text, too.
std::size_t places_in(std::string_view text, const TextBatch& batch) {
  return text.size() - static_cast<std::size_t>(batch.context);
}

void resize(TextBatch& batch) {
  batch.inputs.resize(static_cast<std::size_t>(batch.rows()));
  batch.labels.resize(static_cast<std::size_t>(batch.rows()));
}

}  // namespace

std::string_view Corpus::train() const {
  return std::string_view(text).substr(0, text.size() - text.size() / 10);
}

std::string_view Corpus::held_out() const {
  return std::string_view(text).substr(train().size());
}

Expected<Corpus> read_corpus(const std::string& path) {
  auto text = path.empty() ? print_bible() : read_text(path);
  if (!text) return tl::unexpected(std::move(text.error()));
  if (text->empty()) {
    return wrong(path, "is empty", "name a text with something in it");
  }
  if (const std::size_t zero = text->find('\0'); zero != std::string::npos) {
    return wrong(path,
                 "is not a text: its byte " + std::to_string(zero) +
                     " (counted from 0) is a zero",
                 "name a plain text; unpack it first where it is packed");
  }
  return Corpus{path.empty() ? "King James Bible" : path, std::move(*text)};
}

Expected<void> check_length(const Corpus& corpus, std::int32_t context) {
  const std::size_t needed = static_cast<std::size_t>(context) + 1;
  if (corpus.held_out().size() >= needed && corpus.train().size() >= needed) return {};
  return wrong(
      corpus.name,
      "has " + std::to_string(corpus.text.size()) +
          " bytes, too few: its last tenth is held out, and has no window of " +
          std::to_string(context) + " bytes and one more",
      "take a text of at least " + std::to_string(10 * needed) +
          " bytes, or a smaller context");
}

void draw_windows(std::string_view text, std::uint64_t seed, std::int64_t step,
                  TextBatch& batch) {
  resize(batch);
  Random random(Random(seed).next() + static_cast<std::uint64_t>(step));
  // The numbers of neighbouring steps follow one another: without another mixing, the
  // second sample of a step would be the first of the next.
  Random of_step(random.next());
  for (std::int32_t sample = 0; sample < batch.samples; ++sample) {
    put_window(text, of_step.below(places_in(text, batch)), sample, batch);
  }
}

void spread_windows(std::string_view text, TextBatch& batch) {
  resize(batch);
  const std::size_t last = places_in(text, batch) - 1;
  const auto gaps = static_cast<std::size_t>(batch.samples) - 1;
  for (std::int32_t sample = 0; sample < batch.samples; ++sample) {
    const auto share = static_cast<std::size_t>(sample);
    put_window(text, gaps == 0 ? 0 : last * share / gaps, sample, batch);
  }
}

std::int64_t windows_in(std::string_view text, std::int32_t context) {
  return static_cast<std::int64_t>(text.size() - 1) / context;
}

}  // namespace pipeline
