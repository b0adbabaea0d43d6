/// \file
/// Grading a test that a student wrote. The roles at the wire are swapped: what runs in
/// the sandbox are the student's TESTs, and they call. Who answers is ours: the
/// solution, or the solution with a named mistake in it.
///
///     worker (in a sandbox)            exNNt_grade                 stand-in
///     student's TESTs ─ proxy ══ calls ═══► counts them ═══► solution or mistake
///                     main() ══ verdict ══► is it right?
///
/// One worker sees one answer: its round. In a case, some workers that know nothing of
/// each other get the solution and one of them a mistake, in an order that nobody
/// knows, so that nothing but calls tells a worker which answer it has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "grading/connected.hpp"

namespace pipeline {

/// How many workers a case is given, at descriptors from `kSocket` on.
inline constexpr int kWorkersInCase = 4;

/// The function number by which a worker says what its tests came to: how many ran, how
/// many of these failed, and what the first failure said.
inline constexpr std::uint16_t kTestsVerdict = 0xFFFF;
/// The longest text of a failure that is passed on.
inline constexpr std::size_t kMostSaid = 1000;

/// What is said of tests that did not say what they came to.
inline constexpr const char* kNoEnd = "did not come to an end";

/// An answer that stands in: a program that serves calls (serve.hpp).
class StandIn {
 public:
  /// Starts the program.
  explicit StandIn(const std::filesystem::path& program) : process_(program) {}

  /// The message that answers the message `request`, whatever that holds. An answer
  /// that crashed throws from then on.
  std::string reply(const std::string& request);

 private:
  Connected process_;
  bool gone_ = false;
};

/// What a worker's tests came to, put to one answer.
struct Round {
  bool ended = false;       ///< they came to an end; without it nothing below counts
  std::int32_t ran = 0;     ///< tests
  std::int32_t failed = 0;  ///< of them
  std::string said;         ///< by the first failure
  std::int64_t calls = 0;   ///< counted here

  /// Whether the tests let the answer pass.
  bool accepted() const { return ended && failed == 0; }
  /// Whether the tests found something wrong with the answer.
  bool rejected() const { return ended && failed != 0; }
};

/// Answers a worker's calls until it says what its tests came to, or ends.
Round play_round(int worker, StandIn& stand_in);

}  // namespace pipeline
