// The lab as a program: one query a line in, one reply a line out. The WebAssembly
// module is held against it, byte by byte (docs/lab/identity_check.js).
//   echo "schedule=1f1b&p=4&m=8" | lab_native
//   lab_native --queries       questions of every kind, some hundred
//   lab_native --all-queries   the same for all p to 8 and all m to 32
//   lab_native --hash          of each reply only its length and its hash
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "lab/answer.hpp"
#include "lab/board.hpp"
#include "lab/board_rows.hpp"
#include "lab/levels.hpp"
#include "schedule/generate.hpp"

namespace {

using Words = std::vector<std::string>;

/// FNV-1a, which identity_check.js computes too.
std::uint32_t hash_of(std::string_view text) {
  std::uint32_t hash = 2166136261U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  }
  return hash;
}

/// The next one of each list for every schedule that is asked for, so that everything
/// meets everything else in time.
class Variety {
 public:
  std::string next(const std::string& schedule) {
    const auto pick = [&](const Words& words) { return words[count_ % words.size()]; };
    const std::string rest =
        "&" + schedule + pick(kCosts) + pick(kWidths) + pick(kLimits) + "\n";
    const std::string operation = pick(kOperations);
    ++count_;
    // Every schedule is drawn, whatever else is asked of it.
    return (operation == "draw" ? "" : "op=draw" + rest) + "op=" + operation + rest;
  }

 private:
  // Lengths have no common divisor.
  const Words kOperations{
      "draw",
      "draw&steps=2",
      "draw",
      "why&device=0&entry=1",
      "draw",
      "compare&b.schedule=gpipe",
      "draw&recompute=always&kept=0.1",
      "why&device=0&time=1.5",
      "export&format=svg",
      "export&format=torch",
      "export&format=csv",
      "export&format=trace",
      "export&format=text",
  };
  const Words kCosts{"",
                     "&F=1.5&I=0.7",
                     "&c=0.25",
                     "",
                     "&W=0.1&c=1",
                     "&F=3&I=3&W=3&FB=7.3",
                     "&F=0.3333333&I=1e-3&W=17.77"};
  const Words kWidths{"", "&width=360", "&width=1111", "&width=4000", ""};
  const Words kLimits{"", "&limit=3", "", "&limit=2.5&freed=0.5"};
  std::size_t count_ = 0;
};

std::vector<std::int32_t> some_of(bool all, std::int32_t most) {
  std::vector<std::int32_t> some;
  for (std::int32_t n = 1; n <= most; ++n) {
    if (all || n == 1 || n % 4 == 0 || n == 3) some.push_back(n);
  }
  return some;
}

/// "0F0.1F0": moves that build the level's solution.
Words solution_moves(const pipeline::BoardLevel& level) {
  pipeline::Board board(pipeline::rules_of(level));
  pipeline::follow(board, pipeline::solution_of(level));
  Words moves;
  for (const pipeline::Move& move : board.moves())
    moves.push_back(to_text(move, board.placed()));
  return moves;
}

/// Each level from its beginning, on the way, and solved.
void print_levels() {
  for (const pipeline::BoardLevel& level : pipeline::levels()) {
    const Words moves = solution_moves(level);
    for (const std::size_t count : {moves.size() / 4, moves.size() / 2, moves.size()}) {
      std::cout << "op=board&id=sweep&level=" << level.number << "&moves=";
      for (std::size_t i = 0; i < count; ++i)
        std::cout << (i == 0 ? "" : ".") << moves[i];
      std::cout << '\n';
    }
  }
}

/// What a key may hold beside what every schedule is asked with.
void print_rare_keys() {
  std::cout << "schedule=interleaved&p=2&m=4&v=2\n"
               "schedule=interleaved&p=2&m=6&v=3&group=3&F=1,2,1,3,1,0.7\n"
               "schedule=token-slices&p=2&m=2&slices=3,2\n"
               "schedule=token-slices&p=3&m=2\n"
               "schedule=1f1b&p=3&m=5&F=1,2,1.5&I=0.7,1,1&W=1,1e-3,0.3\n"
               "schedule=zb-auto&p=3&m=5&limit=4,3,2&c=0.5\n"
               "schedule=gpipe&p=2&m=4&recompute=for-memory&limit=2.5&kept=0.1&R=0.9\n"
               "schedule=1f1b&p=3&m=6&recompute=all-but-last&kept=0.25\n"
               "F=1e-6&I=1e-6&W=1e-6&c=1000000\nF=0.0003&I=0.0003&W=0.0003\n"
               "op=compare&schedule=1f1b&p=3&m=3&b.schedule=1f1b&b.F=2&id=x\n"
               "op=board&p=2&m=2&v=2&placement=v&kinds=FIW&moves=00F0.11F0.12F0\n"
               "op=board&p=2&m=2&v=3&limit=0.34&moves=00F0.00F1\n"
               "op=board&p=2&m=2&kinds=FRB&R=0.5&limit=1,2.999&moves=0F0.1F0.1R0\n"
               "op=board&p=1&m=3&F=.1&I=.1&W=.1&moves=0F0.0B0.0F1.0B1.0F2.0B2\n"
               "op=why&schedule=pipedream&p=4&m=8&entry=4&time=\n";
  for (const char* schedule : {"1f1b", "pipedream", "chimera", "zb-h1"}) {
    for (const char* place :
         {"device=0&entry=0", "device=1&entry=6", "device=3&entry=3", "device=2&time=0",
          "device=0&time=8", "device=3&time=1", "device=1&time=29"}) {
      std::cout << "op=why&p=4&m=8&c=0.25&schedule=" << schedule << '&' << place
                << '\n';
    }
  }
}

void print_queries(bool all) {
  std::cout << "op=list\nop=levels\nop=board&p=2&m=2&kinds=FB&moves=0F0.1F0.0F1.1B0\n"
               "p=0\nm=1000000000\nschedule=%3Cscript%3E\nlimit=%FF\np=1024&m=30\n"
               "op=board&level=1&moves=0F0.1F0.1F1\nop=board&level=2\n";
  print_levels();
  print_rare_keys();
  Variety variety;
  for (const pipeline::Generator& generator : pipeline::generators()) {
    for (const std::int32_t p : some_of(all, 8)) {
      for (const std::int32_t m : some_of(all, 32)) {
        std::cout << variety.next("schedule=" + std::string(generator.name) + "&p=" +
                                  std::to_string(p) + "&m=" + std::to_string(m));
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  const std::string_view option = argc == 2 ? argv[1] : "";
  if (option == "--queries" || option == "--all-queries") {
    print_queries(option == "--all-queries");
  } else if (argc > 2 || (!option.empty() && option != "--hash")) {
    std::cerr << "usage: lab_native [--queries | --all-queries | --hash]\n";
    return 2;
  } else {
    std::string query;
    while (std::getline(std::cin, query)) {
      const std::string reply = pipeline::lab_answer(query);
      if (option.empty()) {
        std::cout << reply << '\n';
      } else {
        std::cout << reply.size() << ' ' << hash_of(reply) << '\n';
      }
    }
  }
  return std::cout.flush() ? 0 : 1;
}
