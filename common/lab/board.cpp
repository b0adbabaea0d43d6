#include "lab/board.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "schedule/activations.hpp"
#include "schedule/generate.hpp"
#include "schedule/memory_budget.hpp"
#include "schedule/numbers.hpp"
#include "schedule/reading.hpp"
#include "schedule/text.hpp"
#include "schedule/words.hpp"
#include "timeline/picture.hpp"

namespace pipeline {
namespace {

/// Sums of shares, such as 3 * (1 / 2.0), are exact to about this.
constexpr double kRounding = 1e-9;
/// Of a limit: all that count.
constexpr int kDigits = 9;

bool is_gradient(ActionKind kind) {
  return kind == ActionKind::Backward || kind == ActionKind::InputGradient;
}

/// Whether activations are forgotten and made again.
bool recomputes(const BoardRules& rules) {
  return std::find(rules.kinds.begin(), rules.kinds.end(), ActionKind::Recompute) !=
         rules.kinds.end();
}

/// What the device holds once the action has run, in activations, against before.
std::int32_t change(const BoardRules& rules, ActionKind kind) {
  switch (kind) {
    case ActionKind::Forward:
      return rules.blank.training && !recomputes(rules) ? 1 : 0;
    case ActionKind::Recompute:
      return 1;
    case ActionKind::Backward:
    case ActionKind::WeightGradient:
      return -1;
    default:
      return 0;
  }
}

bool takes_memory(const BoardRules& rules, ActionKind kind) {
  return rules.blank.training &&
         (kind == ActionKind::Forward || kind == ActionKind::Recompute);
}

std::string on_device(std::int32_t device) { return "device " + number(device, 0); }

/// "F", "F and B", "F, I and W".
std::string kinds_in_words(const std::vector<ActionKind>& kinds) {
  std::string words;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (i > 0) words += i + 1 == kinds.size() ? " and " : ", ";
    words += to_text(kinds[i]);
  }
  return words;
}

}  // namespace

// --- The board

Board::Board(BoardRules rules)
    : rules_(std::move(rules)),
      placed_(rules_.blank),
      pending_(placed_),
      stages_on_(static_cast<std::size_t>(placed_.devices())),
      free_at_(stages_on_.size(), 0),
      end_(2 * pending_.size(), 0),
      held_(stages_on_.size(), 0),
      peak_(stages_on_.size(), 0) {
  for (std::int32_t stage = 0; stage < placed_.stages(); ++stage) {
    for (std::int32_t k = 0; k < micro_batches(); ++k) {
      for (const ActionKind kind : rules_.kinds) pending_.insert({kind, 0, stage, k});
    }
    for (std::int32_t copy = 0; copy < placed_.placement.copies(); ++copy) {
      stages_on_[static_cast<std::size_t>(placed_.placement.device_of(stage, copy))]
          .push_back(stage);
    }
  }
  left_ = pending_.size() * rules_.kinds.size();
  progress_.emplace(placed_, pending_);
  visited_ = stages_visited(placed_);
  timeline_.spans.resize(stages_on_.size());
}

double& Board::end_of(const Action& action) {
  const std::size_t half = is_gradient(action.kind) ? pending_.size() : 0;
  return end_[half + pending_.cell(action)];
}

double Board::cost(const Action& action) const {
  const StageCosts& costs = rules_.costs.of(action.stage);
  switch (action.kind) {
    case ActionKind::Forward:
      return costs.forward;
    case ActionKind::Backward:
      return costs.backward();
    case ActionKind::InputGradient:
      return costs.input_gradient;
    case ActionKind::WeightGradient:
      return costs.weight_gradient;
    case ActionKind::Recompute:
      return costs.recompute;
    default:
      return 0;
  }
}

std::optional<double> Board::arrival(const Action& action) const {
  const bool forward = action.kind == ActionKind::Forward;
  if (!forward && !is_gradient(action.kind)) return 0;
  const std::int32_t from = action.stage + (forward ? -1 : 1);
  if (from < 0 || from >= placed_.stages()) return 0;
  if (pending_.contains({action.kind, 0, from, action.micro_batch})) return {};
  const std::int32_t here = placed_.device_of(action.stage, action.micro_batch);
  const std::int32_t there = placed_.device_of(from, action.micro_batch);
  const double end =
      end_[(forward ? 0 : pending_.size()) + pending_.cell(from, action.micro_batch)];
  return here == there ? end : end + rules_.costs.between(there, here).latency;
}

