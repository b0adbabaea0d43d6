#include "grading/judge.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <string_view>

#include "classroom/process.hpp"
#include "grading/answer.hpp"

namespace pipeline {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostMessage = 4096;  // bytes

bool holds(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

bool says_no_memory(std::string_view text) {
  return holds(text, "std::bad_alloc") || holds(text, "Cannot allocate memory") ||
         holds(text, "memory exhausted") || holds(text, "out of memory");
}

/// Why a sandbox ended, where it should not have.
Status status_of(const BoxReport& box) {
  switch (box.ending) {
    case Ending::CpuLimit:
    case Ending::WallLimit:
      return Status::Timeout;
    case Ending::NotStarted:
    case Ending::Killed:
      return Status::GraderError;
    case Ending::Crashed:
      // Nobody but the kernel, short of memory, sends this one from outside.
      if (box.signal == SIGKILL) return Status::Memory;
      break;
    case Ending::Exited:
    case Ending::OutputLimit:
      break;
  }
  return says_no_memory(box.output) ? Status::Memory : Status::Crash;
}

std::string cut(std::string text) {
  if (text.size() > kMostMessage) {
    text.resize(kMostMessage);
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0x80U) != 0)
      text.pop_back();  // not in the middle of a character
    text += "…";
  }
  return text;
}

/// Without what GoogleTest says around an exception that came from no line of a test.
std::string plain(const std::string& message) {
  constexpr std::string_view kBefore =
      "unknown file\nC++ exception with description \"";
  constexpr std::string_view kAfter = "\" thrown in the test body.";
  const std::string_view text = message;
  const std::size_t end = text.rfind(kAfter);
  if (!text.starts_with(kBefore) || end == text.npos) return message;
  return std::string(text.substr(kBefore.size(), end - kBefore.size())) +
         std::string(text.substr(end + kAfter.size()));
}

/// What a test came to. Only what the tests' side reports can make it pass.
class TestJudge {
 public:
  TestJudge(const TestInfo& test, const AnswerRun& run) : run_(run) {
    verdict_.test = test;
    const TestCase* const found = run.report ? run.report->find(test.name) : nullptr;
    if (!all_started()) {
      stop(Status::GraderError, "the sandbox did not start");
    } else if (run.tests.ending == Ending::Killed) {
      stop(Status::GraderError, "grading was interrupted");
    } else if (run.tests.ending != Ending::Exited || found == nullptr) {
      judge_broken_off();
    } else {
      judge_case(*found);
    }
  }

  TestVerdict result() const { return verdict_; }

 private:
  bool all_started() const {
    return run_.tests.ending != Ending::NotStarted && !run_.workers.empty() &&
           std::none_of(run_.workers.begin(), run_.workers.end(),
                        [](const BoxReport& worker) {
                          return worker.ending == Ending::NotStarted;
                        });
  }

  void stop(Status why, std::string message) {
    verdict_.ended = why;
    verdict_.message = std::move(message);
  }

  /// The tests' side itself was ended or ended badly.
  void judge_broken_off() {
    const Status why = status_of(run_.tests);
    if (why == Status::Timeout) {
      stop(why, "no answer came in time");
    } else {
      stop(why,
           "the test could not work with what came back: a size or a number in it "
           "is none that can be");
    }
  }

  void judge_case(const TestCase& found) {
    verdict_.passed = found.outcome == Outcome::Passed && run_.tests.exit_code == 0;
    if (verdict_.passed) return;
    verdict_.message = cut(plain(found.message));
    if (is_cut_off(found)) {
      judge_worker();
    } else if (holds(found.message, "threw: std::bad_alloc")) {
      verdict_.ended = Status::Memory;
    }
  }

  /// The worst of the workers, and its last words. Of several, those that came to an
  /// end or that nobody had asked yet say nothing.
  void judge_worker() {
    for (const BoxReport& worker : run_.workers) {
      const bool ended =
          worker.ending == Ending::Killed || worker.ending == Ending::Exited;
      if (ended && run_.workers.size() > 1) continue;
      const Status why =
          worker.ending == Ending::Killed ? Status::Crash : status_of(worker);
      if (why < verdict_.ended) continue;
      verdict_.ended = why;
      if (!worker.output.empty())
        verdict_.message += "\nIts last words:\n" + worker.output;
    }
    if (verdict_.ended == Status::Timeout) verdict_.message += "\nIt ran for too long.";
    verdict_.message = cut(verdict_.message);
  }

  const AnswerRun& run_;
  TestVerdict verdict_;
};

