/// \file
/// Which named mistake of its exercise a failing answer has made: each of them is
/// judged like a submission, and an answer that fails the same tests with the same
/// words has made the same mistake.
///
///     mistakes/x.cpp ─► whole answer ─► judged ─► fails {A: "…", B: "…"}  ─┐
///     a student's                       judged ─► fails {A: "…", B: "…", C: "…"}
///                                                  └── x, and something else
///
/// What a test says holds the wrong value that came back, so that equal words are
/// strong evidence; a function that was never begun is not taken for a mistake, since
/// its tests speak as they do of the starter.
///
/// Where students write the tests, what is said of a wrong answer that got past them is
/// always the same: which of them got past is the evidence.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "classroom/workspace.hpp"
#include "grading/batch.hpp"
#include "grading/gradebook.hpp"
#include "schedule/error.hpp"

namespace pipeline {

/// The tests that an answer fails, by name.
using Failures = std::map<std::string, TestVerdict>;

/// Those of its tests that did not pass.
Failures failures_of(const Verdict& verdict);

/// How answers with a named mistake fail.
struct Signature {
  Mistake mistake;    ///< which one
  Failures failures;  ///< of an answer with that mistake and no other
};

/// What is known of an exercise's mistakes.
struct Misconceptions {
  std::vector<Signature> signatures;  ///< in the order of the mistakes
  Failures starter;                   ///< of an answer that nobody began
  bool of_tests = false;              ///< whether the answers are tests
  /// For the instructor: which mistakes cannot be told apart, and which were left out,
  /// and why. A sentence each.
  std::vector<std::string> notes;
};

/// Judges the starter and each of `mistakes` of the exercise, with everybody's seed and
/// by the same cache as submissions. Refuses an exercise without a solution, and where
/// it was stopped.
Expected<Misconceptions> learn_mistakes(const Workspace& at, const Unit& exercise,
                                        const std::vector<Mistake>& mistakes,
                                        const BatchOptions& options, const Cache& cache,
                                        const JudgeAnswer& judge);

/// The mistake whose failures `verdict` has (its file's name), or empty:
///
/// - each test that the mistake fails fails with the same words, and not all of them
///   with the starter's; of several such mistakes, the one that fails the most tests;
///   Where the answers are tests, no other test fails, and not all the starter fails;
/// - else, each fails, and the test meant for the mistake gives its diagnosis
///   (`Mistake::says`), which it gives for neither the starter nor another mistake.
///
/// Where two fail alike, the first. `same_inputs` says whether drawn inputs were those
/// of `known`; else what tests say of them is not compared.
std::string name_mistake(const Verdict& verdict, const Misconceptions& known,
                         bool same_inputs);

/// Names the mistake of each student who did not pass everything.
void attach_mistakes(Gradebook& gradebook, const Misconceptions& known);

}  // namespace pipeline
