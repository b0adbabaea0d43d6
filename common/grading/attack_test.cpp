// The attack suite in the sandbox: nobody gains by it, nobody else loses, and nothing
// stays. Where an attack says whom it fools, that is shown, too.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "classroom/files.hpp"
#include "classroom/json.hpp"
#include "classroom/process.hpp"
#include "classroom/proof.hpp"
#include "classroom/starter.hpp"
#include "grading/attacks.hpp"
#include "grading/box_command.hpp"
#include "grading/judge.hpp"
#include "grading/temporary_folder.hpp"
#include "grading/tier_here.hpp"
#include "schedule/full_tier.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

const Workspace kHere = {WORKBOOK_ROOT, WORKBOOK_BUILD};
constexpr const char* kSeed = "a-seed-that-nobody-knows";

/// The first test of each suite, and those that draw: enough to see what an attack
/// comes to. All of them at full size.
Kit of_fewer_tests(Kit kit) {
  if (in_full_tier()) return kit;
  std::set<std::string> suites;
  std::erase_if(kit.list, [&](const TestInfo& test) {
    const bool first = suites.insert(test.name.substr(0, test.name.find('.'))).second;
    return !first && !test.drawn;
  });
  return kit;
}

/// What ends at a limit of time ends at it in one test as well as in all. One that
/// draws calls the most.
Kit of_one_test(Kit kit) {
  const auto drawn = std::find_if(kit.list.begin(), kit.list.end(),
                                  [](const TestInfo& test) { return test.drawn; });
  if (!in_full_tier() && drawn != kit.list.end()) kit.list = {*drawn};
  return kit;
}

std::string solution_of(const Unit& exercise) {
  return without_marks(
      read_file(kHere.root / "solutions" / exercise.folder() / "exercise.cpp")
          .value_or(""));
}

/// Both kits and all attacks, made once; or why there are none here.
struct Suite {
  Suite() {
    const auto chosen = tier_here();
    if (!chosen) {
      why_not = chosen.error().what;
      return;
    }
    tier = *chosen;
    auto all = list_attacks(kHere.root);
    if (!all) {
      fault = all.error().what;
      return;
    }
    attacks = std::move(*all);
    for (const Unit& exercise : {Unit{"01", "ticks"}, Unit{"10", "gpipe"}}) {
      auto kit = make_kit(kHere, exercise, "", tier);
      if (!kit) {
        fault = kit.error().what;
        return;
      }
      kits.emplace(exercise.number, of_fewer_tests(std::move(*kit)));
    }
  }

  std::string why_not;
  std::string fault;
  Tier tier = Tier::Bubblewrap;
  std::map<std::string, Kit> kits;
  std::vector<Attack> attacks;
};

class AttackTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!suite().why_not.empty()) GTEST_SKIP() << suite().why_not;
    ASSERT_EQ(suite().fault, "");
  }
  static const Suite& suite() {
    static const Suite suite;
    return suite;
  }
};

bool may_end(const Attack& attack, Status status) {
  return std::find(attack.ends.begin(), attack.ends.end(), status) != attack.ends.end();
}

/// The processes of a user, "12 (worker)" each.
std::string processes_of(uid_t user) {
  std::string found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    std::ifstream status(entry.path() / "status");
    std::string line;
    while (std::getline(status, line)) {
      if (!line.starts_with("Uid:\t" + std::to_string(user) + "\t")) continue;
      found += entry.path().filename().string() + " ";
    }
  }
  return found;
}

/// What a verdict may not hold: the seed, and lines of the solution, of the tests and
/// of other people's files. Compilers quote files; tests name their own, which reports
/// take out.
std::string secret_in(const Verdict& verdict) {
  for (const std::string& secret :
       {std::string(kSeed), std::string("the m-1 before it"), std::string("root:"),
        std::string("HOME="), std::string("walk(std::int32_t"), kHere.root.string()}) {
    if (verdict.compiler_errors.find(secret) != std::string::npos) return secret;
  }
  return "";
}

/// Judges, and once more and alone where the machine may have been to blame, as the
/// grader does.
class Court {
 public:
  Verdict judge_in_slot(const Kit& kit, const std::string& answer, int slot,
                        bool expected_slow) {
    JudgeOptions options;
    options.seed = kSeed;
    options.slot = slot;
    Verdict verdict = judge(kit, answer, options);
    if (expected_slow || !deserves_another_try(verdict)) return verdict;
    const std::lock_guard alone(again_);
    options.patient = true;
    options.patience = 20;
    return judge(kit, answer, options);
  }

 private:
  std::mutex again_;
};

