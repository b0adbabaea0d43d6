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
// Not of each part: recomputations are optional, the rest ends a group.
constexpr KindSet kNotOfEachPart = set_of(ActionKind::Recompute, ActionKind::Reduce,
                                          ActionKind::ReduceNorm, ActionKind::Update);
constexpr std::array<ActionKind, 4> kMessageKinds{
    ActionKind::SendActivation, ActionKind::ReceiveActivation, ActionKind::SendGradient,
    ActionKind::ReceiveGradient};

class CensusTaker {
 public:
  CensusTaker(const Schedule& schedule, FaultList& faults)
      : schedule_(schedule), faults_(faults), pending_(schedule), groups_(schedule) {
    plain_kinds_ = set_of(ActionKind::Forward);
    if (schedule.training) {
      plain_kinds_ |= kBackward | kHalves | set_of(ActionKind::Recompute);
    }
    lowest_stage_of_.assign(schedule.rows.size(), kNone);
    for (std::int32_t stage = schedule.stages(); stage-- > 0;) {
      lowest_stage_of(schedule.placement.device_of(stage)) = stage;
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
    if (has_norms_) check_norms();
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
      if (device_of(action) != device) add_misplaced(action, device);
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
             ", but device " + std::to_string(device_of(action)) +
             (groups_.copies() == 1 ? " holds that stage"
                                    : " holds that stage for that micro-batch");
    });
  }

  std::int32_t device_of(const Action& action) const {
    return schedule_.device_of(action.stage, action.micro_batch);
  }
  std::int32_t& lowest_stage_of(std::int32_t device) {
    return lowest_stage_of_[static_cast<std::size_t>(device)];
  }

  bool is_well_formed(const Action& action) {
    if (!pending_.in_range(action)) return false;
    if ((plain_kinds_ & set_of(action.kind)) != 0) return true;
    if (!is_communication(action.kind)) {
      return schedule_.training && ends_group(action) && may_end_group(action);
    }
    lowered_ = true;
    return moves(action.kind) && crosses(action);
  }

  // Whether it carries the last micro-batch of a group, on its copy of the weights.
  bool ends_group(const Action& action) const {
    return action.slice == 0 && groups_.is_last(action.micro_batch);
  }

  // Without one there is no moment at which the gradients of all stages are known.
  bool has_flush() const {
    return schedule_.weights != WeightPolicy::Stashed &&
           schedule_.weights != WeightPolicy::VerticalSync;
  }

  bool may_end_group(const Action& action) {
    if (action.kind == ActionKind::Reduce) return groups_.copies() > 1;
    if (action.kind != ActionKind::ReduceNorm) return true;
    if (!has_flush() || groups_.copy_of(action.micro_batch) != 0 ||
        lowest_stage_of(device_of(action)) != action.stage) {
      return false;
    }
    has_norms_ = true;
    return true;
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
           schedule_.device_of(peer, message.micro_batch) != device_of(message);
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
    if (!pending_.in_range(action)) return why_no_such_slice(action);
    if (!is_communication(action.kind)) return why_no_end_of_group(action);
    if (!moves(action.kind)) return "the schedule runs forwards only";
    const std::int32_t peer = partner_of(action).stage;
    if (peer < 0) return "there is no stage before it";
    if (peer >= schedule_.stages()) return "there is no stage behind it";
    return "stage " + std::to_string(peer) +
           " is on the same device, and needs no message";
  }

  std::string why_no_such_slice(const Action& action) const {
    if (schedule_.slices.empty()) return "its micro-batches are not cut into slices";
    return "slices of micro-batch " + std::to_string(action.micro_batch) +
           " run from 0 to " +
           std::to_string(schedule_.slices_of(action.micro_batch) - 1);
  }

  std::string why_no_end_of_group(const Action& action) const {
    if (!schedule_.training) return "the schedule runs forwards only";
    if (action.kind == ActionKind::Reduce && groups_.copies() == 1) {
      return "there is one copy of the weights, and so no sum over copies";
    }
    if (action.kind == ActionKind::ReduceNorm && !has_flush()) {
      return "with an update after each backward there is no norm of all gradients";
    }
    if (action.slice != 0) return "what ends a step is not of one slice";
    if (!ends_group(action)) {
      const char* const what = action.kind == ActionKind::Update   ? "an update"
                               : action.kind == ActionKind::Reduce ? "a sum over copies"
                                                                   : "a norm";
      return std::string(what) + " carries the last micro-batch of its step" +
             (groups_.copies() == 1 ? "" : " on its copy of the weights");
    }
    return "a norm carries the last micro-batch of the first copy of the weights, and "
           "the lowest stage that its device holds of it";
  }

  // --- Every cell of the table, once ---

  // The sends and receives that stage `stage` makes for each part of a micro-batch.
  KindSet messages_of(std::int32_t stage, std::int32_t micro_batch) const {
    KindSet messages = 0;
    for (const ActionKind kind : kMessageKinds) {
      if (lowered_ && moves(kind) && crosses({kind, 0, stage, micro_batch})) {
        messages |= set_of(kind);
      }
    }
    return messages;
  }

  void check_stage(std::int32_t stage) {
    if (groups_.copies() == 1) {
      return check_parts(stage, 0, schedule_.total_micro_batches());
    }
    for (std::int32_t group = 0; group < groups_.count(); ++group) {
      for (const std::int32_t copy : {0, 1}) {
        check_parts(stage, groups_.begin(group, copy), groups_.end(group, copy));
      }
    }
  }

  // Of micro-batches [first, end), which run on one copy of the weights.
  void check_parts(std::int32_t stage, std::int32_t first, std::int32_t end) {
    const KindSet messages = messages_of(stage, first);
    const KindSet forward = messages | set_of(ActionKind::Forward);
    const KindSet whole = schedule_.training ? forward | kBackward : forward;
    const KindSet halves = schedule_.training ? forward | kHalves : forward;
    const std::size_t row = pending_.cell(stage, 0);
    const std::int32_t end_part = pending_.parts().of(end, 0);
    for (std::int32_t part = pending_.parts().of(first, 0); part < end_part; ++part) {
      const auto held = static_cast<KindSet>(
          pending_[row + static_cast<std::size_t>(part)] & ~kNotOfEachPart);
      if (held != whole && held != halves) check_cell(stage, part, held, messages);
    }
  }

  void check_cell(std::int32_t stage, std::int32_t part, KindSet held,
                  KindSet messages) {
    const auto action = [&](ActionKind kind) {
      return pending_.parts().action(kind, stage, part);
    };
    const auto lacks = [&](ActionKind kind) { return (held & set_of(kind)) == 0; };
    if (lacks(ActionKind::Forward)) add_missing(action(ActionKind::Forward));
    if (schedule_.training) check_backward(action(ActionKind::Backward), held);
    for (const ActionKind kind : kMessageKinds) {
      if ((messages & set_of(kind)) != 0 && lacks(kind)) add_lost_message(action(kind));
    }
  }

  void check_backward(Action backward, KindSet held) {
    const bool whole = (held & kBackward) != 0;
    const bool half = (held & kHalves) != 0;
    if (whole && half) {
      faults_.add(FaultKind::Twice, [&] {
        return in_words(backward) + " stands there whole, and in halves (I, W) as well";
      });
    } else if (!whole && !half) {
      add_missing(backward);
    } else if (half && (held & kHalves) != kHalves) {
      const bool input = (held & set_of(ActionKind::InputGradient)) != 0;
      backward.kind = input ? ActionKind::WeightGradient : ActionKind::InputGradient;
      add_missing(backward);
    }
  }

  void check_updates(std::int32_t stage) {
    for (std::int32_t group = 0; group < groups_.count(); ++group) {
      for (std::int32_t copy = 0; copy < groups_.copies(); ++copy) {
        const std::int32_t last = groups_.last(group, copy);
        if (groups_.copies() > 1) need({ActionKind::Reduce, 0, stage, last});
        need({ActionKind::Update, 0, stage, last});
      }
    }
  }

  // All devices must be in a norm, or none.
  void check_norms() {
    const auto norm_of = [this](std::int32_t stage, std::int32_t group) {
      return Action{ActionKind::ReduceNorm, 0, stage, groups_.last(group, 0)};
    };
    for (std::int32_t group = 0; group < groups_.count(); ++group) {
      bool any = false;
      for (const std::int32_t stage : lowest_stage_of_) {
        any |= stage != kNone && pending_.contains(norm_of(stage, group));
      }
      if (!any) continue;
      for (const std::int32_t stage : lowest_stage_of_) {
        if (stage != kNone) need(norm_of(stage, group));
      }
    }
  }

  void need(const Action& action) {
    if (!pending_.contains(action)) add_missing(action);
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

  static constexpr std::int32_t kNone = -1;

  const Schedule& schedule_;
  FaultList& faults_;
  PendingTable pending_;
  UpdateGroups groups_;
  std::vector<std::int32_t> lowest_stage_of_;  // of the first copy, by device
  bool has_norms_ = false;
  KindSet plain_kinds_ = 0;  // well-formed wherever they are in range
  bool lowered_ = false;
  std::vector<Action> left_out_;
};

}  // namespace

Census take_census(const Schedule& schedule, FaultList& faults) {
  return CensusTaker(schedule, faults).take();
}

}  // namespace pipeline
