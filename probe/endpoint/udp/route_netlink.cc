// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/udp/route_netlink.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace weft::probe {
namespace {

// More than a link's answer has.
constexpr size_t kAnswerBytes = size_t{1} << 16;
constexpr uint32_t kSequence = 1;

template <typename T>
void Append(std::vector<std::byte>& bytes, const T& value) {
  const auto* from = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), from, from + sizeof value);
}

void Pad(std::vector<std::byte>& bytes) { bytes.resize((bytes.size() + 3) / 4 * 4); }

template <typename T>
std::optional<T> Load(std::span<const std::byte> bytes) {
  T value;
  if (bytes.size() < sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

NetlinkRequest::NetlinkRequest(uint16_t type, std::span<const std::byte> fixed) {
  Append(bytes_, nlmsghdr{.nlmsg_len = 0,
                          .nlmsg_type = type,
                          .nlmsg_flags = NLM_F_REQUEST,
                          .nlmsg_seq = kSequence,
                          .nlmsg_pid = 0});
  bytes_.insert(bytes_.end(), fixed.begin(), fixed.end());
  Pad(bytes_);
}

void NetlinkRequest::Add(uint16_t type, std::span<const std::byte> value) {
  Append(bytes_,
         rtattr{.rta_len = static_cast<uint16_t>(sizeof(rtattr) + value.size()), .rta_type = type});
  bytes_.insert(bytes_.end(), value.begin(), value.end());
  Pad(bytes_);
}

std::vector<std::byte> NetlinkRequest::Ask(size_t fixed_bytes, int* error) {
  const auto length = static_cast<uint32_t>(bytes_.size());
  std::memcpy(bytes_.data() + offsetof(nlmsghdr, nlmsg_len), &length, sizeof length);
  *error = 0;
  const auto fail = [&](int number) {
    *error = number;
    return std::vector<std::byte>();
  };
  const Descriptor netlink(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (netlink.fd() < 0) return fail(errno);
  const timeval patience = {.tv_sec = 1, .tv_usec = 0};
  setsockopt(netlink.fd(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  sockaddr_nl kernel = {};
  kernel.nl_family = AF_NETLINK;
  if (sendto(netlink.fd(), bytes_.data(), bytes_.size(), 0, reinterpret_cast<sockaddr*>(&kernel),
             sizeof kernel) < 0) {
    return fail(errno);
  }
  std::vector<std::byte> answer(kAnswerBytes);
  const ssize_t size = recv(netlink.fd(), answer.data(), answer.size(), 0);
  if (size < 0) return fail(errno);
  answer.resize(static_cast<size_t>(size));
  const auto header = Load<nlmsghdr>(answer);
  if (!header || header->nlmsg_len > answer.size() || header->nlmsg_seq != kSequence) {
    return fail(EPROTO);
  }
  answer.resize(header->nlmsg_len);
  if (header->nlmsg_type == NLMSG_ERROR) {
    const auto told = Load<nlmsgerr>(std::span(answer).subspan(sizeof(nlmsghdr)));
    return fail(told && told->error < 0 ? -told->error : EPROTO);
  }
  const size_t begin = sizeof(nlmsghdr) + (fixed_bytes + 3) / 4 * 4;
  if (answer.size() < begin) return fail(EPROTO);
  answer.erase(answer.begin(), answer.begin() + static_cast<std::ptrdiff_t>(begin));
  return answer;
}

std::optional<std::span<const std::byte>> FindAttribute(std::span<const std::byte> attributes,
                                                        uint16_t type) {
  while (const auto header = Load<rtattr>(attributes)) {
    if (header->rta_len < sizeof(rtattr) || header->rta_len > attributes.size()) break;
    if ((header->rta_type & NLA_TYPE_MASK) == type) {
      return attributes.first(header->rta_len).subspan(sizeof(rtattr));
    }
    const size_t padded = (size_t{header->rta_len} + 3) / 4 * 4;
    attributes = attributes.subspan(std::min(padded, attributes.size()));
  }
  return std::nullopt;
}

std::optional<uint32_t> FindNumber(std::span<const std::byte> attributes, uint16_t type) {
  const auto value = FindAttribute(attributes, type);
  return value ? Load<uint32_t>(*value) : std::nullopt;
}

std::string FindText(std::span<const std::byte> attributes, uint16_t type) {
  const auto value = FindAttribute(attributes, type);
  if (!value) return "";
  const auto end = std::ranges::find(*value, std::byte{0});
  return {reinterpret_cast<const char*>(value->data()), static_cast<size_t>(end - value->begin())};
}

}  // namespace weft::probe
