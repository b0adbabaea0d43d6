#include "grading/wire.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

namespace pipeline {
namespace {

using namespace std::string_literals;

/// Two ends of a socket.
struct Wire {
  Wire() {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    ours = ends[0];
    theirs = ends[1];
  }
  ~Wire() {
    close(ours);
    close(theirs);
  }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  void say(const std::string& bytes) const {
    EXPECT_EQ(send(theirs, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  void hang_up() const { shutdown(theirs, SHUT_RDWR); }

  int ours = -1;
  int theirs = -1;
};

TEST(Wire, CarriesMessagesOneByOne) {
  const Wire wire;
  for (const std::string& sent : {"one"s, ""s, "\0 and \xff"s}) {
    ASSERT_TRUE(send_message(wire.theirs, sent));
  }
  std::string message;
  for (const std::string& sent : {"one"s, ""s, "\0 and \xff"s}) {
    ASSERT_EQ(receive_message(wire.ours, message), Received::Message);
    EXPECT_EQ(message, sent);
  }
}

TEST(Wire, WritesTheLengthLittleEndFirst) {
  const Wire wire;
  ASSERT_TRUE(send_message(wire.ours, "abc"));
  std::array<char, 16> bytes{};
  ASSERT_EQ(recv(wire.theirs, bytes.data(), bytes.size(), 0), 7);
  EXPECT_EQ(std::string(bytes.data(), 7), "\3\0\0\0abc"s);
}

TEST(Wire, PutsTogetherWhatComesInPieces) {
  const Wire wire;
  std::thread slow([&] {
    for (const char byte : "\5\0\0\0hello"s) {
      wire.say(std::string(1, byte));
      std::this_thread::yield();
    }
  });
  std::string message;
  EXPECT_EQ(receive_message(wire.ours, message), Received::Message);
  EXPECT_EQ(message, "hello");
  slow.join();
}

TEST(Wire, CarriesTheLongestMessageAndNoLongerOne) {
  const Wire wire;
  std::string message;
  std::thread sender([&] { send_message(wire.theirs, std::string(kMostBytes, 'x')); });
  EXPECT_EQ(receive_message(wire.ours, message), Received::Message);
  sender.join();
  EXPECT_EQ(message.size(), kMostBytes);
  // 2^24 + 1 and 2^32 - 1
  for (const std::string& length : {"\1\0\0\1"s, "\xff\xff\xff\xff"s}) {
    const Wire other;
    other.say(length);
    EXPECT_EQ(receive_message(other.ours, message), Received::TooLong);
  }
}

TEST(Wire, TakesNoRoomForALengthAlone) {
  const Wire wire;
  wire.say("\0\0\0\1x"s);
  wire.hang_up();
  std::string message;
  EXPECT_EQ(receive_message(wire.ours, message), Received::Closed);
  EXPECT_LE(message.capacity(), std::size_t{1} << 17U);
}

TEST(Wire, SaysThatTheOtherEndIsGone) {
  std::string message;
  for (const std::string& before : {""s, "\3\0"s, "\3\0\0\0ab"s}) {
    const Wire wire;
    wire.say(before);
    wire.hang_up();
    EXPECT_EQ(receive_message(wire.ours, message), Received::Closed);
    EXPECT_FALSE(send_message(wire.ours, "anybody there?")) << "and no signal came";
  }
}

TEST(Reply, IsOneToTheCallOfItsNumber) {
  const auto value = parse_reply("\2\1\0\0\0body"s, 0x102);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->kind, ReplyKind::Value);
  EXPECT_EQ(value->body, "body");
  const auto thrown = parse_reply("\2\0\0\0\1"s, 2);
  ASSERT_TRUE(thrown);
  EXPECT_EQ(thrown->kind, ReplyKind::Thrown);
  EXPECT_EQ(thrown->body, "");
  EXPECT_FALSE(parse_reply("\2\0\0\0\0"s, 3)) << "another number";
  EXPECT_FALSE(parse_reply("\2\0\0\0\2"s, 2)) << "no such kind";
  EXPECT_FALSE(parse_reply("\2\0\0\0"s, 2)) << "too short";
  EXPECT_FALSE(parse_reply("", 0)) << "empty";
}

}  // namespace
}  // namespace pipeline
