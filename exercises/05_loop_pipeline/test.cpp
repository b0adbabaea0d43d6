#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "classroom/draw.hpp"
#include "classroom/points.hpp"
#include "classroom/test_words.hpp"
#include "data/loop_pipeline.hpp"
#include "data/morphology_reference.hpp"
#include "exercise.hpp"

namespace pipeline {
namespace {

std::string name_of(const std::vector<double>& stages) {
  std::string text = "Stages of ";
  for (const double t : stages) text += figure(t) + " ";
  return text + "s: ";
}

/// Equal and unequal, the slowest first, last and in the middle. All numbers add up
/// without rounding.
const std::vector<std::vector<double>> kStages = {
    {3},       {1, 2, 1.5},       {4, 1},   {1, 4}, {2, 2, 2},
    {1, 8, 1}, {0.5, 2, 3, 2.25}, {5, 4, 3}};

Timeline simulated(const std::vector<double>& stages, std::size_t items,
                   std::int32_t tokens) {
  std::vector<std::vector<double>> seconds;
  seconds.reserve(stages.size());
  for (const double t : stages) seconds.emplace_back(items, t);
  return simulate_loop(seconds, tokens);
}

/// In the middle of a long loop.
double interval(const std::vector<double>& stages, std::int32_t tokens) {
  const auto leaves = simulated(stages, 600, tokens).spans.back();
  const auto gaps = 40 * static_cast<std::size_t>(tokens);
  return (leaves[599].end - leaves[599 - gaps].end) / static_cast<double>(gaps);
}

void expect_loop_seconds(const std::vector<std::vector<double>>& all,
                         const std::vector<std::int32_t>& counts) {
  for (const auto& stages : all) {
    for (const std::int32_t items : counts) {
      const double expected = simulated(stages, static_cast<std::size_t>(items), items)
                                  .spans.back()
                                  .back()
                                  .end;
      ASSERT_NEAR(loop_seconds(stages, items), expected, 1e-9)
          << name_of(stages) << items << " items take " << figure(expected)
          << " s. The first one needs all stages, one after the other; then the "
             "slowest "
             "stage sets the pace. Re-read chapter 05, \"Iterations that overlap\".";
    }
  }
}

TEST(LoopSeconds, AreThoseOfTheFirstItemAndAnIntervalForEachOther) {
  POINTS(2);
  expect_loop_seconds(kStages, {1, 2, 9});
}

void expect_pace_of_the_slowest(const std::vector<std::vector<double>>& all) {
  for (const auto& stages : all) {
    const double expected = interval(stages, 12);
    ASSERT_NEAR(seconds_apart(stages, 12), expected, 1e-9)
        << name_of(stages) << "with 12 tokens, more than enough, an item leaves every "
        << figure(expected)
        << " s: the slowest stage sets the pace. Re-read chapter 05, \"Tokens\".";
  }
}

TEST(SecondsApart, AreNoLessThanTheSlowestStage) {
  POINTS(1);
  expect_pace_of_the_slowest(kStages);
}

void expect_pace_of_tokens(const std::vector<std::vector<double>>& all,
                           std::int32_t most) {
  for (const auto& stages : all) {
    for (std::int32_t tokens = 1; tokens <= most; ++tokens) {
      const double expected = interval(stages, tokens);
      ASSERT_NEAR(seconds_apart(stages, tokens), expected, 1e-9)
          << name_of(stages) << "with " << tokens << " tokens an item leaves every "
          << figure(expected)
          << " s. A token comes back when its item has been through all stages. "
             "Re-read "
             "chapter 05, \"Tokens\".";
    }
  }
}

TEST(SecondsApart, GrowWhereTokensAreFew) {
  POINTS(1);
  expect_pace_of_tokens(kStages, 4);
}

void expect_fewest_tokens(const std::vector<std::vector<double>>& all) {
  for (const auto& stages : all) {
    std::int32_t fewest = 1;
    while (interval(stages, fewest) > interval(stages, 12) + 1e-9) ++fewest;
    ASSERT_EQ(tokens_needed(stages), fewest)
        << name_of(stages) << "an item leaves every "
        << figure(interval(stages, fewest)) << " s with " << fewest
        << " tokens, and no number of them makes that less. "
        << "Re-read chapter 05, \"Tokens\".";
  }
}

TEST(TokensNeeded, AreTheFewestThatKeepTheSlowestStageBusy) {
  POINTS(2);
  expect_fewest_tokens(kStages);
}

/// How many stages and items to try.
struct Size {
  std::int32_t stages;
  std::int32_t items;

