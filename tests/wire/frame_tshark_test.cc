// SPDX-License-Identifier: Apache-2.0
// The dissector beside tshark, packet by packet: every opcode on RoCEv2 over both versions of IP,
// on RoCEv1 and on InfiniBand, every carrier, and what is known to be taken for something else.
// Where tshark 4.0 is wrong stands in a list below, with the reason; everything else must agree.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/wire/capture_files.h"
#include "tests/wire/frame_builder.h"
#include "tests/wire/frame_cases.h"
#include "wire/erf.h"
#include "wire/frame.h"

namespace weft::wire {
namespace {

// Where tshark 4.0 shows something else: of packets whose name and fields that begin so.
struct TsharkDiffers {
  const char* packets;
  const char* fields;  // "": all of them
  const char* why;
};
constexpr TsharkDiffers kTsharkDiffers[] = {
    {"SourcePort69", "", "takes it for TFTP because of its source port"},
    {"NullV6_0a", "", "does not know the AF_INET6 of Linux"},
    {"NullV6_0000000a", "", "does not know the AF_INET6 of Linux"},
    {"Pseudowire", "", "follows a label to Ethernet only where it was told to"},
    {"VxlanLinuxPort", "", "knows no VXLAN on Linux's older port"},
    {"VxlanGenericEthernet", "", "follows port 4790 only with the bit of a next protocol"},
    {"Erspan3Ip", "", "follows no frame type but Ethernet's"},
    {"Opcode0x13", "infiniband.reth", "shows an AtomicETH in the fields of a RETH"},
    {"Opcode0x14", "infiniband.reth", "shows an AtomicETH in the fields of a RETH"},
    {"Opcode0x4", "infiniband.deth", "reads what is behind an RDETH at the wrong place"},
    {"Opcode0x4", "infiniband.reth", "reads what is behind an RDETH at the wrong place"},
    {"Opcode0x4", "infiniband.aeth", "reads what is behind an RDETH at the wrong place"},
    {"Opcode0x5", "infiniband.deth", "reads what is behind an RDETH at the wrong place"},
    {"Opcode0x5", "infiniband.aeth", "reads what is behind an RDETH at the wrong place"},
    {"Opcode0xa", "infiniband.reth", "knows no opcode of XRC"},
    {"Opcode0xa", "infiniband.aeth", "knows no opcode of XRC"},
    {"Opcode0xb", "infiniband.aeth", "knows no opcode of XRC"},
};

constexpr std::array<const char*, 17> kFields = {
    "infiniband.bth.opcode",
    "infiniband.bth.destqp",
    "infiniband.bth.psn",
    "infiniband.aeth.syndrome",
    "infiniband.aeth.msn",
    "infiniband.reth.va",
    "infiniband.reth.r_key",
    "infiniband.reth.dmalen",
    "infiniband.deth.q_key",
    "infiniband.deth.srcqp",
    "ip.src",
    "ip.dst",
    "ipv6.src",
    "ipv6.dst",
    "infiniband.grh.sgid",
    "infiniband.grh.dgid",
    "infiniband.lrh.slid",
};
using Fields = std::map<std::string, std::string>;

bool HasTshark() { return std::system("tshark --version > /dev/null 2>&1") == 0; }
bool IsTshark40() {
  return std::system("tshark --version 2> /dev/null | grep -q 'TShark (Wireshark) 4\\.0\\.'") == 0;
}

// The last value of every field, which is the innermost header's; a field that is not there is "".
std::vector<Fields> RunTshark(const std::string& path) {
  std::string command = "tshark -n -r '" + path + "' -T fields -E separator=';' -E occurrence=l";
  for (const char* field : kFields) command += std::string(" -e ") + field;
  std::vector<Fields> rows;
  FILE* pipe = popen((command + " 2> /dev/null").c_str(), "r");
  if (pipe == nullptr) return rows;
  std::array<char, 2048> line{};
  while (std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr) {
    std::istringstream text(line.data());
    Fields row;
    for (const char* field : kFields) {
      std::string value;
      std::getline(text, value, ';');
      while (value.ends_with('\n')) value.pop_back();
      row[field] = value;
    }
    rows.push_back(row);
  }
  pclose(pipe);
  return rows;
}

std::string Number(const std::string& text) {
  return text.empty() ? "" : std::to_string(std::stoull(text, nullptr, 0));
}

// What our dissector says, in the same words as tshark (numbers in decimal).
Fields OursOf(const FrameView& view) {
  Fields ours;
  for (const char* field : kFields) ours[field] = "";
  const RdmaPacket& rdma = view.rdma;
  ours["infiniband.bth.opcode"] = std::to_string(rdma.bth.opcode);
  ours["infiniband.bth.destqp"] = std::to_string(rdma.bth.dest_qpn);
  ours["infiniband.bth.psn"] = std::to_string(rdma.bth.psn);
  if (rdma.Has(header::kAeth)) {
    ours["infiniband.aeth.syndrome"] = std::to_string(rdma.aeth.syndrome);
    ours["infiniband.aeth.msn"] = std::to_string(rdma.aeth.msn);
  }
  if (rdma.Has(header::kReth)) {
    ours["infiniband.reth.va"] = std::to_string(rdma.reth.address);
    ours["infiniband.reth.r_key"] = std::to_string(rdma.reth.r_key);
    ours["infiniband.reth.dmalen"] = std::to_string(rdma.reth.length);
  }
  if (rdma.Has(header::kDeth)) {
    ours["infiniband.deth.q_key"] = std::to_string(rdma.deth.q_key);
    ours["infiniband.deth.srcqp"] = std::to_string(rdma.deth.source_qpn);
  }
  return ours;
}

// The fields that name the ends of this packet: of its kind of network alone.
void AddAddresses(const FrameView& view, Fields& ours) {
  switch (view.source.kind()) {
    case NetworkAddress::Kind::kIpv4:
      ours["ip.src"] = view.source.ToString();
      ours["ip.dst"] = view.destination.ToString();
      break;
    case NetworkAddress::Kind::kIpv6:
      ours["ipv6.src"] = view.source.ToString();
      ours["ipv6.dst"] = view.destination.ToString();
      break;
    case NetworkAddress::Kind::kGid:
      ours["infiniband.grh.sgid"] = view.source.ToString();
      ours["infiniband.grh.dgid"] = view.destination.ToString();
      break;
    default:
      ours["infiniband.lrh.slid"] = std::to_string(view.source_lid);
      break;
  }
}

struct NamedPacket {
  std::string name;
  LinkType link_type;
  Bytes frame;
};

std::vector<NamedPacket> Packets() {
  std::vector<NamedPacket> packets;
  for (FrameCase& row : RdmaFrames()) {
    packets.push_back({row.name, row.link_type, std::move(row.frame)});
  }
  const IpAddress v4_source = *IpAddress::Parse("10.1.1.2");
  const IpAddress v4_destination = *IpAddress::Parse("10.2.2.2");
  const IpAddress v6_source = *IpAddress::Parse("fd00::a");
  const IpAddress v6_destination = *IpAddress::Parse("fd00::b");
  for (int opcode = 0; opcode < 256; ++opcode) {
    const RdmaPacket packet = PacketOf(static_cast<uint8_t>(opcode), 0x15, 0xfffffe);
    if (!packet.info().is_known) continue;
    std::array<char, 8> hex{};
    std::snprintf(hex.data(), hex.size(), "0x%02x", static_cast<unsigned>(opcode));
    const std::string name = std::string("Opcode") + hex.data();
    packets.push_back({name + "RoceV2", LinkType::kEthernet,
                       IpInEthernet(RoceV2(v4_source, v4_destination, 49153, packet))});
    packets.push_back({name + "RoceV2Ipv6", LinkType::kEthernet,
                       IpInEthernet(RoceV2(v6_source, v6_destination, 49153, packet))});
    packets.push_back(
        {name + "RoceV1", LinkType::kEthernet, InEthernet(kEthertypeRoceV1, RoceV1(packet))});
    packets.push_back({name + "Infiniband", LinkType::kInfiniband, Infiniband(packet, true, true)});
  }
  packets.push_back({"SourcePort69", LinkType::kEthernet,
                     IpInEthernet(RoceV2(v4_source, v4_destination, 69, PacketOf(0x11, 5, 6)))});
  packets.push_back({"SourcePort0", LinkType::kEthernet,
                     IpInEthernet(RoceV2(v4_source, v4_destination, 0, PacketOf(0x81, 5, 0)))});
  return packets;
}

// The row of the list that this is, or nullptr.
const TsharkDiffers* ListedDifference(const std::string& name, const std::string& field) {
  for (const TsharkDiffers& row : kTsharkDiffers) {
    if (name.starts_with(row.packets) && field.starts_with(row.fields)) return &row;
  }
  return nullptr;
}

bool IsAddress(const std::string& field) {
  return field.ends_with("src") || field.ends_with("dst") || field.ends_with("gid") ||
         field.ends_with("slid");
}

// Adds the rows of the list that a difference fell under.
void Compare(const std::string& name, const Fields& ours, const Fields& theirs,
             std::set<const TsharkDiffers*>& used) {
  for (const auto& [field, value] : ours) {
    if (IsAddress(field) && value.empty()) continue;  // there it is an outer header's
    const std::string& shown = theirs.at(field);
    const bool is_text = IsAddress(field) && !field.ends_with("slid");
    const std::string their_value = is_text ? shown : Number(shown);
    if (value == their_value) continue;
    const TsharkDiffers* row = ListedDifference(name, field);
    EXPECT_NE(row, nullptr) << name << ": " << field << " is " << value << " here, " << their_value
                            << " there";
    if (row != nullptr) used.insert(row);
  }
}

TEST(FrameTshark, SeesTheSamePacketByPacket) {
  if (!HasTshark()) GTEST_SKIP() << "no tshark on this machine";
  std::map<uint16_t, std::vector<NamedPacket>> by_link;
  for (NamedPacket& packet : Packets()) {
    if (packet.link_type == LinkType::kInfiniband) {
      // tshark 4.0 refuses files of this link type, but reads the same in ERF.
      packet.link_type = LinkType::kErf;
      packet.frame = InErf(kErfInfiniband, {}, packet.frame);
    }
    by_link[static_cast<uint16_t>(packet.link_type)].push_back(std::move(packet));
  }
  const std::string path = std::filesystem::temp_directory_path() /
                           ("weft-frame-tshark-" + std::to_string(getpid()) + ".pcap");
  std::set<const TsharkDiffers*> used;
  size_t compared = 0;
  for (const auto& [link_type, packets] : by_link) {
    std::vector<FilePacket> file;
    for (const NamedPacket& packet : packets) {
      file.push_back({link_type, packet.frame.size(), packet.frame});
    }
    WriteCapture(path, file);
    const std::vector<Fields> theirs = RunTshark(path);
    ASSERT_EQ(theirs.size(), packets.size()) << "link type " << link_type;
    for (size_t i = 0; i < packets.size(); ++i) {
      FrameView view;
      const FrameClass frame_class =
          DissectFrame(packets[i].link_type, packets[i].frame, packets[i].frame.size(), {}, view);
      EXPECT_TRUE(IsRdma(frame_class)) << packets[i].name;
      Fields ours = OursOf(view);
      AddAddresses(view, ours);
      Compare(packets[i].name, ours, theirs[i], used);
      ++compared;
    }
  }
  std::filesystem::remove(path);
  EXPECT_GT(compared, 300u);
  if (!IsTshark40()) return;
  for (const TsharkDiffers& row : kTsharkDiffers) {
    EXPECT_TRUE(used.contains(&row)) << row.packets << " " << row.fields << ": agrees by now";
  }
}

}  // namespace
}  // namespace weft::wire
