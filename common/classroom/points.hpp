/// \file
/// What a test of an exercise is worth, and what is said of it.
#pragma once

#include <gtest/gtest.h>

/// Inside a test of an exercise: passing this test earns `count` points.
#define POINTS(count) ::testing::Test::RecordProperty("points", (count))

/// Inside a hidden test of an instructor: all that a student whose answer fails it gets
/// to read. Its name and its messages stay hidden.
#define HINT(text) ::testing::Test::RecordProperty("hint", (text))
