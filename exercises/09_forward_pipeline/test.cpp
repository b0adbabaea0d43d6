#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "classroom/points.hpp"
#include "classroom/row_tests.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

const std::vector<PipelineSize> kSizes = {{1, 1}, {1, 4}, {2, 1}, {2, 5},
                                          {3, 2}, {4, 7}, {6, 3}};

Schedule student_schedule(PipelineSize size) {
  return step_of("forward", size, /*training=*/false, [size](std::int32_t s) {
    return forward_row(s, size.devices, size.micro_batches);
  });
}

std::string name_of(std::int32_t device) {
  return device == kNone ? "nobody" : "device " + std::to_string(device);
}

void expect_neighbours(const std::vector<std::int32_t>& devices) {
  for (const std::int32_t p : devices) {
    for (std::int32_t s = 0; s < p; ++s) {
      const std::int32_t before = s == 0 ? kNone : s - 1;
      const std::int32_t after = s + 1 == p ? kNone : s + 1;
      ASSERT_EQ(receives_from(s), before)
          << "Of " << p << " devices, device " << s << " receives from "
          << name_of(before) << ", not from " << name_of(receives_from(s))
          << ". Re-read chapter 09, \"Messages\".";
      ASSERT_EQ(sends_to(s, p), after)
          << "Of " << p << " devices, device " << s << " sends to " << name_of(after)
          << ", not to " << name_of(sends_to(s, p))
          << ": a pipeline is a line and not a ring. Re-read chapter 09, \"Messages\".";
    }
  }
}

TEST(Neighbours, AreTheDevicesBeforeAndAfter) {
  POINTS(1);
  expect_neighbours({1, 2, 3, 4, 5, 6});
}

// Under rendezvous a send waits for its receive and a receive for its send: an order
// that works then works with buffers too.
void expect_messages(const std::vector<PipelineSize>& sizes) {
  for (const PipelineSize size : sizes) {
    const Schedule schedule = student_schedule(size);
    for (const std::int32_t buffers : {0, 2}) {
      ASSERT_EQ(first_fault(schedule, {.memory_limit = {}, .buffers = buffers}), "")
          << size.name() << "with room for " << buffers
          << " messages on a link. Device 0 "
          << "does " << in_words(schedule.rows[0])
          << ". Each activation that is needed on the next device is sent once and "
             "received once. Re-read chapter 09, \"Messages\".";
    }
    for (std::int32_t s = 0; s < size.devices; ++s) {
      const Row& row = schedule.rows[static_cast<std::size_t>(s)];
      const std::int32_t a_micro_batch = 1 + (s > 0) + (s + 1 < size.devices);
      ASSERT_EQ(row.size(),
                static_cast<std::size_t>(a_micro_batch * size.micro_batches))
          << size.name() << "stage " << s << " does " << in_words(row) << ", where it "
          << "needs " << a_micro_batch
          << " entries for each micro-batch. Re-read chapter "
          << "09, \"Messages\".";
    }
  }
}

TEST(ForwardRow, SendsWhatTheNextDeviceReceives) {
  POINTS(2);
  expect_messages(kSizes);
}

void expect_sent_at_once(const std::vector<PipelineSize>& sizes) {
  for (const PipelineSize size : sizes) {
    for (std::int32_t s = 0; s + 1 < size.devices; ++s) {
      const Row row = forward_row(s, size.devices, size.micro_batches);
      ASSERT_FALSE(order_of(row, ActionKind::Forward).empty())
          << size.name() << "stage " << s << " does " << in_words(row)
          << ": it computes nothing that could be sent. Re-read chapter 09, "
             "\"Messages\".";
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (row[i].action.kind != ActionKind::Forward) continue;
        const bool sent = i + 1 < row.size() &&
                          row[i + 1].action.kind == ActionKind::SendActivation &&
                          row[i + 1].action.micro_batch == row[i].action.micro_batch;
        ASSERT_TRUE(sent) << size.name() << "stage " << s << " does " << in_words(row)
                          << ": F" << row[i].action.micro_batch
                          << " is not sent right after it was computed, and the next "
                             "device waits. Re-read chapter 09, \"Messages\".";
      }
    }
  }
}

TEST(ForwardRow, SendsEachActivationAsSoonAsItIsThere) {
  POINTS(1);
  expect_sent_at_once(kSizes);
}

/// The newest micro-batch before `k` whose activation is in the same slot.
std::int32_t last_user_of_slot(std::int32_t k, std::int32_t slots) {
  for (std::int32_t before = k - 1; before >= 0; --before) {
    if (slot_of(before, slots) == slot_of(k, slots)) return before;
  }
  return kNone;
}

void expect_apart(const std::vector<std::int32_t>& numbers_of_slots,
                  std::int32_t micro_batches) {
  for (const std::int32_t slots : numbers_of_slots) {
    for (std::int32_t k = 0; k < micro_batches; ++k) {
      ASSERT_TRUE(slot_of(k, slots) >= 0 && slot_of(k, slots) < slots)
          << "There are " << slots << " slots; slot " << slot_of(k, slots)
          << " does not exist.";
      for (std::int32_t next = k + 1; next < k + slots; ++next) {
        ASSERT_NE(slot_of(k, slots), slot_of(next, slots))
            << "With " << slots << " slots micro-batches " << k << " and " << next
            << " are in flight together, and both go to slot " << slot_of(k, slots)
            << ": the second would overwrite the first. Re-read chapter 09, \"Two "
               "buffers\".";
      }
    }
  }
}

