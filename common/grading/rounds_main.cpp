// The tests of a test: the GoogleTest program that judges what a student wrote in an
// exercise NNt. One case puts it to the solution of exercise NN, and one to each of
// that exercise's named mistakes. See round.hpp.
//
// Where `./workbook grade` runs it, fresh workers are connected to its descriptors from
// 3 on. At home it is called like a worker that stands beside it, PROGRAM_worker, and
// starts that itself. In either place the folder STAND_INS is beside it: the answers
// that stand in, and mistakes/, which says what they are.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "classroom/catalogue.hpp"
#include "classroom/made_test.hpp"
#include "classroom/points.hpp"
#include "grading/round.hpp"
#include "grading/wire.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

const char* const kSolution = "solution";

struct Place {
  fs::path worker;  ///< empty: workers are connected already
  fs::path stand_ins;
};

Place place_of(const fs::path& program) {
  Place place = {program.string() + "_worker", program.parent_path() / STAND_INS};
  if (!fs::exists(place.worker)) place.worker.clear();
  return place;
}

/// Fresh workers for one case.
class Workers {
 public:
  /// `program` is the worker to start; empty: they are connected already.
  explicit Workers(const fs::path& program) {
    for (int i = 0; i < kWorkersInCase; ++i) {
      if (!program.empty()) started_.emplace_back(program);
      sockets_.push_back(program.empty() ? kSocket + i : started_.back().socket());
    }
  }

  int socket(std::size_t i) const { return sockets_[i]; }

 private:
  std::deque<Connected> started_;
  std::vector<int> sockets_;
};

/// Which answer stands in for which worker: a mistake (if any) for one of them, and the
/// solution for the others, so that who guesses mostly rejects the solution. Not drawn
/// from a seed, which somebody might know; what a sound test says does not depend on
/// it.
std::vector<std::string> drawn_lineup(const std::string& mistake) {
  std::vector<std::string> lineup(kWorkersInCase, kSolution);
  if (!mistake.empty()) lineup.front() = mistake;
  std::shuffle(lineup.begin(), lineup.end(), std::random_device());
  return lineup;
}

/// Why these tests are none, or nothing.
std::string complaint_about_round(const Round& round) {
  if (!round.ended) {
    return "Your tests " + std::string(kNoEnd) +
           ". Does one of them crash, or wait for "
           "ever? ASSERT how long a row is before you look into it.";
  }
  if (round.ran == 0) return "Your file holds no TEST that runs.";
  if (round.calls == 0) return "Your tests call none of the functions.";
  return "";
}

/// Once the solution was rejected there is nothing more to find out: at home, where all
/// cases run in one process, the others say so at once.
bool solution_rejected = false;

void judge_solution_round(const Round& round) {
  const std::string complaint = complaint_about_round(round);
  if (complaint.empty() && round.accepted()) return;
  solution_rejected = true;
  VOIDS_ALL();
  if (!complaint.empty()) FAIL() << "Put to the solution: " << complaint;
  FAIL() << "Your tests reject the solution: " << round.failed << " of " << round.ran
         << " fail. So they ask for something that the contract does not promise. The "
            "first one says:\n"
         << round.said;
}

void judge_mistake_round(const Round& round, const std::string& name) {
  const std::string complaint = complaint_about_round(round);
  if (!complaint.empty())
    FAIL() << "Put to the mistake \"" << name << "\": " << complaint;
  if (round.accepted()) {
    FAIL() << "Your tests pass, although this is wrong: " << name
           << ". Which call would show it?";
  }
}

/// One case. `mistake` is a file's name, or empty: then only the solution stands in.
void judge_case(const Place& place, const std::string& mistake,
                const std::string& name) {
  if (solution_rejected)
    FAIL() << "Your tests must accept the solution before they can catch a mistake.";
  const std::vector<std::string> lineup = drawn_lineup(mistake);
  const Workers workers(place.worker);
  // All are up before the first call, so that no worker sees one start.
  std::deque<StandIn> stand_ins;
  for (const std::string& answer : lineup)
    stand_ins.emplace_back(place.stand_ins / answer);
  for (std::size_t i = 0; i < lineup.size(); ++i) {
    const Round round = play_round(workers.socket(i), stand_ins[i]);
    if (lineup[i] == kSolution) {
      judge_solution_round(round);
    } else {
      judge_mistake_round(round, name);
    }
    if (testing::Test::HasFailure()) return;
  }
}

/// "mean_of_means" as "MeanOfMeans".
std::string camel_case(const std::string& file) {
  std::string result;
  bool begins = true;
  for (const char c : file) {
    if (c != '_') result += begins ? static_cast<char>(std::toupper(c)) : c;
    begins = c == '_';
  }
  return result;
}

/// Returns false where the mistakes cannot be read.
bool register_cases(const Place& place) {
  const auto mistakes = list_mistakes(place.stand_ins);
  if (!mistakes) {
    std::fprintf(stderr, "%s\n%s\n", mistakes.error().what.c_str(),
                 mistakes.error().remedy.c_str());
    return false;
  }
  register_test("Accepts", "TheSolution", [=] { judge_case(place, "", ""); });
  for (const Mistake& mistake : *mistakes) {
    register_test("Catches", camel_case(mistake.file), [=] {
      POINTS(1);
      judge_case(place, mistake.file, mistake.name);
    });
  }
  return true;
}

bool all_connected() {
  for (int i = 0; i < kWorkersInCase; ++i) {
    int type = 0;
    socklen_t size = sizeof type;
    if (getsockopt(kSocket + i, SOL_SOCKET, SO_TYPE, &type, &size) != 0) return false;
  }
  return true;
}

}  // namespace
}  // namespace pipeline

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const pipeline::Place place = pipeline::place_of(argv[0]);
  if (place.worker.empty() && !GTEST_FLAG_GET(list_tests) &&
      !pipeline::all_connected()) {
    std::fputs(
        "No workers are connected to descriptor 3 and on: ./workbook grade "
        "does that.\n",
        stderr);
    return 2;
  }
  return pipeline::register_cases(place) ? RUN_ALL_TESTS() : 2;
}
