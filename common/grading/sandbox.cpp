#include "grading/sandbox.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "classroom/process.hpp"
#include "grading/box_command.hpp"
#include "grading/keeper.hpp"
#include "grading/left_behind.hpp"
#include "grading/temporary_folder.hpp"
#include "grading/wire.hpp"

namespace pipeline {
namespace {

using Clock = std::chrono::steady_clock;

/// How long to sleep at most before looking for Ctrl-C.
constexpr double kLook = 0.05;
/// The exit code of a program that SIGKILL ended.
constexpr int kKilledCode = 128 + SIGKILL;
constexpr int kMostSockets = kStatus - kSocket;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double cpu_seconds(const rusage& usage) {
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// A descriptor that is closed with it.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  void reset(int number = -1) {
    if (number_ >= 0) close(number_);
    number_ = number;
  }

 private:
  int number_;
};

struct Pipe {
  Descriptor read;
  Descriptor write;

  /// Ours does not block. False, with errno, if there is none.
  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    read.reset(ends[0]);
    write.reset(ends[1]);
    return true;
  }
};

/// Everything that the child needs, made before it is forked.
struct Launch {
  std::vector<std::string> command;
  std::vector<std::string> variables;
  std::vector<char*> argv;
  std::vector<char*> environment;
  std::string folder;
  int output = -1;
  std::vector<int> sockets;
  int status = -1;
  KeeperOrders orders;

  static std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> result;
    result.reserve(strings.size() + 1);
    for (std::string& string : strings) result.push_back(string.data());
    result.push_back(nullptr);
    return result;
  }

  Launch(Tier tier, const BoxRequest& request)
      : command(box_command(tier, request)),
        variables(box_environment(tier, request)),
        argv(pointers(command)),
        environment(pointers(variables)),
        folder(box_folder(tier, request)),
        sockets(request.sockets),
        orders{argv.data(),
               environment.data(),
               kStatus,
               tier == Tier::Bubblewrap,
               tier == Tier::OwnUser ? box_user(tier, request.slot) : 0,
               tier == Tier::OwnUser ? box_keeper(request.slot) : 0} {}
};

/// 0: nothing to read. 1, 2: the output. From 3 on: the sockets. Then the status.
void arrange(const Launch& launch) {
  // First out of the way of the numbers that they are to have.
  constexpr int kAbove = kStatus + 1;
  const auto aside = [](int file) { return fcntl(file, F_DUPFD, kAbove); };
  const int nothing = aside(open("/dev/null", O_RDWR));
  const int output = launch.output >= 0 ? aside(launch.output) : nothing;
  const int status = aside(launch.status);
  int sockets[kMostSockets] = {};
  for (std::size_t i = 0; i < launch.sockets.size(); ++i)
    sockets[i] = aside(launch.sockets[i]);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  int next = kSocket;
  for (std::size_t i = 0; i < launch.sockets.size(); ++i) dup2(sockets[i], next++);
  for (; next < kStatus; ++next) close(next);
  dup2(status, kStatus);
  close_range(kAbove, ~0U, 0);
}

/// In the child, between fork and exec: only what is safe there. Signals are blocked.
[[noreturn]] void become(const Launch& launch, pid_t grader) {
  setpgid(0, 0);  // Ctrl-C is ours to handle
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) std::signal(signal, SIG_DFL);
  arrange(launch);
  if (chdir(launch.folder.c_str()) != 0) _exit(126);
  keep(launch.orders, grader);
}

/// Forks with all signals blocked, as the keeper needs it.
pid_t start(const Launch& launch) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t grader = getpid();
  const pid_t child = fork();
  if (child == 0) become(launch, grader);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return child;
}

/// The number after `"key": ` in what bwrap reported.
std::optional<int> number_after(const std::string& text, const std::string& key) {
  const std::string begin = "\"" + key + "\":";
  const std::size_t at = text.find(begin);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t digits = text.find_first_not_of(' ', at + begin.size());
  const std::size_t end = text.find_first_not_of("0123456789", digits);
  if (digits == end || end == std::string::npos) return std::nullopt;
  return std::stoi(text.substr(digits, end - digits));
}