Span Board::span_of(const Move& move) const {
  const double start = std::max(free_at(move.device), arrival(move.action).value_or(0));
  return {start, start + cost(move.action)};
}

double Board::share_of_one(std::int32_t device) const {
  return 1.0 / std::max(visited_[static_cast<std::size_t>(device)], 1);
}

double Board::held(std::int32_t device) const {
  const auto d = static_cast<std::size_t>(device);
  return static_cast<double>(held_[d]) / std::max(visited_[d], 1);
}

std::optional<double> Board::limit(std::int32_t device) const {
  return limit_of(rules_.memory_limit, static_cast<std::size_t>(device));
}

bool Board::is_full(std::int32_t device) const {
  const auto most = limit(device);
  return most && held(device) + share_of_one(device) > *most + kRounding;
}

bool Board::fits_in_memory(const Move& move) const {
  return !takes_memory(rules_, move.action.kind) || !is_full(move.device);
}

std::vector<std::vector<MemoryStep>> Board::held_over_time() const {
  Schedule whole = placed_;
  const std::int32_t recomputed = recomputes(rules_) ? whole.stages() : 0;
  for (std::int32_t stage = 0; stage < recomputed; ++stage) {
    for (std::int32_t k = 0; k < micro_batches(); ++k) {
      const auto device = static_cast<std::size_t>(whole.device_of(stage, k));
      whole.rows[device].push_back({{ActionKind::Recompute, 0, stage, k}});
    }
  }
  return memory_curve(placed_, timeline_, {}, Recomputed(whole));
}

// --- Why not?

/// What is wrong with the move whatever was placed before it.
std::optional<std::string> Board::misfit(const Move& move) const {
  const Action& action = move.action;
  if (std::find(rules_.kinds.begin(), rules_.kinds.end(), action.kind) ==
      rules_.kinds.end()) {
    return "This board has no " + std::string(to_text(action.kind)) +
           ": its actions are " + kinds_in_words(rules_.kinds) + ".";
  }
  if (action.stage < 0 || action.stage >= placed_.stages()) {
    return "There is no stage " + number(action.stage, 0) + ": stages run from 0 to " +
           number(placed_.stages() - 1, 0) + ".";
  }
  if (action.micro_batch < 0 || action.micro_batch >= micro_batches()) {
    return "There is no micro-batch " + number(action.micro_batch, 0) +
           ": they run from 0 to " + number(micro_batches() - 1, 0) + ".";
  }
  const std::int32_t device = placed_.device_of(action.stage, action.micro_batch);
  if (device != move.device) {
    return in_words(action) + " belongs on " + on_device(device) + ", not on " +
           on_device(move.device) + ".";
  }
  return {};
}

/// Names the first thing in the way, and what comes first of all on the way to it.
std::string Board::missing_in_words(const Action& action, Action on) {
  std::string words =
      in_words(action) + " needs " + in_words(on) + ", which is not placed yet";
  Action next;
  const Action first = on;
  while (progress_->must_wait(on, next)) on = next;
  return words + (on == first ? "." : "; that begins with " + in_words(on) + ".");
}

std::string Board::over_memory_in_words(const Move& move) {
  const std::string most = number(limit(move.device).value_or(0), kDigits);
  std::string words = in_words(move.action) +
                      " does not fit: " + on_device(move.device) + " holds " +
                      short_number(held(move.device)) + " of at most " + most +
                      (most == "1" ? " activation" : " activations") + ", and a ";
  words += to_text(rules_.kinds.back());
  const double one = share_of_one(move.device);
  return words + " there frees " + (one < 1 ? short_number(one) : "one") + ".";
}

std::string Board::refusal(const Move& move) {
  if (auto why = misfit(move)) return *std::move(why);
  if (!pending_.contains(move.action)) {
    return in_words(move.action) + " is on " + on_device(move.device) + " already.";
  }
  Action on;
  if (progress_->must_wait(move.action, on)) return missing_in_words(move.action, on);
  return fits_in_memory(move) ? "" : over_memory_in_words(move);
}

