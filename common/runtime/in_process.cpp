#include "runtime/in_process.hpp"

#include <algorithm>
#include <cassert>

#include "runtime/slots.hpp"
#include "runtime/wait_sites.hpp"
#include "schedule/parts.hpp"

namespace pipeline {
namespace {

bool carries_activation(ActionKind kind) {
  return kind == ActionKind::SendActivation || kind == ActionKind::ReceiveActivation;
}

}  // namespace

InProcessTransport::InProcessTransport(
    Watchdog& watchdog, const Schedule& lowered, std::int32_t buffers,
    const std::function<End(const LinkName& link)>& end_of)
    : watchdog_(watchdog),
      schedule_(lowered),
      buffers_(static_cast<std::size_t>(buffers)),
      links_(2 * static_cast<std::size_t>(lowered.stages()) *
             static_cast<std::size_t>(lowered.placement.copies())),
      pending_(static_cast<std::size_t>(lowered.devices())),
      waiting_(static_cast<std::size_t>(lowered.devices())) {
  const std::int32_t stages = lowered.stages();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    Link& link = links_[i];
    const auto place = static_cast<std::int32_t>(i / 2);
    link.end = end_of({place % stages, place / stages, i % 2 == 0});
    if (link.end.receiver == nullptr) continue;
    link.sent.resize(static_cast<std::size_t>(Parts(lowered).count()));
    for (std::int32_t b = 0; b < link.end.send_buffers; ++b) {
      link.taken_from.push_back(link.end.receiver->make_event());
    }
  }
  // What a device posts at once is seldom more than one message a link.
  for (auto& pending : pending_) pending.reserve(2 * links_.size());
  for (auto& waiting : waiting_) waiting.reserve(2 * links_.size());
}

// Two of each place (see `place_of`): the activations that leave it, and the gradients.
InProcessTransport::Link& InProcessTransport::link_for(const Action& communication) {
  std::int32_t from = communication.stage;
  if (communication.kind == ActionKind::ReceiveActivation) --from;
  if (communication.kind == ActionKind::ReceiveGradient) ++from;
  const std::size_t place = place_of(schedule_, from, communication.micro_batch);
  return links_[2 * place + (carries_activation(communication.kind) ? 0 : 1)];
}

void InProcessTransport::begin() {
  for (Link& link : links_) link.sends = link.receives = link.taken = 0;
  for (auto& pending : pending_) pending.clear();
}

void InProcessTransport::post_send(std::int32_t device, const SendPost& post) {
  const std::lock_guard lock(watchdog_.mutex());
  Link& link = link_for(post.action);
  pending_[static_cast<std::size_t>(device)].push_back(
      {.link = &link, .number = link.sends, .receive = {}, .is_send = true});
  link.sent[link.sends++] = post;
  watchdog_.wake(link.end.receiving_device);
}

void InProcessTransport::post_receive(std::int32_t device, const ReceivePost& post) {
  const std::lock_guard lock(watchdog_.mutex());
  Link& link = link_for(post.action);
  pending_[static_cast<std::size_t>(device)].push_back(
      {.link = &link, .number = link.receives++, .receive = post});
}

bool InProcessTransport::complete(std::int32_t device) {
  auto& pending = pending_[static_cast<std::size_t>(device)];
  auto& waiting = waiting_[static_cast<std::size_t>(device)];
  std::unique_lock lock(watchdog_.mutex());
  while (true) {
    if (complete_some(lock, device)) continue;
    if (pending.empty()) return true;
    waiting.clear();
    for (const Pending& p : pending) {
      waiting.push_back(p.is_send ? p.link->sent[p.number].action : p.receive.action);
    }
    if (!watchdog_.block(lock, device, waiting)) return false;
  }
}

bool InProcessTransport::can_complete(const Pending& pending) const {
  const Link& link = *pending.link;
  if (pending.is_send) return link.taken + buffers_ > pending.number;
  return link.sends > pending.number && link.taken == pending.number;
}

// One at a time: what one completes may let the next one, and other devices, go on.
bool InProcessTransport::complete_some(std::unique_lock<std::mutex>& lock,
                                       std::int32_t device) {
  auto& pending = pending_[static_cast<std::size_t>(device)];
  const auto found = std::find_if(pending.begin(), pending.end(),
                                  [&](const Pending& p) { return can_complete(p); });
  if (found == pending.end()) return false;
  const Pending done = *found;
  pending.erase(found);
  if (done.is_send) return true;
  lock.unlock();  // issuing may block for a moment, where the stream's queue is full
  issue_copy(done);
  lock.lock();
  ++done.link->taken;
  watchdog_.wake(done.link->end.sending_device);
  return true;
}

void InProcessTransport::issue_copy(const Pending& pending) {
  Link& link = *pending.link;
  const SendPost& message = link.sent[pending.number];
  // Messages keep their order, so that this is the one: `verify` has seen to it.
  assert(message.action.micro_batch == pending.receive.action.micro_batch &&
         message.action.slice == pending.receive.action.slice);
  Stream& copy = *link.end.receiver_copy;
  copy.wait(*message.ready, carries_activation(message.action.kind)
                                ? wait_site::kActivationReady
                                : wait_site::kGradientReady);
  copy.mark(*pending.receive.begin);
  copy.copy(pending.receive.to, message.from);
  copy.mark(*pending.receive.end);
  copy.record(*link.taken_from[static_cast<std::size_t>(message.buffer)]);
}

void InProcessTransport::wait_until_taken(Stream& compute, const Action& send,
                                          std::int32_t buffer) {
  compute.wait(*link_for(send).taken_from[static_cast<std::size_t>(buffer)],
               carries_activation(send.kind) ? wait_site::kActivationSent
                                             : wait_site::kGradientSent);
}

}  // namespace pipeline
