#include "grading/attacks.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "classroom/catalogue.hpp"
#include "classroom/files.hpp"

namespace pipeline {
namespace fs = std::filesystem;
namespace {

tl::unexpected<Error> cannot_say(const std::string& file, const std::string& what) {
  return refuse("attacks/" + file + ".cpp " + what,
                "Begin the file as grading/attacks.hpp says.");
}

Expected<std::vector<Status>> parse_endings(const std::string& file,
                                            const std::string& text) {
  std::vector<Status> endings;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto known = {Status::Ok, Status::Compile, Status::Timeout, Status::Crash,
                        Status::Memory};
    const auto* const meant = std::find_if(
        known.begin(), known.end(), [&](Status each) { return to_text(each) == word; });
    if (meant == known.end()) return cannot_say(file, "ends in no known way: " + word);
    endings.push_back(*meant);
  }
  return endings;
}

}  // namespace

Expected<Attack> parse_attack(std::string file, std::string text) {
  Attack attack;
  attack.file = std::move(file);
  std::string ends;
  std::string earns;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line) && line.starts_with("//")) {
    for (const auto& [key, value] : {std::pair{"attack", &attack.kind},
                                     {"ends", &ends},
                                     {"exercise", &attack.exercise},
                                     {"fools", &attack.fools},
                                     {"earns", &earns},
                                     {"varies", &attack.varies}}) {
      const std::string said = header_value(line, key);
      if (!said.empty()) *value = said;
    }
  }
  auto endings = parse_endings(attack.file, ends);
  if (!endings) return tl::unexpected(endings.error());
  if (attack.kind.empty() || endings->empty())
    return cannot_say(attack.file, "does not say what it is and how it ends");
  const auto fooled = {"", "exit", "report", "unsafe"};
  if (std::find(fooled.begin(), fooled.end(), attack.fools) == fooled.end())
    return cannot_say(attack.file, "fools nobody known: " + attack.fools);
  if (!earns.empty() && earns != "part")
    return cannot_say(attack.file, "earns what no attack may: " + earns);
  attack.ends = std::move(*endings);
  attack.earns_part = earns == "part";
  attack.answer = std::move(text);
  return attack;
}

Expected<std::vector<Attack>> list_attacks(const fs::path& root) {
  std::vector<fs::path> files;
  std::error_code error;
  const fs::path folder = root / "common/grading/attacks";
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".cpp") files.push_back(entry.path());
  }
  if (files.empty())
    return absent("no attack in " + folder.string(), "Restore the folder from git.");
  std::sort(files.begin(), files.end());
  std::vector<Attack> attacks;
  for (const fs::path& file : files) {
    auto text = read_file(file);
    if (!text) return tl::unexpected(text.error());
    auto attack = parse_attack(file.stem().string(), std::move(*text));
    if (!attack) return tl::unexpected(attack.error());
    attacks.push_back(std::move(*attack));
  }
  return attacks;
}

}  // namespace pipeline
