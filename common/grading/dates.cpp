#include "grading/dates.hpp"

#include <charconv>
#include <cmath>
#include <ctime>

namespace pipeline {
namespace {

/// Takes pieces from the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  bool skip(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void skip_blanks() {
    while (skip(' ')) {
    }
  }
  /// A number of exactly so many digits from `least` to `most`.
  bool number(std::size_t digits, int least, int most, int& value) {
    if (rest_.size() < digits) return false;
    const char* end = rest_.data() + digits;
    const auto [stop, error] = std::from_chars(rest_.data(), end, value);
    if (error != std::errc() || stop != end || value < least || value > most)
      return false;
    rest_.remove_prefix(digits);
    return true;
  }
  void skip_digits() {
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9')
      rest_.remove_prefix(1);
  }
  bool skip_word(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

 private:
  std::string_view rest_;
};

bool scan_clock(Scanner& text, std::tm& at) {
  at.tm_sec = 0;
  if (!text.number(2, 0, 23, at.tm_hour) || !text.skip(':') ||
      !text.number(2, 0, 59, at.tm_min)) {
    return false;
  }
  if (!text.skip(':')) return true;
  if (!text.number(2, 0, 60, at.tm_sec)) return false;
  if (text.skip('.')) text.skip_digits();
  return true;
}

/// Seconds east of Greenwich, from "Z", "UTC" or "-07:00"; false where there is
/// something else.
bool scan_zone(Scanner& text, std::optional<int>& east) {
  text.skip_blanks();
  if (text.done()) return true;
  if (text.skip_word("UTC") || text.skip('Z')) {
    east = 0;
    return text.done();
  }
  const bool west = text.skip('-');
  if (!west && !text.skip('+')) return false;
  int hours = 0;
  int minutes = 0;
  if (!text.number(2, 0, 14, hours)) return false;
  text.skip(':');
  if (!text.number(2, 0, 59, minutes)) return false;
  const int seconds = (hours * 60 + minutes) * 60;
  east = west ? -seconds : seconds;
  return text.done();
}

bool exists(const std::tm& day) {
  std::tm same = day;
  timegm(&same);
  return same.tm_mday == day.tm_mday && same.tm_mon == day.tm_mon;
}

}  // namespace

std::optional<std::int64_t> parse_time(std::string_view typed) {
  Scanner text(typed);
  text.skip_blanks();
  std::tm at = {};
  if (!text.number(4, 1970, 9999, at.tm_year) || !text.skip('-') ||
      !text.number(2, 1, 12, at.tm_mon) || !text.skip('-') ||
      !text.number(2, 1, 31, at.tm_mday)) {
    return std::nullopt;
  }
  at.tm_year -= 1900;
  at.tm_mon -= 1;
  if (!exists(at)) return std::nullopt;
  std::optional<int> east;
  if (text.done()) {
    at.tm_hour = 23;
    at.tm_min = 59;
    at.tm_sec = 59;
  } else if ((!text.skip('T') && !text.skip(' ')) || !scan_clock(text, at) ||
             !scan_zone(text, east)) {
    return std::nullopt;
  }
  if (east) return std::int64_t{timegm(&at)} - *east;
  at.tm_isdst = -1;
  return std::int64_t{std::mktime(&at)};
}

double days_late(std::int64_t when, std::int64_t due) {
  if (when <= due) return 0;
  constexpr double kSecondsInHundredth = 864;
  return std::ceil(static_cast<double>(when - due) / kSecondsInHundredth) / 100;
}

}  // namespace pipeline
