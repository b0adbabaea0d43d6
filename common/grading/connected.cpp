#include "grading/connected.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "grading/wire.hpp"

namespace pipeline {
namespace {

constexpr rlim_t kCpuSeconds = 2;
constexpr rlim_t kMemory = rlim_t{1} << 30U;

void limit(__rlimit_resource resource, rlim_t most) {
  const rlimit both = {most, most};
  setrlimit(resource, &both);
}

/// In the child, between fork and exec: only what is safe there.
[[noreturn]] void become(const char* program, int socket) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    dup2(nothing, stream);
  // Its own number is closed with it, and so is every other one: the sockets of whoever
  // started us would stay open in it.
  if (socket != kSocket) {
    dup2(socket, kSocket);
  } else {
    fcntl(socket, F_SETFD, 0);
  }
  close_range(kSocket + 1, ~0U, 0);
  limit(RLIMIT_CPU, kCpuSeconds);
  limit(RLIMIT_CORE, 0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  limit(RLIMIT_AS, kMemory);  // sanitizers reserve far more than they use
#endif
  execl(program, program, static_cast<char*>(nullptr));
  _exit(127);
}

}  // namespace

Connected::Connected(const std::filesystem::path& program) {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  const std::string name = program.string();
  socket_ = ends[0];
  child_ = fork();
  if (child_ == 0) become(name.c_str(), ends[1]);
  close(ends[1]);
}

Connected::~Connected() {
  if (socket_ >= 0) close(socket_);
  if (child_ <= 0) return;
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

}  // namespace pipeline
