// The worker's end of the wire, and both ends together.
#include "grading/serve.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <span>
#include <stdexcept>
#include <string>

#include "grading/forked_end.hpp"
#include "grading/remote.hpp"
#include "grading/wire.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {
namespace {

using namespace std::string_literals;
using test::ForkedEnd;
using test::framed;
using test::number_bytes;

std::int64_t difference(std::int32_t a, std::int64_t b) { return a - b; }
double sum(std::span<const double> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}
Row reversed(const Row& row) { return {row.rbegin(), row.rend()}; }
std::vector<bool> flipped(std::vector<bool> bits) {
  bits.flip();
  return bits;
}
std::string fails(const std::string& text) {
  if (text == "int") throw 42;
  throw std::runtime_error(text);
}

constexpr Served kServed[] = {served<&difference>, served<&sum>, served<&reversed>,
                              served<&flipped>, served<&fails>};

/// A worker with these functions; in the end it says its exit code.
ForkedEnd worker() {
  return ForkedEnd([] { return "exit " + std::to_string(serve(kServed)); });
}

std::string request(std::uint32_t number, char function, const std::string& arguments) {
  return framed(number_bytes(number) + function + '\0' + arguments);
}

template <typename... Values>
std::string bytes_of(const Values&... values) {
  Writer writer;
  (writer.put(values), ...);
  return writer.bytes();
}

TEST(Serve, AnswersEachCallWithItsNumber) {
  ForkedEnd end = worker();
  end.say(request(1, 0, bytes_of(50, 8)));
  EXPECT_EQ(end.hear(), number_bytes(1) + '\0' + bytes_of(std::int64_t{42}));
  end.say(request(4711, 1, bytes_of(std::vector<double>{1.5, 2.5})));
  EXPECT_EQ(end.hear(), number_bytes(4711) + '\0' + bytes_of(4.0));
  end.hang_up();
  EXPECT_EQ(end.join(), "exit 0");
}

TEST(Serve, TakesArgumentsFromLeftToRight) {
  ForkedEnd end = worker();
  end.say(request(1, 0, bytes_of(1, 2)));
  EXPECT_EQ(end.hear(), number_bytes(1) + '\0' + bytes_of(std::int64_t{-1}));
}

TEST(Serve, SendsBackWhatWasThrown) {
  ForkedEnd end = worker();
  end.say(request(1, 4, bytes_of("why not"s)));
  EXPECT_EQ(end.hear(), number_bytes(1) + "\1why not");
  end.say(request(2, 4, bytes_of("int"s)));
  EXPECT_EQ(end.hear(), number_bytes(2) + "\1something that is no std::exception");
  end.say(request(3, 4, bytes_of(std::string(100'000, 'x'))));
  EXPECT_EQ(end.hear(), number_bytes(3) + '\1' + std::string(kMostThrown, 'x'));
  end.say(request(4, 0, bytes_of(5, 3)));
  EXPECT_EQ(end.hear(), number_bytes(4) + '\0' + bytes_of(std::int64_t{2}))
      << "and it goes on";
}

TEST(Serve, EndsWhereItIsNotAskedByTheRules) {
  for (const std::string& bytes : {framed("\1\0\0\0\0"s),      // no function
                                   request(1, 5, ""),          // one too many
                                   std::string(4, '\xff')}) {  // endless
    ForkedEnd end = worker();
    end.say(bytes);
    EXPECT_EQ(end.hear(), "(closed)");
    EXPECT_EQ(end.join().substr(0, 5), "exit ");
  }
}

/// Calls functions of `worker` from another process, over a relay that only carries
/// bytes.
std::string through_both_ends(const std::function<std::string()>& calls) {
  ForkedEnd tests(calls);
  ForkedEnd end = worker();
  for (std::string message = tests.hear(); message != "(closed)";
       message = tests.hear()) {
    end.say(framed(message));
    tests.say(framed(end.hear()));
  }
  return tests.join();
}

TEST(BothEnds, CarryValuesOfEveryShape) {
  EXPECT_EQ(
      through_both_ends([]() -> std::string {
        if (call_remote<std::int64_t>(0, "difference", std::int32_t{3},
                                      std::int64_t{1} << 40U) !=
            3 - (std::int64_t{1} << 40U))
          return "difference";
        const std::vector<double> numbers(1000, 0.25);
        if (call_remote<double>(1, "sum", std::span<const double>(numbers)) != 250)
          return "sum";
        const Row row = {{{ActionKind::Forward, 0, 1, 2}, true},
                         {{ActionKind::Reduce, -1, 3, -4}, false}};
        if (call_remote<Row>(2, "reversed", row) != reversed(row)) return "reversed";
        const std::vector<bool> bits = {true, false, false};
        if (call_remote<std::vector<bool>>(3, "flipped", bits) != flipped(bits))
          return "flipped";
        return "all as in one process";
      }),
      "all as in one process");
}

TEST(BothEnds, CarryWhatIsThrownAsText) {
  EXPECT_EQ(through_both_ends([]() -> std::string {
              try {
                return call_remote<std::string>(4, "fails", "\x1b[2J <b>"s);
              } catch (const CallFailed& failed) {
                return failed.what();
              }
            }),
            "fails threw: \x1b[2J <b>");
}

}  // namespace
}  // namespace pipeline
