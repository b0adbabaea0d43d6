#include "grading/answer.hpp"

#include <elf.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "classroom/draw.hpp"
#include "classroom/files.hpp"
#include "grading/round.hpp"

namespace pipeline {
namespace fs = std::filesystem;
namespace {

/// Where the tests write their report; the name in the box, as in all sandboxes.
constexpr const char* kReport = "report.json";
/// How long a worker whose test failed may take to end by itself, so that we learn how.
constexpr double kLastBreath = 1;

/// Both ends of a socket for each worker.
class Sockets {
 public:
  explicit Sockets(int count) {
    for (int i = 0; i < count; ++i) {
      std::array<int, 2> ends = {-1, -1};
      if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
      ours_.push_back(ends[0]);
      theirs_.push_back(ends[1]);
    }
  }
  ~Sockets() { close_all(); }
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  const std::vector<int>& of_tests() const { return ours_; }
  const std::vector<int>& of_workers() const { return theirs_; }

  /// To be called once both sides run: whoever reads then sees when the other ends.
  void close_all() {
    for (std::vector<int>* ends : {&ours_, &theirs_}) {
      for (const int end : *ends) close(end);
      ends->clear();
    }
  }

 private:
  std::vector<int> ours_;
  std::vector<int> theirs_;
};

void make_folder(const fs::path& folder) {
  fs::create_directories(folder);
  fs::permissions(folder, fs::perms(0755));
}

/// A file that is neither a link nor anything else that a sandbox may have left.
bool is_plain_file(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() == fs::file_type::regular;
}

/// Replaces what is no UTF-8, which a message of a test may quote, and JSON must not
/// hold: with it goes no report.
std::string as_utf8(std::string text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    bool good = length > 0 && i + length <= text.size();
    for (std::size_t k = 1; good && k < length; ++k)
      good = (static_cast<unsigned char>(text[i + k]) & 0xC0U) == 0x80U;
    if (!good) text[i] = '?';
    i += good ? length : 1;
  }
  return text;
}

Expected<TestReport> read_report(const fs::path& file) {
  if (!is_plain_file(file)) return parse_test_report("");
  return read_file(file).and_then(
      [](const std::string& json) { return parse_test_report(as_utf8(json)); });
}

BoxRequest worker_request(const fs::path& worker, int socket, const Limits& limits,
                          int slot) {
  BoxRequest request;
  request.command = {kBoxWorker};
  request.mounts = {{worker, kBoxWorker}};
  request.limits = limits;
  request.sockets = {socket};
  // What it says last tells a crash from one for want of memory.
  request.capture = true;
  request.flood_ends = false;
  request.slot = slot;
  return request;
}

BoxRequest tests_request(const Kit& kit, const std::string& filter,
                         const fs::path& folder, const std::vector<int>& sockets,
                         const Limits& limits, const JudgeOptions& options) {
  BoxRequest request;
  request.command = {kit.tests.string(), "--gtest_filter=" + filter, "--gtest_color=no",
                     "--gtest_output=json:" + (folder / kReport).string()};
  request.limits = limits;
  request.sockets = sockets;
  request.slot = options.slot;
  if (!options.seed.empty()) request.environment = {{kSeedVariable, options.seed}};
  return request;
}

/// Whether some test of the run needed more of a worker than it gave.
bool any_cut_off(const AnswerRun& run) {
  return run.report &&
         std::any_of(run.report->cases.begin(), run.report->cases.end(), is_cut_off);
}

/// The linker's lines begin with the name of an object that is drawn at random.
std::string without_object(const std::string& line) {
  const std::size_t begin = line.find("/tmp/cc");
  const std::size_t end = line.find(".o:", begin);
  if (begin == std::string::npos || end == std::string::npos) return line;
  return line.substr(0, begin) + "exercise" + line.substr(end);
}

}  // namespace

JudgeLimits limits_of(const JudgeOptions& options) {
  JudgeLimits limits;
  const double each = (options.patient ? 2 : 1) * options.patience;
  for (Limits* step : {&limits.compiler, &limits.worker, &limits.tests})
    step->wall_seconds *= each;
  limits.all_seconds *= options.patience;
  return limits;
}

std::string to_text(const JudgeLimits& limits) {
  std::ostringstream text;
  for (const Limits& step : {limits.compiler, limits.worker, limits.tests}) {
    text << step.cpu_seconds << ' ' << step.wall_seconds << ' ' << step.memory_bytes
         << ' ' << step.file_bytes << ' ' << step.scratch_bytes << ' '
         << step.output_bytes << ' ' << step.processes << ' ';
  }
  text << limits.all_seconds;
  return std::move(text).str();
}

