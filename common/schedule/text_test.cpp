#include "schedule/text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "schedule/full_tier.hpp"
#include "schedule/generate.hpp"
#include "schedule/lower.hpp"
#include "schedule/random_schedules.hpp"
#include "schedule/test_rows.hpp"

namespace pipeline {
namespace {

const char* const kSmall =
    "schedule: 1f1b\n"
    "devices: 2\n"
    "device-of-stage: 0 1\n"
    "micro-batches: 2\n"
    "steps: 1\n"
    "training: yes\n"
    "row 0: F0 F1 B0 B1 U1\n"
    "row 1: F0 B0 F1 B1 U1\n"
    "end\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Text, OfAnActionIsItsLettersAndItsMicroBatch) {
  EXPECT_EQ(to_text({ActionKind::Forward, 0, 2, 3}, false), "F3");
  EXPECT_EQ(to_text({ActionKind::Forward, 0, 2, 3}, true), "2F3");
  EXPECT_EQ(to_text({ActionKind::Backward, 1, 2, 3}, true), "2B3.1");
  EXPECT_EQ(to_text({ActionKind::Update, 0, 0, 7}, false), "U7");
  const std::vector<std::string> letters{"F",  "B",  "I",  "W",  "R",  "SA",
                                         "RA", "SG", "RG", "AR", "NR", "U"};
  for (std::size_t i = 0; i < letters.size(); ++i) {
    EXPECT_EQ(to_text(static_cast<ActionKind>(i)), letters[i]);
  }
}

TEST(Text, OfAScheduleIsAHeaderAndALineARow) {
  const auto schedule = one_f_one_b({2, 2, 1});
  ASSERT_TRUE(schedule);
  EXPECT_EQ(to_text(*schedule), kSmall);
}

TEST(Text, ComesBackUnchangedForEveryGenerator) {
  for (const Generator& generator : generators()) {
    for (std::int32_t p = 1; p <= 6; ++p) {
      for (std::int32_t m = 1; m <= 6; ++m) {
        const auto schedule = generator.generate({{p, m, 2}});
        if (!schedule) continue;  // forbidden: see generate_test.cpp
        for (const Schedule& s : {*schedule, lower(*schedule)}) {
          const auto back = parse_schedule(to_text(s));
          ASSERT_TRUE(back) << back.error().what;
          EXPECT_EQ(*back, s);
        }
      }
    }
  }
}

TEST(Text, ComesBackUnchangedHoweverOddTheSchedule) {
  Schedule odd;
  odd.name = "  odd: #1 \xC3\xA9 ";
  odd.placement = {3, {2, 0, 0}};  // device 1 holds nothing, device 0 two stages
  odd.micro_batches = 3;
  odd.steps = 2;
  odd.training = false;
  odd.rows = {{{{ActionKind::Forward, 0, 1, 0}, true},
               {{ActionKind::WeightGradient, -2, 2, 5}, true},
               {{ActionKind::Reduce, 7, 2, 1}}},
              {},
              {{{ActionKind::InputGradient, 0, 0, -4}},
               {{ActionKind::Recompute, 0, -1, 2147483647}},
               {{ActionKind::Forward, 0, -2147483647 - 1, 0}}}};
  const std::string text = to_text(odd);
  EXPECT_NE(text.find("row 0: 1F0+2W5.-2+2AR1.7\nrow 1:\nrow 2: I-4 -1R2147483647"),
            std::string::npos)
      << text;
  const auto back = parse_schedule(text);
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(*back, odd);
}

TEST(Text, SaysOnlyWhatIsNotAsUsual) {
  const char* const text =
      "schedule: odd\n"
      "devices: 2\n"
      "device-of-stage: 0 1\n"
      "second-copy: 1 0\n"
      "micro-batches: 3\n"
      "steps: 2\n"
      "training: yes\n"
      "weights: double-buffered\n"
      "slices: 2 1 3\n"
      "row 0: 0F0 0F0.1 1F2.2\n"
      "row 1: 1F0+1F0.1\n"
      "end\n";
  const auto schedule = parse_schedule(text);
  ASSERT_TRUE(schedule) << schedule.error().what;
  EXPECT_EQ(schedule->placement.device_of_second_copy, (std::vector{1, 0}));
  EXPECT_EQ(schedule->weights, WeightPolicy::DoubleBuffered);
  EXPECT_EQ(schedule->slices, (std::vector{2, 1, 3}));
  EXPECT_EQ(to_text(*schedule), text);
}

TEST(Text, NamesEveryWeightPolicy) {
  auto schedule = gpipe({1, 2, 1});
  ASSERT_TRUE(schedule);
  const std::vector<std::pair<WeightPolicy, std::string>> policies{
      {WeightPolicy::Synchronous, ""},
      {WeightPolicy::Stashed, "weights: stashed\n"},
      {WeightPolicy::VerticalSync, "weights: vertical-sync\n"},
      {WeightPolicy::DoubleBuffered, "weights: double-buffered\n"}};
  for (const auto& [policy, line] : policies) {
    schedule->weights = policy;
    const std::string text = to_text(*schedule);
    EXPECT_NE(text.find("training: yes\n" + line + "row 0:"), std::string::npos)
        << text;
    const auto back = parse_schedule(text);
    ASSERT_TRUE(back) << back.error().what;
    EXPECT_EQ(*back, *schedule);
  }
}

TEST(Text, ComesBackUnchangedForRandomSchedules) {
  const bool full = in_full_tier();
  test::Random random(3);
  for (int round = full ? 20'000 : 500; round > 0; --round) {
    const Schedule schedule = random.one_in(2) ? test::random_schedule(random)
                                               : test::random_generated(random);
    for (const Schedule& s : {schedule, lower(schedule)}) {
      const auto back = parse_schedule(to_text(s));
      ASSERT_TRUE(back) << back.error().what;
      ASSERT_EQ(*back, s);
    }
  }
}

TEST(Text, NamesTheStageWhereADeviceHoldsOneOfEitherCopy) {
  // The middle of three devices holds both copies of one stage, and needs no name.
  Schedule schedule;
  schedule.placement = two_way_placement(3);
  schedule.micro_batches = 2;
  for (std::int32_t s = 0; s < 3; ++s) {
    schedule.rows.push_back({{{ActionKind::Forward, 0, s, 0}}});
  }
  EXPECT_NE(to_text(schedule).find("row 0: 0F0\nrow 1: F0\nrow 2: 2F0\n"),
            std::string::npos)
      << to_text(schedule);
}

TEST(Text, KeepsANameOnItsLine) {
  auto schedule = gpipe({1, 1, 1});
  ASSERT_TRUE(schedule);
  schedule->name = "two\nlines";
  const auto back = parse_schedule(to_text(*schedule));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->name, "two lines");
}

