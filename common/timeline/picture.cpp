#include "timeline/picture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "schedule/text.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

bool is_sound(const Span& span) {
  return std::isfinite(span.start) && std::isfinite(span.end) && span.end >= span.start;
}

/// The cells of a row, in the order of its entries and on the timeline's clock.
std::vector<Cell> cells_of(const Row& row, const std::vector<Span>& spans) {
  std::vector<Cell> cells;
  bool joined = false;  // the entry before runs together with this one
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Action& action = row[i].action;
    const bool drawn = !is_communication(action.kind) && spans[i].length() > 0;
    if (drawn && joined && !cells.empty()) {
      cells.back().actions.push_back(action);
    } else if (drawn) {
      cells.push_back({i, {action}, spans[i]});
    }
    joined = row[i].with_next && (drawn || joined);
  }
  return cells;
}

std::vector<Instant> instants_of(const Row& row, const std::vector<Span>& spans) {
  std::vector<Instant> instants;
  bool goes_on = false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (is_communication(row[i].action.kind)) continue;
    const bool instant = spans[i].length() <= 0;
    if (instant && goes_on && instants.back().time == spans[i].start) {
      instants.back().actions.push_back(row[i].action);
    } else if (instant) {
      instants.push_back({i, {row[i].action}, spans[i].start});
    }
    goes_on = instant;
  }
  return instants;
}

/// "stages 4 to 7" where a tone is that of neighbouring stages, or "stage 4".
std::string stages_in_words(const std::vector<std::int32_t>& stages) {
  const std::int32_t first = stages.front();
  const std::int32_t last = stages.back();
  if (first == last) return "stage " + number(first, 0);
  std::string words = "stages " + number(first, 0);
  if (std::cmp_equal(last - first + 1, stages.size())) {
    return words + " to " + number(last, 0);
  }
  for (std::size_t i = 1; i < std::min<std::size_t>(stages.size(), 4); ++i)
    words += ", " + number(stages[i], 0);
  return words + (stages.size() > 4 ? ", ..." : "");
}

struct Placed {
  Action action;
  EntryPlace place;
};

bool operator<(const Placed& a, const Placed& b) {
  if (a.action != b.action) return a.action < b.action;
  if (a.place.device != b.place.device) return a.place.device < b.place.device;
  return a.place.entry < b.place.entry;
}

/// Every entry of a schedule, to be found by its action.
class Index {
 public:
  explicit Index(const Schedule& schedule) {
    for (std::size_t d = 0; d < schedule.rows.size(); ++d)
      for (std::size_t i = 0; i < schedule.rows[d].size(); ++i)
        placed_.push_back({schedule.rows[d][i].action, {d, i}});
    std::sort(placed_.begin(), placed_.end());
  }

  const EntryPlace* find(const Action& action) const {
    const auto at =
        std::lower_bound(placed_.begin(), placed_.end(), Placed{action, {}});
    return at != placed_.end() && at->action == action ? &at->place : nullptr;
  }

 private:
  std::vector<Placed> placed_;
};

auto place_of(const Transfer& transfer) {
  return std::tuple(transfer.kind, transfer.from_stage, transfer.micro_batch,
                    transfer.slice);
}

bool comes_before(const Transfer& a, const Transfer& b) {
  return std::tuple(place_of(a), a.span.start, a.span.end) <
         std::tuple(place_of(b), b.span.start, b.span.end);
}

/// The recorded transfer of what `send` sends.
const Transfer* recorded(const std::vector<Transfer>& sorted, const Action& send) {
  const Transfer key{.kind = send.kind,
                     .from_stage = send.stage,
                     .micro_batch = send.micro_batch,
                     .slice = send.slice};
  const auto at = std::lower_bound(
      sorted.begin(), sorted.end(), key,
      [](const Transfer& a, const Transfer& b) { return place_of(a) < place_of(b); });
  return at != sorted.end() && place_of(*at) == place_of(key) ? &*at : nullptr;
}

/// Where the result of `action` is needed: the next stage's forward, or the previous
/// stage's backward in either of its forms.
const EntryPlace* consumer(const Index& index, const Action& action) {
  Action next = action;
  if (action.kind == ActionKind::Forward) {
    next.stage = action.stage + 1;
    return index.find(next);
  }
  if (action.kind != ActionKind::Backward && action.kind != ActionKind::InputGradient)
    return nullptr;
  next.stage = action.stage - 1;
  for (const ActionKind kind : {ActionKind::Backward, ActionKind::InputGradient}) {
    next.kind = kind;
    if (const EntryPlace* place = index.find(next)) return place;
  }
  return nullptr;
}

/// The window of one device in one step, over its forwards.
struct ForwardWindow {
  double first_start = std::numeric_limits<double>::infinity();
  double second_start = std::numeric_limits<double>::infinity();
  double last_end = -std::numeric_limits<double>::infinity();
};

