// The lab as a program: one query a line in, one reply a line out. The WebAssembly
// module is held against it, byte by byte.
//   echo "schedule=1f1b&p=4&m=8" | lab_native
#include <cstdio>
#include <iostream>
#include <string>

#include "lab/answer.hpp"

int main() {
  std::ios::sync_with_stdio(false);
  std::string query;
  while (std::getline(std::cin, query)) {
    std::cout << pipeline::lab_answer(query) << '\n';
  }
  return std::cout.flush() ? 0 : 1;
}
