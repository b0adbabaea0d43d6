// The layers against what PyTorch computed in float64: golden/make_golden.py.
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "layers/attention.hpp"
#include "layers/batch_norm.hpp"
#include "layers/convolution.hpp"
#include "layers/device_array.hpp"
#include "layers/embedding.hpp"
#include "layers/layer_check.hpp"
#include "layers/layer_norm.hpp"
#include "layers/on_platform.hpp"
#include "layers/transformer.hpp"
#include "layers/whole_network.hpp"

namespace pipeline {
namespace {

constexpr double kMost = 1e-5;

/// A file of golden values: tensors by their names.
class Golden {
 public:
  explicit Golden(const std::string& name) : name_(name) {
    std::ifstream file(std::string(GOLDEN_FOLDER) + "/" + name + ".txt");
    std::string comment;
    std::getline(file, comment);
    std::string tensor;
    std::size_t count = 0;
    while (file >> tensor >> count) {
      std::vector<double>& values = tensors_[tensor];
      values.resize(count);
      for (double& value : values) file >> value;
    }
    EXPECT_TRUE(file.eof()) << name << ": not read to its end";
    EXPECT_FALSE(tensors_.empty()) << name << ": nothing in it";
  }

  const std::vector<double>& of(const std::string& tensor) const {
    static const std::vector<double> nothing;
    const auto found = tensors_.find(tensor);
    EXPECT_NE(found, tensors_.end()) << name_ << " has no " << tensor;
    return found == tensors_.end() ? nothing : found->second;
  }
  bool has(const std::string& tensor) const { return tensors_.count(tensor) != 0; }
  double error(const std::vector<float>& ours, const std::string& tensor) const {
    EXPECT_EQ(ours.size(), of(tensor).size()) << name_ << ", " << tensor;
    if (ours.size() != of(tensor).size()) return INFINITY;
    return relative_error(ours, of(tensor));
  }