ForwardWindow forward_window(const Row& row, const std::vector<Span>& spans,
                             std::int32_t first, std::int32_t end) {
  ForwardWindow window;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Action& action = row[i].action;
    if (action.kind != ActionKind::Forward) continue;
    if (action.micro_batch < first || action.micro_batch >= end) continue;
    const double start = spans[i].start;
    if (start < window.first_start) {
      window.second_start = window.first_start;
      window.first_start = start;
    } else {
      window.second_start = std::min(window.second_start, start);
    }
    window.last_end = std::max(window.last_end, spans[i].end);
  }
  return window;
}

}  // namespace

Tones::Tones(const Schedule& schedule)
    : micro_batches_(schedule.micro_batches),
      of_first_copy_(schedule.micro_batches_of_first_copy()) {
  const Placement& placement = schedule.placement;
  std::vector<std::vector<std::int32_t>> stages_of_tone;
  std::size_t first_of_copy = 0;
  for (std::int32_t copy = 0; copy < placement.copies(); ++copy) {
    std::vector<std::size_t> next(schedule.rows.size(), first_of_copy);
    std::vector<std::size_t>& tones = of_stage_.emplace_back();
    for (std::int32_t stage = 0; stage < placement.stages(); ++stage) {
      const auto device = static_cast<std::size_t>(placement.device_of(stage, copy));
      tones.push_back(device < next.size() ? next[device]++ : 0);
      if (device >= next.size()) continue;  // it is drawn nowhere
      stages_of_tone.resize(std::max(stages_of_tone.size(), next[device]));
      stages_of_tone[tones.back()].push_back(stage);
    }
    first_of_copy = stages_of_tone.size();
    while (names_.size() < first_of_copy) {
      std::string name = stages_in_words(stages_of_tone[names_.size()]);
      if (copy > 0) {
        name.insert(0, "copy 2, ");
        if (first_of_copy == 2) name = "copy 2";
        name += ": last ";
        name += number(micro_batches_ - of_first_copy_, 0);
        name += " of ";
        name += counted(micro_batches_, "micro-batch");
      } else if (placement.copies() > 1 && first_of_copy == 1) {
        name = "copy 1";
      }
      names_.push_back(std::move(name));
    }
  }
}

std::size_t Tones::of(const Action& action) const {
  const bool second = of_stage_.size() > 1 && micro_batches_ > 0 &&
                      action.micro_batch % micro_batches_ >= of_first_copy_;
  const auto copy = static_cast<std::size_t>(second ? 1 : 0);
  const auto stage = static_cast<std::size_t>(action.stage);
  return copy < of_stage_.size() && stage < of_stage_[copy].size()
             ? of_stage_[copy][stage]
             : 0;
}

bool holds_several_stages(const Schedule& schedule) {
  std::vector<bool> holds(schedule.rows.size(), false);
  for (std::int32_t copy = 0; copy < schedule.placement.copies(); ++copy) {
    for (std::int32_t stage = 0; stage < schedule.stages(); ++stage) {
      const auto device =
          static_cast<std::size_t>(schedule.placement.device_of(stage, copy));
      if (device >= holds.size()) continue;
      if (holds[device]) return true;
      holds[device] = true;
    }
  }
  return false;
}

Expected<std::size_t> count_entries(const Schedule& schedule, const Timeline& timeline,
                                    std::size_t most_entries, const char* purpose) {
  if (schedule.rows.size() != timeline.spans.size() ||
      schedule.rows.size() != static_cast<std::size_t>(schedule.devices()))
    return refuse("the timeline has " +
                      counted(static_cast<std::int64_t>(timeline.spans.size()), "row") +
                      " and the schedule " + counted(schedule.devices(), "device"),
                  "pass the timeline that was made from this very schedule");
  std::size_t entries = 0;
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    if (schedule.rows[d].size() != timeline.spans[d].size())
      return refuse("the timeline of device " + number(static_cast<double>(d), 0) +
                        " has another number of spans than its row has entries",
                    "pass the timeline that was made from this very schedule");
    if (!std::all_of(timeline.spans[d].begin(), timeline.spans[d].end(), is_sound))
      return refuse("a span of device " + number(static_cast<double>(d), 0) +
                        " is not finite or ends before it starts",
                    "check the clock or the costs that the timeline came from");
    entries += schedule.rows[d].size();
  }
  if (entries > most_entries)
    return refuse("the schedule has " +
                      counted(static_cast<std::int64_t>(entries), "action") + "; " +
                      purpose + " holds at most " +
                      number(static_cast<double>(most_entries), 0),
                  "take fewer devices or micro-batches");
  return entries;
}

