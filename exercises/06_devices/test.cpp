#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "classroom/draw.hpp"
#include "classroom/points.hpp"
#include "classroom/test_words.hpp"
#include "exercise.hpp"
#include "layers/random.hpp"
#include "planning/fit_link.hpp"

namespace pipeline {
namespace {

std::string in_words(const Link& link) {
  return "latency " + figure(link.latency) + " s and bandwidth " +
         figure(link.bandwidth) + " bytes/s";
}

/// From 1 KiB to 64 MiB; off the line by up to `noise`, in turns.
std::vector<TimedCopy> copies_on(const Link& link, double noise) {
  std::vector<TimedCopy> copies;
  double bytes = 1024;
  for (int i = 0; i < 9; ++i, bytes *= 4) {
    const double seconds = link.latency + bytes / link.bandwidth;
    copies.push_back({bytes, seconds * (1 + noise * std::sin(2.0 * i + 1))});
  }
  return copies;
}

const std::vector<Link> kLinks = {{4e-6, 12e9}, {50e-6, 2e9}, {1e-3, 250e6}};

void expect_link_of_exact_copies(const std::vector<Link>& links) {
  for (const Link& link : links) {
    const Link yours = link_of(copies_on(link, 0));
    const bool right = std::abs(yours.latency / link.latency - 1) < 1e-6 &&
                       std::abs(yours.bandwidth / link.bandwidth - 1) < 1e-6;
    ASSERT_TRUE(right) << "Copies that take exactly latency + bytes / bandwidth come "
                          "from a link of "
                       << in_words(link) << "; you found " << in_words(yours)
                       << ". Re-read chapter 06, \"A link\".";
  }
}

TEST(LinkOf, FindsTheLinkOfExactCopies) {
  POINTS(2);
  expect_link_of_exact_copies(kLinks);
}

/// The sum of the squared relative errors.
double error_of(const std::vector<TimedCopy>& copies, const Link& link) {
  double sum = 0;
  for (const TimedCopy& copy : copies) {
    sum += std::pow((link.latency + copy.bytes / link.bandwidth) / copy.seconds - 1, 2);
  }
  return sum;
}

void expect_least_relative_errors(const std::vector<Link>& links) {
  for (const Link& link : links) {
    const auto copies = copies_on(link, 0.15);
    std::vector<MeasuredCopy> measured;
    measured.reserve(copies.size());
    for (const TimedCopy& copy : copies) measured.push_back({copy.bytes, copy.seconds});
    const auto best = fit_link(measured);
    ASSERT_TRUE(best);
    const Link expected = {best->latency, best->bandwidth};
    const Link yours = link_of(copies);
    ASSERT_LE(error_of(copies, yours), error_of(copies, expected) * (1 + 1e-6))
        << "Of noisy copies, those of 1 KiB count as much as those of 64 MiB: the "
           "least relative errors have a link of "
        << in_words(expected) << ", and you found " << in_words(yours)
        << ". Re-read chapter 06, \"A link\".";
  }
}

TEST(LinkOf, CountsTheErrorOfEachCopyRelativeToItsTime) {
  POINTS(2);
  expect_least_relative_errors(kLinks);
}

void expect_half(const std::vector<Link>& links) {
  for (const Link& link : links) {
    const double bytes = bytes_for_half(link);
    const double rate = bytes / (link.latency + bytes / link.bandwidth);
    ASSERT_NEAR(rate / link.bandwidth, 0.5, 1e-9)
        << "On a link of " << in_words(link) << " your " << figure(bytes)
        << " bytes arrive at " << figure(rate)
        << " bytes/s, which is not half of the bandwidth. Re-read chapter 06, \"A "
           "link\".";
  }
}

TEST(BytesForHalf, TakeTwiceAsLongAsAtFullBandwidth) {
  POINTS(1);
  expect_half(kLinks);
}

const Operation kWritesA = {0, {}, {0}};
const Operation kReadsA = {1, {0}, {}};
const Operation kReadsAWritesB = {1, {0}, {1}};
const Operation kReadsB = {2, {1}, {}};
const Operation kWritesC = {2, {}, {2}};

TEST(MustStayInOrder, IsAskedOfReadingWhatWasWritten) {
  POINTS(1);
  EXPECT_TRUE(must_stay_in_order(kWritesA, kReadsA))
      << "One writes A, the next one reads it: too early, and it reads the old A. "
         "Re-read chapter 06, \"Events\".";
}

TEST(MustStayInOrder, IsAskedOfWritingWhatIsStillReadOrWritten) {
  POINTS(1);
  EXPECT_TRUE(must_stay_in_order(kReadsA, kWritesA))
      << "One reads A, the next one writes it: too early, and the first reads the new "
         "A, or half of it. Re-read chapter 06, \"Events\".";
  EXPECT_TRUE(must_stay_in_order(kWritesA, kWritesA))
      << "Both write A: whoever is last decides what is in it. Re-read chapter 06, "
         "\"Events\".";
}

TEST(MustStayInOrder, IsNotAskedOfReadersAndStrangers) {
  POINTS(1);
  ASSERT_TRUE(must_stay_in_order(kWritesA, kReadsA)) << "This one is asked of first.";
  EXPECT_FALSE(must_stay_in_order(kReadsA, kReadsAWritesB))
      << "Both only read A, and only one of them uses B: they may change places. "
         "Re-read chapter 06, \"Events\".";
  EXPECT_FALSE(must_stay_in_order(kWritesA, kWritesC))
      << "One writes A and one writes C: they may change places. Re-read chapter 06, "
         "\"Events\".";
}

/// A program and how it is called in a message.
struct Program {
  std::string name;
  std::vector<Operation> operations;
};

/// One stream computes into two buffers in turn, the other one copies them out.
Program double_buffered() {
  Program program = {
      "Six forwards on stream 0, copied by stream 1 out of buffers 0 and "
      "1 in turn",
      {}};
  for (std::int32_t k = 0; k < 6; ++k) {
    program.operations.push_back({0, {}, {k % 2}});
    program.operations.push_back({1, {k % 2}, {2 + k}});
  }
  return program;
}

/// How many operations, on how many streams, with how many buffers.
struct ProgramSize {
  int operations = 14;
  std::uint64_t streams = 3;
  std::uint64_t buffers = 4;
};

Program random_program(std::uint64_t seed, ProgramSize size = {}) {
  Random random(seed);
  Program program = {"Random program " + std::to_string(seed), {}};
  for (int i = 0; i < size.operations; ++i) {
    Operation operation;
    operation.stream = static_cast<std::int32_t>(random.below(size.streams));
    operation.reads.push_back(static_cast<std::int32_t>(random.below(size.buffers)));
    if (random.below(2) == 0) {
      operation.writes.push_back(static_cast<std::int32_t>(random.below(size.buffers)));
    }
    program.operations.push_back(std::move(operation));
  }
  return program;
}

std::vector<Program> programs() {
  std::vector<Program> all = {
      {"A writer on stream 0 and a reader on stream 1", {kWritesA, kReadsA}},
      {"Two readers", {kReadsA, {0, {0}, {}}}},
      {"A writer, a reader that passes on, and a last reader of both",
       {kWritesA, kReadsAWritesB, {2, {0, 1}, {}}}},
      {"All on one stream", {kWritesA, {0, {0}, {1}}, {0, {1}, {0}}}},
      {"A writer, a reader, and a writer again", {kWritesA, kReadsA, {2, {}, {0}}}},
      double_buffered()};
  for (std::uint64_t seed = 1; seed <= 12; ++seed) all.push_back(random_program(seed));
  return all;
}

/// The trusted side: whether buffers are shared in a way that needs an order.
bool conflict(const Operation& a, const Operation& b) {
  const auto meet = [](const auto& some, const auto& others) {
    return std::any_of(some.begin(), some.end(), [&](std::int32_t buffer) {
      return std::count(others.begin(), others.end(), buffer) > 0;
    });
  };
  return meet(a.writes, b.reads) || meet(a.writes, b.writes) || meet(a.reads, b.writes);
}

using Order = std::vector<std::vector<char>>;

/// What is certain to run before what, with these waits.
Order order_of(const std::vector<Operation>& operations,
               const std::vector<Pair>& waits) {
  const auto count = operations.size();
  Order before(count, std::vector<char>(count, 0));
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      before[i][j] = operations[i].stream == operations[j].stream ? 1 : 0;
    }
  }
  for (const Pair& wait : waits) {
    before[static_cast<std::size_t>(wait.earlier)]
          [static_cast<std::size_t>(wait.later)] = 1;
  }
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        before[i][j] |= before[i][k] & before[k][j];
      }
    }
  }
  return before;
}

