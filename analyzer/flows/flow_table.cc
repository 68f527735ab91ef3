// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/flow_table.h"

#include <algorithm>

#include "analyzer/flows/answers.h"
#include "analyzer/flows/flow_index.h"
#include "analyzer/flows/flow_report.h"
#include "analyzer/flows/message_segments.h"
#include "analyzer/flows/pairing.h"
#include "analyzer/flows/path_use.h"
#include "analyzer/flows/psn_stream.h"
#include "wire/mad.h"

namespace weft::analyzer {

using Kind = FlowEvent::Kind;

struct FlowTable::State {
  explicit State(const Options& table_options) : options(table_options) {}

  Options options;
  FlowIndex index;
  Questions questions;
  CmBook cm;
  uint64_t overflowed = 0;

  void Greet(Flow& flow, const Moment& moment);
  void Dispatch(Flow& flow, const Moment& moment);
  void TakeDatagram(Flow& flow, const Moment& moment);
  void TakeRequest(Flow& flow, const Moment& moment);
  void TakeAnswer(Flow& flow, const Moment& moment);
  void TakeUnreliable(Flow& flow, const Moment& moment);
};

namespace {

constexpr uint8_t kCe = 3;

void CountTransport(Flow& flow, wire::Transport transport) {
  if (flow.transport == transport) {
    ++flow.transport_votes;
  } else if (flow.transport_votes == 0) {
    flow.transport = transport;
    flow.transport_votes = 1;
  } else {
    --flow.transport_votes;
  }
}

// What every packet of a flow has, whatever it carries.
void CountCommon(Flow& flow, const Moment& moment, FlowObserver* observer) {
  const wire::FrameView& view = moment.view;
  ++flow.packets;
  flow.wire_bytes += moment.packet.wire_bytes;
  const uint8_t ecn = view.traffic_class & 3;
  ++flow.ecn[ecn];
  if (ecn == kCe) [[unlikely]] {
    flow.oddities().ce.Note(moment.packet.number);
    if (!flow.is_marked) Tell(observer, flow, moment, Kind::kCe, 0);
  }
  flow.is_marked = ecn == kCe;
  if (moment.info.transport == wire::Transport::kCnp) [[unlikely]] {
    NoteCnpClass(flow, moment);
  } else {
    NotePath(flow, moment, observer);
  }
  if (view.icrc == wire::IcrcState::kCut) {
    ++flow.unchecked_icrc;
  } else if (view.icrc != wire::IcrcState::kOk) [[unlikely]] {
    flow.oddities().bad_icrc.Note(moment.packet.number);
    Tell(observer, flow, moment, Kind::kBadIcrc, 0);
  }
}

void LearnMtu(Flow& flow, const Moment& moment) {
  if (moment.info.ends_message || !moment.info.has_payload) return;
  flow.path_mtu = std::max(flow.path_mtu, static_cast<uint32_t>(moment.view.rdma.payload_bytes));
}

void CountData(Flow& flow, Place place, const Moment& moment) {
  if (!moment.info.has_payload) return;
  const uint64_t bytes = moment.view.rdma.payload_bytes;
  flow.payload_bytes += bytes;
  if (place == Place::kNew || place == Place::kLate) flow.goodput_bytes += bytes;
}

}  // namespace

void FlowTable::State::Greet(Flow& flow, const Moment& moment) {
  flow.carrier = moment.view.frame_class;
  flow.first_packet = moment.packet.number;
  questions.GrowFor(index.flows().size());
  if (cm.empty()) return;
  const CmBook::Partner* partner = cm.Find(flow.key);
  if (partner == nullptr) return;
  flow.cm = partner->agreement;
  flow.agreed_mtu = cm.agreement(flow.cm).parameters.path_mtu_bytes;
  Flow* other = index.Find(partner->key);
  if (other == nullptr || other == &flow || other->is_paired) return;
  TakeApart(*other);
  MakePair(flow, *other);
}

void FlowTable::State::TakeDatagram(Flow& flow, const Moment& moment) {
  const wire::RdmaPacket& rdma = moment.view.rdma;
  if (rdma.Has(wire::header::kDeth)) {
    flow.source_qpn = rdma.deth.source_qpn;
    flow.has_source_qpn = true;
  }
  if (moment.info.has_payload) {
    flow.payload_bytes += rdma.payload_bytes;
    flow.goodput_bytes += rdma.payload_bytes;
    CountMessage(StatsOf(flow, moment.info.kind), rdma.payload_bytes);
    Tell(options.observer, flow, moment, Kind::kMessage, static_cast<int64_t>(rdma.payload_bytes));
  }
  if (rdma.bth.dest_qpn != wire::kGeneralServicesQpn) return;
  const uint16_t attribute = cm.Read(flow, moment);
  if (attribute != 0) Tell(options.observer, flow, moment, Kind::kCm, attribute);
}

void FlowTable::State::TakeRequest(Flow& flow, const Moment& moment) {
  NoteWait(flow, moment, options.observer);
  LearnMtu(flow, moment);
  ++flow.request_packets;
  const uint32_t span = PsnSpan(flow, moment);
  const Place place = Follow(flow, flow.requests, Role::kRequests, span,
                             StatsOf(flow, moment.info.kind), moment, options.observer);
  CountData(flow, place, moment);
  if (moment.timed()) flow.last_request_ns = moment.now_ns();
  if (place == Place::kDuplicate) return;
  const bool is_read = moment.info.kind == wire::MessageKind::kReadRequest;
  if (!flow.is_paired && (moment.info.ends_message || moment.view.rdma.bth.ack_request)) {
    questions.Ask(flow, moment.psn(), moment);
    if (is_read && span > 1) questions.Ask(flow, PsnPlus(moment.psn(), span - 1), moment);
  }
  if (place != Place::kNew || !moment.info.ends_message) return;
  if (moment.info.has_payload) {
    AwaitMessage(flow, moment.now_ns(), moment.timed(), moment.psn());
    return;
  }
  flow.awaited.Push({.first_ns = moment.now_ns(),
                     .last_ns = moment.now_ns(),
                     .first_psn = moment.psn(),
                     .last_psn = PsnPlus(moment.psn(), std::max(span, 1u) - 1),
                     .is_whole = moment.timed(),
                     .is_read = is_read,
                     .end_is_unknown = span == 0});
}

void FlowTable::State::TakeAnswer(Flow& flow, const Moment& moment) {
  if (flow.answer_packets++ == 0) flow.first_answer_psn = moment.psn();
  flow.last_answer_psn = moment.psn();
  LearnMtu(flow, moment);
  CountAnswer(flow, moment, options.observer);
  if (moment.info.kind == wire::MessageKind::kReadResponse) {
    const Place place = Follow(flow, flow.responses, Role::kResponses, 1, flow.read_response,
                               moment, options.observer);
    CountData(flow, place, moment);
  }
  if (!flow.is_paired) Weigh(flow, questions, moment.psn());
  if (flow.peer != nullptr) Answer(*flow.peer, moment, options.observer);
  if (moment.timed()) flow.last_answer_ns = moment.now_ns();
}

void FlowTable::State::TakeUnreliable(Flow& flow, const Moment& moment) {
  LearnMtu(flow, moment);
  ++flow.request_packets;
  const Place place = Follow(flow, flow.requests, Role::kUnreliable, 1,
                             StatsOf(flow, moment.info.kind), moment, options.observer);
  CountData(flow, place, moment);
}

void FlowTable::State::Dispatch(Flow& flow, const Moment& moment) {
  switch (moment.info.transport) {
    case wire::Transport::kCnp:
      flow.oddities().cnps.Note(moment.packet.number);
      Tell(options.observer, flow, moment, Kind::kCnp, 0);
      return;
    case wire::Transport::kVendor:
      flow.oddities().vendor.Note(moment.packet.number);
      break;
    case wire::Transport::kUnknown:
      flow.oddities().reserved.Note(moment.packet.number);
      break;
    case wire::Transport::kUd:
    case wire::Transport::kRd:
      TakeDatagram(flow, moment);
      break;
    case wire::Transport::kUc:
      moment.info.has_payload ? TakeUnreliable(flow, moment)
                              : flow.oddities().reserved.Note(moment.packet.number);
      break;
    case wire::Transport::kRc:
    case wire::Transport::kXrc:
      switch (moment.info.kind) {
        case wire::MessageKind::kSend:
        case wire::MessageKind::kWrite:
        case wire::MessageKind::kReadRequest:
        case wire::MessageKind::kAtomicRequest:
          TakeRequest(flow, moment);
          break;
        case wire::MessageKind::kReadResponse:
        case wire::MessageKind::kAck:
        case wire::MessageKind::kAtomicAck:
          TakeAnswer(flow, moment);
          break;
        default:
          flow.oddities().reserved.Note(moment.packet.number);
      }
      break;
  }
  CountTransport(flow, moment.info.transport);
}

FlowTable::FlowTable(const Options& options) : state_(std::make_unique<State>(options)) {}
FlowTable::~FlowTable() = default;

Flow* FlowTable::Add(const wire::FrameView& view, const CapturedPacket& packet) {
  State& state = *state_;
  bool is_new = false;
  Flow* flow = state.index.FindOrAdd(view.source, view.destination, view.rdma.bth.dest_qpn,
                                     state.options.max_flows, is_new);
  if (flow == nullptr) {
    ++state.overflowed;
    return nullptr;
  }
  const Moment moment = {.view = view, .packet = packet, .info = view.rdma.info()};
  if (is_new) state.Greet(*flow, moment);
  if (flow->peer != nullptr) {
    NoteUnanswered(*flow, moment);
    NoteUnanswered(*flow->peer, moment);
  }
  CountCommon(*flow, moment, state.options.observer);
  state.Dispatch(*flow, moment);
  flow->last_packet = packet.number;
  if (!packet.has_time) return flow;
  if (!flow->has_times) flow->first_ns = packet.time_ns;
  flow->has_times = true;
  flow->last_ns = packet.time_ns;
  return flow;
}

size_t FlowTable::flow_count() const { return state_->index.flows().size(); }
uint64_t FlowTable::overflowed_packets() const { return state_->overflowed; }

size_t FlowTable::memory_bytes() const {
  const State& state = *state_;
  size_t bytes =
      state.index.memory_bytes() + state.questions.memory_bytes() + state.cm.memory_bytes();
  for (const Flow& flow : state.index.flows()) bytes += MemoryOf(flow);
  return bytes;
}

std::vector<Connection> FlowTable::Finish() {
  return ReportFlows(state_->index.flows(), state_->cm, state_->options.observer);
}

}  // namespace weft::analyzer
