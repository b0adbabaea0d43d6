#include <gtest/gtest.h>

#include "device/host.hpp"

namespace pipeline {
namespace {
TEST(HostPlatform, RunsWhatItIsGiven) {
  auto platform = make_host_platform(2);
  auto s = platform->device(0).make_stream("compute");
  auto t = platform->device(1).make_stream("compute");
  auto e = platform->device(0).make_event();
  int value = 0, seen = 0;
  int* v = &value;
  int* w = &seen;
  for (int i = 0; i < 2000; ++i) s->run(Work([v](NativeStream) { ++*v; }));
  s->record(*e);
  t->wait(*e);
  t->run(Work([v, w](NativeStream) { *w = *v; }));
  t->synchronize();
  EXPECT_EQ(seen, 2000);
}
}  // namespace
}  // namespace pipeline
