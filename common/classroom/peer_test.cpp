// The comparison with PyTorch without PyTorch: interpreters that only pretend, and our
// own side of it.
#include "classroom/peer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "classroom/console.hpp"
#include "classroom/files.hpp"
#include "classroom/json.hpp"
#include "classroom/scratch_folder.hpp"
#include "classroom/workbook_test_support.hpp"

namespace pipeline {
namespace {

/// An interpreter that does what a shell script says; "$1" is what it would interpret.
class Pretended {
 public:
  explicit Pretended(const std::string& script) {
    EXPECT_TRUE(write_file(path(), "#!/bin/sh\n" + script));
    std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
  }
  std::string path() const { return folder_ / "python"; }
  PeerSetup setup() const { return {path(), folder_.path(), folder_ / "trainer"}; }

 private:
  ScratchFolder folder_;
};

constexpr const char* kGoodReport =
    R"({"ours": 5000, "theirs": 4000, "ratio": 1.25, "first_gap": 1e-7,
        "largest_gap": 0.002, "steps": 480})";

/// Writes `report` where compare.py is told to: after --output.
std::string writing(const std::string& report) {
  return "while [ \"$1\" != --output ]; do shift; done\ncat >\"$2\" <<'END'\n" +
         report + "\nEND\n";
}

PeerRow good_row() { return read_contest(*find_peer_contest("mlp"), kGoodReport); }

TEST(PeerProbe, NamesTheVersionOfPyTorch) {
  const Pretended python("echo 9.8.7");
  EXPECT_EQ(probe_torch(python.setup()).value_or("none"), "9.8.7");
}

TEST(PeerProbe, RefusesAsAbsentAnInterpreterThatCannotImportPyTorch) {
  const Pretended python(
      "echo 'Traceback (most recent call last):' >&2\n"
      "echo \"ModuleNotFoundError: No module named 'torch'\" >&2\nexit 1");
  const auto refused = probe_torch(python.setup());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::Absent);
  EXPECT_NE(refused.error().what.find("No module named 'torch'"), std::string::npos)
      << refused.error().what;
}

TEST(PeerCommand, EndsWith3AndSaysWhatToInstallWithoutPyTorch) {
  const Pretended python("echo 'no torch' >&2; exit 1");
  const auto result = test::workbook({"bench", "--peer", "--python", python.path()});
  EXPECT_EQ(result.exit_code, kAbsent) << result.output;
  EXPECT_NE(result.output.find("pip install torch"), std::string::npos);
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 2)
      << result.output;
}

TEST(PeerCommand, EndsWith3WhereThereIsNoSuchInterpreter) {
  const auto result = test::workbook({"bench", "--peer", "--python", "no-such-python"});
  EXPECT_EQ(result.exit_code, kAbsent) << result.output;
  EXPECT_NE(result.output.find("no program 'no-such-python'"), std::string::npos)
      << result.output;
}

TEST(PeerCommand, KnowsWhichContestsThereAre) {
  test::expect_refusal({{"bench", "--peer", "nothing"}, "called 'nothing'"});
  test::expect_refusal({{"bench", "--python", "python3"}, "--python"});
}

TEST(PeerContest, ReadsWhatTheComparisonWrote) {
  const Pretended python(writing(kGoodReport));
  const PeerRow row = run_contest(python.setup(), *find_peer_contest("mlp"));
  EXPECT_EQ(row.error, "");
  EXPECT_EQ(row.name, "mlp");
  EXPECT_EQ(row.unit, "images");
  EXPECT_DOUBLE_EQ(row.ours, 5000);
  EXPECT_DOUBLE_EQ(row.theirs, 4000);
  EXPECT_DOUBLE_EQ(row.ratio, 1.25);
  EXPECT_EQ(row.steps, 480);
  EXPECT_FALSE(row.misses());
}

TEST(PeerContest, SaysWhyThereIsNothing) {
  const PeerContest& contest = *find_peer_contest("mlp");
  const Pretended crashes("exit 9");
  EXPECT_EQ(run_contest(crashes.setup(), contest).error, "ended with exit code 9");
  const Pretended writes_nothing("exit 0");
  EXPECT_NE(run_contest(writes_nothing.setup(), contest).error, "");
  const Pretended writes_less(writing(R"({"ours": 1})"));
  EXPECT_EQ(run_contest(writes_less.setup(), contest).error, "left no readable report");
  EXPECT_TRUE(run_contest(writes_less.setup(), contest).misses());
}

TEST(PeerRow, MissesWhenTooSlowOrWhenTheLossesAreNotThoseOfPyTorch) {
  PeerRow row = good_row();
  row.ratio = 0.99;
  EXPECT_TRUE(row.misses());
  row = good_row();
  row.largest_gap = 0.011;
  EXPECT_TRUE(row.misses());
  row.largest_gap = std::nan("");
  EXPECT_TRUE(row.misses());
}

TEST(PeerReport, IsATableWithinEightyColumnsAndTheSameAsJson) {
  PeerRow slow = good_row();
  slow.name = "interleaved";
  slow.ratio = 0.5;
  const PeerReport report = {"9.8.7", {good_row(), slow}};
  const std::string text = peer_as_text(report);
  EXPECT_NE(text.find("PyTorch 9.8.7"), std::string::npos);
  EXPECT_NE(text.find("0.2 %"), std::string::npos) << text;
  EXPECT_NE(text.find("MISSED"), std::string::npos) << text;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    EXPECT_LE(end - at, 80U) << text;
    at = end + 1;
  }
  const Json json = parse_json(peer_as_json(report));
  EXPECT_EQ(json["torch"], "9.8.7");
  ASSERT_EQ(json["contests"].size(), 2U);
  EXPECT_EQ(json["contests"][0]["ratio"], 1.25);
  EXPECT_EQ(json["contests"][0]["ok"], true);
  EXPECT_EQ(json["contests"][1]["ok"], false);
}

TEST(PeerContests, HaveNamesOfTheirOwnAndWholeMicroBatches) {
  std::vector<std::string_view> names;
  for (const PeerContest& contest : peer_contests()) {
    EXPECT_EQ(find_peer_contest(contest.name)->name, contest.name);
    EXPECT_EQ(contest.samples % contest.micro_batches, 0) << contest.name;
    EXPECT_GE(contest.wanted, 1) << contest.name;
    names.push_back(contest.name);
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
  EXPECT_EQ(find_peer_contest("mlpp"), nullptr);
}

}  // namespace
}  // namespace pipeline
