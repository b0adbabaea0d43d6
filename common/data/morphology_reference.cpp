#include "data/morphology_reference.hpp"

#include <algorithm>
#include <cstddef>

namespace pipeline::reference {

namespace {

/// out(p) = extreme(start, in(p + sign b) for all b inside).
template <typename F>
Images over_neighbours(const StructuringElement& by, const Images& in, int sign,
                       std::uint8_t start, F extreme) {
  Images out = in;
  for (std::int32_t i = 0; i < in.count; ++i) {
    for (std::int32_t y = 0; y < in.height; ++y) {
      for (std::int32_t x = 0; x < in.width; ++x) {
        std::uint8_t best = start;
        for (std::int32_t b = 0; b < by.count; ++b) {
          const std::int32_t down = y + sign * by.offsets[b].down;
          const std::int32_t right = x + sign * by.offsets[b].right;
          if (!in.inside(down, right)) continue;
          best = extreme(best, in.pixels[in.place(i, down, right)]);
        }
        out.pixels[in.place(i, y, x)] = best;
      }
    }
  }
  return out;
}

struct Place {
  std::int32_t image;
  std::int32_t y;
  std::int32_t x;
};

/// Labels all that hangs together with `start`.
void flood(const Images& mask, Place start, std::vector<std::int32_t>& labels) {
  const auto label =
      static_cast<std::int32_t>(mask.place(start.image, start.y, start.x));
  std::vector<Place> open = {start};
  while (!open.empty()) {
    const Place at = open.back();
    open.pop_back();
    const std::size_t place = mask.place(at.image, at.y, at.x);
    if (mask.pixels[place] == 0 || labels[place] != kNoComponent) continue;
    labels[place] = label;
    for (const Offset way : {Offset{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
      const Place next = {at.image, at.y + way.down, at.x + way.right};
      if (mask.inside(next.y, next.x)) open.push_back(next);
    }
  }
}

}  // namespace

Images eroded(const StructuringElement& by, const Images& in) {
  return over_neighbours(by, in, 1, 255,
                         [](std::uint8_t a, std::uint8_t b) { return std::min(a, b); });
}

Images dilated(const StructuringElement& by, const Images& in) {
  return over_neighbours(by, in, -1, 0,
                         [](std::uint8_t a, std::uint8_t b) { return std::max(a, b); });
}

Images opened(const StructuringElement& by, const Images& in) {
  return dilated(by, eroded(by, in));
}

Images top_hat(const StructuringElement& by, const Images& in) {
  Images out = opened(by, in);
  for (std::size_t p = 0; p < in.pixels.size(); ++p) {
    out.pixels[p] = static_cast<std::uint8_t>(in.pixels[p] - out.pixels[p]);
  }
  return out;
}

Images at_least(std::uint8_t level, const Images& in) {
  Images out = in;
  for (std::uint8_t& grey : out.pixels) grey = grey >= level ? 1 : 0;
  return out;
}

std::vector<std::int32_t> labels(const Images& mask) {
  std::vector<std::int32_t> labels(mask.pixels.size(), kNoComponent);
  for (std::int32_t i = 0; i < mask.count; ++i) {
    for (std::int32_t y = 0; y < mask.height; ++y) {
      for (std::int32_t x = 0; x < mask.width; ++x) flood(mask, {i, y, x}, labels);
    }
  }
  return labels;
}

std::vector<std::int32_t> component_counts(const Images& mask) {
  std::vector<std::int32_t> counts(static_cast<std::size_t>(mask.count), 0);
  const std::vector<std::int32_t> of = labels(mask);
  const std::size_t pixels = of.size() / counts.size();
  for (std::size_t p = 0; p < of.size(); ++p) {
    if (of[p] == static_cast<std::int32_t>(p)) ++counts[p / pixels];
  }
  return counts;
}

}  // namespace pipeline::reference
