#include "grading/similarity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "classroom/files.hpp"
#include "classroom/scratch_folder.hpp"
#include "classroom/starter.hpp"
#include "grading/whole_answer.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  const auto text = read_file(path);
  EXPECT_TRUE(text) << path;
  return text.value_or("");
}

/// An exercise, and answers to it that were written apart from one another.
struct Class {
  std::string number;
  std::string starter, solution;
  std::map<std::string, std::string> answers;
};

Class class_of(const std::string& number) {
  const fs::path root = WORKBOOK_ROOT;
  Class made;
  made.number = number;
  for (const auto& entry : fs::directory_iterator(root / "exercises")) {
    const std::string name = entry.path().filename();
    if (name.rfind(number + "_", 0) != 0) continue;
    const std::string marked = text_of(root / "solutions" / name / "exercise.cpp");
    made.starter = derive_starter(marked).value_or("");
    made.solution = without_marks(marked);
  }
  for (const auto& entry :
       fs::directory_iterator(root / "common" / "grading" / "written_apart")) {
    const std::string name = entry.path().stem();
    if (name.rfind(number + "_", 0) == 0) made.answers[name] = text_of(entry.path());
  }
  EXPECT_GE(made.answers.size(), 4U) << number;
  EXPECT_FALSE(made.starter.empty());
  return made;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Words that no student can give another name.
const std::set<std::string> kFixed = {"algorithm",
                                      "auto",
                                      "back",
                                      "begin",
                                      "bool",
                                      "break",
                                      "class",
                                      "clear",
                                      "const",
                                      "continue",
                                      "cstddef",
                                      "double",
                                      "else",
                                      "end",
                                      "exercise",
                                      "find",
                                      "first",
                                      "for",
                                      "forward_of",
                                      "backward_of",
                                      "forward_of_slice",
                                      "backward_of_slice",
                                      "hpp",
                                      "if",
                                      "include",
                                      "infinity",
                                      "insert",
                                      "int",
                                      "int32_t",
                                      "int64_t",
                                      "limits",
                                      "map",
                                      "max",
                                      "max_element",
                                      "min",
                                      "namespace",
                                      "numeric",
                                      "numeric_limits",
                                      "pair",
                                      "pipeline",
                                      "private",
                                      "public",
                                      "push_back",
                                      "return",
                                      "reverse",
                                      "second",
                                      "set",
                                      "size",
                                      "size_t",
                                      "sort",
                                      "static",
                                      "static_cast",
                                      "std",
                                      "struct",
                                      "utility",
                                      "vector",
                                      "warm_up",
                                      "while",
                                      "tick_count",
                                      "utilisation",
                                      "running_at",
                                      "most_in_flight",
                                      "one_f_one_b_row",
                                      "equal_slices",
                                      "pipeline_time",
                                      "token_slice_row",
                                      "best_slices"};

/// Other names, other comments, another layout, functions in the opposite order, and
/// small changes that every editor makes.
std::string disguised(const std::string& answer) {
  const auto functions = definitions_of(answer);
  std::string turned;
  std::size_t rest = answer.rfind('}');
  for (auto function = functions.rbegin(); function != functions.rend(); ++function) {
    turned += answer.substr(function->begin, rest - function->begin) + "\n";
    rest = function->begin;
  }
  turned = answer.substr(0, rest) + turned + "}\n";
  for (const auto& [from, to] : {std::pair{"const ", ""},
                                 {"; ++k)", "; k++)"},
                                 {"; ++i)", "; i++)"},
                                 {"; i++)", "; ++i)"}}) {
    const std::string_view old = from;
    for (std::size_t at = 0; (at = turned.find(old, at)) != turned.npos;) {
      turned.replace(at, old.size(), to);
    }
  }

  std::string out;
  for (std::size_t i = 0; i < turned.size();) {
    if (turned.compare(i, 2, "//") == 0) {
      i = turned.find('\n', i);
    } else if (is_word(turned[i])) {
      std::size_t end = i;
      while (end < turned.size() && is_word(turned[end])) ++end;
      const std::string word = turned.substr(i, end - i);
      const bool is_name = std::islower(static_cast<unsigned char>(word[0])) != 0;
      const bool is_other = is_name && kFixed.count(word) == 0;
      if (is_other) out += "my_";
      out += word;
      if (is_other) out += "_2";
      i = end;
    } else {
      const char c = turned[i++];
      if (c == ';') {
        out += " ;  // and so on\n\n";
      } else if (c == '\n' && (out.empty() || out[0] != '#')) {
        out += '\n';
      } else {
        out += c == '(' ? std::string(" ( ") : std::string(1, c);
      }
    }
  }
  return out;
}

Submission handed_in(const std::string& id, const std::string& answer) {
  return {.id = id, .name = id, .found = true, .answer = answer, .notes = {}};
}

/// The ids of the flagged pairs, in the report's order.
std::vector<std::string> flagged(const SimilarityReport& report) {
  std::vector<std::string> names;
  for (const AlikePair& pair : report.pairs) {
    names.push_back(report.answers[pair.left].id + " and " +
                    report.answers[pair.right].id);
  }
  return names;
}

std::vector<std::string> flagged(const Class& in, const std::vector<Submission>& handed,
                                 const std::string& solution = "") {
  return flagged(similarity(handed, in.starter, solution));
}

class Similarity : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Exercises, Similarity, testing::Values("01", "13", "19"));

