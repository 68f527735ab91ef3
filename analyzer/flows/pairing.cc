// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/pairing.h"

#include <algorithm>

#include "analyzer/flows/answers.h"
#include "wire/cm.h"

namespace weft::analyzer {
namespace {

constexpr int64_t kMemoryNs = 50'000'000;
constexpr uint64_t kMemoryPackets = 65'536;  // where packets have no times
constexpr uint32_t kCertainHits = 3;
constexpr uint32_t kTolerated = 4;  // answers that speak against a pair
constexpr size_t kFirstSlots = 1u << 12;
constexpr size_t kMostSlots = 1u << 20;
constexpr size_t kSlotsPerFlow = 8;

uint64_t KeyOf(uint64_t way_hash, uint32_t psn) {
  uint64_t key = (way_hash ^ psn) * 0x9e3779b97f4a7c15u;
  key ^= key >> 29;
  return key * 0xbf58476d1ce4e5b9u;
}

}  // namespace

Questions::Questions() : slots_(kFirstSlots) {}

void Questions::Ask(Flow& flow, uint32_t psn, const Moment& moment) {
  const uint64_t key = KeyOf(flow.way_hash, psn);
  Slot& slot = slots_[(key >> 20) & (slots_.size() - 1)];
  bool is_recent = slot.flow != nullptr && slot.key == key;
  if (is_recent && moment.timed()) is_recent = moment.now_ns() - slot.time_ns < kMemoryNs;
  if (is_recent && !moment.timed()) is_recent = moment.packet.number - slot.packet < kMemoryPackets;
  const bool is_ambiguous = is_recent && (slot.is_ambiguous || slot.flow != &flow);
  slot = {.key = key,
          .flow = &flow,
          .time_ns = moment.now_ns(),
          .packet = moment.packet.number,
          .is_ambiguous = is_ambiguous};
}

Questions::Found Questions::WhoAsked(const Flow& answers, uint32_t psn) const {
  const uint64_t key = KeyOf(answers.back_hash, psn);
  const Slot& slot = slots_[(key >> 20) & (slots_.size() - 1)];
  if (slot.flow == nullptr || slot.key != key || slot.flow == &answers) return {};
  const FlowKey& asking = slot.flow->key;
  if (asking.source != answers.key.destination || asking.destination != answers.key.source) {
    return {};
  }
  if (slot.is_ambiguous) return {.is_ambiguous = true};
  return {.flow = slot.flow};
}

void Questions::GrowFor(size_t flows) {
  if (flows * kSlotsPerFlow <= slots_.size() || slots_.size() >= kMostSlots) return;
  std::vector<Slot> larger(std::min(kMostSlots, slots_.size() * 4));
  for (const Slot& slot : slots_) {
    if (slot.flow != nullptr) larger[(slot.key >> 20) & (larger.size() - 1)] = slot;
  }
  slots_ = std::move(larger);
}

void MakePair(Flow& one, Flow& other) {
  one.peer = &other;
  other.peer = &one;
  one.is_paired = other.is_paired = true;
  one.source_qpn = other.key.dest_qpn;
  other.source_qpn = one.key.dest_qpn;
  one.has_source_qpn = other.has_source_qpn = true;
}

void TakeApart(Flow& one) {
  Flow* other = one.peer;
  if (other == nullptr) return;
  const PeerEvidence of_one = one.evidence;
  const PeerEvidence of_other = other->evidence;
  ForgetAnswers(one);
  ForgetAnswers(*other);
  // That answers point to several flows stays known: it is why the pair is left apart. Little of
  // it, so that later answers can still outweigh it.
  one.evidence.ambiguous = std::min(of_one.ambiguous + of_one.other, kTolerated - 1);
  other->evidence.ambiguous = std::min(of_other.ambiguous + of_other.other, kTolerated - 1);
}

void Weigh(Flow& answers, const Questions& questions, uint32_t psn) {
  const Questions::Found found = questions.WhoAsked(answers, psn);
  PeerEvidence& evidence = answers.evidence;
  if (found.is_ambiguous) {
    ++evidence.ambiguous;
  } else if (found.flow == nullptr) {
    return;
  } else if (answers.peer == found.flow) {
    ++evidence.hits;
  } else if (answers.peer == nullptr && found.flow->peer == nullptr) {
    answers.peer = found.flow;
    found.flow->peer = &answers;
    ++evidence.hits;
  } else {
    ++evidence.other;
  }
  if (answers.peer == nullptr) return;
  const PeerEvidence& back = answers.peer->evidence;
  const uint32_t hits = evidence.hits + back.hits;
  const uint32_t against = evidence.other + back.other + evidence.ambiguous + back.ambiguous;
  if (hits >= kCertainHits && hits >= 4 * against) MakePair(answers, *answers.peer);
  if (against >= kTolerated && hits < against) TakeApart(answers);
}

uint16_t CmBook::Read(Flow& flow, const Moment& moment) {
  const std::optional<wire::CmMessage> message = wire::ParseCm(moment.view.rdma.payload);
  if (!message) return 0;
  const wire::NetworkAddress& from = flow.key.source;
  const wire::NetworkAddress& to = flow.key.destination;
  if (message->kind == wire::CmKind::kReq && message->qpn) {
    const RequestKey key = {.requester = from, .responder = to, .comm_id = message->local_comm_id};
    Request request;
    request.qpn = *message->qpn;
    request.flow = &flow;
    request.parameters = {.path_mtu_bytes = wire::PathMtuBytes(message->path_mtu_code),
                          .retry_count = message->retry_count,
                          .rnr_retry_count = message->rnr_retry_count,
                          .ack_timeout_code = message->ack_timeout_code,
                          .request_packet = moment.packet.number};
    if (pending_.insert_or_assign(key, std::move(request)).second) order_.push_back(key);
    while (order_.size() > kMaxPending) {
      pending_.erase(order_.front());
      order_.pop_front();
    }
  }
  const bool is_reply = message->kind == wire::CmKind::kRep && message->qpn.has_value();
  const bool is_reject = message->kind == wire::CmKind::kRej;
  if (!is_reply && !is_reject) return static_cast<uint16_t>(message->kind);
  const auto asked =
      pending_.find({.requester = to, .responder = from, .comm_id = message->remote_comm_id});
  if (asked == pending_.end() || agreements_.size() >= kMaxAgreements) {
    return static_cast<uint16_t>(message->kind);
  }
  Request& request = asked->second;
  if (is_reject) {
    const uint16_t reason = message->reject_reason.value_or(0);
    request.parameters.rejected = wire::RejectReasonText(reason);
  }
  agreements_.push_back({.parameters = request.parameters, .reply_packet = moment.packet.number});
  const auto number = static_cast<uint32_t>(agreements_.size());
  if (is_reject) {
    if (request.flow != nullptr) request.flow->cm = number;
  } else {
    const FlowKey forward = {.source = to, .destination = from, .dest_qpn = *message->qpn};
    const FlowKey backward = {.source = from, .destination = to, .dest_qpn = request.qpn};
    partners_.insert_or_assign(forward, Partner{backward, number});
    partners_.insert_or_assign(backward, Partner{forward, number});
  }
  pending_.erase(asked);
  return static_cast<uint16_t>(message->kind);
}

const CmBook::Partner* CmBook::Find(const FlowKey& key) const {
  const auto found = partners_.find(key);
  return found == partners_.end() ? nullptr : &found->second;
}

size_t CmBook::memory_bytes() const {
  return pending_.capacity() * (sizeof(RequestKey) + sizeof(Request)) +
         partners_.capacity() * (sizeof(FlowKey) + sizeof(Partner)) +
         agreements_.size() * sizeof(Agreement);
}

}  // namespace weft::analyzer
