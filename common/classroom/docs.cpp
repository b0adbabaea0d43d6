#include "classroom/docs.hpp"

#include <system_error>

#include "classroom/console.hpp"
#include "classroom/process.hpp"

namespace pipeline {

DocsResult make_docs(const Workspace& at) {
  show_status("making the pages");
  const std::filesystem::path folder = at.root / "build" / "docs";
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  std::filesystem::create_directories(folder, error);
  // Doxygen takes its paths from the folder that it is started in.
  const ProcessResult result = run_process(
      {"cmake", "-E", "chdir", at.root.string(), "doxygen", "docs/Doxyfile"});
  show_status("");
  return {result.exit_code == 0, result.output, folder / "html" / "index.html"};
}

}  // namespace pipeline
