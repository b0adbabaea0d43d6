// mistake: looks into a row before it knows how long that is
// points: 1
// fails: Catches.LastMicroBatchDropped
// says: Your tests did not come to an end
#include <cstdlib>

#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(GPipeRow, EndsWithTheLastBackward) {
  // In the place of an index out of range, which need not crash.
  const Row row = gpipe_row(0, 4);
  if (row.size() < 8) std::abort();
  EXPECT_EQ(row[3], forward_of(0, 3));
}

}  // namespace
}  // namespace pipeline
