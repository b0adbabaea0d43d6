#include "schedule/v_order.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace pipeline {
namespace {

enum class Direction : std::uint8_t { Forward, Back };

// How far down its row a device looks for something to do. Any limit keeps `reorder`
// linear; beyond this one nothing is gained at the sizes of the tests.
constexpr std::int32_t kLookahead = 128;

constexpr std::int32_t kNone = -1;

constexpr bool takes_memory(BlockPass pass) {
  return pass == BlockPass::Forward0 || pass == BlockPass::Forward1;
}
constexpr bool frees_memory(BlockPass pass) {
  return pass == BlockPass::WeightGradient0 || pass == BlockPass::WeightGradient1;
}

// A kind of pass on a device, as a number: `done` and what follows are indexed by it.
constexpr std::int32_t lane(std::int32_t device, BlockPass pass) {
  return device * kPasses + static_cast<std::int32_t>(pass);
}

// Which lane a micro-batch enters next:
//
//   F0  down ╲     ╱ F1  up
//             ╲   ╱                 and after its input gradient each device has
//   I1  down ╲ ╲ ╱ ╱ I0  up         the weight gradient to do, which none waits for.
std::int32_t next_lane(std::int32_t device, BlockPass pass, std::int32_t devices) {
  const bool last = device == devices - 1;
  switch (pass) {
    case BlockPass::Forward0:
      return last ? lane(device, BlockPass::Forward1) : lane(device + 1, pass);
    case BlockPass::Forward1:
      return device == 0 ? lane(0, BlockPass::InputGradient1) : lane(device - 1, pass);
    case BlockPass::InputGradient1:
      return last ? lane(device, BlockPass::InputGradient0) : lane(device + 1, pass);
    case BlockPass::InputGradient0:
      return device == 0 ? kNone : lane(device - 1, pass);
    default:
      return kNone;
  }
}

// What a lane waits for and what waits for it. Run back, the arrows turn round.
struct Wiring {
  std::array<std::int32_t, 2> needs = {kNone, kNone};
  std::array<std::int32_t, 2> feeds = {kNone, kNone};
};

std::vector<Wiring> wire(std::int32_t devices, Direction direction) {
  std::vector<Wiring> lanes(static_cast<std::size_t>(devices) * kPasses);
  const auto connect = [&](std::int32_t from, std::int32_t to, std::size_t which) {
    if (to == kNone) return;
    if (direction == Direction::Back) std::swap(from, to);
    lanes[static_cast<std::size_t>(from)].feeds[which] = to;
    lanes[static_cast<std::size_t>(to)].needs[which] = from;
  };
  for (std::int32_t d = 0; d < devices; ++d) {
    for (const BlockPass pass :
         {BlockPass::Forward0, BlockPass::Forward1, BlockPass::InputGradient1,
          BlockPass::InputGradient0}) {
      connect(lane(d, pass), next_lane(d, pass, devices), 0);
    }
    connect(lane(d, BlockPass::InputGradient1), lane(d, BlockPass::WeightGradient1), 1);
    connect(lane(d, BlockPass::InputGradient0), lane(d, BlockPass::WeightGradient0), 1);
  }
  return lanes;
}

// Runs the rows of all devices tick by tick. A device that finds nothing to do sleeps
// until something that one of its passes waits for is done.
class Machine {
 public:
  Machine(const VOrder& order, std::int32_t limit, std::int32_t lookahead,
          Direction direction)
      : micro_batches_(order.micro_batches),
        limit_(limit),
        lookahead_(lookahead),
        direction_(direction),
        wiring_(wire(order.devices(), direction)),
        done_(wiring_.size(), 0) {
    devices_.resize(order.rows.size());
    result_.order.micro_batches = order.micro_batches;
    result_.order.rows.resize(order.rows.size());
    result_.starts.resize(order.rows.size());
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      Device& device = devices_[d];
      device.row = order.rows[d];
      if (direction == Direction::Back) {
        std::reverse(device.row.begin(), device.row.end());
      }
      device.ran.assign(device.row.size(), 0);
      result_.order.rows[d].reserve(device.row.size());
      result_.starts[d].reserve(device.row.size());
    }
  }

  Squeezed run() {
    std::vector<std::int32_t> awake;
    for (std::int32_t d = 0; d < result_.order.devices(); ++d) wake(d, 0);
    std::vector<std::pair<std::int32_t, std::size_t>> chosen;
    for (std::int32_t tick = 0; !woken_.empty(); ++tick) {
      awake.swap(woken_);
      woken_.clear();
      chosen.clear();
      for (const std::int32_t d : awake) {
        const std::size_t place = choose(d);
        if (place != devices_[static_cast<std::size_t>(d)].row.size()) {
          chosen.emplace_back(d, place);
        }
      }
      for (const auto& [d, place] : chosen) perform(d, place, tick);
    }
    for (const Device& device : devices_) {
      result_.makespan = std::max(result_.makespan, device.end);
      result_.longest_span = std::max(result_.longest_span, device.end - device.begin);
    }
    if (direction_ == Direction::Back) {
      for (auto& row : result_.order.rows) std::reverse(row.begin(), row.end());
    }
    return std::move(result_);
  }

