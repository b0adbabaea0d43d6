#include "timeline/trace.hpp"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "schedule/lower.hpp"
#include "timeline/drawing_test_support.hpp"
#include "timeline/picture.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

using nlohmann::json;

std::vector<json> events(const json& trace, const std::string& phase) {
  std::vector<json> found;
  for (const json& event : trace["traceEvents"])
    if (event["ph"] == phase) found.push_back(event);
  return found;
}

TEST(Trace, HasACompleteEventForEachAction) {
  const Drawn d = drawn("1f1b", 4, 8);
  const json trace = json::parse(*to_trace(d.schedule, d.timeline));
  const auto slices = events(trace, "X");
  std::size_t next = 0;
  for (std::size_t device = 0; device < d.schedule.rows.size(); ++device) {
    for (std::size_t i = 0; i < d.schedule.rows[device].size(); ++i, ++next) {
      ASSERT_LT(next, slices.size());
      const json& slice = slices[next];
      const Action& action = d.schedule.rows[device][i].action;
      const Span& span = d.timeline.spans[device][i];
      EXPECT_EQ(slice["pid"], 1);
      EXPECT_EQ(slice["tid"], device + 1);
      EXPECT_EQ(slice["ts"], span.start * 1000);
      EXPECT_EQ(slice["dur"], span.length() * 1000);
      EXPECT_EQ(slice["args"]["kind"], kind_name(action.kind));
      EXPECT_EQ(slice["args"]["stage"], action.stage);
      EXPECT_EQ(slice["args"]["micro_batch"], action.micro_batch);
    }
  }
  EXPECT_EQ(next, slices.size());
}

TEST(Trace, HoldsEveryScheduleThereIs) {
  for (const Generator& generator : generators()) {
    const auto d = drawn_if_allowed(
        generator, {.devices = 2, .micro_batches = 4, .steps = 2, .global_norm = true});
    if (!d) continue;
    const json trace = json::parse(*to_trace(d->schedule, d->timeline));
    std::size_t actions = 0;
    for (const Row& row : d->schedule.rows) actions += row.size();
    EXPECT_EQ(events(trace, "X").size(), actions) << generator.name;
    const std::size_t links = find_links(d->schedule, d->timeline).size();
    EXPECT_EQ(events(trace, "s").size(), links) << generator.name;
    for (const json& event : events(trace, "X")) {
      EXPECT_EQ(event["args"].contains("copy"), d->schedule.placement.copies() > 1);
    }
  }
}

TEST(Trace, NamesTheVersionOfTheWeights) {
  const Drawn d = drawn("pipedream", 2, 4);
  const json trace = json::parse(*to_trace(d.schedule, d.timeline));
  std::size_t found = 0;
  for (const json& event : events(trace, "X")) {
    const json& args = event["args"];
    if (args["kind"] != "forward" || args["micro_batch"] != 3) continue;
    EXPECT_EQ(args["version"], args["stage"] == 0 ? 2 : 3);
    ++found;
  }
  EXPECT_EQ(found, 2U);
}

TEST(Trace, NamesDevicesScheduleAndLevel) {
  Drawn d = drawn("gpipe", 3, 2);
  d.timeline.level = Level::HostThreads;
  const json trace = json::parse(*to_trace(d.schedule, d.timeline));
  EXPECT_EQ(trace["otherData"]["schedule"], "gpipe");
  EXPECT_EQ(trace["otherData"]["level"], "host threads");
  std::map<int, std::string> names;
  for (const json& event : events(trace, "M"))
    if (event["name"] == "thread_name") names[event["tid"]] = event["args"]["name"];
  EXPECT_EQ(names, (std::map<int, std::string>{
                       {1, "device 0"}, {2, "device 1"}, {3, "device 2"}}));
}

TEST(Trace, CountsMeasuredTimesInMicrosecondsFromTheFirstStart) {
  Drawn d = one_row({{{ActionKind::Forward, 0, 0, 0}, false},
                     {{ActionKind::Backward, 0, 0, 0}, false}});
  d.timeline.level = Level::HostThreads;
  d.timeline.spans[0] = {{100.5, 100.5025}, {100.503, 100.504}};
  const auto slices = events(json::parse(*to_trace(d.schedule, d.timeline)), "X");
  EXPECT_EQ(slices[0]["ts"], 0);
  EXPECT_EQ(slices[0]["dur"], 2500);
  EXPECT_EQ(slices[1]["ts"], 3000);
  EXPECT_EQ(slices[1]["dur"], 1000);
}

