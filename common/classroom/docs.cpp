#include "classroom/docs.hpp"

#include <system_error>
#include <utility>
#include <vector>

#include "classroom/console.hpp"
#include "classroom/file_lock.hpp"
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
      : at_(at),
        site_(at.root / "build" / "docs" / "html"),
        folder_(at.root / "build" / "docs" / "making"),
        html_(folder_ / "html") {}

  DocsResult run() {
    result_.index = site_ / "index.html";
    result_.good = tools() && read() && build() && make();
    show_status("");
    return std::move(result_);
  }

 private:
  bool fail(Error error) {
    result_.error = std::move(error);
    return false;
  }

  /// With what is wrong in the words of another program.
  bool fail(std::string output, Error error) {
    result_.faulty = true;
    result_.output = std::move(output);
    return fail(std::move(error));
  }

  bool lack(const std::string& what, const std::string& remedy) {
    return fail({what, remedy, ErrorKind::Absent});
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
    if (lacks_target(built.output, "lab_wasm")) {
      return lack("the lab's module has no compiler here",
                  "Install " WORKBOOK_WASM_PACKAGES
                  ", then run cmake in the build folder.");
    }
    return fail(
        compiler_errors(built.output),
        {"what draws the figures does not compile", "Mend the first error above."});
  }

  /// One at a time: they share a folder.
  bool make() {
    std::error_code error;
    fs::create_directories(folder_.parent_path(), error);
    const FileLock lock(folder_.parent_path() / ".lock");
    if (!lock.held()) return cannot_write(folder_.parent_path());
    return empty_folder() && print_chapters() && write() && doxygen() && add_lab() &&
           formulas() && replace_site();
  }

  bool cannot_write(const fs::path& path) {
    return fail({"cannot write to " + path.string(), "Make it writable."});
  }

  bool empty_folder() {
    std::error_code error;
    fs::remove_all(folder_, error);
    if (!error) fs::create_directories(folder_, error);
    return !error || cannot_write(folder_);
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

  /// Doxygen and what comes after it, each with its own words.
  bool run_tool(const std::vector<std::string>& command) {
    const ProcessResult run = run_process(command);
    return run.exit_code == 0 ||
           fail(run.output,
                {"the pages have faults or warnings, and each counts as an error",
                 "Mend the first one above."});
  }

  bool doxygen() {
    // Doxygen takes its paths from the folder that it is started in.
    return run_tool(
        {"cmake", "-E", "chdir", at_.root.string(), "doxygen", "docs/Doxyfile"});
  }

  bool formulas() {
    return run_tool(
        {"node", (at_.root / "docs" / "theme" / "math.js").string(), html_.string()});
  }

  /// The scripts and style sheets that pages load; one of them is built.
  bool add_lab() {
    std::vector<std::string> files = sources_.lab_files;
    files.emplace_back(kCalculatorScript);
    for (const std::string& file : files) {
      const fs::path from = (file == "lab_wasm.js" ? at_.build : at_.root) / "docs/lab";
      std::error_code error;
      if (!fs::copy_file(from / file, html_ / file, error)) {
        return fail({"cannot copy " + (from / file).string() + ": " + error.message(),
                     "See docs/lab/files.txt: it lists what the lab loads."});
      }
    }
    return true;
  }

  /// A reader has the old site or the new one, never a part of one.
  bool replace_site() {
    if (interrupted()) return false;
    const fs::path old = folder_ / "old";
    std::error_code error;
    const bool had_one = fs::exists(site_, error);
    if (had_one) fs::rename(site_, old, error);
    if (!error) fs::rename(html_, site_, error);
    if (error) {
      std::error_code ignored;
      if (had_one) fs::rename(old, site_, ignored);
      return cannot_write(site_);
    }
    fs::remove_all(old, error);
    return !error || cannot_write(old);
  }

  const Workspace& at_;
  fs::path site_;
  fs::path folder_;
  fs::path html_;
  PageSources sources_;
  DocsResult result_;
};

}  // namespace

DocsResult make_docs(const Workspace& at) { return DocsMaker(at).run(); }

}  // namespace pipeline
