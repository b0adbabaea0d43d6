#include "classroom/chapter_program.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <string_view>

#include "classroom/console.hpp"
#include "classroom/files.hpp"
#include "classroom/numbers.hpp"

namespace pipeline {
namespace {

/// The chapter's own, where it saves what it has before it ends, and when it was set.
std::atomic<bool>* stop_asked = nullptr;
std::atomic<std::time_t> stop_asked_at = 0;
static_assert(std::atomic<bool>::is_always_lock_free &&
              std::atomic<std::time_t>::is_always_lock_free);

/// Whether the chapter goes on to save what it has. One interrupt may come as several
/// signals, from the terminal and from who started us.
bool saves_first() {
  if (stop_asked == nullptr) return false;
  const std::time_t now = std::time(nullptr);
  if (!stop_asked->exchange(true)) stop_asked_at = now;
  return now - stop_asked_at < 2;
}

extern "C" void stop_at_interrupt(int signal) {
  if (saves_first()) return;
  constexpr std::string_view kSaid = "\ninterrupted\n";
  const auto written = write(STDERR_FILENO, kSaid.data(), kSaid.size());
  static_cast<void>(written);  // there is nobody left to tell
  _exit(128 + signal);
}

/// Ctrl-C ends the program at once, whatever its threads are doing. Files are written
/// at the very end and whole, so that nothing is left behind. Where the chapter asks
/// `stop` from time to time, only one that comes later does that.
void end_when_interrupted(std::atomic<bool>* stop) {
  stop_asked = stop;
  struct sigaction action {};
  action.sa_handler = stop_at_interrupt;
  action.sa_flags = SA_RESTART;  // what is being read or written is not cut short
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

/// The options as they were typed, to be checked with kinder words than a parser has.
struct Typed {
  std::optional<std::string> devices, micro_batches, chunks, images, layout;
  std::optional<std::string> svg, trace, report;
  std::map<std::string, std::string> own;
  bool json = false;
};

/// Reads the command line into `typed`. An exit code where the program is to end now:
/// after --help, or after an option that does not exist.
std::optional<int> read_command_line(int argc, char** argv, const ChapterInfo& info,
                                     Typed& typed) {
  CLI::App app("Chapter " + info.number + " · " + info.name + "\n" + info.question,
               "ch" + info.number);
  const auto offer = [&app](const char* names, std::optional<std::string>& to,
                            const char* what, SizeOption size) {
    if (size.most == 0) return;
    app.add_option(names, to,
                   std::string(what) + ", 1 to " + std::to_string(size.most) + "; " +
                       std::to_string(size.usual) + " unless given")
        ->type_name("N");
  };
  offer("-p,--devices", typed.devices, "Devices", info.devices);
  offer("-m,--micro-batches", typed.micro_batches, "Micro-batches in a step",
        info.micro_batches);
  offer("-v,--chunks", typed.chunks, "Stages a device", info.chunks);
  offer("--images", typed.images, "Training images", info.images);
  if (info.layouts) {
    app.add_option("--layout", typed.layout, "Layers of each stage, such as 1,2,2,3")
        ->type_name("N,N,...");
  }
  for (const OwnOption& own : info.own) {
    app.add_option_function<std::string>(
           own.name,
           [&typed, &own](const std::string& value) { typed.own[own.name] = value; },
           own.what)
        ->type_name(own.type);
  }
  if (info.draws) {
    app.add_option("--svg", typed.svg, "Write the picture to this file")
        ->type_name("FILE");
    app.add_option("--trace", typed.trace, "Write a trace for ui.perfetto.dev to it")
        ->type_name("FILE");
  }
  app.add_option("--report", typed.report, "Write the table as JSON to this file")
      ->type_name("FILE");
  app.add_flag("--json", typed.json, "Print JSON instead of text");
  app.get_formatter()->column_width(28);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return kGood;
  } catch (const CLI::ParseError& fault) {
    return complain({fault.what(), "See ch" + info.number + " --help."});
  }
  return std::nullopt;
}

Expected<std::int32_t> read_size(std::string_view option,
                                 const std::optional<std::string>& typed,
                                 SizeOption allowed) {
  if (!typed) return allowed.usual;
  return parse_count(option, *typed, 1, allowed.most);
}

/// "1,2,2,3". Whether they are as many layers as the network has, the chapter sees.
Expected<std::vector<std::int32_t>> read_layout(
    const std::optional<std::string>& typed) {
  if (!typed) return std::vector<std::int32_t>{};
  constexpr std::int32_t kMost = 1'000'000;
  return parse_counts("--layout", *typed, 1, kMost);
}

Expected<ChapterOptions> read_sizes(const ChapterInfo& info, const Typed& typed) {
  const auto devices = read_size("--devices", typed.devices, info.devices);
  if (!devices) return tl::unexpected(devices.error());
  const auto micro_batches =
      read_size("--micro-batches", typed.micro_batches, info.micro_batches);
  if (!micro_batches) return tl::unexpected(micro_batches.error());
  const auto chunks = read_size("--chunks", typed.chunks, info.chunks);
  if (!chunks) return tl::unexpected(chunks.error());
  const auto images = read_size("--images", typed.images, info.images);
  if (!images) return tl::unexpected(images.error());
  auto layout = read_layout(typed.layout);
  if (!layout) return tl::unexpected(layout.error());
  const auto stages = layout->empty() ? *devices : std::ssize(*layout);
  if (stages > info.devices.most || (typed.devices && stages != *devices)) {
    return refuse("--layout '" + *typed.layout + "' has " + std::to_string(stages) +
                      (stages == 1 ? " stage" : " stages"),
                  typed.devices
                      ? "Give one for each of the --devices, or leave out one "
                        "of the two options."
                      : "Give at most " + std::to_string(info.devices.most) + ".");
  }
  return ChapterOptions{.devices = static_cast<std::int32_t>(stages),
                        .micro_batches = *micro_batches,
                        .chunks = *chunks,
                        .images = *images,
                        .layout = std::move(*layout),
                        .own = typed.own};
}

/// A place that cannot be written is refused before the work, not after it.
Expected<void> check_writable(const std::optional<std::string>& asked) {
  if (!asked) return {};
  const std::string& path = *asked;
  const auto cannot = [&path](const char* why) {
    return refuse("cannot write '" + path + "': " + why,
                  "Name a file in a folder that exists and is yours.");
  };
  const std::filesystem::path file(path);
  if (path.empty()) return cannot("it has no name");
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) return cannot("it is a folder");
  if (std::filesystem::exists(file, ignored)) {
    if (access(path.c_str(), W_OK) != 0) return cannot("it is not yours to change");
    return {};
  }
  const std::filesystem::path folder =
      file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(folder, ignored)) {
    return cannot("its folder does not exist");
  }
  if (access(folder.c_str(), W_OK) != 0) {
    return cannot("its folder is not yours to change");
  }
  return {};
}

