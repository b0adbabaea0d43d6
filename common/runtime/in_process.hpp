/// \file
/// Messages between devices of one process: the receiver pulls.
///
///     sender's compute    ──[F3]●ready──────────────[F6]──     F6 fills the same
///     buffer
///                               ╰──────╮             ↑
///     receiver's copy     ──────────────[copy 3]●taken
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "runtime/transport.hpp"
#include "runtime/watchdog.hpp"
#include "schedule/schedule.hpp"

namespace pipeline {

/// Messages between streams of one process, by events and peer copies.
class InProcessTransport final : public Transport {
 public:
  /// What it must know of the two ends of a link.
  struct End {
    Device* receiver = nullptr;         ///< that the message goes to
    Stream* receiver_copy = nullptr;    ///< the stream that pulls it
    std::int32_t sending_device = 0;    ///< its index
    std::int32_t receiving_device = 0;  ///< its index
    std::int32_t send_buffers = 0;      ///< how many the sender's pool has
  };
  /// What leaves a stage of one copy of the weights, one way.
  struct LinkName {
    std::int32_t from_stage = 0;  ///< that sends
    std::int32_t copy = 0;        ///< of the weights: 0 or 1
    bool activations = false;     ///< else gradients
  };
  /// Links are those of `lowered`; those between stages on one device, for which
  /// `end_of` gives no receiver, stay unused.
  InProcessTransport(Watchdog& watchdog, const Schedule& lowered, std::int32_t buffers,
                     const std::function<End(const LinkName& link)>& end_of);

  /// Forgets the messages of the last run, which is over on all devices.
  void begin();
  void post_send(std::int32_t device, const SendPost& post) override;
  void post_receive(std::int32_t device, const ReceivePost& post) override;
  bool complete(std::int32_t device) override;
  void wait_until_taken(Stream& compute, const Action& send,
                        std::int32_t buffer) override;

 private:
  struct Link {
    End end;
    std::vector<SendPost> sent;  ///< by number; the first `sends` are posted
    std::size_t sends = 0;
    std::size_t receives = 0;                        ///< posted
    std::size_t taken = 0;                           ///< whose copy was issued
    std::vector<std::unique_ptr<Event>> taken_from;  ///< by send buffer
  };
  /// A send or receive of a device that is not complete yet.
  struct Pending {
    Link* link = nullptr;
    std::size_t number = 0;  ///< of the message on its link
    ReceivePost receive;     ///< of a receive
    bool is_send = false;
  };
  Link& link_for(const Action& communication);
  bool can_complete(const Pending& pending) const;
  bool complete_some(std::unique_lock<std::mutex>& lock, std::int32_t device);
  void issue_copy(const Pending& pending);

  Watchdog& watchdog_;
  const Schedule& schedule_;
  std::size_t buffers_;
  std::vector<Link> links_;
  std::vector<std::vector<Pending>> pending_;  ///< by device
  std::vector<std::vector<Action>> waiting_;   ///< by device, for the watchdog
};

}  // namespace pipeline
