#include "grading/sandbox.hpp"

#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "classroom/files.hpp"
#include "classroom/process.hpp"
#include "grading/temporary_folder.hpp"

namespace pipeline {
namespace {

/// Long enough for a machine that does much else; a limit that a test is about is set
/// there.
constexpr double kLong = 120;  // seconds

BoxRequest shell(const std::string& script) {
  BoxRequest request;
  request.command = {"sh", "-c", script};
  request.limits.wall_seconds = kLong;
  request.limits.processes = 32;
  request.capture = true;
  return request;
}

/// How many processes have `mark` in their command line.
int count_marked(const std::string& mark) {
  int count = 0;
  DIR* const folder = opendir("/proc");
  while (const dirent* entry = readdir(folder)) {
    std::ifstream file(std::string("/proc/") + entry->d_name + "/cmdline");
    std::string line;
    std::getline(file, line);
    count += line.find(mark) != std::string::npos ? 1 : 0;
  }
  closedir(folder);
  return count;
}

/// A name that no other test run uses, to find what a box may have left running.
std::string mark() {
  return "9" + std::to_string(getpid()) + "." +
         std::to_string(testing::UnitTest::GetInstance()->random_seed());
}

/// Those to try; one line says what is left out.
std::vector<Tier> tiers_to_try() {
  std::vector<Tier> tiers = {Tier::Bubblewrap, Tier::Unsafe};
  if (geteuid() == 0) tiers.push_back(Tier::OwnUser);
  return tiers;
}

TEST(Tiers, OfAnotherUserAreForRoot) {
  if (geteuid() != 0) GTEST_SKIP() << choose_tier("own-user").error().what;
  EXPECT_TRUE(choose_tier("own-user"));
}

class EachSandbox : public testing::TestWithParam<Tier> {
 protected:
  void SetUp() override {
    const auto tier = choose_tier(to_text(GetParam()));
    if (!tier) GTEST_SKIP() << tier.error().what;
  }
  BoxReport run(const BoxRequest& request) const {
    return Box(GetParam(), request).wait();
  }
  BoxReport run(const std::string& script) const { return run(shell(script)); }
};

INSTANTIATE_TEST_SUITE_P(Tiers, EachSandbox, testing::ValuesIn(tiers_to_try()),
                         [](const testing::TestParamInfo<Tier>& tier) {
                           std::string name(to_text(tier.param));
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(EachSandbox, SaysWithWhatAProgramExited) {
  const BoxReport report = run("echo out; echo err >&2; exit 7");
  EXPECT_EQ(report.ending, Ending::Exited);
  EXPECT_EQ(report.exit_code, 7);
  EXPECT_EQ(report.output, "out\nerr\n");
}

TEST_P(EachSandbox, SaysWhichSignalAProgramCrashedBy) {
  const BoxReport report = run("kill -SEGV $$");
  EXPECT_EQ(report.ending, Ending::Crashed);
  EXPECT_EQ(report.signal, SIGSEGV);
}

TEST_P(EachSandbox, EndsWhatUsesUpTheCpu) {
  BoxRequest request = shell("while :; do :; done");
  request.limits.cpu_seconds = 1;
  const BoxReport report = run(request);
  EXPECT_EQ(report.ending, Ending::CpuLimit);
  EXPECT_GE(report.cpu_seconds, 0.5);
}

TEST_P(EachSandbox, CountsTheCpuThatChildrenUsed) {
  BoxRequest request = shell("(while :; do :; done); exit 3");
  request.limits.cpu_seconds = 1;
  const BoxReport report = run(request);
  EXPECT_EQ(report.ending, Ending::CpuLimit);
  EXPECT_GE(report.cpu_seconds, 0.5);
}

TEST_P(EachSandbox, EndsWhatSleeps) {
  BoxRequest request = shell("sleep 1000");
  request.limits.wall_seconds = 0.3;
  const BoxReport report = run(request);
  EXPECT_EQ(report.ending, Ending::WallLimit);
  EXPECT_LT(report.cpu_seconds, 0.3);
}

TEST_P(EachSandbox, LimitsTheMemoryOfAProcess) {
  BoxRequest request = shell("ulimit -v");
  request.limits.memory_bytes = 64 << 20;
  EXPECT_EQ(run(request).output, std::to_string(64 << 10) + "\n");
}

TEST_P(EachSandbox, LimitsTheSizeOfAFile) {
  const TemporaryFolder folder;
  BoxRequest request = shell("head -c 2000000 /dev/zero > /mounted/large");
  request.mounts = {{folder.path(), "/mounted", /*writable=*/true}};
  request.limits.file_bytes = 1 << 20;
  EXPECT_NE(run(request).exit_code, 0);
  EXPECT_EQ(std::filesystem::file_size(folder / "large"), 1U << 20U);
}

TEST_P(EachSandbox, EndsAFloodOfOutput) {
  BoxRequest request = shell("yes");
  request.limits.output_bytes = 1000;
  const BoxReport report = run(request);
  EXPECT_EQ(report.ending, Ending::OutputLimit);
  EXPECT_EQ(report.output.size(), 1000U);
}

TEST_P(EachSandbox, LosesAFloodOfOutputWhereThatIsAskedFor) {
  BoxRequest request = shell("head -c 1000000 /dev/zero; exit 4");
  request.limits.output_bytes = 1000;
  request.flood_ends = false;
  const BoxReport report = run(request);
  EXPECT_EQ(report.ending, Ending::Exited);
  EXPECT_EQ(report.exit_code, 4);
  EXPECT_EQ(report.output.size(), 1000U);
}

TEST_P(EachSandbox, LimitsHowManyProcessesThereAre) {
  if (GetParam() == Tier::Unsafe && geteuid() == 0)
    GTEST_SKIP() << "root may have as many as it likes";
  BoxRequest request =
      shell("for i in 1 2 3 4 5 6 7 8 9; do sleep 1000 & done; echo started");
  request.limits.processes = 4;
  EXPECT_EQ(run(request).output.find("started"), std::string::npos);
}

TEST_P(EachSandbox, LeavesNothingRunningThatWentIntoTheBackground) {
  const std::string seconds = mark();
  run("setsid sleep " + seconds + " & (setsid sh -c 'sleep " + seconds + " & sleep " +
      seconds + "' &) ; nohup sleep " + seconds + " & exit 0");
  EXPECT_EQ(count_marked(seconds), 0);
}

TEST_P(EachSandbox, LeavesNothingRunningOfAForkBomb) {
  const std::string seconds = mark();
  // Where nothing limits their number, the bomb is a small one.
  const bool limited = GetParam() != Tier::Unsafe;
  BoxRequest request =
      shell(limited ? "f() { f & f & sleep " + seconds + " & }; f; sleep " + seconds
                    : "for i in 1 2 3 4 5 6 7 8; do (sleep " + seconds + " & sleep " +
                          seconds + ") & done; wait");
  request.limits.wall_seconds = 0.7;
  run(request);
  EXPECT_EQ(count_marked(seconds), 0);
}

TEST_P(EachSandbox, LeavesNothingRunningWhenItIsKilled) {
  const std::string seconds = mark();
  Box box(GetParam(), shell("sleep " + seconds + " & echo up; sleep " + seconds));
  box.kill();
  EXPECT_EQ(box.wait().ending, Ending::Killed);
  EXPECT_EQ(count_marked(seconds), 0);
}

TEST_P(EachSandbox, LeavesNothingRunningWhenItIsForgotten) {
  const std::string seconds = mark();
  { const Box box(GetParam(), shell("sleep " + seconds + " & sleep " + seconds)); }
  EXPECT_EQ(count_marked(seconds), 0);
}

/// What a grader does that is then told to end by `signal`.
[[noreturn]] void grade_and_get(Tier tier, int signal, const std::string& seconds) {
  catch_interrupts();
  Box box(tier, shell("sleep " + seconds + " & sleep " + seconds));
  while (count_marked(seconds) == 0) usleep(1000);
  raise(signal);
  _exit(box.wait().ending == Ending::Killed ? 17 : 18);
}

TEST_P(EachSandbox, IsKilledWhenWeAreInterrupted) {
  const std::string seconds = mark();
  EXPECT_EXIT(grade_and_get(GetParam(), SIGINT, seconds), testing::ExitedWithCode(17),
              "");
  EXPECT_EQ(count_marked(seconds), 0);
}

TEST_P(EachSandbox, DoesNotOutliveAGraderThatIsKilled) {
  const std::string seconds = mark();
  EXPECT_EXIT(grade_and_get(GetParam(), SIGKILL, seconds),
              testing::KilledBySignal(SIGKILL), "");
  // Nobody is left to wait for it, so that it takes a moment.
  while (count_marked(seconds) > 0) usleep(1000);
}

TEST_P(EachSandbox, LeavesNoFileForTheNextOne) {
  if (GetParam() == Tier::Unsafe) GTEST_SKIP() << "its files are ours";
  const std::string name = "workbook-left-" + mark();
  EXPECT_EQ(run("echo here > /tmp/" + name + "; cat /tmp/" + name).output, "here\n");
  EXPECT_EQ(run("ls /tmp/" + name).output.find("cannot access"), 4U);
}

TEST_P(EachSandbox, LeavesNoSharedMemoryForTheNextOne) {
  if (GetParam() == Tier::Unsafe) GTEST_SKIP() << "it is ours";
  const std::string size = std::to_string(4096 + 16 * (getpid() % 60000));
  EXPECT_NE(run("ipcmk -M " + size + " && ipcs -m").output.find(" " + size + " "),
            std::string::npos);
  EXPECT_EQ(run("ipcs -m").output.find(" " + size + " "), std::string::npos);
}

TEST_P(EachSandbox, IsTheFirstToGoWhenMemoryRunsOut) {
  EXPECT_EQ(run("cat /proc/self/oom_score_adj").output, "1000\n");
}

TEST_P(EachSandbox, SaysHowItEndedWhereItWasQuickerThanItsEnd) {
  Box box(GetParam(), shell("exit 5"));
  box.end_within(kLong / 2);
  const BoxReport report = box.wait();
  EXPECT_EQ(report.ending, Ending::Exited);
  EXPECT_EQ(report.exit_code, 5);
}

TEST_P(EachSandbox, IsKilledWhenTheTimeItWasLeftIsOver) {
  Box box(GetParam(), shell("sleep 1000"));
  box.end_within(0.1);
  EXPECT_EQ(box.wait().ending, Ending::Killed);
}

TEST_P(EachSandbox, HasTheSocketsFromDescriptorThreeOnAndNoOtherDescriptor) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  BoxRequest request = shell("echo hello >&3; ls /proc/$$/fd");
  request.sockets = {ends[1], ends[1]};
  const BoxReport report = run(request);
  close(ends[1]);
  char text[16] = {};
  EXPECT_EQ(read(ends[0], text, sizeof text), 6);
  EXPECT_STREQ(text, "hello\n");
  EXPECT_EQ(read(ends[0], text, sizeof text), 0) << "somebody holds the other end";
  close(ends[0]);
  EXPECT_EQ(report.output, "0\n1\n2\n3\n4\n");
}

TEST_P(EachSandbox, SeesNothingOfOurEnvironment) {
  ASSERT_EQ(setenv("WORKBOOK_SECRET", "17", 1), 0);
  BoxRequest request = shell("echo $WORKBOOK_SECRET$GIVEN");
  request.environment = {{"GIVEN", "given"}};
  EXPECT_EQ(run(request).output, "given\n");
}

TEST_P(EachSandbox, ReadsAndWritesWhatIsMounted) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "in", "from outside"));
  std::filesystem::create_directory(folder / "out");
  BoxRequest request = shell("cat /mounted-in; cat /mounted-in > /mounted-out/copy");
  request.mounts = {{folder / "in", "/mounted-in"},
                    {folder / "out", "/mounted-out", /*writable=*/true}};
  // The shell's one word names two paths: one each.
  request.command = {"cp", "/mounted-in", "/mounted-out/copy"};
  EXPECT_EQ(run(request).output, "");
  EXPECT_EQ(read_file(folder / "out" / "copy").value_or(""), "from outside");
}

