// The platform of this build, and the host platform in each of its modes.
#include "device/host.hpp"
#include "device/platform_tests.hpp"

namespace pipeline {
namespace {

PlatformCase host_case(std::string name, HostDrain drain) {
  return {std::move(name), [drain](std::int32_t devices) {
            return PlatformUnderTest{
                nullptr, make_host_platform(devices, {.drain = drain, .seed = 7}), ""};
          }};
}

PlatformUnderTest this_build(std::int32_t devices) {
  auto made = make_platform(devices);
  if (!made) return {nullptr, nullptr, made.error().what};
  return {nullptr, std::move(*made), ""};
}

INSTANTIATE_TEST_SUITE_P(
    Device, AnyPlatform,
    testing::Values(host_case("ThreadPerDevice", HostDrain::ThreadPerDevice),
                    host_case("ThreadPerStream", HostDrain::ThreadPerStream),
                    host_case("Seeded", HostDrain::Seeded),
                    PlatformCase{"ThisBuild", this_build}),
    name_of);

}  // namespace
}  // namespace pipeline
