#include "classroom/peer_training.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <numbers>
#include <span>
#include <utility>

#include "classroom/chapter_training.hpp"
#include "classroom/files.hpp"
#include "classroom/json.hpp"
#include "layers/random.hpp"
#include "layers/residual_net.hpp"
#include "layers/transformer.hpp"
#include "runtime/training_loop.hpp"
#include "schedule/generate.hpp"

namespace pipeline {
namespace {

constexpr std::uint64_t kSeed = 1;
const ResidualShape kResidual = {.levels = {32, 64}, .blocks = 2};

/// A grey value of a wave across the image, of another length and direction for each
/// class.
float wave(std::uint64_t shown, std::int32_t pixel) {
  constexpr std::int32_t kSide = 28;
  static_assert(kSide * kSide == FashionMnist::kPixels);
  const std::int32_t column = pixel % kSide;
  const std::int32_t row = pixel / kSide;
  const std::uint64_t across = shown % 4 + 1;
  const std::uint64_t down = shown / 4 + 1;
  const auto phase = static_cast<double>(across * column + down * row);
  return static_cast<float>(std::cos(2 * std::numbers::pi * phase / kSide));
}

/// Images whose label can be learnt but for a fifth, which are drawn at random, so that
/// the loss does not run into zero: a wave for each class, and noise.
void make_up_images(std::vector<float>& x, std::vector<std::int32_t>& labels) {
  Random random(kSeed);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::uint64_t shown = random.below(FashionMnist::kClasses);
    const std::uint64_t other = random.below(FashionMnist::kClasses);
    labels[i] = static_cast<std::int32_t>(random.below(5) == 0 ? other : shown);
    float* const image = x.data() + i * FashionMnist::kPixels;
    for (std::int32_t j = 0; j < FashionMnist::kPixels; ++j) {
      const auto noise = static_cast<float>(random.uniform() - 0.5);
      image[j] = 0.3F * wave(shown, j) + noise;
    }
  }
}

/// A text of made-up words, the earlier ones more often: what follows can be learnt
/// within a word, and but in part where one ends.
std::vector<std::int32_t> make_up_text(std::size_t length) {
  constexpr std::uint64_t kWords = 400;
  Random random(kSeed);
  std::vector<std::string> words(kWords);
  for (std::string& word : words) {
    const std::uint64_t letters = 2 + random.below(7);
    for (std::uint64_t i = 0; i < letters; ++i) {
      word += static_cast<char>('a' + random.below(26));
    }
  }
  std::vector<std::int32_t> text;
  while (text.size() < length) {
    const double place = random.uniform() * random.uniform();
    for (const char letter : words[static_cast<std::size_t>(place * kWords)]) {
      text.push_back(letter);
    }
    text.push_back(' ');
  }
  text.resize(length);
  return text;
}

/// The label of a token is the one that follows it.
void make_up_tokens(std::vector<float>& x, std::vector<std::int32_t>& labels) {
  const std::vector<std::int32_t> text = make_up_text(labels.size() + 1);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    x[i] = static_cast<float>(text[i]);
    labels[i] = text[i + 1];
  }
}

template <typename T>
std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

Json optimizer_json(const Optimizer& optimizer) {
  return {{"kind", optimizer.kind == Optimizer::Kind::Sgd ? "sgd" : "adamw"},
          {"rate", optimizer.rate},
          {"momentum", optimizer.momentum},
          {"beta1", optimizer.beta1},
          {"beta2", optimizer.beta2},
          {"epsilon", optimizer.epsilon},
          {"decay", optimizer.decay}};
}

Network peer_network(std::string_view model) {
  if (model == "mlp") return book_network();
  if (model == "residual") return residual_net(kResidual);
  return *transformer(kPeerTransformer);
}

/// Blocks of the transformer in front of each stage, the embedding among them.
std::vector<std::int32_t> block_cuts(const PeerContest& contest) {
  std::vector<std::int32_t> cuts = {0};
  for (std::int32_t s = 1; s < contest.stages(); ++s) {
    cuts.push_back(1 + kPeerTransformer.blocks * s / contest.stages());
  }
  return cuts;
}

LayerSplit peer_split(const PeerContest& contest, const Network& network) {
  constexpr std::int32_t kLayersOfABlock = 8;
  LayerSplit split;
  for (const std::int32_t cut : block_cuts(contest)) {
    split.push_back(cut == 0 ? 0 : 1 + (cut - 1) * kLayersOfABlock);
  }
  split.push_back(static_cast<std::int32_t>(network.size()));
  return split;
}

Json shape_json(std::string_view model, const Network& network) {
  if (model == "mlp") {
    Json widths = {network.front()->inputs()};
    for (const auto& layer : network) {
      if (layer->parameter_count() > 0) widths.push_back(layer->outputs());
    }
    return {{"widths", widths}};
  }
  if (model == "residual") {
    return {{"height", kResidual.image.height},     {"width", kResidual.image.width},
            {"channels", kResidual.image.channels}, {"levels", kResidual.levels},
            {"blocks", kResidual.blocks},           {"classes", kResidual.classes}};
  }
  return {{"vocabulary", kPeerTransformer.vocabulary},
          {"width", kPeerTransformer.width},
          {"heads", kPeerTransformer.heads},
          {"blocks", kPeerTransformer.blocks},
          {"context", kPeerTransformer.context}};
}

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

PeerTraining::PeerTraining(const PeerContest& contest)
    : contest_(contest), network_(peer_network(contest.model)) {}

