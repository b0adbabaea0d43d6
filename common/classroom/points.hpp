/// \file
/// What a test of an exercise is worth, and what is said of it. For inputs that nobody
/// can know before, see draw.hpp.
#pragma once

#include <gtest/gtest.h>

/// Inside a test of an exercise: passing this test earns `count` points.
#define POINTS(count) ::testing::Test::RecordProperty("points", (count))

/// Inside a hidden test of an instructor: all that a student whose answer fails it gets
/// to read. Its name and its messages stay hidden.
#define HINT(text) ::testing::Test::RecordProperty("hint", (text))

/// Beside a failure that shows an answer to be wrong as a whole: it earns nothing then,
/// whatever else passes.
#define VOIDS_ALL() ::testing::Test::RecordProperty("voids_all", 1)
