// SPDX-License-Identifier: Apache-2.0
#include "wire/ip_error.h"

#include <algorithm>

#include "wire/icmp.h"
#include "wire/icmpv6.h"

namespace weft::wire {
namespace {

constexpr uint8_t kCodeReassemblyExceeded = 1;  // of either version's "time exceeded"

std::optional<IpErrorKind> KindOf(const IcmpError& error) {
  if (error.type == IcmpType::kTimeExceeded) {
    if (error.code == kCodeReassemblyExceeded) return std::nullopt;
    return IpErrorKind::kTimeExceeded;
  }
  if (error.code == kIcmpCodePortUnreachable) return IpErrorKind::kPortClosed;
  if (error.code == kIcmpCodeFragmentationNeeded) return IpErrorKind::kPacketTooBig;
  return IpErrorKind::kUnreachable;
}

std::optional<IpErrorKind> KindOf(const Icmpv6Error& error) {
  switch (error.type) {
    case Icmpv6Type::kPacketTooBig:
      return IpErrorKind::kPacketTooBig;
    case Icmpv6Type::kDestinationUnreachable:
      return error.code == kIcmpv6CodePortUnreachable ? IpErrorKind::kPortClosed
                                                      : IpErrorKind::kUnreachable;
    case Icmpv6Type::kTimeExceeded:
      break;
  }
  if (error.code == kCodeReassemblyExceeded) return std::nullopt;
  return IpErrorKind::kTimeExceeded;
}

std::optional<IpError> ParseV4(std::span<const std::byte> packet) {
  const std::optional<IcmpError> error = ParseIcmpError(packet);
  if (!error.has_value()) return std::nullopt;
  const std::optional<IpErrorKind> kind = KindOf(*error);
  if (!kind.has_value()) return std::nullopt;
  return IpError{.kind = *kind,
                 .code = error->code,
                 .mtu = error->next_hop_mtu,
                 .carrier = IpHeaderOf(error->carrier),
                 .quoted_ip = IpHeaderOf(error->quoted_ip),
                 .quoted_udp = error->quoted_udp,
                 .quoted_payload = error->quoted_payload};
}

std::optional<IpError> FromV6(const std::optional<Icmpv6Error>& error) {
  if (!error.has_value()) return std::nullopt;
  const std::optional<IpErrorKind> kind = KindOf(*error);
  if (!kind.has_value()) return std::nullopt;
  const Ipv6Extensions carrier_extensions{.protocol = kIpProtocolIcmpv6,
                                          .bytes = error->carrier_extension_bytes};
  return IpError{.kind = *kind,
                 .code = error->code,
                 .mtu = error->mtu,
                 .carrier = IpHeaderOf(error->carrier, carrier_extensions),
                 .quoted_ip = IpHeaderOf(error->quoted_ip, error->quoted_extensions),
                 .quoted_udp = error->quoted_udp,
                 .quoted_payload = error->quoted_payload};
}

size_t BuildV4(const IpErrorOptions& options, std::span<const std::byte> original,
               std::span<std::byte> out) {
  IcmpErrorOptions icmp{.type = IcmpType::kDestinationUnreachable,
                        .code = kIcmpCodeHostUnreachable,
                        .next_hop_mtu = static_cast<uint16_t>(std::min(options.mtu, 0xffffU)),
                        .router = options.router,
                        .ttl = options.ttl,
                        .identification = options.identification,
                        .quote_bytes = options.quote_bytes};
  switch (options.kind) {
    case IpErrorKind::kTimeExceeded:
      icmp.type = IcmpType::kTimeExceeded;
      icmp.code = kIcmpCodeTtlExceeded;
      break;
    case IpErrorKind::kUnreachable:
      break;
    case IpErrorKind::kPortClosed:
      icmp.code = kIcmpCodePortUnreachable;
      break;
    case IpErrorKind::kPacketTooBig:
      icmp.code = kIcmpCodeFragmentationNeeded;
      break;
  }
  return BuildIcmpError(icmp, original, out);
}

size_t BuildV6(const IpErrorOptions& options, std::span<const std::byte> original,
               std::span<std::byte> out) {
  Icmpv6ErrorOptions icmp{.type = Icmpv6Type::kDestinationUnreachable,
                          .code = kIcmpv6CodeAddressUnreachable,
                          .mtu = options.mtu,
                          .router = options.router,
                          .hop_limit = options.ttl,
                          .quote_bytes = options.quote_bytes};
  switch (options.kind) {
    case IpErrorKind::kTimeExceeded:
      icmp.type = Icmpv6Type::kTimeExceeded;
      icmp.code = kIcmpv6CodeHopLimitExceeded;
      break;
    case IpErrorKind::kUnreachable:
      break;
    case IpErrorKind::kPortClosed:
      icmp.code = kIcmpv6CodePortUnreachable;
      break;
    case IpErrorKind::kPacketTooBig:
      icmp.type = Icmpv6Type::kPacketTooBig;
      icmp.code = 0;
      break;
  }
  return BuildIcmpv6Error(icmp, original, out);
}

}  // namespace

std::optional<IpError> ParseIpError(std::span<const std::byte> packet) {
  if (std::optional<IpError> error = ParseV4(packet); error.has_value()) return error;
  return FromV6(ParseIcmpv6Error(packet));
}

std::optional<IpError> ParseIpv6Error(const Ipv6Header& carrier,
                                      std::span<const std::byte> message) {
  return FromV6(ParseIcmpv6Message(carrier, message));
}

size_t BuildIpError(const IpErrorOptions& options, std::span<const std::byte> original,
                    std::span<std::byte> out) {
  return options.router.IsV4() ? BuildV4(options, original, out) : BuildV6(options, original, out);
}

}  // namespace weft::wire