/// All pairs in conflict, ordered by streams or not.
std::vector<Pair> conflicts(const std::vector<Operation>& operations, bool across) {
  std::vector<Pair> pairs;
  for (std::size_t j = 0; j < operations.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      if (across && operations[i].stream == operations[j].stream) continue;
      if (!conflict(operations[i], operations[j])) continue;
      pairs.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)});
    }
  }
  return pairs;
}

std::vector<Pair> open_conflicts(const std::vector<Operation>& operations,
                                 const std::vector<Pair>& waits) {
  const Order before = order_of(operations, waits);
  std::vector<Pair> pairs = conflicts(operations, /*across=*/true);
  std::erase_if(pairs, [&](const Pair& pair) {
    return before[static_cast<std::size_t>(pair.earlier)]
                 [static_cast<std::size_t>(pair.later)] != 0;
  });
  return pairs;
}

std::vector<Pair> without(std::vector<Pair> pairs, std::size_t index) {
  pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(index));
  return pairs;
}

std::string in_words(const std::vector<Operation>& operations, const Pair& pair) {
  const auto one = [&](std::int32_t index) {
    const Operation& operation = operations[static_cast<std::size_t>(index)];
    std::string text =
        std::to_string(index) + " (stream " + std::to_string(operation.stream);
    for (const auto buffer : operation.reads)
      text += ", reads " + std::to_string(buffer);
    for (const auto buffer : operation.writes) {
      text += ", writes " + std::to_string(buffer);
    }
    return text + ")";
  };
  return "operations " + one(pair.earlier) + " and " + one(pair.later);
}

