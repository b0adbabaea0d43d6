#include "runtime/recorder.hpp"

#include <algorithm>
#include <tuple>

namespace pipeline {
namespace {

/// The message that a send or a receive is about, as a transfer without a time.
Transfer transfer_of(const Action& action) {
  switch (action.kind) {
    case ActionKind::SendActivation:
      return {ActionKind::SendActivation, action.stage, action.stage + 1,
              action.micro_batch,         {},           action.slice};
    case ActionKind::ReceiveActivation:
      return {ActionKind::SendActivation,
              action.stage - 1,
              action.stage,
              action.micro_batch,
              {},
              action.slice};
    case ActionKind::SendGradient:
      return {ActionKind::SendGradient, action.stage, action.stage - 1,
              action.micro_batch,       {},           action.slice};
    default:
      return {ActionKind::SendGradient,
              action.stage + 1,
              action.stage,
              action.micro_batch,
              {},
              action.slice};
  }
}

auto identity(const Transfer& transfer) {
  return std::tuple(transfer.kind, transfer.from_stage, transfer.micro_batch,
                    transfer.slice);
}

bool is_receive(ActionKind kind) {
  return kind == ActionKind::ReceiveActivation || kind == ActionKind::ReceiveGradient;
}

MarkPair make_pair_on(Device& device) {
  return {device.make_mark(), device.make_mark()};
}

}  // namespace

Recorder::Recorder(Platform& platform, const Schedule& given, const Schedule& lowered)
    : platform_(platform),
      origin_(platform.device(0).make_mark()),
      computations_(lowered.rows.size()),
      receives_(lowered.rows.size()) {
  for (std::int32_t d = 0; d < lowered.devices(); ++d) {
    Device& device = platform.device(d);
    auto& computations = computations_[static_cast<std::size_t>(d)];
    auto& receives = receives_[static_cast<std::size_t>(d)];
    for (const Entry& entry : lowered.rows[static_cast<std::size_t>(d)]) {
      if (!is_communication(entry.action.kind)) {
        computations.push_back(make_pair_on(device));
      } else if (is_receive(entry.action.kind)) {
        messages_.push_back(
            {transfer_of(entry.action), d, static_cast<std::int32_t>(receives.size())});
        receives.push_back(make_pair_on(device));
      }
    }
  }
  std::sort(messages_.begin(), messages_.end(), [](const auto& a, const auto& b) {
    return identity(a.transfer) < identity(b.transfer);
  });
  find_sources(given);
}

void Recorder::find_sources(const Schedule& given) {
  for (std::size_t d = 0; d < given.rows.size(); ++d) {
    const Row& row = given.rows[d];
    std::vector<Source> sources;
    std::int32_t computations = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (is_communication(row[i].action.kind)) {
        const Message& message = message_of(row[i].action);
        sources.push_back({message.device, message.index, message.index, true});
        continue;
      }
      const auto device = static_cast<std::int32_t>(d);
      sources.push_back({device, computations, computations, false});
      ++computations;
      if (i == 0 || !row[i - 1].with_next) continue;
      // Joined: one span from the first of them to the last.
      const std::int32_t first = sources[i - 1].first;
      for (std::size_t j = i + 1; j-- > 0;) {
        if (sources[j].is_transfer || sources[j].first < first) break;
        sources[j].first = first;
        sources[j].last = computations - 1;
      }
    }
    sources_.push_back(std::move(sources));
  }
}

const Recorder::Message& Recorder::message_of(const Action& action) const {
  const Transfer wanted = transfer_of(action);
  return *std::lower_bound(messages_.begin(), messages_.end(), wanted,
                           [](const Message& message, const Transfer& transfer) {
                             return identity(message.transfer) < identity(transfer);
                           });
}

Timeline Recorder::make_timeline() const {
  Timeline timeline;
  timeline.level = platform_.level();
  for (const auto& row : sources_) timeline.spans.emplace_back(row.size());
  timeline.transfers.resize(messages_.size());
  return timeline;
}

void Recorder::fill(Timeline& timeline) const {
  double earliest = 0;
  bool any = false;
  for (std::size_t d = 0; d < sources_.size(); ++d) {
    for (std::size_t i = 0; i < sources_[d].size(); ++i) {
      const Source& source = sources_[d][i];
      const auto& marks = source.is_transfer ? receives_ : computations_;
      const auto& of_device = marks[static_cast<std::size_t>(source.device)];
      Span& span = timeline.spans[d][i];
      span = span_of(of_device[static_cast<std::size_t>(source.first)],
                     of_device[static_cast<std::size_t>(source.last)]);
      earliest = any ? std::min(earliest, span.start) : span.start;
      any = true;
    }
  }
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    const Message& message = messages_[i];
    const MarkPair& marks = receives_[static_cast<std::size_t>(message.device)]
                                     [static_cast<std::size_t>(message.index)];
    timeline.transfers[i] = message.transfer;
    timeline.transfers[i].span = span_of(marks, marks);
  }
  const auto shift = [earliest](Span& span) {
    span.start -= earliest;
    span.end -= earliest;
  };
  for (auto& row : timeline.spans) std::for_each(row.begin(), row.end(), shift);
  for (Transfer& transfer : timeline.transfers) shift(transfer.span);
  std::sort(timeline.transfers.begin(), timeline.transfers.end(),
            [](const Transfer& a, const Transfer& b) {
              return a.span.start != b.span.start ? a.span.start < b.span.start
                                                  : identity(a) < identity(b);
            });
}

Span Recorder::span_of(const MarkPair& first, const MarkPair& last) const {
  return {platform_.seconds_between(*origin_, *first.begin),
          platform_.seconds_between(*origin_, *last.end)};
}

}  // namespace pipeline
