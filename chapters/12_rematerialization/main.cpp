// Chapter 12: what is forgotten and made again costs a third more work, less than that
// in time, and saves most of the memory.
//   ./workbook run 12 -p 4 -m 8
#include <algorithm>
#include <numeric>

#include "classroom/chapter_program.hpp"
#include "classroom/chapter_training.hpp"
#include "classroom/console.hpp"
#include "device/device.hpp"
#include "runtime/executor.hpp"
#include "runtime/stage_work.hpp"
#include "schedule/recompute.hpp"
#include "timeline/memory.hpp"
#include "timeline/simulate.hpp"

namespace {

using namespace pipeline;

const ChapterInfo kChapter = {
    .number = "12",
    .name = "rematerialization",
    .question = "What does it cost to make an activation twice, and what does it save?",
    .devices = {4, kMostStagesOfEight},
    .micro_batches = {8, 32},
    .images = {12000, 60000},
};

// [policies]
/// Most activations a device for the policy that goes by a limit.
constexpr double kLimit = 2;

template <Expected<Schedule> (*kPlain)(const Shape&), RecomputePolicy kPolicy>
Expected<Schedule> recomputed(const Request& request) {
  RecomputeOptions options;
  options.policies = {kPolicy};
  if (kPolicy == RecomputePolicy::ForMemory) options.limit = {kLimit};
  return kPlain(request.shape).and_then([&](const Schedule& plain) {
    return with_recompute(plain, options);
  });
}

template <Expected<Schedule> (*kPlain)(const Shape&)>
void add_plans(const std::string& name, std::int32_t p, std::int32_t m,
               std::vector<TrainingPlan>& plans) {
  const auto add = [&](const char* policy, Expected<Schedule> (*made)(const Request&)) {
    plans.push_back({.schedule = name + ", " + policy,
                     .devices = p,
                     .micro_batches = m,
                     .generator = made});
  };
  add("never", recomputed<kPlain, RecomputePolicy::Never>);
  add("always", recomputed<kPlain, RecomputePolicy::Always>);
  add("all but last", recomputed<kPlain, RecomputePolicy::AllButLast>);
  add("at most 2", recomputed<kPlain, RecomputePolicy::ForMemory>);
}
// [policies]

std::vector<TrainingPlan> plans_of(std::int32_t p, std::int32_t m) {
  std::vector<TrainingPlan> plans;
  add_plans<one_f_one_b>("1f1b", p, m, plans);
  add_plans<gpipe>("gpipe", p, m, plans);
  return plans;
}

Expected<Schedule> schedule_of(const TrainingPlan& plan) {
  return plan.generator({.shape = {plan.devices, plan.micro_batches}});
}

/// What each plan comes to where F = R = 1 and B = 2.
Expected<std::string> table_in_ticks(const std::vector<TrainingPlan>& plans) {
  std::vector<std::vector<std::string>> cells = {
      {"schedule", "made twice", "busy", "makespan", "held by device 0"}};
  for (const TrainingPlan& plan : plans) {
    const auto schedule = schedule_of(plan);
    if (!schedule) return tl::unexpected(schedule.error());
    const auto ticks = simulate(*schedule, Costs{});
    if (!ticks) return tl::unexpected(ticks.error());
    const Metrics seen = measure(*schedule, *ticks);
    cells.push_back({plan.schedule, Quantity(double(recomputes_of(*schedule)[0])).text,
                     Quantity(seen.busy[0]).text, Quantity(seen.makespan).text,
                     Quantity(memory(*schedule).peak[0]).text});
  }
  return format_table(cells, {1, 2, 3, 4});
}

/// Bytes on device 0 while a step of 512 rows a micro-batch runs.
struct HeldBytes {
  double activations = 0;  ///< as the memory function counts them
  double planned = 0;      ///< all that the plan of the schedule allocates
  double seen = 0;         ///< peak of the device's meter
};

Expected<HeldBytes> bytes_on_device_0(const FashionMnist& data,
                                      const TrainingPlan& plan) {
  const std::int32_t m = plan.micro_batches;
  const std::int32_t rows = std::min(512, data.train.count / m);
  const auto schedule = schedule_of(plan);
  const auto platform = make_platform(plan.devices);
  const auto split = book_split(plan.devices, Depth::Eight);
  if (!platform) return tl::unexpected(platform.error());
  if (!split) return tl::unexpected(split.error());
  const Network network = book_network(Depth::Eight);
  const auto placed = PlacedNetwork::place(**platform, network, *split,
                                           schedule->placement, /*seed=*/1);
  if (!placed) return tl::unexpected(placed.error());
  const auto executor = Executor::make(**placed, *schedule, rows * m);
  if (!executor) return tl::unexpected(executor.error());
  const Batch batch{data.train.pixels.data(), data.train.labels.data(), rows * m};
  if (const auto ran = (*executor)->run({&batch, 1}); !ran) {
    return tl::unexpected(ran.error());
  }
  // [bytes]
  const StageLayout layout((*placed)->stage(0), rows);
  const auto input = static_cast<double>(layout.input_bytes);
  const double all = input + static_cast<double>(layout.slot_bytes);
  HeldBytes held;
  held.activations =
      memory(*schedule, {.activation_bytes = {all}, .input_share = {input / all}})
          .peak_bytes[0];
  // [bytes]
  held.planned =
      static_cast<double>((*placed)->bytes_on(0) + (*executor)->planned_bytes(0) +
                          (*placed)->on(0).workspace->scratch_bytes());
  held.seen = static_cast<double>((*platform)->device(0).meter().peak_bytes);
  return held;
}

/// Without re-computation the plan says what there is; with it, what the memory
/// function takes off that is predicted.
Expected<void> add_bytes(ChapterReport& report, const FashionMnist& data,
                         const std::vector<TrainingPlan>& plans) {
  constexpr double kMegabyte = 1e6;
  HeldBytes never;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto held = bytes_on_device_0(data, plans[i]);
    if (!held) return tl::unexpected(held.error());
    if (i % 4 == 0) never = *held;
    const double predicted = never.planned - (never.activations - held->activations);
    report.row("MB on device 0: " + plans[i].schedule, predicted / kMegabyte,
               held->seen / kMegabyte);
  }
  return {};
}

