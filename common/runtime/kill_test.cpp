// A training that is killed again and again, at any moment, and taken up again, ends in
// the weights of one that nobody disturbed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "layers/random.hpp"
#include "runtime/checkpoint.hpp"
#include "schedule/full_tier.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

/// Runs of the program, which may be killed before they end.
class Killed : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  pid_t start(std::size_t layout) {
    constexpr std::array kSchedules = {"1f1b", "zb-h1", "gpipe", "interleaved"};
    constexpr std::array kDevices = {"2", "3", "1", "4"};
    const char* const schedule = kSchedules[layout % kSchedules.size()];
    const char* const devices = kDevices[layout % kDevices.size()];
    const std::string checkpoints = folder_ + "/checkpoints";
    const std::string output = folder_ + "/output";
    const pid_t child = fork();
    if (child != 0) return child;
    const int to = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(to, STDOUT_FILENO);
    dup2(to, STDERR_FILENO);
    execl(KILLED_PROGRAM, KILLED_PROGRAM, checkpoints.c_str(), schedule, devices,
          nullptr);
    _exit(127);
  }
  /// Its exit code; -1 where it was killed.
  static int wait_for(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  /// What a run that was left alone printed.
  std::string whole(std::size_t layout) {
    EXPECT_EQ(wait_for(start(layout)), 0) << output();
    return output();
  }
  std::string output() const {
    std::string line;
    std::getline(std::ifstream(folder_ + "/output") >> std::ws, line);
    return line;
  }
  void forget() { fs::remove_all(folder_ + "/checkpoints"); }

  std::string folder_ = testing::TempDir() + "/killed_" + std::to_string(getpid());
};

TEST_F(Killed, AtRandomMomentsATrainingEndsInTheWeightsOfAnUndisturbedOne) {
  const int kills = in_full_tier() ? 60 : 5;
  const auto began = Clock::now();
  if (wait_for(start(0)) == 3) GTEST_SKIP() << "not run: " << output();
  const std::string undisturbed = output();
  const double milliseconds = Milliseconds(Clock::now() - began).count();
  ASSERT_EQ(undisturbed.size(), 16U) << undisturbed;
  forget();
  Random random(static_cast<std::uint64_t>(getpid()));
  std::size_t layout = 0;
  std::int64_t most_steps = 0;
  for (int killed = 0; killed < kills;) {
    const pid_t child = start(layout++);
    std::this_thread::sleep_for(Milliseconds(random.uniform() * 0.6 * milliseconds));
    kill(child, SIGKILL);
    const int code = wait_for(child);
    if (code == -1) {
      ++killed;
      const auto newest = newest_checkpoint(folder_ + "/checkpoints");
      ASSERT_TRUE(newest);
      if (!*newest) continue;
      const auto read = read_checkpoint(**newest);
      ASSERT_TRUE(read) << read.error().what;
      most_steps = std::max(most_steps, read->step);
      continue;
    }
    // It came to its end before it was killed: another round.
    ASSERT_EQ(code, 0) << output();
    ASSERT_EQ(output(), undisturbed);
    forget();
  }
  EXPECT_EQ(whole(layout), undisturbed);
  EXPECT_GT(most_steps, 0);
}

}  // namespace
}  // namespace pipeline
