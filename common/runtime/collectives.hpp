/// \file
/// What several devices do together at the end of a step: the sum of the gradients of
/// two copies, and the norm of all gradients.
///
/// The two copies of a stage exchange their gradients, and each device adds them in the
/// same order, so that both get the same bits:
///
///     compute of copy 0   ──[B]●ready───────────○arrived, taken─[g0 + g1]●free
///     copy stream              ╲  [g1 → here]●arrived
///     copy stream              ╱  [g0 → here]●arrived
///     compute of copy 1   ──[B]●ready───────────○arrived, taken─[g0 + g1]●free
///
/// The two of a tied pair of layers do the same when all devices meet in the norm, for
/// the parameters that they share.
///
/// For the norm each device adds up the squares of the gradients of its layers, gets
/// those of all other layers, and adds all of them in model order.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/device.hpp"
#include "runtime/meeting.hpp"
#include "runtime/network.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// All sums over devices of one run: the two copies', the tied layers', and the norm's.
class Collectives {
 public:
  /// `clip` is the largest norm of all gradients that an update takes as it is; 0: any.
  Collectives(PlacedNetwork& network, const Schedule& lowered, Watchdog& watchdog,
              float clip);

  /// Forgets the last run, which is over on all devices.
  void begin();
  /// Blocks the worker of `device` until all who take part in `action` (a Reduce or a
  /// ReduceNorm of its row) have come, and makes its compute stream wait for what they
  /// bring. False: the run was stopped.
  bool bring(std::int32_t device, const Action& action);
  /// What the compute stream then runs.
  Work work_of(std::int32_t device, const Action& action);
  /// Called when that was issued.
  void end(std::int32_t device, const Action& action);

  /// What the gradients of a device are multiplied by before an update: null where they
  /// are not clipped.
  const float* gradient_scale(std::int32_t device) const;

  /// Issues the copy of the norms to the host.
  void collect();
  /// Once that has run: the norm of each step; left alone where none is taken.
  void read(std::vector<double>& norms) const;
  /// Whether the schedule takes the norm of all gradients.
  bool takes_norms() const { return !norm_devices_.empty(); }

  /// What it holds on a device.
  std::size_t bytes_on(std::int32_t device) const;

 private:
  /// One copy of a stage, and what it gets from the other.
  struct Side {
    const Stage* stage = nullptr;
    Buffer others;  ///< the other copy's gradients
    std::unique_ptr<Event> ready;
    std::unique_ptr<Event> arrived;
    std::unique_ptr<Event> freed;
    bool was_used = false;  ///< in this run: `freed` is recorded
  };
  struct Sum {
    Side sides[2];
    std::unique_ptr<Meeting> meeting;  ///< of two devices with something to exchange
    bool on_one_device = false;        ///< which holds both copies
    bool one_has_come = false;         ///< there: the first of its two Reduces
  };
  struct Norm {
    Buffer squares;  ///< a double for each step and layer
    Buffer norms;    ///< a double for each step
    Buffer scale;    ///< a float
    std::unique_ptr<Event> ready;
    std::unique_ptr<Event> arrived;
  };

  void place_tied(Platform& platform);
  bool bring_gradients(std::int32_t device, const Action& reduce);
  bool bring_tied(std::int32_t device, const Action& norm);
  bool bring_squares(std::int32_t device, const Action& norm);
  void exchange(Sum& sum);
  void exchange_tied();
  void gather_squares(std::int32_t step);
  void gather_squares_on(std::int32_t device, std::int32_t step);
  void sum_squares(std::int32_t device, std::int32_t step, Compute& on);
  void add_tied(std::size_t i, Compute& on);
  void add_gradients(std::int32_t stage, std::int32_t copy, Compute& on);

  Sum& sum_of(const Action& action) {
    return sums_[static_cast<std::size_t>(action.stage)];
  }
  Norm& norm_on(std::int32_t device) {
    return norms_[static_cast<std::size_t>(device)];
  }
  const Norm& norm_on(std::int32_t device) const {
    return norms_[static_cast<std::size_t>(device)];
  }
  std::size_t squares_at(std::int32_t step, std::int32_t layer) const {
    return (static_cast<std::size_t>(step) * layers_ +
            static_cast<std::size_t>(layer)) *
           sizeof(double);
  }

  PlacedNetwork& network_;
  const Schedule& schedule_;
  float clip_;
  std::size_t layers_;
  /// One of two tied layers, and what it gets from the other.
  struct Tied {
    const Stage* stage = nullptr;
    std::size_t layer = 0;  ///< of the stage
    Buffer others;          ///< the other layer's gradients; empty on the same device
    std::unique_ptr<Event> ready;
    std::unique_ptr<Event> arrived;
  };
  std::size_t shared_floats() const { return network_.tie()->count; }
  /// Layers of the first copy and then, where there is one, of the second, two each.
  std::vector<Tied> tied_;
  std::vector<Sum> sums_;    ///< by stage; empty with one copy
  std::vector<Norm> norms_;  ///< by device; empty on those without a ReduceNorm
  std::vector<std::int32_t> norm_devices_;  ///< those with one
  std::unique_ptr<Meeting> norm_meeting_;
  Buffer host_norms_;
};

/// Whether a row takes part in the norm of all gradients. (Where one does, those of all
/// devices that hold a stage of the first copy do.)
bool takes_norm(const Row& row);

}  // namespace pipeline