TEST_P(EachSandbox, RunsManyAtOnce) {
  std::vector<std::thread> threads;
  std::vector<int> codes(8, -1);
  threads.reserve(codes.size());
  for (int slot = 0; slot < 8; ++slot) {
    threads.emplace_back([&, slot] {
      BoxRequest request = shell("exit " + std::to_string(40 + slot));
      request.slot = slot;
      codes[static_cast<std::size_t>(slot)] = run(request).exit_code;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(codes, (std::vector<int>{40, 41, 42, 43, 44, 45, 46, 47}));
}

/// What bubblewrap hides besides.
class Bubblewrap : public EachSandbox {};
INSTANTIATE_TEST_SUITE_P(Alone, Bubblewrap, testing::Values(Tier::Bubblewrap),
                         [](const auto& /*info*/) { return std::string("tier"); });

TEST_P(Bubblewrap, SeesNoFileButTheSystemsAndWhatIsMounted) {
  EXPECT_EQ(run("ls /").output, "bin\ndev\nlib\nlib64\nproc\ntmp\nusr\n");
  EXPECT_EQ(run("ls /usr/local /usr/src /tmp").output,
            "/tmp:\n\n/usr/local:\n\n/usr/src:\n");
}

TEST_P(Bubblewrap, WritesNowhereButToItsSmallTmp) {
  BoxRequest request = shell(
      "for d in / /dev /dev/shm /usr /usr/local /proc/sys; do echo x > $d/x; done "
      "2>/dev/null; ls /x /dev/x /dev/shm/x /usr/x /usr/local/x 2>/dev/null; "
      "for i in 1 2 3; do head -c 600000 /dev/zero; done > /tmp/large; "
      "stat -c %s /tmp/large");
  request.limits.scratch_bytes = 1 << 20;
  EXPECT_NE(run(request).output.find("1048576\n"), std::string::npos);
  EXPECT_EQ(run(request).output.find("/x"), std::string::npos);
}

TEST_P(Bubblewrap, SeesNoProcessButItsOwn) {
  EXPECT_EQ(run("ls /proc | grep -c '^[0-9]'").output, "4\n");
}

TEST_P(Bubblewrap, HasNoNetwork) {
  EXPECT_EQ(run("grep -c : /proc/net/dev").output, "1\n") << "the loopback alone";
  EXPECT_NE(run("exec 9<>/dev/tcp/127.0.0.1/22").exit_code, 0);
}

TEST_P(Bubblewrap, HasNoRights) {
  EXPECT_EQ(run("grep Cap /proc/self/status | grep -v '0000000000000000$'").output, "");
  EXPECT_EQ(run("unshare --user true").exit_code, 1);
}

TEST_P(Bubblewrap, EndsWhatUsesUpTheCpuAndIgnoresBeingTold) {
  BoxRequest request = shell("trap '' XCPU; while :; do :; done");
  request.limits.cpu_seconds = 1;
  EXPECT_EQ(run(request).ending, Ending::CpuLimit);
}

TEST_P(Bubblewrap, SaysWhyItDidNotStart) {
  BoxRequest request = shell("exit 0");
  request.mounts = {{"/no/such/file", "/mounted"}};
  const BoxReport report = run(request);
  EXPECT_EQ(report.ending, Ending::NotStarted);
  EXPECT_NE(report.output.find("/no/such/file"), std::string::npos) << report.output;
}

TEST(Tiers, HaveNames) {
  EXPECT_EQ(to_text(Tier::Bubblewrap), "bubblewrap");
  EXPECT_EQ(to_text(Tier::OwnUser), "own-user");
  EXPECT_EQ(to_text(Tier::Unsafe), "unsafe");
}

TEST(Tiers, AreRefusedByNamesThatDoNotExist) {
  const auto tier = choose_tier("chroot");
  ASSERT_FALSE(tier);
  EXPECT_EQ(tier.error().what, "there is no sandbox 'chroot'");
  EXPECT_EQ(tier.error().remedy, "Say bubblewrap, own-user or unsafe.");
}

TEST(Tiers, BeginWithBubblewrapWhereNoneIsNamed) {
  const auto tier = choose_tier("");
  if (!tier) GTEST_SKIP() << tier.error().what;
  EXPECT_EQ(*tier, Tier::Bubblewrap);
}

}  // namespace
}  // namespace pipeline