Expected<ChapterReport> rematerialization_chapter(const ChapterOptions& options) {
  const std::int32_t p = options.devices;
  const std::int32_t m = options.micro_batches;
  const auto data = read_book_images(options.images);
  if (!data) return tl::unexpected(data.error());
  const std::vector<TrainingPlan> plans = plans_of(p, m);
  std::vector<TrainingPlan> all = plans;
  all.insert(all.begin(), {"model-parallel", 1, m});
  const auto runs = train_book_network(*data, all, Depth::Eight);
  if (!runs) return tl::unexpected(runs.error());
  const DigestComparison same = compare_with_one_device(*runs);
  TrainingPlan small = plans[1];
  small.micro_batches = std::min(p, m);
  std::vector<TrainingPlan> timed = plans;
  timed.push_back(small);
  const auto steps = time_book_steps(*data, timed, Depth::Eight);
  if (!steps) return tl::unexpected(steps.error());
  const auto ticks = table_in_ticks(plans);
  if (!ticks) return tl::unexpected(ticks.error());

  ChapterReport report;
  report.say(how_trained(*data));
  report.show(same.table);
  const TimedStep& always = steps->back();
  report.draw_both("One step in which everything is made twice.", always.schedule,
                   always.predicted, always.measured);
  report.say("In ticks, where F=1, B=2 and R=1; busy is device 0:");
  report.show(*ticks);
  report.headline("policies with the weights of one device", same.runs, same.equal);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const TimedStep& step = (*steps)[i];
    report.row("ms a step: " + plans[i].schedule, 1e3 * step.expected.makespan,
               1e3 * step.seen.makespan);
  }
  const auto work = [&](std::size_t i) {
    const std::vector<double>& busy = (*steps)[i].seen.busy;
    return std::accumulate(busy.begin(), busy.end(), 0.0);
  };
  report.row("work of always over never, 1f1b: 4/3", fraction(4, 3), work(1) / work(0));
  report.row("work of always over never, gpipe: 4/3", fraction(4, 3),
             work(5) / work(4));
  if (const auto added = add_bytes(report, *data, plans); !added) {
    return tl::unexpected(added.error());
  }
  report.level = always.measured.level;
  report.level_note = how_timed(always);
  report.try_next("./workbook run 12 -p 2 -m 16: 67 ticks instead of 51.");
  report.try_next(
      "./workbook schedule 1f1b -m 8 --recompute cap=2: as few as will do.");
  report.try_next("./workbook schedule interleaved --recompute all-but-last --verify");
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  return run_chapter(argc, argv, kChapter, rematerialization_chapter);
}