TEST(Slots, KeepMicroBatchesInFlightApart) {
  POINTS(2);
  expect_apart({1, 2, 3, 4}, 20);
}

void expect_read_first(const std::vector<std::int32_t>& numbers_of_slots,
                       std::int32_t micro_batches) {
  for (const std::int32_t slots : numbers_of_slots) {
    for (std::int32_t k = micro_batches - 1; k > 0; --k) {
      const std::int32_t reader = last_user_of_slot(k, slots);
      if (reader == kNone) continue;
      ASSERT_GE(frees_slot_for(k, slots), reader)
          << "With " << slots << " slots the activation of micro-batch " << k
          << " goes to slot " << slot_of(k, slots)
          << ", which the forward of micro-batch " << reader
          << " reads, and you wait for " << frees_slot_for(k, slots)
          << ". The copy must wait until that has ended. Re-read chapter 09, "
             "\"Two "
             "buffers\".";
    }
  }
}

TEST(Slots, AreNotOverwrittenWhileTheyAreRead) {
  POINTS(2);
  expect_read_first({1, 2, 3, 4}, 20);
}

/// Ticks until the last forward ends, when forwards take 1 and copies take `copy`, and
/// a copy begins when its activation is computed, the link is free, and the forward of
/// `frees(k)` on the receiving device has ended.
template <typename Frees>
double ticks_with_slots(PipelineSize size, double copy, const Frees& frees) {
  std::vector<double> computed(static_cast<std::size_t>(size.micro_batches));
  for (std::size_t k = 0; k < computed.size(); ++k) {
    computed[k] = 1 + static_cast<double>(k);  // on device 0, which waits for nobody
  }
  for (std::int32_t d = 1; d < size.devices; ++d) {
    std::vector<double> ends(computed.size());
    double link_free = 0;
    double device_free = 0;
    for (std::size_t k = 0; k < ends.size(); ++k) {
      const std::int32_t waits_for = frees(static_cast<std::int32_t>(k));
      // Waiting for one that is not computed yet would never end.
      if (waits_for >= static_cast<std::int32_t>(k)) return 1e9;
      const double slot_free =
          waits_for < 0 ? 0 : ends[static_cast<std::size_t>(waits_for)];
      const double copied = std::max({computed[k], link_free, slot_free}) + copy;
      ends[k] = std::max(copied, device_free) + 1;
      link_free = copied;
      device_free = ends[k];
    }
    computed = ends;
  }
  return computed.back();
}

void expect_overlap(const std::vector<PipelineSize>& sizes,
                    const std::vector<std::int32_t>& numbers_of_slots, double copy) {
  for (const PipelineSize size : sizes) {
    for (const std::int32_t slots : numbers_of_slots) {
      const double yours = ticks_with_slots(
          size, copy, [slots](std::int32_t k) { return frees_slot_for(k, slots); });
      // One slot: no copy while it is read. Two or more: only the filling pays.
      const double pace = slots == 1 && size.devices > 1 ? 1 + copy : 1;
      const double best =
          size.devices + (size.devices - 1) * copy + (size.micro_batches - 1) * pace;
      ASSERT_NEAR(yours, best, 1e-9)
          << size.name() << "with " << slots << " slots, forwards of 1 and copies of "
          << copy << " ticks, your waits lead to " << yours << " ticks, and " << best
          << (yours > best ? " are enough: a copy waits for longer than it must."
                           : " is the least there can be: a copy does not wait.")
          << " Re-read chapter 09, \"Two buffers\".";
    }
  }
}

TEST(Slots, LetCopyingOverlapWithComputing) {
  POINTS(2);
  expect_overlap({{2, 6}, {3, 5}, {4, 12}, {1, 3}, {5, 2}}, {1, 2, 3}, 0.75);
}

// --- Drawn inputs: see classroom/draw.hpp

TEST(Neighbours, HoldForDrawnDevicesToo) {
  POINTS(1);
  Draw draw;
  expect_neighbours({draw.between(7, 20), draw.between(21, 60)});
}

TEST(ForwardRow, HoldsForDrawnSizesToo) {
  POINTS(1);
  Draw draw;
  const auto sizes = draw_sizes(draw, 8, {2, 3}, {16, 40});
  expect_messages(sizes);
  expect_sent_at_once(sizes);
}

TEST(Slots, HoldForDrawnNumbersToo) {
  POINTS(1);
  Draw draw;
  const std::vector<std::int32_t> slots = {draw.between(2, 5), draw.between(6, 9)};
  const std::int32_t micro_batches = draw.between(21, 40);
  expect_apart(slots, micro_batches);
  expect_read_first(slots, micro_batches);
  expect_overlap(draw_sizes(draw, 4, {2, 10}, {8, 40}), {1, slots[0], slots[1]},
                 0.25 * draw.between(1, 4));
}

}  // namespace
}  // namespace pipeline
