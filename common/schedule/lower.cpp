#include "schedule/lower.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "schedule/moments.hpp"
#include "schedule/pending.hpp"
#include "schedule/words.hpp"

namespace pipeline {
namespace {

bool gives_input_gradient(ActionKind kind) {
  return kind == ActionKind::Backward || kind == ActionKind::InputGradient;
}

// Which messages a computation takes and gives. There is none where its neighbour does
// not exist, or is on the same device.
class Messages {
 public:
  explicit Messages(const Schedule& schedule) : schedule_(schedule) {}

  std::optional<Action> received_for(const Action& action) const {
    if (action.kind == ActionKind::Forward) {
      return message(ActionKind::ReceiveActivation, action);
    }
    if (!gives_input_gradient(action.kind)) return std::nullopt;
    return message(ActionKind::ReceiveGradient, action);
  }
  std::optional<Action> sent_from(const Action& action) const {
    if (action.kind == ActionKind::Forward) {
      return message(ActionKind::SendActivation, action);
    }
    if (!gives_input_gradient(action.kind)) return std::nullopt;
    return message(ActionKind::SendGradient, action);
  }

 private:
  std::optional<Action> message(ActionKind kind, const Action& computation) const {
    Action action = computation;
    action.kind = kind;
    const std::int32_t stages = schedule_.stages();
    const std::int32_t peer = partner_of(action).stage;
    if (action.stage < 0 || action.stage >= stages || peer < 0 || peer >= stages ||
        schedule_.device_of(peer, action.micro_batch) ==
            schedule_.device_of(action.stage, action.micro_batch)) {
      return std::nullopt;
    }
    return action;
  }

  const Schedule& schedule_;
};

// Calls `work(begin, end)` for each unit of a row: an entry, or several joined ones.
template <typename Work>
void for_each_unit(const Row& row, const Work& work) {
  for (std::size_t begin = 0; begin < row.size();) {
    std::size_t end = begin + 1;
    while (end < row.size() && row[end - 1].with_next) ++end;
    work(row.data() + begin, row.data() + end);
    begin = end;
  }
}

// Where receives stand: each in its row, before one of its units. The receives of a row
// are sorted by unit, and those before one unit by the moment of their sends.
class ReceivePlan {
 public:
  ReceivePlan(const Schedule& schedule, const std::vector<std::vector<Moment>>& moments)
      : schedule_(schedule), messages_(schedule), parts_(schedule), moments_(moments) {
    find_consumers();
    place_all();
    for (std::vector<Receive>& row : receives_) sort(row);
  }

  struct Receive {
    Action action;
    std::int32_t unit;
    Moment sent;
    std::size_t sender_entry;  // of the computation that gives it
  };
  const std::vector<Receive>& of(std::size_t device) const { return receives_[device]; }

 private:
  static constexpr std::int32_t kLast = std::numeric_limits<std::int32_t>::max();

  std::size_t cell(const Action& action) const {
    return static_cast<std::size_t>(action.stage) *
               static_cast<std::size_t>(parts_.count()) +
           static_cast<std::size_t>(parts_.of(action.micro_batch, action.slice));
  }
  // A receive, in the table of consumers.
  std::int32_t& consumer_of(const Action& receive) {
    const bool gradient = receive.kind == ActionKind::ReceiveGradient;
    return consumers_[2 * cell(receive) + (gradient ? 1 : 0)];
  }
  std::int32_t& earliest_on_link_of(const Action& send) {
    const bool gradient = send.kind == ActionKind::SendGradient;
    const std::int32_t stage =
        schedule_.copy_of(send.micro_batch) * schedule_.stages() + send.stage;
    return earliest_[2 * static_cast<std::size_t>(stage) + (gradient ? 1 : 0)];
  }

  void find_consumers() {
    consumers_.resize(2 * static_cast<std::size_t>(schedule_.stages()) *
                      static_cast<std::size_t>(parts_.count()));
    for (const Row& row : schedule_.rows) {
      std::int32_t unit = 0;
      for (const Entry& entry : row) {
        const auto receive = messages_.received_for(entry.action);
        if (receive) consumer_of(*receive) = unit;
        if (!entry.with_next) ++unit;
      }
    }
  }

  void place_all() {
    receives_.resize(schedule_.rows.size());
    earliest_.assign(2 * static_cast<std::size_t>(schedule_.stages()) *
                         static_cast<std::size_t>(schedule_.placement.copies()),
                     kLast);
    for (std::size_t d = 0; d < schedule_.rows.size(); ++d) {
      const Row& row = schedule_.rows[d];
      // From the end, so that a link knows the places of its later messages.
      auto unit = static_cast<std::int32_t>(moments_[d].size());
      for (std::size_t i = row.size(); i-- > 0;) {
        if (!row[i].with_next) --unit;
        const auto send = messages_.sent_from(row[i].action);
        if (send) place(*send, moments_[d], static_cast<std::size_t>(unit), i);
      }
    }
  }

