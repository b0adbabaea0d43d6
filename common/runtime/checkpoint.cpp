#include "runtime/checkpoint.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "runtime/digest.hpp"

namespace pipeline {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little,
              "checkpoints are little-endian, as all machines this runs on");

constexpr const char* kFormat = "pipeline workbook checkpoint";
constexpr std::int32_t kVersion = 1;
constexpr const char* kManifest = "checkpoint.json";
constexpr const char* kPrefix = "step-";
constexpr const char* kUnfinished = ".unfinished";
constexpr std::size_t kStepDigits = 10;
constexpr std::size_t kKept = 2;

/// The arrays of a checkpoint, by the file that holds them.
struct Array {
  const char* name;
  std::vector<float> Checkpoint::*values;
};
constexpr std::array kArrays = {Array{"weights.bin", &Checkpoint::weights},
                                Array{"moments.bin", &Checkpoint::moments},
                                Array{"state.bin", &Checkpoint::state}};

// --- Files
// -----------------------------------------------------------------------------

/// A file descriptor. Every call gives errno, or 0 where it went well.
class File {
 public:
  File(const fs::path& path, int flags) : at_(::open(path.c_str(), flags, 0666)) {
    if (at_ < 0) error_ = errno;
  }
  ~File() {
    if (at_ >= 0) ::close(at_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int error() const { return error_; }
  int write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t wrote = ::write(at_, bytes.data(), bytes.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return errno;
      bytes.remove_prefix(static_cast<std::size_t>(wrote));
    }
    return 0;
  }
  int sync() { return ::fsync(at_) == 0 ? 0 : errno; }
  /// Some file systems tell of a full disk only now.
  int close() { return ::close(std::exchange(at_, -1)) == 0 ? 0 : errno; }

 private:
  int at_;
  int error_ = 0;
};

int write_through(const fs::path& path, std::string_view bytes) {
  File file(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC);
  int error = file.error();
  if (error == 0) error = file.write(bytes);
  if (error == 0) error = file.sync();
  return error == 0 ? file.close() : error;
}

/// So that the names in a folder are on disk, too.
int sync_folder(const fs::path& path) {
  File folder(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return folder.error() == 0 ? folder.sync() : folder.error();
}

std::string_view bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// --- Names
// -----------------------------------------------------------------------------

std::string name_of(std::int64_t step) {
  const std::string digits = std::to_string(step);
  const std::size_t missing = kStepDigits - std::min(kStepDigits, digits.size());
  return kPrefix + std::string(missing, '0') + digits;
}

bool is_name(std::string_view name) {
  const std::string_view prefix = kPrefix;
  return name.size() >= prefix.size() + kStepDigits && name.starts_with(prefix) &&
         name.find_first_not_of("0123456789", prefix.size()) == std::string_view::npos;
}

/// All checkpoints in a folder, the oldest first.
Expected<std::vector<fs::path>> list(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  if (!fs::exists(folder, error)) return found;
  if (!fs::is_directory(folder, error)) {
    return refuse("the checkpoint folder " + folder.string() + " is not a folder",
                  "name another one");
  }
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_name(entry->path().filename().string())) found.push_back(entry->path());
  }
  if (error) {
    return refuse("the checkpoint folder " + folder.string() +
                      " cannot be read: " + error.message(),
                  "name one that you may read and write");
  }
  std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
    const std::string left = a.filename().string();
    const std::string right = b.filename().string();
    return left.size() != right.size() ? left.size() < right.size() : left < right;
  });
  return found;
}

/// What a killed training left half-written, or an older one that nobody needs.
void remove_others(const fs::path& folder, const std::vector<fs::path>& checkpoints) {
  std::error_code ignored;
  for (std::size_t i = 0; i + kKept < checkpoints.size(); ++i) {
    // Under another name first: killed half-way, it must not look like a checkpoint.
    const fs::path doomed = checkpoints[i].string() + kUnfinished;
    fs::rename(checkpoints[i], doomed, ignored);
  }
  std::vector<fs::path> unfinished;
  for (fs::directory_iterator entry(folder, ignored), end; entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(kPrefix) && name.ends_with(kUnfinished)) {
      unfinished.push_back(entry->path());
    }
  }
  for (const fs::path& path : unfinished) fs::remove_all(path, ignored);
}

// --- The manifest
// ----------------------------------------------------------------------

Json manifest_of(const Checkpoint& checkpoint) {
  Json json = {{"format", kFormat},
               {"version", kVersion},
               {"step", checkpoint.step},
               {"network", checkpoint.network},
               {"settings", checkpoint.settings},
               {"log", Json::array()},
               {"unlogged", checkpoint.unlogged}};
  for (const LogLine& line : checkpoint.log) {
    json["log"].push_back({line.step, line.loss, line.held_out});
  }
  for (const Array& array : kArrays) {
    const std::vector<float>& values = checkpoint.*array.values;
    json["files"][array.name] = {{"bytes", bytes_of(values).size()},
                                 {"checksum", digest_of(values)}};
  }
  return json;
}

