/// \file
/// How messages get from stage to stage. What is here happens while work is *issued*;
/// the bytes move later, on the copy streams.
#pragma once

#include <cstdint>

#include "device/device.hpp"
#include "schedule/action.hpp"

namespace pipeline {

/// A message to be sent, from one of the `outputs` or `input_gradients` of a stage.
struct SendPost {
  Action action;                 ///< SendActivation or SendGradient
  std::int32_t buffer = 0;       ///< index of the buffer that holds it
  Region from;                   ///< where the message lies
  const Event* ready = nullptr;  ///< recorded when the buffer was filled
};

/// Where a message is to be put.
struct ReceivePost {
  Action action;              ///< ReceiveActivation or ReceiveGradient
  Region to;                  ///< where it is to lie
  TimeMark* begin = nullptr;  ///< marked around the copy
  TimeMark* end = nullptr;    ///< see `begin`
};

/// Posting never blocks; `complete` does. Sends and receives that are posted together
/// are completed together, so that the two ends of two opposite links cannot wait for
/// each other (with MPI: Isend, Irecv, Waitall; with NCCL: a group).
class Transport {
 public:
  virtual ~Transport() = default;
  /// A message may be taken once `ready` has been passed.
  virtual void post_send(std::int32_t device, const SendPost& post) = 0;
  /// The copy stream of the device must already wait until `to` is free.
  virtual void post_receive(std::int32_t device, const ReceivePost& post) = 0;
  /// Blocks the worker of `device` until all that it posted is under way: a receive
  /// when its copy was issued on the device's copy stream; a send when at most
  /// `buffers` messages of its link are sent and not yet received. False: stopped.
  virtual bool complete(std::int32_t device) = 0;
  /// Makes `compute` wait until the last message from this buffer was taken, so that it
  /// can be filled again. `send` names the link by kind and stage.
  virtual void wait_until_taken(Stream& compute, const Action& send,
                                std::int32_t buffer) = 0;
};

}  // namespace pipeline
