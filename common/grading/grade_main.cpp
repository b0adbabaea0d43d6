// The main program of exNN_grade: the tests of an exercise, whose calls go to a worker
// at the other end of descriptor 3. `./workbook grade` starts both.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstdio>

#include "grading/wire.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int type = 0;
  socklen_t size = sizeof type;
  if (!GTEST_FLAG_GET(list_tests) &&
      getsockopt(pipeline::kSocket, SOL_SOCKET, SO_TYPE, &type, &size) != 0) {
    std::fputs("No worker is connected to descriptor 3: ./workbook grade does that.\n",
               stderr);
    return 2;
  }
  return RUN_ALL_TESTS();
}