  // As late as may be: before its consumer, before the sender must go on, and before
  // the receives of later messages of its link.
  void place(const Action& send, const std::vector<Moment>& sender, std::size_t unit,
             std::size_t entry) {
    const Action receive = partner_of(send);
    const auto device = static_cast<std::size_t>(
        schedule_.device_of(receive.stage, receive.micro_batch));
    std::int32_t at = consumer_of(receive);
    if (unit + 1 < sender.size()) {
      at = first_from(moments_[device], sender[unit + 1], at);
    }
    std::int32_t& earliest = earliest_on_link_of(send);
    earliest = std::min(earliest, at);
    receives_[device].push_back({receive, earliest, sender[unit], entry});
  }

  // The first unit with a moment from `moment` on, at most `at`, near to which it is
  // looked for.
  static std::int32_t first_from(const std::vector<Moment>& row, Moment moment,
                                 std::int32_t at) {
    const auto end = row.begin() + at;
    std::ptrdiff_t step = 1;
    while (step < at && *(end - step) >= moment) step *= 2;
    return static_cast<std::int32_t>(
        std::lower_bound(end - std::min<std::ptrdiff_t>(step, at), end, moment) -
        row.begin());
  }

  static void sort(std::vector<Receive>& row) {
    std::sort(row.begin(), row.end(), [](const Receive& a, const Receive& b) {
      return std::tie(a.unit, a.sent, a.sender_entry) <
             std::tie(b.unit, b.sent, b.sender_entry);
    });
  }

  const Schedule& schedule_;
  Messages messages_;
  Parts parts_;
  const std::vector<std::vector<Moment>>& moments_;
  std::vector<std::int32_t> consumers_;  // unit in its row, by cell and kind
  std::vector<std::int32_t> earliest_;   // receive of a link so far, by link
  std::vector<std::vector<Receive>> receives_;
};

// Builds one row. Communication joins what was added right before it, if that was
// communication too: so all between two computations ends up in one group.
class RowBuilder {
 public:
  explicit RowBuilder(std::size_t entries) { row_.reserve(entries); }

  void communicate(const Action& action) {
    if (!row_.empty() && is_communication(row_.back().action.kind)) {
      row_.back().with_next = true;
    }
    row_.push_back({action});
  }
  void compute(const Entry& entry) { row_.push_back(entry); }
  Row take() { return std::move(row_); }

 private:
  Row row_;
};

// A row with its sends, and whatever `receive(begin, end, to)` puts before a unit.
template <typename Receive>
Row lower_row(const Row& row, const Messages& messages, const Receive& receive) {
  // A computation has at most one receive and one send.
  RowBuilder lowered(3 * row.size());
  for_each_unit(row, [&](const Entry* begin, const Entry* end) {
    receive(begin, end, lowered);
    for (const Entry* e = begin; e != end; ++e) lowered.compute(*e);
    for (const Entry* e = begin; e != end; ++e) {
      if (const auto send = messages.sent_from(e->action)) lowered.communicate(*send);
    }
  });
  return lowered.take();
}

Row lower_row(const Row& row, const Messages& messages,
              const std::vector<ReceivePlan::Receive>& receives) {
  std::int32_t unit = 0;
  auto next = receives.begin();
  return lower_row(row, messages, [&](const Entry*, const Entry*, RowBuilder& to) {
    for (; next != receives.end() && next->unit == unit; ++next) {
      to.communicate(next->action);
    }
    ++unit;
  });
}

// With each receive right before the unit that needs it.
Row lower_row_plainly(const Row& row, const Messages& messages) {
  return lower_row(row, messages,
                   [&](const Entry* begin, const Entry* end, RowBuilder& to) {
                     for (const Entry* e = begin; e != end; ++e) {
                       const auto receive = messages.received_for(e->action);
                       if (receive) to.communicate(*receive);
                     }
                   });
}

}  // namespace

Schedule lower(const Schedule& schedule) {
  if (is_lowered(schedule)) return schedule;
  Schedule lowered;
  lowered.name = schedule.name;
  lowered.placement = schedule.placement;
  lowered.micro_batches = schedule.micro_batches;
  lowered.steps = schedule.steps;
  lowered.training = schedule.training;
  lowered.weights = schedule.weights;
  lowered.slices = schedule.slices;
  lowered.rows.reserve(schedule.rows.size());
  const Messages messages(schedule);
  if (const auto moments = moments_of(schedule)) {
    const ReceivePlan plan(schedule, *moments);
    for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
      lowered.rows.push_back(lower_row(schedule.rows[d], messages, plan.of(d)));
    }
  } else {
    for (const Row& row : schedule.rows) {
      lowered.rows.push_back(lower_row_plainly(row, messages));
    }
  }
  return lowered;
}

bool is_lowered(const Schedule& schedule) {
  for (const Row& row : schedule.rows) {
    for (const Entry& entry : row) {
      if (is_communication(entry.action.kind)) return true;
    }
  }
  return false;
}

}  // namespace pipeline
