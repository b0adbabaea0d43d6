// Writes a WebAssembly module as a plain script, `const PIPELINE_LAB_WASM = "…";` in
// base64: a page opened from a disk may not fetch a module, but may load a script.
//   embed_wasm lab.wasm lab_wasm.js
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace {

std::string base64(const std::string& bytes) {
  constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = i; k < i + 3; ++k) {
      three = three << 8U;
      if (k < bytes.size()) three |= static_cast<unsigned char>(bytes[k]);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      const std::uint32_t digit = three >> (18U - 6U * k) & 63U;
      text += i + k <= bytes.size() ? kDigits[digit] : '=';
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: embed_wasm MODULE.wasm SCRIPT.js\n", stderr);
    return 2;
  }
  std::ifstream module(argv[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(module), {}};
  if (bytes.empty()) {
    std::fprintf(stderr, "embed_wasm: cannot read %s\n", argv[1]);
    return 2;
  }
  std::ofstream script(argv[2], std::ios::binary);
  script << "// The lab's C++ (common/lab) as WebAssembly; see core.js.\n"
         << "\"use strict\";\nglobalThis.PIPELINE_LAB_WASM = \"" << base64(bytes)
         << "\";\n";
  script.close();
  if (script) return 0;
  std::fprintf(stderr, "embed_wasm: cannot write %s\n", argv[2]);
  return 1;
}