TEST(Parse, SkipsBlankLinesCommentsAndCarriageReturns) {
  const auto plain = parse_schedule(kSmall);
  const auto dressed = parse_schedule(
      "# made by hand\r\n\r\nschedule: 1f1b\r\ndevices: 2\r\n  # two\r\n"
      "device-of-stage:\t0 1\r\nmicro-batches:2\r\nsteps:  1 \r\ntraining: yes\r\n"
      "row 0: F0  F1 B0 B1 U1\r\n\r\nrow 1: F0 B0 F1 B1 U1  \r\nend");
  ASSERT_TRUE(plain);
  ASSERT_TRUE(dressed) << dressed.error().what;
  EXPECT_EQ(*plain, *dressed);
}

TEST(Parse, NamesTheLineAndTheWordAtFault) {
  struct Case {
    const char* from;
    const char* to;
    const char* what;
  };
  const std::vector<Case> cases{
      {"schedule: 1f1b\n", "", "line 1: 'devices: 2' stands where 'schedule:' belongs"},
      {"devices: 2", "devices: two", "line 2: 'two' is no number of devices"},
      {"devices: 2", "devices: 2x", "line 2: '2x' is no number of devices"},
      {"devices: 2", "devices: 2 3",
       "line 2: '3' stands after the end of the line's "
       "value"},
      {"devices: 2", "devices:", "line 2: '' is no number of devices"},
      {"devices: 2", "devices: 0",
       "line 2: devices must be at least 1, but 0 was asked for"},
      {"devices: 2", "devices: 65537",
       "line 2: devices may be at most 65536, but 65537 was asked for"},
      {"devices: 2", "devices: 99999999999999999999",
       "line 2: '99999999999999999999' is no number of devices"},
      {"stage: 0 1", "stage: 0 2", "line 3: '2' is no device"},
      {"stage: 0 1", "stage: -1 1", "line 3: '-1' is no device"},
      {"stage: 0 1", "stage:", "line 3: there are no stages"},
      {"batches: 2", "batches: -2",
       "line 4: micro-batches must be at least 1, but -2 was asked for"},
      {"steps: 1", "steps: 67108864",
       "line 5: 2 stages times 2 micro-batches times 67108864 steps is more than "
       "67108864 actions"},
      {"steps: 1", "stops: 1", "line 5: 'stops: 1' stands where 'steps:' belongs"},
      {"training: yes", "training: maybe", "line 6: 'maybe' is neither yes nor no"},
      {"micro", "second-copy: 1\nmicro",
       "line 4: the second copy has 1 stages, the first 2"},
      {"micro", "second-copy: 1 2\nmicro", "line 4: '2' is no device"},
      {"micro", "second-copy: 1 0 1\nmicro",
       "line 4: the second copy has 3 stages, the first 2"},
      {"steps", "second-copy: 1 0\nsteps",
       "line 5: 'second-copy: 1 0' stands where 'steps:' belongs"},
      {"row 0", "weights: old\nrow 0", "line 7: 'old' is no way to keep weights"},
      {"row 0", "weights: stashed twice\nrow 0",
       "line 7: 'twice' stands after the end of the line's value"},
      {"row 0", "slices: 1 1\nweights: stashed\nrow 0",
       "line 8: 'weights: stashed' stands where 'row 0:' belongs"},
      {"row 0", "slices:\nrow 0", "line 7: there are no counts of slices"},
      {"row 0", "slices: 2\nrow 0",
       "line 7: 1 counts of slices are given for 2 micro-batches"},
      {"row 0", "slices: 2 2 2\nrow 0", "line 7: '2' is one count of slices too many"},
      {"row 0", "slices: 2 0\nrow 0", "line 7: '0' is no count of slices"},
      {"row 0", "slices: 2 x\nrow 0", "line 7: 'x' is no count of slices"},
      {"row 0", "slices: 2 32768\nrow 0", "line 7: '32768' is no count of slices"},
      {"steps: 1\ntraining: yes", "steps: 2048\ntraining: yes\nslices: 32767 1",
       "line 7: 2 stages times 32768 slices times 2048 steps is more than 67108864 "
       "actions"},
      {"row 1: F0", "row 1: X0", "line 8: 'X0' is no action"},
      {"row 1: F0", "row 1: F", "line 8: 'F' is no action"},
      {"row 1: F0", "row 1: f0", "line 8: 'f0' is no action"},
      {"row 1: F0", "row 1: F0B0", "line 8: 'F0B0' is no action"},
      {"row 1: F0", "row 1: F0.", "line 8: 'F0.' is no action"},
      {"row 1: F0", "row 1: F0.40000", "line 8: 'F0.40000' is no action"},
      {"row 1: F0", "row 1: F9999999999", "line 8: 'F9999999999' is no action"},
      {"row 1: F0", "row 1: F0+", "line 8: 'F0+' joins nothing to something"},
      {"row 1: F0", "row 1: +F0", "line 8: '+F0' joins nothing to something"},
      {"row 1: F0", "row 1: \x01\xFF", "line 8: '\?\?' is no action"},
      {"row 1:", "row 2:",
       "line 8: 'row 2: F0 B0 F1 B1 U1' stands where 'row 1:' "
       "belongs"},
      {"end\n", "row 2: F0\nend\n", "line 9: the line after the last row is not 'end'"},
      {"end\n", "end\nend\n", "line 10: 'end' stands after 'end'"},
      {"end\n", "end now\n", "line 9: 'now' stands after the end of the line's value"},
      {"end\n", "", "line 9: the text ends before 'end'"},
  };
  for (const Case& c : cases) {
    const auto schedule = parse_schedule(replaced(kSmall, c.from, c.to));
    ASSERT_FALSE(schedule) << c.to;
    EXPECT_EQ(schedule.error().what, c.what);
    EXPECT_FALSE(schedule.error().remedy.empty());
  }
}

