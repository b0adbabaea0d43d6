#include "schedule/census.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "schedule/words.hpp"

namespace pipeline {
namespace {

constexpr KindSet kHalves =
    set_of(ActionKind::InputGradient, ActionKind::WeightGradient);
constexpr KindSet kBackward = set_of(ActionKind::Backward);
constexpr KindSet kOptional = set_of(ActionKind::Recompute, ActionKind::Update);
constexpr std::array<ActionKind, 4> kMessageKinds{
    ActionKind::SendActivation, ActionKind::ReceiveActivation, ActionKind::SendGradient,
    ActionKind::ReceiveGradient};

class CensusTaker {
 public:
  CensusTaker(const Schedule& schedule, FaultList& faults)
      : schedule_(schedule), faults_(faults), pending_(schedule) {
    plain_kinds_ = set_of(ActionKind::Forward);
    if (schedule.training) {
      plain_kinds_ |= kBackward | kHalves | set_of(ActionKind::Recompute);
    }
  }

  Census take() {
    for (std::int32_t device = 0; device < schedule_.devices(); ++device) {
      count_row(device);
    }
    for (std::int32_t stage = 0; stage < schedule_.stages(); ++stage) {
      check_stage(stage);
      if (schedule_.training) check_updates(stage);
    }
    leave_out();
    return {std::move(pending_), lowered_};
  }

 private:
  // --- Every entry of a row, once ---

  void count_row(std::int32_t device) {
    const Row& row = schedule_.rows[static_cast<std::size_t>(device)];
    for (const Entry& entry : row) {
      const Action& action = entry.action;
      if (!is_well_formed(action)) {
        faults_.add(FaultKind::Malformed, [&] {
          return "the row of device " + std::to_string(device) + " holds " +
                 in_words(action) + ": " + why_malformed(action);
        });
        continue;
      }
      if (pending_.contains(action)) {
        faults_.add(FaultKind::Twice, [&] {
          return in_words(action) +
                 " stands more than once, again in the row of device " +
                 std::to_string(device);
        });
      }
      pending_.insert(action);
      if (schedule_.placement.device_of(action.stage) != device) {
        add_misplaced(action, device);
      }
    }
    if (!row.empty() && row.back().with_next) {
      faults_.add(FaultKind::Malformed, [&] {
        return "the last entry in the row of device " + std::to_string(device) +
               " is joined with a next one that is not there";
      });
    }
  }

  void add_misplaced(const Action& action, std::int32_t device) {
    left_out_.push_back(action);
    if (is_communication(action.kind)) left_out_.push_back(partner_of(action));
    faults_.add(FaultKind::WrongDevice, [&] {
      return in_words(action) + " is in the row of device " + std::to_string(device) +
             ", but device " +
             std::to_string(schedule_.placement.device_of(action.stage)) +
             " holds that stage";
    });
  }

  bool is_well_formed(const Action& action) {
    if (!pending_.in_range(action)) return false;
    if ((plain_kinds_ & set_of(action.kind)) != 0) return true;
    if (action.kind == ActionKind::Update) {
      return schedule_.training && ends_step(action.micro_batch);
    }
    if (!is_communication(action.kind)) return false;
    lowered_ = true;
    return moves(action.kind) && crosses(action);
  }

  bool ends_step(std::int32_t micro_batch) const {
    return (micro_batch + 1) % schedule_.micro_batches == 0;
  }

  // Whether messages of this kind belong to the schedule at all.
  bool moves(ActionKind kind) const {
    return schedule_.training || kind == ActionKind::SendActivation ||
           kind == ActionKind::ReceiveActivation;
  }

  // Whether a message has two ends, on two devices.
  bool crosses(const Action& message) const {
    const std::int32_t peer = partner_of(message).stage;
    return peer >= 0 && peer < schedule_.stages() &&
           schedule_.placement.device_of(peer) !=
               schedule_.placement.device_of(message.stage);
  }

  std::string why_malformed(const Action& action) const {
    if (action.kind > ActionKind::Update) return "there is no such kind of action";
    if (action.stage < 0 || action.stage >= schedule_.stages()) {
      return "stages run from 0 to " + std::to_string(schedule_.stages() - 1);
    }
    if (action.micro_batch < 0 || action.micro_batch >= pending_.micro_batches()) {
      return "micro-batches run from 0 to " +
             std::to_string(pending_.micro_batches() - 1);
    }
    if (action.slice != 0) return "its micro-batches are not cut into slices";
    if (action.kind == ActionKind::Reduce || action.kind == ActionKind::ReduceNorm) {
      return "the schedule names no group of devices to reduce over";
    }
    if (!schedule_.training && !is_communication(action.kind)) {
      return "the schedule runs forwards only";
    }
    if (action.kind == ActionKind::Update) {
      return "an update carries the last micro-batch of its step";
    }
    if (!moves(action.kind)) return "the schedule runs forwards only";
    const std::int32_t peer = partner_of(action).stage;
    if (peer < 0) return "there is no stage before it";
    if (peer >= schedule_.stages()) return "there is no stage behind it";
    return "stage " + std::to_string(peer) +
           " is on the same device, and needs no message";
  }

