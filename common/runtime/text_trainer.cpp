#include "runtime/text_trainer.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "runtime/digest.hpp"
#include "schedule/numbers.hpp"

namespace pipeline {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Batch as_batch(const TextBatch& text) {
  return {text.inputs.data(), text.labels.data(), text.samples, text.context};
}

/// Whether a multiple of `every` lies in (first, end].
bool passes(std::int64_t first, std::int64_t end, std::int64_t every) {
  return every > 0 && end / every > first / every;
}

std::optional<Error> fault_of(const TransformerShape& shape,
                              const TextTrainingOptions& options) {
  if (shape.vocabulary < kByteTokens) {
    return Error{"a vocabulary of " + std::to_string(shape.vocabulary) +
                     " has not room for all bytes",
                 "take one of 256"};
  }
  if (options.samples < 1 || options.steps < 1 || options.log_every < 1 ||
      options.held_out_windows < 1 || options.checkpoint_every < 0) {
    return Error{
        "training on text needs samples, steps, steps between lines of the log and "
        "held-out windows, at least one each",
        "give positive numbers"};
  }
  for (const std::int32_t context : options.contexts) {
    if (1 <= context && context <= shape.context) continue;
    return Error{"windows of " + counted(context, "token") +
                     " do not fit a network with a context of " +
                     std::to_string(shape.context),
                 "take windows of 1 to " + std::to_string(shape.context)};
  }
  return std::nullopt;
}

/// What the weights follow from, beside the network.
std::map<std::string, std::string> settings_of(const Corpus& corpus,
                                               const TransformerShape& shape,
                                               const TextTrainingOptions& options) {
  auto settings = pipeline::settings_of(options.optimizer, options.executor.clip);
  settings["seed"] = std::to_string(options.seed);
  settings["text"] =
      std::to_string(corpus.text.size()) + " bytes " + digest_of(corpus.text);
  settings["samples"] = std::to_string(options.samples);
  std::string contexts = std::to_string(shape.context);
  for (const std::int32_t context : options.contexts) {
    contexts +=
        (&context == &options.contexts.front() ? ": " : ", ") + std::to_string(context);
  }
  settings["context"] = contexts;
  return settings;
}

class TextTraining {
 public:
  TextTraining(const Network& network, const TransformerShape& shape,
               const Corpus& corpus, const TextTrainingOptions& options,
               TrainingLoop& loop)
      : shape_(shape),
        corpus_(corpus),
        options_(options),
        loop_(loop),
        windows_(static_cast<std::size_t>(options.steps_a_run)) {
    kept_.network = network_lines(network);
    kept_.settings = settings_of(corpus, shape, options);
  }

  Expected<TextTrainingReport> run() {
    Expected<void> went = begin();
    if (went && kept_.step < options_.steps) went = train();
    if (!went) return tl::unexpected(std::move(went.error()));
    report_.steps = kept_.step;
    report_.log = std::move(kept_.log);
    report_.digest = loop_.network().digest();
    return std::move(report_);
  }

 private:
  /// From the newest checkpoint, if there is one.
  Expected<void> begin() {
    std::optional<std::string> path;
    if (!options_.checkpoints.empty()) {
      auto found = newest_checkpoint(options_.checkpoints);
      if (!found) return tl::unexpected(std::move(found.error()));
      path = std::move(*found);
    }
    if (!path) return log(0);
    auto read = read_checkpoint(*path);
    if (!read) return tl::unexpected(std::move(read.error()));
    auto fits = check_belongs(*read, *path, kept_.network, kept_.settings);
    if (fits) fits = restore(*read, *path, loop_.network());
    if (!fits) return fits;
    kept_ = std::move(*read);
    saved_ = report_.resumed_from = kept_.step;
    return {};
  }

  Expected<void> train() {
    auto ended = loop_.run(
        kept_.step, options_.steps,
        [this](std::int64_t step) { return batch_of(step); },
        [this](const RunDone& done) { return after(done); });
    if (!ended) return tl::unexpected(std::move(ended.error()));
    report_.interrupted = !*ended;
    return options_.checkpoints.empty() ? Expected<void>() : save();
  }

  Batch batch_of(std::int64_t step) {
    TextBatch& batch = windows_[static_cast<std::size_t>(step % options_.steps_a_run)];
    batch.samples = options_.samples;
    batch.context = context_at(step);
    draw_windows(corpus_.train(), options_.seed, step, batch);
    started_ = started_.value_or(Clock::now());
    return as_batch(batch);
  }

