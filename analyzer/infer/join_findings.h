// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyzer/infer/infer.h"
#include "analyzer/infer/interface_sets.h"
#include "analyzer/infer/observations.h"

// Internal to analyzer/infer: what is said of joins, in words.
namespace weft::analyzer {

// "/31", or for IPv6 "/127".
std::string PrefixText(const wire::IpAddress& address, LinkPrefix prefix);

// "10.128.0.1 came right behind 10.0.0.0 on 1 path, and 10.128.0.0 is its /31 mate"
std::string MateWords(const InterfaceJoin& join);

// One switch would stand at two places of `path`.
topology::Finding JoinRefused(const InterfaceJoin& join, const ObservedPath& path,
                              const InterfaceSets::Conflict& conflict);
// One sign is for the join and another against it; `path` where that is the order of hops.
topology::Finding JoinContradicted(const InterfaceJoin& join, const ObservedPath* path,
                                   const InterfaceSets::Conflict& conflict);
topology::Finding HostLinkNotNumbered(const wire::IpAddress& host, const wire::IpAddress& seen);

}  // namespace weft::analyzer
