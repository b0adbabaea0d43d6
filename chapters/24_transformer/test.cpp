#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "classroom/chapter_page.hpp"
#include "classroom/console.hpp"
#include "classroom/files.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

/// A model as small as it goes, trained for a moment: nine lines of the log, like the
/// whole training of the page.
const std::vector<std::string> kTiny = {
    "--width", "32", "--heads",   "4", "--blocks", "2",  "--context",  "16",
    "-m",      "4",  "--samples", "5", "--steps",  "16", "--generate", "30"};

/// The program, with checkpoints in a folder of each test.
class Chapter24 : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  ProcessResult run(std::vector<std::string> arguments,
                    std::vector<std::pair<std::string, std::string>> environment = {}) {
    arguments.insert(arguments.begin(), {CHAPTER_PROGRAM});
    environment.emplace_back("LC_ALL", "C.UTF-8");
    ProcessOptions options;
    options.environment = std::move(environment);
    options.timeout_seconds = 1800;
    return run_process(arguments, options);
  }
  ProcessResult run_tiny(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = kTiny;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  std::string in_folder(const std::string& name) const { return folder_ + "/" + name; }
  /// A file of the folder that holds `text`.
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(in_folder(name), std::ios::binary) << text;
    return in_folder(name);
  }

  std::string folder_ = testing::TempDir() + "/chapter_24_" +
                        testing::UnitTest::GetInstance()->current_test_info()->name() +
                        "_" + std::to_string(getpid());
};

/// Paragraphs are broken where the line ends.
std::string in_one_line(std::string output) {
  std::replace(output.begin(), output.end(), '\n', ' ');
  return output;
}

/// The word that follows `words` in a program's output, or nothing.
std::string word_after(const std::string& words, const std::string& output) {
  const std::string line = in_one_line(output);
  const std::size_t at = line.find(words);
  if (at == line.npos) return "";
  const std::size_t begin = at + words.size();
  return line.substr(begin, line.find_first_of(" .,", begin) - begin);
}