TEST(Trace, JoinsEachTransferToTheSlicesAtItsEnds) {
  const Drawn d = drawn("gpipe", 3, 4);
  const json trace = json::parse(*to_trace(d.schedule, d.timeline));
  const auto starts = events(trace, "s");
  const auto ends = events(trace, "f");
  ASSERT_EQ(starts.size(), 2U * 2U * 4U);  // two links, both ways, four micro-batches
  ASSERT_EQ(ends.size(), starts.size());
  const auto slice_at = [&](const json& flow) {
    for (const json& slice : events(trace, "X"))
      if (slice["tid"] == flow["tid"] && slice["ts"] < flow["ts"] &&
          flow["ts"].get<double>() <
              slice["ts"].get<double>() + slice["dur"].get<double>())
        return slice["name"].get<std::string>();
    return std::string();
  };
  for (std::size_t i = 0; i < starts.size(); ++i) {
    EXPECT_EQ(starts[i]["id"], ends[i]["id"]);
    EXPECT_EQ(ends[i]["bp"], "e");
    EXPECT_LT(starts[i]["ts"], ends[i]["ts"]);
    const bool forward = starts[i]["name"].get<std::string>().starts_with("activation");
    EXPECT_EQ(ends[i]["tid"].get<int>() - starts[i]["tid"].get<int>(),
              forward ? 1 : -1);
    EXPECT_EQ(slice_at(starts[i]), slice_at(ends[i]));
    EXPECT_EQ(slice_at(starts[i])[0], forward ? 'F' : 'B');
  }
}

TEST(Trace, ShowsSendsAndReceivesBesideTheComputation) {
  Drawn d = drawn("1f1b", 2, 3);
  d.schedule = lower(d.schedule);
  d.timeline = *simulate(d.schedule, Costs{});
  const json trace = json::parse(*to_trace(d.schedule, d.timeline));
  EXPECT_EQ(events(trace, "b").size(), 12U);
  EXPECT_EQ(events(trace, "e").size(), 12U);
  EXPECT_EQ(events(trace, "X").size(), 14U);  // 3 F, 3 B and an update a device
}

TEST(Trace, HoldsPredictedAndMeasuredAsTwoProcesses) {
  const Drawn d = drawn("gpipe", 2, 2);
  Timeline measured = d.timeline;
  measured.level = Level::HostThreads;
  for (auto& row : measured.spans)
    for (Span& span : row) span = {span.start + 7, span.end + 7};
  const json trace = json::parse(*to_trace(d.schedule, d.timeline, measured));
  std::map<int, int> slices;
  std::map<int, double> first;
  for (const json& slice : events(trace, "X")) {
    const double ts = slice["ts"];
    const auto [at, fresh] = first.emplace(slice["pid"], ts);
    if (!fresh) at->second = std::min(at->second, ts);
    ++slices[slice["pid"]];
  }
  EXPECT_EQ(slices, (std::map<int, int>{{1, 10}, {2, 10}}));
  EXPECT_EQ(first, (std::map<int, double>{{1, 0}, {2, 0}}));
  std::map<int, std::string> names;
  for (const json& event : events(trace, "M"))
    if (event["name"] == "process_name") names[event["pid"]] = event["args"]["name"];
  EXPECT_EQ(names[1], "predicted, symbolic");
  EXPECT_EQ(names[2], "measured, host threads");
}

TEST(Trace, IsValidJsonWhateverTheScheduleIsCalled) {
  Drawn d = drawn("forward", 1, 1);
  d.schedule.name = "a \"quote\", a \\, a \n and \xFF";
  const json trace = json::parse(*to_trace(d.schedule, d.timeline));
  EXPECT_EQ(trace["otherData"]["schedule"], "a \"quote\", a \\, a ? and ?");
}

TEST(Trace, RefusesATimelineOfAnotherSchedule) {
  EXPECT_FALSE(to_trace(drawn("gpipe", 2, 3).schedule, drawn("gpipe", 2, 4).timeline));
  const Drawn d = drawn("gpipe", 2, 3);
  EXPECT_FALSE(to_trace(d.schedule, d.timeline, drawn("gpipe", 3, 3).timeline));
}

}  // namespace
}  // namespace pipeline