TEST(Parse, AsksForTheStageWhereADeviceHoldsSeveral) {
  const auto schedule =
      parse_schedule(replaced(kSmall, "device-of-stage: 0 1", "device-of-stage: 0 0"));
  ASSERT_FALSE(schedule);
  EXPECT_EQ(schedule.error().what,
            "line 7: 'F0' names no stage, and its device does not hold just one");
}

TEST(Parse, ShortensALongWord) {
  const auto schedule =
      parse_schedule(replaced(kSmall, "row 1: F0", "row 1: " + std::string(9999, 'F')));
  ASSERT_FALSE(schedule);
  EXPECT_EQ(schedule.error().what, "line 8: 'FFFFFFFFFFFFFFFFFFFFFFFF…' is no action");
}

TEST(Parse, NoticesATextCutShortAnywhere) {
  const std::string text(kSmall);
  // Without its very last line break it is still whole.
  for (std::size_t length = 0; length + 1 < text.size(); ++length) {
    EXPECT_FALSE(parse_schedule(text.substr(0, length))) << length;
  }
  EXPECT_TRUE(parse_schedule(text.substr(0, text.size() - 1)));
}

// With every line that there may be.
std::string fuzzed_text() {
  auto schedule = one_f_one_b({3, 4, 1});
  EXPECT_TRUE(schedule);
  schedule->placement.device_of_second_copy = {2, 1, 0};
  schedule->weights = WeightPolicy::DoubleBuffered;
  schedule->slices = {1, 2, 1, 1};
  return to_text(lower(*schedule));
}