 private:
  struct Device {
    std::vector<BlockPass> row;
    std::vector<char> ran;
    std::size_t head = 0;  // the first that has not run
    std::int32_t held = 0;
    std::int32_t begin = kNone;
    std::int32_t end = 0;
    std::int32_t woken_for = kNone;
  };

  void wake(std::int32_t d, std::int32_t tick) {
    Device& device = devices_[static_cast<std::size_t>(d)];
    if (device.woken_for == tick) return;
    device.woken_for = tick;
    woken_.push_back(d);
  }

  bool ready(std::int32_t l) const {
    const auto done = [&](std::int32_t other) {
      return done_[static_cast<std::size_t>(other)];
    };
    for (const std::int32_t need : wiring_[static_cast<std::size_t>(l)].needs) {
      if (need != kNone && done(need) <= done(l)) return false;
    }
    return true;
  }

  // What a pass does to the activations held; run back, the other way round.
  std::int32_t change(BlockPass pass) const {
    const std::int32_t taken = takes_memory(pass) ? 1 : frees_memory(pass) ? -1 : 0;
    return direction_ == Direction::Forward ? taken : -taken;
  }

  // Weight gradients wait only where no forward waits for the memory that they free.
  bool forwards_are_done(std::int32_t d) const {
    return direction_ == Direction::Forward && lookahead_ > 1 &&
           done_[static_cast<std::size_t>(lane(d, BlockPass::Forward0))] ==
               micro_batches_ &&
           done_[static_cast<std::size_t>(lane(d, BlockPass::Forward1))] ==
               micro_batches_;
  }

  // A bit for each kind of which the next one could run now.
  unsigned ready_kinds(std::int32_t d) const {
    unsigned kinds = 0;
    for (std::int32_t kind = 0; kind < kPasses; ++kind) {
      if (ready(lane(d, static_cast<BlockPass>(kind)))) kinds |= 1U << kind;
    }
    return kinds;
  }

  // The first pass of the row that can run now. Moved before others, a forward is held
  // while they run: they must leave room for it.
  std::size_t choose(std::int32_t d) {
    const Device& device = devices_[static_cast<std::size_t>(d)];
    const std::size_t end = device.row.size();
    if (device.head == end) return end;
    const bool fill = forwards_are_done(d);
    std::int32_t held = device.held;
    std::int32_t peak = held;
    const BlockPass first = device.row[device.head];
    if (!fill && peak + change(first) <= limit_ && ready(lane(d, first))) {
      return device.head;
    }
    unsigned wanted = lookahead_ == 1 ? 0 : ready_kinds(d);
    std::int32_t seen = 0;
    std::size_t filler = end;
    for (std::size_t x = device.head; wanted != 0 && x < end && seen < lookahead_;
         ++x) {
      if (device.ran[x] != 0) continue;
      ++seen;
      const BlockPass pass = device.row[x];
      const std::int32_t taken = change(pass);
      const unsigned kind = 1U << static_cast<unsigned>(pass);
      if ((wanted & kind) != 0 && peak + taken <= limit_) {
        if (!fill || !frees_memory(pass)) return x;
        filler = std::min(filler, x);
      }
      wanted &= ~kind;  // the next of that kind is a later micro-batch's
      held += taken;
      peak = std::max(peak, held);
    }
    return filler;
  }

  void perform(std::int32_t d, std::size_t place, std::int32_t tick) {
    Device& device = devices_[static_cast<std::size_t>(d)];
    const BlockPass pass = device.row[place];
    device.ran[place] = 1;
    while (device.head < device.row.size() && device.ran[device.head] != 0)
      ++device.head;
    device.held += change(pass);
    if (device.begin == kNone) device.begin = tick;
    device.end = tick + 1;
    result_.order.rows[static_cast<std::size_t>(d)].push_back(pass);
    result_.starts[static_cast<std::size_t>(d)].push_back(tick);
    const auto l = static_cast<std::size_t>(lane(d, pass));
    ++done_[l];
    wake(d, tick + 1);
    if (wiring_[l].feeds[0] != kNone) wake(wiring_[l].feeds[0] / kPasses, tick + 1);
  }

  std::int32_t micro_batches_;
  std::int32_t limit_;
  std::int32_t lookahead_;
  Direction direction_;
  std::vector<Wiring> wiring_;
  std::vector<std::int32_t> done_;  // of each lane
  std::vector<Device> devices_;
  std::vector<std::int32_t> woken_;
  Squeezed result_;
};

bool better(const Squeezed& a, const Squeezed& b) {
  return std::pair{a.makespan, a.longest_span} < std::pair{b.makespan, b.longest_span};
}

