#include "timeline/csv.hpp"

#include "schedule/versions.hpp"
#include "timeline/picture.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

constexpr std::size_t kMostEntries = 4'000'000;

}  // namespace

Expected<std::string> to_csv(const Schedule& schedule, const Timeline& timeline) {
  const auto entries = count_entries(schedule, timeline, kMostEntries, "a CSV file");
  if (!entries) return tl::unexpected<Error>(entries.error());

  const WeightVersions versions = weight_versions(schedule);
  std::string out = "device,kind,stage,micro_batch,slice,start,end,copy,version\n";
  for (std::size_t d = 0; d < schedule.rows.size(); ++d) {
    for (std::size_t i = 0; i < schedule.rows[d].size(); ++i) {
      const Action& action = schedule.rows[d][i].action;
      const Span& span = timeline.spans[d][i];
      out += number(static_cast<double>(d), 0) + ",";
      out += kind_name(action.kind);
      for (const std::int32_t field :
           {action.stage, action.micro_batch, std::int32_t{action.slice}})
        out += "," + number(field, 0);
      out += "," + number(span.start, 9) + "," + number(span.end, 9);
      out += "," + number(schedule.copy_of(action.micro_batch), 0) + ",";
      if (const auto version = versions.of(action)) out += number(*version, 0);
      out += "\n";
    }
  }
  return out;
}

}  // namespace pipeline
