// Each wait of the runtime is needed: dropping it alone changes what is trained.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "device/host.hpp"
#include "runtime/small_training.hpp"
#include "runtime/wait_sites.hpp"
#include "schedule/recompute.hpp"

namespace pipeline {
namespace {

/// Names one wait of a which, the same each time.
using WaitId = std::tuple<std::int32_t, std::string, std::uint64_t>;

WaitId id_of(const WaitInfo& info) {
  return {info.device, std::string(info.stream), info.in_stream};
}

struct Training {
  Schedule schedule;
  std::int32_t buffers = 0;
  float clip = 0;
  /// Whether each message is used before a later one of the same copy stream is. Where
  /// it is not, the wait for the later one says that the earlier one is there too.
  bool needs_each_arrival = false;
  bool tied = false;  ///< the first and the last layer share parameters
};

std::vector<Training> trainings() {
  return {{generated("forward", 3, 7), 1, 0, true},
          {generated("gpipe", 3, 7), 1, 0, true},
          {generated("1f1b", 3, 7), 1, 0, true},
          {*with_recompute(generated("gpipe", 3, 4)), 1, 0, true},
          {generated("zb-h2", 2, 5, 2), 0},
          {generated("interleaved", 2, 3, 2), 1},
          {generated("pipedream", 3, 3), 1, 0, true},
          {generated("dualpipe", 2, 4, 2), 0},
          {replicas(1, 3, 3), 1, 0, true},
          {generated("1f1b", {.shape = {3, 2, 2, true}}), 1, 0.01F, true},
          {generated("1f1b", {.shape = {2, 2, 3, true}}), 1, 0.01F, false, true}};
}

/// What came out, as text: not-a-numbers are not equal, but their text is.
std::string outcome_of(const Training& training,
                       std::function<bool(const WaitInfo&)> drop) {
  HostOptions host;
  host.drain = HostDrain::Seeded;
  host.drop_wait = std::move(drop);
  const auto platform = make_host_platform(training.schedule.devices(), host);
  ExecutorOptions options;
  options.buffers = training.buffers;
  options.clip = training.clip;
  std::vector<std::int32_t> rows = small_steps();
  rows.resize(static_cast<std::size_t>(training.schedule.steps));
  const Trained trained =
      train_small(*platform, training.schedule, options, rows, 9, training.tied);
  std::string text = trained.digest + " " + std::to_string(trained.result.correct);
  if (!trained.copies_agree) text += " copies differ";
  for (const double loss : trained.result.step_loss) {
    text += " " + std::to_string(loss);
  }
  for (const double norm : trained.result.step_norm) {
    text += " " + std::to_string(norm);
  }
  return text;
}

bool says_that_data_is_there(const std::string& site) {
  return site.ends_with("arrived") || site.ends_with("ready");
}

/// Drops each wait of a run in turn; returns for each site how many went unnoticed.
struct Tally {
  std::int32_t noticed = 0;
  std::int32_t unnoticed = 0;
};
std::map<std::string, Tally> drop_each_wait_of(const Training& training) {
  std::map<WaitId, std::string> sites;
  std::mutex mutex;  // every worker asks
  const std::string expected = outcome_of(training, [&](const WaitInfo& info) {
    const std::lock_guard lock(mutex);
    sites[id_of(info)] = info.site;
    return false;
  });
  std::map<std::string, Tally> tallies;
  for (const auto& [id, site] : sites) {
    const std::string outcome = outcome_of(
        training,
        [wanted = id](const WaitInfo& info) { return id_of(info) == wanted; });
    ++(outcome != expected ? tallies[site].noticed : tallies[site].unnoticed);
  }
  return tallies;
}

TEST(Waits, AreNoticedWhenDroppedOneByOne) {
  std::set<std::string> noticed;
  for (const Training& training : trainings()) {
    for (const auto& [site, tally] : drop_each_wait_of(training)) {
      if (tally.noticed > 0) noticed.insert(site);
      // Without its data an action always goes wrong. A wait for a free buffer may be
      // implied by others in one schedule (in 1F1B the next activation cannot come
      // before the gradient of an older one has left), and not in the next.
      if ((training.needs_each_arrival && says_that_data_is_there(site)) ||
          !training.schedule.training) {
        EXPECT_EQ(tally.unnoticed, 0) << site << " in " << training.schedule.name;
      }
    }
  }
  // Every reason to wait there is, and none that the registry does not know.
  EXPECT_EQ(noticed,
            std::set<std::string>(wait_site::kAll.begin(), wait_site::kAll.end()));
}

}  // namespace
}  // namespace pipeline