/// A pair that does not name two operations in the order of their issue.
bool is_strange(const std::vector<Operation>& operations, const Pair& pair) {
  return pair.earlier < 0 || pair.earlier >= pair.later ||
         pair.later >= static_cast<std::int32_t>(operations.size());
}

/// Empty, or the first pair that is in one list and not in the other.
std::string difference(const std::vector<Operation>& operations,
                       const std::vector<Pair>& yours,
                       const std::vector<Pair>& expected) {
  if (yours.size() > operations.size() * operations.size())
    return "you say " + std::to_string(yours.size()) + " pairs: so many are not there.";
  for (const Pair& pair : expected) {
    if (std::count(yours.begin(), yours.end(), pair) == 0) {
      return in_words(operations, pair) + " may change places, and you do not say so.";
    }
  }
  for (const Pair& pair : yours) {
    if (is_strange(operations, pair)) {
      return "there is no pair of " + std::to_string(pair.earlier) + " and " +
             std::to_string(pair.later) + ".";
    }
    if (std::count(expected.begin(), expected.end(), pair) == 0) {
      return in_words(operations, pair) + " are in order or need none.";
    }
    if (std::count(yours.begin(), yours.end(), pair) > 1) {
      return in_words(operations, pair) + " are there twice.";
    }
  }
  return "";
}

void expect_conflicts(const std::vector<Program>& all_programs) {
  for (const auto& [name, operations] : all_programs) {
    ASSERT_EQ(difference(operations, unordered(operations, {}),
                         open_conflicts(operations, {})),
              "")
        << name << ", without waits. A stream keeps its own in order; between streams "
        << "nothing does. Re-read chapter 06, \"Events\".";
  }
}

TEST(Unordered, AreAllConflictsBetweenStreamsWithoutWaits) {
  POINTS(1);
  expect_conflicts(programs());
}

void expect_waits_followed(const std::vector<Program>& all_programs) {
  for (const auto& [name, operations] : all_programs) {
    const std::vector<Pair> all = conflicts(operations, /*across=*/true);
    for (std::size_t w = 0; w < all.size(); ++w) {
      const std::vector<Pair> waits = without(all, w);
      ASSERT_EQ(difference(operations, unordered(operations, waits),
                           open_conflicts(operations, waits)),
                "")
          << name << ", with a wait for every pair but " << in_words(operations, all[w])
          << ". If one runs before another and that one before a third, the first runs "
             "before the third. Re-read chapter 06, \"Events\".";
    }
  }
}

TEST(Unordered, FollowWaitsOverSeveralSteps) {
  POINTS(2);
  expect_waits_followed(programs());
}