bool Board::is_ready(const Move& move) {
  Action on;
  return !misfit(move) && pending_.contains(move.action) &&
         !progress_->must_wait(move.action, on) && fits_in_memory(move);
}

// --- Going on

void Board::place(const Move& move) {
  const auto d = static_cast<std::size_t>(move.device);
  const Span span = span_of(move);
  placed_.rows[d].push_back({move.action});
  timeline_.spans[d].push_back(span);
  moves_.push_back(move);
  free_at_[d] = span.end;
  if (move.action.kind == ActionKind::Forward || is_gradient(move.action.kind))
    end_of(move.action) = span.end;
  const bool takes = takes_memory(rules_, move.action.kind) || !rules_.blank.training;
  if (takes)
    peak_[d] = std::max(peak_[d], held(move.device) + share_of_one(move.device));
  held_[d] += change(rules_, move.action.kind);
  progress_->complete(move.action, [](std::int32_t, Progress::Key) {});
  --left_;
}

std::vector<ReadyMove> Board::ready() {
  std::vector<ReadyMove> moves;
  for (std::int32_t d = 0; d < placed_.devices(); ++d) {
    for (const std::int32_t stage : stages_on(d)) {
      for (std::int32_t k = 0; k < micro_batches(); ++k) {
        for (const ActionKind kind : rules_.kinds) {
          const Move move{d, {kind, 0, stage, k}};
          if (is_ready(move)) moves.push_back({move, span_of(move)});
        }
      }
    }
  }
  return moves;
}

std::vector<ReadyMove> Board::ready_in_order() {
  std::vector<ReadyMove> moves;
  for (std::int32_t d = 0; d < placed_.devices(); ++d) {
    for (const std::int32_t stage : stages_on(d)) {
      for (const ActionKind kind : rules_.kinds) {
        std::int32_t k = 0;
        while (k < micro_batches() && (placed_.device_of(stage, k) != d ||
                                       !pending_.contains({kind, 0, stage, k}))) {
          ++k;
        }
        const Move move{d, {kind, 0, stage, k}};
        if (k < micro_batches() && is_ready(move))
          moves.push_back({move, span_of(move)});
      }
    }
  }
  return moves;
}

// --- Text

std::string to_text(const Move& move, const Schedule& schedule) {
  return number(move.device, 0) + to_text(move.action, holds_several_stages(schedule));
}

Expected<Move> parse_move(std::string_view text, const Schedule& schedule) {
  const auto refused = [text](const std::string& why) {
    return refuse(in_quotes(text) + " is no move: " + why,
                  "Write a device and an action, as in 0F3, or with the stage where a "
                  "device holds several: 02F3.");
  };
  if (text.empty() || text.front() < '0' || text.front() > '9')
    return refused("it does not begin with a device");
  Move move{text.front() - '0', {}};
  if (move.device >= schedule.devices()) {
    return refused("devices run from 0 to " + number(schedule.devices() - 1, 0));
  }
  std::string_view rest = text.substr(1);
  const bool names_stage = !rest.empty() && rest.front() >= '0' && rest.front() <= '9';
  if (names_stage && !take_number(rest, move.action.stage))
    return refused("there is no such stage");
  if (!names_stage) {
    if (holds_several_stages(schedule)) return refused("it does not name its stage");
    const auto& devices = schedule.placement.device_of_stage;
    move.action.stage = static_cast<std::int32_t>(
        std::find(devices.begin(), devices.end(), move.device) - devices.begin());
  }
  constexpr std::array kKinds{ActionKind::Forward, ActionKind::Backward,
                              ActionKind::InputGradient, ActionKind::WeightGradient,
                              ActionKind::Recompute};
  for (const ActionKind kind : kKinds) {
    if (!rest.starts_with(to_text(kind))) continue;
    move.action.kind = kind;
    rest.remove_prefix(to_text(kind).size());
    const bool digits = !rest.empty() && rest.front() != '-';
    if (digits && take_number(rest, move.action.micro_batch) && rest.empty())
      return move;
    return refused("a micro-batch follows the letter");
  }
  return refused("its letter is none of F, B, I, W and R");
}

Schedule finished(const Board& board) {
  Schedule schedule = board.placed();
  if (schedule.training) append_updates(schedule, 0, /*global_norm=*/false);
  return schedule;
}

}  // namespace pipeline
