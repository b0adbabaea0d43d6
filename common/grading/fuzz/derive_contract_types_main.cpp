// derive_contract_types OUTPUT EXERCISE_HPP...: writes a source with the types of all
// these contracts. Two exercises may give one name to two things, so that each header
// is included into a namespace of its own:
//
//     namespace exercise_05 {
//     namespace pipeline { using namespace ::pipeline; }
//     #include "exercises/05_loop_pipeline/exercise.hpp"
//     }
#include <cstdio>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include "classroom/files.hpp"
#include "grading/contract.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

struct Source {
  std::set<std::string> includes;  ///< of all headers: they belong in no namespace
  std::string headers;
  std::string checks;
};

Expected<void> add(Source& source, const fs::path& header) {
  const auto text = read_file(header);
  if (!text) return tl::unexpected(text.error());
  const auto contract = parse_contract(*text);
  if (!contract) return tl::unexpected(contract.error());
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#include")) source.includes.insert(line);
  }
  const std::string folder = header.parent_path().filename().string();
  const std::string space = "exercise_" + folder.substr(0, 2);
  source.headers += "namespace " + space +
                    " {\nnamespace pipeline { using namespace ::pipeline; }\n"
                    "#include \"exercises/" +
                    folder + "/exercise.hpp\"\n}\n";
  for (const ContractFunction& function : *contract) {
    source.checks += "    TypeChecks<decltype(::" + space +
                     "::pipeline::" + function.name + ")>::add_to(all);\n";
  }
  return {};
}

std::string text_of(const Source& source) {
  std::string text =
      "// Written by the build: the types of the contracts of all exercises.\n"
      "#include <algorithm>\n#include <functional>\n\n#include "
      "\"grading/fuzz/replies.hpp\"\n\n";
  for (const std::string& line : source.includes) text += line + "\n";
  return text + "\n" + source.headers +
         "\nnamespace pipeline {\n\n"
         "const std::vector<TypeCheck>& all_type_checks() {\n"
         "  static const std::vector<TypeCheck> checks = [] {\n"
         "    std::vector<TypeCheck> all;\n" +
         source.checks +
         "    std::sort(all.begin(), all.end(), std::less<>());\n"
         "    all.erase(std::unique(all.begin(), all.end()), all.end());\n"
         "    return all;\n  }();\n  return checks;\n}\n\n}  // namespace pipeline\n";
}

int run(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: derive_contract_types OUTPUT EXERCISE_HPP...\n", stderr);
    return 2;
  }
  Source source;
  for (int i = 2; i < argc; ++i) {
    const auto added = add(source, argv[i]);
    if (added) continue;
    std::fprintf(stderr, "%s: %s\n%s\n", argv[i], added.error().what.c_str(),
                 added.error().remedy.c_str());
    return 1;
  }
  const auto written = write_file(argv[1], text_of(source));
  if (!written) std::fprintf(stderr, "%s\n", written.error().what.c_str());
  return written ? 0 : 1;
}

}  // namespace
}  // namespace pipeline

int main(int argc, char** argv) { return pipeline::run(argc, argv); }
