#include "planning/balance.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "planning/transfer.hpp"
#include "schedule/bounds.hpp"
#include "schedule/numbers.hpp"

namespace pipeline {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::string counts_text(std::span<const std::int32_t> counts) {
  std::string text = "[";
  for (const std::int32_t count : counts) {
    if (text.size() > 1) text += ",";
    text += std::to_string(count);
  }
  return text + "]";
}

tl::unexpected<Error> too_many_stages(std::int64_t layers, std::int64_t stages) {
  return refuse(
      counted(layers, "layer") + " cannot be cut into " + counted(stages, "stage"),
      "take at most as many stages as layers");
}

/// What it costs to make layers [first, end) stage `stage`.
class Cutter {
 public:
  Cutter(const Costs& layers, std::int32_t stages, const PaceOptions& options)
      : layers_(layers), stages_(stages), options_(options) {}

  std::int32_t layers() const {
    return static_cast<std::int32_t>(layers_.stages.size());
  }
  std::int32_t stages() const { return stages_; }
  /// Where a stage ends at the latest, so that each one after it gets a layer.
  std::int32_t latest_end(std::int32_t stage) const {
    return layers() - (stages_ - 1 - stage);
  }

  double time_of_layer(std::int32_t layer) const {
    const StageCosts& costs = layers_.of(layer);
    return costs.forward + (options_.training ? costs.backward() : 0);
  }

  /// The message between a stage and the one after it, when the latter begins at `cut`.
  Hop hop(std::int32_t stage, std::int32_t cut) const {
    if (cut == 0 || cut == layers()) return {};
    return hop_of(layers_.between(stage, stage + 1), layers_.bytes_leaving(cut - 1));
  }

  /// How long the link behind a stage that ends at `end` is occupied.
  double link_time(std::int32_t stage, std::int32_t end) const {
    return options_.overlapped ? hop(stage, end).occupancy : 0;
  }

  /// What the transfers at both ends of a stage add to its own time.
  double blocked(std::int32_t stage, std::int32_t first, std::int32_t end) const {
    if (options_.overlapped) return 0;
    return hop(stage, end).time() +
           (options_.training ? hop(stage - 1, first).time() : 0);
  }

 private:
  const Costs& layers_;
  std::int32_t stages_;
  PaceOptions options_;
};

// Both passes below go through the last layer of a stage and then, from there
// backwards, through its first one, so that the same stage has the same sum of times in
// both, to the last bit.
//
//     layers      0 1 2 │ 3 4 5 6 │ 7 8
//     stage s             ▲     ▲
//                       first   end - 1

/// The best pace: best[end], after stage s, is the least possible maximum over the
/// stages 0 to s and the links behind them, when these hold the layers before `end`.
double best_pace(const Cutter& cutter) {
  std::vector<double> before(static_cast<std::size_t>(cutter.layers()) + 1, kNever);
  before[0] = 0;
  for (std::int32_t s = 0; s < cutter.stages(); ++s) {
    std::vector<double> best(before.size(), kNever);
    for (std::int32_t end = s + 1; end <= cutter.latest_end(s); ++end) {
      const double link = cutter.link_time(s, end);
      double& least = best[static_cast<std::size_t>(end)];
      double sum = 0;
      for (std::int32_t first = end - 1; first >= s; --first) {
        sum += cutter.time_of_layer(first);
        if (sum >= least) break;  // longer stages only take longer
        least = std::min(least, std::max({before[static_cast<std::size_t>(first)], link,
                                          sum + cutter.blocked(s, first, end)}));
      }
    }
    before = std::move(best);
  }
  return before.back();
}

/// Of the splits with no stage or link above `pace`, the one whose stages are most
/// alike. squares[first] is the least sum of squares of the stages s and after, when
/// stage s begins at `first`; ends[s][first] is where it then ends.
LayerSplit most_alike(const Cutter& cutter, double pace) {
  const std::int32_t layers = cutter.layers();
  const std::int32_t stages = cutter.stages();
  const auto entries = static_cast<std::size_t>(layers) + 1;
  std::vector<double> behind(entries, kNever);
  behind[static_cast<std::size_t>(layers)] = 0;
  std::vector<std::vector<std::int32_t>> ends(static_cast<std::size_t>(stages));
  for (std::int32_t s = stages - 1; s >= 0; --s) {
    std::vector<double> squares(entries, kNever);
    std::vector<std::int32_t>& end_of = ends[static_cast<std::size_t>(s)];
    end_of.assign(entries, layers);
    for (std::int32_t end = s + 1; end <= cutter.latest_end(s); ++end) {
      const double rest = behind[static_cast<std::size_t>(end)];
      if (rest == kNever || cutter.link_time(s, end) > pace) continue;
      double sum = 0;
      for (std::int32_t first = end - 1; first >= s; --first) {
        sum += cutter.time_of_layer(first);
        if (sum > pace) break;
        const double time = sum + cutter.blocked(s, first, end);
        const double all = time * time + rest;
        // Where two are equal, the later end: the earlier stage has more layers.
        if (time > pace || all > squares[static_cast<std::size_t>(first)]) continue;
        squares[static_cast<std::size_t>(first)] = all;
        end_of[static_cast<std::size_t>(first)] = end;
      }
    }
    behind = std::move(squares);
  }
  LayerSplit split = {0};
  for (const auto& end_of : ends) {
    split.push_back(end_of[static_cast<std::size_t>(split.back())]);
  }
  return split;
}

}  // namespace

