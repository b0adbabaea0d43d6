#include "grading/sha256.hpp"

#include <gtest/gtest.h>

#include <string>

namespace pipeline {
namespace {

// The examples that NIST publishes beside FIPS 180-4.
TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(sha256(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PadsEveryLengthUpToTwoBlocks) {
  // A text and the same with one byte more never share a digest.
  std::string before = sha256("");
  for (std::size_t length = 1; length <= 130; ++length) {
    const std::string now = sha256(std::string(length, '\0'));
    EXPECT_NE(now, before) << length;
    before = now;
  }
}

}  // namespace
}  // namespace pipeline