/// Makes what may be written to a user's own, or ours again.
void give_to(uid_t user, const BoxRequest& request) {
  for (const Mount& mount : request.mounts) {
    // One that fails shows when it cannot be written to.
    if (mount.writable && lchown(mount.from.c_str(), user, user) != 0) continue;
  }
}

}  // namespace

struct Box::Running {
  Running(Tier used, BoxRequest asked) : request(std::move(asked)), tier(used) {
    if (request.slot < 0 || request.slot >= kMostSlots ||
        request.sockets.size() > kMostSockets)
      throw std::invalid_argument("a box of a slot or with sockets that are too many");
    if (!status.open() || (request.capture && !output.open())) {
      fault = std::strerror(errno);
      return;
    }
    if (request.capture && !request.flood_ends)
      fcntl(output.write.number(), F_SETFL, O_NONBLOCK);
    user = box_user(tier, request.slot);
    if (user != 0) give_to(user, request);
    Launch launch(tier, request);
    launch.output = output.write.number();
    launch.status = status.write.number();
    child = pipeline::start(launch);
    if (child < 0) fault = std::strerror(errno);
    output.write.reset();
    status.write.reset();
    if (child > 0) gone.reset(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  }

  ~Running() {
    if (child <= 0) return;
    end(Ending::Killed);
    wait();
  }

  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  BoxReport wait() {
    BoxReport report;
    rusage usage = {};
    int code = 0;
    while (child > 0) {
      watch();
      if (wait4(child, &code, WNOHANG, &usage) != 0) child = 0;
    }
    read_all();
    report.cpu_seconds = cpu_seconds(usage);
    if (user != 0) give_to(geteuid(), request);
    if (tier == Tier::OwnUser) remove_left_behind(user);
    report.wall_seconds = since(begin);
    conclude(report);
    return report;
  }

  void end_within(double seconds) {
    const double then = since(begin) + seconds;
    if (then >= request.limits.wall_seconds) return;
    request.limits.wall_seconds = then;
    hurried = true;
  }

  /// Has the keeper end it, which does not take long; `wait` says why.
  void end(Ending why) {
    if (!why_ended) why_ended = why;
    if (child > 0) ::kill(child, SIGTERM);
  }

 private:
  /// Sleeps until something happens, and does what there is to do.
  void watch() {
    const double left = request.limits.wall_seconds - since(begin);
    // Without a descriptor for its end we have to look for it.
    const double sleep = gone.number() < 0 ? 0.002 : kLook;
    pollfd events[] = {{gone.number(), POLLIN, 0},
                       {status.read.number(), POLLIN, 0},
                       {output.read.number(), POLLIN, 0}};
    poll(events, std::size(events),
         static_cast<int>(1000 * std::clamp(left, 0.001, sleep)));
    read_all();
    if (why_ended) return;
    if (left <= 0) {
      end(hurried ? Ending::Killed : Ending::WallLimit);
    } else if (interrupted()) {
      end(Ending::Killed);
    } else if (is_flooded() && request.flood_ends) {
      end(Ending::OutputLimit);
    }
  }

  bool is_flooded() const {
    return static_cast<std::int64_t>(captured.size()) > request.limits.output_bytes;
  }

  void read_all() {
    constexpr std::size_t kMostStatus = 4096;
    read_from(status, said, kMostStatus);
    read_from(output, captured, static_cast<std::size_t>(request.limits.output_bytes));
  }

  /// Takes what is there, until there is more than `most` of it.
  static void read_from(Pipe& pipe, std::string& text, std::size_t most) {
    char bytes[8192];
    while (pipe.read.number() >= 0 && text.size() <= most) {
      const ssize_t count = read(pipe.read.number(), bytes, sizeof bytes);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) break;
      text.append(bytes, static_cast<std::size_t>(count));
    }
    pipe.read.reset();
  }

