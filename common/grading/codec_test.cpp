#include "grading/codec.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "schedule/schedule.hpp"

namespace pipeline {
namespace {

using namespace std::string_literals;

struct One {
  bool only = false;
  bool operator==(const One&) const = default;
};
struct Mixed {
  double a = 0;
  std::vector<std::int32_t> b = {};
  std::string c = {};
  ActionKind d = ActionKind::Forward;
  One e = {};
  bool operator==(const Mixed&) const = default;
};
struct Eight {
  std::int32_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
  bool operator==(const Eight&) const = default;
};

template <typename T>
std::string encoded(const T& value) {
  Writer writer;
  writer.put(value);
  return writer.bytes();
}

/// What reading a T off all of `bytes` finds wrong, or empty.
template <typename T>
std::string fault_in(const std::string& bytes) {
  Reader reader(bytes);
  reader.take<T>();
  reader.expect_end();
  return reader.fault();
}

/// It comes back, and no beginning of its bytes passes for a whole, nor do more bytes.
template <typename T>
void expect_round_trip(const T& value) {
  const std::string bytes = encoded(value);
  Reader reader(bytes);
  EXPECT_EQ(reader.take<T>(), value);
  reader.expect_end();
  EXPECT_EQ(reader.fault(), "");
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_NE(fault_in<T>(bytes.substr(0, length)), "") << length << " bytes";
  EXPECT_EQ(fault_in<T>(bytes + '\0'), "bytes after its end");
}

TEST(Codec, WritesTheBytesThatItsPageShows) {
  EXPECT_EQ(encoded(true), "b\1");
  EXPECT_EQ(encoded(std::int32_t{-2}), "i\xfe\xff\xff\xff\xff\xff\xff\xff");
  EXPECT_EQ(encoded(1.0F), "f\0\0\x80\x3f"s);
  EXPECT_EQ(encoded(1.0), "d\0\0\0\0\0\0\xf0\x3f"s);
  EXPECT_EQ(encoded("two"s), "s\3\0\0\0two"s);
  EXPECT_EQ(encoded(std::vector<bool>{true, false}), "v\2\0\0\0b\1b\0"s);
  EXPECT_EQ(encoded(One{true}), "{\1b\1"s);
  EXPECT_EQ(encoded(ActionKind::Backward), "i\1\0\0\0\0\0\0\0"s);
}

TEST(Codec, BringsBackEveryTypeThatAContractMayUse) {
  expect_round_trip(false);
  expect_round_trip(std::numeric_limits<std::int64_t>::min());
  expect_round_trip(std::numeric_limits<std::int16_t>::max());
  expect_round_trip(std::uint8_t{255});
  expect_round_trip(std::size_t{1} << 40U);
  expect_round_trip(-0.1F);
  expect_round_trip(std::numeric_limits<double>::denorm_min());
  expect_round_trip(-std::numeric_limits<double>::infinity());
  expect_round_trip("a \0 \xff and <b>"s);
  expect_round_trip(""s);
  expect_round_trip(ActionKind::Update);
  expect_round_trip(std::vector<std::vector<double>>{{1.5}, {}, {-2.5, 3.5}});
  expect_round_trip(std::vector<std::vector<bool>>{{true, false}, {}});
  expect_round_trip(std::vector<std::string>{"a", ""});
  expect_round_trip(Mixed{0.5, {1, 2, 3}, "c", ActionKind::Reduce, {true}});
  expect_round_trip(Eight{1, 2, 3, 4, 5, 6, 7, 8});
  expect_round_trip(Row{{{ActionKind::Forward, 1, 2, 3}, true},
                        {{ActionKind::Backward, -4, -5, -6}, false}});
}

TEST(Codec, BringsBackWhatIsNotANumberBitForBit) {
  const auto odd = std::bit_cast<double>(std::uint64_t{0xfff0'dead'beef'0001});
  const std::string bytes = encoded(odd);
  Reader reader(bytes);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(reader.take<double>()),
            0xfff0'dead'beef'0001U);
}

TEST(Codec, RefusesAnotherType) {
  const std::string wrong = "a value of another type";
  EXPECT_EQ(fault_in<double>(encoded(std::int32_t{1})), wrong);
  EXPECT_EQ(fault_in<double>(encoded(1.0F)), wrong);
  EXPECT_EQ(fault_in<bool>(encoded(std::int32_t{1})), wrong);
  EXPECT_EQ(fault_in<std::vector<bool>>(encoded(std::vector<int>{1})), wrong);
  EXPECT_EQ(fault_in<std::string>(encoded(std::vector<int>{1})), wrong);
  EXPECT_EQ(fault_in<Mixed>(encoded(1.0)), wrong);
}

TEST(Codec, RefusesNumbersOutOfTheRangeOfTheirType) {
  const std::string wrong = "a number out of range";
  EXPECT_EQ(fault_in<std::int32_t>(encoded(std::int64_t{1} << 31U)), wrong);
  EXPECT_EQ(fault_in<std::int16_t>(encoded(-32769)), wrong);
  EXPECT_EQ(fault_in<std::uint8_t>(encoded(256)), wrong);
  EXPECT_EQ(fault_in<std::uint8_t>(encoded(-1)), wrong);
  EXPECT_EQ(fault_in<std::size_t>(encoded(std::int64_t{-1})), wrong);
  EXPECT_EQ(fault_in<bool>("b\2"), "a truth value that is neither true nor false");
}

TEST(Codec, RefusesEnumeratorsThatDoNotExist) {
  const std::string wrong = "an enumerator that does not exist";
  const auto last = static_cast<std::int64_t>(ActionKind::Update);
  EXPECT_EQ(fault_in<ActionKind>(encoded(last)), "");
  EXPECT_EQ(fault_in<ActionKind>(encoded(last + 1)), wrong);
  EXPECT_EQ(fault_in<ActionKind>(encoded(std::int64_t{-1})), wrong);
  EXPECT_EQ(fault_in<ActionKind>(encoded(last + 256)), wrong) << "nor modulo 256";
}

TEST(Codec, RefusesStructsOfAnotherSize) {
  EXPECT_EQ(fault_in<One>("{\2b\1b\1"), "a struct of another size");
  EXPECT_EQ(fault_in<Eight>("{\1b\1"), "a struct of another size");
}

TEST(Codec, RefusesLengthsThatTheBytesCannotHold) {
  EXPECT_EQ(fault_in<std::string>("s\xff\xff\xff\xffx"),
            "a string longer than what is there");
  EXPECT_EQ(fault_in<std::vector<bool>>("v\xff\xff\xff\xff"
                                        "b\1"),
            "more elements than bytes");
  EXPECT_EQ(fault_in<std::vector<bool>>("v\2\0\0\0b\1b"s), "more elements than bytes");
}

TEST(Codec, TakesNoMoreRoomForAVectorThanForItsElements) {
  // A million structs are announced, and none comes.
  std::string bytes = "v\x40\x42\x0f\0"s + std::string(2'000'000, 'x');
  Reader reader(bytes);
  EXPECT_LE(reader.take<std::vector<Mixed>>().capacity(), 1U);
  EXPECT_EQ(reader.fault(), "a value of another type");
}

TEST(Codec, SaysTheFirstFaultAndTakesNoMoreAfterIt) {
  const std::string bytes = encoded(std::int32_t{7}) + encoded(true);
  Reader reader(bytes);
  EXPECT_EQ(reader.take<double>(), 0);
  EXPECT_FALSE(reader.take<bool>());
  EXPECT_EQ(reader.take<std::string>(), "");
  reader.expect_end();
  EXPECT_EQ(reader.fault(), "a value of another type");
}

TEST(Codec, RefusesDepthThatItsTypeDoesNotHave) {
  std::string deep;
  for (int level = 0; level < 1'000'000; ++level) deep += "v\1\0\0\0"s;
  EXPECT_EQ(fault_in<std::vector<std::vector<double>>>(deep),
            "a value of another type");
}

TEST(Fields, AreCountedAndVisitedInOrder) {
  static_assert(kFieldCount<One> == 1);
  static_assert(kFieldCount<Mixed> == 5);
  static_assert(kFieldCount<Eight> == 8);
  static_assert(kFieldCount<Entry> == 2);
  static_assert(kFieldCount<Action> == 4);
  std::string seen;
  const Eight eight{1, 2, 3, 4, 5, 6, 7, 8};
  for_each_field(eight, [&](std::int32_t field) { seen += std::to_string(field); });
  EXPECT_EQ(seen, "12345678");
}

}  // namespace
}  // namespace pipeline
