/// \file
/// What there is to see in a timeline, whatever it is drawn with: cells, the bubbles
/// between them, the transfers from cell to cell, and the steady state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "schedule/error.hpp"
#include "schedule/schedule.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// One thing to draw: an action, or several that run together in one cell. Times count
/// from the start of the picture.
struct Cell {
  std::size_t first_entry = 0;  ///< where `actions` begin in the row of the device
  std::vector<Action> actions;  ///< mostly one
  Span span;                    ///< from its start to its end
};

/// What takes no time (an update that costs nothing): all that a device does between
/// two cells at one moment.
struct Instant {
  std::size_t first_entry = 0;  ///< where `actions` begin in the row of the device
  std::vector<Action> actions;  ///< in the order of the row
  double time = 0;              ///< from the start of the picture
};

/// Tells the stages of a device apart: the first of each device has tone 0, the next
/// tone 1, and so on; those of the second copy come after those of the first.
class Tones {
 public:
  Tones() = default;
  /// Of a schedule's stages and copies.
  explicit Tones(const Schedule& schedule);

  /// The tone of an action's stage and copy.
  std::size_t of(const Action& action) const;
  /// 1 where no device holds several stages or copies.
  std::size_t count() const { return names_.size(); }
  /// "stages 4 to 7", "copy 2: last 4 of 8 micro-batches".
  const std::string& name(std::size_t tone) const { return names_[tone]; }

 private:
  std::vector<std::vector<std::size_t>> of_stage_;  ///< by copy and stage
  std::int32_t micro_batches_ = 0;
  std::int32_t of_first_copy_ = 0;
  std::vector<std::string> names_;
};

/// Cells a device in order of start; a device that does nothing keeps its (empty) row.
/// What only communicates has no cell, and what takes no time is an instant.
struct Picture {
  std::vector<std::vector<Cell>> rows;         ///< by device
  std::vector<std::vector<Instant>> instants;  ///< by device
  std::size_t cells = 0;                       ///< in all rows
  double origin = 0;              ///< earliest start of a cell, on the timeline's clock
  double length = 0;              ///< from there to the latest end
  bool names_stages = false;      ///< some device holds several: labels name the stage
  std::vector<ActionKind> kinds;  ///< those with a cell, in the order of the enum
  std::vector<ActionKind> instant_kinds;  ///< those that only ever take no time
  Tones tones;                            ///< which stage of its device each cell is of
};

/// Whether a label must say which stage it is about: some device holds several, or two
/// copies.
bool holds_several_stages(const Schedule& schedule);

/// Refuses a timeline that does not belong to the schedule, has a span that is not
/// finite or runs backwards, or takes no time at all; and more than `most_entries`
/// entries, named as what `purpose` ("an SVG") can hold.
Expected<Picture> make_picture(const Schedule& schedule, const Timeline& timeline,
                               std::size_t most_entries, const char* purpose);

/// The same, but a timeline that takes no time is a picture without cells.
Expected<Picture> make_picture_or_blank(const Schedule& schedule,
                                        const Timeline& timeline,
                                        std::size_t most_entries, const char* purpose);

/// The first half of what `make_picture` checks: that spans and rows match, and how
/// many entries there are.
Expected<std::size_t> count_entries(const Schedule& schedule, const Timeline& timeline,
                                    std::size_t most_entries, const char* purpose);

/// The bubbles of a row within [0, length]: at its start, between cells, at its end.
std::vector<Span> idle_spans(const std::vector<Cell>& row, double length);

/// "F3", or "F3+B1" for two actions in one cell.
std::string cell_label(const Cell& cell, bool names_stages);

/// One entry of a row.
struct EntryPlace {
  std::size_t device = 0;  ///< whose row
  std::size_t entry = 0;   ///< its place there
};

/// An activation or a gradient that goes from one device to another. Its `span` is
/// recorded in the timeline, or that of the send in lowered rows; without either the
/// transfer is free, at the end of the action that it comes from.
struct Link {
  ActionKind kind = ActionKind::SendActivation;  ///< or SendGradient
  EntryPlace from;                               ///< the action that makes it
  EntryPlace to;                                 ///< the action that needs it
  Span span;                                     ///< from leaving to arriving
};

/// All transfers that the schedule's dependences ask for, sorted by place of origin.
std::vector<Link> find_links(const Schedule& schedule, const Timeline& timeline);

/// The steady state of each step: from when the last device has begun its first forward
/// until the first device ends its last. A step has none when m < p, on one device, and
/// where one micro-batch enters only after the one before it has left. An asynchronous
/// schedule has no flush between its steps, and so one steady state. Times are those of
/// the timeline.
std::vector<Span> steady_states(const Schedule& schedule, const Timeline& timeline);

}  // namespace pipeline
