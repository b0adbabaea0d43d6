// exercises_test ROOT BUILD: a GoogleTest program whose cases are made from the
// exercises that it finds in ROOT; the programs that it runs stand in BUILD/exercises.
// Nothing in it judges what a student wrote: that is what `check` is for.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

#include "classroom/catalogue.hpp"
#include "classroom/files.hpp"
#include "classroom/gpus.hpp"
#include "classroom/made_test.hpp"
#include "classroom/proof.hpp"
#include "classroom/starter.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;
constexpr double kTimeout = 60;
constexpr std::size_t kFewestMistakes = 3;

void add(const Unit& exercise, const std::string& name, std::function<void()> body) {
  register_test("Exercise" + exercise.number, name, std::move(body));
}

/// In CI the committed file must be the starter. Elsewhere it belongs to the student,
/// who may well have solved it, and committed that: then nothing is claimed about it.
void expect_starter_committed(const fs::path& root, const Unit& exercise) {
  const auto solution =
      read_file(root / "solutions" / exercise.folder() / "exercise.cpp");
  ASSERT_TRUE(solution) << solution.error().what;
  const auto starter = derive_starter(*solution);
  ASSERT_TRUE(starter) << starter.error().what;
  const auto file = read_file(root / "exercises" / exercise.folder() / "exercise.cpp");
  ASSERT_TRUE(file) << file.error().what;
  if (*file != *starter && std::getenv("CI") == nullptr) {
    GTEST_SKIP() << "you have begun exercise " << exercise.number
                 << ": `check` judges it";
  }
  EXPECT_EQ(*file, *starter) << "exercises/" << exercise.folder()
                             << "/exercise.cpp is not the solution's starter.\n"
                             << "Run: ./workbook reset " << exercise.number;
}

/// Whether the programs of an exercise need a GPU that is not here: in a cuda build
/// those in Thrust do.
bool lacks_gpu(const fs::path& root, const fs::path& build, const Unit& exercise) {
  const auto cache = read_file(build / "CMakeCache.txt");
  const auto solution =
      read_file(root / "solutions" / exercise.folder() / "exercise.cpp");
  return cache && solution &&
         cache->find("WORKBOOK_BACKEND:STRING=cuda") != std::string::npos &&
         solution->find("#include <thrust/") != std::string::npos && count_gpus() == 0;
}

void add_cases(const fs::path& root, const fs::path& build, const Unit& exercise) {
  const std::string programs = (build / "exercises").string();
  const std::string number = exercise.number;
  if (lacks_gpu(root, build, exercise)) {
    add(exercise, "RunsOnAGpu", [] { GTEST_SKIP() << "not run: no GPU here"; });
    return;
  }
  add(exercise, "TheStarterCompilesAndFails", [=] {
    EXPECT_EQ(complaint_about_starter(
                  run_tests(programs + "/ex" + number + "_starter", kTimeout)),
              "");
  });
  add(exercise, "TheSolutionPasses", [=] {
    EXPECT_EQ(complaint_about_solution(run_tests(programs + "/sol" + number, kTimeout)),
              "");
  });
  const auto mistakes = list_mistakes(root / "exercises" / exercise.folder());
  add(exercise, "NamesAtLeastThreeMistakes", [=] {
    ASSERT_TRUE(mistakes) << mistakes.error().what << "\n" << mistakes.error().remedy;
    EXPECT_GE(mistakes->size(), kFewestMistakes);
  });
  if (mistakes) {
    for (const Mistake& mistake : *mistakes) {
      add(exercise, "FindsTheMistake_" + mistake.file, [=] {
        std::string program = programs;
        program.append("/ex").append(number).append("_mistake_").append(mistake.file);
        EXPECT_EQ(complaint_about_mistake(mistake, run_tests(program, kTimeout)), "")
            << "mistake: " << mistake.name;
      });
    }
  }
  add(exercise, "CommitsTheStarter", [=] { expect_starter_committed(root, exercise); });
  add(exercise, "HasHints", [=] {
    const auto readme = read_file(root / "exercises" / exercise.folder() / "README.md");
    ASSERT_TRUE(readme) << readme.error().what;
    EXPECT_GE(parse_hints(*readme).size(), 2U) << "list items under `## Hints`";
  });
}

}  // namespace
}  // namespace pipeline

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 3) {
    std::fputs("usage: exercises_test ROOT BUILD\n", stderr);
    return 2;
  }
  for (const pipeline::Unit& exercise : pipeline::list_units(argv[1], "exercises")) {
    pipeline::add_cases(argv[1], argv[2], exercise);
  }
  return RUN_ALL_TESTS();
}
