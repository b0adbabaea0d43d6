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

/// What docs/Doxyfile and docs/theme/math.js take from Debian's packages.
constexpr std::pair<const char*, const char*> kPackageFiles[] = {
    {"doxygen-awesome-css", "/usr/share/doxygen-awesome-css/doxygen-awesome.css"},
    {"katex", "/usr/share/nodejs/katex/package.json"}};

/// Steps that each stand on the one before; the first that fails ends it.
class DocsMaker {
 public:
  explicit DocsMaker(const Workspace& at)
      : at_(at), folder_(at.root / "build" / "docs"), html_(folder_ / "html") {}

  DocsResult run() {
    std::error_code error;
    fs::remove_all(folder_, error);
    fs::create_directories(folder_, error);
    const bool good = tools() && read() && build() && print_chapters() && write() &&
                      doxygen() && add_lab() && formulas();
    show_status("");
    return {good, absent_, output_, html_ / "index.html"};
  }

 private:
  bool fail(const Error& error) {
    output_ += error.what + "\n" + error.remedy + "\n";
    return false;
  }

  bool tools() {
    std::string missing;
    const auto miss = [&missing](const char* package) {
      missing += (missing.empty() ? "" : " ") + std::string(package);
    };
    if (run_process({"doxygen", "--version"}).exit_code != 0) miss("doxygen");
    if (run_process({"node", "--version"}).exit_code != 0) miss("nodejs");
    std::error_code ignored;
    for (const auto& [package, file] : kPackageFiles) {
      if (!fs::exists(file, ignored)) miss(package);
    }
    return missing.empty() ||
           lack("the pages are made with what is not here: " + missing,
                "Install these packages of Debian.");
  }

  bool lack(const std::string& what, const std::string& remedy) {
    absent_ = true;
    return fail({what, remedy});
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
    if (built.good) return true;
    if (built.output.find("unknown target 'lab_wasm'") != std::string::npos) {
      return lack("the lab's module has no compiler here",
                  "Install clang-14 lld-14 wasi-libc libc++-14-dev-wasm32 "
                  "libc++abi-14-dev-wasm32 libclang-rt-14-dev-wasm32, then run cmake "
                  "in the build folder.");
    }
    output_ += compiler_errors(built.output);
    return false;
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
  bool absent_ = false;
};

}  // namespace

DocsResult make_docs(const Workspace& at) { return DocsMaker(at).run(); }

}  // namespace pipeline
