#include "classroom/json.hpp"

namespace pipeline {

Json parse_json(std::string_view text) { return Json::parse(text, nullptr, false); }

std::string to_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() || !found->is_string() ? "" : found->get<std::string>();
}

}  // namespace pipeline
