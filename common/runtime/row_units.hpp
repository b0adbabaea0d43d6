/// \file
/// How a row is run: unit by unit, a unit being an entry or several joined ones.
#pragma once

#include <cstddef>
#include <span>

#include "schedule/schedule.hpp"

namespace pipeline {

/// Calls `work(unit)` for each unit of a lowered row, in order: sends and receives that
/// are posted together, or computations that overlap. Stops when it returns false, and
/// returns what it returned last.
template <typename F>
bool for_each_unit(const Row& row, const F& work) {
  for (std::size_t begin = 0; begin < row.size();) {
    const bool communicates = is_communication(row[begin].action.kind);
    std::size_t end = begin + 1;
    while (end < row.size() && row[end - 1].with_next &&
           is_communication(row[end].action.kind) == communicates) {
      ++end;
    }
    if (!work(std::span(row).subspan(begin, end - begin))) return false;
    begin = end;
  }
  return true;
}

/// Calls `work(action)` for the computations of a unit in the order in which a device
/// runs them, one after the other: a forward takes its memory before the backward that
/// it overlaps with frees some. Stops when it returns false, and returns what it
/// returned last.
template <typename F>
bool for_each_computation(std::span<const Entry> unit, const F& work) {
  for (const bool forwards : {true, false}) {
    for (const Entry& entry : unit) {
      const bool is_forward = entry.action.kind == ActionKind::Forward;
      if (is_forward == forwards && !work(entry.action)) return false;
    }
  }
  return true;
}

/// Calls `work(action)` for all that a row runs, in the order in which it is run.
template <typename F>
bool for_each_in_order(const Row& row, const F& work) {
  return for_each_unit(row, [&](std::span<const Entry> unit) {
    if (!is_communication(unit.front().action.kind)) {
      return for_each_computation(unit, work);
    }
    for (const Entry& entry : unit) {
      if (!work(entry.action)) return false;
    }
    return true;
  });
}

}  // namespace pipeline
