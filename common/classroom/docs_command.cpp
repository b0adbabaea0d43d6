// workbook docs: the pages, made by Doxygen.
#include <cstdio>

#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/docs.hpp"
#include "classroom/process.hpp"

namespace pipeline {

int docs_command(const Workspace& at) {
  const DocsResult docs = make_docs(at);
  if (interrupted()) return kInterrupted;
  if (docs.good) {
    print("Open " + docs.index.lexically_relative(at.root).string() + "\n");
    return kGood;
  }
  std::fputs(docs.output.c_str(), stderr);
  std::fputs(
      "workbook: the pages have warnings, and each counts as an error\n"
      "Mend the first one above.\n",
      stderr);
  return kFailed;
}

}  // namespace pipeline
