// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "probe/hashing/hop_experiment.h"
#include "topology/records/finding.h"

namespace weft::probe {

// "leaf1", "10.128.0.1", or "the silent hop at TTL 2".
std::string NameOf(const topology::HopBehaviour& hop);

// What is known of a hop, a sentence each, without full stop: "leaf1 ignores the source port".
std::vector<std::string> Sentences(const HopReport& report);

// What it means for who wants to choose a path by the source port; empty: nothing to choose there.
std::string SteeringText(const HopReport& report);

// source-port-ignored, uneven-hash and route-changed, each with its evidence.
void AddFindings(std::span<const HopReport> reports, std::vector<topology::Finding>& findings);

}  // namespace weft::probe