/// Text that is no UTF-8 is replaced.
std::string text_of(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

/// Of all that the manifest says; a JSON object's keys are always in one order.
std::string checksum_of(Json manifest) {
  manifest.erase("checksum");
  return digest_of(text_of(manifest));
}

/// The shortest text that is this float and no other.
std::string exact(float value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

tl::unexpected<Error> unusable(const fs::path& path, const std::string& how) {
  return refuse("the checkpoint " + path.string() + " " + how,
                "delete that folder to go on from the checkpoint before it, if there "
                "is one beside it, or name another folder");
}

Expected<Json> read_manifest(const fs::path& path) {
  std::ifstream file(path / kManifest, std::ios::binary);
  if (!file) {
    return unusable(path, "is none: it has no readable " + std::string(kManifest));
  }
  Json json = Json::parse(file, nullptr, false);
  if (json.is_discarded()) return unusable(path, "is damaged: its JSON is broken");
  if (!json.is_object() || !json.contains("format") || json["format"] != kFormat) {
    return unusable(path, "was not written by this workbook");
  }
  const Json version = json.value("version", Json());
  if (version.is_number_integer() && version.get<std::int64_t>() > kVersion) {
    return refuse("the checkpoint " + path.string() +
                      " was written by a newer workbook (format " + version.dump() +
                      "; this one reads " + std::to_string(kVersion) + ")",
                  "use that workbook, or name another folder");
  }
  if (version != kVersion || json.value("checksum", Json()) != checksum_of(json)) {
    return unusable(path, "is damaged: its " + std::string(kManifest) + " was altered");
  }
  return json;
}

Expected<void> read_array(const fs::path& path, const Json& about, const Array& array,
                          Checkpoint& into) {
  const std::string file_name = array.name;
  const auto expected = about.at("bytes").get<std::uint64_t>();
  std::error_code error;
  const std::uint64_t bytes = fs::file_size(path / file_name, error);
  if (error) return unusable(path, "is damaged: it has no readable " + file_name);
  if (bytes != expected) {
    return unusable(path, "is damaged: " + file_name + " has " + std::to_string(bytes) +
                              " bytes, not " + std::to_string(expected));
  }
  std::vector<float>& values = into.*array.values;
  values.resize(bytes / sizeof(float));
  std::ifstream file(path / file_name, std::ios::binary);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(bytes));
  if (!file) return unusable(path, "is damaged: " + file_name + " cannot be read");
  if (digest_of(values) != about.at("checksum").get<std::string>()) {
    return unusable(path, "is damaged: " + file_name + " was altered");
  }
  return {};
}

int write_files(const fs::path& path, const Checkpoint& checkpoint) {
  std::error_code made;
  fs::create_directories(path, made);
  if (made) return made.value();
  Json manifest = manifest_of(checkpoint);
  manifest["checksum"] = checksum_of(manifest);
  int error = write_through(path / kManifest, text_of(manifest) + "\n");
  for (const Array& array : kArrays) {
    if (error != 0) return error;
    error = write_through(path / array.name, bytes_of(checkpoint.*array.values));
  }
  return error == 0 ? sync_folder(path) : error;
}

}  // namespace

