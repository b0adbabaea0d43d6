#include "runtime/text_trainer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>

#include "runtime/files_end_at.hpp"
#include "runtime/generation.hpp"
#include "runtime/small_text.hpp"
#include "runtime/small_training.hpp"
#include "schedule/full_tier.hpp"

namespace pipeline {
namespace {

namespace fs = std::filesystem;

class TextTrainer : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    folder_ = testing::TempDir() + "/text_trainer_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
  }
  void TearDown() override {
    fs::remove_all(folder_);
    RuntimeTest::TearDown();
  }

  Expected<TextTrainingReport> tried(const TextTrainingOptions& options) {
    return train_text(*platform_of(options.devices), shape_, corpus_, options);
  }
  TextTrainingReport trained(const TextTrainingOptions& options) {
    auto report = tried(options);
    EXPECT_TRUE(report) << report.error().what;
    return report ? std::move(*report) : TextTrainingReport{};
  }
  void expect_the_same_everywhere(TextTrainingOptions options,
                                  const TextTrainingReport& one) {
    for (const auto* name : {"gpipe", "1f1b", "interleaved", "zb-h1"}) {
      for (const std::int32_t devices : {2, 4}) {
        options.schedule = name;
        options.devices = devices;
        const TextTrainingReport report = trained(options);
        EXPECT_EQ(report.digest, one.digest) << name << " p=" << devices;
        EXPECT_EQ(report.log, one.log) << name << " p=" << devices;
      }
    }
  }
  std::string refusal_of(const TextTrainingOptions& options) {
    const auto report = tried(options);
    EXPECT_FALSE(report);
    return report ? "" : report.error().what;
  }

  TransformerShape shape_ = small_shape();
  Corpus corpus_ = small_corpus();
  std::string folder_;
};

TEST_F(TextTrainer, LearnsTheSameOnOneDeviceAndOnEverySchedule) {
  TextTrainingOptions options = small_options();
  options.devices = 1;
  const TextTrainingReport one = trained(options);
  ASSERT_EQ(one.log.size(), 4U);  // at 0, 5, 10 and 12
  EXPECT_EQ(one.log[0].step, 0);
  EXPECT_EQ(one.log[3].step, 12);
  EXPECT_NEAR(one.log[0].held_out, std::log(256), 0.1);
  EXPECT_LT(one.log[3].held_out, 0.8 * one.log[0].held_out);
  EXPECT_LT(one.log[3].loss, 0.8 * one.log[0].loss);
  expect_the_same_everywhere(options, one);
}

// At the size of the chapter only where there is time.
TEST_F(TextTrainer, LearnsTheSameAtFullSize) {
  TextTrainingOptions options = small_options();
  options.steps = 2;
  if (in_full_tier()) {
    shape_ = {.width = 256, .heads = 8, .blocks = 8, .context = 128};
    options.steps = 3;
  }
  options.devices = 1;
  const TextTrainingReport one = trained(options);
  expect_the_same_everywhere(options, one);
}

TEST_F(TextTrainer, GoesOnAsIfItHadNeverStoppedOnAnyScheduleAndNumberOfDevices) {
  TextTrainingOptions options = small_options();
  const TextTrainingReport whole = trained(options);
  std::atomic<bool> stop = false;
  options.stop = &stop;
  options.checkpoints = folder_;
  constexpr const char* kNames[] = {"zb-h1", "gpipe", "interleaved"};
  constexpr std::int32_t kDevices[] = {2, 1, 4};
  TextTrainingReport last;
  for (std::int64_t n = 0; n < 3; ++n) {
    options.schedule = kNames[n];
    options.devices = kDevices[n];
    options.progress = [&stop, n](const TextProgress& now) {
      stop = now.step == 3 * n + 4;  // 4, 7, and never
      if (n == 2) stop = false;
    };
    stop = false;
    last = trained(options);
    EXPECT_EQ(last.interrupted, n < 2);
    EXPECT_EQ(last.resumed_from, n == 0 ? 0 : 3 * n + 1);
    EXPECT_EQ(last.steps, n < 2 ? 3 * n + 4 : 12);
  }
  EXPECT_EQ(last.digest, whole.digest);
  EXPECT_EQ(last.log, whole.log);
}

TEST_F(TextTrainer, HasNothingLeftToDoWhereACheckpointIsAtTheEnd) {
  TextTrainingOptions options = small_options();
  options.checkpoints = folder_;
  const TextTrainingReport first = trained(options);
  const TextTrainingReport again = trained(options);
  EXPECT_EQ(again.digest, first.digest);
  EXPECT_EQ(again.log, first.log);
  EXPECT_EQ(again.resumed_from, 12);
  EXPECT_FALSE(again.interrupted);
}

