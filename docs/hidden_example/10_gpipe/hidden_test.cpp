// Hidden tests of exercise 10, as an example: ./workbook grade DIR --hidden DIR. They
// are compiled with the exercise's own test.cpp and run like its tests; students get to
// read the hints of those that they fail, and nothing else.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "classroom/chapter_rows.hpp"
#include "classroom/draw.hpp"
#include "classroom/points.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

TEST(HiddenGPipe, DoesOneForwardAndOneBackwardOfOneMicroBatch) {
  POINTS(1);
  HINT("Write down by hand what stage 2 does with a single micro-batch.");
  EXPECT_EQ(row_in_words(gpipe_row(2, 1)), "F0 B0");
}

TEST(HiddenAccumulate, LeavesGradientsAloneThatAreAllTheSame) {
  POINTS(2);
  HINT("What is the mean of numbers that are all the same?");
  Draw draw;  // other inputs for another seed, and with --per-student for each student
  const std::vector<double> gradient = draw.quarters(5, -8, 8);
  std::vector<std::int32_t> rows(6);
  for (std::int32_t& count : rows) count = draw.between(1, 9);
  const std::vector<std::vector<double>> gradients(rows.size(), gradient);
  const std::vector<double> answer = accumulate(gradients, rows);
  ASSERT_EQ(answer.size(), gradient.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    EXPECT_NEAR(answer[i], gradient[i], 1e-9);
  }
}

}  // namespace
}  // namespace pipeline
