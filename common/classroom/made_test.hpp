/// \file
/// Test cases that a program makes from what it finds. Test code.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

namespace pipeline {

class MadeTest : public testing::Test {
 public:
  explicit MadeTest(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

/// Adds the case SUITE.NAME, whose body is `body`. To be called before RUN_ALL_TESTS.
inline void register_test(const std::string& suite, const std::string& name,
                          std::function<void()> body) {
  testing::RegisterTest(
      suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
      [body = std::move(body)]() -> MadeTest* { return new MadeTest(body); });
}

}  // namespace pipeline