 private:
  std::string name_;
  std::map<std::string, std::vector<double>> tensors_;
};

/// As the script draws them: row * row + 3.
std::vector<double> some_ids(std::int32_t rows, std::int32_t below) {
  std::vector<double> ids;
  ids.reserve(static_cast<std::size_t>(rows));
  for (std::int32_t i = 0; i < rows; ++i) ids.push_back((i * i + 3) % below);
  return ids;
}
std::vector<std::int32_t> to_int(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

Pass in_sequences_of(std::int32_t positions) {
  Pass pass;
  pass.positions = positions;
  pass.all_positions = positions;
  return pass;
}

class GoldenTest : public OnPlatform {
 protected:
  /// y, dx and gradients of a layer, and its state where the file has one.
  void expect_golden(const std::string& name, const Layer& layer,
                     const LayerTrial& trial) {
    const Golden golden(name);
    std::vector<float> initial_state(layer.state_count());
    layer.initialise_state(initial_state.data());
    Compute compute(device());
    const std::int32_t rows = trial.x.rows;
    const DeviceArray<float> parameters(stream(), to_float(trial.parameters));
    const DeviceArray<float> state(stream(), initial_state);
    const DeviceArray<float> x(stream(), to_float(trial.x.values));
    const DeviceArray<float> dy(stream(), to_float(trial.dy.values));
    const DeviceArray<float> y(stream(), std::vector<float>(dy.size(), 7.0F));
    const DeviceArray<float> dx(stream(), std::vector<float>(x.size(), 7.0F));
    const DeviceArray<float> gradients(stream(), std::vector<float>(parameters.size()));
    run(compute, [&](Compute& on) {
      Call call(parameters.data());
      call.state = state.data();
      call.pass = trial.pass;
      const Matrix in = x.matrix(rows, layer.inputs());
      const Matrix dout = dy.matrix(rows, layer.outputs());
      layer.forward(on, call, in, y.matrix(rows, layer.outputs()));
      layer.input_gradient(on, call, in, dout, dx.matrix(rows, layer.inputs()));
      layer.weight_gradient(on, call, in, dout, gradients.data());
    });
    EXPECT_LT(golden.error(y.read(), "y"), kMost) << name;
    if (golden.has("dx")) {
      EXPECT_LT(golden.error(dx.read(), "dx"), kMost) << name;
    }
    if (layer.parameter_count() > 0) {
      EXPECT_LT(golden.error(gradients.read(), "gradients"), kMost) << name;
    }
    if (golden.has("state")) {
      std::vector<float> seen = state.read();
      seen.resize(golden.of("state").size());
      EXPECT_LT(golden.error(seen, "state"), kMost) << name;
    }
  }
  void expect_golden(const std::string& name, const std::unique_ptr<Layer>& layer,
                     std::int32_t rows, std::uint64_t seed, const Pass& pass = {}) {
    expect_golden(name, *layer, draw_trial(*layer, rows, seed, pass));
  }
};

TEST_F(GoldenTest, LinearIsPyTorchs) { expect_golden("linear", linear(7, 5), 6, 100); }
TEST_F(GoldenTest, ReluIsPyTorchs) { expect_golden("relu", relu(9), 4, 110); }
TEST_F(GoldenTest, GeluIsPyTorchsTanhForm) { expect_golden("gelu", gelu(9), 4, 120); }
TEST_F(GoldenTest, LayerNormIsPyTorchs) {
  expect_golden("layer_norm", layer_norm(8), 5, 160);
}
TEST_F(GoldenTest, AttentionIsPyTorchs) {
  expect_golden("attention", causal_attention(12, 3), 10, 170, in_sequences_of(5));
}
TEST_F(GoldenTest, UnembeddingIsPyTorchs) {
  expect_golden("unembedding", unembedding(4, 11), 6, 150);
}
TEST_F(GoldenTest, ConvolutionIsPyTorchs) {
  expect_golden("convolution", convolution({4, 5, 3}, 2), 2, 180);
  expect_golden("convolution_stride",
                convolution({5, 4, 2}, 3, {.kernel = 3, .stride = 2, .bias = false}), 2,
                190);
}
TEST_F(GoldenTest, BatchNormIsPyTorchs) {
  expect_golden("batch_norm", batch_norm({2, 3, 4}), 3, 200);
}

TEST_F(GoldenTest, EmbeddingIsPyTorchs) {
  const auto layer = embedding(11, 5, 4);
  LayerTrial trial = draw_trial(*layer, 10, 140, in_sequences_of(5));
  trial.x.values = some_ids(10, 11);
  expect_golden("embedding", *layer, trial);
}

TEST_F(GoldenTest, LossIsPyTorchs) {
  const Golden golden("loss");
  Compute compute(device());
  const DeviceArray<float> logits(stream(),
                                  to_float(random_matrix(6, 7, 3, 130).values));
  const DeviceArray<std::int32_t> labels(stream(), to_int(some_ids(6, 7)));
  const DeviceArray<double> loss(stream(), std::vector<double>(1));
  const DeviceArray<std::int32_t> correct(stream(), std::vector<std::int32_t>(1));
  const DeviceArray<float> dlogits(stream(), std::vector<float>(42));
  run(compute, [&](Compute& on) {
    softmax_cross_entropy(on, logits.matrix(6, 7), labels.data(), loss.data(),
                          correct.data());
    softmax_cross_entropy_gradient(on, logits.matrix(6, 7), labels.data(), 1.0F / 6,
                                   dlogits.matrix(6, 7));
  });
  EXPECT_NEAR(loss.read()[0], golden.of("loss")[0], 1e-5 * golden.of("loss")[0]);
  EXPECT_LT(golden.error(dlogits.read(), "dlogits"), kMost);
}

// The whole of it: two blocks, skips, tied ends, the mean loss and every gradient.
TEST_F(GoldenTest, TransformerIsPyTorchs) {
  const Golden golden("transformer");
  const auto shape = TransformerShape{.vocabulary = 11,
                                      .width = 12,
                                      .heads = 3,
                                      .blocks = 2,
                                      .context = 5,
                                      .dropout = 0,
                                      .tied = true};
  const Expected<Network> network = transformer(shape);
  ASSERT_TRUE(network);
  std::vector<std::vector<float>> parameters;
  for (std::size_t i = 0; i < network->size(); ++i) {
    const auto count = static_cast<std::int32_t>((*network)[i]->parameter_count());
    parameters.push_back(to_float(random_matrix(1, count, 0.5, 300 + i).values));
  }
  parameters.back() = parameters.front();
  parameters.back().resize(network->tie->count);

  constexpr std::int32_t kRows = 10;
  const std::vector<double> ids = some_ids(kRows + 2, 11);
  const DeviceArray<std::int32_t> labels(stream(),
                                         to_int({ids.begin() + 2, ids.end()}));
  const DeviceArray<double> loss(stream(), std::vector<double>(1));
  const DeviceArray<std::int32_t> correct(stream(), std::vector<std::int32_t>(1));
  Compute compute(device());
  WholeNetwork whole(stream(), *network, parameters);
  const std::vector<float> logits = whole.forward(
      compute, in_sequences_of(5), to_float({ids.data(), std::size_t{kRows}}));
  EXPECT_LT(golden.error(logits, "logits"), kMost);
  const DeviceArray<float> on_device(stream(), logits);
  run(compute, [&](Compute& on) {
    const Matrix m = on_device.matrix(kRows, 11);
    softmax_cross_entropy(on, m, labels.data(), loss.data(), correct.data());
    softmax_cross_entropy_gradient(on, m, labels.data(), 1.0F / kRows, m);
  });
  EXPECT_NEAR(loss.read()[0] / kRows, golden.of("loss")[0], 1e-5);
  whole.backward(compute, in_sequences_of(5), on_device.read());

  for (std::size_t i = 0; i + 1 < network->size(); ++i) {
    if (parameters[i].empty()) continue;
    std::vector<float> gradients = whole.gradients(i);
    if (i == 0) {  // the tied table has the sum of both gradients
      const std::vector<float> of_last = whole.gradients(network->size() - 1);
      for (std::size_t j = 0; j < of_last.size(); ++j) gradients[j] += of_last[j];
    }
    EXPECT_LT(golden.error(gradients, "gradients_" + std::to_string(i)), kMost)
        << (*network)[i]->name();
  }
}

}  // namespace
}  // namespace pipeline
