// The entry that libFuzzer calls with each link it thinks of: whatever it holds, the
// lab answers in JSON that says whether it could.
//   cmake --preset fuzz && cmake --build build/fuzz --target lab_fuzz
//   build/fuzz/common/lab/fuzz/lab_fuzz common/lab/fuzz/corpus
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "lab/answer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string reply =
      pipeline::lab_answer({reinterpret_cast<const char*>(data), size});
  const auto json = nlohmann::json::parse(reply, nullptr, false);
  const bool said = json.is_object() && json.contains("ok") &&
                    (json["ok"] == true || !json["what"].empty());
  if (said) return 0;
  std::fprintf(stderr, "%s\n", reply.c_str());
  std::abort();
}
