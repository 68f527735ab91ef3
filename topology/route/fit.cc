// SPDX-License-Identifier: Apache-2.0
#include "topology/route/fit.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"

namespace weft::topology {
namespace {

using Function = HashModel::Function;
using Choice = HashModel::Choice;
using Basis = std::vector<std::pair<size_t, HeaderBits>>;

constexpr double kProofBits = 20;  // a wrong model passes with a probability of 2^-20

constexpr std::array kFields = {HashedField::kSourceAddress, HashedField::kDestinationAddress,
                                HashedField::kUdpSrcPort,    HashedField::kFlowLabel,
                                HashedField::kDscp,          HashedField::kDestQpn,
                                HashedField::kBthOpcode};
// How many bits each has in HeaderBits, in this order.
constexpr std::array<size_t, kFields.size()> kFieldBits = {128, 128, 16, 20, 6, 24, 8};

HeaderBits BitsOf(const HashedHeaders& headers) {
  HeaderBits bits;
  size_t at = 0;
  const auto append = [&](uint32_t value, size_t count) {
    for (size_t i = 0; i < count; ++i) bits[at++] = (value >> i & 1) != 0;
  };
  for (const wire::IpAddress* address : {&headers.source, &headers.destination}) {
    for (uint8_t byte : address->bytes()) append(byte, 8);
  }
  append(headers.udp_src_port, 16);
  append(headers.flow_label, 20);
  append(headers.traffic_class >> 2, 6);
  append(headers.dest_qpn, 24);
  append(headers.bth_opcode, 8);
  return bits;
}

HeaderBits MaskOf(size_t field) {
  size_t begin = 0;
  for (size_t i = 0; i < field; ++i) begin += kFieldBits[i];
  HeaderBits mask;
  for (size_t i = 0; i < kFieldBits[field]; ++i) mask.set(begin + i);
  return mask;
}

HeaderBits Reduce(const Basis& basis, HeaderBits vector) {
  for (const auto& [pivot, row] : basis) {
    if (vector[pivot]) vector ^= row;
  }
  return vector;
}

// The pivot is the vector's first bit; rows by rising pivot reduce every vector to the one of its
// coset that has no pivot bit. false: the vector was in the span.
bool Add(HeaderBits vector, Basis* basis) {
  vector = Reduce(*basis, vector);
  if (vector.none()) return false;
  size_t pivot = 0;
  while (!vector[pivot]) ++pivot;
  const auto place = std::find_if(basis->begin(), basis->end(),
                                  [&](const auto& row) { return row.first > pivot; });
  basis->emplace(place, pivot, vector);
  return true;
}

}  // namespace

class HashFitter {
 public:
  HashFitter(std::span<const HashSample> samples, const FitOptions& options)
      : samples_(samples), options_(options) {
    for (const HashSample& sample : samples_) {
      next_hops_.insert(sample.next_hop);
      bits_.push_back(BitsOf(sample.headers));
      fit_.varied_ |= bits_.back() ^ bits_.front();
    }
    if (!bits_.empty()) fit_.base_ = bits_.front();
    fit_.members_ = std::max(options.members, static_cast<uint32_t>(next_hops_.size()));
  }

  FittedHash Fit() && {
    if (next_hops_.size() < 2) {
      fit_.reason_ = "there was no choice: fewer than two next hops were seen";
      return std::move(fit_);
    }
    if (FitKnownModel() || !fit_.reason_.empty()) return std::move(fit_);
    if (FitAffine() || !fit_.reason_.empty()) return std::move(fit_);
    fit_.reason_ = absl::StrCat("neither a known model nor an affine map explains ",
                                samples_.size(), " samples over ", next_hops_.size(), " next hops");
    return std::move(fit_);
  }

 private:
  // Every set of the fields that varied; the others change nothing.
  std::vector<HashedFields> FieldSets() const {
    std::vector<HashedFields> sets = {HashedFields::FiveTuple()};
    for (size_t i = 0; i < kFields.size(); ++i) {
      if ((fit_.varied_ & MaskOf(i)).none()) continue;
      const size_t count = sets.size();
      for (size_t j = 0; j < count; ++j) {
        sets.push_back(sets[j].Has(kFields[i]) ? sets[j].Without(kFields[i])
                                               : sets[j].With(kFields[i]));
      }
    }
    return sets;
  }

  std::vector<HashModel> Models() const {
    std::vector<HashModel> models;
    for (HashedFields fields : FieldSets()) {
      for (Choice choice : {Choice::kScaled, Choice::kModulo}) {
        if (std::has_single_bit(fit_.members_)) {
          models.push_back({Function::kCrc32, 0, choice, fields});
        }
        for (uint32_t seed : options_.seeds) {
          if (!std::has_single_bit(fit_.members_)) {
            models.push_back({Function::kCrc32, seed, choice, fields});
          }
          models.push_back({Function::kMixed, seed, choice, fields});
        }
      }
    }
    return models;
  }