  std::string name() const {
    return std::to_string(stages) + " stages, " + std::to_string(items) + " items: ";
  }
};
const std::vector<Size> kSizes = {{1, 1}, {1, 4}, {2, 1}, {2, 5},
                                  {3, 2}, {3, 7}, {5, 3}};

std::string in_words(const Piece& piece) {
  return "stage " + std::to_string(piece.stage) + " of item " +
         std::to_string(piece.item);
}

/// Rounds that do every piece of the loop once, or what is wrong with them.
std::string complaint_about_pieces(Size size,
                                   const std::vector<std::vector<Piece>>& rounds) {
  std::set<std::pair<std::int32_t, std::int32_t>> done;
  for (const auto& round : rounds) {
    for (const Piece& piece : round) {
      if (piece.stage < 0 || piece.stage >= size.stages || piece.item < 0 ||
          piece.item >= size.items) {
        return in_words(piece) + " does not exist.";
      }
      if (!done.insert({piece.stage, piece.item}).second) {
        return in_words(piece) + " is done twice.";
      }
    }
  }
  for (std::int32_t item = 0; item < size.items; ++item) {
    for (std::int32_t stage = 0; stage < size.stages; ++stage) {
      if (done.count({stage, item}) == 0) {
        return in_words({stage, item}) + " is never done.";
      }
    }
  }
  return "";
}

void expect_each_piece_once(const std::vector<Size>& sizes) {
  for (const Size size : sizes) {
    ASSERT_EQ(complaint_about_pieces(size, rounds_of(size.stages, size.items)), "")
        << size.name() << "every item must go through every stage, the last one too. "
        << "Re-read chapter 05, \"Iterations that overlap\".";
  }
}

TEST(RoundsOf, DoEachPieceOnce) {
  POINTS(1);
  expect_each_piece_once(kSizes);
}

void expect_nothing_of_the_same_round(const std::vector<Size>& sizes) {
  for (const Size size : sizes) {
    const auto rounds = rounds_of(size.stages, size.items);
    ASSERT_FALSE(rounds.empty()) << size.name() << "there are no rounds.";
    std::set<std::pair<std::int32_t, std::int32_t>> before;
    for (const auto& round : rounds) {
      std::set<std::int32_t> stages;
      for (const Piece& piece : round) {
        ASSERT_TRUE(stages.insert(piece.stage).second)
            << size.name() << "stage " << piece.stage << " has two items in one round.";
        ASSERT_TRUE(piece.stage <= 0 ||
                    before.count({piece.stage - 1, piece.item}) != 0)
            << size.name() << in_words(piece)
            << " needs what the stage before makes, and that was not done in an "
               "earlier "
               "round. Re-read chapter 05, \"Iterations that overlap\".";
      }
      for (const Piece& piece : round) before.insert({piece.stage, piece.item});
    }
  }
}

TEST(RoundsOf, UseNothingOfTheirOwnRound) {
  POINTS(1);
  expect_nothing_of_the_same_round(kSizes);
}

void expect_fewest_rounds(const std::vector<Size>& sizes) {
  for (const Size size : sizes) {
    const auto fewest = static_cast<std::size_t>(size.items + size.stages - 1);
    ASSERT_EQ(rounds_of(size.stages, size.items).size(), fewest)
        << size.name() << "an item enters in every round, and the last one needs a "
        << "round for each stage: " << fewest
        << " rounds. Re-read chapter 05, \"Iterations that overlap\".";
  }
}

TEST(RoundsOf, AreAsFewAsCanBe) {
  POINTS(1);
  expect_fewest_rounds(kSizes);
}

/// Does the pieces in their order with one buffer between two stages (-1: empty).
std::string complaint_about_buffers(Size size,
                                    const std::vector<std::vector<Piece>>& rounds) {
  std::vector<std::int32_t> buffer(static_cast<std::size_t>(size.stages), -1);
  for (const auto& round : rounds) {
    for (const Piece& piece : round) {
      if (piece.stage < 0 || piece.stage >= size.stages) return "no such stage.";
      const auto s = static_cast<std::size_t>(piece.stage);
      if (s > 0 && buffer[s - 1] != piece.item) {
        return in_words(piece) + " finds " +
               (buffer[s - 1] < 0 ? "nothing"
                                  : "item " + std::to_string(buffer[s - 1])) +
               " in the buffer before it.";
      }
      if (s > 0) buffer[s - 1] = -1;
      if (s + 1 == buffer.size()) continue;  // leaves the loop
      if (buffer[s] >= 0) {
        return in_words(piece) + " overwrites item " + std::to_string(buffer[s]) +
               " in the buffer behind it.";
      }
      buffer[s] = piece.item;
    }
  }
  return "";
}

void expect_empty_buffers(const std::vector<Size>& sizes) {
  for (const Size size : sizes) {
    const auto rounds = rounds_of(size.stages, size.items);
    ASSERT_FALSE(rounds.empty()) << size.name() << "there are no rounds.";
    ASSERT_EQ(complaint_about_buffers(size, rounds), "")
        << size.name()
        << "your pieces were done one by one in the order of your lists, "
        << "with one buffer between two stages: who takes out of it must come before "
           "who puts into it. Re-read chapter 05, \"Iterations that overlap\".";
  }
}

TEST(RoundsOf, EmptyABufferBeforeTheyFillItAgain) {
  POINTS(2);
  expect_empty_buffers(kSizes);
}

/// Dark and light, never 0: thick and thin shapes, up to the border.
std::vector<reference::Images> images() {
  std::vector<reference::Images> all;
  for (const auto& [height, width] : std::vector<std::pair<std::int32_t, std::int32_t>>{
           {5, 8}, {9, 4}, {1, 6}, {12, 13}}) {
    reference::Images image{{}, 1, height, width};
    for (std::int32_t i = 0; i < height * width; ++i) {
      const std::int32_t column = i % width;
      const std::int32_t row = i / width;
      const double wave = std::sin(0.7 * column) + std::cos(1.1 * row);
      image.pixels.push_back(
          static_cast<std::uint8_t>(120 + 50 * wave + (i * 37 + 11) % 29));
    }
    all.push_back(std::move(image));
  }
  return all;
}

/// Empty, or the first pixel that differs.
std::string first_difference(const std::vector<std::uint8_t>& yours,
                             const reference::Images& expected) {
  if (yours.size() != expected.pixels.size()) {
    return "your image has " + std::to_string(yours.size()) + " pixels, not " +
           std::to_string(expected.pixels.size()) + ".";
  }
  for (std::size_t i = 0; i < yours.size(); ++i) {
    if (yours[i] == expected.pixels[i]) continue;
    const auto width = static_cast<std::size_t>(expected.width);
    return "in " + std::to_string(expected.height) + " x " +
           std::to_string(expected.width) + " pixels, row " +
           std::to_string(i / width) + ", column " + std::to_string(i % width) +
           " should be " + std::to_string(expected.pixels[i]) + ", yours is " +
           std::to_string(yours[i]) + ".";
  }
  return "";
}

void expect_eroded(const std::vector<reference::Images>& all) {
  for (const auto& image : all) {
    ASSERT_EQ(first_difference(erode(image.pixels, image.height, image.width),
                               reference::eroded(square_element(1), image)),
              "")
        << "The least of a pixel and its eight neighbours; those outside of the image "
           "do not count, neither as black nor as white. Re-read chapter 05, \"The "
           "filter\".";
  }
}

TEST(Erode, TakesTheLeastOfAPixelAndItsNeighbours) {
  POINTS(1);
  expect_eroded(images());
}

void expect_opened(const std::vector<reference::Images>& all) {
  for (const auto& image : all) {
    ASSERT_EQ(first_difference(open_image(image.pixels, image.height, image.width),
                               reference::opened(square_element(1), image)),
              "")
        << "Erosion takes away what is thin, and dilation lets the rest grow back. The "
           "other way round holes are closed. Re-read chapter 05, \"The filter\".";
  }
}

TEST(OpenImage, ErodesAndThenDilates) {
  POINTS(1);
  expect_opened(images());
}

// --- Drawn inputs: see classroom/draw.hpp

std::vector<std::vector<double>> drawn_stages(Draw& draw) {
  std::vector<std::vector<double>> all;
  all.reserve(8);
  for (int i = 0; i < 8; ++i) all.push_back(draw.quarters(draw.between(2, 7), 1, 8));
  return all;
}

TEST(LoopSeconds, HoldForDrawnLoopsToo) {
  POINTS(1);
  Draw draw;
  const auto stages = drawn_stages(draw);
  expect_loop_seconds(stages, {draw.between(3, 20), draw.between(21, 60)});
}

TEST(SecondsApart, HoldForDrawnLoopsToo) {
  POINTS(1);
  Draw draw;
  const auto stages = drawn_stages(draw);
  expect_pace_of_the_slowest(stages);
  expect_pace_of_tokens(stages, 6);
}

TEST(TokensNeeded, HoldForDrawnLoopsToo) {
  POINTS(1);
  Draw draw;
  expect_fewest_tokens(drawn_stages(draw));
}

TEST(RoundsOf, HoldForDrawnSizesToo) {
  POINTS(1);
  Draw draw;
  std::vector<Size> sizes;
  sizes.reserve(10);
  for (int i = 0; i < 10; ++i)
    sizes.push_back({draw.between(2, 12), draw.between(4, 30)});
  expect_each_piece_once(sizes);
  expect_nothing_of_the_same_round(sizes);
  expect_fewest_rounds(sizes);
  expect_empty_buffers(sizes);
}

/// Of pixels that have little to do with each other.
std::vector<reference::Images> drawn_images() {
  Draw draw;
  std::vector<reference::Images> all;
  for (int i = 0; i < 4; ++i) {
    reference::Images image{{}, 1, draw.between(6, 15), draw.between(6, 15)};
    for (std::int32_t k = 0; k < image.height * image.width; ++k)
      image.pixels.push_back(static_cast<std::uint8_t>(draw.between(1, 255)));
    all.push_back(std::move(image));
  }
  return all;
}

TEST(Erode, HoldsForDrawnImagesToo) {
  POINTS(1);
  expect_eroded(drawn_images());
}

TEST(OpenImage, HoldsForDrawnImagesToo) {
  POINTS(1);
  expect_opened(drawn_images());
}

}  // namespace
}  // namespace pipeline
