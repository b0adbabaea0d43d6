#include <gtest/gtest.h>

#include "device/allocation_watch.hpp"
#include "runtime/small_training.hpp"

namespace pipeline {
namespace {

class SteadyState : public RuntimeTest {};

TEST_F(SteadyState, AllocatesNothingAfterTheFirstRun) {
  ASSERT_TRUE(allocations_are_watched());
  const Network network = small_network();
  const SmallData data(69);
  const auto batches = data.batches(small_steps());
  for (const auto* name : {"forward", "model-parallel", "gpipe", "1f1b"}) {
    for (const std::int32_t p : {1, 3}) {
      for (const std::int32_t buffers : {0, 1, 2}) {
        const auto platform = platform_of(p);
        const Schedule schedule = generated(name, p, 5);
        auto placed = *PlacedNetwork::place(*platform, network, *even_split(9, p),
                                            schedule.placement, 1);
        ExecutorOptions options;
        options.buffers = buffers;
        auto executor = *Executor::make(*placed, schedule, 23, options);
        ASSERT_TRUE(executor->run(batches));
        const MeterReading meter = platform->device(0).meter();
        const std::uint64_t before = allocations_so_far();
        for (std::int32_t run = 0; run < 3; ++run) {
          const bool ran = executor->run(batches).has_value();
          ASSERT_TRUE(ran);
        }
        EXPECT_EQ(allocations_so_far(), before) << name << " p=" << p;
        EXPECT_EQ(platform->device(0).meter().allocations, meter.allocations);
        EXPECT_EQ(platform->device(0).meter().peak_bytes, meter.peak_bytes);
      }
    }
  }
}

}  // namespace
}  // namespace pipeline
