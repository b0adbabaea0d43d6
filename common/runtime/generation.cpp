#include "runtime/generation.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "data/text.hpp"
#include "planning/balance.hpp"
#include "runtime/checkpoint.hpp"
#include "runtime/stage_work.hpp"

namespace pipeline {
namespace {

/// What one stage needs to take one window forward.
struct StageMemory {
  StageMemory(PlacedNetwork& network, const Stage& stage, std::int32_t context)
      : layout(stage, context),
        input(network.platform().device(stage.device), layout.input_bytes),
        slot(network.platform().device(stage.device), layout.slot_bytes),
        output(network.platform().device(stage.device), layout.output_bytes) {}

  StageLayout layout;
  Buffer input;
  Buffer slot;
  Buffer output;
};

/// One window through all stages, one after another.
class Forward {
 public:
  Forward(PlacedNetwork& network, std::int32_t context)
      : network_(network), context_(context) {
    for (std::int32_t s = 0; s < network.placement().stages(); ++s) {
      stages_.push_back(
          std::make_unique<StageMemory>(network, network.stage(s), context));
    }
    // The last stage works out the loss, too; of labels that are all 0.
    const Stage& last = *stages_.back()->layout.stage;
    losses_ = Buffer(network.platform().device(last.device), losses_bytes());
    Stream& stream = *network.on(last.device).compute;
    stream.fill_zero(losses_.region());
    stream.synchronize();
  }

  /// The logits at position `position`.
  std::vector<float> logits(std::vector<float> window, std::int32_t position) {
    std::vector<float> message = std::move(window);
    for (const auto& memory : stages_) {
      const Stage& stage = *memory->layout.stage;
      Stream& stream = *network_.on(stage.device).compute;
      stream.copy(memory->input.part(0, message.size() * sizeof(float)), host(message));
      forward(*memory, stream);
      const Region left = result_of(*memory, position);
      message.resize(left.bytes / sizeof(float));
      stream.copy(host(message), left);
      stream.synchronize();
    }
    return message;
  }

 private:
  static Region host(std::vector<float>& values) {
    return {reinterpret_cast<std::byte*>(values.data()), values.size() * sizeof(float),
            nullptr};
  }
  /// A double, a count, and a label for each position.
  std::size_t losses_bytes() const {
    return sizeof(double) +
           (1 + static_cast<std::size_t>(context_)) * sizeof(std::int32_t);
  }

  void forward(const StageMemory& memory, Stream& stream) {
    const Stage& stage = *memory.layout.stage;
    MicroBatchData data;
    data.rows = context_;
    data.samples = 1;
    data.pass.positions = context_;
    data.pass.all_positions = context_;
    data.pass.training = false;
    data.weights = stage.weights.region().floats();
    data.input = memory.input.region().floats();
    data.slot = memory.slot.region().floats();
    data.output = memory.output.region().floats();
    std::byte* const losses = losses_.region().data;
    data.loss_sum = reinterpret_cast<double*>(losses);
    data.correct = reinterpret_cast<std::int32_t*>(losses + sizeof(double));
    data.labels = data.correct + 1;
    Compute& compute = *network_.on(stage.device).workspace;
    stream.run(Work([&memory, &compute, &data](NativeStream native) {
      compute.enter(native);
      stage_forward(memory.layout, compute, data);
    }));
    stream.synchronize();
  }

  /// The message to the next stage, or the logits.
  Region result_of(const StageMemory& memory, std::int32_t position) const {
    const Stage& stage = *memory.layout.stage;
    if (!stage.last) {
      return memory.output.part(0,
                                memory.layout.output_floats(context_) * sizeof(float));
    }
    const std::size_t at =
        memory.layout.logits_at +
        static_cast<std::size_t>(position) * static_cast<std::size_t>(stage.outputs());
    return memory.slot.part(at * sizeof(float),
                            static_cast<std::size_t>(stage.outputs()) * sizeof(float));
  }