Expected<void> write_if_asked(const std::optional<std::string>& path,
                              const std::function<Expected<std::string>()>& make) {
  if (!path) return {};
  return make().and_then(
      [&path](const std::string& text) { return write_file(*path, text); });
}

Expected<void> write_files(const ChapterReport& report, const ChapterInfo& info,
                           const Typed& typed) {
  auto written = write_if_asked(typed.svg, [&] { return report.as_svg(); });
  if (written) written = write_if_asked(typed.trace, [&] { return report.as_trace(); });
  if (!written) return written;
  return write_if_asked(typed.report, [&] { return report.as_summary(info); });
}

/// Colours and line drawing as far as the terminal goes; a file gets the drawing alone.
TextStyle page_style() {
  TextStyle style;
  if (isatty(STDOUT_FILENO) == 0) return style;
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  std::string_view locale = variable("LC_ALL");
  if (locale.empty()) locale = variable("LC_CTYPE");
  if (locale.empty()) locale = variable("LANG");
  const bool plain = locale == "C" || locale == "POSIX" || variable("TERM") == "dumb";
  style.ascii = plain;
  style.color = !plain && variable("NO_COLOR").empty();
  return style;
}

/// Prints the report; a full disk behind stdout is an output that cannot be written.
Expected<void> print_report(const std::string& text) {
  print(text);
  if (std::ferror(stdout) == 0) return {};
  return refuse("cannot write to standard output", "Is the disk full?");
}

}  // namespace

int run_chapter(
    int argc, char** argv, const ChapterInfo& info,
    const std::function<Expected<ChapterReport>(const ChapterOptions&)>& program) {
  end_when_interrupted(info.stop);
  Typed typed;
  if (const auto code = read_command_line(argc, argv, info, typed)) return *code;
  const auto options = read_sizes(info, typed);
  if (!options) return complain(options.error());
  for (const auto& path : {typed.svg, typed.trace, typed.report}) {
    if (const auto can = check_writable(path); !can) return complain(can.error());
  }
  try {
    const auto report = program(*options);
    if (!report) {
      const int code = complain(report.error());
      return info.stop != nullptr && info.stop->load() ? kInterrupted : code;
    }
    const auto text = typed.json
                          ? Expected<std::string>(report->as_json(info, *options))
                          : report->as_text(info, page_style());
    if (!text) return complain(text.error());
    const auto done = write_files(*report, info, typed).and_then([&text] {
      return print_report(*text);
    });
    return done ? kGood : complain(done.error());
  } catch (const std::exception& fault) {
    complain(
        {std::string("the chapter stopped: ") + fault.what(), "Try smaller sizes."});
    return kFailed;
  }
}

}  // namespace pipeline