TEST_F(TextTrainer, MayBeAskedForMoreSteps) {
  TextTrainingOptions options = small_options();
  const TextTrainingReport whole = trained(options);
  options.checkpoints = folder_;
  options.steps = 7;
  trained(options);
  options.steps = 12;
  EXPECT_EQ(trained(options).digest, whole.digest);
}

TEST_F(TextTrainer, KeepsTheNewestTwoCheckpoints) {
  TextTrainingOptions options = small_options();
  options.checkpoints = folder_;
  options.checkpoint_every = 2;
  options.steps = 7;
  trained(options);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"step-0000000006", "step-0000000007"}));
}

TEST_F(TextTrainer, IsNotChangedByEvaluationOrGenerationBetweenSteps) {
  TextTrainingOptions options = small_options();
  options.log_every = 100;
  const TextTrainingReport undisturbed = trained(options);
  options.log_every = 1;
  std::size_t written = 0;
  options.logged = [&](PlacedNetwork& network, const LogLine& line) {
    const auto loss = held_out_loss(network, corpus_, shape_.context, 7, 3);
    ASSERT_TRUE(loss);
    EXPECT_NEAR(*loss, line.held_out, 1e-9);
    const auto text = generate_text(network, shape_.context, {.bytes = 3});
    ASSERT_TRUE(text);
    written += text->size();
  };
  const TextTrainingReport disturbed = trained(options);
  EXPECT_EQ(written, 39U);
  EXPECT_EQ(disturbed.digest, undisturbed.digest);
  EXPECT_EQ(disturbed.log.back().held_out, undisturbed.log.back().held_out);
}

TEST_F(TextTrainer, MayChangeTheLengthOfItsWindowsFromStepToStep) {
  TextTrainingOptions options = small_options();
  const TextTrainingReport constant = trained(options);
  options.contexts = {11, 2, 7, 1};
  options.devices = 1;
  const TextTrainingReport one = trained(options);
  EXPECT_NE(one.digest, constant.digest);
  EXPECT_LT(one.log.back().held_out, 0.9 * one.log.front().held_out);
  for (const auto* name : {"1f1b", "zb-h1"}) {
    options.schedule = name;
    options.devices = 3;
    EXPECT_EQ(trained(options).digest, one.digest) << name;
  }
}

TEST_F(TextTrainer, CutsItsWindowsIntoSlicesOnAnyNumberOfDevices) {
  TextTrainingOptions options = small_options();
  options.schedule = "token-slices";
  options.request.slices = {3};
  options.contexts = {11, 4};
  options.devices = 1;
  const TextTrainingReport one = trained(options);
  options.devices = 4;
  options.checkpoints = folder_;
  options.steps = 7;
  trained(options);
  options.devices = 2;
  options.steps = 12;
  const TextTrainingReport resumed = trained(options);
  EXPECT_EQ(resumed.digest, one.digest);
  options.contexts = {11, 2};
  options.checkpoints.clear();
  EXPECT_NE(refusal_of(options).find("2 positions"), std::string::npos);
}

TEST_F(TextTrainer, SaysHowFastItIsAndHowLongItTakes) {
  TextTrainingOptions options = small_options();
  std::int64_t calls = 0;
  options.progress = [&](const TextProgress& now) {
    EXPECT_EQ(now.step, ++calls);
    EXPECT_EQ(now.steps, 12);
    EXPECT_GT(now.tokens_per_second, 0);
    EXPECT_TRUE(std::isfinite(now.loss));
    EXPECT_EQ(now.seconds_left > 0, now.step < 12);
  };
  EXPECT_GT(trained(options).tokens_per_second, 0);
  EXPECT_EQ(calls, 12);
}

TEST_F(TextTrainer, StopsWithStageAndLayerNamedWhenTheLossIsNoNumber) {
  TextTrainingOptions options = small_options();
  options.checkpoints = folder_;
  options.checkpoint_every = 1;
  options.optimizer.rate = 1e30F;
  options.optimizer.warmup_steps = 0;
  options.optimizer.decay_steps = 0;
  const auto report = tried(options);
  ASSERT_FALSE(report);
  EXPECT_TRUE(
      report.error().what.starts_with("training stopped: in step 2 the output "
                                      "of layer "))
      << report.error().what;
  EXPECT_NE(report.error().what.find(" on stage "), std::string::npos)
      << report.error().what;
  EXPECT_NE(report.error().remedy.find("smaller rate"), std::string::npos);
}

