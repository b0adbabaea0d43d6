// derive_starter SOLUTION STARTER: what the build calls for each exercise.
#include <cstdio>

#include "classroom/files.hpp"
#include "classroom/starter.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: derive_starter SOLUTION STARTER\n", stderr);
    return 2;
  }
  const auto written = pipeline::read_file(argv[1])
                           .and_then([](const std::string& text) {
                             return pipeline::derive_starter(text);
                           })
                           .and_then([&](const std::string& text) {
                             return pipeline::write_file(argv[2], text);
                           });
  if (!written) {
    std::fprintf(stderr, "%s: %s\n%s\n", argv[1], written.error().what.c_str(),
                 written.error().remedy.c_str());
    return 1;
  }
  return 0;
}
