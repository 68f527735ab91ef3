// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "wire/ip_address.h"

// Which addresses are a switch's own, as a loopback that it answers with whichever side it was
// asked from, and not an interface's on a link between two: such an address's neighbour in the
// number range says nothing.
//
// The interface that answers is the one a packet came in by, so an interface's address follows
// answers of the one switch at the other end of its link, and of no other. What contradicts that
// tells an own address, however few the answers are:
//
//   a then b, elsewhere b then a     both are: a packet does not go back by the link it came by
//   a then b, a then b's mate        both ends of a link do not follow one switch
//   first after a host, and after a switch      two sides answer alike
//   after two own addresses          which are different switches
//
// One sign is not certain: several hops of one pair are followed by one address. They are switches,
// or the ends of parallel cables at one switch. It counts as soon as any own address is known.
namespace weft::probe {

// The other address of a link between two (/31, /127).
wire::IpAddress MateOf(const wire::IpAddress& address);

// Not for several threads. Memory grows with the addresses that are told.
class OwnAddresses {
 public:
  // `after` answered as the next hop past `before`; both are switches'.
  void LearnLink(const wire::IpAddress& before, const wire::IpAddress& after);
  // `first` answered as the first hop from a host.
  void LearnFirstHop(const wire::IpAddress& first);
  // Several hops of one pair lead to `address`. `only`: and each of them to no other.
  void LearnMeeting(const wire::IpAddress& address, bool only);
  // Told by other signs.
  void Learn(const wire::IpAddress& address);

  bool Contains(const wire::IpAddress& address) const {
    const auto found = known_.find(address);
    return found != known_.end() && found->second.own;
  }
  // Grows with each address that is found.
  size_t count() const { return count_; }

 private:
  struct Known {
    bool own = false;
    bool is_first = false;       // after a host
    bool is_after = false;       // after a switch
    wire::IpAddress own_before;  // the first of the own addresses that it followed
    std::vector<wire::IpAddress> nexts{};
  };

  // `own` is one, and `next` follows it.
  bool TellsOwn(const wire::IpAddress& own, const wire::IpAddress& next);

  absl::flat_hash_map<wire::IpAddress, Known> known_;
  absl::flat_hash_set<std::pair<wire::IpAddress, wire::IpAddress>> links_;
  absl::flat_hash_set<wire::IpAddress> meetings_;  // as long as no own address is known
  size_t count_ = 0;
};

}  // namespace weft::probe
