# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# Where switches send packets: shortest paths as `weft-topo next-hops` finds them, and the lanes of
# those that spread packet by packet.

# Asks for the next hops of every node, without what is given as NODE or NODE:INTERFACE, in words. That
# some hosts have no way to each other is said and taken as it is.
ask_next_hops() {  # DOWN
  local without=() down status=0
  for down in $1; do without+=(--without "$down"); done
  weft-topo next-hops - "${without[@]}" --format csv <"$WEFT_LAB/fabric" >"$WEFT_LAB/next-hops" ||
    status=$?
  ((status == 0 || status == 4)) || exit "$status"
}

# Writes routes/NODE of every switch from what was answered. What is at the other end of a link needs
# none.
write_routes() {
  local node kind
  while IFS=$'\t' read -r node kind _; do
    [[ $kind == host ]] || : >"$WEFT_LAB/routes/$node"
  done <"$WEFT_LAB/nodes"
  awk -v folder="$WEFT_LAB/routes" -v per_packet=",$(<"$WEFT_LAB/per-packet")," -v lanes="$lane_count" \
    -v first_lane="$first_lane_table" '
    function next_hop(peer_address, end) {
      if (peer_address != "-") return " nexthop via " peer_address
      end = end % 2 ? end + 1 : end - 1
      return sprintf(" nexthop via inet6 fe80::%x:%x", int(end / 65536), end % 65536)
    }
    function route(node, destination, table, next_hops) {
      print "route replace " destination " table " table next_hops >(folder "/" node)
    }
    FILENAME ~ /nodes$/ { if ($2 != "host") is_switch[$1] = 1; own[$1] = $3; next }
    FILENAME ~ /ends$/ {
      via[$2, $3] = next_hop($7, FNR) " dev " $3
      peer[$2, $3] = $7
      next
    }
    !seen_heading++ { for (i = 1; i <= NF; i++) column[$i] = i; next }
    !($column["node"] in is_switch) { next }
    { node = $column["node"]; interface = $column["interface"]
      if (peer[node, interface] == $column["destination_address"]) next
      key = node FS $column["destination_address"]
      if (!(key in size)) order[++count] = key
      if (peer[node, interface] == "-") from_own[key] = 1
      group[key, size[key]++] = via[node, interface] }
    END {
      for (i = 1; i <= count; i++) {
        key = order[i]
        split(key, part, FS)
        destination = part[2] (part[2] ~ /:/ ? "/128" : "/32")
        source = key in from_own ? " src " own[part[1]] : ""
        all = ""
        for (j = 0; j < size[key]; j++) all = all group[key, j]
        route(part[1], destination, "main", source all)
        if (size[key] < 2 || index(per_packet, "," part[1] ",") == 0) continue
        for (j = 0; j < lanes; j++)
          route(part[1], destination, first_lane + j + 1, group[key, j % size[key]])
      } }' \
    FS='\t' "$WEFT_LAB/nodes" "$WEFT_LAB/ends" FS=, "$WEFT_LAB/next-hops"
}

# ---- Switches that spread packet by packet

# Linux hashes, so such a switch draws a lane for each packet and has a routing table for each lane,
# in which every group has one of its next hops. This many lanes are shared evenly by groups of 2,
# 3, 4, 6, 8, 12, 16 or 24.
readonly lane_count=48 first_lane_table=1000

is_per_packet() { [[ ,$per_packet, == *",$1,"* ]]; }  # NODE

check_per_packet() {
  local node lane
  [[ -n $per_packet ]] || return 0
  for ((lane = 1; lane <= lane_count; lane++)); do
    echo "rule add fwmark $lane table $((first_lane_table + lane)) priority $first_lane_table"
  done >"$WEFT_LAB/lanes"
  for node in ${per_packet//,/ }; do
    awk -F'\t' -v node="$node" '$1 == node && $2 != "host" { found = 1 } END { exit !found }' \
      "$WEFT_LAB/nodes" || die 2 "--per-packet \"$node\": no switch of this fabric"
  done
  lane_rules | nft -c -f - 2>"$WEFT_LAB/problem" ||
    die 1 "this kernel cannot draw a lane per packet: $(head -n 1 "$WEFT_LAB/problem")"
}

lane_rules() {
  printf 'add table inet weft_lanes\nadd chain inet weft_lanes in { %s }\n%s %s\n' \
    'type filter hook prerouting priority -150; policy accept;' \
    'add rule inet weft_lanes in meta mark set numgen random mod' "$lane_count offset 1"
}

# What the switch itself says bears no mark, and is hashed as elsewhere.
per_packet_settings() {
  printf 'nft -f - <<END\n%s\nEND\n' "$(lane_rules)"
  echo "ip -4 -batch $WEFT_LAB/lanes"
  ((!ipv6)) || echo "ip -6 -batch $WEFT_LAB/lanes"
}