void expect_no_gain(const Attack& attack, const Verdict& verdict) {
  EXPECT_TRUE(may_end(attack, verdict.status))
      << "it ended: " << to_text(verdict.status);
  EXPECT_LE(verdict.points(), attack.earns_part ? verdict.of() - 1 : 0);
  for (const TestVerdict& test : verdict.tests) {
    EXPECT_FALSE(test.test.drawn && test.passed) << test.test.name;
    EXPECT_LE(test.message.size(), 10'000U) << test.test.name;
  }
  EXPECT_EQ(secret_in(verdict), "") << verdict.compiler_errors;
  EXPECT_LE(verdict.compiler_errors.size(), 10'000U);
  EXPECT_EQ(verdict.tier, "bubblewrap");
  // It can be written down, whatever text it holds.
  const auto again = parse_verdict(Json::parse(to_json(verdict).dump()));
  EXPECT_EQ(again, verdict);
}

/// Everybody judges in slots of their own: attacks in the first ones, and beside them
/// an honest answer again and again.
TEST_F(AttackTest, NoneGainsNoneHarmsAnotherAndNothingIsLeft) {
  const Kit& honest_kit = suite().kits.at("01");
  const std::string honest = solution_of(honest_kit.exercise);
  constexpr int kAttackers = 2;
  constexpr std::size_t kEach = 5;  // attacks to an honest answer beside them
  Court court;
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> done = false;
  std::mutex reporting;
  std::pair<double, std::string> slowest;

  const auto attack_in_slot = [&](int slot) {
    for (std::size_t i = next++; i < suite().attacks.size(); i = next++) {
      const Attack& attack = suite().attacks[i];
      const bool slow = may_end(attack, Status::Timeout);
      const Kit& kit = suite().kits.at(attack.exercise);
      const Verdict verdict =
          court.judge_in_slot(slow ? of_one_test(kit) : kit, attack.answer, slot, slow);
      const uid_t user = box_user(suite().tier, slot);
      const std::string left = user == 0 ? "" : processes_of(user);
      const std::lock_guard lock(reporting);
      SCOPED_TRACE(attack.file + ": " + attack.kind);
      expect_no_gain(attack, verdict);
      EXPECT_EQ(left, "") << "processes that are left";
      slowest = std::max(slowest, {verdict.wall_seconds, attack.file});
    }
  };
  std::thread beside([&] {
    for (std::size_t seen = 0; !done;) {
      if (next < seen + kEach) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        continue;
      }
      seen = next;
      const Verdict verdict =
          court.judge_in_slot(honest_kit, honest, kAttackers, false);
      const std::lock_guard lock(reporting);
      EXPECT_EQ(verdict.status, Status::Ok)
          << "beside "
          << suite().attacks[std::min(seen, suite().attacks.size()) - 1].file;
      EXPECT_EQ(verdict.points(), verdict.of());
    }
  });
  std::vector<std::thread> attackers;
  attackers.reserve(kAttackers);
  for (int slot = 0; slot < kAttackers; ++slot)
    attackers.emplace_back(attack_in_slot, slot);
  for (std::thread& attacker : attackers) attacker.join();
  done = true;
  beside.join();
  // To be read, not to be judged: it depends on what else the machine does.
  RecordProperty("slowest", slowest.second);
  RecordProperty("slowest_seconds", std::to_string(slowest.first));
  // Whatever fled from its parents would have become a child of ours.
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

/// The tests of an exercise and an answer in one process, as many graders do.
class OneProcess {
 public:
  explicit OneProcess(const Unit& exercise)
      : include_{"-I" + (kHere.root / "exercises" / exercise.folder()).string(),
                 "-I" + (kHere.root / "common").string()} {
    compile({"-c", (kHere.root / "exercises" / exercise.folder() / "test.cpp").string(),
             "-o", tests()});
  }

  Trial run(const std::string& answer) {
    const fs::path source = folder_ / "exercise.cpp";
    EXPECT_TRUE(write_file(source, answer));
    const std::string program = (folder_ / "tests").string();
    compile({source.string(), tests(), "-lgtest", "-lgtest_main", "-lpthread", "-o",
             program});
    return run_tests(program, /*timeout_seconds=*/60);
  }

 private:
  std::string tests() const { return (folder_ / "test.o").string(); }
  void compile(const std::vector<std::string>& arguments) const {
    std::vector<std::string> command = {"g++", "-std=c++20", "-O1", "-w"};
    command.insert(command.end(), include_.begin(), include_.end());
    command.insert(command.end(), arguments.begin(), arguments.end());
    const auto result = run_process(command);
    EXPECT_EQ(result.exit_code, 0) << result.output;
  }

  TemporaryFolder folder_;
  std::vector<std::string> include_;
};

/// Those that fool one of `whom`; not more than `most` in the short tier.
std::vector<Attack> that_fool(const std::vector<Attack>& attacks,
                              const std::set<std::string>& whom, std::size_t most) {
  std::vector<Attack> found;
  for (const Attack& attack : attacks) {
    const bool wanted = whom.count(attack.fools) > 0;
    if (wanted && (in_full_tier() || found.size() < most)) found.push_back(attack);
  }
  return found;
}

TEST_F(AttackTest, FoolsGradersThatRunTestsAndAnswerInOneProcess) {
  OneProcess grader({"01", "ticks"});
  // What it sees of an answer that is wrong.
  const Trial wrong = grader.run(
      derive_starter(
          read_file(kHere.root / "solutions/01_ticks/exercise.cpp").value_or(""))
          .value_or(""));
  ASSERT_EQ(wrong.process.exit_code, 1);
  const auto fooling = that_fool(suite().attacks, {"exit", "report"}, 4);
  ASSERT_GE(fooling.size(), 4U);
  for (const Attack& attack : fooling) {
    const Trial trial = grader.run(attack.answer);
    EXPECT_EQ(trial.process.exit_code, 0) << attack.file << trial.process.output;
    if (attack.fools != "report") continue;
    ASSERT_TRUE(trial.report) << attack.file;
    EXPECT_GT(trial.report->points_earned(), 0) << attack.file;
    EXPECT_EQ(trial.report->count(Outcome::Failed), 0) << attack.file;
  }
}

TEST_F(AttackTest, FoolsAGraderWithoutASandbox) {
  const auto fooling = that_fool(suite().attacks, {"unsafe"}, 2);
  ASSERT_GE(fooling.size(), 2U);
  JudgeOptions options;
  options.tier = Tier::Unsafe;
  options.seed = kSeed;
  options.patience = 20;
  for (const Attack& attack : fooling) {
    const Kit kit = of_one_test(suite().kits.at(attack.exercise));
    EXPECT_GT(judge(kit, attack.answer, options).points(), 0) << attack.file;
  }
}

}  // namespace
}  // namespace pipeline
