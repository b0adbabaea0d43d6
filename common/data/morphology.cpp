#include "data/morphology.hpp"

#include <thrust/equal.h>
#include <thrust/transform.h>

#include <cassert>
#include <utility>

#include "layers/policy.hpp"

namespace pipeline {

namespace {

enum class Extreme : std::uint8_t { Least, Most };

PIPELINE_HD inline std::int32_t larger(std::int32_t a, std::int32_t b) {
  return a > b ? a : b;
}
PIPELINE_HD inline std::int32_t smaller(std::int32_t a, std::int32_t b) {
  return a < b ? a : b;
}

/// out(p) = the extreme of in(p + b). A row is gone through once for each neighbour,
/// over the columns whose neighbour is inside:
///
///     in, row y + down     · · x x x x x x      right = -2
///     out, row y               x x x x x x · ·
///
/// `kMost` and its element turned around make a dilation.
template <Extreme kWhich>
void extreme(Compute& on, const StructuringElement& by, GreyImages in,
             std::uint8_t* out) {
  assert(out != in.pixels);
  for_each_piece(
      on, in.count * in.height, in.width,
      [=] PIPELINE_HD(std::int32_t row, std::int32_t first, std::int32_t end) {
        const std::int32_t y = row % in.height;
        std::uint8_t* const to = out + std::int64_t{row} * in.width;
        for (std::int32_t x = first; x < end; ++x) {
          to[x] = kWhich == Extreme::Least ? 255 : 0;
        }
        for (std::int32_t b = 0; b < by.count; ++b) {
          const std::int32_t down = by.offsets[b].down;
          const std::int32_t right = by.offsets[b].right;
          if (y + down < 0 || y + down >= in.height) continue;
          const std::uint8_t* const from =
              in.pixels + std::int64_t{row + down} * in.width + right;
          const std::int32_t stop = smaller(end, in.width - right);
          for (std::int32_t x = larger(first, -right); x < stop; ++x) {
            const bool takes =
                kWhich == Extreme::Least ? from[x] < to[x] : from[x] > to[x];
            to[x] = takes ? from[x] : to[x];
          }
        }
      });
}

StructuringElement turned_around(const StructuringElement& element) {
  StructuringElement turned = element;
  for (std::int32_t b = 0; b < turned.count; ++b) {
    turned.offsets[b].down = static_cast<std::int16_t>(-element.offsets[b].down);
    turned.offsets[b].right = static_cast<std::int16_t>(-element.offsets[b].right);
  }
  return turned;
}

/// One round: to(p) = the smallest label of p and its four neighbours. A neighbour that
/// is outside is replaced by p itself, which changes nothing.
void propagate(Compute& on, GreyImages mask, const std::int32_t* from,
               std::int32_t* to) {
  const std::int32_t width = mask.width;
  for_each_piece(
      on, mask.count * mask.height, width,
      [=] PIPELINE_HD(std::int32_t row, std::int32_t first, std::int32_t end) {
        const std::int32_t y = row % mask.height;
        const std::int32_t* const here = from + std::int64_t{row} * width;
        const std::int32_t* const above = y > 0 ? here - width : here;
        const std::int32_t* const below = y + 1 < mask.height ? here + width : here;
        std::int32_t* const out = to + std::int64_t{row} * width;
        const auto take = [=](std::int32_t x, std::int32_t left, std::int32_t right) {
          const std::int32_t beside = smaller(here[left], here[right]);
          const std::int32_t least =
              smaller(smaller(here[x], beside), smaller(above[x], below[x]));
          out[x] = here[x] == kNoComponent ? kNoComponent : least;
        };
        // The columns within, which have both neighbours, make a loop without a branch.
        const std::int32_t begin = larger(first, 1);
        const std::int32_t stop = smaller(end, width - 1);
        for (std::int32_t x = begin; x < stop; ++x) take(x, x - 1, x + 1);
        if (first == 0) take(0, 0, smaller(1, width - 1));
        if (end == width) take(width - 1, larger(width - 2, 0), width - 1);
      });
}

}  // namespace

StructuringElement square_element(std::int32_t radius) {
  assert(radius >= 0 && radius <= 2);
  StructuringElement element;
  for (std::int32_t down = -radius; down <= radius; ++down) {
    for (std::int32_t right = -radius; right <= radius; ++right) {
      element.add({static_cast<std::int16_t>(down), static_cast<std::int16_t>(right)});
    }
  }
  return element;
}

StructuringElement cross_element(std::int32_t radius) {
  assert(radius >= 0 && radius <= 6);
  StructuringElement element;
  element.add({0, 0});
  for (std::int32_t away = 1; away <= radius; ++away) {
    const auto step = static_cast<std::int16_t>(away);
    const auto back = static_cast<std::int16_t>(-away);
    for (const Offset offset : {Offset{step, 0}, {back, 0}, {0, step}, {0, back}}) {
      element.add(offset);
    }
  }
  return element;
}

void erode(Compute& on, const StructuringElement& by, GreyImages in,
           std::uint8_t* out) {
  extreme<Extreme::Least>(on, by, in, out);
}

void dilate(Compute& on, const StructuringElement& by, GreyImages in,
            std::uint8_t* out) {
  extreme<Extreme::Most>(on, turned_around(by), in, out);
}

void open(Compute& on, const StructuringElement& by, GreyImages in, std::uint8_t* out) {
  const Scratch<std::uint8_t> eroded(on.scratch(), in.size());
  erode(on, by, in, eroded.data());
  dilate(on, by, in.with(eroded.data()), out);
}

void top_hat(Compute& on, GreyImages in, const std::uint8_t* opening,
             std::uint8_t* out) {
  thrust::transform(policy(on), in.pixels, in.pixels + in.size(), opening, out,
                    [] PIPELINE_HD(std::uint8_t image, std::uint8_t opened) {
                      return static_cast<std::uint8_t>(image - opened);
                    });
}

void threshold(Compute& on, GreyImages in, std::uint8_t level, std::uint8_t* out) {
  thrust::transform(policy(on), in.pixels, in.pixels + in.size(), out,
                    [level] PIPELINE_HD(std::uint8_t grey) {
                      return static_cast<std::uint8_t>(grey >= level ? 1 : 0);
                    });
}

std::int32_t label_components(Compute& on, GreyImages mask, std::int32_t* labels) {
  const std::size_t count = mask.size();
  const thrust::counting_iterator<std::int32_t> place(0);
  thrust::transform(policy(on), mask.pixels, mask.pixels + count, place, labels,
                    [] PIPELINE_HD(std::uint8_t inside, std::int32_t here) {
                      return inside != 0 ? here : kNoComponent;
                    });
  // Two copies, so that a round reads the labels of the round before alone: the number
  // of rounds does not depend on who is first.
  const Scratch<std::int32_t> other(on.scratch(), count);
  std::int32_t* now = labels;
  std::int32_t* next = other.data();
  std::int32_t rounds = 0;
  for (bool stable = false; !stable; std::swap(now, next)) {
    propagate(on, mask, now, next);
    stable = thrust::equal(policy(on), now, now + count, next);
    ++rounds;
  }
  return rounds;  // the last one changed nothing: both copies are the same
}

void count_components(Compute& on, GreyImages mask, const std::int32_t* labels,
                      std::int32_t* counts) {
  const std::int32_t pixels = mask.height * mask.width;
  for_each_index(on, mask.count, [=] PIPELINE_HD(std::int64_t image) {
    std::int32_t components = 0;
    const auto first = static_cast<std::int32_t>(image) * pixels;
    for (std::int32_t p = first; p < first + pixels; ++p) {
      components += labels[p] == p ? 1 : 0;
    }
    counts[image] = components;
  });
}

}  // namespace pipeline