void expect_order(const std::vector<Program>& all_programs) {
  for (const auto& [name, operations] : all_programs) {
    const std::vector<Pair> waits = waits_needed(operations);
    for (const Pair& wait : waits) {
      ASSERT_FALSE(is_strange(operations, wait))
          << name << ": a wait of " << wait.later << " for " << wait.earlier
          << " does not exist.";
    }
    const std::vector<Pair> open = open_conflicts(operations, waits);
    ASSERT_TRUE(open.empty()) << name << ": with your " << waits.size() << " waits "
                              << in_words(operations, open.front())
                              << " may change places. Re-read chapter 06, \"Events\".";
  }
}

TEST(WaitsNeeded, KeepEverythingInOrder) {
  POINTS(2);
  expect_order(programs());
}

void expect_none_too_many(const std::vector<Program>& all_programs) {
  for (const auto& [name, operations] : all_programs) {
    const std::vector<Pair> waits = waits_needed(operations);
    ASSERT_LE(waits.size(), conflicts(operations, false).size())
        << name << ": there are more waits than pairs that must stay in order.";
    ASSERT_TRUE(!waits.empty() || open_conflicts(operations, {}).empty())
        << name << ": there are no waits at all.";
    for (const Pair& wait : waits) {
      ASSERT_FALSE(is_strange(operations, wait)) << name << ": no such wait.";
    }
    for (std::size_t w = 0; w < waits.size(); ++w) {
      const Order others = order_of(operations, without(waits, w));
      ASSERT_TRUE(conflict(operations[static_cast<std::size_t>(waits[w].earlier)],
                           operations[static_cast<std::size_t>(waits[w].later)]) &&
                  others[static_cast<std::size_t>(waits[w].earlier)]
                        [static_cast<std::size_t>(waits[w].later)] == 0)
          << name << ": the wait between " << in_words(operations, waits[w])
          << " is superfluous: they need no order, or streams and other waits keep it "
             "already. Re-read chapter 06, \"Events\".";
    }
  }
}

TEST(WaitsNeeded, AreNoneTooMany) {
  POINTS(2);
  expect_none_too_many(programs());
}

// --- Drawn inputs: see classroom/draw.hpp

/// With so much latency that noise does not hide it.
std::vector<Link> drawn_links() {
  Draw draw;
  std::vector<Link> links;
  for (int i = 0; i < 10; ++i) {
    const double bandwidth = 1e6 * draw.between(50, 20000);
    links.push_back({1024.0 * draw.between(16, 1024) / bandwidth, bandwidth});
  }
  return links;
}

TEST(LinkOf, HoldsForDrawnLinksToo) {
  POINTS(1);
  expect_link_of_exact_copies(drawn_links());
  expect_least_relative_errors(drawn_links());
}

TEST(BytesForHalf, HoldsForDrawnLinksToo) {
  POINTS(1);
  expect_half(drawn_links());
}

std::vector<Program> drawn_programs() {
  Draw draw;
  std::vector<Program> programs;
  for (int i = 0; i < 6; ++i) {
    const ProgramSize size = {draw.between(10, 18),
                              static_cast<std::uint64_t>(draw.between(2, 4)),
                              static_cast<std::uint64_t>(draw.between(3, 6))};
    programs.push_back(random_program(
        static_cast<std::uint64_t>(draw.between(1000, 1'000'000)), size));
  }
  return programs;
}

TEST(MustStayInOrder, HoldsForDrawnOperationsToo) {
  POINTS(1);
  for (const auto& [name, operations] : drawn_programs()) {
    for (std::size_t j = 1; j < operations.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        const bool order = conflict(operations[i], operations[j]);
        const Pair pair = {static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)};
        ASSERT_EQ(must_stay_in_order(operations[i], operations[j]), order)
            << in_words(operations, pair)
            << (order ? " share what one of them writes." : " may change places.")
            << " Re-read chapter 06, \"Events\".";
      }
    }
  }
}

TEST(Unordered, HoldsForDrawnProgramsToo) {
  POINTS(1);
  const std::vector<Program> all_programs = drawn_programs();
  expect_conflicts(all_programs);
  expect_waits_followed(all_programs);
}

TEST(WaitsNeeded, HoldForDrawnProgramsToo) {
  POINTS(1);
  const std::vector<Program> all_programs = drawn_programs();
  expect_order(all_programs);
  expect_none_too_many(all_programs);
}

}  // namespace
}  // namespace pipeline
