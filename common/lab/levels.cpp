#include "lab/levels.hpp"

#include <algorithm>
#include <cstddef>

#include "lab/board_rows.hpp"
#include "schedule/text.hpp"

namespace pipeline {
namespace {

constexpr std::array kLevels{
    BoardLevel{.number = 1,
               .chapter = "01",
               .title = "Two devices",
               .task =
                   "Send three micro-batches through two stages, forwards only. A "
                   "forward takes one tick: three on each device, but not six in all.",
               .hints = {"Device 1 can start as soon as device 0 has finished F0.",
                         "In which order do the activations come to device 1?",
                         "m + p - 1 = 3 + 2 - 1 = 4 ticks: F0 F1 F2 on both devices."},
               .devices = 2,
               .micro_batches = 3,
               .kinds = "F",
               .reference = "forward",
               .reference_value = 4,
               .goal = 5,
               .optimum = 4},
    BoardLevel{
        .number = 2,
        .chapter = "02",
        .title = "The diagonal wave",
        .task = "Four micro-batches on three devices, forwards only. Every micro-batch "
                "should meet its next device free: then a diagonal wave runs down the "
                "picture, with bubbles in two of its corners only.",
        .hints = {"A device that keeps the order in which micro-batches arrive never "
                  "makes the next device wait.",
                  "The last device cannot start before two ticks have passed, and has "
                  "4 ticks of work.",
                  "F0 F1 F2 F3 on all three devices."},
        .devices = 3,
        .micro_batches = 4,
        .kinds = "F",
        .reference = "forward",
        .reference_value = 6,
        .goal = 7,
        .optimum = 6},
    BoardLevel{
        .number = 3,
        .chapter = "03",
        .title = "The slowest stage",
        .task = "Three devices, three micro-batches, forwards only. Stage 1 takes two "
                "ticks a forward, stages 0 and 2 take one. The slowest stage sets the "
                "pace: never let it wait once it has begun.",
        .hints = {"Device 1 works 3 x 2 ticks whatever you do.",
                  "One tick passes before it can start, and one after its end.",
                  "1 + 3 x 2 + 1 = 8: F0 F1 F2 on all devices."},
        .devices = 3,
        .micro_batches = 3,
        .kinds = "F",
        .stage_forward = {1, 2, 1},
        .reference = "forward",
        .reference_value = 8,
        .goal = 9,
        .optimum = 8},
    BoardLevel{.number = 4,
               .chapter = "04",
               .title = "Messages take time",
               .task = "Three devices, four micro-batches, forwards only. An "
                       "activation is on its way for one tick before the next device "
                       "has it. Overlap the transfers with forwards, so that they "
                       "lengthen the fill of the pipeline and nothing else.",
               .hints = {"While F0 is on its way, device 0 can run F1.",
                         "A micro-batch passes two links: two ticks in all.",
                         "m + p - 1 + (p - 1) c = 4 + 2 + 2 = 8 ticks."},
               .devices = 3,
               .micro_batches = 4,
               .kinds = "F",
               .latency = 1,
               .reference = "forward",
               .reference_value = 8,
               .goal = 9,
               .optimum = 8},
    BoardLevel{
        .number = 5,
        .chapter = "08",
        .title = "One at a time is too slow",
        .task = "Two devices, two micro-batches. Now train: a backward (two ticks) "
                "follows each forward, from the last stage to the first. Naive model "
                "parallelism keeps one device busy at a time and takes 12 ticks for "
                "two micro-batches; take fewer.",
        .hints = {"Nothing on device 0 needs to wait for the backward of micro-batch "
                  "0 before it runs F1.",
                  "Device 1 is the one to keep busy: two forwards, two backwards.",
                  "Device 0: F0 F1 B0 B1. Device 1: F0 B0 F1 B1."},
        .devices = 2,
        .micro_batches = 2,
        .kinds = "FB",
        .reference = "model-parallel",
        .reference_value = 12,
        .goal = 10,
        .optimum = 9,
        .solution = "F0 F1 B0 B1\nF0 B0 F1 B1\n"},
    BoardLevel{
        .number = 6,
        .chapter = "10",
        .title = "All forwards, then all backwards",
        .task = "A GPipe step on three devices with four micro-batches. Memory is no "
                "matter here, so that every forward may run before the first backward.",
        .hints = {"Fill the pipeline with forwards first.",
                  "The backwards run through the devices from the last to the first: "
                  "a second wave, at two ticks each.",
                  "3 (m + p - 1) = 18 ticks: F0 F1 F2 F3 B0 B1 B2 B3 on all devices."},
        .devices = 3,
        .micro_batches = 4,
        .kinds = "FB",
        .reference = "gpipe",
        .reference_value = 18,
        .goal = 20,
        .optimum = 18},
    BoardLevel{
        .number = 7,
        .chapter = "12",
        .title = "Forget, and make again",
        .task = "Two devices, three micro-batches; F 1, R 1, B 2. A device may hold "
                "one activation, but a forward here keeps nothing: a recompute R (one "
                "tick) makes its activation again before the backward. Hide as many "
                "recomputes as you can in the bubble.",
        .hints = {"R0 needs no gradient: it can run while device 0 waits for B0 of "
                  "device 1.",
                  "Device 1 is busy all along: 3 x (1 + 1 + 2) ticks after one tick "
                  "of waiting.",
                  "Device 0: F0 F1 F2 R0 B0 R1 B1 R2 B2. Device 1: F0 R0 B0 F1 …"},
        .devices = 2,
        .micro_batches = 3,
        .kinds = "FRB",
        .limit = {1},
        .reference = "gpipe",
        .reference_value = 15,
        .goal = 16,
        .optimum = 15},
    BoardLevel{
        .number = 8,
        .chapter = "13",
        .title = "One forward, one backward",
        .task = "Three devices, four micro-batches; F 1, B 2. As long as GPipe, for "
                "less memory: device s may hold 3 - s activations, so that device 0 "
                "must run a backward before its fourth forward.",
        .hints = {"A backward frees an activation: run each as soon as its gradient "
                  "is there.",
                  "The last device runs one forward and one backward in turn.",
                  "Warm up with 2, 1 and 0 forwards on devices 0, 1 and 2; then one "
                  "forward, one backward, in turn."},
        .devices = 3,
        .micro_batches = 4,
        .kinds = "FB",
        .limit = {3, 2, 1},
        .reference = "1f1b",
        .reference_value = 18,
        .goal = 20,
        .optimum = 18},
    BoardLevel{
        .number = 9,
        .chapter = "13",
        .title = "Ahead of the link",
        .task =
            "Two devices, four micro-batches; F 1, B 2. Messages take one tick each "
            "way, and 1F1B, with two micro-batches in flight on device 0, waits for "
            "them: 19 ticks. There is memory for three; use it to hide the messages.",
        .hints = {"From the end of F0 on device 0 until B0 there: how many ticks? How "
                  "many forwards fit?",
                  "One more forward on device 0 before its first backward.",
                  "Device 1 should never wait between its first forward and its last "
                  "backward: 2 + 12 ticks, then 1 + 2 on device 0."},
        .devices = 2,
        .micro_batches = 4,
        .kinds = "FB",
        .latency = 1,
        .limit = {3},
        .reference = "1f1b",
        .reference_value = 19,
        .goal = 18,
        .optimum = 17,
        .solution = "F0 F1 F2 B0 F3 B1 B2 B3\nF0 B0 F1 B1 F2 B2 F3 B3\n"},
    BoardLevel{
        .number = 10,
        .chapter = "14",
        .title = "Twice around",
        .task = "Two devices, four micro-batches; F 1 and B 2 of a stage. Two stages a "
                "device: 0 and 2 on device 0, 1 and 3 on device 1. With 1F1B on two "
                "stages of twice the size this work takes 30 ticks; cut finer, the "
                "pipeline fills faster.",
        .hints = {"Two micro-batches through stage 0, then the same two through "
                  "stage 2.",
                  "The first backward is that of stage 3, for micro-batch 0: bring it "
                  "there soon.",
                  "27 ticks: device 1 waits one tick, works 24, and the backward of "
                  "stage 0 comes last."},
        .placement = LevelPlacement::Loop,
        .devices = 2,
        .micro_batches = 4,
        .kinds = "FB",
        .limit = {2.5},
        .reference = "interleaved",
        .reference_value = 27,
        .goal = 28,
        .optimum = 27},
    BoardLevel{
        .number = 11,
        .chapter = "16",
        .title = "Weight gradients can wait",
        .task = "Three devices, four micro-batches; F, I, W 1 each. The backward in "
                "halves: I, the gradient of the input, is what the stage before waits "
                "for; W, of the weights, nobody waits for. Fill bubbles with W, "
                "holding no more than the three activations of 1F1B.",
        .hints = {"An activation is freed by its W, not by its I.",
                  "At the end every device waits for I from the one behind: have Ws "
                  "left for then.",
                  "ZB-H1: as 1F1B, with I for B, and each W as late as memory and the "
                  "end of the step allow. 14 ticks."},
        .devices = 3,
        .micro_batches = 4,
        .kinds = "FIW",
        .limit = {3},
        .reference = "zb-h1",
        .reference_value = 14,
        .goal = 16,
        .optimum = 14},
    BoardLevel{.number = 12,
               .chapter = "16",
               .title = "No bubble at all",
               .task = "Three devices, five micro-batches; F, I, W 1 each. With 2p - 1 "
                       "= 5 activations, no device needs to idle between its first "
                       "action and its last. What counts here is the longest span of a "
                       "device: steps that follow each other interlock.",
               .hints = {"Device 0 gets its first gradient after 5 ticks: it needs "
                         "five forwards until then.",
                         "Device 1 starts after 1 tick and can run I0 after 4: three "
                         "forwards until then. And device 2?",
                         "15 ticks of work on each device, without a gap: ZB-H2."},
               .devices = 3,
               .micro_batches = 5,
               .kinds = "FIW",
               .limit = {5},
               .measure = BoardMeasure::LongestSpan,
               .reference = "zb-h2",
               .reference_value = 15,
               .goal = 16,
               .optimum = 15},
    BoardLevel{
        .number = 13,
        .chapter = "17",
        .title = "Down and back up",
        .task = "Two devices, three micro-batches; F, I, W 1 each of a stage. In a V "
                "placement device 0 holds stages 0 and 3, device 1 stages 1 and 2: the "
                "last stage is where the first one is. Two micro-batches' activations "
                "are all that a device may hold.",
        .hints = {"Stage 2 follows stage 1 on the same device at once.",
                  "The first gradient starts on device 0, as soon as F0 of stage 3 is "
                  "done.",
                  "19 ticks: device 1 waits one tick and then works 18 without a "
                  "gap."},
        .placement = LevelPlacement::V,
        .devices = 2,
        .micro_batches = 3,
        .kinds = "FIW",
        .limit = {2},
        .reference = "v-half",
        .reference_value = 19,
        .goal = 20,
        .optimum = 19},
    BoardLevel{
        .number = 14,
        .chapter = "17",
        .title = "As little memory as can be",
        .task = "Three devices, three micro-batches; F, I, W 1 each of a stage. Six "
                "stages lie in a V, and there is room for two micro-batches a device, "
                "where 1F1B would hold three. V-Min does it in 23 ticks, and nothing "
                "does it in fewer.",
        .hints = {"Bring micro-batch 0 down and back up before you start the third "
                  "one.",
                  "Device 0 has room for four activations of a stage: stages 0 and 5 "
                  "share it.",
                  "A W frees an activation of its stage: run it before memory makes "
                  "the next forward wait."},
        .placement = LevelPlacement::V,
        .devices = 3,
        .micro_batches = 3,
        .kinds = "FIW",
        .limit = {2},
        .reference = "v-min",
        .reference_value = 23,
        .goal = 25,
        .optimum = 23},
    BoardLevel{
        .number = 15,
        .chapter = "17",
        .title = "ZB-V",
        .task = "Three devices, three micro-batches; F, I, W 1 each of a stage. The "
                "same V with the memory of 1F1B, three micro-batches a device: three "
                "ticks less than V-Min.",
        .hints = {"Fill the way down with forwards of stages 0, 1 and 2 while the "
                  "first micro-batch comes back up.",
                  "Weight gradients wait until a device would idle.",
                  "20 ticks: device 2 waits two and works 18 without a gap."},
        .placement = LevelPlacement::V,
        .devices = 3,
        .micro_batches = 3,
        .kinds = "FIW",
        .limit = {3},
        .reference = "zb-v",
        .reference_value = 20,
        .goal = 22,
        .optimum = 20},
    BoardLevel{.number = 16,
               .chapter = "18",
               .title = "From both ends",
               .task = "Two devices, four micro-batches; F 1, B 2. Each device holds a "
                       "copy of both stages. Micro-batches 0 and 1 enter at device 0 "
                       "and run down, 2 and 3 enter at device 1 and run up: two "
                       "pipelines that fill each other's bubbles.",
               .hints = {"Both devices can start at once.",
                         "Each device has 12 ticks of work: 12 means no bubble.",
                         "Both devices do the same, mirrored: F of one way, then F of "
                         "the other, then backwards in turn."},
               .placement = LevelPlacement::TwoWay,
               .devices = 2,
               .micro_batches = 4,
               .kinds = "FB",
               .limit = {2},
               .reference = "chimera",
               .reference_value = 12,
               .goal = 14,
               .optimum = 12},
};

Placement placement_of(const BoardLevel& level) {
  switch (level.placement) {
    case LevelPlacement::Loop:
      return loop_placement(level.devices, 2);
    case LevelPlacement::V:
      return v_placement(level.devices);
    case LevelPlacement::TwoWay:
      return two_way_placement(level.devices);
    case LevelPlacement::Line:
      break;
  }
  return one_stage_per_device(level.devices);
}

}  // namespace

std::span<const BoardLevel> levels() { return kLevels; }

const BoardLevel* find_level(std::int32_t number) {
  const auto at = std::find_if(
      kLevels.begin(), kLevels.end(),
      [number](const BoardLevel& level) { return level.number == number; });
  return at == kLevels.end() ? nullptr : &*at;
}

std::vector<ActionKind> kinds_of(std::string_view letters) {
  std::vector<ActionKind> kinds;
  for (const char letter : letters) {
    for (const ActionKind kind :
         {ActionKind::Forward, ActionKind::Backward, ActionKind::InputGradient,
          ActionKind::WeightGradient, ActionKind::Recompute}) {
      if (to_text(kind) == std::string_view(&letter, 1)) kinds.push_back(kind);
    }
  }
  return kinds;
}

BoardRules rules_of(const BoardLevel& level) {
  BoardRules rules;
  rules.blank.name = "level " + std::to_string(level.number);
  rules.blank.placement = placement_of(level);
  rules.blank.micro_batches = level.micro_batches;
  rules.blank.training = level.kinds != "F";
  rules.blank.rows.resize(static_cast<std::size_t>(level.devices));
  rules.kinds = kinds_of(level.kinds);
  rules.costs.within_node.latency = level.latency;
  const auto& forward = level.stage_forward;
  if (forward != std::array<std::int8_t, 3>{1, 1, 1}) {
    rules.costs.stages.assign(forward.size(), {});
    for (std::size_t s = 0; s < forward.size(); ++s)
      rules.costs.stages[s].forward = forward[s];
  }
  rules.memory_limit.assign(level.limit.begin(), level.limit.end());
  return rules;
}

Schedule reference_of(const BoardLevel& level) {
  return generated(level.reference, rules_of(level)).value_or(Schedule{});
}

Schedule solution_of(const BoardLevel& level) {
  Schedule schedule = reference_of(level);
  std::string_view rest = level.solution;
  for (std::size_t d = 0; !rest.empty(); ++d) {
    Row& row = schedule.rows[d];
    row.clear();
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    for (std::string_view words = line; !words.empty();) {
      const std::string_view word = words.substr(0, words.find(' '));
      words.remove_prefix(std::min(words.size(), word.size() + 1));
      const auto move = parse_move(std::to_string(d) + std::string(word), schedule);
      if (move) row.push_back({move->action});
    }
  }
  return schedule;
}

std::int32_t stars_of(const BoardLevel& level, const Board& board) {
  if (board.left() > 0) return 0;
  const double reached = measured(board, level.measure);
  return no_longer_than(reached, level.optimum) ? 3
         : no_longer_than(reached, level.goal)  ? 2
                                                : 1;
}

}  // namespace pipeline
