// The entry that libFuzzer calls with each input it thinks of:
//   cmake --preset fuzz && cmake --build build/fuzz --target replies_fuzz
//   build/fuzz/common/grading/fuzz/replies_fuzz common/grading/fuzz/corpus
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "grading/fuzz/replies.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string complaint =
      pipeline::complaint_about_replies({reinterpret_cast<const char*>(data), size});
  if (complaint.empty()) return 0;
  std::fprintf(stderr, "%s\n", complaint.c_str());
  std::abort();
}
