// The tests' end of the wire against workers that do not play by the rules.
#include "grading/remote.hpp"

#include <gtest/gtest.h>

#include <string>

#include "grading/forked_end.hpp"
#include "grading/wire.hpp"

namespace pipeline {
namespace {

using namespace std::string_literals;
using test::ForkedEnd;
using test::framed;
using test::number_bytes;

/// Calls f(1), f(2), … as a test would; a line for each that says what came of it.
std::string call_times(int times) {
  std::string lines;
  for (int i = 1; i <= times; ++i) {
    try {
      lines += std::to_string(call_remote<std::int64_t>(0, "f", i)) + "\n";
    } catch (const CallFailed& failed) {
      lines += failed.what() + "\n"s;
    }
  }
  return lines;
}

/// An honest reply, with its length in front.
std::string reply(std::uint32_t number, std::int64_t value) {
  Writer writer;
  writer.put(value);
  return framed(number_bytes(number) + '\0' + writer.bytes());
}

constexpr const char* kOver = "the answer stopped working earlier in this test\n";

TEST(Remote, SendsNumberFunctionAndArgumentsAndReturnsTheValue) {
  ForkedEnd tests([] { return call_times(2); });
  Writer one;
  one.put(1);
  EXPECT_EQ(tests.hear(), number_bytes(1) + "\0\0"s + one.bytes());
  tests.say(reply(1, 42));
  Writer two;
  two.put(2);
  EXPECT_EQ(tests.hear(), number_bytes(2) + "\0\0"s + two.bytes());
  tests.say(reply(2, -42));
  EXPECT_EQ(tests.join(), "42\n-42\n");
}

TEST(Remote, FailsEachCallFromTheEndOfTheWorkerOn) {
  ForkedEnd tests([] { return call_times(3); });
  tests.hear();
  tests.say(reply(1, 6));
  tests.hear();
  tests.hang_up();
  EXPECT_EQ(tests.join(), "6\nthe answer ended within f\n"s + kOver);
}

TEST(Remote, FailsWhereTheWorkerNeverBegan) {
  ForkedEnd tests([] {
    std::string message;
    receive_message(kSocket, message);  // until the other end is closed
    return call_times(2);
  });
  tests.hang_up();
  EXPECT_EQ(tests.join(), "the answer ended within f\n"s + kOver);
}

TEST(Remote, TakesRepliesInTheirOrderWheneverTheyCame) {
  ForkedEnd tests([] { return call_times(3); });
  tests.say(reply(1, 6) + reply(2, 7));
  tests.hang_up();
  EXPECT_EQ(tests.join(), "6\n7\nthe answer ended within f\n");
}

TEST(Remote, RefusesAReplyThatCameTwice) {
  ForkedEnd tests([] { return call_times(3); });
  tests.hear();
  tests.say(reply(1, 6) + reply(1, 6));
  EXPECT_EQ(tests.join(), "6\nwhat came back is not an answer to f\n"s + kOver);
}

TEST(Remote, RefusesTheReplyToAnEarlierOrLaterCall) {
  for (const std::uint32_t number : {0U, 1U, 3U, 0xffffffffU}) {
    ForkedEnd tests([] { return call_times(2); });
    tests.hear();
    tests.say(reply(1, 6));
    tests.hear();
    tests.say(reply(number, 6));
    EXPECT_EQ(tests.join(), "6\nwhat came back is not an answer to f\n") << number;
  }
}

TEST(Remote, RefusesRepliesTooShortToBeAny) {
  for (const std::string& bytes : {""s, "\1"s, "\1\0\0"s, "\1\0\0\0"s}) {
    ForkedEnd tests([] { return call_times(1); });
    tests.hear();
    tests.say(framed(bytes));
    EXPECT_EQ(tests.join(), "what came back is not an answer to f\n") << bytes.size();
  }
}

TEST(Remote, RefusesRepliesOfNoKnownKind) {
  ForkedEnd tests([] { return call_times(1); });
  tests.hear();
  tests.say(framed(number_bytes(1) + "\2i\6\0\0\0\0\0\0\0"s));
  EXPECT_EQ(tests.join(), "what came back is not an answer to f\n");
}

TEST(Remote, RefusesRepliesThatAreTooLongBeforeTheyCome) {
  ForkedEnd tests([] { return call_times(2); });
  tests.hear();
  tests.say("\xff\xff\xff\xff");
  EXPECT_EQ(tests.join(), "f returned more than 16 MiB\n"s + kOver);
}

TEST(Remote, RefusesRepliesThatAreCutShort) {
  for (std::size_t length = 0; length < reply(1, 6).size(); ++length) {
    ForkedEnd tests([] { return call_times(1); });
    tests.hear();
    tests.say(reply(1, 6).substr(0, length));
    tests.hang_up();
    EXPECT_EQ(tests.join(), "the answer ended within f\n") << length;
  }
}

TEST(Remote, RefusesValuesThatAreNoneOfTheFunctions) {
  const std::string head = number_bytes(1) + '\0';
  const std::string value = "i\6\0\0\0\0\0\0\0"s;
  for (const auto& [body, fault] : {
           std::pair{""s, "it ends too early"},
           {"d\6\0\0\0\0\0\0\0"s, "a value of another type"},
           {value.substr(0, 5), "it ends too early"},
           {value + "x", "bytes after its end"},
           {value + value, "bytes after its end"},
       }) {
    ForkedEnd tests([] { return call_times(2); });
    tests.hear();
    tests.say(framed(head + body));
    EXPECT_EQ(tests.join(), "what f returned cannot be read: "s + fault + "\n" + kOver);
  }
}

TEST(Remote, PassesOnWhatWasThrownCutToItsLimitAndGoesOn) {
  ForkedEnd tests([] { return call_times(3); });
  tests.hear();
  tests.say(framed(number_bytes(1) + "\1out of luck"));
  tests.hear();
  tests.say(framed(number_bytes(2) + '\1' + std::string(100'000, 'x')));
  tests.hear();
  tests.say(reply(3, 6));
  EXPECT_EQ(tests.join(), "f threw: out of luck\nf threw: " +
                              std::string(kMostThrown, 'x') + "\n6\n");
}

TEST(Remote, WaitsForAReplyThatComesInPieces) {
  ForkedEnd tests([] { return call_times(1); });
  tests.hear();
  for (const char byte : reply(1, 6)) tests.say(std::string(1, byte));
  EXPECT_EQ(tests.join(), "6\n");
}

TEST(Remote, SendsSpansAsVectors) {
  ForkedEnd tests([] {
    const std::vector<double> numbers = {1.5, 2.5};
    return std::to_string(
        call_remote<bool>(7, "g", std::span<const double>(numbers), "x"s));
  });
  Writer writer;
  writer.put(std::vector<double>{1.5, 2.5});
  writer.put("x"s);
  EXPECT_EQ(tests.hear(), number_bytes(1) + "\7\0"s + writer.bytes());
  tests.say(framed(number_bytes(1) + "\0b\1"s));
  EXPECT_EQ(tests.join(), "1");
}

}  // namespace
}  // namespace pipeline
