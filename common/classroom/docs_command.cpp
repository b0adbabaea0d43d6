// workbook docs: the site, and a browser that shows it.
#include <cstdio>
#include <cstdlib>

#include "classroom/command.hpp"
#include "classroom/console.hpp"
#include "classroom/docs.hpp"
#include "classroom/process.hpp"

namespace pipeline {
namespace {

bool has_screen() {
  return std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
}

/// Where there is no screen, the system's opener would begin a browser for terminals,
/// or ask questions; so it is not asked then.
bool open_in_browser(const std::filesystem::path& page) {
  if (!has_screen()) return false;
  constexpr double kPatience = 20;  // seconds; some openers wait for the browser
  ProcessOptions options;
  options.timeout_seconds = kPatience;
  const ProcessResult run = run_process({"xdg-open", page.string()}, options);
  return run.exit_code == 0 && !run.timed_out;
}

}  // namespace

int docs_command(const Workspace& at, bool open) {
  const DocsResult docs = make_docs(at);
  if (interrupted()) return kInterrupted;
  if (!docs.good) {
    std::fputs(docs.output.c_str(), stderr);
    return docs.faulty ? complain(docs.error, kFailed) : complain(docs.error);
  }
  if (open && open_in_browser(docs.index)) return kGood;
  print("Open " + docs.index.lexically_relative(at.root).string() + "\n");
  return kGood;
}

}  // namespace pipeline
