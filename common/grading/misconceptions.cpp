#include "grading/misconceptions.hpp"

#include <algorithm>
#include <utility>

#include "classroom/files.hpp"
#include "classroom/progress.hpp"
#include "classroom/starter.hpp"
#include "grading/whole_answer.hpp"

namespace pipeline {
namespace {

/// Whether a test came to the same in two answers.
bool alike(const TestVerdict& a, const TestVerdict& b, bool same_inputs) {
  if (a.ended != b.ended) return false;
  // What a worker says that crashed is chance, and so are words on other inputs.
  if (a.ended != Status::Ok || (a.test.drawn && !same_inputs)) return true;
  return a.message == b.message;
}

/// How many of `some` are in `all` and alike there.
std::size_t shared(const Failures& some, const Failures& all, bool same_inputs) {
  return static_cast<std::size_t>(
      std::count_if(some.begin(), some.end(), [&](const auto& failure) {
        const auto found = all.find(failure.first);
        return found != all.end() && alike(failure.second, found->second, same_inputs);
      }));
}

bool contains(const Failures& all, const Failures& some) {
  return std::all_of(some.begin(), some.end(), [&](const auto& failure) {
    return all.count(failure.first) != 0;
  });
}

bool says(const Failures& failures, const Mistake& mistake) {
  const auto found = failures.find(mistake.fails);
  return found != failures.end() &&
         found->second.message.find(mistake.says) != std::string::npos;
}

/// Whether its diagnosis is given for no other answer that we know.
bool is_only_one_to_say(const Signature& signature, const Misconceptions& known) {
  if (says(known.starter, signature.mistake)) return false;
  return std::count_if(known.signatures.begin(), known.signatures.end(),
                       [&](const Signature& other) {
                         return says(other.failures, signature.mistake);
                       }) == 1;
}

/// The one with the most failures of those that `fits`; the first of several.
template <typename Fits>
std::string best(const Misconceptions& known, const Fits& fits) {
  const Signature* found = nullptr;
  for (const Signature& signature : known.signatures) {
    if (signature.failures.empty() || !fits(signature)) continue;
    if (found == nullptr || signature.failures.size() > found->failures.size()) {
      found = &signature;
    }
  }
  return found == nullptr ? "" : found->mistake.file;
}

std::string text_of_mistake(const Workspace& at, const Unit& exercise,
                            const Mistake& mistake) {
  return read_file(at.root / "exercises" / exercise.folder() / "mistakes" /
                   (mistake.file + ".cpp"))
      .value_or("");
}

Submission answer_of(const std::string& id, std::string text) {
  Submission submission;
  submission.id = id;
  submission.name = id;
  submission.found = true;
  submission.answer = std::move(text);
  return submission;
}

/// Whether nothing tells an answer with the mistake from one that nobody began.
bool is_as_unbegun(const Signature& signature, const Misconceptions& known,
                   bool same_inputs) {
  const std::size_t all = signature.failures.size();
  return shared(signature.failures, known.starter, same_inputs) == all &&
         (!known.of_tests || known.starter.size() == all);
}

void note_unbegun(Misconceptions& known) {
  for (const Signature& signature : known.signatures) {
    if (!is_as_unbegun(signature, known, /*same_inputs=*/true)) continue;
    known.notes.push_back("the mistake " + signature.mistake.file +
                          " fails as an answer does that nobody began: it is named for "
                          "nobody by its failures alone");
  }
}

void note_twins(Misconceptions& known) {
  const auto& all = known.signatures;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      const Failures& one = all[i].failures;
      if (one.size() != all[k].failures.size() ||
          shared(one, all[k].failures, /*same_inputs=*/true) != one.size()) {
        continue;
      }
      known.notes.push_back("the mistakes " + all[i].mistake.file + " and " +
                            all[k].mistake.file + " fail alike: both are counted as " +
                            all[i].mistake.file);
    }
  }
}

}  // namespace

Failures failures_of(const Verdict& verdict) {
  Failures failures;
  for (const TestVerdict& test : verdict.tests) {
    if (!test.passed) failures.emplace(test.test.name, test);
  }
  return failures;
}

Expected<Misconceptions> learn_mistakes(const Workspace& at, const Unit& exercise,
                                        const std::vector<Mistake>& mistakes,
                                        const BatchOptions& options, const Cache& cache,
                                        const JudgeAnswer& judge) {
  Misconceptions known;
  known.of_tests = exercise.writes_tests();
  if (mistakes.empty()) return known;
  const auto solution = read_file(solution_path(at, exercise));
  if (!solution) return tl::unexpected(solution.error());
  auto starter = derive_starter(*solution);
  if (!starter) return tl::unexpected(starter.error());

  std::vector<Submission> answers;
  std::vector<const Mistake*> judged;  // behind the starter
  answers.push_back(answer_of("the starter", std::move(*starter)));
  for (const Mistake& mistake : mistakes) {
    auto whole = whole_answer(*solution, text_of_mistake(at, exercise, mistake));
    if (!whole) {
      known.notes.push_back("the mistake " + mistake.file +
                            " is looked for in nobody's answer: " + whole.error().what);
      continue;
    }
    answers.push_back(answer_of(mistake.file, std::move(*whole)));
    judged.push_back(&mistake);
  }
  BatchOptions for_all = options;
  for_all.per_student = false;
  const Batch batch = grade_all(answers, for_all, cache, judge);
  if (!batch.whole) {
    return absent("it was interrupted while the named mistakes were judged",
                  "The same command goes on from there.");
  }
  known.starter = failures_of(batch.verdicts.front());
  for (std::size_t i = 0; i < judged.size(); ++i) {
    const Verdict& verdict = batch.verdicts[i + 1];
    Failures failures = failures_of(verdict);
    if (verdict.status == Status::Compile || verdict.status == Status::GraderError ||
        failures.empty()) {
      known.notes.push_back("the mistake " + judged[i]->file +
                            " is looked for in nobody's answer: judging it came to '" +
                            std::string(to_text(verdict.status)) + "'");
      continue;
    }
    known.signatures.push_back({*judged[i], std::move(failures)});
  }
  note_twins(known);
  note_unbegun(known);
  return known;
}

std::string name_mistake(const Verdict& verdict, const Misconceptions& known,
                         bool same_inputs) {
  const Failures failures = failures_of(verdict);
  std::string named = best(known, [&](const Signature& signature) {
    const std::size_t all = signature.failures.size();
    return shared(signature.failures, failures, same_inputs) == all &&
           (!known.of_tests || failures.size() == all) &&
           !is_as_unbegun(signature, known, same_inputs);
  });
  if (!named.empty()) return named;
  return best(known, [&](const Signature& signature) {
    return contains(failures, signature.failures) &&
           says(failures, signature.mistake) && is_only_one_to_say(signature, known);
  });
}

void attach_mistakes(Gradebook& gradebook, const Misconceptions& known) {
  for (Graded& graded : gradebook.students) {
    Verdict& verdict = graded.verdict;
    const bool ran = verdict.status != Status::Compile &&
                     verdict.status != Status::Missing &&
                     verdict.status != Status::GraderError;
    verdict.mistake =
        ran ? name_mistake(verdict, known, !gradebook.per_student) : std::string();
  }
}

}  // namespace pipeline