Expected<Picture> make_picture_or_blank(const Schedule& schedule,
                                        const Timeline& timeline,
                                        std::size_t most_entries, const char* purpose) {
  const auto entries = count_entries(schedule, timeline, most_entries, purpose);
  if (!entries) return tl::unexpected<Error>(entries.error());

  Picture picture;
  picture.names_stages = holds_several_stages(schedule);
  picture.tones = Tones(schedule);
  double first = std::numeric_limits<double>::infinity();
  double last = -first;
  std::vector<bool> seen(static_cast<std::size_t>(ActionKind::Update) + 1);
  std::vector<bool> seen_instant(seen.size());
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    std::vector<Cell> cells = cells_of(schedule.rows[d], timeline.spans[d]);
    for (const Cell& cell : cells) {
      first = std::min(first, cell.span.start);
      last = std::max(last, cell.span.end);
      for (const Action& action : cell.actions)
        seen[static_cast<std::size_t>(action.kind)] = true;
    }
    picture.cells += cells.size();
    picture.rows.push_back(std::move(cells));
    picture.instants.push_back(instants_of(schedule.rows[d], timeline.spans[d]));
    for (const Instant& instant : picture.instants.back()) {
      for (const Action& action : instant.actions)
        seen_instant[static_cast<std::size_t>(action.kind)] = true;
    }
  }
  if (picture.cells == 0) first = last = 0;
  picture.origin = first;
  picture.length = last - first;
  for (auto& row : picture.rows) {
    for (Cell& cell : row) {
      cell.span.start -= first;
      cell.span.end -= first;
    }
    std::sort(row.begin(), row.end(), [](const Cell& a, const Cell& b) {
      if (a.span.start != b.span.start) return a.span.start < b.span.start;
      return a.first_entry < b.first_entry;
    });
  }
  for (auto& row : picture.instants) {
    for (Instant& instant : row)
      instant.time = std::clamp(instant.time - first, 0.0, picture.length);
  }
  for (std::size_t k = 0; k < seen.size(); ++k) {
    const auto kind = static_cast<ActionKind>(k);
    if (seen[k]) picture.kinds.push_back(kind);
    if (seen_instant[k] && !seen[k]) picture.instant_kinds.push_back(kind);
  }
  return picture;
}

Expected<Picture> make_picture(const Schedule& schedule, const Timeline& timeline,
                               std::size_t most_entries, const char* purpose) {
  auto picture = make_picture_or_blank(schedule, timeline, most_entries, purpose);
  if (picture && picture->cells == 0)
    return refuse("no action of this timeline takes any time: there is nothing to draw",
                  "give at least one action a cost above zero");
  return picture;
}

std::vector<Span> idle_spans(const std::vector<Cell>& row, double length) {
  std::vector<Span> idle;
  // Clock noise is no bubble.
  const double least = length * 1e-9;
  double busy_until = 0;
  for (const Cell& cell : row) {
    if (cell.span.start - busy_until > least)
      idle.push_back({busy_until, cell.span.start});
    busy_until = std::max(busy_until, cell.span.end);
  }
  if (length - busy_until > least) idle.push_back({busy_until, length});
  return idle;
}

std::string cell_label(const Cell& cell, bool names_stages) {
  std::string label;
  for (const Action& action : cell.actions) {
    if (!label.empty()) label += '+';
    label += to_text(action, names_stages);
  }
  return label;
}

std::vector<Link> find_links(const Schedule& schedule, const Timeline& timeline) {
  const Index index(schedule);
  std::vector<Transfer> transfers = timeline.transfers;
  std::sort(transfers.begin(), transfers.end(), comes_before);

  std::vector<Link> links;
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    for (std::size_t i = 0; i < schedule.rows[d].size(); ++i) {
      Action send = schedule.rows[d][i].action;
      const EntryPlace* to = consumer(index, send);
      if (to == nullptr || to->device == d) continue;
      send.kind = send.kind == ActionKind::Forward ? ActionKind::SendActivation
                                                   : ActionKind::SendGradient;
      const double end = timeline.spans[d][i].end;
      Link link{send.kind, {d, i}, *to, {end, end}};
      if (const Transfer* transfer = recorded(transfers, send)) {
        link.span = transfer->span;
      } else if (const EntryPlace* sent = index.find(send)) {
        link.span = timeline.spans[sent->device][sent->entry];
      }
      links.push_back(link);
    }
  }
  return links;
}

std::vector<Span> steady_states(const Schedule& schedule, const Timeline& timeline) {
  std::vector<Span> steady;
  if (schedule.devices() < 2) return steady;
  const bool flushes = schedule.weights == WeightPolicy::Synchronous;
  const std::int32_t together =
      flushes ? schedule.micro_batches : schedule.total_micro_batches();
  for (std::int32_t step = 0; step < (flushes ? schedule.steps : 1); ++step) {
    const std::int32_t first = step * together;
    Span span{-std::numeric_limits<double>::infinity(),
              std::numeric_limits<double>::infinity()};
    double second_enters = span.end;
    for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
      const ForwardWindow window =
          forward_window(schedule.rows[d], timeline.spans[d], first, first + together);
      span.start = std::max(span.start, window.first_start);
      span.end = std::min(span.end, window.last_end);
      second_enters = std::min(second_enters, window.second_start);
    }
    if (span.start < span.end && second_enters <= span.start) steady.push_back(span);
  }
  return steady;
}

}  // namespace pipeline
