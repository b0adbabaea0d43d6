// The module that the site carries: it says what the native lab says, and is small.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "schedule/full_tier.hpp"

namespace pipeline {
namespace {

struct Ran {
  int exit_code = -1;
  std::string output;
};

Ran run(const std::string& command) {
  Ran ran;
  std::FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  char buffer[4096];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    ran.output.append(buffer, got);
  }
  const int status = pclose(pipe);
  ran.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

std::string module_bytes() {
  std::ifstream module(LAB_WASM, std::ios::binary);
  return {std::istreambuf_iterator<char>(module), {}};
}

#define SKIP_WITHOUT_MODULE()                                            \
  if (!std::filesystem::exists(LAB_WASM)) {                              \
    GTEST_SKIP() << "no lab.wasm: this build found no compiler for it; " \
                    "./workbook docs installs one";                      \
  }                                                                      \
  static_assert(true, "")

TEST(LabModule, GivesTheSameBytesAsTheNativeLab) {
  SKIP_WITHOUT_MODULE();
  if (run("node --version").exit_code != 0) GTEST_SKIP() << "no node to run it in";
  const bool all = in_full_tier();
  const Ran ran =
      run("node '" LAB_IDENTITY_CHECK "' '" LAB_WASM_JS "' '" LAB_NATIVE "'" +
          std::string(all ? " --all" : ""));
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  // "730 of 730 replies are the same"
  EXPECT_GT(std::atoi(ran.output.c_str()), all ? 4600 : 700) << ran.output;
}

TEST(LabModule, TakesAtMost120KilobytesCompressed) {
  SKIP_WITHOUT_MODULE();
  const std::string bytes = module_bytes();
  ASSERT_GT(bytes.size(), 10'000U);
  auto room = compressBound(bytes.size());
  std::vector<Bytef> compressed(room);
  ASSERT_EQ(compress2(compressed.data(), &room,
                      reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 9),
            Z_OK);
  EXPECT_LE(room, 120'000U);
}

}  // namespace
}  // namespace pipeline
