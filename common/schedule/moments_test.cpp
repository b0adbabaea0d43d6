#include "schedule/moments.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "schedule/random_schedules.hpp"
#include "schedule/test_rows.hpp"

namespace pipeline {
namespace {

using test::from_rows;

// When each action of a schedule runs.
class Times {
 public:
  explicit Times(const Schedule& schedule) : schedule_(schedule) {
    const auto moments = moments_of(schedule);
    EXPECT_TRUE(moments) << to_text(schedule);
    if (!moments) return;
    for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
      std::size_t unit = 0;
      for (const Entry& e : schedule.rows[d]) {
        of_[e.action] = (*moments)[d][unit];
        if (!e.with_next) ++unit;
      }
      EXPECT_EQ(unit, (*moments)[d].size());
      rows_.push_back((*moments)[d]);
    }
  }

  // Whether what must come first does, where both are there.
  bool in_order(const Action& first, const Action& then) const {
    const auto a = of_.find(first);
    const auto b = of_.find(then);
    return a == of_.end() || b == of_.end() || a->second < b->second;
  }

  void expect_data_in_order() const {
    for (const auto& [action, moment] : of_) {
      const auto [kind, j, s, k] = action;
      if (kind == ActionKind::Forward) {
        EXPECT_TRUE(in_order({kind, j, s - 1, k}, action));
        EXPECT_TRUE(in_order({kind, static_cast<std::int16_t>(j - 1), s, k}, action));
      }
      if (kind != ActionKind::Backward && kind != ActionKind::InputGradient) continue;
      for (const ActionKind from : {ActionKind::Backward, ActionKind::InputGradient}) {
        EXPECT_TRUE(in_order({from, j, s + 1, k}, action));
        EXPECT_TRUE(in_order({from, static_cast<std::int16_t>(j + 1), s, k}, action));
      }
    }
  }

  // Those who meet have one moment, all others one each; rows rise.
  void expect_one_order() const {
    std::map<Moment, std::set<Action>> met;
    for (const auto& [action, moment] : of_) {
      if (is_collective(action.kind)) met[moment].insert(action);
    }
    std::set<Moment> seen;
    for (const std::vector<Moment>& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (i > 0) {
          EXPECT_LT(row[i - 1], row[i]) << to_text(schedule_);
        }
        EXPECT_TRUE(seen.insert(row[i]).second || met.count(row[i]) != 0)
            << to_text(schedule_);
      }
    }
    for (const auto& [moment, actions] : met) {
      for (const Action& action : actions) {
        EXPECT_EQ(action.kind, actions.begin()->kind);
        if (action.kind == ActionKind::Reduce) {
          EXPECT_EQ(action.stage, actions.begin()->stage);
        }
      }
    }
  }

  // Of a sum whose copies are on two devices, both ends.
  void expect_partners_together() const {
    for (const auto& [action, moment] : of_) {
      if (action.kind != ActionKind::Reduce) continue;
      if (schedule_.placement.device_of(action.stage, 0) ==
          schedule_.placement.device_of(action.stage, 1)) {
        continue;
      }
      std::size_t together = 0;
      for (const auto& [other, when] : of_) together += when == moment ? 1 : 0;
      EXPECT_EQ(together, 2U) << to_text(schedule_);
    }
  }

 private:
  const Schedule& schedule_;
  std::map<Action, Moment> of_;
  std::vector<std::vector<Moment>> rows_;
};

TEST(Moments, AreOneOrderOfAllThatRuns) {
  test::Random random(9);
  for (int round = 0; round < 500; ++round) {
    const Schedule schedule = random.one_in(3) ? test::random_generated(random)
                                               : test::random_schedule(random);
    const Times times(schedule);
    times.expect_data_in_order();
    times.expect_one_order();
    times.expect_partners_together();
  }
}

TEST(Moments, AreTicksInWhichAllDevicesGoOn) {
  const auto moments = moments_of(from_rows(2, {"F0 F1 B0 B1 U1", "F0 B0 F1 B1 U1"}));
  ASSERT_TRUE(moments);
  const Moment tick = (*moments)[0][1] - (*moments)[0][0];
  const auto ticks = [&](std::size_t device) {
    std::vector<Moment> of;
    for (const Moment moment : (*moments)[device]) of.push_back(moment / tick);
    return of;
  };
  EXPECT_EQ(ticks(0), (std::vector<Moment>{0, 1, 3, 5, 6}));
  EXPECT_EQ(ticks(1), (std::vector<Moment>{1, 2, 3, 4, 5}));
}

TEST(Moments, AreNotThereForAScheduleWithAFault) {
  EXPECT_FALSE(moments_of(from_rows(1, {"B0 F0 U0"})));
  EXPECT_FALSE(moments_of(from_rows(1, {"F0 U0"})));
  EXPECT_FALSE(moments_of(Schedule{}));
}

}  // namespace
}  // namespace pipeline
