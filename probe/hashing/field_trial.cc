// SPDX-License-Identifier: Apache-2.0
#include "probe/hashing/field_trial.h"

#include <algorithm>
#include <optional>
#include <span>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace weft::probe {
namespace {

using topology::FieldUse;

constexpr int kRepeats = 2;  // of two flows that differ, before that is believed

class Trial {
 public:
  Trial(HopAsker& asker, const HopVertex& vertex, const FieldTrial& trial)
      : asker_(asker), vertex_(vertex), trial_(trial) {
    finding_.effect.field = trial.field;
  }

  absl::StatusOr<FieldFinding> Run() {
    absl::Status status = FindBase();
    if (status.ok() && base_ != nullptr) status = TryVariants();
    if (!status.ok()) return status;
    Conclude();
    return std::move(finding_);
  }

 private:
  absl::Status FindBase() {
    for (size_t i = 0; i < trial_.bases.size() && base_ == nullptr; ++i) {
      std::vector<SeenPlace> places;
      const HopFlow& flow = trial_.bases[i].flow.flow;
      const std::vector<HopFlow> twice = {flow, flow};
      const absl::Status status = Places(twice, places);
      if (!status.ok()) return status;
      if (places[0].kind == SeenPlace::Kind::kNone) continue;
      if (places[1].kind == SeenPlace::Kind::kNone) continue;
      finding_.is_unstable = finding_.is_unstable || !places[0].SamePlace(places[1]);
      base_ = &trial_.bases[i];
      finding_.places.push_back(places[0]);
      values_.push_back(trial_.bases[i].flow.value);
    }
    return absl::OkStatus();
  }

  absl::Status TryVariants() {
    const std::span<const FieldVariant> all = base_->variants;
    const size_t chunk = ValuesNeeded(trial_.next_hop_count, trial_.alpha);
    for (size_t i = 0; i < all.size() && !IsDecided(); i += chunk) {
      const std::span<const FieldVariant> some = all.subspan(i, std::min(chunk, all.size() - i));
      std::vector<HopFlow> flows;
      for (const FieldVariant& variant : some) flows.push_back(variant.flow);
      std::vector<SeenPlace> places;
      absl::Status status = Places(flows, places);
      if (!status.ok()) return status;
      for (size_t j = 0; j < some.size(); ++j) Enter(some[j], places[j]);
      if (other_ && !is_confirmed_ && !finding_.is_unstable) status = Confirm();
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  void Enter(const FieldVariant& variant, const SeenPlace& place) {
    if (place.kind == SeenPlace::Kind::kNone) return;
    values_.push_back(variant.value);
    const bool is_known = std::ranges::any_of(
        finding_.places, [&](const SeenPlace& known) { return known.SamePlace(place); });
    if (is_known) return;
    finding_.places.push_back(place);
    if (!other_) other_ = variant.flow;
  }

  // The two flows that differ go their ways again and again.
  absl::Status Confirm() {
    std::vector<HopFlow> flows;
    for (int i = 0; i < kRepeats; ++i) {
      flows.push_back(base_->flow.flow);
      flows.push_back(*other_);
    }
    std::vector<SeenPlace> places;
    const absl::Status status = Places(flows, places);
    if (!status.ok()) return status;
    size_t answered = 0;
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i].kind == SeenPlace::Kind::kNone) continue;
      ++answered;
      if (!places[i].SamePlace(finding_.places[i % 2])) finding_.is_unstable = true;
    }
    is_confirmed_ = !finding_.is_unstable && answered == places.size();
    // Where answers were lost, the next chunk gives another chance.
    return absl::OkStatus();
  }

  bool IsDecided() const {
    return finding_.is_unstable || is_confirmed_ || asker_.stopped() ||
           (!other_ && SameByChance(values_, trial_.width, trial_.next_hop_count) <= trial_.alpha);
  }

  void Conclude() {
    finding_.effect.values = static_cast<uint32_t>(values_.size());
    finding_.effect.next_hops = static_cast<uint32_t>(finding_.places.size());
    const std::string seen = absl::StrCat(values_.size(), " values led to ", finding_.places.size(),
                                          finding_.places.size() == 1 ? " next hop" : " next hops");
    if (base_ == nullptr) {
      finding_.reason = "no answer from the hop after it";
    } else if (finding_.is_unstable) {
      finding_.reason = absl::StrCat(seen, ", but repeats did not go the same way");
    } else if (is_confirmed_) {
      finding_.effect.effect = FieldUse::kHashed;
      finding_.reason = absl::StrCat(seen, ", and repeats went the same way");
      finding_.same_by_chance = 0;
    } else if (other_) {
      finding_.reason = absl::StrCat(seen, ", but repeats were not answered");
    } else {
      finding_.same_by_chance = SameByChance(values_, trial_.width, trial_.next_hop_count);
      const bool is_sure = finding_.same_by_chance <= trial_.alpha;
      if (is_sure) finding_.effect.effect = FieldUse::kIgnored;
      finding_.reason =
          absl::StrFormat("%s; by chance with p = %.2g%s", seen, finding_.same_by_chance,
                          is_sure ? "" : ", too much to say that it is ignored");
    }
  }

  // Where flows go after the hop; none: not known, or they do not pass it.
  absl::Status Places(std::span<const HopFlow> flows, std::vector<SeenPlace>& places) {
    std::vector<HopQuestion> questions;
    for (const HopFlow& flow : flows) questions.push_back(QuestionAfter(vertex_, flow));
    absl::Status status = asker_.AskAll(questions, places);
    if (!status.ok() || vertex_.all_pass()) return status;
    // With another value a flow may well take another way before the hop, even one that the table
    // has not.
    for (HopQuestion& question : questions) {
      question.ttl = static_cast<uint8_t>(vertex_.hop_index);
      question.before = vertex_.before;
    }
    std::vector<SeenPlace> passed;
    status = asker_.AskAll(questions, passed);
    for (size_t i = 0; i < passed.size(); ++i) {
      if (!IsAt(vertex_, passed[i])) places[i].kind = SeenPlace::Kind::kNone;
    }
    return status;
  }

  HopAsker& asker_;
  const HopVertex& vertex_;
  const FieldTrial& trial_;
  FieldFinding finding_;
  const FieldTrial::Base* base_ = nullptr;
  std::vector<FieldBits> values_;  // that are known to pass the hop, and where they go
  std::optional<HopFlow> other_;   // the first that went another way than the base
  bool is_confirmed_ = false;
};

}  // namespace

absl::StatusOr<FieldFinding> TryField(HopAsker& asker, const HopVertex& vertex,
                                      const FieldTrial& trial) {
  return Trial(asker, vertex, trial).Run();
}

}  // namespace weft::probe
