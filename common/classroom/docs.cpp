#include "classroom/docs.hpp"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "classroom/console.hpp"
#include "classroom/files.hpp"
#include "classroom/process.hpp"
#include "classroom/site.hpp"
#include "lab/answer.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

/// Steps that each stand on the one before; the first that fails ends it.
class DocsMaker {
 public:
  explicit DocsMaker(const Workspace& at)
      : at_(at), folder_(at.root / "build" / "docs"), html_(folder_ / "html") {}

  DocsResult run() {
    std::error_code error;
    fs::remove_all(folder_, error);
    fs::create_directories(folder_, error);
    const bool good = read() && build() && print_chapters() && write() && doxygen() &&
                      add_lab() && formulas();
    show_status("");
    return {good, output_, html_ / "index.html"};
  }

 private:
  bool fail(const Error& error) {
    output_ += error.what + "\n" + error.remedy + "\n";
    return false;
  }

  bool read() {
    auto sources = read_page_sources(at_.root);
    if (!sources) return fail(sources.error());
    sources_ = std::move(*sources);
    sources_.lab = lab_answer;
    return true;
  }

  /// The chapters whose programs draw, and print, the same each time.
  std::vector<std::string> drawing_chapters() const {
    std::vector<std::string> numbers;
    for (const SitePage& page : sources_.pages) {
      if (page.kind == PageKind::Chapter && has_comment(page.text, "figure")) {
        numbers.push_back(page.number);
      }
    }
    return numbers;
  }

  bool build() {
    std::vector<std::string> targets = {"lab_wasm"};
    for (const std::string& number : drawing_chapters())
      targets.push_back("ch" + number);
    const BuildResult built = build_targets(at_.build, targets);
    if (!built.good) output_ += compiler_errors(built.output);
    return built.good;
  }

  bool print_chapters() {
    for (const std::string& number : drawing_chapters()) {
      const std::string program = (at_.build / ("ch" + number)).string();
      const fs::path figure = folder_ / (number + ".svg");
      const ProcessResult run = run_process({program, "--svg", figure.string()});
      const auto svg = read_file(figure);
      if (run.exit_code != 0 || !svg) {
        return fail({"chapter " + number + " draws no figure: " + run.output,
                     "Try ./workbook run " + number + " --svg figure.svg"});
      }
      sources_.printed[number] = run.output;
      sources_.figures[number] = *svg;
    }
    return true;
  }

  bool write() {
    show_status("making the pages");
    const auto written = write_site(at_.root, folder_, sources_);
    return written ? true : fail(written.error());
  }

  bool doxygen() {
    // Doxygen takes its paths from the folder that it is started in.
    const ProcessResult result = run_process(
        {"cmake", "-E", "chdir", at_.root.string(), "doxygen", "docs/Doxyfile"});
    output_ += result.output;
    return result.exit_code == 0;
  }

  bool formulas() {
    const fs::path script = at_.root / "docs" / "theme" / "math.js";
    const ProcessResult result = run_process({"node", script.string(), html_.string()});
    output_ += result.output;
    return result.exit_code == 0;
  }

  /// The lab's scripts and style sheets, and the module that was built.
  bool add_lab() {
    std::vector<fs::path> files = {at_.build / "docs" / "lab" / "lab_wasm.js"};
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(at_.root / "docs" / "lab", error)) {
      const auto extension = entry.path().extension();
      if (extension == ".js" || extension == ".css") files.push_back(entry.path());
    }
    for (const fs::path& file : files) {
      if (!fs::copy_file(file, html_ / file.filename(), error)) {
        return fail({"cannot copy " + file.string() + ": " + error.message(),
                     "Try once more: ./workbook docs"});
      }
    }
    return true;
  }

  const Workspace& at_;
  fs::path folder_;
  fs::path html_;
  PageSources sources_;
  std::string output_;
};

}  // namespace

DocsResult make_docs(const Workspace& at) { return DocsMaker(at).run(); }

}  // namespace pipeline
