#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "classroom/points.hpp"
#include "classroom/row_tests.hpp"
#include "exercise.hpp"
#include "schedule/generate.hpp"

namespace pipeline {
namespace {

std::string in_words(const DeviceBlock& block) {
  return "F0 at " + std::to_string(block.forward0) + ", F1 at " +
         std::to_string(block.forward1) + ", I1 at " +
         std::to_string(block.input_gradient1) + ", I0 at " +
         std::to_string(block.input_gradient0);
}

/// V-Min and V-Half as their paper has them, without their weight gradients.
std::vector<DeviceBlock> v_min(std::int32_t p) {
  const std::int32_t k = p % 3 == 0 ? 2 : 0;
  std::vector<DeviceBlock> blocks;
  blocks.reserve(static_cast<std::size_t>(p));
  for (std::int32_t i = 0; i < p; ++i) {
    blocks.push_back({i, 2 * p - i - 1, 2 * p + k + i, 4 * p + k - i - 1});
  }
  return blocks;
}

std::vector<DeviceBlock> v_half(std::int32_t p) {
  const std::int32_t k = p % 2 == 0 ? 3 : 0;
  std::vector<DeviceBlock> blocks;
  blocks.reserve(static_cast<std::size_t>(p));
  for (std::int32_t i = 0; i < p; ++i) {
    blocks.push_back({2 * i, 3 * p - i - 2, 3 * p + k + 2 * i - 1, 6 * p + k - i - 2});
  }
  return blocks;
}

/// The first free tick of the period after `tick`, which is then taken.
std::int32_t gap_after(std::int32_t tick, std::set<std::int32_t>& taken) {
  ++tick;
  while (!taken.insert(tick % 6).second) ++tick;
  return tick;
}

DeviceBlock filled(DeviceBlock block) {
  std::set<std::int32_t> taken;
  taken.insert({block.forward0 % 6, block.forward1 % 6, block.input_gradient1 % 6,
                block.input_gradient0 % 6});
  block.weight_gradient1 = gap_after(block.input_gradient1, taken);
  block.weight_gradient0 = gap_after(block.input_gradient0, taken);
  return block;
}

std::vector<DeviceBlock> filled(std::vector<DeviceBlock> blocks) {
  for (DeviceBlock& block : blocks) block = filled(block);
  return blocks;
}

std::int32_t ticks_held(const DeviceBlock& block) {
  return block.weight_gradient0 - block.forward0 + block.weight_gradient1 -
         block.forward1 + 2;
}

void expect_filled(const std::vector<DeviceBlock>& all) {
  for (const DeviceBlock& given : all) {
    const DeviceBlock block = fill_gaps(given);
    const DeviceBlock expected = filled(given);
    ASSERT_EQ(block.weight_gradient1, expected.weight_gradient1)
        << in_words(given) << ": W1 starts at " << block.weight_gradient1
        << " and not at " << expected.weight_gradient1
        << ", the first tick after I1 that no micro-batch before or after needs. "
           "Re-read chapter 17, \"A block\".";
    ASSERT_EQ(block.weight_gradient0, expected.weight_gradient0)
        << in_words(given) << ", W1 at " << expected.weight_gradient1
        << ": W0 starts at " << block.weight_gradient0 << " and not at "
        << expected.weight_gradient0
        << ", the first tick after I0 that is left. Re-read chapter 17, \"A "
           "block\".";
  }
}

TEST(FillGaps, PutsEachWeightGradientInTheFirstGapOfThePeriod) {
  POINTS(2);
  std::vector<DeviceBlock> all;
  for (std::int32_t p = 1; p <= 9; ++p) {
    for (const auto& blocks : {v_min(p), v_half(p)})
      all.insert(all.end(), blocks.begin(), blocks.end());
  }
  expect_filled(all);
}

TEST(FillGaps, LeavesTheOtherActionsWhereTheyAre) {
  POINTS(1);
  const DeviceBlock given = v_half(4)[1];
  const DeviceBlock block = fill_gaps(given);
  EXPECT_GT(block.weight_gradient1, block.input_gradient1)
      << "A weight gradient comes after the input gradient. Re-read chapter 17, \"A "
         "block\".";
  EXPECT_EQ(in_words(block), in_words(given))
      << "Only weight gradients are put in. Re-read chapter 17, \"A block\".";
}

void expect_lifespans(const std::vector<DeviceBlock>& all) {
  for (const DeviceBlock& block : all) {
    ASSERT_EQ(held_ticks(block), ticks_held(block))
        << in_words(block) << ", W1 at " << block.weight_gradient1 << ", W0 at "
        << block.weight_gradient0
        << ": each chunk holds its activation from the start of its F to the end of "
           "its W. Re-read chapter 17, \"Lifespans\".";
  }
}

TEST(HeldTicks, ReachFromTheForwardToTheEndOfTheWeightGradient) {
  POINTS(1);
  std::vector<DeviceBlock> all;
  for (std::int32_t p = 1; p <= 6; ++p) {
    for (const DeviceBlock& block : filled(v_half(p))) all.push_back(block);
  }
  expect_lifespans(all);
}

TEST(PeakBound, IsThatOfTheWorstDevice) {
  POINTS(1);
  // The last of two devices is the worst.
  const std::vector<DeviceBlock> blocks = {{0, 1, 2, 3, 4, 5}, {0, 1, 2, 21, 4, 22}};
  ASSERT_EQ(peak_bound(blocks), 3)
      << "You say " << peak_bound(blocks)
      << ". A pipeline needs what its worst device needs. Re-read chapter 17, "
         "\"Lifespans\".";
}

TEST(PeakBound, IsTheLifespansOverThePeriodRoundedUp) {
  POINTS(1);
  for (std::int32_t p = 1; p <= 12; ++p) {
    const std::array bounds{(p + 4) / 3, (p + 2) / 2};
    const std::array names{"V-Min", "V-Half"};
    const std::array blocks{filled(v_min(p)), filled(v_half(p))};
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      ASSERT_EQ(peak_bound(blocks[i]), bounds[i])
          << names[i] << " on " << p << " devices needs " << bounds[i]
          << ", and you say " << peak_bound(blocks[i])
          << ": a micro-batch has two chunks on a "
          << "device, one comes every 6 ticks, and a started one counts whole. Re-read "
             "chapter 17, \"Lifespans\".";
    }
  }
}

Row row_of(const std::string& letters) {
  Row row;
  for (const char letter : letters) {
    row.push_back({{letter == 'F'   ? ActionKind::Forward
                    : letter == 'I' ? ActionKind::InputGradient
                                    : ActionKind::WeightGradient,
                    0, 0, 0}});
  }
  return row;
}

/// The same by trying: the row with the forward moved, and what it holds at most.
std::int32_t held_when_moved(Row row, std::size_t from, std::size_t to) {
  const auto begin = row.begin();
  std::rotate(begin + static_cast<std::ptrdiff_t>(to),
              begin + static_cast<std::ptrdiff_t>(from),
              begin + static_cast<std::ptrdiff_t>(from) + 1);
  std::int32_t held = 0;
  std::int32_t most = 0;
  for (const Entry& entry : row) {
    if (entry.action.kind == ActionKind::Forward) most = std::max(most, ++held);
    if (entry.action.kind == ActionKind::WeightGradient) --held;
  }
  return most;
}

void expect_moves(const std::vector<std::string>& rows) {
  for (const std::string& letters : rows) {
    const Row row = row_of(letters);
    const std::int32_t held = held_when_moved(row, 0, 0);
    for (std::size_t from = 0; from < row.size(); ++from) {
      if (letters[from] != 'F') continue;
      for (std::size_t to = 0; to <= from; ++to) {
        for (std::int32_t limit = held; limit <= held + 1; ++limit) {
          const std::int32_t most = held_when_moved(row, from, to);
          ASSERT_EQ(may_move_forward(row, from, to, limit), most <= limit)
              << letters << ", limit " << limit << ": with the F of place " << from
              << " moved in front of place " << to << " the device holds " << most
              << ". What it holds counts in front of every place between. Re-read "
                 "chapter 17, \"Repeat, squeeze, reorder\".";
        }
      }
    }
  }
}

TEST(MayMoveForward, IfTheDeviceHoldsNoMoreThanTheLimitAllAlong) {
  POINTS(2);
  expect_moves({"FFIWIWFFIIWW", "FIWFFIIWWFIW", "FFFIWFIWIWIW", "FIFWIFWIW"});
}

/// A V schedule without what takes no time.
std::vector<Row> rows_without_updates(const Schedule& schedule) {
  std::vector<Row> rows = schedule.rows;
  for (Row& row : rows) row = as_written(std::move(row));
  return rows;
}

void expect_squeezed(const std::vector<PipelineSize>& sizes) {
  for (const char* name : {"v-min", "v-half", "zb-v", "zb-h1"}) {
    for (const PipelineSize size : sizes) {
      const auto schedule = generate(name, {{size.devices, size.micro_batches}});
      ASSERT_TRUE(schedule);
      const auto timeline = simulate(*schedule, Costs{});
      ASSERT_TRUE(timeline);
      const std::vector<Row> rows = rows_without_updates(*schedule);
      const auto starts = squeeze(rows, schedule->stages());
      ASSERT_EQ(starts.size(), rows.size()) << "A list of ticks for each row.";
      for (std::size_t d = 0; d < rows.size(); ++d) {
        ASSERT_EQ(starts[d].size(), rows[d].size())
            << name << ", " << size.name() << "device " << d
            << " has so many entries, and each starts once. Re-read chapter 17, "
               "\"Repeat, squeeze, reorder\".";
        for (std::size_t i = 0; i < rows[d].size(); ++i) {
          ASSERT_EQ(starts[d][i], timeline->spans[d][i].start)
              << name << ", " << size.name() << "place " << i << " of device " << d
              << ", " << to_text(rows[d][i].action, true)
              << ": it starts when its device is free and what it needs has ended, "
                 "whichever is later. Re-read chapter 17, \"Repeat, squeeze, "
                 "reorder\".";
        }
      }
    }
  }
}

TEST(Squeeze, StartsEverythingAsEarlyAsItCan) {
  POINTS(3);
  expect_squeezed({{1, 2}, {2, 1}, {3, 5}, {4, 8}});
}

// --- Drawn inputs: see classroom/draw.hpp

/// In four ticks of the period, one after the other, all else at random.
std::vector<DeviceBlock> drawn_blocks(Draw& draw) {
  std::vector<DeviceBlock> all;
  for (int i = 0; i < 60; ++i) {
    std::vector<std::int32_t> ticks;
    std::set<std::int32_t> taken;
    std::int32_t now = draw.between(0, 9);
    while (ticks.size() < 4) {
      now += draw.between(1, 15);
      if (taken.insert(now % 6).second) ticks.push_back(now);
    }
    all.push_back({ticks[0], ticks[1], ticks[2], ticks[3]});
  }
  return all;
}

TEST(FillGaps, HoldForDrawnBlocksToo) {
  POINTS(1);
  Draw draw;
  expect_filled(drawn_blocks(draw));
}

TEST(HeldTicks, HoldForDrawnBlocksToo) {
  POINTS(1);
  Draw draw;
  expect_lifespans(filled(drawn_blocks(draw)));
}

TEST(PeakBound, HoldsForDrawnBlocksToo) {
  POINTS(1);
  Draw draw;
  for (int i = 0; i < 80; ++i) {
    std::vector<DeviceBlock> blocks = filled(drawn_blocks(draw));
    blocks.resize(static_cast<std::size_t>(draw.between(2, 12)));
    std::int32_t held = 0;
    for (const DeviceBlock& block : blocks) held = std::max(held, ticks_held(block));
    std::int32_t bound = 0;
    while (12 * bound < held) ++bound;
    ASSERT_EQ(peak_bound(blocks), bound)
        << "The worst device holds its two chunks for " << held
        << " ticks, and one micro-batch comes every 6. Re-read chapter 17, "
           "\"Lifespans\".";
  }
}

/// Forwards, input gradients and weight gradients, none before what it needs.
std::string drawn_row(Draw& draw) {
  std::string letters;
  std::int32_t forwards = 0;
  std::int32_t inputs = 0;
  std::int32_t weights = 0;
  const std::int32_t all = draw.between(4, 6);
  while (weights < all) {
    const std::int32_t kind = draw.between(0, 2);
    if (kind == 0 && forwards < all) {
      ++forwards;
      letters += 'F';
    } else if (kind == 1 && inputs < forwards) {
      ++inputs;
      letters += 'I';
    } else if (kind == 2 && weights < inputs) {
      ++weights;
      letters += 'W';
    }
  }
  return letters;
}

TEST(MayMoveForward, HoldsForDrawnRowsToo) {
  POINTS(1);
  Draw draw;
  std::vector<std::string> rows;
  rows.reserve(12);
  for (int i = 0; i < 12; ++i) rows.push_back(drawn_row(draw));
  expect_moves(rows);
}

TEST(Squeeze, HoldsForDrawnSizesToo) {
  POINTS(1);
  Draw draw;
  expect_squeezed(draw_sizes(draw, 3, {2, 6}, {7, 16}));
}

}  // namespace
}  // namespace pipeline
