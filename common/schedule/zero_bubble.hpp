/// \file
/// Zero-bubble schedules by hand: the two halves of a backward apart, so that weight
/// gradients, which nobody waits for, fill what would be idle.
#pragma once

#include "schedule/error.hpp"
#include "schedule/generate.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// ZB-H1 (Qi et al., ICLR 2024, section 2.1): 1F1B's memory and a third of its bubble.
/// Stage s starts with p-s forwards, as 1F1B does, and runs each weight gradient s
/// input gradients late, so that no device holds more than p activations.
///
/// With m >= p the longest device span is m(F+I+W) + (p-1)(F+I-W), and so is the
/// makespan.
Expected<Schedule> zb_h1(const Shape& shape);

/// ZB-H2 (the same, section 2.2): twice the memory, and no bubble inside a device's
/// span where F = I = W. Stage s starts with 2(p-s)-1 forwards and runs each weight
/// gradient 2s input gradients late, so that no device holds more than 2p-1
/// activations.
///
/// With m >= 2p-1 and F+I >= 2W the longest device span is m(F+I+W) + (p-1)(F+I-2W),
/// and with transfers of c each (p-1)2c more. The rows form a parallelogram: devices
/// start one after another and end one after another. So the makespan is no better than
/// ZB-H1's unless another step follows whose forwards run where this one has ended,
/// that is unless something makes all devices wait for each other between steps (the
/// norm of all gradients, `Shape::global_norm`).
Expected<Schedule> zb_h2(const Shape& shape);

}  // namespace pipeline
