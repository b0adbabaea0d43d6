#include "lab/board_answer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "lab/board.hpp"
#include "lab/board_bound.hpp"
#include "lab/board_rows.hpp"
#include "lab/coach.hpp"
#include "lab/draw_answer.hpp"
#include "lab/hand_in.hpp"
#include "lab/lab_request.hpp"
#include "lab/levels.hpp"
#include "lab/recognise.hpp"
#include "schedule/numbers.hpp"
#include "schedule/reading.hpp"
#include "schedule/text.hpp"
#include "timeline/draw_svg.hpp"
#include "timeline/picture.hpp"

namespace pipeline {
namespace {

/// Of those that are not ready; more would be of no use to anybody.
constexpr std::size_t kMostOthers = 240;

/// What is asked about.
struct Asked {
  BoardRules rules;
  const BoardLevel* level = nullptr;  ///< null of a free board
  FigureAsked figure;

  BoardMeasure measure() const {
    return level == nullptr ? BoardMeasure::Makespan : level->measure;
  }
};

struct Refused {
  std::string move;
  std::string why;
};

// --- Reading

LabExpected<std::string> read_word(const Query& query, std::string_view key,
                                   const std::vector<std::string_view>& words) {
  const std::string* typed = query.find(key);
  if (typed == nullptr) return std::string(words.front());
  std::string known;
  for (const std::string_view word : words) {
    if (*typed == word) return *typed;
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  return refuse_field(key, {std::string(key) + " " + in_quotes(*typed) + " is unknown",
                            "Say one of: " + known + "."});
}

/// Rounded up, so that it works when asked for.
std::string enough(double least) {
  constexpr double kDigits = 100;
  return number(std::ceil(least * kDigits - 1e-6) / kDigits, 2);
}

/// A whole number of stages a device, or a V, which has two.
LabExpected<Placement> read_placement(const Query& query, std::int32_t devices) {
  const auto chunks = read_count(query, "v", 1, kMostBoardChunks, 1);
  if (!chunks) return tl::unexpected<LabError>(chunks.error());
  const auto way = read_word(query, "placement", {"loop", "v"});
  if (!way) return tl::unexpected<LabError>(way.error());
  if (*way == "loop")
    return *chunks == 1 ? one_stage_per_device(devices)
                        : loop_placement(devices, *chunks);
  if (query.find("v") != nullptr && *chunks != 2)
    return refuse_field(
        "v", {"placement=v puts two stages on each device, not " + number(*chunks, 0),
              "Leave v out of the link, or ask for placement=loop."});
  return v_placement(devices);
}

LabExpected<Asked> read_free(const Query& query) {
  const auto p = read_count(query, "p", 1, kMostBoardDevices, 3);
  if (!p) return tl::unexpected<LabError>(p.error());
  const auto m = read_count(query, "m", 1, kMostBoardMicroBatches, 4);
  if (!m) return tl::unexpected<LabError>(m.error());
  const auto kinds = read_word(query, "kinds", {"FB", "F", "FIW", "FRB"});
  if (!kinds) return tl::unexpected<LabError>(kinds.error());
  const auto placement = read_placement(query, *p);
  if (!placement) return tl::unexpected<LabError>(placement.error());
  Asked asked;
  Schedule& blank = asked.rules.blank;
  blank.name = "board";
  blank.placement = *placement;
  blank.micro_batches = *m;
  blank.training = *kinds != "F";
  blank.rows.resize(static_cast<std::size_t>(*p));
  asked.rules.kinds = kinds_of(*kinds);

  auto request = read_costs_and_limits(query, blank);
  if (!request) return tl::unexpected<LabError>(std::move(request.error()));
  asked.rules.costs = std::move(request->costs);
  asked.rules.memory_limit = std::move(request->memory_limit);
  const double one = 1.0 * *p / blank.stages();
  for (const double limit : asked.rules.memory_limit) {
    if (blank.training && !no_longer_than(one, limit)) {
      return refuse_field("limit", {"a device that may hold " + number(limit, 9) +
                                        " activations can run no forward",
                                    "Give at least " + enough(one) + "."});
    }
  }
  return asked;
}

/// A level says itself what its board is like.
LabExpected<Asked> read_level(const Query& query) {
  const auto most = static_cast<std::int32_t>(levels().size());
  const auto number_of_level = read_count(query, "level", 1, most, 1);
  if (!number_of_level) return tl::unexpected<LabError>(number_of_level.error());
  constexpr std::array<std::string_view, 5> kKeys{"op", "level", "moves", "width",
                                                  "id"};
  for (const auto& [key, value] : query.pairs()) {
    if (value.empty() || std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end())
      continue;
    return refuse_field(key, {"a level says itself what its " + key + " is",
                              "Leave it out of the link, or leave out the level."});
  }
  Asked asked;
  asked.level = find_level(*number_of_level);
  asked.rules = rules_of(*asked.level);
  return asked;
}

LabExpected<Asked> read_asked(const Query& query) {
  auto asked = query.find("level") == nullptr ? read_free(query) : read_level(query);
  if (!asked) return asked;
  auto figure = read_figure(query);
  if (!figure) return tl::unexpected<LabError>(std::move(figure.error()));
  asked->figure = *std::move(figure);
  return asked;
}

/// Makes the moves up to the first that is refused.
LabExpected<std::optional<Refused>> make_moves(Board& board, const Query& query) {
  const std::string* typed = query.find("moves");
  std::string_view rest = typed == nullptr ? std::string_view() : *typed;
  while (!rest.empty()) {
    const std::string_view text = cut_off(rest, '.');
    const auto move = parse_move(text, board.placed());
    if (!move) return refuse_field("moves", move.error());
    std::string why = board.refusal(*move);
    if (!why.empty()) return Refused{std::string(text), std::move(why)};
    board.place(*move);
  }
  return std::nullopt;
}

// --- Writing

/// Room for what is still to come, so that the axis seldom moves.
double end_of_axis(const Asked& asked, const Board& board) {
  if (asked.level == nullptr) return least_possible(board, BoardMeasure::Makespan);
  Board best(asked.rules);
  follow(best, solution_of(*asked.level));
  return std::max({measured(best, BoardMeasure::Makespan), 1.0 * asked.level->goal,
                   1.0 * asked.level->reference_value});
}

void write_figure(JsonWriter& json, const Asked& asked, const Board& board) {
  SvgStyle style;
  style.width = asked.figure.width;
  style.id = asked.figure.id;
  style.steady = false;
  style.until = end_of_axis(asked, board);
  const Schedule& placed = board.placed();
  const auto live = draw_live_svg(placed, board.timeline(), style);
  json.field("svg", live ? std::string_view(live->svg) : std::string_view());
  if (!live) json.field("note", "There is no figure: " + live.error().what + ".");
  if (live) write_frame(json, live->frame);
  write_cells(json, live ? live->picture : Picture{});
}

void write_move(JsonWriter& json, const Move& move, const Schedule& schedule) {
  json.value(move.device).value(to_text(move.action, holds_several_stages(schedule)));
}

void write_ready(JsonWriter& json, Board& board) {
  json.key("ready").open('[');
  for (const ReadyMove& ready : board.ready()) {
    json.open('[');
    write_move(json, ready.move, board.placed());
    json.value(ready.span.start).value(ready.span.end).close(']');
  }
  json.close(']');
}

/// What is left and not ready: to be tried, and refused with the reason.
void write_others(JsonWriter& json, Board& board) {
  json.key("others").open('[');
  std::size_t count = 0;
  const Schedule& placed = board.placed();
  for (std::int32_t stage = 0; stage < placed.stages(); ++stage) {
    for (std::int32_t k = 0; k < placed.micro_batches; ++k) {
      for (const ActionKind kind : board.rules().kinds) {
        const Move move{placed.device_of(stage, k), {kind, 0, stage, k}};
        if (count == kMostOthers || !board.is_pending(move.action) ||
            board.is_ready(move)) {
          continue;
        }
        ++count;
        json.open('[');
        write_move(json, move, placed);
        json.close(']');
      }
    }
  }
  json.close(']');
}

std::string_view name_of(BoardMeasure measure) {
  return measure == BoardMeasure::LongestSpan ? "longest span" : "makespan";
}

void write_limit(JsonWriter& json, const BoardRules& rules) {
  json.key("limit");
  const std::vector<double>& limits = rules.memory_limit;
  if (limits.size() == 1) {
    json.value(limits.front());
  } else if (limits.empty()) {
    json.null();
  } else {
    json.open('[');
    for (const double limit : limits) json.value(limit);
    json.close(']');
  }
}

void write_score(JsonWriter& json, const Asked& asked, const Board& board) {
  const BoardLevel* level = asked.level;
  const double value = measured(board, asked.measure());
  const double bound = least_possible(board, asked.measure());
  json.key("score").open('{').field("measure", name_of(asked.measure()));
  json.field("value", value);
  json.field("makespan", measured(board, BoardMeasure::Makespan));
  json.field("bound", bound);
  std::optional<double> optimum;
  if (level != nullptr) optimum = level->optimum;
  if (level == nullptr && board.left() == 0 &&
      no_longer_than(value, least_possible(Board(board.rules()), asked.measure()))) {
    optimum = value;
  }
  write_known(json, "optimum", optimum);
  write_known(
      json, "reference",
      level == nullptr ? std::nullopt : std::optional<double>(level->reference_value));
  json.field("reference_name",
             level == nullptr ? std::string_view() : title_of(level->reference));
  write_known(json, "goal",
              level == nullptr ? std::nullopt : std::optional<double>(level->goal));
  json.key("peak").open('[');
  for (const double peak : board.peak()) json.value(peak);
  json.close(']');
  write_limit(json, board.rules());
  const std::int32_t stars = level == nullptr ? 0 : stars_of(*level, board);
  json.field("stars", stars);
  json.field("solved", level == nullptr ? board.left() == 0 : stars >= 2).close('}');
}

void write_coach(JsonWriter& json, const Asked& asked, Board& board) {
  CoachedGoal goal{.measure = asked.measure()};
  if (asked.level != nullptr) {
    goal.optimum = asked.level->optimum;
    goal.solution = solution_of(*asked.level);
  }
  const Advice advice = advise(board, goal);
  json.field("coach", advice.text).key("next");
  if (!advice.next) {
    json.null();
    return;
  }
  json.open('[');
  write_move(json, advice.next->move, board.placed());
  json.value(advice.next->span.start).close(']');
}

void write_recognised(JsonWriter& json, const Board& board) {
  const Recognition recognition = recognise(board);
  json.field("recognised", recognition.name).key("alike").open('[');
  for (const std::string& name : recognition.alike) json.value(name);
  json.close(']');
}

void write_level(JsonWriter& json, const BoardLevel& level) {
  const BoardRules rules = rules_of(level);
  json.open('{').field("level", level.number).field("title", level.title);
  json.field("chapter", level.chapter).field("exercise", exercise_of(level));
  json.field("task", level.task).key("hints").open('[');
  for (const std::string_view hint : level.hints) json.value(hint);
  json.close(']').field("p", level.devices).field("m", level.micro_batches);
  json.field("v", level.chunks()).key("kinds").open('[');
  for (const ActionKind kind : rules.kinds) json.value(to_text(kind));
  json.close(']').key("device_of_stage").open('[');
  for (const std::int32_t device : rules.blank.placement.device_of_stage)
    json.value(device);
  json.close(']').field("c", std::int32_t{level.latency});
  write_limit(json, rules);
  json.field("measure", name_of(level.measure)).field("goal", level.goal);
  json.field("optimum", level.optimum).field("reference", level.reference_value);
  json.field("reference_name", title_of(level.reference));
  std::string lab = "schedule=" + std::string(level.reference);
  lab += "&p=" + std::to_string(level.devices);
  lab += "&m=" + std::to_string(level.micro_batches);
  if (level.placement == LevelPlacement::Loop) lab += "&v=2";
  if (level.latency > 0) lab += "&c=" + std::to_string(level.latency);
  if (level.kinds == "FRB") lab += "&recompute=always";
  if (rules.costs.stages.size() > 1) {
    lab += "&F=";
    for (std::size_t s = 0; s < rules.costs.stages.size(); ++s)
      lab += (s == 0 ? "" : ",") + number(rules.costs.stages[s].forward, 3);
  }
  json.field("lab", lab).close('}');
}

}  // namespace

LabExpected<std::string> levels_answer(const Query& /*query*/) {
  JsonWriter json;
  json.open('{').field("ok", true).key("levels").open('[');
  for (const BoardLevel& level : levels()) write_level(json, level);
  json.close(']').close('}');
  return std::move(json).take();
}

LabExpected<std::string> board_answer(const Query& query) {
  const auto asked = read_asked(query);
  if (!asked) return tl::unexpected<LabError>(asked.error());
  Board board(asked->rules);
  const auto refused = make_moves(board, query);
  if (!refused) return tl::unexpected<LabError>(refused.error());
  JsonWriter json;
  json.open('{').field("ok", true);
  write_figure(json, *asked, board);
  write_strips(json, board.peak(), board.rules().memory_limit, board.held_over_time());
  write_ready(json, board);
  write_others(json, board);
  json.key("refused");
  if (*refused) {
    json.open('{').field("move", (*refused)->move).field("why", (*refused)->why);
    json.close('}');
  } else {
    json.null();
  }
  json.field("left", board.left());
  write_score(json, *asked, board);
  write_coach(json, *asked, board);
  write_recognised(json, board);
  json.field("text", to_text(board.left() == 0 ? finished(board) : board.placed()));
  const bool solved = asked->level != nullptr && stars_of(*asked->level, board) >= 2;
  json.field("answer", solved ? hand_in(*asked->level, board) : std::string());
  json.close('}');
  return std::move(json).take();
}

}  // namespace pipeline
