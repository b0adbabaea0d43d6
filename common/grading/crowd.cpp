#include "grading/crowd.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <system_error>
#include <utility>

#include "classroom/files.hpp"
#include "classroom/starter.hpp"
#include "grading/attacks.hpp"
#include "grading/whole_answer.hpp"

namespace pipeline {
namespace fs = std::filesystem;
namespace {

/// What answers are made of.
struct Sources {
  std::string solution;  ///< with its marks
  std::string starter;
  std::vector<std::pair<std::string, std::string>> mistakes;  ///< file, text
  std::vector<Attack> attacks;                                ///< on this exercise
};

Expected<Sources> read_sources(const fs::path& root, const Unit& exercise) {
  Sources sources;
  auto solution = read_file(root / "solutions" / exercise.folder() / "exercise.cpp");
  if (!solution) return tl::unexpected(solution.error());
  auto starter = derive_starter(*solution);
  if (!starter) return tl::unexpected(starter.error());
  sources.solution = std::move(*solution);
  sources.starter = std::move(*starter);
  const fs::path folder = root / "exercises" / exercise.folder();
  const auto mistakes = list_mistakes(folder);
  if (!mistakes) return tl::unexpected(mistakes.error());
  for (const Mistake& mistake : *mistakes) {
    auto text = read_file(folder / "mistakes" / (mistake.file + ".cpp"));
    if (!text) return tl::unexpected(text.error());
    sources.mistakes.emplace_back(mistake.file, std::move(*text));
  }
  auto attacks = list_attacks(root);
  if (!attacks) return tl::unexpected(attacks.error());
  for (Attack& attack : *attacks) {
    // A crowd is graded twice, and both times alike.
    if (attack.exercise == exercise.number && attack.varies.empty())
      sources.attacks.push_back(std::move(attack));
  }
  if (sources.attacks.empty() || sources.mistakes.empty()) {
    return absent("no attacks on or no mistakes for exercise " + exercise.number,
                  "Make a crowd for exercise 01 or 10.");
  }
  return sources;
}

/// Gives out one after the other, in an order of its own, again and again.
class Rota {
 public:
  Rota(std::size_t count, std::mt19937& random) : order_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      order_[i] = i;
      std::swap(order_[i], order_[random() % (i + 1)]);
    }
  }
  std::size_t next() { return order_[at_++ % order_.size()]; }

 private:
  std::vector<std::size_t> order_;
  std::size_t at_ = 0;
};

Expected<std::string> partial_answer(const Sources& sources, std::size_t number) {
  const auto unsolved = definitions_of(sources.starter);
  if (unsolved.empty()) return sources.starter;  // it holds tests
  const Definition& one = unsolved[number % unsolved.size()];
  return whole_answer(sources.solution,
                      "#include \"exercise.hpp\"\n\nnamespace pipeline {\n\n" +
                          sources.starter.substr(one.begin, one.end - one.begin) +
                          "\n}  // namespace pipeline\n");
}

/// Of ten members one attacks; of the others most have understood something.
Handed draw_handed(std::int32_t number, std::uint32_t random) {
  if (number % 10 == 9) return Handed::Attack;
  constexpr std::array kShares = {
      Handed::Solution, Handed::Solution, Handed::Solution,   Handed::Solution,
      Handed::Mistake,  Handed::Mistake,  Handed::Mistake,    Handed::Mistake,
      Handed::Partial,  Handed::Starter,  Handed::Unfinished, Handed::Missing};
  return kShares[random % kShares.size()];
}

std::string id_of(std::int32_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() < 3) digits.insert(0, 3 - digits.size(), '0');
  return "student-" + digits;
}

}  // namespace

Expected<std::vector<CrowdMember>> make_crowd(const fs::path& root,
                                              const Unit& exercise,
                                              std::int32_t students,
                                              std::uint32_t seed) {
  const auto sources = read_sources(root, exercise);
  if (!sources) return tl::unexpected(sources.error());
  std::mt19937 random(seed);
  Rota attacks(sources->attacks.size(), random);
  Rota mistakes(sources->mistakes.size(), random);
  std::vector<CrowdMember> crowd;
  for (std::int32_t number = 0; number < students; ++number) {
    CrowdMember member{id_of(number + 1),
                       draw_handed(number, static_cast<std::uint32_t>(random())),
                       {},
                       {}};
    Expected<std::string> text = std::string();
    switch (member.handed) {
      case Handed::Solution:
        text = without_marks(sources->solution);
        break;
      case Handed::Starter:
        text = sources->starter;
        break;
      case Handed::Mistake: {
        const auto& [file, wrong] = sources->mistakes[mistakes.next()];
        member.what = file;
        text = whole_answer(sources->solution, wrong);
        break;
      }
      case Handed::Partial:
        text = partial_answer(*sources, random());
        break;
      case Handed::Unfinished:
        text = sources->starter.substr(0, sources->starter.size() * 2 / 3);
        break;
      case Handed::Missing:
        break;
      case Handed::Attack: {
        const Attack& attack = sources->attacks[attacks.next()];
        member.what = attack.file;
        text = attack.answer;
        break;
      }
    }
    if (!text) return tl::unexpected(text.error());
    member.answer = std::move(*text);
    // No two are alike, as in a class, so that no result can stand for another's.
    if (member.handed != Handed::Missing)
      member.answer += "\n// by " + member.id + "\n";
    crowd.push_back(std::move(member));
  }
  return crowd;
}

Expected<void> write_crowd(const std::vector<CrowdMember>& crowd,
                           const fs::path& folder) {
  for (const CrowdMember& member : crowd) {
    std::error_code error;
    fs::create_directories(folder / member.id, error);
    if (member.handed == Handed::Missing) continue;
    auto written = write_file(folder / member.id / "exercise.cpp", member.answer);
    if (!written) return written;
  }
  return {};
}

}  // namespace pipeline