Expected<std::unique_ptr<PeerTraining>> PeerTraining::make(const PeerContest& contest) {
  std::unique_ptr<PeerTraining> made(new PeerTraining(contest));
  Request request;
  request.shape = {contest.devices, contest.micro_batches, contest.steps};
  request.shape.global_norm = made->network_.tie.has_value();  // where tied layers meet
  request.chunks = contest.chunks == 1 ? 0 : contest.chunks;
  const auto schedule = generate(contest.schedule, request);
  if (!schedule) return tl::unexpected(schedule.error());
  auto platform = make_platform(contest.devices);
  if (!platform) return tl::unexpected(platform.error());
  made->platform_ = std::move(*platform);
  auto placed = PlacedNetwork::place(*made->platform_, made->network_,
                                     peer_split(contest, made->network_),
                                     schedule->placement, kSeed, contest.optimizer);
  if (!placed) return tl::unexpected(placed.error());
  made->placed_ = std::move(*placed);
  ExecutorOptions options;
  options.most_positions = contest.positions;
  auto executor = Executor::make(*made->placed_, *schedule, contest.samples, options);
  if (!executor) return tl::unexpected(executor.error());
  made->executor_ = std::move(*executor);
  if (auto good = made->make_batches(); !good) {
    return tl::unexpected(std::move(good.error()));
  }
  return made;
}

Expected<void> PeerTraining::make_batches() {
  const std::size_t rows = static_cast<std::size_t>(contest_.samples) *
                           contest_.positions * contest_.batches;
  const std::int32_t width = network_.front()->inputs();
  inputs_.resize(rows * static_cast<std::size_t>(width));
  labels_.resize(rows);
  if (contest_.held_out > 0) {
    const auto corpus = read_corpus();
    if (!corpus) return tl::unexpected(corpus.error());
    read_windows(*corpus);
  } else if (contest_.unit == "tokens") {
    make_up_tokens(inputs_, labels_);
  } else {
    make_up_images(inputs_, labels_);
  }
  return {};
}

void PeerTraining::read_windows(const Corpus& corpus) {
  TextBatch drawn = {contest_.samples, contest_.positions, {}, {}};
  for (std::int32_t i = 0; i < contest_.batches; ++i) {
    draw_windows(corpus.train(), kSeed, i, drawn);
    const std::ptrdiff_t at = std::ptrdiff_t{i} * drawn.rows();
    std::copy(drawn.inputs.begin(), drawn.inputs.end(), inputs_.begin() + at);
    std::copy(drawn.labels.begin(), drawn.labels.end(), labels_.begin() + at);
  }
  held_out_ = {contest_.held_out, contest_.positions, {}, {}};
  spread_windows(corpus.held_out(), held_out_);
}

std::vector<Batch> PeerTraining::next_batches() {
  const std::int32_t rows = contest_.samples * contest_.positions;
  const std::int32_t width = network_.front()->inputs();
  std::vector<Batch> batches;
  for (std::int32_t i = 0; i < contest_.steps; ++i) {
    const std::int64_t first = (done_ + i) % contest_.batches * rows;
    batches.push_back({inputs_.data() + first * width, labels_.data() + first,
                       contest_.samples, contest_.positions});
  }
  return batches;
}

Expected<void> PeerTraining::write(const std::filesystem::path& folder) {
  const Json setting = {{"contest", contest_.name},
                        {"model", contest_.model},
                        {"unit", contest_.unit},
                        {"schedule", contest_.schedule},
                        {"devices", contest_.devices},
                        {"chunks", contest_.chunks},
                        {"micro_batches", contest_.micro_batches},
                        {"samples", contest_.samples},
                        {"positions", contest_.positions},
                        {"batches", contest_.batches},
                        {"held_out", contest_.held_out},
                        {"steps", contest_.steps},
                        {"shape", shape_json(contest_.model, network_)},
                        {"cuts", block_cuts(contest_)},
                        {"optimizer", optimizer_json(contest_.optimizer)}};
  const std::pair<const char*, std::string> files[] = {
      {"setting.json", to_text(setting)},
      {"weights.bin", std::string(bytes_of(placed_->weights()))},
      {"inputs.bin", std::string(bytes_of(inputs_))},
      {"labels.bin", std::string(bytes_of(labels_))},
      {"held_inputs.bin", std::string(bytes_of(held_out_.inputs))},
      {"held_labels.bin", std::string(bytes_of(held_out_.labels))}};
  for (const auto& [name, text] : files) {
    if (auto written = write_file(folder / name, text); !written) return written;
  }
  return {};
}

Expected<PeerTurn> PeerTraining::turn() {
  const std::vector<Batch> batches = next_batches();
  PeerTurn result;
  const auto start = std::chrono::steady_clock::now();
  const double cpu_start = cpu_seconds();
  if (auto ran = executor_->run(batches, done_); !ran) {
    return tl::unexpected(std::move(ran.error()));
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  result.seconds = taken.count();
  result.cpu_seconds = cpu_seconds() - cpu_start;
  result.losses = executor_->result().step_loss;
  done_ += contest_.steps;
  if (contest_.held_out == 0) return result;
  const Batch held_out = {held_out_.inputs.data(), held_out_.labels.data(),
                          held_out_.samples, held_out_.context};
  const auto evaluation = evaluate(*placed_, std::span(&held_out, 1), 1);
  if (!evaluation) return tl::unexpected(evaluation.error());
  result.held_out = evaluation->loss;
  return result;
}

}  // namespace pipeline
