/// \file
/// What the chapters that execute share: one network of stages of like cost, trained on
/// Fashion-MNIST, and a step of it timed as honestly as the machine allows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "classroom/chapter_program.hpp"
#include "data/fashion_mnist.hpp"
#include "runtime/network.hpp"
#include "runtime/trainer.hpp"
#include "schedule/error.hpp"
#include "schedule/generate.hpp"
#include "schedule/schedule.hpp"
#include "timeline/metrics.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// How many stages of like cost the network of a chapter can be cut into.
enum class Depth : std::uint8_t {
  Four,   ///< linear layers 784 -> 256 -> 512 -> 256 -> 512 -> 10, ReLU between them
  Eight,  ///< the same, twice as deep: 256 -> 512 -> 256 -> 512 once more, then 10
};

/// Cut in front of its linear layers but the first and the last, a forward and backward
/// cost about the same in each of the four or eight stages (the first one needs no
/// input gradient).
Network book_network(Depth depth = Depth::Four);

/// The most stages that `book_network` can be cut into.
inline constexpr std::int32_t kMostStages = 9;
/// The most stages that the deeper one can be cut into.
inline constexpr std::int32_t kMostStagesOfEight = 17;

/// Where the stages of `book_network` begin: for one, two, four and (where it is that
/// deep) eight stages in front of layers as above, else as even in layers as it goes.
Expected<LayerSplit> book_split(std::int32_t stages, Depth depth = Depth::Four);

/// The first `images` training images, and a sixth as many test images: all of both for
/// 60 000. Fewer by a few where the last batch would be too small for 64 micro-batches.
Expected<FashionMnist> read_book_images(std::int32_t images);

/// The rate of learning with which `book_network` is trained; its momentum is 0.9.
inline constexpr float kBookRate = 0.02F;

/// By which schedule `book_network` is trained: two epochs, in batches of 384 rows.
struct TrainingPlan {
  std::string schedule;            ///< a name that `generate` knows
  std::int32_t devices = 1;        ///< p
  std::int32_t micro_batches = 1;  ///< m
  // As in `Request`: what some generators also read.
  std::int32_t chunks = 0;                ///< v; 0: the schedule's own default
  std::int32_t group_size = 0;            ///< G; 0: balanced groups
  std::vector<double> memory_limit = {};  ///< most activations; empty: no limit
  bool global_norm = false;  ///< whether the norm of all gradients is taken
  float rate = kBookRate;    ///< of learning
  /// Makes the schedule instead, where `schedule` is no name that `generate` knows.
  Expected<Schedule> (*generator)(const Request&) = nullptr;

  bool operator==(const TrainingPlan&) const = default;
};

/// A plan, and what training by it came to.
struct TrainingRun {
  TrainingPlan plan;      ///< what was asked for
  TrainingReport report;  ///< what came of it
};

/// Trains by each plan in turn (once, where one is there twice) and says on a terminal
/// how far it is.
Expected<std::vector<TrainingRun>> train_book_network(
    const FashionMnist& data, const std::vector<TrainingPlan>& plans,
    Depth depth = Depth::Four);

/// How `train_book_network` trains on so many images, in words.
std::string how_trained(const FashionMnist& data);

/// Whether all runs of one m trained the weights of the one-device run of that m with
/// as many copies of the weights.
struct DigestComparison {
  std::string table;          ///< a line a run: plan, digest of the weights, accuracy
  std::int32_t runs = 0;      ///< on more than one device
  std::int32_t equal = 0;     ///< those with the weights of their one-device run
  double least_accuracy = 1;  ///< of all runs, 0 to 1
};
/// Holds all runs against those of one device.
DigestComparison compare_with_one_device(const std::vector<TrainingRun>& runs);

/// A row a device: the most micro-batches that it held at once in the last run of a
/// training, predicted from the order of its row and counted by the work itself.
/// `formula` says what is predicted, in letters.
void add_held_rows(ChapterReport& report, const TrainingReport& training,
                   const std::string& formula);

/// One step (or several in a row), predicted and measured.
struct TimedStep {
  Schedule schedule;  ///< what ran
  /// Simulated as if all stages cost their mean, which was measured alone on an idle
  /// machine, and messages nothing: the formulas of the book.
  Timeline predicted;
  /// On the clock where each device has a core or a GPU to itself, else a replay of
  /// what each action of each stage took alone. Its level says which.
  Timeline measured;
  Metrics expected;                     ///< of `predicted`, in seconds
  Metrics seen;                         ///< of `measured`
  std::vector<double> forward_seconds;  ///< mean of each stage, as measured
};

/// Times a step of `book_network` by each of the plans (or `steps` in a row), with 512
/// rows a micro-batch, so that an action takes about a millisecond. Of several runs the
/// one with the median makespan counts.
Expected<std::vector<TimedStep>> time_book_steps(const FashionMnist& data,
                                                 const std::vector<TrainingPlan>& plans,
                                                 Depth depth = Depth::Four,
                                                 std::int32_t steps = 1);

/// The same for several schedules that need nothing but their shape.
Expected<std::vector<TimedStep>> time_book_steps(
    const FashionMnist& data, const std::vector<std::string>& schedules,
    std::int32_t devices, std::int32_t micro_batches);

/// The same for one schedule.
Expected<TimedStep> time_book_step(const FashionMnist& data,
                                   const std::string& schedule, std::int32_t devices,
                                   std::int32_t micro_batches);

/// A line a stage: its device, its layers and the number of its weights.
Expected<std::string> stage_table(std::int32_t stages);

/// How `step` was timed, in words.
std::string how_timed(const TimedStep& step);

}  // namespace pipeline
