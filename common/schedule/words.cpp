#include "schedule/words.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "schedule/text.hpp"
#include "schedule/verify.hpp"

namespace pipeline {
namespace {

// "waits for gradient 0 from 1" or "waits for 1 to receive activation 2".
std::string predicate(const Action& action) {
  const std::string peer = std::to_string(partner_of(action).stage);
  const bool receives = action.kind == ActionKind::ReceiveActivation ||
                        action.kind == ActionKind::ReceiveGradient;
  return receives ? "waits for " + message_in_words(action) + " from " + peer
                  : "waits for " + peer + " to receive " + message_in_words(action);
}

// Each device's waits are edges to the devices that it waits for. A walk in depth from
// the lowest device, which takes edges in the order given, ends in the first circle.
class WaitGraph {
 public:
  WaitGraph(const Schedule& schedule, std::span<const Action> blocked)
      : schedule_(schedule), placement_(schedule.placement) {
    for (const Action& action : blocked) {
      if (is_communication(action.kind) && exists(action) &&
          exists(partner_of(action))) {
        waits_.push_back(action);
      }
    }
    std::stable_sort(
        waits_.begin(), waits_.end(),
        [this](const Action& a, const Action& b) { return from(a) < from(b); });
  }

  const std::vector<Action>& waits() const { return waits_; }

  // The waits of a circle, that of its lowest device first; empty if there is none.
  std::vector<Action> circle() const {
    std::vector<Mark> marks(static_cast<std::size_t>(placement_.devices), Mark::New);
    for (std::size_t i = 0; i < waits_.size(); ++i) {
      const std::int32_t start = from(waits_[i]);
      if (mark(marks, start) == Mark::New) {
        std::vector<Action> found = walk(start, marks);
        if (!found.empty()) return found;
      }
    }
    return {};
  }

 private:
  enum class Mark : std::uint8_t { New, OnPath, Done };

  bool exists(const Action& action) const {
    if (action.stage < 0 || action.stage >= placement_.stages()) return false;
    const std::int32_t device = schedule_.device_of(action.stage, action.micro_batch);
    return device >= 0 && device < placement_.devices;
  }
  std::int32_t from(const Action& wait) const {
    return schedule_.device_of(wait.stage, wait.micro_batch);
  }
  std::int32_t to(const Action& wait) const { return from(partner_of(wait)); }
  static Mark& mark(std::vector<Mark>& marks, std::int32_t device) {
    return marks[static_cast<std::size_t>(device)];
  }
  std::size_t first_wait_of(std::int32_t device) const {
    const auto first = std::lower_bound(
        waits_.begin(), waits_.end(), device,
        [this](const Action& wait, std::int32_t d) { return from(wait) < d; });
    return static_cast<std::size_t>(first - waits_.begin());
  }

  std::vector<Action> walk(std::int32_t start, std::vector<Mark>& marks) const {
    struct Visit {
      std::int32_t device;
      std::size_t wait;  // the edge it is now on
    };
    std::vector<Visit> path{{start, first_wait_of(start)}};
    mark(marks, start) = Mark::OnPath;
    while (!path.empty()) {
      Visit& visit = path.back();
      if (visit.wait == waits_.size() || from(waits_[visit.wait]) != visit.device) {
        mark(marks, visit.device) = Mark::Done;
        path.pop_back();
        if (!path.empty()) ++path.back().wait;
        continue;
      }
      const std::int32_t next = to(waits_[visit.wait]);
      if (mark(marks, next) == Mark::OnPath) {
        std::vector<Action> circle;
        for (const Visit& v : path) {
          if (!circle.empty() || v.device == next) circle.push_back(waits_[v.wait]);
        }
        return lowest_first(std::move(circle));
      }
      if (mark(marks, next) == Mark::New) {
        mark(marks, next) = Mark::OnPath;
        path.push_back({next, first_wait_of(next)});
      } else {
        ++visit.wait;
      }
    }
    return {};
  }

  std::vector<Action> lowest_first(std::vector<Action> circle) const {
    const auto lowest = std::min_element(
        circle.begin(), circle.end(),
        [this](const Action& a, const Action& b) { return from(a) < from(b); });
    std::rotate(circle.begin(), lowest, circle.end());
    return circle;
  }

  const Schedule& schedule_;
  const Placement& placement_;
  std::vector<Action> waits_;  // by device
};

}  // namespace

std::string in_words(const Action& action) {
  return to_text(action, /*with_stage=*/false) + " of stage " +
         std::to_string(action.stage);
}

std::string message_in_words(const Action& action) {
  const bool activation = action.kind == ActionKind::SendActivation ||
                          action.kind == ActionKind::ReceiveActivation;
  std::string words = activation ? "activation " : "gradient ";
  words += std::to_string(action.micro_batch);
  if (action.slice != 0) words += "." + std::to_string(action.slice);
  return words;
}

Action partner_of(const Action& communication) {
  Action partner = communication;
  switch (communication.kind) {
    case ActionKind::SendActivation:
      partner.kind = ActionKind::ReceiveActivation;
      ++partner.stage;
      break;
    case ActionKind::ReceiveActivation:
      partner.kind = ActionKind::SendActivation;
      --partner.stage;
      break;
    case ActionKind::SendGradient:
      partner.kind = ActionKind::ReceiveGradient;
      --partner.stage;
      break;
    case ActionKind::ReceiveGradient:
      partner.kind = ActionKind::SendGradient;
      ++partner.stage;
      break;
    default:
      break;
  }
  return partner;
}

std::string wait_in_words(const Action& action) {
  return "stage " + std::to_string(action.stage) + " " + predicate(action);
}

std::string wait_cycle_in_words(const Schedule& schedule,
                                std::span<const Action> blocked) {
  constexpr std::size_t kLongest = 32;
  const WaitGraph graph(schedule, blocked);
  const std::vector<Action> circle = graph.circle();
  const std::vector<Action>& waits = circle.empty() ? graph.waits() : circle;
  std::string words;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (i == kLongest) {
      return words + "; and so on, " + std::to_string(waits.size()) + " waits in all";
    }
    if (i == 0) {
      words = wait_in_words(waits[i]);
      continue;
    }
    words += "; " + std::to_string(waits[i].stage);
    // The stage that is waited for need not be the one that its device is busy with.
    const std::int32_t wanted = partner_of(waits[i - 1]).stage;
    if (!circle.empty() && wanted != waits[i].stage) {
      words += ", on the device of " + std::to_string(wanted) + ",";
    }
    words += " " + predicate(waits[i]);
  }
  if (!circle.empty() && partner_of(circle.back()).stage != circle.front().stage) {
    words += ", on the device of " + std::to_string(circle.front().stage);
  }
  return words;
}

}  // namespace pipeline