BuiltAnswer build_answer(const Kit& kit, std::string_view answer,
                         const fs::path& scratch, const Limits& limits,
                         const JudgeOptions& options) {
  const fs::path source = scratch / "exercise.cpp";
  const fs::path output = scratch / "output";
  make_folder(output);
  BuiltAnswer built;
  if (const auto written = write_file(source, answer); !written) {
    built.compiler.ending = Ending::NotStarted;
    built.compiler.output = written.error().what;
    return built;
  }
  fs::permissions(source, fs::perms(0644));
  BoxRequest request;
  const std::string inside = kBoxKit;
  request.command = {"g++",
                     "-std=c++20",
                     "-O1",
                     "-pipe",
                     "-w",
                     "-fmax-errors=5",
                     "-fdiagnostics-color=never",
                     "-DTHRUST_HOST_SYSTEM=THRUST_HOST_SYSTEM_CPP",
                     "-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CPP",
                     "-I" + inside + "/headers",
                     kBoxAnswer,
                     inside + "/kit.o",
                     "-o",
                     std::string(kBoxOutput) + "/worker"};
  request.mounts = {{kit.headers.parent_path(), kBoxKit},
                    {source, kBoxAnswer},
                    {output, kBoxOutput, /*writable=*/true}};
  request.limits = limits;
  request.capture = true;
  request.slot = options.slot;
  built.compiler = Box(options.tier, request).wait();
  const bool good =
      built.compiler.ending == Ending::Exited && built.compiler.exit_code == 0;
  if (good && is_plain_file(output / "worker")) built.worker = output / "worker";
  return built;
}

AnswerRun run_answer(const Kit& kit, const fs::path& worker, const std::string& filter,
                     const fs::path& scratch, const JudgeLimits& limits,
                     const JudgeOptions& options) {
  const fs::path folder = scratch / "report";
  make_folder(folder);
  AnswerRun run;
  Sockets sockets(kit.workers);
  std::vector<Box> workers;
  // As users of their own: the first to end does not take the others with it.
  constexpr int kApart = kMostSlots / kWorkersInCase;
  int slot = options.slot;
  for (const int socket : sockets.of_workers()) {
    workers.emplace_back(options.tier,
                         worker_request(worker, socket, limits.worker, slot));
    slot += kApart;
  }
  Box tests(Tier::Unsafe, tests_request(kit, filter, folder, sockets.of_tests(),
                                        limits.tests, options));
  sockets.close_all();
  run.tests = tests.wait();
  run.report = read_report(folder / kReport);
  const double grace = any_cut_off(run) ? kLastBreath : 0;
  for (Box& box : workers) box.end_within(grace);
  for (Box& box : workers) run.workers.push_back(box.wait());
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return run;
}

double static_bytes(const fs::path& program) {
  std::ifstream file(program, std::ios::binary);
  const auto take = [&file](auto& image) {
    file.read(reinterpret_cast<char*>(&image), sizeof image);
    return file.good();
  };
  Elf64_Ehdr head = {};
  if (!take(head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return 0;
  double sum = 0;
  file.seekg(static_cast<std::streamoff>(head.e_phoff));
  for (Elf64_Phdr segment = {}; head.e_phnum > 0 && take(segment); --head.e_phnum) {
    if (segment.p_type == PT_LOAD) sum += static_cast<double>(segment.p_memsz);
  }
  return sum;
}

bool is_cut_off(const TestCase& test) {
  // What remote.cpp throws, and what is said of tests.
  const auto says = [&](const char* words) {
    return test.message.find(words) != std::string::npos;
  };
  return test.outcome == Outcome::Failed &&
         (says("the answer ended within ") || says(kNoEnd));
}

std::string short_errors(std::string_view output) {
  constexpr std::size_t kMostLines = 30;
  constexpr std::size_t kMostColumns = 200;
  std::istringstream lines{as_utf8(std::string(output))};
  std::vector<std::string> kept;
  std::string line;
  while (std::getline(lines, line) && kept.size() < kMostLines) {
    const std::string_view path = kBoxAnswer;
    for (std::size_t at = line.find(path); at != std::string::npos;
         at = line.find(path, at))
      line.replace(at, path.size(), "exercise.cpp");
    kept.push_back(without_object(line).substr(0, kMostColumns));
  }
  std::string text;
  for (const std::string& each : kept) text += each + "\n";
  return text;
}

}  // namespace pipeline