std::string digest_in(const std::string& output) {
  return word_after("Digest of the trained weights: ", output);
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST_F(Chapter24, PrintsWhatItsPageShows) {
  std::vector<std::string> arguments = {"--report", in_folder("report.json")};
  if (!takes_all_images()) {
    arguments.insert(arguments.end(), kTiny.begin(), kTiny.end());
  }
  arguments.insert(arguments.end(), {"--checkpoint", in_folder("kept")});
  const ProcessResult run = this->run(arguments);
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  ASSERT_EQ(run.exit_code, kGood) << run.output;
  EXPECT_EQ(complaint_about_page(CHAPTER_PAGE, "./workbook run 24", run.output,
                                 PageShows::Words),
            "");
  if (!takes_all_images()) return;
  const auto rows = rows_of(*read_file(in_folder("report.json")));
  ASSERT_EQ(rows.size(), 11U) << run.output;
  EXPECT_LE(rows[2].measured, 0.6) << rows[2].what;
  EXPECT_LE(rows[3].measured, 1.05) << rows[3].what;
}

TEST_F(Chapter24, TrainsTheSameWeightsOnEveryPipelineAndHoldsWhatItPredicts) {
  for (const auto& [schedule, p] :
       {std::pair{"1f1b", 2}, std::pair{"interleaved", 4}, std::pair{"zb-h1", 3},
        std::pair{"token-slices", 2}, std::pair{"gpipe", 1}}) {
    SCOPED_TRACE(schedule);
    const ProcessResult run = run_tiny({"--schedule", schedule, "-p", std::to_string(p),
                                        "--json", "--checkpoint", in_folder(schedule)});
    if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
    const std::vector<PrintedRow> rows = rows_of(run.output);
    ASSERT_EQ(rows.size(), 7U + 2U * static_cast<std::size_t>(p)) << run.output;
    EXPECT_EQ(rows[0].predicted, 10);
    EXPECT_EQ(rows[1].predicted, 1);
    for (std::size_t i = 0; i < rows.size() - 3; ++i) {
      if (i == 2 || i == 3) continue;  // nothing is learned in a moment
      EXPECT_EQ(rows[i].measured, rows[i].predicted) << rows[i].what;
    }
    EXPECT_LT(rows[2].measured, 1) << rows[2].what;
  }
}

TEST_F(Chapter24, LearnsAndNeverForgets) {
  const ProcessResult run =
      this->run({"--width", "32", "--heads", "2", "--blocks", "1", "--context", "16",
                 "--samples", "16", "--steps", "120", "--rate", "0.02", "--generate",
                 "0", "--json", "--checkpoint", in_folder("kept")});
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  const std::vector<PrintedRow> rows = rows_of(run.output);
  ASSERT_EQ(rows.size(), 11U) << run.output;
  EXPECT_LE(rows[2].measured, rows[2].predicted) << rows[2].what;
  EXPECT_LE(rows[3].measured, rows[3].predicted) << rows[3].what;
}

TEST_F(Chapter24, GoesOnFromACheckpointOnAnotherPipelineToTheSameWeights) {
  const std::string kept = in_folder("kept");
  const ProcessResult whole =
      run_tiny({"--schedule", "1f1b", "-p", "2", "--checkpoint", kept});
  if (whole.exit_code == kAbsent) GTEST_SKIP() << "not run: " << whole.output;
  ASSERT_EQ(names_in(kept),
            (std::vector<std::string>{"step-0000000012", "step-0000000016"}));
  const std::string digest = digest_in(whole.output);
  EXPECT_EQ(digest.size(), 16U) << whole.output;
  for (const auto& [schedule, p] : {std::pair{"zb-h1", "4"}, std::pair{"gpipe", "1"},
                                    std::pair{"interleaved", "3"}}) {
    fs::remove_all(kept + "/step-0000000016");
    const ProcessResult rest =
        run_tiny({"--schedule", schedule, "-p", p, "--checkpoint", kept});
    EXPECT_NE(in_one_line(rest.output).find(", from the checkpoint of step 12."),
              std::string::npos)
        << rest.output;
    EXPECT_EQ(digest_in(rest.output), digest) << schedule;
  }
}

TEST_F(Chapter24, SavesWhatItHasWhenInterrupted) {
  // Interrupted as soon as it has a checkpoint, long before the last step.
  std::string command = "\"$0\" \"$@\" --steps 1000000 --checkpoint " + folder_ +
                        "/kept & until ls " + folder_ +
                        "/kept/step-*0 2>/dev/null; do sleep 0.1; kill -0 $! || break; "
                        "done; kill -INT $!; wait $!";
  std::vector<std::string> arguments = {"bash", "-c", command, CHAPTER_PROGRAM};
  arguments.insert(arguments.end(), kTiny.begin(), kTiny.end() - 4);
  ProcessOptions options;
  options.timeout_seconds = 1800;
  const ProcessResult run = run_process(arguments, options);
  if (run.exit_code == kAbsent) GTEST_SKIP() << "not run: " << run.output;
  EXPECT_EQ(run.exit_code, kInterrupted) << run.output;
  const std::string step = word_after("interrupted after step ", run.output);
  ASSERT_TRUE(run.output.find(step + " of 1000000, saved in ") != std::string::npos)
      << run.output;
  ASSERT_NE(step, "") << run.output;
  EXPECT_GE(std::stoi(step), 100);
  EXPECT_TRUE(names_in(folder_ + "/kept").back().ends_with(step)) << run.output;
}

TEST_F(Chapter24, RefusesWhatItCannotTrainInOneLineAndOneMore) {
  const std::string text(5000, 'a');
  struct Refusal {
    std::vector<std::string> arguments;
    std::string says;
  };
  const std::vector<Refusal> refusals = {
      {{"--heads", "3"}, "a width of 256 does not divide into 3 heads"},
      {{"--context", "3"}, "--context '3' is less than 4"},
      {{"--blocks", "1", "-p", "64"}, "11 layers cannot be cut into 64 stages"},
      {{"--samples", "3"}, "3 windows of text are too few for 4 micro-batches"},
      {{"--rate", "nan"}, "--rate 'nan' is not a number of at least 0"},
      {{"--rate", "fast"}, "--rate 'fast' is not a number of at least 0"},
      {{"--steps", "0"}, "--steps '0' is less than 1"},
      {{"--schedule", "1b1f"}, "1b1f"},
      {{"--schedule", "pipedream"}, "pipedream"},
      {{"--schedule", "forward"}, "forward runs no backwards"},
      {{"--prompt", ""}, "--prompt is empty"},
      {{"--text", in_folder("missing")}, "missing cannot be read"},
      {{"--text", folder_}, "is not a file"},
      {{"--text", file("empty", "")}, "empty is empty"},
      {{"--text", file("tiny", "In the beginning")}, "has 16 bytes, too few"},
      {{"--text", file("binary", text + '\0' + text)}, "is not a text: its byte 5000"},
      {{"--text", file("good", text), "--checkpoint", in_folder("good")},
       "checkpoints cannot be kept in '"},
  };
  for (const Refusal& refusal : refusals) {
    const ProcessResult run = this->run(refusal.arguments);
    EXPECT_EQ(run.exit_code, kBadUsage) << refusal.says << ": " << run.output;
    EXPECT_NE(run.output.find(refusal.says), std::string::npos) << run.output;
    EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 2) << run.output;
  }
}

TEST_F(Chapter24, RefusesTheCheckpointOfAnotherModelAndKeepsIt) {
  const std::string kept = in_folder("kept");
  const ProcessResult first = run_tiny({"--checkpoint", kept});
  if (first.exit_code == kAbsent) GTEST_SKIP() << "not run: " << first.output;
  const auto names = names_in(kept);
  const ProcessResult other = run({"--checkpoint", kept});
  EXPECT_EQ(other.exit_code, kBadUsage);
  EXPECT_NE(other.output.find("is of another network"), std::string::npos)
      << other.output;
  EXPECT_EQ(names_in(kept), names);
}

TEST_F(Chapter24, NamesThePackagesOfATextThatIsNotThere) {
  const ProcessResult run = this->run({}, {{"PATH", "/nowhere"}});
  EXPECT_EQ(run.exit_code, kAbsent);
  EXPECT_NE(run.output.find("bible-kjv"), std::string::npos) << run.output;
}

}  // namespace
}  // namespace pipeline
