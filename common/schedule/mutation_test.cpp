// `verify` against a checker that shares nothing with it. Valid schedules are broken at
// random, and both must say the same of each.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "schedule/full_tier.hpp"
#include "schedule/generate.hpp"
#include "schedule/lower.hpp"
#include "schedule/random_schedules.hpp"
#include "schedule/slow_checker.hpp"
#include "schedule/test_rows.hpp"

namespace pipeline {
namespace {

using test::Random;
using test::SlowChecker;

class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  Random& random() { return random_; }

  Schedule valid() {
    const bool generated = random_.one_in(2);
    Schedule schedule =
        generated ? test::random_generated(random_) : test::random_schedule(random_);
    if (generated && random_.one_in(3)) schedule = test::in_halves(std::move(schedule));
    return random_.one_in(2) ? lower(schedule) : schedule;
  }

  void mutate(Schedule& schedule) {
    Row& row = schedule.rows[random_.below(schedule.rows.size())];
    Row& other = schedule.rows[random_.below(schedule.rows.size())];
    if (row.empty()) return;
    const std::size_t i = random_.below(row.size());
    const auto at = row.begin() + static_cast<std::ptrdiff_t>(i);
    switch (random_.below(19)) {
      case 0:
      case 1:
        row.erase(at);
        break;
      case 2:
      case 3:
        insert(other, row[i]);
        break;
      case 4:
      case 5:
        std::swap(row[i], row[random_.below(row.size())]);
        break;
      case 6:
      case 7:
      case 8:
      case 9:
        if (i + 1 < row.size()) std::swap(row[i].action, row[i + 1].action);
        break;
      case 10:
      case 11: {
        const Entry entry = row[i];
        row.erase(at);
        insert(random_.below(2) == 0 ? row : other, entry);
        break;
      }
      case 12:
      case 13:
        alter(row[i].action);
        break;
      case 14:
        alter(schedule);
        break;
      default:
        row[i].with_next = !row[i].with_next;
        break;
    }
  }

 private:
  void insert(Row& row, Entry entry) {
    row.insert(row.begin() + static_cast<std::ptrdiff_t>(random_.below(row.size() + 1)),
               entry);
  }
  void alter(Schedule& schedule) {
    if (!schedule.slices.empty() && random_.one_in(2)) {
      schedule.slices[random_.below(schedule.slices.size())] += random_.between(-1, 1);
    } else if (schedule.placement.copies() == 1) {
      schedule.weights = static_cast<WeightPolicy>(random_.between(0, 3));
    }
  }
  void alter(Action& action) {
    switch (random_.below(4)) {
      case 0:
        action.stage += random_.between(-1, 1);
        break;
      case 1:
        action.micro_batch += random_.between(-2, 2);
        break;
      case 2:
        action.kind = static_cast<ActionKind>(random_.below(12));
        break;
      default:
        action.slice = static_cast<std::int16_t>(random_.between(-1, 1));
        break;
    }
  }

  Random random_;
};

TEST(Mutations, AreJudgedAsAnIndependentCheckerJudgesThem) {
  const bool full = in_full_tier();
  const int rounds = full ? 200'000 : 6'000;
  Mutator mutator(7);
  int valid_ones = 0;
  int changed = 0;
  for (int round = 0; round < rounds; ++round) {
    const Schedule valid = mutator.valid();
    Schedule mutant = valid;
    for (std::size_t n = 1 + mutator.random().below(2); n > 0; --n)
      mutator.mutate(mutant);
    const std::int32_t buffers = mutator.random().between(0, 3);
    const bool accepted =
        SlowChecker(mutant, static_cast<std::size_t>(buffers)).accepts();
    const auto faults = verify(mutant, {{}, buffers});
    ASSERT_EQ(faults.empty(), accepted)
        << to_text(mutant) << "buffers: " << buffers << "\n"
        << (faults.empty() ? "" : faults[0].reason);
    for (const Fault& fault : faults) EXPECT_FALSE(fault.reason.empty());
    if (!(mutant == valid)) ++changed;
    if (!(mutant == valid) && accepted) ++valid_ones;
  }
  // Both verdicts must come up, or the comparison says little.
  EXPECT_GT(valid_ones, changed / 20);
  EXPECT_LT(valid_ones, changed / 2);
}

// Takes an entry out, and what was joined through it apart.
Entry take_out(Row& row, std::size_t i) {
  if (i > 0) row[i - 1].with_next = false;
  const Entry entry{row[i].action};
  row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
  return entry;
}

void expect_one(const Schedule& schedule, FaultKind kind) {
  const auto faults = verify(schedule);
  ASSERT_EQ(faults.size(), 1U) << to_text(schedule) << faults.back().reason;
  EXPECT_EQ(faults[0].kind, kind) << to_text(schedule) << faults[0].reason;
}

void expect_each_kind(const Schedule& schedule) {
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    for (std::size_t i = 0; i < schedule.rows[d].size(); ++i) {
      Schedule dropped = schedule;
      const Entry entry = take_out(dropped.rows[d], i);
      expect_one(dropped, FaultKind::Missing);
      Schedule doubled = schedule;
      doubled.rows[d].push_back(entry);
      expect_one(doubled, FaultKind::Twice);
      if (schedule.devices() == 1) continue;
      dropped.rows[(d + 1) % dropped.rows.size()].push_back(entry);
      expect_one(dropped, FaultKind::WrongDevice);
    }
  }
}

TEST(Mutations, OfOneKindAreFoundAsThatKind) {
  for (const Generator& generator : generators()) {
    for (std::int32_t p = 1; p <= 4; ++p) {
      for (std::int32_t m = 1; m <= 8; m += m < 4 ? 1 : 4) {
        // Of a norm on one device it is nobody's fault to be left out.
        const auto schedule = generator.generate({{p, m, 1, p > 1}});
        if (schedule) expect_each_kind(*schedule);
      }
    }
  }
}

}  // namespace
}  // namespace pipeline
