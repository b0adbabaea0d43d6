#include "lab/answer.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "lab/board_answer.hpp"
#include "lab/draw_answer.hpp"
#include "lab/export_answer.hpp"
#include "lab/json.hpp"
#include "lab/query.hpp"
#include "lab/why_answer.hpp"
#include "schedule/generate.hpp"
#include "schedule/reading.hpp"

namespace pipeline {
namespace {

constexpr std::string_view kSecond = "b.";

using Answer = LabExpected<std::string>;

Answer list_answer(const Query& /*query*/) {
  JsonWriter json;
  json.open('{').field("ok", true).key("schedules").open('[');
  for (const Generator& generator : generators()) {
    json.open('{').field("name", generator.name).field("summary", generator.summary);
    json.key("reads").open('[');
    if (generator.reads.chunks) json.value("chunks");
    if (generator.reads.group_size) json.value("group_size");
    if (generator.reads.slices) json.value("slices");
    if (generator.reads.memory_limit) json.value("memory_limit");
    json.close(']').close('}');
  }
  json.close(']').close('}');
  return std::move(json).take();
}

Answer draw_answer(const Query& query) {
  const auto studied = study(query, "");
  if (!studied) return tl::unexpected<LabError>(studied.error());
  JsonWriter json;
  write_drawn(json, *studied, 0);
  return std::move(json).take();
}

Answer compare_answer(const Query& query) {
  const auto first = study(query, "");
  if (!first) return tl::unexpected<LabError>(first.error());
  auto second = study(query, kSecond);
  if (!second) return tl::unexpected<LabError>(second.error());
  // The ids in one page must differ.
  const std::string& id = first->request.figure.id;
  std::string& second_id = second->request.figure.id;
  const bool has_own = query.find(std::string(kSecond) + "id") != nullptr;
  if (has_own && second_id == id)
    return refuse_field("b.id", {"both figures have the id " + in_quotes(id),
                                 "Give the second one of its own."});
  if (!has_own) second_id = (id.empty() ? "pf" : id) + "-b";
  const double until = std::max(first->metrics.makespan, second->metrics.makespan);
  JsonWriter json;
  json.open('{').field("ok", true);
  write_drawn(json.key("a"), *first, until);
  write_drawn(json.key("b"), *second, until);
  json.close('}');
  return std::move(json).take();
}

/// What may be asked, with the keys that go with it, beside those of a schedule.
struct Operation {
  std::string_view name;
  Answer (*answer)(const Query&);
  bool of_a_schedule = true;
  bool of_two = false;  ///< keys may carry the prefix of the second
  std::span<const std::string_view> keys = {};
};

constexpr std::array<std::string_view, 1> kExportKeys{"format"};

constexpr std::array kOperations{
    Operation{"list", list_answer, false},
    Operation{"draw", draw_answer},
    Operation{"why", why_answer, true, false, kWhyKeys},
    Operation{"compare", compare_answer, true, true},
    Operation{"export", export_answer, true, false, kExportKeys},
    Operation{"levels", levels_answer, false},
    Operation{"board", board_answer, false, false, kBoardKeys},
};

LabExpected<const Operation*> find_operation(const Query& query) {
  const std::string* name = query.find("op");
  std::string known;
  for (const Operation& operation : kOperations) {
    if (operation.name == (name == nullptr ? "draw" : *name)) return &operation;
    known += (known.empty() ? "" : ", ") + std::string(operation.name);
  }
  return refuse_field(
      "op", {"the lab cannot " + in_quotes(*name), "Ask for one of: " + known + "."});
}

std::optional<LabError> unknown_key(const Operation& operation, const Query& query) {
  for (const auto& pair : query.pairs()) {
    std::string_view key = pair.first;
    if (key == "op" || std::find(operation.keys.begin(), operation.keys.end(), key) !=
                           operation.keys.end()) {
      continue;
    }
    if (operation.of_two && key.starts_with(kSecond)) {
      key.remove_prefix(kSecond.size());
    }
    if (operation.of_a_schedule && is_lab_request_key(key)) continue;
    return LabError{pair.first,
                    {"the lab knows no " + in_quotes(pair.first) + " here",
                     "Leave it out of the link."}};
  }
  return std::nullopt;
}

Answer answer_to(const Query& query) {
  const auto operation = find_operation(query);
  if (!operation) return tl::unexpected<LabError>(operation.error());
  if (auto unknown = unknown_key(**operation, query)) {
    return tl::unexpected<LabError>(*std::move(unknown));
  }
  return (*operation)->answer(query);
}

}  // namespace

std::string lab_answer(std::string_view text) {
  const auto query = Query::parse(text);
  if (!query) return refusal_answer({"", query.error()});
  auto answer = answer_to(*query);
  return answer ? std::move(*answer) : refusal_answer(answer.error());
}

}  // namespace pipeline
