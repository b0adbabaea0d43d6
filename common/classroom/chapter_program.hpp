/// \file
/// What every chapter's program shares: its options, its report, and how it ends. A
/// chapter fills a ChapterReport; how that looks as text, as JSON or as a picture file
/// is decided here, once.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedule/error.hpp"
#include "schedule/schedule.hpp"
#include "timeline/draw_text.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// A size that the reader may choose, from 1 to `most`; not offered where `most` is 0.
struct SizeOption {
  std::int32_t usual = 0;  ///< what it is where the reader says nothing
  std::int32_t most = 0;   ///< the largest that the reader may choose
};

/// An option that only this chapter has. The chapter reads what was typed.
struct OwnOption {
  std::string name;        ///< "--text"
  std::string what;        ///< it is, for --help
  std::string type = "N";  ///< what --help says that it takes
};

/// What a chapter's program is called and accepts.
struct ChapterInfo {
  std::string number;               ///< "01"
  std::string name;                 ///< "ticks"
  std::string question;             ///< the one that the chapter answers
  SizeOption devices = {};          ///< p
  SizeOption micro_batches = {};    ///< m
  SizeOption chunks = {};           ///< stages a device
  SizeOption images = {};           ///< to train on
  bool layouts = false;             ///< offers --layout: how many layers each stage has
  bool draws = true;                ///< offers --svg and --trace
  std::vector<OwnOption> own = {};  ///< options of its own
  /// Where given, the first interrupt only sets it, so that the chapter can save what
  /// it has; what it then refuses with is said, and the program ends with 130.
  std::atomic<bool>* stop = nullptr;
};

/// What the reader asked for, checked.
struct ChapterOptions {
  std::int32_t devices = 0;               ///< p
  std::int32_t micro_batches = 0;         ///< m
  std::int32_t chunks = 0;                ///< v
  std::int32_t images = 0;                ///< to train on
  std::vector<std::int32_t> layout = {};  ///< layers of each stage; empty: not asked
  std::map<std::string, std::string> own = {};  ///< `ChapterInfo::own` that were typed
};

/// A number and how it reads. Whole numbers print without a point.
struct Quantity {
  /// Of a number that reads as itself.
  Quantity(double v);  // NOLINT(google-explicit-constructor): rows read as numbers
  /// Of a number that reads as `t`.
  Quantity(double v, std::string t) : value(v), text(std::move(t)) {}

  double value;      ///< to compute with
  std::string text;  ///< to be read
};

/// A ratio of counts, kept as what it is: `fraction(8, 12)` reads 2/3.
Quantity fraction(std::int64_t numerator, std::int64_t denominator);

/// One line of the table.
struct ReportRow {
  std::string what;       ///< with the unit
  Quantity predicted;     ///< by the formula
  Quantity measured;      ///< by the run, or by the simulation
  bool headline = false;  ///< the row that stands for the chapter in the last table

  /// measured / predicted; 1 when they are equal, not a number when only `predicted`
  /// is 0.
  double ratio() const;
};

/// What a chapter has to say, in the order in which it says it.
class ChapterReport {
 public:
  /// A paragraph, wrapped to the width of the page.
  void say(const std::string& paragraph);
  /// Lines that are to stay as they are, at most 80 columns.
  void show(std::string lines);
  /// A picture. The last one is what --svg and --trace write.
  void draw(std::string caption, Schedule schedule, Timeline timeline);
  /// A prediction and, below it on the same scale, what was measured (in seconds).
  void draw_both(std::string caption, Schedule schedule, Timeline predicted,
                 Timeline measured);
  /// A line of the table, which follows all that was said and drawn.
  void row(std::string what, Quantity predicted, Quantity measured);
  /// The same; this one stands for the chapter in the table of all chapters.
  void headline(std::string what, Quantity predicted, Quantity measured);
  /// A line under "what to try next".
  void try_next(std::string suggestion);

  /// How the measured column came about, and more words on it where they are needed.
  Level level = Level::Symbolic;
  std::string level_note = {};  ///< empty: nothing more

  /// What the program prints: text, pictures and the table.
  Expected<std::string> as_text(const ChapterInfo& info, const TextStyle& style) const;
  /// The JSON of --json; see `run_chapter`.
  std::string as_json(const ChapterInfo& info, const ChapterOptions& options) const;
  /// The JSON of --report, one chapter's part of the table of `./workbook run`.
  std::string as_summary(const ChapterInfo& info) const;
  /// The last picture that was drawn; there must be one.
  Expected<std::string> as_svg() const;
  /// The same as a Chrome trace.
  Expected<std::string> as_trace() const;

 private:
  struct Picture {
    std::string caption;
    Schedule schedule;
    Timeline timeline;  ///< predicted, where there are two
    std::optional<Timeline> measured;
  };
  struct Block {
    std::string text;
    std::optional<std::size_t> picture;  ///< to draw below the text
  };

  Expected<std::string> drawn(const Picture& picture, const TextStyle& style) const;

  std::vector<Block> blocks_;
  std::vector<Picture> pictures_;
  std::vector<ReportRow> rows_;
  std::vector<std::string> suggestions_;
};

/// Runs a chapter: reads the options, calls `program`, prints its report and writes the
/// files that were asked for. Returns the exit code: 0 good, 2 bad usage or an output
/// that cannot be written, 3 something is absent here; an interrupt ends with 130.
///
/// --json prints, instead of the text:
///
///     {"chapter": "01", "name": "ticks", "level": "symbolic",
///      "rows": [{"what": …, "predicted": 6, "measured": 6, "ratio": 1,
///                "headline": true}, …],
///      "devices": 3, "micro_batches": 4,
///      "pictures": [{"caption": …, "schedule": …, "makespan": …}, …]}
///
/// and --report FILE writes the first four of it. A size that the chapter does not
/// offer is left out; a ratio that does not exist is null; times are in seconds.
int run_chapter(
    int argc, char** argv, const ChapterInfo& info,
    const std::function<Expected<ChapterReport>(const ChapterOptions&)>& program);

}  // namespace pipeline