TEST_F(TextTrainer, KeepsNothingOfWeightsThatAreNoNumbers) {
  TextTrainingOptions options = small_options();
  const TextTrainingReport whole = trained(options);
  options.checkpoints = folder_;
  options.checkpoint_every = 3;
  options.logged = [](PlacedNetwork& network, const LogLine& line) {
    if (line.step != 5) return;
    std::vector<float> weights = network.weights();
    weights.back() = std::numeric_limits<float>::infinity();
    network.set_weights(weights);
  };
  EXPECT_NE(refusal_of(options).find("in step 6 the output of layer 22 (unembedding"),
            std::string::npos)
      << refusal_of(options);
  options.logged = nullptr;
  const TextTrainingReport mended = trained(options);
  EXPECT_EQ(mended.resumed_from, 3);
  EXPECT_EQ(mended.digest, whole.digest);
  EXPECT_EQ(mended.log, whole.log);
}

TEST_F(TextTrainer, LosesNothingOnAFullDisk) {
  TextTrainingOptions options = small_options();
  const TextTrainingReport whole = trained(options);
  options.checkpoints = folder_;
  options.checkpoint_every = 4;
  {
    std::optional<FilesEndAt> full;
    options.progress = [&](const TextProgress& now) {
      if (now.step == 5) full.emplace(1000);
    };
    EXPECT_NE(refusal_of(options).find("step-0000000008 cannot be written"),
              std::string::npos);
  }
  options.progress = nullptr;
  const TextTrainingReport resumed = trained(options);
  EXPECT_EQ(resumed.resumed_from, 4);
  EXPECT_EQ(resumed.digest, whole.digest);
  EXPECT_EQ(resumed.log, whole.log);
}

TEST_F(TextTrainer, RefusesTheCheckpointOfAnotherTrainingOrNetwork) {
  TextTrainingOptions options = small_options();
  options.checkpoints = folder_;
  options.steps = 2;
  const TextTrainingReport first = trained(options);
  const std::string of =
      "the checkpoint " + folder_ + "/step-0000000002 is of another ";

  TextTrainingOptions other = options;
  other.seed = 4;
  EXPECT_EQ(refusal_of(other), of + "training: it has 'seed 3', this one 'seed 4'");
  other = options;
  other.samples = 8;
  EXPECT_EQ(refusal_of(other),
            of + "training: it has 'samples 9', this one 'samples 8'");
  other = options;
  other.optimizer.kind = Optimizer::Kind::Sgd;
  EXPECT_NE(refusal_of(other).find("'optimizer AdamW'"), std::string::npos);
  other = options;
  other.contexts = {11, 3};
  EXPECT_NE(refusal_of(other).find("'context 11'"), std::string::npos);
  corpus_.text.back() = '?';
  EXPECT_NE(refusal_of(options).find("'text "), std::string::npos);
  corpus_ = small_corpus();
  shape_.width = 14;
  EXPECT_TRUE(refusal_of(options).starts_with(of + "network: it has 'embedding"));
  shape_ = small_shape();
  EXPECT_EQ(trained(options).digest, first.digest);
}

TEST_F(TextTrainer, RefusesWhatCannotBeTrained) {
  const TextTrainingOptions good = small_options();
  TextTrainingOptions bad = good;
  bad.optimizer.rate = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(refusal_of(bad), "the rate is nan");
  bad = good;
  bad.steps = 0;
  EXPECT_NE(refusal_of(bad).find("at least one each"), std::string::npos);
  bad = good;
  bad.contexts = {5, 12};
  EXPECT_EQ(refusal_of(bad),
            "windows of 12 tokens do not fit a network with a context of 11");
  bad = good;
  bad.samples = 3;
  EXPECT_NE(refusal_of(bad).find("too few for 4 micro-batches"), std::string::npos);
  bad = good;
  bad.steps_a_run = 0;
  EXPECT_EQ(refusal_of(bad), "a run of 0 steps is none");
  bad = good;
  bad.devices = 40;
  EXPECT_FALSE(refusal_of(bad).empty());
  shape_.heads = 5;
  EXPECT_FALSE(refusal_of(good).empty());
  shape_ = small_shape();
  corpus_.text = "tiny";
  EXPECT_NE(refusal_of(good).find("has 4 bytes, too few"), std::string::npos);
}

}  // namespace
}  // namespace pipeline
