/// \file
/// What Google Benchmark programs report: ratios, and whether they keep their limits.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/error.hpp"

namespace pipeline {

/// One benchmark. `ratio` is a figure within one run, such as measured over simulated;
/// its `limit` is the most (`at_most`) or the least that it may be.
struct BenchRow {
  std::string name;  ///< as the program names it
  /// Not a number where the benchmark sets none.
  double ratio = std::numeric_limits<double>::quiet_NaN();
  /// Not a number where the benchmark sets none.
  double limit = std::numeric_limits<double>::quiet_NaN();
  bool at_most = true;  ///< whether `limit` is the most; else the least
  std::string error;    ///< why it did not run

  /// Whether it did not run, or does not keep its limit.
  bool misses() const;
};

/// Reads `--benchmark_out_format=json`. Of repeated runs the median counts. An empty
/// text is what a filter leaves that matches nothing.
Expected<std::vector<BenchRow>> parse_bench(std::string_view json);

/// what, ratio, limit, ok.
std::string bench_as_text(const std::vector<BenchRow>& rows);
/// The same rows as JSON, for `bench --json`.
std::string bench_as_json(const std::vector<BenchRow>& rows);

}  // namespace pipeline
