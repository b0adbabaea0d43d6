#include "data/loop_pipeline.hpp"

#if defined(WORKBOOK_HAS_TBB)
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>
#endif

#include "data/loop_run.hpp"

namespace pipeline {

#if defined(WORKBOOK_HAS_TBB)
// [tbb]
Expected<Timeline> run_loop_on_tbb(std::span<const LoopStage> stages, LoopShape shape) {
  if (auto fault = loop::fault_of(stages, shape)) return tl::unexpected(*fault);
  namespace tbb = oneapi::tbb;
  constexpr auto kInOrder = tbb::filter_mode::serial_in_order;
  loop::Run run(stages, shape);
  // 1. A filter that numbers the items and stops, then one for each stage. In order,
  //    item k can enter only when item k - tokens has left: its slot is free.
  std::int32_t next = 0;
  tbb::filter<void, std::int32_t> chain =
      tbb::make_filter<void, std::int32_t>(kInOrder, [&](tbb::flow_control& control) {
        if (next == shape.items || !run.goes_on()) control.stop();
        return next++;
      });
  for (std::size_t s = 0; s < stages.size(); ++s) {
    chain = chain & tbb::make_filter<std::int32_t, std::int32_t>(
                        kInOrder, [&run, shape, s](std::int32_t item) {
                          run.work(s, {item, item % shape.tokens});
                          return item;
                        });
  }
  const auto end = tbb::make_filter<std::int32_t, void>(kInOrder, [](std::int32_t) {});
  // 2. Its threads are as many as cores, for work that computes. A stage that waits for
  //    a disk holds its thread, so there is one for each stage here.
  const auto threads = stages.size();
  const tbb::global_control most(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] {
    tbb::parallel_pipeline(static_cast<std::size_t>(shape.tokens), chain & end);
  });
  return run.finish();
}
// [tbb]
#else
Expected<Timeline> run_loop_on_tbb(std::span<const LoopStage> /*stages*/,
                                   LoopShape /*shape*/) {
  return absent("this build has no oneTBB",
                "install libtbb-dev and configure again, without the thread sanitizer");
}
#endif

}  // namespace pipeline
