// Chapter 06: what the runtime is made of: workers that issue, streams that run beside
// each other, events that order them, and copies from device to device.
//   ./workbook run 06 -p 2 -m 8
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "classroom/chapter_program.hpp"
#include "classroom/chapter_timing.hpp"
#include "classroom/console.hpp"
#include "classroom/relay.hpp"
#include "device/host.hpp"
#include "planning/fit_link.hpp"
#include "runtime/replay.hpp"
#include "schedule/generate.hpp"
#include "timeline/median.hpp"
#include "timeline/metrics.hpp"
#include "timeline/simulate.hpp"

namespace {

using namespace pipeline;

const ChapterInfo kChapter = {
    .number = "06",
    .name = "devices",
    .question = "How do several devices work at once, and in the right order?",
    .devices = {2, 8},
    .micro_batches = {8, 64},
};

constexpr std::int32_t kRows = 512;
const auto kMessage = static_cast<std::size_t>(RelayStage::message_bytes(kRows));

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// --- Two streams of one device -------------------------------------------------------

/// What forwards and copies take, each alone and all of them together.
struct StreamTimes {
  double issue = 0;     ///< until the worker had issued all forwards
  double forwards = 0;  ///< alone
  double copies = 0;    ///< alone
  double on_one = 0;    ///< both, on one stream
  double on_two = 0;    ///< both, on two streams
};

// [streams]
/// Device 1 computes m forwards and pulls m messages from device 0 that they do not
/// need.
void issue_both(RelayStage& stage, Stream& carrier, Region to, Region from,
                std::int32_t m) {
  for (std::int32_t k = 0; k < m; ++k) {
    stage.forward(k);
    carrier.copy(to, from);
  }
  stage.synchronize();
}
// [streams]

StreamTimes time_streams(Platform& platform, std::int32_t m) {
  RelayStage stage(platform.device(1), kRows, m);
  const Buffer outbox(platform.device(0), kMessage);
  const Buffer inbox(platform.device(1), kMessage);
  stage.copy().fill_zero(inbox.region());
  const Region to = inbox.region();
  const Region from = outbox.region();
  const auto forwards = [&] {
    for (std::int32_t k = 0; k < m; ++k) stage.forward(k);
  };
  std::vector<double> issue;
  std::vector<double> compute;
  std::vector<double> copy;
  std::vector<double> one;
  std::vector<double> two;
  for (int run = 0; run <= kTimedRuns; ++run) {  // in turn, so that a busy machine
    const auto start = Clock::now();             // is as busy for all of them
    forwards();
    const double issued = seconds_since(start);
    stage.synchronize();
    const double computed = seconds_since(start);
    for (std::int32_t k = 0; k < m; ++k) stage.copy().copy(to, from);
    stage.synchronize();
    const double copied = seconds_since(start);
    issue_both(stage, stage.compute(), to, from, m);
    const double both_on_one = seconds_since(start);
    issue_both(stage, stage.copy(), to, from, m);
    const double both_on_two = seconds_since(start);
    if (run == 0) continue;  // sees the shapes for the first time
    issue.push_back(issued);
    compute.push_back(computed);
    copy.push_back(copied - computed);
    one.push_back(both_on_one - copied);
    two.push_back(both_on_two - both_on_one);
  }
  return {median(issue), median(compute), median(copy), median(one), median(two)};
}

/// Two devices whose link is slow on purpose, where the host is the device: a copy then
/// takes `copy_seconds` and no core. A GPU copies beside its work by itself.
Expected<std::unique_ptr<Platform>> devices_with_link(double copy_seconds) {
  auto platform = make_platform(2);
  if (platform && (*platform)->level() == Level::HostThreads) {
    return make_host_platform(2, {.link = {.latency_seconds = copy_seconds}});
  }
  return platform;
}

// --- Events --------------------------------------------------------------------------

// [events]
/// Hands numbers from one stream to the other through a single place, and returns what
/// arrived. Two waits keep the order; the one named `dropped` is left out.
std::vector<std::int32_t> hand_over(std::int32_t count, std::uint64_t seed,
                                    std::string_view dropped) {
  HostOptions any_order;
  any_order.drain = HostDrain::Seeded;
  any_order.seed = seed;
  any_order.drop_wait = [dropped](const WaitInfo& wait) {
    return wait.site == dropped;
  };
  const auto platform = make_host_platform(2, any_order);
  const Buffer buffer(platform->device(0), sizeof(std::int32_t));
  auto* const place = reinterpret_cast<std::int32_t*>(buffer.region().data);
  const auto full = platform->device(0).make_event();
  const auto free = platform->device(1).make_event();
  std::vector<std::int32_t> arrived;
  const auto writer = platform->device(0).make_stream("writer");
  const auto reader = platform->device(1).make_stream("reader");
  for (std::int32_t k = 0; k < count; ++k) {
    if (k > 0) writer->wait(*free, "free");  // 1. the last number was read
    writer->run(Work([place, k](NativeStream) { *place = k; }));
    writer->record(*full);
    reader->wait(*full, "full");  // 2. this number is there
    reader->run(Work([place, to = &arrived](NativeStream) { to->push_back(*place); }));
    reader->record(*free);
  }
  reader->synchronize();
  return arrived;
}
// [events]

constexpr std::int32_t kNumbers = 5;
constexpr std::int32_t kOrders = 100;

/// In how many legal orders every number arrives.
std::int32_t right_orders(std::string_view dropped) {
  std::int32_t right = 0;
  for (std::uint64_t seed = 0; seed < kOrders; ++seed) {
    const auto arrived = hand_over(kNumbers, seed, dropped);
    bool all = arrived.size() == kNumbers;
    for (std::int32_t k = 0; all && k < kNumbers; ++k) {
      all = arrived[static_cast<std::size_t>(k)] == k;
    }
    right += all ? 1 : 0;
  }
  return right;
}

/// What arrives in one of them: "0 1 2 3 4"; "-" is what nobody has written yet.
std::string arrivals(std::string_view dropped) {
  std::string text;
  for (const std::int32_t number : hand_over(kNumbers, /*seed=*/1, dropped)) {
    text += ' ' + (number < 0 ? "-" : std::to_string(number));
  }
  return text;
}

// --- Peer copies ---------------------------------------------------------------------

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

/// Copies from device 0 to device 1, each of another part of a large buffer, so that
/// none finds its bytes in a cache where the one before it left them.
class PeerCopies {
 public:
  explicit PeerCopies(Platform& platform)
      : platform_(platform),
        from_(platform.device(0), kPool),
        to_(platform.device(1), kPool),
        begin_(platform.device(1).make_mark()),
        end_(platform.device(1).make_mark()),
        carrier_(platform.device(1).make_stream("copy")) {
    const auto filler = platform.device(0).make_stream("fill");
    filler->fill_zero(from_.region());
    filler->synchronize();
    carrier_->fill_zero(to_.region());
    carrier_->synchronize();
  }

