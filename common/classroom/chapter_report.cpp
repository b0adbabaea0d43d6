// How a chapter's report looks: as a page of 80 columns, as JSON, as a picture.
#include <cmath>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "classroom/chapter_program.hpp"
#include "classroom/console.hpp"
#include "timeline/draw_svg.hpp"
#include "timeline/fraction.hpp"
#include "timeline/metrics.hpp"
#include "timeline/trace.hpp"

namespace pipeline {
namespace {

using Json = nlohmann::ordered_json;

std::string significant(double value) {
  const bool whole = std::abs(value - std::round(value)) < 1e-9;
  char text[32];
  std::snprintf(text, sizeof text, whole && std::abs(value) < 1e9 ? "%.0f" : "%.4g",
                value);
  return text;
}

std::string ratio_column(double ratio) {
  if (!std::isfinite(ratio)) return "none";
  char text[32];
  std::snprintf(text, sizeof text, std::abs(ratio) < 1000 ? "%.3f" : "%.3g", ratio);
  return text;
}

std::string table(const std::vector<ReportRow>& rows) {
  std::vector<std::vector<std::string>> cells = {
      {"", "predicted", "measured", "ratio"}};
  for (const ReportRow& row : rows) {
    cells.push_back(
        {row.what, row.predicted.text, row.measured.text, ratio_column(row.ratio())});
  }
  return format_table(cells, {1, 2, 3});
}

std::string listed(const std::vector<std::string>& suggestions) {
  std::string text;
  for (const std::string& suggestion : suggestions) {
    text += "  - " + wrap(suggestion, 4).substr(4);
  }
  return text;
}

Json as_object(const ReportRow& row) {
  const double ratio = row.ratio();
  return {{"what", row.what},
          {"predicted", row.predicted.value},
          {"measured", row.measured.value},
          {"ratio", std::isfinite(ratio) ? Json(ratio) : Json(nullptr)},
          {"headline", row.headline}};
}

Json summary(const ChapterInfo& info, Level level, const std::vector<ReportRow>& rows) {
  Json json = {{"chapter", info.number},
               {"name", info.name},
               {"level", std::string(to_text(level))},
               {"rows", Json::array()}};
  for (const ReportRow& row : rows) json["rows"].push_back(as_object(row));
  return json;
}

}  // namespace

Quantity::Quantity(double v) : value(v), text(significant(v)) {}

Quantity fraction(std::int64_t numerator, std::int64_t denominator) {
  return {static_cast<double>(numerator) / static_cast<double>(denominator),
          fraction_text(numerator, denominator)};
}

double ReportRow::ratio() const {
  if (predicted.value == measured.value) return 1;
  if (predicted.value == 0) return std::numeric_limits<double>::quiet_NaN();
  return measured.value / predicted.value;
}

void ChapterReport::say(const std::string& paragraph) {
  blocks_.push_back({wrap(paragraph), std::nullopt});
}

void ChapterReport::show(std::string lines) {
  blocks_.push_back({std::move(lines), std::nullopt});
}

void ChapterReport::draw(std::string caption, Schedule schedule, Timeline timeline) {
  blocks_.push_back({wrap(caption), pictures_.size()});
  pictures_.push_back(
      {std::move(caption), std::move(schedule), std::move(timeline), std::nullopt});
}

void ChapterReport::draw_both(std::string caption, Schedule schedule,
                              Timeline predicted, Timeline measured) {
  blocks_.push_back({wrap(caption), pictures_.size()});
  pictures_.push_back({std::move(caption), std::move(schedule), std::move(predicted),
                       std::move(measured)});
}

void ChapterReport::row(std::string what, Quantity predicted, Quantity measured) {
  rows_.push_back({std::move(what), std::move(predicted), std::move(measured)});
}

void ChapterReport::headline(std::string what, Quantity predicted, Quantity measured) {
  rows_.push_back({std::move(what), std::move(predicted), std::move(measured), true});
}

void ChapterReport::try_next(std::string suggestion) {
  suggestions_.push_back(std::move(suggestion));
}

Expected<std::string> ChapterReport::drawn(const Picture& picture,
                                           const TextStyle& style) const {
  if (!picture.measured) return draw_text(picture.schedule, picture.timeline, style);
  return draw_comparison_text(picture.schedule, picture.timeline, *picture.measured,
                              style);
}

Expected<std::string> ChapterReport::as_text(const ChapterInfo& info,
                                             const TextStyle& style) const {
  std::string page = info.number + " · " + info.name + "\n" + wrap(info.question);
  for (const Block& block : blocks_) {
    page += "\n" + block.text;
    if (!block.picture) continue;
    const auto picture = drawn(pictures_[*block.picture], style);
    if (!picture) return tl::unexpected(picture.error());
    page += "\n" + *picture;
  }
  page += "\n" + table(rows_);
  const std::string note = level_note.empty() ? "" : " " + level_note;
  page += "\n" + wrap("Level: " + std::string(to_text(level)) + "." + note);
  if (!suggestions_.empty()) page += "\nTry next\n" + listed(suggestions_);
  return page;
}

std::string ChapterReport::as_json(const ChapterInfo& info,
                                   const ChapterOptions& options) const {
  Json json = summary(info, level, rows_);
  if (options.devices > 0) json["devices"] = options.devices;
  if (options.micro_batches > 0) json["micro_batches"] = options.micro_batches;
  if (options.chunks > 0) json["chunks"] = options.chunks;
  json["pictures"] = Json::array();
  for (const Picture& picture : pictures_) {
    const Timeline& shown = picture.measured ? *picture.measured : picture.timeline;
    json["pictures"].push_back(
        {{"caption", picture.caption},
         {"schedule", picture.schedule.name},
         {"makespan", measure(picture.schedule, shown).makespan}});
  }
  return json.dump(2) + "\n";
}

std::string ChapterReport::as_summary(const ChapterInfo& info) const {
  return summary(info, level, rows_).dump(2) + "\n";
}

Expected<std::string> ChapterReport::as_svg() const {
  const Picture& last = pictures_.back();
  if (!last.measured) return draw_svg(last.schedule, last.timeline);
  return draw_comparison_svg(last.schedule, last.timeline, *last.measured);
}

Expected<std::string> ChapterReport::as_trace() const {
  const Picture& last = pictures_.back();
  if (!last.measured) return to_trace(last.schedule, last.timeline);
  return to_trace(last.schedule, last.timeline, *last.measured);
}

}  // namespace pipeline
