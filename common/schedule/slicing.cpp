#include "schedule/slicing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "schedule/bounds.hpp"
#include "schedule/numbers.hpp"

namespace pipeline {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kMostSteps = 8'589'934'592;  // 2^33

// --- One sequence, under a bound on the longest slice

/// The least sum of times of the slices before token i, for each i, and the length of
/// the last of those slices.
///
///     sum(i) = min over the last slice's length l of  sum(i-l) + t(l, i-l),
///              of those with t(l, i-l) <= longest
struct Prefixes {
  std::vector<double> sum;
  std::vector<std::int32_t> last;
};

void cut(const SliceTimes& times, double longest, Prefixes& prefixes) {
  const auto length = static_cast<std::size_t>(times.length());
  prefixes.sum.assign(length + 1, kNever);
  prefixes.last.assign(length + 1, 0);
  prefixes.sum[0] = 0;
  for (std::int32_t context = 0; context < times.length(); ++context) {
    const double before = prefixes.sum[static_cast<std::size_t>(context)];
    if (before == kNever) continue;
    for (std::int32_t tokens = 1; tokens <= times.length() - context; ++tokens) {
      const double time = times.of(tokens, context);
      const auto end =
          static_cast<std::size_t>(context) + static_cast<std::size_t>(tokens);
      if (time > longest || before + time >= prefixes.sum[end]) continue;
      prefixes.sum[end] = before + time;
      prefixes.last[end] = tokens;
    }
  }
}

Slicing read_back(const SliceTimes& times, const Prefixes& prefixes,
                  std::int32_t devices) {
  Slicing slicing;
  std::int32_t end = times.length();
  while (end > 0) {
    const std::int32_t tokens = prefixes.last[static_cast<std::size_t>(end)];
    slicing.lengths.push_back(tokens);
    slicing.times.push_back(times.of(tokens, end - tokens));
    end -= tokens;
  }
  std::reverse(slicing.lengths.begin(), slicing.lengths.end());
  std::reverse(slicing.times.begin(), slicing.times.end());
  double longest = 0;
  for (const double time : slicing.times) {
    slicing.total += time;
    longest = std::max(longest, time);
  }
  slicing.total += (devices - 1) * longest;
  return slicing;
}

// --- A batch of them

/// The least sum of times of the first b sequences, split at will and sliced at will,
/// and the size of the last part.
struct Split {
  std::vector<double> sum;
  std::vector<std::int32_t> last;
};

Split split(const std::vector<Prefixes>& of_size) {
  const std::size_t batch = of_size.size();
  Split split{std::vector<double>(batch + 1, kNever),
              std::vector<std::int32_t>(batch + 1, 0)};
  split.sum[0] = 0;
  for (std::size_t b = 1; b <= batch; ++b) {
    for (std::size_t part = 1; part <= b; ++part) {
      const double sum = split.sum[b - part] + of_size[part - 1].sum.back();
      if (sum >= split.sum[b]) continue;
      split.sum[b] = sum;
      split.last[b] = static_cast<std::int32_t>(part);
    }
  }
  return split;
}

Split split_within(const std::vector<SliceTimes>& times, double longest,
                   std::vector<Prefixes>& of_size) {
  for (std::size_t b = 0; b < times.size(); ++b) cut(times[b], longest, of_size[b]);
  return split(of_size);
}

BatchSlicing read_back(const std::vector<SliceTimes>& times,
                       const std::vector<Prefixes>& of_size, const Split& split,
                       std::int32_t devices) {
  BatchSlicing result;
  for (std::size_t left = times.size(); left > 0;) {
    const std::int32_t part = split.last[left];
    result.rows.push_back(part);
    left -= static_cast<std::size_t>(part);
  }
  std::sort(result.rows.rbegin(), result.rows.rend());
  double longest = 0;
  for (const std::int32_t part : result.rows) {
    const auto i = static_cast<std::size_t>(part - 1);
    result.slicings.push_back(read_back(times[i], of_size[i], devices));
    for (const double time : result.slicings.back().times) {
      result.total += time;
      longest = std::max(longest, time);
    }
  }
  result.total += (devices - 1) * longest;
  return result;
}

// --- Every bound that can matter

/// The times that can be the longest, in order, no two closer than `tolerance`: of such
/// a bunch the last one is kept, which allows all that the others allow.
std::vector<double> candidates(const std::vector<SliceTimes>& times, double tolerance) {
  std::vector<double> all;
  for (const SliceTimes& of_size : times) {
    for (std::int32_t context = 0; context < of_size.length(); ++context) {
      for (std::int32_t l = 1; l <= of_size.length() - context; ++l) {
        all.push_back(of_size.of(l, context));
      }
    }
  }
  std::sort(all.begin(), all.end());
  std::vector<double> kept;
  double bunch = 0;  // where the newest bunch begins
  for (const double time : all) {
    if (!kept.empty() && (time == kept.back() || time < bunch + tolerance)) {
      kept.back() = time;
    } else {
      kept.push_back(time);
      bunch = time;
    }
  }
  return kept;
}

std::optional<Error> fault_of(const std::vector<SliceTimes>& times,
                              std::int32_t devices) {
  if (auto error = refuse_count("devices", devices, kMaximumDevices)) return error;
  if (times.empty()) {
    return Error{"there are no times to slice by",
                 "give those of one sequence at least"};
  }
  for (const SliceTimes& of_size : times) {
    if (of_size.length() != times.front().length()) {
      return Error{
          "the sequences differ in length: " + std::to_string(times.front().length()) +
              " and " + std::to_string(of_size.length()),
          "pad them to one length"};
    }
    for (std::int32_t context = 0; context < of_size.length(); ++context) {
      for (std::int32_t l = 1; l <= of_size.length() - context; ++l) {
        const double time = of_size.of(l, context);
        if (time >= 0 && std::isfinite(time)) continue;
        return Error{"the time of " + counted(l, "token") + " after " +
                         std::to_string(context) + " is negative or not finite",
                     "give every slice a time of 0 or more"};
      }
    }
  }
  return std::nullopt;
}

Expected<BatchSlicing> search(const std::vector<SliceTimes>& times,
                              std::int32_t devices, double tolerance) {
  if (auto error = fault_of(times, devices)) return tl::unexpected(*std::move(error));
  const std::vector<double> longest = candidates(times, tolerance);
  const double length = times.front().length();
  const auto batch = static_cast<double>(times.size());
  const double steps_each = batch * length * length / 2 + batch * batch / 2;
  if (steps_each * static_cast<double>(longest.size()) > kMostSteps) {
    return refuse("to try " +
                      counted(static_cast<std::int64_t>(longest.size()), "time") +
                      " as the longest takes " + number(steps_each, 0) +
                      " steps each, too many together",
                  "count tokens in coarser units, or give a larger tolerance");
  }
  std::vector<Prefixes> of_size(times.size());
  // No split has a smaller sum than the one that may use any slice.
  const double least = split_within(times, kNever, of_size).sum.back();
  std::optional<BatchSlicing> best;
  for (const double bound : longest) {
    if (best && least + (devices - 1) * bound >= best->total) break;
    const Split split = split_within(times, bound, of_size);
    if (split.sum.back() == kNever) continue;
    if (best && split.sum.back() >= best->total) continue;
    BatchSlicing found = read_back(times, of_size, split, devices);
    if (!best || found.total < best->total) best = std::move(found);
  }
  return *std::move(best);
}

}  // namespace

SliceTimes::SliceTimes(std::int32_t length)
    : length_(std::clamp(length, 1, kMaximumLength)),
      times_(static_cast<std::size_t>(length_) * static_cast<std::size_t>(length_)) {}

SliceTimes slice_times(std::int32_t length, const TokenCosts& costs) {
  SliceTimes times(length);
  for (std::int32_t context = 0; context < times.length(); ++context) {
    for (std::int32_t tokens = 1; tokens <= times.length() - context; ++tokens) {
      const double pairs = static_cast<double>(tokens) * context +
                           static_cast<double>(tokens) * (tokens + 1) / 2;
      times.set(tokens, context,
                costs.fixed + tokens * costs.per_token + pairs * costs.per_pair);
    }
  }
  return times;
}

Expected<Slicing> best_slicing(const SliceTimes& times, std::int32_t devices,
                               SlicingOptions options) {
  auto best = search({times}, devices, options.tolerance);
  if (!best) return tl::unexpected(std::move(best.error()));
  return std::move(best->slicings.front());
}

Expected<BatchSlicing> best_batch_slicing(const std::vector<SliceTimes>& times,
                                          std::int32_t devices,
                                          SlicingOptions options) {
  return search(times, devices, options.tolerance);
}

}  // namespace pipeline