TEST_P(Similarity, FlagsACopyInDisguise) {
  Class in = class_of(GetParam());
  in.answers["solution"] = in.solution;
  for (const auto& [name, answer] : in.answers) {
    const std::string copy = disguised(answer);
    ASSERT_NE(copy.find("my_"), copy.npos);
    const auto report =
        similarity({handed_in("a", answer), handed_in("b", copy)}, in.starter, "");
    ASSERT_EQ(flagged(report), std::vector<std::string>{"a and b"}) << name << copy;
    EXPECT_GE(report.pairs[0].left_share, 0.95) << name;
    EXPECT_GE(report.pairs[0].right_share, 0.95) << name;
  }
}

// Honest work may come out as the solution does, in other words: why a flag proves
// nothing. 13_f was not copied.
TEST_P(Similarity, FlagsNoneThatWereWrittenApartButOneThatIsTheSolution) {
  const Class in = class_of(GetParam());
  std::vector<Submission> handed;
  for (const auto& [name, answer] : in.answers)
    handed.push_back(handed_in(name, answer));
  EXPECT_EQ(flagged(in, handed), std::vector<std::string>{});
  std::vector<std::string> expected;
  if (in.number == "13") expected.push_back("13_f and " + std::string(kSolution));
  EXPECT_EQ(flagged(in, handed, in.solution), expected);
}

TEST_P(Similarity, FlagsACopyThatHidesAmongOtherLines) {
  const Class in = class_of(GetParam());
  const std::string& answer = in.answers.begin()->second;
  std::string padded = disguised(answer);
  for (int i = 0; i < 100; ++i) {
    padded += "int unused_" + std::to_string(i) + "(int a) { return a ^ " +
              std::to_string(i) + "; }\n";
  }
  EXPECT_EQ(flagged(in, {handed_in("a", answer), handed_in("b", padded)}),
            std::vector<std::string>{"a and b"});
}

TEST_P(Similarity, IsSilentOnStartersHoweverTheyAreCommented) {
  const Class in = class_of(GetParam());
  const auto report = similarity(
      {handed_in("a", in.starter), handed_in("b", in.starter),
       handed_in("c", "// mine\n" + in.starter + "// the end\n"), handed_in("d", "")},
      in.starter, in.solution);
  EXPECT_TRUE(report.pairs.empty());
  EXPECT_EQ(report.too_short, 4U);
}

TEST_P(Similarity, NamesWhoHasTheSolutionWithItAndNotWithOneAnother) {
  const Class in = class_of(GetParam());
  auto pairs =
      flagged(in,
              {handed_in("a", in.solution), handed_in("b", disguised(in.solution)),
               handed_in("c", in.solution)},
              in.solution);
  std::sort(pairs.begin(), pairs.end());
  EXPECT_EQ(pairs, (std::vector<std::string>{"a and (the workbook's solution)",
                                             "b and (the workbook's solution)",
                                             "c and (the workbook's solution)"}));
}

// A named mistake is the solution with another function in the place of one.
TEST(Similarity, NamesAnswersThatHoldMostOfTheSolutionOnce) {
  const fs::path folder = fs::path(WORKBOOK_ROOT) / "exercises" / "13_one_f_one_b";
  const Class in = class_of("13");
  std::vector<Submission> handed;
  for (const auto& entry : fs::directory_iterator(folder / "mistakes")) {
    const std::string name = entry.path().stem();
    const auto whole = whole_answer(
        text_of(fs::path(WORKBOOK_ROOT) / "solutions" / "13_one_f_one_b/exercise.cpp"),
        text_of(entry.path()));
    ASSERT_TRUE(whole) << name;
    handed.push_back(handed_in(name, *whole));
  }
  const auto pairs = flagged(in, handed, in.solution);
  // One of them has little left of the solution.
  EXPECT_EQ(pairs.size(), handed.size() - 1);
  for (const std::string& pair : pairs)
    EXPECT_TRUE(pair.ends_with(std::string(" and ") + std::string(kSolution))) << pair;
  EXPECT_EQ(std::set<std::string>(pairs.begin(), pairs.end()).size(), pairs.size());
}