  void conclude(BoxReport& report) const {
    const auto code = number_after(said, "exit-code");
    const auto limit = static_cast<std::size_t>(request.limits.output_bytes);
    report.output = captured.substr(0, limit);
    // What was to be killed may have ended by itself before.
    const bool by_itself = why_ended == Ending::Killed && code && *code != kKilledCode;
    if (why_ended && !by_itself) {
      report.ending = *why_ended;
    } else if (!fault.empty() || !code) {
      report.ending = Ending::NotStarted;
      report.output = fault + said.substr(0, said.find('{')) + report.output;
    } else {
      report.exit_code = *code;
      report.signal = *code > 128 ? *code - 128 : 0;
      report.ending = report.signal != 0 ? Ending::Crashed : Ending::Exited;
      // A child of it may have met the limit, and it have ended because of that.
      // The kernel counts ticks for the limit, but not for the report.
      constexpr double kNearly = 0.8;
      const bool used_up = report.cpu_seconds >= kNearly * request.limits.cpu_seconds;
      if (report.signal == SIGXCPU || (*code != 0 && used_up))
        report.ending = Ending::CpuLimit;
      else if (is_flooded() && request.flood_ends)
        report.ending = Ending::OutputLimit;
    }
  }

  BoxRequest request;
  Tier tier;
  uid_t user = 0;        ///< that it runs as, where not ourselves
  bool hurried = false;  ///< the limit of wall time is not the one asked for
  pid_t child = 0;       ///< the keeper
  Descriptor gone;       ///< readable once the child has ended
  Pipe status;
  Pipe output;
  std::string said;  ///< over the status
  std::string captured;
  std::string fault;
  std::optional<Ending> why_ended;
  Clock::time_point begin = Clock::now();
};

Box::Box(Tier tier, BoxRequest request)
    : running_(std::make_unique<Running>(tier, std::move(request))) {}
Box::Box(Box&&) noexcept = default;
Box& Box::operator=(Box&&) noexcept = default;
Box::~Box() = default;

BoxReport Box::wait() { return running_->wait(); }
void Box::end_within(double seconds) { running_->end_within(seconds); }
void Box::kill() { running_->end(Ending::Killed); }

std::string_view to_text(Tier tier) {
  switch (tier) {
    case Tier::Bubblewrap:
      return "bubblewrap";
    case Tier::OwnUser:
      return "own-user";
    case Tier::Unsafe:
      return "unsafe";
  }
  return "?";
}

namespace {

/// Why a program does not run in a sandbox of this tier, or an empty text.
std::string probe(Tier tier) {
  if (tier == Tier::OwnUser && geteuid() != 0) return "only root can change its user";
  const TemporaryFolder folder;
  BoxRequest request;
  request.command = {"test", "-d", "/probe/."};
  request.mounts = {{folder.path(), "/probe"}};
  request.capture = true;
  const BoxReport report = Box(tier, request).wait();
  if (report.ending == Ending::Exited && report.exit_code == 0) return "";
  std::string said = report.output.substr(0, report.output.find('\n'));
  if (!said.empty()) return said;
  return "it ended with exit code " + std::to_string(report.exit_code);
}

}  // namespace

Expected<Tier> choose_tier(std::string_view name) {
  const std::string wanted(name.empty() ? to_text(Tier::Bubblewrap) : name);
  for (const Tier tier : {Tier::Bubblewrap, Tier::OwnUser, Tier::Unsafe}) {
    if (wanted != to_text(tier)) continue;
    const std::string why = probe(tier);
    if (why.empty()) return tier;
    std::string what = "the sandbox '" + wanted + "' does not work here: ";
    what += why;
    return absent(what,
                  tier == Tier::Bubblewrap
                      ? "Install bubblewrap and allow user namespaces, or ask for "
                        "another one: own-user (as root), unsafe."
                      : "Ask for another one: bubblewrap, own-user (as root), unsafe.");
  }
  return refuse("there is no sandbox '" + wanted + "'",
                "Say bubblewrap, own-user or unsafe.");
}

}  // namespace pipeline
