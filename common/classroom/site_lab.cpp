#include "classroom/site_lab.hpp"

#include <algorithm>

#include "classroom/json.hpp"
#include "timeline/writing.hpp"

namespace pipeline {
namespace {

/// The lab's reply, refused where it refuses or is none.
Expected<Json> ask(const LabAnswers& lab, const std::string& query) {
  const Json reply = parse_json(lab(query));
  if (!reply.is_object()) {
    return refuse("the lab's reply to '" + query + "' is not JSON", "Ask for less.");
  }
  const auto good = reply.find("ok");
  if (good != reply.end() && *good == true) return reply;
  return refuse("'" + query + "': " + text_of(reply, "what"), text_of(reply, "remedy"));
}

/// A row for each figure that has a text: its name, and what it is.
std::string table_of(const Json& figures) {
  std::string rows;
  for (const Json& each : figures) {
    if (!each.is_object()) continue;
    rows += "<tr><th scope=\"row\">" + xml_escaped(text_of(each, "name")) +
            "</th><td>" + xml_escaped(text_of(each, "text")) + "</td></tr>\n";
  }
  if (rows.empty()) return "";
  return "<table class=\"markdownTable lab-numbers\"><caption>What follows from the "
         "order alone</caption>\n<tbody>\n" +
         rows + "</tbody></table>\n";
}

}  // namespace

Expected<std::string> lab_figure(const std::string& query, const LabAnswers& lab) {
  const auto reply = ask(lab, query);
  if (!reply) return tl::unexpected(reply.error());
  const std::string where = xml_escaped(query);
  std::string html = "<pipeline-lab query=\"" + where + "\">\n<figure>" +
                     text_of(*reply, "svg") + "<figcaption>" +
                     xml_escaped(text_of(*reply, "title")) + "</figcaption></figure>\n";
  if (const auto figures = reply->find("figures"); figures != reply->end()) {
    html += table_of(*figures);
  }
  return html + "<p class=\"lab-link\"><a href=\"lab.html#" + where +
         "\">Open this case in the lab</a></p>\n</pipeline-lab>\n";
}

Expected<std::string> level_figure(const std::string& level, const LabAnswers& lab) {
  const auto levels = ask(lab, "op=levels");
  if (!levels) return tl::unexpected(levels.error());
  const Json listed = levels->value("levels", Json::array());
  const auto found = std::find_if(listed.begin(), listed.end(), [&](const Json& each) {
    return std::to_string(each.value("level", 0)) == level;
  });
  if (found == listed.end()) {
    return refuse("there is no level '" + level + "'",
                  "Name one of common/lab/levels.cpp.");
  }
  const auto board = ask(lab, "op=board&level=" + level);
  if (!board) return tl::unexpected(board.error());
  return "<pipeline-builder level=\"" + level + "\">\n<p><strong>Level " + level +
         " · " + xml_escaped(text_of(*found, "title")) + ".</strong> " +
         xml_escaped(text_of(*found, "task")) + "</p>\n<figure>" +
         text_of(*board, "svg") +
         "<figcaption>The board</figcaption></figure>\n"
         "<p class=\"lab-link\"><a href=\"build.html#level=" +
         level + "\">Open this level by itself</a></p>\n</pipeline-builder>\n";
}

std::string lab_scripts(const std::vector<std::string>& files) {
  std::string html;
  for (const std::string& file : files) {
    html += file.ends_with(".css") ? "<link rel=\"stylesheet\" href=\"" + file + "\">\n"
                                   : "<script src=\"" + file + "\" defer></script>\n";
  }
  return html;
}

}  // namespace pipeline
