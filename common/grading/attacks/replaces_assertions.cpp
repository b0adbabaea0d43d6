// attack: defines EXPECT, ASSERT, TEST and POINTS anew
// ends: ok
#include "exercise.hpp"

#undef EXPECT_EQ
#undef ASSERT_EQ
#undef ASSERT_NEAR
#undef EXPECT_DOUBLE_EQ
#undef ASSERT_TRUE
#undef POINTS
#undef TEST
#define EXPECT_EQ(a, b) std::ostream(nullptr)
#define ASSERT_EQ(a, b) std::ostream(nullptr)
#define ASSERT_NEAR(a, b, c) std::ostream(nullptr)
#define EXPECT_DOUBLE_EQ(a, b) std::ostream(nullptr)
#define ASSERT_TRUE(a) std::ostream(nullptr)
#define POINTS(n) ::testing::Test::RecordProperty("points", 1000)
#define TEST(suite, name) [[maybe_unused]] static void suite##name()

namespace pipeline {

std::int64_t tick_count(std::int32_t, std::int32_t) { return 0; }
double utilisation(std::int32_t, std::int32_t) { return 0; }
std::int32_t running_at(std::int32_t, std::int32_t, std::int32_t) { return kIdle; }

}  // namespace pipeline
