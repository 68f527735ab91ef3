// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/flows/connection.h"
#include "analyzer/flows/flow_state.h"

// Which two flows are the directions of one connection. A packet names the QPN that it goes to and
// not the one that it comes from, so two ways are left: what the connection manager said, and
// answers that name PSNs which only one flow had just asked for.
namespace weft::analyzer {

// Who asked lately, by addresses and PSN. A slot holds one flow, or the mark that several asked for
// the same within kMemoryNs. Bounded: a newer question takes the slot of an older one.
class Questions {
 public:
  Questions();

  // `flow` asks for an answer to `psn`.
  void Ask(Flow& flow, uint32_t psn, const Moment& moment);
  struct Found {
    Flow* flow = nullptr;       // the only one that asked
    bool is_ambiguous = false;  // several did
  };
  Found WhoAsked(const Flow& answers, uint32_t psn) const;
  void GrowFor(size_t flows);
  size_t memory_bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    uint64_t key = 0;
    Flow* flow = nullptr;
    int64_t time_ns = 0;
    uint64_t packet = 0;
    bool is_ambiguous = false;
  };

  std::vector<Slot> slots_;
};

// An answer to `psn` in a flow without a certain peer. Makes, strengthens or takes back a pair.
void Weigh(Flow& answers, const Questions& questions, uint32_t psn);
void MakePair(Flow& one, Flow& other);  // certain
void TakeApart(Flow& one);

// The connection manager's messages: which QPNs belong together.
class CmBook {
 public:
  static constexpr size_t kMaxPending = 65'536;
  static constexpr size_t kMaxAgreements = 1u << 20;

  struct Agreement {
    CmParameters parameters;
    uint64_t reply_packet = 0;
  };

  // A UD packet to QP 1. Returns the attribute ID of a CM message, 0 for others. `flow` is its own.
  uint16_t Read(Flow& flow, const Moment& moment);
  bool empty() const { return partners_.empty(); }
  struct Partner {
    FlowKey key;
    uint32_t agreement = 0;  // index + 1
  };
  // The other direction of the flow `key`; null: unknown.
  const Partner* Find(const FlowKey& key) const;
  const Agreement& agreement(uint32_t number) const { return agreements_[number - 1]; }
  size_t memory_bytes() const;

 private:
  struct RequestKey {
    wire::NetworkAddress requester;
    wire::NetworkAddress responder;
    uint32_t comm_id = 0;
    bool operator==(const RequestKey&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const RequestKey& k) {
      return H::combine(std::move(h), k.requester, k.responder, k.comm_id);
    }
  };
  struct Request {
    uint32_t qpn = 0;
    CmParameters parameters;
    Flow* flow = nullptr;
  };

  absl::flat_hash_map<RequestKey, Request> pending_;
  std::deque<RequestKey> order_;
  absl::flat_hash_map<FlowKey, Partner> partners_;
  std::deque<Agreement> agreements_;
};

}  // namespace weft::analyzer
