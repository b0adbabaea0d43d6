/// \file
/// What a test of an exercise is worth.
#pragma once

#include <gtest/gtest.h>

/// Inside a test of an exercise: passing this test earns `count` points.
#define POINTS(count) ::testing::Test::RecordProperty("points", (count))