Expected<LayerSplit> even_split(std::int32_t layers, std::int32_t stages) {
  if (stages < 1 || layers < stages) return too_many_stages(layers, stages);
  LayerSplit split;
  split.reserve(static_cast<std::size_t>(stages) + 1);
  for (std::int32_t s = 0; s <= stages; ++s) {
    split.push_back(s * (layers / stages) + std::min(s, layers % stages));
  }
  return split;
}

Expected<LayerSplit> explicit_split(std::int32_t layers,
                                    std::span<const std::int32_t> counts) {
  const std::string layout = counts_text(counts);
  LayerSplit split = {0};
  std::int64_t held = 0;
  for (const std::int32_t count : counts) {
    if (count < 1) {
      return refuse("stage " + std::to_string(split.size() - 1) + " of " + layout +
                        " has " + counted(count, "layer"),
                    "give every stage at least one layer");
    }
    held += count;
    split.push_back(static_cast<std::int32_t>(
        std::min<std::int64_t>(held, std::numeric_limits<std::int32_t>::max())));
  }
  if (held == layers && held > 0) return split;
  const std::int64_t off = held - layers;
  return refuse(layout + " holds " + counted(held, "layer") + ", and the network has " +
                    std::to_string(layers) + ": " +
                    (off < 0 ? std::to_string(-off) + " would be dropped"
                             : std::to_string(off) + " too many"),
                "make the counts of all stages add up to " + std::to_string(layers));
}

std::string layout_text(const LayerSplit& split) {
  std::vector<std::int32_t> counts(split.size());
  std::adjacent_difference(split.begin(), split.end(), counts.begin());
  return counts_text(std::span(counts).subspan(counts.empty() ? 0 : 1));
}

Costs costs_of_stages(const Costs& layers, const LayerSplit& split) {
  Costs costs = layers;
  costs.stages.clear();
  costs.message_bytes.clear();
  for (std::size_t s = 0; s + 1 < split.size(); ++s) {
    StageCosts sum = {0, 0, 0, 0, 0, 0};
    for (std::int32_t i = split[s]; i < split[s + 1]; ++i) {
      const StageCosts& layer = layers.of(i);
      sum.forward += layer.forward;
      sum.input_gradient += layer.input_gradient;
      sum.weight_gradient += layer.weight_gradient;
      sum.recompute += layer.recompute;
      sum.overlapped += layer.overlapped;
      sum.update += layer.update;
    }
    costs.stages.push_back(sum);
    costs.message_bytes.push_back(layers.bytes_leaving(split[s + 1] - 1));
  }
  return costs;
}

Expected<LayerSplit> optimal_split(const Costs& layers, std::int32_t stages,
                                   const PaceOptions& options) {
  const auto count = static_cast<std::int64_t>(layers.stages.size());
  auto fault = refuse_count("layers", count, kMostLayers);
  if (!fault) fault = fault_of(layers, static_cast<std::int32_t>(count));
  if (fault) return tl::unexpected<Error>(*std::move(fault));
  if (stages < 1 || count < stages) return too_many_stages(count, stages);
  const Cutter cutter(layers, stages, options);
  return most_alike(cutter, best_pace(cutter));
}

}  // namespace pipeline
