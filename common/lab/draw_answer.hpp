/// \file
/// A schedule with all that can be computed of it, and that as an answer.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "lab/json.hpp"
#include "lab/lab_request.hpp"
#include "timeline/draw_svg.hpp"
#include "timeline/memory.hpp"
#include "timeline/memory_curve.hpp"
#include "timeline/metrics.hpp"
#include "timeline/picture.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// Every answer about one schedule starts from this.
struct Studied {
  LabRequest request;         ///< what was asked
  Timeline timeline;          ///< simulated
  Metrics metrics;            ///< of the timeline
  Memory memory;              ///< of the rows
  std::vector<Fault> faults;  ///< against the limits asked for

  /// Of all rows.
  std::size_t entries() const;
  /// Whether a figure of it is made; of a larger one there are numbers alone.
  bool can_be_drawn() const { return entries() <= kMostDrawnEntries; }
};

/// Reads the request and computes all of it; refuses as `read_lab_request` does.
LabExpected<Studied> study(const Query& query, std::string_view prefix);

/// Appends where everything is in a figure, as `"frame":{…}`.
void write_frame(JsonWriter& json, const FigureFrame& frame);
/// Appends the cells of a figure, as `"cells":[[device,first_entry,start,end,"F0"],…]`.
void write_cells(JsonWriter& json, const Picture& picture);

/// Appends what each device holds from moment to moment, as `"strips":[{…},…]`.
/// `limits`: one for all devices, or one for each; or none.
void write_strips(JsonWriter& json, const std::vector<double>& peaks,
                  const std::vector<double>& limits,
                  const std::vector<std::vector<MemoryStep>>& curves);

/// A number, or null.
void write_known(JsonWriter& json, std::string_view name, std::optional<double> value);

/// Appends the answer's object. The axis reaches to `until`, if that is later than the
/// end.
void write_drawn(JsonWriter& json, const Studied& studied, double until);

}  // namespace pipeline
