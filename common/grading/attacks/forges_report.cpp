// attack: writes the report that its command line and environment ask for
// ends: crash
// fools: report
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "exercise.hpp"

namespace fs = std::filesystem;

const char* const kJson =
    R"({"tests": 1, "failures": 0, "disabled": 0, "errors": 0, "name": "AllTests",
"testsuites": [{"name": "TickCount", "tests": 1, "failures": 0, "testsuite": [
{"name": "IsSixForThreeDevicesAndFourMicroBatches", "status": "RUN",
"result": "COMPLETED", "points": "1000", "classname": "TickCount"}]}]})";
const char* const kXml =
    R"(<testsuites tests="1" failures="0" name="AllTests"><testsuite name="TickCount"
tests="1" failures="0"><testcase name="IsSixForThreeDevicesAndFourMicroBatches"
status="run" result="completed" points="1000" classname="TickCount"/></testsuite>
</testsuites>)";

void forge(const fs::path& path) {
  const bool json = path.string().find("xml") == std::string::npos;
  std::ofstream(path) << (json ? kJson : kXml);
}

/// What a command line or GTEST_OUTPUT names: "json:FILE".
void forge_named(const std::string& text) {
  for (const char* kind : {"json:", "xml:"}) {
    const std::size_t at = text.find(kind);
    if (at != text.npos) forge(text.substr(at + std::string(kind).size()));
  }
}

struct Forger {
  Forger() {
    std::ifstream command("/proc/self/cmdline");
    for (std::string word; std::getline(command, word, '\0');) forge_named(word);
    if (const char* output = std::getenv("GTEST_OUTPUT")) forge_named(output);
    _exit(0);
  }
} forger;

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline
