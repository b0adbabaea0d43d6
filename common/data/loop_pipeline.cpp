#include "data/loop_pipeline.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <thread>

#include "data/bounded_queue.hpp"
#include "data/loop_run.hpp"

namespace pipeline {

namespace loop {

std::optional<Error> fault_of(std::span<const LoopStage> stages, LoopShape shape) {
  if (!stages.empty() && shape.items >= 1 && shape.tokens >= 1) return std::nullopt;
  return Error{"a loop of " + std::to_string(stages.size()) + " stages, " +
                   std::to_string(shape.items) + " items and " +
                   std::to_string(shape.tokens) + " tokens cannot run",
               "give at least one of each"};
}

Expected<Timeline> Run::finish() {
  if (error_) return tl::unexpected(std::move(*error_));
  const double origin = timeline_.spans.front().front().start;
  for (auto& row : timeline_.spans) {
    for (Span& span : row) span = {span.start - origin, span.end - origin};
  }
  return std::move(timeline_);
}

}  // namespace loop

Expected<Timeline> run_one_after_another(std::span<const LoopStage> stages,
                                         LoopShape shape) {
  if (auto fault = loop::fault_of(stages, shape)) return tl::unexpected(*fault);
  loop::Run run(stages, shape);
  for (std::int32_t item = 0; item < shape.items && run.goes_on(); ++item) {
    for (std::size_t s = 0; s < stages.size(); ++s) {
      run.work(s, {item, item % shape.tokens});
    }
  }
  return run.finish();
}

// [pipeline]
Expected<Timeline> run_loop_pipeline(std::span<const LoopStage> stages,
                                     LoopShape shape) {
  if (auto fault = loop::fault_of(stages, shape)) return tl::unexpected(*fault);
  loop::Run run(stages, shape);
  // 1. A queue in front of each stage. The first one holds the tokens that are free;
  //    none can overflow, since there are no more tokens than places.
  std::vector<std::unique_ptr<BoundedQueue<Token>>> queues;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    queues.push_back(std::make_unique<BoundedQueue<Token>>(shape.tokens));
  }
  for (std::int32_t slot = 0; slot < shape.tokens; ++slot) {
    queues.front()->push({0, slot});
  }
  // 2. A thread a stage: takes a token, does its work, hands the token on. The last
  //    stage hands it back to the first, and tells it when to stop.
  std::vector<std::thread> workers;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    workers.emplace_back([&run, &queues, shape, s] {
      const std::size_t next = (s + 1) % queues.size();
      for (std::int32_t item = 0; item < shape.items; ++item) {
        auto token = s > 0 || run.goes_on() ? queues[s]->pop() : std::nullopt;
        if (!token) break;
        token->item = item;  // 3. the first stage numbers the items
        run.work(s, *token);
        queues[next]->push(*token);
      }
      if (next > 0) queues[next]->close();
    });
  }
  for (std::thread& worker : workers) worker.join();
  return run.finish();
}
// [pipeline]

// [simulate]
Timeline simulate_loop(const std::vector<std::vector<double>>& seconds,
                       std::int32_t tokens) {
  const std::size_t stages = seconds.size();
  Timeline timeline;
  timeline.spans.assign(stages, std::vector<Span>(seconds.front().size()));
  for (std::size_t k = 0; k < seconds.front().size(); ++k) {
    // The token of item k is the one of item k - tokens.
    const auto held_until = static_cast<std::size_t>(tokens);
    double ready = k >= held_until ? timeline.spans.back()[k - held_until].end : 0;
    for (std::size_t s = 0; s < stages; ++s) {
      auto& row = timeline.spans[s];
      const double start = std::max(ready, k > 0 ? row[k - 1].end : 0);
      row[k] = {start, start + seconds[s][k]};
      ready = row[k].end;
    }
  }
  return timeline;
}

double loop_interval(std::span<const double> seconds, std::int32_t tokens) {
  return std::max(*std::max_element(seconds.begin(), seconds.end()),
                  std::accumulate(seconds.begin(), seconds.end(), 0.0) / tokens);
}
// [simulate]

}  // namespace pipeline
