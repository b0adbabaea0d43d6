// mistake: the average over all micro-batches, with the filling in it
// fails: LeavingInterval.IsThePaceOfTheSlowestStage
// says: once the pipeline is full
// points: 12
#include "exercise.hpp"

namespace pipeline {

double leaving_interval(const Starts& starts) {
  const std::vector<double>& last = starts.back();
  return last.back() / static_cast<double>(last.size());
}

}  // namespace pipeline
