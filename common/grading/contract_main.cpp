// derive_contract EXERCISE_HPP FOLDER: what the build calls for each exercise; writes
// proxy.cpp and shim.cpp into FOLDER.
#include <cstdio>
#include <filesystem>

#include "classroom/files.hpp"
#include "grading/contract.hpp"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: derive_contract EXERCISE_HPP FOLDER\n", stderr);
    return 2;
  }
  const std::filesystem::path folder = argv[2];
  const auto contract = pipeline::read_file(argv[1]).and_then(
      [](const std::string& text) { return pipeline::parse_contract(text); });
  const auto written =
      contract
          .and_then([&](const auto& functions) {
            return pipeline::write_file(folder / "proxy.cpp",
                                        pipeline::proxy_source(functions));
          })
          .and_then([&] {
            return pipeline::write_file(folder / "shim.cpp",
                                        pipeline::shim_source(*contract));
          });
  if (!written) {
    std::fprintf(stderr, "%s: %s\n%s\n", argv[1], written.error().what.c_str(),
                 written.error().remedy.c_str());
    return 1;
  }
  return 0;
}