// The first tick from which on, for a period, every device runs each kind once.
std::optional<std::int32_t> full_period(const Squeezed& squeezed) {
  std::vector<std::int32_t> full(static_cast<std::size_t>(squeezed.makespan), 0);
  for (std::size_t d = 0; d < squeezed.order.rows.size(); ++d) {
    const std::vector<BlockPass>& row = squeezed.order.rows[d];
    const std::vector<std::int32_t>& starts = squeezed.starts[d];
    for (std::size_t x = 0; x + kPeriod <= row.size(); ++x) {
      unsigned kinds = 0;
      for (std::size_t y = x; y < x + kPeriod; ++y) {
        kinds |= 1U << static_cast<unsigned>(row[y]);
      }
      const bool dense = starts[x + kPeriod - 1] == starts[x] + kPeriod - 1;
      if (dense && kinds == (1U << kPasses) - 1) {
        ++full[static_cast<std::size_t>(starts[x])];
      }
    }
  }
  const auto tick = std::find(full.begin(), full.end(), squeezed.order.devices());
  if (tick == full.end()) return std::nullopt;
  return static_cast<std::int32_t>(tick - full.begin());
}

}  // namespace

VOrder repeat(const BuildingBlock& block, std::int32_t micro_batches) {
  VOrder order;
  order.micro_batches = micro_batches;
  order.rows.reserve(block.size());
  constexpr auto kEmpty = static_cast<BlockPass>(kPasses);
  std::vector<BlockPass> ticks;
  for (const Offsets& offsets : block) {
    const auto last = *std::max_element(offsets.begin(), offsets.end());
    ticks.assign(static_cast<std::size_t>(repeated_makespan(last + 1, micro_batches)),
                 kEmpty);
    for (std::int32_t pass = 0; pass < kPasses; ++pass) {
      auto tick = static_cast<std::size_t>(offsets[static_cast<std::size_t>(pass)]);
      for (std::int32_t k = 0; k < micro_batches; ++k, tick += kPeriod) {
        ticks[tick] = static_cast<BlockPass>(pass);
      }
    }
    ticks.erase(std::remove(ticks.begin(), ticks.end(), kEmpty), ticks.end());
    order.rows.push_back(ticks);
  }
  return order;
}

Squeezed squeeze(const VOrder& order) {
  return Machine(order, 2 * order.micro_batches, 1, Direction::Forward).run();
}

std::int32_t peak_chunks(const VOrder& order) {
  std::int32_t peak = 0;
  for (const auto& row : order.rows) {
    std::int32_t held = 0;
    for (const BlockPass pass : row) {
      if (takes_memory(pass)) peak = std::max(peak, ++held);
      if (frees_memory(pass)) --held;
    }
  }
  return peak;
}

Squeezed move_forward(const VOrder& order, std::int32_t limit) {
  return Machine(order, limit, kLookahead, Direction::Forward).run();
}

VOrder move_back(const VOrder& order, std::int32_t limit) {
  return Machine(order, limit, kLookahead, Direction::Back).run().order;
}

Squeezed reorder(const VOrder& order, std::int32_t limit) {
  Squeezed best = move_forward(order, limit);
  const bool optimal =
      best.makespan == makespan_bound(order.devices(), order.micro_batches, limit) &&
      best.longest_span == kPasses * order.micro_batches;
  if (optimal) return best;
  Squeezed again = move_forward(move_back(best.order, limit), limit);
  return better(again, best) ? again : best;
}

std::optional<VOrder> stretch(const Squeezed& squeezed, std::int32_t more) {
  const auto window = full_period(squeezed);
  if (!window) return std::nullopt;
  VOrder order;
  order.micro_batches = squeezed.order.micro_batches + more;
  order.rows.reserve(squeezed.order.rows.size());
  for (std::size_t d = 0; d < squeezed.order.rows.size(); ++d) {
    const std::vector<BlockPass>& row = squeezed.order.rows[d];
    const std::vector<std::int32_t>& starts = squeezed.starts[d];
    const auto begin =
        row.begin() +
        (std::lower_bound(starts.begin(), starts.end(), *window) - starts.begin());
    std::vector<BlockPass>& longer = order.rows.emplace_back(row.begin(), begin);
    longer.reserve(row.size() + static_cast<std::size_t>(more) * kPeriod);
    for (std::int32_t copy = 0; copy < more; ++copy) {
      longer.insert(longer.end(), begin, begin + kPeriod);
    }
    longer.insert(longer.end(), begin, row.end());
  }
  return order;
}

VOrder v_order(const BuildingBlock& block, std::int32_t micro_batches) {
  const std::int32_t limit = 2 * peak_bound(block);
  const auto devices = static_cast<std::int32_t>(block.size());
  // The more are held at once, the more it takes until as many come as go.
  const std::int32_t enough = 2 + std::min(2 * devices, limit + devices / 2);
  if (micro_batches > enough) {
    auto order = stretch(reorder(repeat(block, enough), limit), micro_batches - enough);
    if (order) return *std::move(order);
  }
  return reorder(repeat(block, micro_batches), limit).order;
}

std::int32_t makespan_bound(std::int32_t devices, std::int32_t micro_batches,
                            std::int32_t limit) {
  const std::int32_t forwards = std::min(limit, 2 * micro_batches);
  const std::int32_t idle = std::max(devices - 1, 3 * devices - 1 - forwards);
  return std::max(kPasses * micro_batches + idle, 4 * devices + 1);
}

}  // namespace pipeline
