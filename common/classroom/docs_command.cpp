// workbook docs: the pages, made by Doxygen.
#include <cstdio>

#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/docs.hpp"
#include "classroom/process.hpp"

namespace pipeline {

void add_docs(CLI::App& app, const Workspace& at, int& exit_code) {
  CLI::App* command = app.add_subcommand("docs", "Make the pages (needs Doxygen)");
  command->callback([&at, &exit_code] {
    const DocsResult docs = make_docs(at);
    if (interrupted()) return;
    if (docs.good) {
      print("Open " + docs.index.lexically_relative(at.root).string() + "\n");
      return;
    }
    std::fputs(docs.output.c_str(), stderr);
    std::fputs(
        "workbook: the pages have warnings, and each counts as an error\n"
        "Mend the first one above.\n",
        stderr);
    exit_code = kFailed;
  });
}

}  // namespace pipeline
