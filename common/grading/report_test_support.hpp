/// \file
/// Gradebooks to write reports of. Test code.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "grading/gradebook.hpp"

namespace pipeline::test {

inline TestInfo plain_test(std::string name, int points) {
  return {std::move(name), points, "", false, false};
}

/// Two tests that everybody may read, one whose inputs are drawn, one that is hidden.
inline Gradebook empty_class() {
  Gradebook gradebook;
  gradebook.exercise = {"01", "ticks"};
  gradebook.tests = {
      plain_test("TickCount.IsSixForThreeDevices", 1),
      plain_test("TickCount.IsWhatWalkingTakes", 2),
      {"Utilisation.CountsDrawnCells", 3, "", false, true},
      {"SecretSuite.RefusesZeroDevices", 4, "What if there is no device?", true, false},
  };
  gradebook.mistakes = {
      {"divides_by_one_device", "divides by one device's work", "", ""},
      {"last_micro_batch_dropped", "the last micro-batch is dropped", "", ""},
  };
  gradebook.tier = "bubblewrap";
  return gradebook;
}

/// A student whose tests passed where `passed` has a '+', and ended as its letter says:
/// '-' failed, 't' timeout, 'c' crash, 'm' memory.
inline Graded graded(const Gradebook& gradebook, const std::string& id, Status status,
                     const std::string& passed) {
  Graded student;
  student.submission.id = id;
  student.submission.name = id;
  student.submission.found = status != Status::Missing;
  student.verdict.status = status;
  student.verdict.tier = gradebook.tier;
  for (std::size_t i = 0; i < gradebook.tests.size(); ++i) {
    TestVerdict test;
    test.test = gradebook.tests[i];
    test.passed = passed[i] == '+';
    test.ended = passed[i] == 't'   ? Status::Timeout
                 : passed[i] == 'c' ? Status::Crash
                 : passed[i] == 'm' ? Status::Memory
                                    : Status::Ok;
    if (passed[i] == '-' && status == Status::Ok) {
      test.message = "/home/grader/test.cpp:57\nExpected 6, came 5 in " +
                     gradebook.tests[i].name + ".";
    }
    student.verdict.tests.push_back(std::move(test));
  }
  return student;
}

/// A student of every status.
inline Gradebook example_class() {
  Gradebook gradebook = empty_class();
  const auto add = [&](const std::string& id, Status status,
                       const std::string& passed) -> Graded& {
    return gradebook.students.emplace_back(graded(gradebook, id, status, passed));
  };
  add("student-01", Status::Ok, "++++").submission.name = "Student One";
  Graded& second = add("student-02", Status::Ok, "+---");
  second.submission.late_days = 2.5;
  second.submission.notes = {"test.cpp was edited: ours was used"};
  second.verdict.mistake = "last_micro_batch_dropped";
  second.verdict.cpu_seconds = 0.25;
  second.verdict.wall_seconds = 0.5;
  add("student-03", Status::Compile, "----").verdict.compiler_errors =
      "exercise.cpp:4:10: error: expected ';' before '}' token";
  add("student-04", Status::Timeout, "+t+-");
  add("student-05", Status::Crash, "+cc+");
  add("student-06", Status::Memory, "m+++");
  add("student-07", Status::Missing, "----");
  add("student-08", Status::GraderError, "----");
  return gradebook;
}

/// Texts that try to break out of their place in some format, or to mislead the eye.
inline std::vector<std::string> hostile_texts() {
  using namespace std::string_literals;
  return {
      "<script>alert(1)</script>",
      "</pre></td></table><img src=x onerror=alert(1)>",
      "]]></failure></testcase><testcase name=\"forged\"/>",
      "\" onmouseover=\"alert(1)\" '",
      "&lt;script&gt; &amp; &#60;",
      "=HYPERLINK(\"http://example.org\",\"10\")",
      "+1",
      "-1+cmd|' /C calc'!A0",
      "@SUM(A1:A9)",
      "\t=1",
      "a,b;c\td\"e\"\r\nf\ng",
      "nothing\0hidden"s,
      "\x1B[2J\x1B[32mpassed\x1B[0m\x07\x08",
      "student\u202E10-tneduts\u2066\u2069\u200F",
      "latin-1 \xE9, cut off \xE2\x82",
      "\xEF\xBF\xBE\xED\xA0\x80",
      "../../../etc/passwd",
      ".",
      "שלום, پانته‌آ, 𝄞",
      "{\"score\": 10, \"visibility\": \"visible\"}",
      "-->",
      "<!--",
      std::string(300, 'x'),
  };
}

/// Each hostile text as somebody's id and name, in notes, and by turns in messages and
/// compiler errors; two of those are a million bytes long.
inline Gradebook hostile_class() {
  Gradebook gradebook = empty_class();
  for (const std::string& text : hostile_texts()) {
    const bool compiles = gradebook.students.size() % 2 == 0;
    Graded& student = gradebook.students.emplace_back(
        graded(gradebook, text, compiles ? Status::Ok : Status::Compile,
               compiles ? "-+--" : "----"));
    student.submission.notes = {text};
    student.verdict.notes = {"was edited: " + text};
    student.verdict.mistake = text;
    if (!compiles) student.verdict.compiler_errors = text;
    for (TestVerdict& test : student.verdict.tests) test.message += text;
  }
  std::string flood;
  for (int i = 0; i < 1 << 18; ++i) flood += "<b>\n";
  gradebook.students[0].verdict.tests[0].message += flood;
  gradebook.students[1].verdict.compiler_errors += flood;
  return gradebook;
}

}  // namespace pipeline::test