Expected<void> write_checkpoint(const std::string& folder,
                                const Checkpoint& checkpoint) {
  const fs::path path = fs::path(folder) / name_of(checkpoint.step);
  const fs::path beside = path.string() + kUnfinished;
  std::error_code ignored;
  fs::remove_all(beside, ignored);
  int error = write_files(beside, checkpoint);
  if (error == 0 && ::rename(beside.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) error = sync_folder(folder);
  if (error != 0) {
    fs::remove_all(beside, ignored);
    return refuse("the checkpoint " + path.string() +
                      " cannot be written: " + std::strerror(error),
                  "make room or name another folder; earlier checkpoints stand");
  }
  const auto checkpoints = list(folder);
  if (checkpoints) remove_others(folder, *checkpoints);
  return {};
}

Expected<std::optional<std::string>> newest_checkpoint(const std::string& folder) {
  auto checkpoints = list(folder);
  if (!checkpoints) return tl::unexpected(std::move(checkpoints.error()));
  if (checkpoints->empty()) return std::optional<std::string>();
  return std::optional<std::string>(checkpoints->back().string());
}

Expected<Checkpoint> read_checkpoint(const std::string& path) {
  auto manifest = read_manifest(path);
  if (!manifest) return tl::unexpected(std::move(manifest.error()));
  Checkpoint checkpoint;
  try {
    checkpoint.step = manifest->at("step").get<std::int64_t>();
    manifest->at("network").get_to(checkpoint.network);
    manifest->at("settings").get_to(checkpoint.settings);
    manifest->at("unlogged").get_to(checkpoint.unlogged);
    for (const Json& line : manifest->at("log")) {
      checkpoint.log.push_back({line.at(0).get<std::int64_t>(),
                                line.at(1).get<double>(), line.at(2).get<double>()});
    }
    for (const Array& array : kArrays) {
      const Json& about = manifest->at("files").at(array.name);
      if (auto read = read_array(path, about, array, checkpoint); !read) {
        return tl::unexpected(std::move(read.error()));
      }
    }
  } catch (const Json::exception& fault) {
    return unusable(path, std::string("is damaged: ") + fault.what());
  }
  return checkpoint;
}

std::vector<std::string> network_lines(const Network& network) {
  std::vector<std::string> lines;
  for (const auto& layer : network) {
    lines.push_back(layer->name() + ", " + std::to_string(layer->parameter_count()) +
                    " parameters");
  }
  for (const Skip& skip : network.skips) {
    lines.push_back("skip from layer " + std::to_string(skip.from) + " to layer " +
                    std::to_string(skip.to));
  }
  if (network.tie) {
    lines.push_back("layers " + std::to_string(network.tie->first) + " and " +
                    std::to_string(network.tie->second) + " share " +
                    std::to_string(network.tie->count) + " parameters");
  }
  return lines;
}

std::map<std::string, std::string> settings_of(const Optimizer& optimizer, float clip) {
  std::map<std::string, std::string> settings = {
      {"clip", exact(clip)},
      {"rate", exact(optimizer.rate)},
      {"warm-up steps", std::to_string(optimizer.warmup_steps)},
      {"decay steps", std::to_string(optimizer.decay_steps)},
      {"least rate", exact(optimizer.least_rate)}};
  if (optimizer.kind == Optimizer::Kind::Sgd) {
    settings["optimizer"] = "SGD";
    settings["momentum"] = exact(optimizer.momentum);
    return settings;
  }
  settings["optimizer"] = "AdamW";
  settings["beta1"] = exact(optimizer.beta1);
  settings["beta2"] = exact(optimizer.beta2);
  settings["epsilon"] = exact(optimizer.epsilon);
  settings["decay"] = exact(optimizer.decay);
  return settings;
}

Expected<void> check_belongs(const Checkpoint& checkpoint, const std::string& path,
                             const std::vector<std::string>& network,
                             const std::map<std::string, std::string>& settings) {
  const auto other = [&](const std::string& what, const std::string& theirs,
                         const std::string& ours) {
    return refuse("the checkpoint " + path + " is of another " + what + ": it has '" +
                      theirs + "', this one '" + ours + "'",
                  "give the options that it was made with, or name another folder");
  };
  const std::size_t lines = std::max(checkpoint.network.size(), network.size());
  for (std::size_t i = 0; i < lines; ++i) {
    const auto line = [&](const std::vector<std::string>& of) {
      return i < of.size() ? of[i] : std::string("nothing more");
    };
    if (line(checkpoint.network) == line(network)) continue;
    return other("network", line(checkpoint.network), line(network));
  }
  // Another value says more than a name that is not there.
  for (const bool known : {true, false}) {
    for (const auto& [name, ours] : settings) {
      const auto theirs = checkpoint.settings.find(name);
      if ((theirs != checkpoint.settings.end()) != known) continue;
      if (known && theirs->second == ours) continue;
      std::string had = name;
      had += known ? " " + theirs->second : " unknown";
      std::string has = name;
      has += " " + ours;
      return other("training", had, has);
    }
  }
  return {};
}

void take(PlacedNetwork& network, Checkpoint& checkpoint) {
  checkpoint.weights = network.weights();
  checkpoint.moments = network.moments();
  checkpoint.state = network.state();
}

Expected<void> restore_weights(const Checkpoint& checkpoint, const std::string& path,
                               PlacedNetwork& network) {
  if (checkpoint.weights.size() != network.weights().size() ||
      checkpoint.state.size() != network.state().size()) {
    return unusable(path, "does not hold as many numbers as the network has");
  }
  network.set_weights(checkpoint.weights);
  network.set_state(checkpoint.state);
  return {};
}

Expected<void> restore(const Checkpoint& checkpoint, const std::string& path,
                       PlacedNetwork& network) {
  if (checkpoint.moments.size() != network.moments().size()) {
    return unusable(path, "does not hold the moments of this optimizer");
  }
  if (auto restored = restore_weights(checkpoint, path, network); !restored) {
    return restored;
  }
  network.set_moments(checkpoint.moments);
  return {};
}

}  // namespace pipeline