  std::int32_t context_at(std::int64_t step) const {
    const auto& contexts = options_.contexts;
    if (contexts.empty()) return shape_.context;
    return contexts[static_cast<std::size_t>(step) % contexts.size()];
  }

  Expected<void> after(const RunDone& done) {
    seconds_ += seconds_since(*started_);
    started_.reset();
    for (std::int64_t step = done.first; step < done.end; ++step) {
      tokens_ += std::int64_t{options_.samples} * context_at(step);
    }
    const auto& losses = done.result.step_loss;
    kept_.unlogged.insert(kept_.unlogged.end(), losses.begin(), losses.end());
    kept_.step = done.end;
    report_.schedule = done.schedule;
    report_.last_run = done.result;
    report_.tokens_per_second = static_cast<double>(tokens_) / seconds_;
    const bool last = done.end == options_.steps;
    if (last || passes(done.first, done.end, options_.log_every)) {
      const double sum =
          std::accumulate(kept_.unlogged.begin(), kept_.unlogged.end(), 0.0);
      auto logged = log(sum / static_cast<double>(kept_.unlogged.size()));
      if (!logged) return logged;
    }
    if (options_.progress) show_progress(losses.back());
    if (options_.checkpoints.empty() ||
        !passes(done.first, done.end, options_.checkpoint_every)) {
      return {};
    }
    return save();
  }

  void show_progress(double loss) const {
    const auto left = static_cast<double>(options_.steps - kept_.step);
    const auto done = static_cast<double>(kept_.step - report_.resumed_from);
    options_.progress({kept_.step, options_.steps, loss, report_.tokens_per_second,
                       seconds_ / done * left});
  }

  /// The first line, at step 0, has no steps before it: its loss is the held-out one.
  Expected<void> log(double loss) {
    const auto held_out =
        held_out_loss(loop_.network(), corpus_, shape_.context,
                      options_.held_out_windows, options_.micro_batches);
    if (!held_out) return tl::unexpected(held_out.error());
    kept_.log.push_back({kept_.step, kept_.step == 0 ? *held_out : loss, *held_out});
    kept_.unlogged.clear();
    if (options_.logged) options_.logged(loop_.network(), kept_.log.back());
    return {};
  }

  Expected<void> save() {
    if (saved_ == kept_.step) return {};
    take(loop_.network(), kept_);
    saved_ = kept_.step;
    return write_checkpoint(options_.checkpoints, kept_);
  }

  const TransformerShape& shape_;
  const Corpus& corpus_;
  const TextTrainingOptions& options_;
  TrainingLoop& loop_;
  std::vector<TextBatch> windows_;  ///< of the steps of a run
  Checkpoint kept_;
  std::int64_t saved_ = 0;  ///< the step of the newest checkpoint
  std::optional<Clock::time_point> started_;
  double seconds_ = 0;
  std::int64_t tokens_ = 0;
  TextTrainingReport report_;
};

}  // namespace

Expected<TextTrainingReport> train_text(Platform& platform,
                                        const TransformerShape& shape,
                                        const Corpus& corpus,
                                        const TextTrainingOptions& options) {
  if (auto fault = fault_of(shape, options)) return tl::unexpected(std::move(*fault));
  if (auto fits = check_length(corpus, shape.context); !fits) {
    return tl::unexpected(std::move(fits.error()));
  }
  const auto network = transformer(shape);
  if (!network) return tl::unexpected(network.error());
  TextTrainingOptions setup = options;
  setup.executor.most_positions = shape.context;
  auto loop = TrainingLoop::make(platform, *network, setup, setup.samples);
  if (!loop) return tl::unexpected(std::move(loop.error()));
  return TextTraining(*network, shape, corpus, setup, **loop).run();
}

Expected<double> held_out_loss(PlacedNetwork& network, const Corpus& corpus,
                               std::int32_t context, std::int32_t windows,
                               std::int32_t micro_batches) {
  const std::string_view text = corpus.held_out();
  TextBatch batch;
  batch.context = context;
  batch.samples = static_cast<std::int32_t>(
      std::min<std::int64_t>(windows, windows_in(text, context)));
  spread_windows(text, batch);
  const Batch batches[] = {as_batch(batch)};
  const auto evaluation = evaluate(network, batches, micro_batches);
  if (!evaluation) return tl::unexpected(evaluation.error());
  return evaluation->loss;
}

}  // namespace pipeline
