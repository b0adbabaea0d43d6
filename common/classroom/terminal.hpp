/// \file
/// The terminal of a program that reacts to single keys.
#pragma once

#include <termios.h>

#include <cstddef>
#include <memory>

#include "schedule/error.hpp"

namespace pipeline {

/// What was pressed: a character, or one of these.
enum Key : int {
  kNoKey = 0,     ///< nothing was pressed
  kEnter = '\n',  ///< return
  kEscape = 27,   ///< alone, not as the start of a sequence
  kUp = 0x100,    ///< the arrow
  kDown,          ///< the arrow
  kOtherKey,      ///< one with a longer sequence: to be ignored
  kClosed,        ///< the terminal is gone
};

/// While it lives, keys come one by one and unseen; Ctrl-C and Ctrl-Z work as ever.
/// When the program is stopped, or ends in whatever orderly way, the terminal is as it
/// was before.
class Terminal {
 public:
  /// Refuses where stdin or stdout is not a terminal. One at a time.
  static Expected<std::unique_ptr<Terminal>> open();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// The next key that was pressed, without waiting.
  int read_key();

  /// Waits until a key is pressed, `descriptor` (if not negative) can be read, a signal
  /// came, or the time is over.
  void wait(int descriptor, int milliseconds);

  /// Whether, since the last call, the size changed or the program was continued: draw
  /// again.
  bool was_disturbed();

  /// Lines of the terminal, as it is now.
  std::size_t rows() const;

 private:
  Terminal() = default;
};

}  // namespace pipeline
