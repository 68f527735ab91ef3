// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/connection.h"

namespace weft::analyzer {

const char* ToString(Pairing pairing) {
  switch (pairing) {
    case Pairing::kOneWay:
      return "one way";
    case Pairing::kCm:
      return "CM";
    case Pairing::kEvidence:
      return "evidence";
    case Pairing::kAmbiguous:
      return "ambiguous";
    case Pairing::kDatagram:
      return "datagram";
  }
  return "unknown";
}

const char* ToString(Vantage vantage) {
  switch (vantage) {
    case Vantage::kUnknown:
      return "unknown";
    case Vantage::kAtRequester:
      return "at the requester";
    case Vantage::kAtResponder:
      return "at the responder";
    case Vantage::kBetween:
      return "between";
    case Vantage::kOneWay:
      return "one way";
    case Vantage::kSomePaths:
      return "some of several paths";
  }
  return "unknown";
}

}  // namespace weft::analyzer
