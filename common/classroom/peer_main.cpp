// peer_trainer CONTEST FOLDER: our side of `./workbook bench --peer`. Writes into the
// folder what the other side needs, prints "ready", and trains for one turn whenever it
// reads a line, until there are no more:
//
//     {"seconds": 0.61, "cpu_seconds": 0.62, "losses": [2.31, 2.17, …]}
//
// with "held_out", the loss of windows that no step shows, where the contest has some.
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>

#include "classroom/console.hpp"
#include "classroom/json.hpp"
#include "classroom/peer_training.hpp"

namespace pipeline {
namespace {

int train(std::string_view name, const std::string& folder) {
  const PeerContest* contest = find_peer_contest(name);
  if (contest == nullptr) {
    return complain({"there is no contest '" + std::string(name) + "'",
                     "See those there are: ./workbook bench --peer"});
  }
  auto training = PeerTraining::make(*contest);
  if (!training) return complain(training.error());
  if (const auto written = (*training)->write(folder); !written) {
    return complain(written.error());
  }
  std::puts("ready");
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    const auto turn = (*training)->turn();
    if (!turn) return complain(turn.error());
    Json json = {{"seconds", turn->seconds},
                 {"cpu_seconds", turn->cpu_seconds},
                 {"losses", turn->losses}};
    if (turn->held_out) json["held_out"] = *turn->held_out;
    std::puts(json.dump().c_str());
    std::fflush(stdout);
  }
  return kGood;
}

}  // namespace
}  // namespace pipeline

int main(int argc, char** argv) {
  try {
    if (argc == 3) return pipeline::train(argv[1], argv[2]);
    return pipeline::complain({"two arguments are needed: a contest and a folder",
                               "Run ./workbook bench --peer, which gives them"});
  } catch (const std::exception& fault) {
    return pipeline::complain(
        {fault.what(), "Please report this with what you typed."});
  }
}