  PlacedNetwork& network_;
  std::int32_t context_;
  std::vector<std::unique_ptr<StageMemory>> stages_;
  Buffer losses_;
};

std::optional<Error> fault_of(const GenerationOptions& options) {
  if (options.prompt.empty()) {
    return Error{"the prompt is empty", "begin the text with at least one byte"};
  }
  if (options.bytes < 1) {
    return Error{"a text of " + std::to_string(options.bytes) + " bytes is none",
                 "ask for 1 or more"};
  }
  if (std::isfinite(options.temperature) && options.temperature >= 0) {
    return std::nullopt;
  }
  return Error{
      "a temperature of " + std::to_string(options.temperature) + " cannot be used",
      "give 0 or more; 1 draws as the network says"};
}

/// The last `context` bytes as tokens. Behind a shorter text stand zeros, which no
/// position before them sees.
std::vector<float> window_of(std::string_view text, std::int32_t context) {
  const auto most = static_cast<std::size_t>(context);
  if (text.size() > most) text.remove_prefix(text.size() - most);
  std::vector<float> window(most);
  std::transform(text.begin(), text.end(), window.begin(), [](char byte) {
    return static_cast<float>(static_cast<unsigned char>(byte));
  });
  return window;
}

}  // namespace

std::int32_t draw_token(std::span<const float> logits, double temperature,
                        Random& random) {
  const auto top = std::max_element(logits.begin(), logits.end());
  if (temperature == 0) return static_cast<std::int32_t>(top - logits.begin());
  std::vector<double> below;  // what a drawn share must be below, for each token
  double sum = 0;
  for (const float logit : logits) {
    sum += std::exp((static_cast<double>(logit) - *top) / temperature);
    below.push_back(sum);
  }
  const double drawn = random.uniform() * sum;
  const auto token = std::upper_bound(below.begin(), below.end() - 1, drawn);
  return static_cast<std::int32_t>(token - below.begin());
}

Expected<std::string> generate_text(PlacedNetwork& network, std::int32_t context,
                                    const GenerationOptions& options) {
  if (auto fault = fault_of(options)) return tl::unexpected(std::move(*fault));
  Forward forward(network, context);
  Random random(options.seed);
  std::string text = options.prompt;
  for (std::int32_t i = 0; i < options.bytes; ++i) {
    if (options.stop != nullptr && options.stop->load()) break;
    const std::int32_t last =
        std::min(static_cast<std::int32_t>(text.size()), context) - 1;
    const std::vector<float> logits = forward.logits(window_of(text, context), last);
    const std::int32_t token =
        draw_token(std::span(logits).first(kByteTokens), options.temperature, random);
    text.push_back(static_cast<char>(token));
    if (options.on_byte) options.on_byte(text.back());
  }
  return text.substr(options.prompt.size());
}

Expected<std::string> generate_text(Platform& platform, const TransformerShape& shape,
                                    const std::string& folder,
                                    const GenerationOptions& options) {
  const auto path = newest_checkpoint(folder);
  if (!path) return tl::unexpected(path.error());
  if (!*path) {
    return absent("there is no checkpoint in " + folder,
                  "train with that folder first, or name another one");
  }
  const auto checkpoint = read_checkpoint(**path);
  if (!checkpoint) return tl::unexpected(checkpoint.error());
  const auto network = transformer(shape);
  if (!network) return tl::unexpected(network.error());
  const auto layers = static_cast<std::int32_t>(network->size());
  auto placed = PlacedNetwork::place(platform, *network, {0, layers}, {1, {0}}, 0);
  if (!placed) return tl::unexpected(std::move(placed.error()));
  auto fits = check_belongs(*checkpoint, **path, network_lines(*network));
  if (fits) fits = restore_weights(*checkpoint, **path, **placed);
  if (!fits) return tl::unexpected(std::move(fits.error()));
  return generate_text(**placed, shape.context, options);
}

}  // namespace pipeline
