#include "schedule/v_exact.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <unordered_set>

#include "schedule/v_order.hpp"

namespace pipeline {
namespace {

// How many of each kind a device has done. Of its weight gradients only the number
// counts: nothing waits for any of them but memory, and each frees as much.
enum Kind : std::uint8_t { Forward0, Forward1, Input1, Input0, Weight };
constexpr std::size_t kKinds = 5;
constexpr std::int32_t kIdle = kKinds;

using State = std::array<std::uint8_t, kMostExactDevices * kKinds>;

struct HashOfState {
  std::size_t operator()(const State& state) const {
    std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
    for (const std::uint8_t byte : state) hash = (hash ^ byte) * 1099511628211ULL;
    return static_cast<std::size_t>(hash ^ (hash >> 32));
  }
};

using States = std::unordered_set<State, HashOfState>;

class Search {
 public:
  Search(std::int32_t devices, std::int32_t micro_batches, std::int32_t limit,
         std::size_t most_states)
      : p_(devices), m_(micro_batches), limit_(limit), most_states_(most_states) {}

  /// Whether a step can end within so many ticks; nothing if there are too many states.
  std::optional<bool> ends_within(std::int32_t ticks) const {
    States now = {State{}};
    States next;
    for (std::int32_t tick = 0; tick < ticks; ++tick) {
      next.clear();
      for (const State& state : now) {
        add_successors(state, tick, ticks, next);
        if (next.size() > most_states_) return std::nullopt;
      }
      now.swap(next);
      if (now.empty()) return false;
    }
    return true;
  }

 private:
  static std::uint8_t& count(State& state, std::int32_t device, Kind kind) {
    return state[static_cast<std::size_t>(device) * kKinds + kind];
  }
  static std::int32_t done(const State& state, std::int32_t device, Kind kind) {
    return state[static_cast<std::size_t>(device) * kKinds + kind];
  }

  // What a device can do in a tick. It idles only if no weight gradient is there to be
  // done: one that is done now is never in the way later.
  std::int32_t choices(const State& s, std::int32_t d, std::int32_t tick,
                       std::int32_t ticks, std::array<std::int32_t, 6>& kinds) const {
    const auto of = [&](std::int32_t device, Kind kind) {
      return done(s, device, kind);
    };
    std::int32_t work = 0;
    for (const Kind kind : {Forward0, Forward1, Input1, Input0, Weight}) {
      work += of(d, kind);
    }
    const bool room = of(d, Forward0) + of(d, Forward1) - of(d, Weight) < limit_;
    const bool last = d == p_ - 1;
    std::int32_t n = 0;
    const auto offer = [&](Kind kind, std::int32_t arrived) {
      if (of(d, kind) < arrived) kinds[static_cast<std::size_t>(n++)] = kind;
    };
    if (room) {
      offer(Forward0, d == 0 ? m_ : of(d - 1, Forward0));
      offer(Forward1, last ? of(d, Forward0) : of(d + 1, Forward1));
    }
    offer(Input1, d == 0 ? of(d, Forward1) : of(d - 1, Input1));
    offer(Input0, last ? of(d, Input1) : of(d + 1, Input0));
    const std::int32_t before = n;
    offer(Weight, of(d, Input1) + of(d, Input0));
    const bool time_left = ticks - tick > kPasses * m_ - work;
    if (n == before && time_left) kinds[static_cast<std::size_t>(n++)] = kIdle;
    return n;
  }

  // Every way in which all devices together can go on.
  void add_successors(const State& state, std::int32_t tick, std::int32_t ticks,
                      States& next) const {
    std::array<std::array<std::int32_t, 6>, kMostExactDevices> kinds{};
    std::array<std::int32_t, kMostExactDevices> counts{};
    std::array<std::int32_t, kMostExactDevices> chosen{};
    for (std::int32_t d = 0; d < p_; ++d) {
      const auto i = static_cast<std::size_t>(d);
      counts[i] = choices(state, d, tick, ticks, kinds[i]);
      if (counts[i] == 0) return;
    }
    for (;;) {
      State after = state;
      for (std::int32_t d = 0; d < p_; ++d) {
        const auto i = static_cast<std::size_t>(d);
        const std::int32_t kind = kinds[i][static_cast<std::size_t>(chosen[i])];
        if (kind != kIdle) ++count(after, d, static_cast<Kind>(kind));
      }
      if (can_end(after, ticks - tick - 1)) next.insert(after);
      std::int32_t d = 0;
      while (d < p_ && ++chosen[static_cast<std::size_t>(d)] ==
                           counts[static_cast<std::size_t>(d)]) {
        chosen[static_cast<std::size_t>(d++)] = 0;
      }
      if (d == p_) return;
    }
  }

  // Whether there is time for what is left of each kind on each device, and then for
  // the way of the last micro-batch from there to its last weight gradient.
  bool can_end(const State& state, std::int32_t ticks_left) const {
    for (std::int32_t d = 0; d < p_; ++d) {
      const auto late = [&](Kind kind, std::int32_t way) {
        const std::int32_t left = m_ - done(state, d, kind);
        return left > 0 && left + way > ticks_left;
      };
      if (late(Input0, d + 1) || late(Input1, 2 * p_ - d) ||
          late(Forward1, 2 * p_ + d + 1) || late(Forward0, 4 * p_ - d)) {
        return false;
      }
    }
    return true;
  }

  std::int32_t p_;
  std::int32_t m_;
  std::int32_t limit_;
  std::size_t most_states_;
};

}  // namespace

std::optional<bool> can_end_within(std::int32_t devices, std::int32_t micro_batches,
                                   std::int32_t limit, std::int32_t ticks,
                                   std::size_t most_states) {
  if (devices < 1 || devices > kMostExactDevices || micro_batches < 1 ||
      micro_batches > kMostExactMicroBatches || limit < 2) {
    return std::nullopt;
  }
  if (ticks < makespan_bound(devices, micro_batches, limit)) return false;
  return Search(devices, micro_batches, limit, most_states).ends_within(ticks);
}

}  // namespace pipeline
