#include "layers/sums.hpp"

#include <cmath>
#include <cstdint>

#include "layers/policy.hpp"

namespace pipeline {

void add(Compute& on, std::size_t count, const float* first, const float* second,
         float* out) {
  for_each_index(on, static_cast<std::int64_t>(count),
                 [=] PIPELINE_HD(std::int64_t i) { out[i] = first[i] + second[i]; });
}

void copy(Compute& on, std::size_t count, const float* from, float* to) {
  for_each_index(on, static_cast<std::int64_t>(count),
                 [=] PIPELINE_HD(std::int64_t i) { to[i] = from[i]; });
}

void add_into_both(Compute& on, std::size_t count, float* first, float* second) {
  for_each_index(on, static_cast<std::int64_t>(count), [=] PIPELINE_HD(std::int64_t i) {
    const float sum = first[i] + second[i];
    first[i] = sum;
    second[i] = sum;
  });
}

void scale(Compute& on, std::size_t count, float* values, const float* factor) {
  for_each_index(on, static_cast<std::int64_t>(count),
                 [=] PIPELINE_HD(std::int64_t i) { values[i] *= *factor; });
}

void sum_of_squares(Compute& on, std::size_t count, const float* values, double* sum) {
  const auto rows =
      static_cast<std::int64_t>((count + kSquaresInARow - 1) / kSquaresInARow);
  const Scratch<double> sums(on.scratch(), static_cast<std::size_t>(rows));
  double* const sum_of = sums.data();
  for_each_index(on, rows, [=] PIPELINE_HD(std::int64_t row) {
    const std::size_t first = static_cast<std::size_t>(row) * kSquaresInARow;
    const std::size_t end =
        first + kSquaresInARow < count ? first + kSquaresInARow : count;
    double squares = 0;
    for (std::size_t i = first; i < end; ++i) {
      squares += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    }
    sum_of[row] = squares;
  });
  for_each_index(on, 1, [=] PIPELINE_HD(std::int64_t) {
    double all = 0;
    for (std::int64_t row = 0; row < rows; ++row) all += sum_of[row];
    *sum = all;
  });
}

void norm_of(Compute& on, std::size_t count, const double* squares, float most,
             double* norm, float* factor) {
  for_each_index(on, 1, [=] PIPELINE_HD(std::int64_t) {
    double all = 0;
    for (std::size_t i = 0; i < count; ++i) all += squares[i];
    *norm = std::sqrt(all);
    const bool clips = most > 0 && *norm > static_cast<double>(most);
    *factor = clips ? static_cast<float>(static_cast<double>(most) / *norm) : 1.0F;
  });
}

}  // namespace pipeline
