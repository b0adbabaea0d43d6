#include <gtest/gtest.h>

#include "device/allocation_watch.hpp"
#include "runtime/small_training.hpp"
#include "schedule/recompute.hpp"

namespace pipeline {
namespace {

class SteadyState : public RuntimeTest {};

void expect_no_allocation(const Schedule& schedule, std::int32_t buffers) {
  const auto made = make_platform(schedule.devices());
  Platform& platform = **made;
  const std::int32_t layers = layers_for(schedule.stages());
  const Network network = small_network(layers);
  auto placed = *PlacedNetwork::place(
      platform, network, *even_split(layers, schedule.stages()), schedule.placement, 1);
  ExecutorOptions options;
  options.buffers = buffers;
  auto executor = *Executor::make(*placed, schedule, 23, options);
  const SmallData data(69);
  const auto batches = data.batches(small_steps());
  ASSERT_TRUE(executor->run(batches));
  const MeterReading meter = platform.device(0).meter();
  const std::uint64_t before = allocations_so_far();
  for (std::int32_t run = 0; run < 3; ++run) {
    const bool ran = executor->run(batches).has_value();
    ASSERT_TRUE(ran);
  }
  EXPECT_EQ(allocations_so_far(), before)
      << schedule.name << " p=" << schedule.devices();
  EXPECT_EQ(platform.device(0).meter().allocations, meter.allocations);
  EXPECT_EQ(platform.device(0).meter().peak_bytes, meter.peak_bytes);
}

TEST_F(SteadyState, AllocatesNothingAfterTheFirstRunOfAnySchedule) {
  ASSERT_TRUE(allocations_are_watched());
  for (const Generator& generator : generators()) {
    for (const std::int32_t p : {1, 2, 3}) {
      for (const std::int32_t m : {1, 5, 6}) {
        const bool norm = p == 3;
        auto schedule = generator.generate({.shape = {p, m, 3, norm}});
        if (!schedule) schedule = generator.generate({.shape = {p, m, 3, false}});
        if (!schedule || !schedule->slices.empty()) continue;
        expect_no_allocation(*schedule, (p + m) % 3);
        const auto longer = with_recompute(*schedule);
        if (longer && m == 5) expect_no_allocation(*longer, (p + m) % 3);
      }
    }
  }
}

}  // namespace
}  // namespace pipeline
