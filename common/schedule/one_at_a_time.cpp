#include "schedule/one_at_a_time.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace pipeline {
namespace {

constexpr std::int32_t kNobody = -1;

bool is_send(ActionKind kind) {
  return kind == ActionKind::SendActivation || kind == ActionKind::SendGradient;
}

bool is_of_activation(ActionKind kind) {
  return kind == ActionKind::SendActivation || kind == ActionKind::ReceiveActivation;
}

/// Runs all rows at once, message by message.
class Unjoiner {
 public:
  explicit Unjoiner(const Schedule& schedule)
      : from_(schedule),
        rows_(schedule.rows.size()),
        at_(schedule.rows.size(), 0),
        open_(schedule.rows.size(), 0) {
    const auto messages = 2 * static_cast<std::size_t>(schedule.stages()) *
                          static_cast<std::size_t>(schedule.total_micro_batches());
    sender_.assign(messages, kNobody);
    receiver_.assign(messages, kNobody);
  }

  Expected<std::vector<Row>> run() {
    for (std::size_t d = 0; d < rows_.size(); ++d) ready_.push_back(d);
    while (!ready_.empty()) {
      const std::size_t device = ready_.back();
      ready_.pop_back();
      advance(device);
    }
    for (std::size_t d = 0; d < rows_.size(); ++d) {
      if (at_[d] == from_.rows[d].size() && open_[d] == 0) continue;
      return refuse("device " + std::to_string(d) + " hangs in its row",
                    "verify the schedule with --buffers 0 to see why");
    }
    return std::move(rows_);
  }

 private:
  std::size_t end_of_group(std::size_t device) const {
    const Row& row = from_.rows[device];
    std::size_t end = at_[device] + 1;
    while (end < row.size() && row[end - 1].with_next) ++end;
    return end;
  }

  /// Goes on in a row until a message keeps it waiting.
  void advance(std::size_t device) {
    const Row& row = from_.rows[device];
    while (at_[device] < row.size()) {
      const std::size_t end = end_of_group(device);
      if (!is_communication(row[at_[device]].action.kind)) {
        for (; at_[device] < end; ++at_[device]) {
          rows_[device].push_back(row[at_[device]]);
        }
        continue;
      }
      open_[device] = end - at_[device];
      // While they are posted, none of them may set the row going again.
      ++open_[device];
      for (std::size_t i = at_[device]; i < end; ++i) post(device, row[i].action);
      at_[device] = end;
      if (--open_[device] > 0) return;
    }
  }

  void post(std::size_t device, const Action& action) {
    std::size_t message = 0;
    if (!find_message(action, message)) return;
    auto& mine = is_send(action.kind) ? sender_ : receiver_;
    auto& other = is_send(action.kind) ? receiver_ : sender_;
    mine[message] = static_cast<std::int32_t>(device);
    if (other[message] == kNobody) return;
    pass(message, action);
  }

  /// Both ends have been reached: into both rows with it.
  void pass(std::size_t message, Action action) {
    const bool activation = is_of_activation(action.kind);
    const std::int32_t stage = static_cast<std::int32_t>(
        message / 2 / static_cast<std::size_t>(from_.total_micro_batches()));
    action.kind = activation ? ActionKind::SendActivation : ActionKind::SendGradient;
    action.stage = stage;
    finish(sender_[message], action);
    action.kind =
        activation ? ActionKind::ReceiveActivation : ActionKind::ReceiveGradient;
    action.stage = activation ? stage + 1 : stage - 1;
    finish(receiver_[message], action);
    sender_[message] = receiver_[message] = kNobody;
  }

  void finish(std::int32_t device, const Action& action) {
    const auto d = static_cast<std::size_t>(device);
    rows_[d].push_back({action});
    if (--open_[d] == 0) ready_.push_back(d);
  }

  /// A message goes by the stage that sends it.
  bool find_message(const Action& action, std::size_t& message) const {
    std::int32_t stage = action.stage;
    if (action.kind == ActionKind::ReceiveActivation) --stage;
    if (action.kind == ActionKind::ReceiveGradient) ++stage;
    if (stage < 0 || stage >= from_.stages()) return false;
    message = 2 * (static_cast<std::size_t>(stage) *
                       static_cast<std::size_t>(from_.total_micro_batches()) +
                   static_cast<std::size_t>(action.micro_batch)) +
              (is_of_activation(action.kind) ? 0 : 1);
    return true;
  }

  const Schedule& from_;
  std::vector<Row> rows_;
  std::vector<std::size_t> at_;    ///< each row's next entry
  std::vector<std::size_t> open_;  ///< messages of its group that have not passed
  std::vector<std::int32_t> sender_, receiver_;  ///< of each message, once posted
  std::vector<std::size_t> ready_;
};

}  // namespace

Expected<Schedule> one_at_a_time(const Schedule& lowered) {
  auto rows = Unjoiner(lowered).run();
  if (!rows) return tl::unexpected(rows.error());
  Schedule schedule = lowered;
  schedule.rows = std::move(*rows);
  return schedule;
}

}  // namespace pipeline