  // Members and next hops are one to one.
  bool Explains(const HashModel& model, std::map<uint32_t, std::string>* next_hop_of_member) const {
    std::map<std::string, uint32_t> member_of;
    for (const HashSample& sample : samples_) {
      const uint32_t member = ChooseMember(model, sample.headers, fit_.members_);
      const auto [hop, fresh_member] = next_hop_of_member->emplace(member, sample.next_hop);
      const auto [same, fresh_hop] = member_of.emplace(sample.next_hop, member);
      if (hop->second != sample.next_hop || same->second != member) return false;
    }
    return true;
  }

  bool FitKnownModel() {
    const std::vector<HashModel> models = Models();
    // The first sample of each next hop names a member; each further one is a test.
    const auto tests = static_cast<double>(samples_.size() - next_hops_.size());
    const double needed = kProofBits + std::log2(static_cast<double>(models.size()));
    const double bits_each = std::log2(static_cast<double>(next_hops_.size()));
    if (tests * bits_each < needed) {
      fit_.reason_ = absl::StrCat(
          samples_.size(), " samples are too few to tell ", models.size(),
          " models apart: ", next_hops_.size() + static_cast<size_t>(std::ceil(needed / bits_each)),
          " are needed");
      return false;
    }
    for (const HashModel& model : models) {
      std::map<uint32_t, std::string> next_hop_of_member;
      if (!Explains(model, &next_hop_of_member)) continue;
      if (fit_.kind_ == FittedHash::Kind::kKnownModel) {
        ++fit_.alternatives_;
        continue;
      }
      fit_.kind_ = FittedHash::Kind::kKnownModel;
      fit_.model_ = model;
      fit_.next_hop_of_member_ = std::move(next_hop_of_member);
    }
    return fit_.kind_ == FittedHash::Kind::kKnownModel;
  }

  // As LinearMapLearner, over all bits of the headers and with samples that are given.
  bool FitAffine() {
    std::map<std::string, HeaderBits> first_of;
    for (size_t i = 0; i < samples_.size(); ++i) {
      Add(bits_[i] ^ fit_.base_, &fit_.spanned_);
      const auto [first, fresh] = first_of.emplace(samples_[i].next_hop, bits_[i]);
      if (!fresh) Add(bits_[i] ^ first->second, &fit_.same_);
    }
    std::set<std::string> cosets;
    for (const auto& [next_hop, bits] : first_of) {
      const HeaderBits coset = Reduce(fit_.same_, bits ^ fit_.base_);
      if (!cosets.insert(coset.to_string()).second) return false;  // two that must agree
      fit_.next_hop_of_coset_.emplace_back(coset, next_hop);
    }
    const size_t rank = fit_.spanned_.size() - fit_.same_.size();
    if (next_hops_.size() != size_t{1} << rank) return false;
    // Samples that are sums of others were tests.
    const size_t tests = samples_.size() - 1 - fit_.spanned_.size();
    if (static_cast<double>(tests * rank) < kProofBits) {
      fit_.reason_ = absl::StrCat(
          "an affine map explains ", samples_.size(), " samples, but only ", tests,
          " of them could have contradicted it: ",
          static_cast<size_t>(std::ceil(kProofBits / static_cast<double>(rank))), " are needed");
      return false;
    }
    fit_.kind_ = FittedHash::Kind::kAffine;
    return true;
  }

  std::span<const HashSample> samples_;
  const FitOptions& options_;
  std::vector<HeaderBits> bits_;
  std::set<std::string> next_hops_;
  FittedHash fit_;
};

std::string FittedHash::Predict(const HashedHeaders& headers) const {
  const HeaderBits difference = BitsOf(headers) ^ base_;
  if (kind_ == Kind::kKnownModel) {
    for (size_t i = 0; i < kFields.size(); ++i) {
      const HeaderBits mask = MaskOf(i);
      if ((varied_ & mask).none() && (difference & mask).any()) return "";
    }
    const auto found = next_hop_of_member_.find(ChooseMember(model_, headers, members_));
    return found == next_hop_of_member_.end() ? "" : found->second;
  }
  if (kind_ == Kind::kNone || Reduce(spanned_, difference).any()) return "";
  const HeaderBits coset = Reduce(same_, difference);
  for (const auto& [seen, next_hop] : next_hop_of_coset_) {
    if (seen == coset) return next_hop;
  }
  return "";
}

FittedHash FitHash(std::span<const HashSample> samples, const FitOptions& options) {
  return HashFitter(samples, options).Fit();
}

}  // namespace weft::topology
