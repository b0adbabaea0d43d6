#include "classroom/terminal.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace pipeline {
namespace {

constexpr std::size_t kUsualRows = 24;

// For the signal handlers, which find nothing else.
termios before;                            // NOLINT: set before any handler is
termios keys_one_by_one;                   // NOLINT
volatile std::sig_atomic_t disturbed = 0;  // NOLINT

void use(const termios& mode) { tcsetattr(STDIN_FILENO, TCSADRAIN, &mode); }

void on_resize(int /*signal*/) { disturbed = 1; }

/// `fg` after a stop: the shell has set the terminal as it likes it.
void on_continue(int /*signal*/) {
  const int error = errno;
  use(keys_one_by_one);
  disturbed = 1;
  errno = error;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigaction(signal, &action, nullptr);
}

/// Ctrl-Z: the terminal as it was, then stop in the way of every program.
void on_stop(int /*signal*/) {
  const int error = errno;
  use(before);
  handle(SIGTSTP, SIG_DFL);
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  kill(getpid(), SIGTSTP);
  sigprocmask(SIG_UNBLOCK, &stop, nullptr);  // here it stops; and goes on later
  handle(SIGTSTP, on_stop);
  on_continue(SIGCONT);
  errno = error;
}

bool has_input(int milliseconds) {
  pollfd input = {STDIN_FILENO, POLLIN, 0};
  return poll(&input, 1, milliseconds) > 0;
}

/// A byte, or kNoKey, or kClosed.
int read_byte() {
  unsigned char byte = 0;
  const ssize_t count = read(STDIN_FILENO, &byte, 1);
  if (count == 1) return byte;
  return count < 0 && (errno == EINTR || errno == EAGAIN) ? kNoKey : kClosed;
}

/// What follows Escape at once is the rest of one key: "[A" is up.
int read_sequence() {
  constexpr int kPause = 20;  // milliseconds, as between the bytes of a slow line
  if (!has_input(kPause)) return kEscape;
  const int kind = read_byte();
  if (kind != '[' && kind != 'O') return kOtherKey;
  int last = 0;
  do {
    last = has_input(kPause) ? read_byte() : kNoKey;
  } while (last == ';' || (last >= '0' && last <= '9'));
  if (last == 'A') return kUp;
  if (last == 'B') return kDown;
  return last == kClosed ? kClosed : kOtherKey;
}

}  // namespace

Expected<std::unique_ptr<Terminal>> Terminal::open() {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0 ||
      tcgetattr(STDIN_FILENO, &before) != 0) {
    return refuse("watch needs a terminal, for its keys and its screen",
                  "Without one: ./workbook watch --once, or ./workbook check.");
  }
  keys_one_by_one = before;
  keys_one_by_one.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  keys_one_by_one.c_cc[VMIN] = 1;
  keys_one_by_one.c_cc[VTIME] = 0;
  keys_one_by_one.c_cc[VQUIT] = _POSIX_VDISABLE;  // it would leave the terminal so
  handle(SIGWINCH, on_resize);
  handle(SIGCONT, on_continue);
  handle(SIGTSTP, on_stop);
  use(keys_one_by_one);
  return std::unique_ptr<Terminal>(new Terminal);
}

Terminal::~Terminal() {
  handle(SIGWINCH, SIG_DFL);
  handle(SIGCONT, SIG_DFL);
  handle(SIGTSTP, SIG_DFL);
  use(before);
}

int Terminal::read_key() {
  if (!has_input(0)) return kNoKey;
  const int byte = read_byte();
  if (byte == kEscape) return read_sequence();
  return byte == '\r' ? kEnter : byte;
}

void Terminal::wait(int descriptor, int milliseconds) {
  std::array<pollfd, 2> ready = {
      {{STDIN_FILENO, POLLIN, 0}, {descriptor, POLLIN, 0}}};  // negative: ignored
  poll(ready.data(), ready.size(), milliseconds);
}

bool Terminal::was_disturbed() {
  const bool was = disturbed != 0;
  disturbed = 0;
  return was;
}

std::size_t Terminal::rows() const {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) {
    return kUsualRows;
  }
  return size.ws_row;
}

}  // namespace pipeline