  // --- Every cell of the table, once ---

  // The sends and receives that stage `stage` makes for each micro-batch.
  KindSet messages_of(std::int32_t stage) const {
    KindSet messages = 0;
    for (const ActionKind kind : kMessageKinds) {
      if (lowered_ && moves(kind) && crosses({kind, 0, stage, 0})) {
        messages |= set_of(kind);
      }
    }
    return messages;
  }

  void check_stage(std::int32_t stage) {
    const KindSet messages = messages_of(stage);
    const KindSet forward = messages | set_of(ActionKind::Forward);
    const KindSet whole = schedule_.training ? forward | kBackward : forward;
    const KindSet halves = schedule_.training ? forward | kHalves : forward;
    const std::size_t first = pending_.cell(stage, 0);
    for (std::int32_t k = 0; k < pending_.micro_batches(); ++k) {
      const auto held = static_cast<KindSet>(
          pending_[first + static_cast<std::size_t>(k)] & ~kOptional);
      if (held != whole && held != halves) check_cell(stage, k, held, messages);
    }
  }

  void check_cell(std::int32_t stage, std::int32_t k, KindSet held, KindSet messages) {
    const auto lacks = [&](ActionKind kind) { return (held & set_of(kind)) == 0; };
    if (lacks(ActionKind::Forward)) add_missing({ActionKind::Forward, 0, stage, k});
    if (schedule_.training) check_backward(stage, k, held);
    for (const ActionKind kind : kMessageKinds) {
      if ((messages & set_of(kind)) != 0 && lacks(kind)) {
        add_lost_message({kind, 0, stage, k});
      }
    }
  }

  void check_backward(std::int32_t stage, std::int32_t k, KindSet held) {
    const bool whole = (held & kBackward) != 0;
    const bool half = (held & kHalves) != 0;
    if (whole && half) {
      faults_.add(FaultKind::Twice, [&] {
        return in_words({ActionKind::Backward, 0, stage, k}) +
               " stands there whole, and in halves (I, W) as well";
      });
    } else if (!whole && !half) {
      add_missing({ActionKind::Backward, 0, stage, k});
    } else if (half && (held & kHalves) != kHalves) {
      const bool input = (held & set_of(ActionKind::InputGradient)) != 0;
      add_missing({input ? ActionKind::WeightGradient : ActionKind::InputGradient, 0,
                   stage, k});
    }
  }

  void check_updates(std::int32_t stage) {
    for (std::int32_t step = 1; step <= schedule_.steps; ++step) {
      const Action update{ActionKind::Update, 0, stage,
                          step * schedule_.micro_batches - 1};
      if (!pending_.contains(update)) add_missing(update);
    }
  }

  void add_missing(const Action& action) {
    faults_.add(FaultKind::Missing, [&] { return in_words(action) + " is in no row"; });
  }

  // `action` is an end of a message that no row holds. Where the other end is lost too
  // it is one fault, told by the sender's side.
  void add_lost_message(const Action& action) {
    const Action other = partner_of(action);
    if (pending_.contains(other)) {
      left_out_.push_back(other);
      faults_.add(FaultKind::Unmatched, [&] {
        return in_words(other) + " has no counterpart: " + in_words(action) +
               " is in no row";
      });
    } else if (action.kind == ActionKind::SendActivation ||
               action.kind == ActionKind::SendGradient) {
      faults_.add(FaultKind::Missing, [&] {
        return in_words(action) + " and " + in_words(other) + " are in no row";
      });
    }
  }

  void leave_out() {
    for (const Action& action : left_out_) pending_.erase(action);
  }

  const Schedule& schedule_;
  FaultList& faults_;
  PendingTable pending_;
  KindSet plain_kinds_ = 0;  // well-formed wherever they are in range
  bool lowered_ = false;
  std::vector<Action> left_out_;
};

}  // namespace

Census take_census(const Schedule& schedule, FaultList& faults) {
  return CensusTaker(schedule, faults).take();
}

}  // namespace pipeline
