// mistake: each micro-batch takes the first numbers of the list
// fails: Draws.DoNotDependOnHowTheBatchIsCut
// says: or each m drops other elements
// points: 13
#include "exercise.hpp"

namespace pipeline {

std::vector<std::int64_t> draws(std::int32_t /*first_row*/, std::int32_t rows,
                                std::int32_t width) {
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < std::int64_t{rows} * width; ++i) places.push_back(i);
  return places;
}

}  // namespace pipeline