  // [copies]
  /// The median time, between two marks of the stream that carries the copy.
  double seconds(std::size_t bytes) {
    std::vector<double> times;
    for (int run = 0; run < 3 * kTimedRuns; ++run) {
      const std::size_t place = next_place(bytes);
      carrier_->mark(*begin_);
      carrier_->copy(to_.part(place, bytes), from_.part(place, bytes));
      carrier_->mark(*end_);
      carrier_->synchronize();
      times.push_back(platform_.seconds_between(*begin_, *end_));
    }
    return std::max(median(std::move(times)), 1e-9);
  }
  // [copies]

 private:
  static constexpr std::size_t kPool = 2 * kMostBytes;
  static constexpr std::size_t kStride = std::size_t{4} << 20;

  std::size_t next_place(std::size_t bytes) {
    place_ += std::max(bytes, kStride);
    if (place_ + bytes > kPool) place_ = 0;
    return place_;
  }

  Platform& platform_;
  Buffer from_;
  Buffer to_;
  std::unique_ptr<TimeMark> begin_;
  std::unique_ptr<TimeMark> end_;
  std::unique_ptr<Stream> carrier_;  // last: its work uses all of the above
  std::size_t place_ = 0;
};

std::vector<MeasuredCopy> measure_copies(Platform& platform) {
  PeerCopies peer(platform);
  std::vector<MeasuredCopy> copies;
  for (std::size_t bytes = 1 << 10; bytes <= kMostBytes; bytes *= 4) {
    copies.push_back({static_cast<double>(bytes), peer.seconds(bytes)});
  }
  return copies;
}

/// From the end of work on device 0 to the start of what waits for it on device 1.
double event_seconds(Platform& platform) {
  Device& first = platform.device(0);
  Device& second = platform.device(1);
  const auto done = first.make_mark();
  const auto begun = second.make_mark();
  const auto event = first.make_event();
  const auto leader = first.make_stream("leader");
  const auto follower = second.make_stream("follower");
  std::vector<double> times;
  for (int run = 0; run < 4 * kTimedRuns; ++run) {
    leader->mark(*done);
    leader->record(*event);
    follower->wait(*event);
    follower->mark(*begun);
    follower->synchronize();
    times.push_back(platform.seconds_between(*done, *begun));
  }
  return median(std::move(times));
}

// --- All of it together --------------------------------------------------------------

// [relay]
/// Sends m messages through all devices. The worker only issues; events say what each
/// stream must wait for, and nobody waits for anything else.
void issue_relay(std::vector<RelayStage>& stages, std::int32_t m) {
  for (std::int32_t k = 0; k < m; ++k) {
    for (std::size_t d = 0; d < stages.size(); ++d) {
      RelayStage& here = stages[d];
      if (d > 0) here.compute().wait(here.received(k), "its input is there");
      const bool sends = d + 1 < stages.size();
      if (sends && k >= 2) {
        here.compute().wait(stages[d + 1].received(k - 2), "its output buffer is free");
      }
      here.forward(k);
      if (!sends) continue;
      RelayStage& next = stages[d + 1];
      next.copy().wait(here.computed(k), "there is something to copy");
      if (k >= 2) next.copy().wait(next.computed(k - 2), "the place for it is free");
      next.copy().copy(next.input(k), here.output(k));
      next.copy().record(next.received(k));
    }
  }
}
// [relay]

/// Of several runs the one with the median makespan.
Timeline time_relay(Platform& platform, const Schedule& schedule) {
  std::vector<RelayStage> stages;
  stages.reserve(static_cast<std::size_t>(schedule.devices()));
  for (std::int32_t d = 0; d < schedule.devices(); ++d) {
    stages.emplace_back(platform.device(d), kRows, schedule.micro_batches);
  }
  std::vector<Timeline> runs;
  std::vector<double> makespans;
  for (int run = 0; run <= kTimedRuns; ++run) {
    issue_relay(stages, schedule.micro_batches);
    for (RelayStage& stage : stages) stage.synchronize();
    Timeline timeline;
    timeline.level = platform.level();
    for (const RelayStage& stage : stages) {
      timeline.spans.push_back(
          stage.spans(platform, stages.front(), schedule.micro_batches));
    }
    if (run == 0) continue;  // sees the shapes for the first time
    makespans.push_back(measure(schedule, timeline).makespan);
    runs.push_back(std::move(timeline));
  }
  return std::move(runs[median_index(makespans)]);
}

// --- The page ------------------------------------------------------------------------

std::string figure(double value, const char* format) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string size_in_words(double bytes) {
  return bytes < 1 << 20 ? figure(bytes / 1024, "%.0f KiB")
                         : figure(bytes / (1 << 20), "%.0f MiB");
}

Expected<ChapterReport> devices(const ChapterOptions& options) {
  const std::int32_t p = options.devices;
  const std::int32_t m = options.micro_batches;
  const auto platform = make_platform(std::max(p, 2));
  if (!platform) return tl::unexpected(platform.error());

  show_status("timing peer copies");
  const auto copies = measure_copies(**platform);
  const auto link = fit_link(copies);
  if (!link) return tl::unexpected(link.error());
  const double event = event_seconds(**platform);

  show_status("timing streams");
  const double t = [&] {
    const auto alone = devices_with_link(0);
    return alone ? time_streams(**alone, m).forwards / m : 0.0;
  }();
  const auto slow = devices_with_link(t / 2);
  if (!slow) return tl::unexpected(slow.error());
  const StreamTimes streams = time_streams(**slow, m);

  show_status("running in any order");
  const std::int32_t right = right_orders("");
  const std::int32_t right_without_full = right_orders("full");
  const std::int32_t right_without_free = right_orders("free");

  show_status("timing all of it together");
  const auto schedule = forward_only({p, m});
  if (!schedule) return tl::unexpected(schedule.error());
  Costs costs;
  costs.stages.front().forward = streams.forwards / m;
  costs.message_bytes = {static_cast<double>(kMessage)};
  costs.within_node = *link;
  const auto predicted = simulate(*schedule, costs);
  if (!predicted) return tl::unexpected(predicted.error());
  Timeline measured = *predicted;
  measured.level = honest_level(**platform);
  if (measured.level != Level::Replay) measured = time_relay(**platform, *schedule);

  ChapterReport report;
  report.show("A worker issued " + std::to_string(m) + " forwards in " +
              figure(1e6 * streams.issue, "%.0f") + " us; they ran for " +
              figure(1e3 * streams.forwards, "%.1f") +
              " ms.\nAn event of one device lets another go on after " +
              figure(1e6 * event, "%.1f") + " us.\nA copy takes " +
              figure(1e6 * link->latency, "%.2f") + " us and its bytes at " +
              figure(1e-9 * link->bandwidth, "%.1f") + " GB/s, half of which it\n" +
              "reaches with " + figure(half_rate_bytes(*link) / 1024, "%.1f") +
              " KiB.\n");
  report.show("Numbers from one stream to another through a single place, in one of " +
              std::to_string(kOrders) + " orders:\n" +
              "  with both waits                    " + arrivals("") + "\n" +
              "  without the wait until it is full  " + arrivals("full") + "\n" +
              "  without the wait until it is free  " + arrivals("free") + "\n");
  report.draw_both("Messages through all devices: streams, events and copies together.",
                   *schedule, *predicted, measured);
  report.row("ms, forwards and copies on one stream: m(t+c)",
             1e3 * (streams.forwards + streams.copies), 1e3 * streams.on_one);
  report.headline("ms, on two streams: m max(t,c)",
                  1e3 * std::max(streams.forwards, streams.copies),
                  1e3 * streams.on_two);
  report.row("ms, " + std::to_string(m) + " messages through all devices",
             1e3 * measure(*schedule, *predicted).makespan,
             1e3 * measure(*schedule, measured).makespan);
  report.row("orders that come out right, with both waits", kOrders, right);
  report.row("the same without the wait until it is full", 0, right_without_full);
  report.row("the same without the wait until it is free", 0, right_without_free);
  for (const MeasuredCopy& copy : copies) {
    report.row(
        "us for a copy of " + size_in_words(copy.bytes) + ": latency + b/bandwidth",
        1e6 * (link->latency + copy.bytes / link->bandwidth), 1e6 * copy.seconds);
  }
  report.level = measured.level;
  report.level_note = how_timed(report.level, p);
  report.try_next(
      "./workbook run 06 -p 8: what does the line that names the level say?");
  report.try_next("./workbook run 04: what a slow link does to a pipeline.");
  report.try_next(
      "./workbook check 06: a link from its copies, and the waits that a "
      "program needs.");
  return report;
}

}  // namespace

int main(int argc, char** argv) { return run_chapter(argc, argv, kChapter, devices); }