TEST(Parse, EitherReadsOrRefusesWhateverItIsGiven) {
  const bool full = in_full_tier();
  const int rounds = full ? 300'000 : 6'000;
  const std::string valid = fuzzed_text();
  std::string letters = "0123456789-+. \n:#FBIWRSAGU";
  letters += {'\0', '\xFF'};
  std::mt19937 random(20'240'601);
  const auto below = [&random](std::size_t n) { return random() % n; };
  int read = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string text = valid;
    for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = letters[below(letters.size())];
          break;
        case 1:
          text.insert(at, 1, letters[below(letters.size())]);
          break;
        case 2:
          text.erase(at, 1 + below(3));
          break;
        default:
          text.insert(below(text.size()), text.substr(at, below(40)));
          break;
      }
    }
    const auto schedule = parse_schedule(text);
    if (!schedule) {
      EXPECT_EQ(schedule.error().what.rfind("line ", 0), 0U);
      continue;
    }
    ++read;
    // What was read is bounded, is written back the same, and can be verified.
    const auto again = parse_schedule(to_text(*schedule));
    ASSERT_TRUE(again) << text;
    EXPECT_EQ(*again, *schedule);
    verify(*schedule);
  }
  EXPECT_GT(read, rounds / 50);
  EXPECT_LT(read, rounds / 2);
}

}  // namespace
}  // namespace pipeline
