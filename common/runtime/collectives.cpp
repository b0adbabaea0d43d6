#include "runtime/collectives.hpp"

#include <algorithm>

#include "layers/sums.hpp"
#include "runtime/wait_sites.hpp"

namespace pipeline {

bool takes_norm(const Row& row) {
  return std::any_of(row.begin(), row.end(), [](const Entry& entry) {
    return entry.action.kind == ActionKind::ReduceNorm;
  });
}

Collectives::Collectives(PlacedNetwork& network, const Schedule& lowered,
                         Watchdog& watchdog, float clip)
    : network_(network),
      schedule_(lowered),
      clip_(clip),
      layers_(static_cast<std::size_t>(network.layers())) {
  Platform& platform = network.platform();
  const bool sums = lowered.training && lowered.placement.copies() == 2;
  for (std::int32_t s = 0; sums && s < lowered.stages(); ++s) {
    Sum& sum = sums_.emplace_back();
    for (const std::int32_t copy : {0, 1}) {
      const Stage& stage = network.stage(s, copy);
      Device& device = platform.device(stage.device);
      sum.sides[copy] = {
          &stage, {}, device.make_event(), device.make_event(), device.make_event()};
    }
    const std::int32_t first = sum.sides[0].stage->device;
    const std::int32_t second = sum.sides[1].stage->device;
    sum.on_one_device = first == second;
    if (sum.on_one_device || sum.sides[0].stage->parameter_count == 0) continue;
    sum.meeting = std::make_unique<Meeting>(watchdog, std::vector{first, second});
    for (Side& side : sum.sides) {
      side.others = Buffer(platform.device(side.stage->device),
                           side.stage->parameter_count * sizeof(float));
    }
  }
  if (lowered.training && network.tie()) place_tied(platform);
  const std::size_t norm_bytes =
      static_cast<std::size_t>(lowered.steps) * sizeof(double);
  norms_.resize(lowered.rows.size());
  for (std::int32_t d = 0; d < lowered.devices(); ++d) {
    if (!takes_norm(lowered.rows[static_cast<std::size_t>(d)])) continue;
    Device& device = platform.device(d);
    norm_on(d) = {Buffer(device, squares_at(lowered.steps, 0)),
                  Buffer(device, norm_bytes), Buffer(device, sizeof(float)),
                  device.make_event(), device.make_event()};
    norm_devices_.push_back(d);
  }
  if (norm_devices_.empty()) return;
  host_norms_ = Buffer(platform, norm_bytes);
  norm_meeting_ = std::make_unique<Meeting>(watchdog, norm_devices_);
}

void Collectives::place_tied(Platform& platform) {
  const Tie& tie = *network_.tie();
  for (const Stage& stage : network_.stages()) {
    for (const std::int32_t layer : {tie.first, tie.second}) {
      if (!stage.holds(layer)) continue;
      Device& device = platform.device(stage.device);
      tied_.push_back({&stage,
                       stage.place_of(layer),
                       {},
                       device.make_event(),
                       device.make_event()});
    }
  }
  for (std::size_t i = 0; i < tied_.size(); ++i) {
    const std::int32_t device = tied_[i].stage->device;
    if (device == tied_[i ^ 1U].stage->device) continue;
    tied_[i].others = Buffer(platform.device(device), tie.count * sizeof(float));
  }
}

void Collectives::begin() {
  for (Sum& sum : sums_) {
    if (sum.meeting != nullptr) sum.meeting->begin();
    sum.one_has_come = false;
    for (Side& side : sum.sides) side.was_used = false;
  }
  if (norm_meeting_ != nullptr) norm_meeting_->begin();
}

bool Collectives::bring(std::int32_t device, const Action& action) {
  return action.kind == ActionKind::Reduce ? bring_gradients(device, action)
                                           : bring_squares(device, action);
}

Work Collectives::work_of(std::int32_t device, const Action& action) {
  Compute* const on = network_.on(device).workspace.get();
  if (action.kind == ActionKind::Reduce) {
    const std::int32_t copy = schedule_.copy_of(action.micro_batch);
    Sum& sum = sum_of(action);
    if (sum.on_one_device && !sum.one_has_come) {
      return Work([](NativeStream) {});  // the other copy is not done yet
    }
    return Work([this, on, stage = action.stage, copy](NativeStream stream) {
      on->enter(stream);
      add_gradients(stage, copy, *on);
    });
  }
  const std::int32_t step = action.micro_batch / schedule_.micro_batches;
  return Work([this, on, norm = &norm_on(device), step](NativeStream stream) {
    on->enter(stream);
    const auto* squares = reinterpret_cast<const double*>(norm->squares.region().data +
                                                          squares_at(step, 0));
    auto* const norms = reinterpret_cast<double*>(norm->norms.region().data);
    norm_of(*on, layers_, squares, clip_, norms + step, norm->scale.region().floats());
  });
}

void Collectives::end(std::int32_t device, const Action& action) {
  if (action.kind != ActionKind::Reduce) return;
  Sum& sum = sum_of(action);
  if (sum.on_one_device) sum.one_has_come = !sum.one_has_come;
  if (sum.meeting == nullptr) return;
  Side& side = sum.sides[schedule_.copy_of(action.micro_batch)];
  network_.on(device).compute->record(*side.freed);
  side.was_used = true;
}

// --- The sum of two copies

bool Collectives::bring_gradients(std::int32_t device, const Action& reduce) {
  Sum& sum = sum_of(reduce);
  if (sum.meeting == nullptr) return true;
  const std::int32_t copy = schedule_.copy_of(reduce.micro_batch);
  Stream& compute = *network_.on(device).compute;
  compute.record(*sum.sides[copy].ready);
  if (!sum.meeting->meet(device, reduce, [&] { exchange(sum); })) return false;
  compute.wait(*sum.sides[copy].arrived, wait_site::kCopysGradientArrived);
  // Its own are overwritten by the sum: the other device must have read them.
  compute.wait(*sum.sides[1 - copy].arrived, wait_site::kCopysGradientTaken);
  return true;
}

void Collectives::exchange(Sum& sum) {
  for (const std::size_t copy : {0U, 1U}) {
    Side& here = sum.sides[copy];
    const Side& there = sum.sides[1 - copy];
    Stream& stream = *network_.on(here.stage->device).copy;
    if (here.was_used) stream.wait(*here.freed, wait_site::kCopysGradientBufferFree);
    stream.wait(*there.ready, wait_site::kCopysGradientReady);
    stream.copy(here.others.region(), there.stage->gradients.region());
    stream.record(*here.arrived);
  }
}

// The first copy's to the second's, on either device.
void Collectives::add_gradients(std::int32_t stage, std::int32_t copy, Compute& on) {
  const Sum& sum = sums_[static_cast<std::size_t>(stage)];
  const Stage& here = *sum.sides[copy].stage;
  if (here.parameter_count == 0) return;
  const std::size_t count = here.parameter_count;
  float* const first = sum.sides[0].stage->gradients.region().floats();
  float* const second = sum.sides[1].stage->gradients.region().floats();
  if (sum.on_one_device) return add_into_both(on, count, first, second);
  float* const others = sum.sides[copy].others.region().floats();
  if (copy == 0) {
    add(on, count, first, others, first);
  } else {
    add(on, count, others, second, second);
  }
}

// --- The sum of tied layers

bool Collectives::bring_tied(std::int32_t device, const Action& norm) {
  if (tied_.empty()) return true;
  Stream& compute = *network_.on(device).compute;
  Compute* const on = network_.on(device).workspace.get();
  for (const Tied& tied : tied_) {
    if (tied.stage->device == device) compute.record(*tied.ready);
  }
  if (!norm_meeting_->meet(device, norm, [&] { exchange_tied(); })) return false;
  for (std::size_t i = 0; i < tied_.size(); ++i) {
    Tied& here = tied_[i];
    if (here.stage->device != device) continue;
    const bool on_one_device = here.others.region().bytes == 0;
    if (on_one_device && i % 2 == 1) continue;  // the first of the two does it
    if (!on_one_device) {
      compute.wait(*here.arrived, wait_site::kTiedGradientArrived);
      compute.wait(*tied_[i ^ 1U].arrived, wait_site::kTiedGradientTaken);
    }
    compute.run(Work([this, on, i](NativeStream stream) {
      on->enter(stream);
      add_tied(i, *on);
    }));
  }
  return true;
}

// Nobody waits until the buffers are free: those of the last step were read before its
// norm, and without that no device has begun this step.
void Collectives::exchange_tied() {
  for (std::size_t i = 0; i < tied_.size(); ++i) {
    Tied& here = tied_[i];
    const Tied& there = tied_[i ^ 1U];
    if (here.others.region().bytes == 0) continue;
    Stream& stream = *network_.on(here.stage->device).copy;
    stream.wait(*there.ready, wait_site::kTiedGradientReady);
    const std::size_t at = there.stage->offsets[there.layer] * sizeof(float);
    stream.copy(here.others.region(),
                there.stage->gradients.part(at, here.others.region().bytes));
    stream.record(*here.arrived);
  }
}

// The first layer's to the second's, wherever they are.
void Collectives::add_tied(std::size_t i, Compute& on) {
  const Tied& here = tied_[i];
  float* const own = here.stage->gradients_of(here.layer);
  if (here.others.region().bytes == 0) {
    const Tied& there = tied_[i ^ 1U];
    return add_into_both(on, shared_floats(), own,
                         there.stage->gradients_of(there.layer));
  }
  float* const others = here.others.region().floats();
  if (i % 2 == 0) {
    add(on, shared_floats(), own, others, own);
  } else {
    add(on, shared_floats(), others, own, own);
  }
}

// --- The norm of all gradients

bool Collectives::bring_squares(std::int32_t device, const Action& norm) {
  if (!bring_tied(device, norm)) return false;
  const std::int32_t step = norm.micro_batch / schedule_.micro_batches;
  Stream& compute = *network_.on(device).compute;
  Compute* const on = network_.on(device).workspace.get();
  compute.run(Work([this, on, device, step](NativeStream stream) {
    on->enter(stream);
    sum_squares(device, step, *on);
  }));
  compute.record(*norm_on(device).ready);
  if (!norm_meeting_->meet(device, norm, [&] { gather_squares(step); })) return false;
  if (norm_devices_.size() > 1) {
    compute.wait(*norm_on(device).arrived, wait_site::kNormPartsArrived);
  }
  return true;
}

// Both copies hold the same sums by now: the first one's count.
void Collectives::sum_squares(std::int32_t device, std::int32_t step, Compute& on) {
  for (std::int32_t s = 0; s < schedule_.stages(); ++s) {
    const Stage& stage = network_.stage(s);
    if (stage.device != device) continue;
    for (std::size_t i = 0; i < stage.layers.size(); ++i) {
      const auto layer = stage.first_layer + static_cast<std::int32_t>(i);
      auto* const sum = reinterpret_cast<double*>(
          norm_on(device).squares.region().data + squares_at(step, layer));
      // What two layers share counts once.
      const std::size_t shared =
          network_.tie() && network_.tie()->second == layer ? shared_floats() : 0;
      const std::size_t count = stage.layers[i]->parameter_count() - shared;
      sum_of_squares(on, count, count == 0 ? nullptr : stage.gradients_of(i) + shared,
                     sum);
    }
  }
}

void Collectives::gather_squares(std::int32_t step) {
  if (norm_devices_.size() == 1) return;
  for (const std::int32_t device : norm_devices_) gather_squares_on(device, step);
}

// Each step has its own place, so that nobody waits until all have read the last ones.
void Collectives::gather_squares_on(std::int32_t device, std::int32_t step) {
  Stream& stream = *network_.on(device).copy;
  for (const std::int32_t other : norm_devices_) {
    if (other == device) continue;
    stream.wait(*norm_on(other).ready, wait_site::kNormPartReady);
    for (std::int32_t s = 0; s < schedule_.stages(); ++s) {
      const Stage& stage = network_.stage(s);
      if (stage.device != other) continue;
      const std::size_t at = squares_at(step, stage.first_layer);
      const std::size_t bytes = stage.layers.size() * sizeof(double);
      stream.copy(norm_on(device).squares.part(at, bytes),
                  norm_on(other).squares.part(at, bytes));
    }
  }
  stream.record(*norm_on(device).arrived);
}

const float* Collectives::gradient_scale(std::int32_t device) const {
  return clip_ == 0 ? nullptr : norm_on(device).scale.region().floats();
}

void Collectives::collect() {
  if (norm_devices_.empty()) return;
  const std::int32_t first = norm_devices_.front();
  network_.on(first).compute->copy(host_norms_.region(), norm_on(first).norms.region());
}

void Collectives::read(std::vector<double>& norms) const {
  if (norm_devices_.empty()) return;
  const auto* first = reinterpret_cast<const double*>(host_norms_.region().data);
  std::copy(first, first + norms.size(), norms.begin());
}

std::size_t Collectives::bytes_on(std::int32_t device) const {
  const Norm& norm = norm_on(device);
  std::size_t bytes = norm.squares.region().bytes + norm.norms.region().bytes +
                      norm.scale.region().bytes;
  for (const Tied& tied : tied_) {
    if (tied.stage->device == device) bytes += tied.others.region().bytes;
  }
  for (const Sum& sum : sums_) {
    for (const Side& side : sum.sides) {
      if (side.stage->device == device) bytes += side.others.region().bytes;
    }
  }
  return bytes;
}

}  // namespace pipeline
