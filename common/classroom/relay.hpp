/// \file
/// A stage on a device, to be driven by hand: what the runtime does for a schedule, for
/// a program that shows how it is done.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/device.hpp"
#include "layers/compute.hpp"
#include "layers/layer.hpp"
#include "timeline/timeline.hpp"

namespace pipeline {

/// Two linear layers, narrow -> wide -> narrow: much to compute and little to send.
///
/// Two buffers for what comes in and two for what goes out: micro-batch k uses those
/// numbered k mod 2, and so do its events.
class RelayStage {
 public:
  /// Columns of what comes in and goes out.
  static constexpr std::int32_t kNarrow = 64;
  static constexpr std::int32_t kWide = 2048;  ///< columns between the two layers
  /// What a stage takes in, and hands on.
  static constexpr double message_bytes(std::int32_t rows) {
    return 4.0 * kNarrow * rows;
  }

  /// `rows` of each micro-batch. `device` must outlive it.
  RelayStage(Device& device, std::int32_t rows, std::int32_t micro_batches);

  /// What forwards are issued on.
  Stream& compute() { return *compute_; }
  /// For transfers.
  Stream& copy() { return *copy_; }
  /// The buffer that micro-batch k comes into.
  Region input(std::int32_t k) const { return slot(k).in.region(); }
  /// The buffer that micro-batch k goes out of.
  Region output(std::int32_t k) const { return slot(k).out.region(); }
  /// Recorded by `forward`: the output is there, and the input was read.
  Event& computed(std::int32_t k) const { return *slot(k).computed; }
  /// To be recorded, on a stream of this device, by who sends the output or fills the
  /// input.
  Event& sent(std::int32_t k) const { return *slot(k).sent; }
  /// Recorded when the input of micro-batch k is there.
  Event& received(std::int32_t k) const { return *slot(k).received; }

  /// Issues the forward of a micro-batch on the compute stream, from its input buffer
  /// to its output buffer.
  void forward(std::int32_t k);
  /// Blocks until all that was issued has run.
  void synchronize();
  /// When the forwards ran, counted from the first one of `origin`.
  std::vector<Span> spans(const Platform& platform, const RelayStage& origin,
                          std::int32_t micro_batches) const;

 private:
  struct Slot {
    Buffer in, out;
    std::unique_ptr<Event> computed;
    std::unique_ptr<Event> sent;
    std::unique_ptr<Event> received;
  };
  /// What the work on the stream refers to; stays where it is.
  struct Layers {
    explicit Layers(Device& device) : workspace(device) {}

    Compute workspace;
    std::unique_ptr<Layer> widen = linear(kNarrow, kWide);
    std::unique_ptr<Layer> narrow = linear(kWide, kNarrow);
    Buffer weights;
    Buffer middle;
    std::int32_t rows = 0;
  };
  const Slot& slot(std::int32_t k) const {
    return slots_[static_cast<std::size_t>(k % 2)];
  }
  void fill(const Buffer& buffer, const std::vector<float>& values);

  std::unique_ptr<Layers> layers_;
  std::array<Slot, 2> slots_;
  std::vector<std::unique_ptr<TimeMark>> begin_;  // of each micro-batch
  std::vector<std::unique_ptr<TimeMark>> end_;
  // Last, so that they end first: their work uses all of the above.
  std::unique_ptr<Stream> compute_;
  std::unique_ptr<Stream> copy_;
};

}  // namespace pipeline
