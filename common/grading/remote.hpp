/// \file
/// The tests' end: functions of a contract whose bodies run in a worker. The build
/// writes a proxy for each exercise (contract.hpp), a line a function:
///
///     std::int64_t tick_count(std::int32_t devices, std::int32_t micro_batches) {
///       return call_remote<std::int64_t>(0, "tick_count", devices, micro_batches);
///     }
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "grading/codec.hpp"

namespace pipeline {

/// Why a call came to nothing. GoogleTest makes it a failure of the test.
class CallFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One call of function number `function`: the bytes of the value that came back.
/// Throws CallFailed where the worker is gone, answered another call or more than a
/// message holds, or threw. After a throw the worker goes on; after the others each
/// later call throws at once.
std::string exchange(std::uint16_t function, const std::string& name,
                     const std::string& arguments);

/// Throws CallFailed: what `name` returned is not a value of its type.
[[noreturn]] void refuse_reply(const std::string& name, const std::string& fault);

/// Writes an argument of a call.
template <typename T>
void put_argument(Writer& writer, const T& value) {
  writer.put(value);
}
/// The same for a span, which travels as a vector.
template <typename T>
void put_argument(Writer& writer, std::span<const T> values) {
  writer.put(std::vector<T>(values.begin(), values.end()));
}

/// Calls a function of the worker; throws CallFailed where no value comes back.
template <typename Result, typename... Arguments>
Result call_remote(std::uint16_t function, const char* name,
                   const Arguments&... arguments) {
  Writer writer;
  (put_argument(writer, arguments), ...);
  const std::string reply = exchange(function, name, writer.bytes());
  Reader reader(reply);
  Result result = reader.take<Result>();
  reader.expect_end();
  if (!reader.fault().empty()) refuse_reply(name, reader.fault());
  return result;
}

}  // namespace pipeline