/// One submission, from its text to its verdict.
class Judging {
 public:
  Judging(const Kit& kit, const JudgeOptions& options)
      : kit_(kit), options_(options), limits_(limits_of(options)) {
    verdict_.tier = to_text(options.tier);
  }

  Verdict run(std::string_view answer) {
    limits_.compiler.wall_seconds = within_budget(limits_.compiler.wall_seconds);
    const BuiltAnswer built =
        build_answer(kit_, answer, scratch_.path(), limits_.compiler, options_);
    verdict_.cpu_seconds += built.compiler.cpu_seconds;
    if (built.worker.empty()) {
      refuse_all(built.compiler);
    } else if (static_bytes(built.worker) >
               static_cast<double>(limits_.worker.memory_bytes)) {
      end_all(Status::Memory, "its global variables need more memory than there is");
    } else {
      verdict_.status = Status::Ok;
      for (const TestInfo& test : kit_.list) {
        if (!void_) run_test(test, built.worker);
      }
      if (void_) void_all();
    }
    verdict_.wall_seconds = spent();
    return std::move(verdict_);
  }

 private:
  double spent() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
  }
  double within_budget(double seconds) const {
    return std::min(seconds, limits_.all_seconds - spent());
  }

  /// There is nothing to run.
  void refuse_all(const BoxReport& compiler) {
    const Status why = status_of(compiler);
    verdict_.status = why == Status::Crash ? Status::Compile : why;
    verdict_.compiler_errors = short_errors(compiler.output);
    if (why == Status::Timeout)
      verdict_.compiler_errors =
          "The compiler took too long, and was stopped.\n" + verdict_.compiler_errors;
    end_all(verdict_.status, "");
  }

  void end_all(Status why, const std::string& message) {
    verdict_.status = why;
    for (const TestInfo& test : kit_.list)
      verdict_.tests.push_back({test, false, why, message});
  }

  void run_test(const TestInfo& test, const std::filesystem::path& worker) {
    constexpr double kLeast = 0.1;  // seconds: less is not worth a start
    JudgeLimits limits = limits_;
    limits.tests.wall_seconds = within_budget(limits.tests.wall_seconds);
    // The tests' side ends first, and says what it waited for.
    limits.worker.wall_seconds =
        limits.tests.wall_seconds + limits_.worker.wall_seconds;
    if (interrupted()) {
      add({test, false, Status::GraderError, "grading was interrupted"});
    } else if (limits.tests.wall_seconds < kLeast) {
      add({test, false, Status::Timeout,
           "not run: the tests before it used up all the time there was"});
    } else {
      const AnswerRun run =
          run_answer(kit_, worker, test.name, scratch_.path(), limits, options_);
      verdict_.cpu_seconds += run.tests.cpu_seconds;
      for (const BoxReport& each : run.workers)
        verdict_.cpu_seconds += each.cpu_seconds;
      add(TestJudge(test, run).result());
      const TestCase* const found = run.report ? run.report->find(test.name) : nullptr;
      void_ = void_ || (found != nullptr && found->voids_all);
    }
  }

  /// A test showed the answer to be wrong as a whole: what passed was luck, and what
  /// has not run need not.
  void void_all() {
    for (TestVerdict& verdict : verdict_.tests) {
      if (!verdict.passed) continue;
      verdict.passed = false;
      verdict.message = "It passed, but another failure takes all points.";
    }
    for (std::size_t i = verdict_.tests.size(); i < kit_.list.size(); ++i)
      verdict_.tests.push_back({kit_.list[i], false, Status::Ok,
                                "It did not run: another failure takes all points."});
  }

  void add(TestVerdict verdict) {
    verdict_.status = std::max(verdict_.status, verdict.ended);
    verdict_.tests.push_back(std::move(verdict));
  }

  const Kit& kit_;
  const JudgeOptions& options_;
  JudgeLimits limits_;
  Clock::time_point begin_ = Clock::now();
  TemporaryFolder scratch_;
  Verdict verdict_;
  bool void_ = false;
};

}  // namespace

Verdict judge(const Kit& kit, std::string_view answer, const JudgeOptions& options) {
  try {
    return Judging(kit, options).run(answer);
  } catch (const std::exception& fault) {  // such as a full disk
    Verdict verdict;
    verdict.status = Status::GraderError;
    verdict.tier = to_text(options.tier);
    verdict.notes = {fault.what()};
    for (const TestInfo& test : kit.list)
      verdict.tests.push_back({test, false, verdict.status, ""});
    return verdict;
  }
}

bool deserves_another_try(const Verdict& verdict) {
  return verdict.status == Status::Timeout &&
         verdict.cpu_seconds < 0.5 * verdict.wall_seconds;
}

}  // namespace pipeline