// What two copies of the solution have in common beyond it says more than the rest.
TEST(Similarity, FlagsTheSameDetourFromTheSolution) {
  const Class in = class_of("13");
  std::string detour = in.solution;
  const std::string from = "return std::min(devices - stage, micro_batches);";
  detour.replace(detour.find(from), from.size(),
                 "std::int32_t most = 0; while (most < devices - stage && most < "
                 "micro_batches) most = most + 1; return most;");
  EXPECT_EQ(flagged(in,
                    {handed_in("a", detour), handed_in("b", disguised(detour)),
                     handed_in("c", in.solution)},
                    in.solution),
            (std::vector<std::string>{"a and b", "c and (the workbook's solution)",
                                      "a and (the workbook's solution)",
                                      "b and (the workbook's solution)"}));
}

TEST(Similarity, WantsALargerShareOfShortAnswers) {
  EXPECT_DOUBLE_EQ(threshold_of(0), 0.75);
  EXPECT_DOUBLE_EQ(threshold_of(150), 0.75);
  EXPECT_DOUBLE_EQ(threshold_of(200), 0.70);
  EXPECT_DOUBLE_EQ(threshold_of(300), 0.60);
  EXPECT_DOUBLE_EQ(threshold_of(5000), 0.60);
}

TEST(Similarity, IsTheSameInWhateverOrderTheyAreHandedIn) {
  const Class in = class_of("13");
  std::vector<Submission> handed;
  for (const auto& [name, answer] : in.answers) {
    handed.push_back(handed_in(name, answer));
    handed.push_back(handed_in(name + "_copy", disguised(answer)));
  }
  const auto pairs = flagged(in, handed, in.solution);
  std::reverse(handed.begin(), handed.end());
  EXPECT_EQ(flagged(in, handed, in.solution), pairs);
  EXPECT_EQ(pairs.size(), in.answers.size() + 2) << "13_f is like the solution";
}

TEST(Similarity, ComesToAnEndOnAClassOfHostileAnswers) {
  const Class in = class_of("13");
  std::vector<Submission> handed;
  for (int i = 0; i < 40; ++i) {
    std::string answer;
    const std::string piece = i % 4 == 0   ? "x = x;"
                              : i % 4 == 1 ? "<script>alert(1)</script>"
                              : i % 4 == 2
                                  ? "/* */ \" \xff\xfe"
                                  : "f(a[" + std::to_string(i) + "], b + c);\n";
    while (answer.size() < 1000000) answer += piece;
    handed.push_back(handed_in("<b>" + std::to_string(i), answer));
  }
  const auto report = similarity(handed, in.starter, in.solution);
  const ScratchFolder folder;
  ASSERT_TRUE(write_similarity(report, "13 <i>", folder.path()));
  const std::string page = text_of(folder / "similarity.html");
  EXPECT_LT(page.size(), std::size_t{20} << 20U);
  EXPECT_EQ(page.find("<script"), page.npos);
  EXPECT_EQ(page.find("<b>"), page.npos);
  EXPECT_EQ(page.find("<i>"), page.npos);
}

TEST(SimilarityPage, ShowsBothAnswersWithEqualNumbersOnWhatIsAlike) {
  const Class in = class_of("13");
  const std::string& answer = in.answers.at("13_c");
  const ScratchFolder folder;
  ASSERT_TRUE(write_similarity(similarity({handed_in("student-01", answer),
                                           handed_in("student-02", disguised(answer))},
                                          in.starter, in.solution),
                               "13 one f one b", folder.path()));
  const std::string page = text_of(folder / "similarity.html");
  const auto count = [&](const std::string& what) {
    std::size_t times = 0;
    for (std::size_t at = 0; (at = page.find(what, at)) != page.npos; ++at) ++times;
    return times;
  };
  EXPECT_EQ(count("<mark><sup>1</sup>"), 2U);
  EXPECT_GE(count("<mark>"), 6U) << "three functions";
  EXPECT_EQ(count("<mark>"), count("</mark>"));
  EXPECT_NE(page.find("in_flight &lt; limit &amp;&amp; next_forward"), page.npos);
  EXPECT_NE(page.find("not a proof"), page.npos);
  EXPECT_EQ(text_of(folder / "similarity.csv").substr(0, 70),
            "one,other,share_of_one,share_of_other,tokens\r\nstudent-01,student-02,1.");
}

TEST(SimilarityPage, NamesTheFirstPairsInATerminal) {
  const Class in = class_of("19");
  std::vector<Submission> handed;
  handed.reserve(4);
  for (int i = 0; i < 4; ++i) {
    handed.push_back(
        handed_in("student-0" + std::to_string(i), in.answers.begin()->second));
  }
  const std::string text =
      similarity_as_text(similarity(handed, in.starter, in.solution));
  EXPECT_NE(text.find("4 answers were compared; 6 pairs are much alike.\n"
                      "  100 %  student-00 and student-01\n"),
            text.npos)
      << text;
  EXPECT_NE(text.find("not a proof"), text.npos);
  EXPECT_EQ(similarity_as_text(similarity({}, in.starter, in.solution)), "");
}

}  // namespace
}  // namespace pipeline
