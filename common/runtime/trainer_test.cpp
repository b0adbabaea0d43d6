#include "runtime/trainer.hpp"

#include <gtest/gtest.h>

#include "runtime/small_training.hpp"

namespace pipeline {
namespace {

/// Made-up images of ten kinds: each has a patch of its own, and noise.
ImageSet made_up_images(std::int32_t count, std::uint64_t seed) {
  Random random(seed);
  ImageSet set;
  set.count = count;
  for (std::int32_t i = 0; i < count; ++i) {
    const auto label = static_cast<std::int32_t>(random.below(10));
    set.labels.push_back(label);
    for (std::int32_t pixel = 0; pixel < FashionMnist::kPixels; ++pixel) {
      const bool patch = pixel / 78 == label;
      set.pixels.push_back(static_cast<float>(2 * random.uniform() - 1) +
                           (patch ? 0.5F : 0.0F));
    }
  }
  return set;
}

Network image_network() {
  Network network;
  network.push_back(linear(784, 24));
  network.push_back(relu(24));
  network.push_back(linear(24, 16));
  network.push_back(relu(16));
  network.push_back(linear(16, 10));
  return network;
}

class TrainerTest : public RuntimeTest {
 protected:
  Expected<TrainingReport> trained(const TrainingOptions& options) {
    return train(*platform_of(options.devices), network_, train_, test_, options);
  }
  Network network_ = image_network();
  ImageSet train_ = made_up_images(330, 1);
  ImageSet test_ = made_up_images(101, 2);
};

TEST_F(TrainerTest, LearnsTheSameOnOneDeviceAndOnEverySchedule) {
  TrainingOptions options;
  options.batch_rows = 32;  // the last batch of an epoch has 10 rows
  options.micro_batches = 5;
  options.epochs = 4;
  options.devices = 1;
  const auto one = trained(options);
  ASSERT_TRUE(one) << one.error().what;
  EXPECT_EQ(one->step_loss.size(), 44U);
  EXPECT_LT(one->step_loss.back(), 0.5 * one->step_loss.front());
  EXPECT_GT(one->test_accuracy, 0.6);
  for (const auto* name : {"model-parallel", "gpipe", "1f1b"}) {
    for (const std::int32_t devices : {2, 4}) {
      options.schedule = name;
      options.devices = devices;
      const auto report = trained(options);
      ASSERT_TRUE(report) << report.error().what;
      EXPECT_EQ(report->digest, one->digest) << name << " p=" << devices;
      EXPECT_EQ(report->step_loss, one->step_loss);
      EXPECT_EQ(report->test_accuracy, one->test_accuracy);
    }
  }
}

TEST_F(TrainerTest, LearnsTheSameWithSeveralStagesADeviceAndWithHalvedBackwards) {
  TrainingOptions options;
  options.batch_rows = 32;
  options.micro_batches = 5;
  options.devices = 1;
  const auto one = trained(options);
  ASSERT_TRUE(one) << one.error().what;
  options.devices = 2;
  for (const auto* name : {"interleaved", "zb-h2", "zb-v", "v-min"}) {
    options.schedule = name;
    for (const bool norm : {false, true}) {
      options.request.shape.global_norm = norm;
      const auto report = trained(options);
      ASSERT_TRUE(report) << report.error().what;
      EXPECT_EQ(report->digest, one->digest) << name;
      EXPECT_EQ(report->test_accuracy, one->test_accuracy) << name;
    }
  }
}

TEST_F(TrainerTest, LearnsAndEvaluatesWithTwoCopiesAndWithoutAFlush) {
  TrainingOptions options;
  options.batch_rows = 32;
  options.micro_batches = 6;
  options.epochs = 4;
  for (const auto* name : {"chimera", "dualpipe", "pipedream-2bw"}) {
    options.schedule = name;
    options.devices = 2;
    const auto report = trained(options);
    ASSERT_TRUE(report) << name << ": " << report.error().what;
    EXPECT_LT(report->step_loss.back(), report->step_loss.front()) << name;
    EXPECT_GT(report->test_accuracy, 0.5) << name;
  }
}

TEST_F(TrainerTest, LearnsFromSomeRealImages) {
  const auto data = read_fashion_mnist(fashion_mnist_folder(), 2000);
  if (!data && data.error().kind == ErrorKind::Absent) {
    GTEST_SKIP() << data.error().what << ": " << data.error().remedy;
  }
  ASSERT_TRUE(data) << data.error().what;
  TrainingOptions options;
  options.batch_rows = 50;
  options.micro_batches = 4;
  const auto report =
      train(*platform_of(2), network_, data->train, data->test, options);
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_LT(report->step_loss.back(), 0.5 * report->step_loss.front());
  EXPECT_GT(report->test_accuracy, 0.6);
}

TEST_F(TrainerTest, DoesTheSameHoweverManyStepsAreIssuedInOneGo) {
  TrainingOptions options;
  options.batch_rows = 32;
  options.steps_a_run = 1;
  const auto one_by_one = trained(options);
  options.steps_a_run = 4;  // 11 steps: 4, 4, and 3 left over
  const auto four = trained(options);
  options.steps_a_run = 100;
  const auto all = trained(options);
  ASSERT_TRUE(one_by_one && four && all);
  EXPECT_EQ(four->digest, one_by_one->digest);
  EXPECT_EQ(all->digest, one_by_one->digest);
  EXPECT_EQ(four->schedule.steps, 4);
  EXPECT_EQ(four->last_run.step_loss.size(), 4U);
  EXPECT_EQ(all->schedule.steps, 11);
}

TEST_F(TrainerTest, TellsItsProgressAndStopsWhenAsked) {
  TrainingOptions options;
  options.batch_rows = 32;
  options.steps_a_run = 2;
  std::atomic<bool> stop = false;
  std::vector<std::int32_t> steps;
  options.stop = &stop;
  options.progress = [&](const TrainingProgress& progress) {
    EXPECT_EQ(progress.steps, 11);
    steps.push_back(progress.step);
    stop = progress.step >= 6;
  };
  const auto report = trained(options);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->interrupted);
  EXPECT_EQ(steps, (std::vector<std::int32_t>{2, 4, 6}));
  EXPECT_EQ(report->step_loss.size(), 6U);
}

TEST_F(TrainerTest, RefusesWhatCannotBeTrained) {
  TrainingOptions options;
  options.batch_rows = 64;  // 330 = 5 * 64 + 10
  options.micro_batches = 11;
  EXPECT_EQ(trained(options).error().what,
            "the last batch of an epoch has 10 rows, too few for 11 micro-batches");
  options.micro_batches = 4;
  options.devices = 6;
  EXPECT_EQ(trained(options).error().what, "5 layers cannot be cut into 6 stages");
  options.devices = 2;
  options.epochs = 0;
  EXPECT_FALSE(trained(options));
  options.epochs = 1;
  options.schedule = "no-such";
  EXPECT_FALSE(trained(options));
  network_.layers.erase(network_.layers.begin());
  options.schedule = "1f1b";
  EXPECT_EQ(trained(options).error().what,
            "the network takes 24 inputs, an image has 784 pixels");
}

}  // namespace
}  // namespace pipeline
