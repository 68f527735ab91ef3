# shellcheck shell=bash disable=SC2154,SC2016
# SPDX-License-Identifier: Apache-2.0
# Builds the lab, as process 1 of its namespaces. In WEFT_LAB it leaves
#   fabric         the fabric file
#   nodes          name, kind: one line a node, in the file's order
#   ends           one line a link end: link number, node, interface, address, the peer's node,
#                  interface and address, capacity in bit/s (0: unlimited)
#   setup/NODE     the shell script that configures a node
#   neighbours/NODE  the MAC addresses of its neighbours, as `ip -batch` reads them
#   routes/NODE    its routes at present, as `ip -batch` reads them
# Columns are separated by tabs.

readonly read_fabric='
  def fail($what): "fabric: " + $what | error;
  def check_name($what; $most):
    if test("^[A-Za-z0-9_.-]+$") and length <= $most then .
    else fail("\($what) \"\(.)\": expected at most \($most) letters, digits, _, . or -") end;
  if .[0].kind != "fabric" then fail("kind \"\(.[0].kind)\": expected \"fabric\"")
  elif .[0].version != 1 then fail("version \(.[0].version): expected 1") else . end
  | (map(.node // empty | .name |= check_name("node name"; 60))) as $nodes
  | ($nodes | map({key: .name, value: (.interfaces // [] | map({key: .name, value: .address})
                                       | from_entries)}) | from_entries) as $addresses
  | def link_end($port):
      [$port.node, ($port.interface | check_name("interface name of \($port.node)"; 15)),
       ($addresses[$port.node][$port.interface] // ""
        | if . == "" then fail("\($port.node):\($port.interface): expected an address") else . end)];
  ($nodes[] | ["node", .name, .kind // "unknown"]),
  ([.[] | .link // empty] | to_entries[] | .key as $key | .value as $link
   | ($link.capacity_bps // 0 | floor) as $capacity
   | link_end($link.a) as $a | link_end($link.b) as $b
   | (["end", $key] + $a + $b + [$capacity]), (["end", $key] + $b + $a + [$capacity]))
  | @tsv'

build_lab() {
  local started=$EPOCHREALTIME
  cat <&9 >"$WEFT_LAB/fabric"
  exec 9<&-
  mkdir "$WEFT_LAB/setup" "$WEFT_LAB/routes" "$WEFT_LAB/neighbours"
  touch "$WEFT_LAB/faults" "$WEFT_LAB/down" "$WEFT_LAB/silent"
  ask_next_hops ''
  jq -rs "$read_fabric" "$WEFT_LAB/fabric" >"$WEFT_LAB/plan" 2>"$WEFT_LAB/problem" ||
    die 3 "$(sed 's/^jq: error ([^)]*): //' "$WEFT_LAB/problem")"
  sed -n 's/^node\t//p' "$WEFT_LAB/plan" >"$WEFT_LAB/nodes"
  sed -n 's/^end\t//p' "$WEFT_LAB/plan" >"$WEFT_LAB/ends"
  write_routes
  write_setup
  create_links
  cut -f 1 "$WEFT_LAB/nodes" | xargs -P "$(nproc)" -I{} \
    nsenter --net=/run/netns/{} sh -e "$WEFT_LAB/setup/{}" || die 1 'the lab could not be built'
  report_build "$started"
}

report_build() {  # STARTED
  local elapsed_ms=$(((${EPOCHREALTIME/[.,]/} - ${1/[.,]/}) / 1000))
  printf 'kernel-fabric: %d nodes, %d links in %d.%d s (hash seed %s, ICMP limits %s, MTU %d)\n' \
    "$(wc -l <"$WEFT_LAB/nodes")" "$(($(wc -l <"$WEFT_LAB/ends") / 2))" \
    $((elapsed_ms / 1000)) $((elapsed_ms % 1000 / 100)) "$hash_seed" "$icmp_limits" "$mtu" >&2
}

# Both ends are made where they belong: interface names are a node's own. An end's MAC address is its
# line in `ends`, so that neighbours are known without ARP, which a full queue would drop.
create_links() {
  {
    sed 's/^\([^\t]*\).*/netns add \1/' "$WEFT_LAB/nodes"
    awk -F'\t' -v mtu="$mtu" '
      function mac(end) { return sprintf("02:00:%02x:%02x:%02x:%02x", end / 16777216 % 256,
                                         end / 65536 % 256, end / 256 % 256, end % 256) }
      NR % 2 { printf "link add name %s netns %s mtu %d address %s type veth peer name %s netns %s" \
                      " mtu %d address %s\n", $3, $2, mtu, mac(NR), $6, $5, mtu, mac(NR + 1) }
      ' "$WEFT_LAB/ends"
  } | ip -batch - || die 1 'namespaces and links could not be made'
}

# ---- One node

write_setup() {
  local -A addresses=() neighbours=() queues=() gateways=()
  local node interface address peer_address capacity kind position=0
  local end=0 peer_end peer_mac
  while IFS=$'\t' read -r _ node interface address _ _ peer_address capacity; do
    peer_end=$((++end % 2 ? end + 1 : end - 1))
    printf -v peer_mac '02:00:%02x:%02x:%02x:%02x' $((peer_end >> 24 & 255)) \
      $((peer_end >> 16 & 255)) $((peer_end >> 8 & 255)) $((peer_end & 255))
    neighbours[$node]+="neighbour replace $peer_address dev $interface lladdr $peer_mac nud permanent"$'\n'
    addresses[$node]+="address add $address/31 dev $interface"$'\n'"link set dev $interface up"$'\n'
    gateways[$node]+=" nexthop via $peer_address dev $interface"
    ((capacity == 0)) || queues[$node]+="qdisc add dev $interface root $(queue "$capacity")"$'\n'
  done <"$WEFT_LAB/ends"
  while IFS=$'\t' read -r node kind; do
    if [[ $kind == host ]]; then
      echo "route replace default${gateways[$node]-}" >"$WEFT_LAB/routes/$node"
    fi
    {
      echo "$common_settings"
      [[ $icmp_limits == on ]] || unlimited_icmp
      [[ $kind == host ]] || switch_settings "$((++position))"
      printf 'ip -batch - <<END\nlink set dev lo up\n%sEND\n' "${addresses[$node]-}"
      [[ -z ${queues[$node]-} ]] || printf 'tc -batch - <<END\n%sEND\n' "${queues[$node]}"
      printf %s "${neighbours[$node]-}" >"$WEFT_LAB/neighbours/$node"
      echo "ip -batch $WEFT_LAB/neighbours/$node"
      [[ ! -f $WEFT_LAB/routes/$node ]] || echo "ip -batch $WEFT_LAB/routes/$node"
    } >"$WEFT_LAB/setup/$node"
  done <"$WEFT_LAB/nodes"
  warn_of_kernel
}

# A token bucket that holds 10 ms of the rate and at least five packets, before a queue of 200 ms at
# 20 Mbit/s: longer where the rate is lower (up to 400 ms), shorter where it is higher (down to 20).
queue() {  # CAPACITY-BPS
  local burst=$(($1 / 800)) latency=$((4000000000 / $1))
  ((burst >= 5 * mtu)) || burst=$((5 * mtu))
  ((latency <= 400)) || latency=400
  ((latency >= 20)) || latency=20
  echo "tbf rate ${1}bit burst $burst latency ${latency}ms"
}

setting() {  # NAME VALUE: only where this kernel has it
  [[ ! -w /proc/sys/net/$1 ]] || echo "echo $2 >/proc/sys/net/$1"
}

common_settings='for filter in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 0 >$filter; done
for off in /proc/sys/net/ipv6/conf/*/disable_ipv6; do [ ! -w $off ] || echo 1 >$off; done'

# The 5-tuple is hashed as policy 3 with fields 0x37 where the kernel has that: under policy 1 it takes
# a hash that the packet carries already, and a veth pair brings along the random one which the
# sender's kernel gives to every connected socket. With a hash seed per switch, the address of an
# ICMP answer would be that of the way back; a hop must answer from the interface on which the
# packet came in.
switch_settings() {  # POSITION, from 1
  local seed=1
  [[ $hash_seed == shared ]] ||
    seed=$(((hash_seed * 2654435761 + $1 * 40503 * 65537) % 4294967295 + 1))
  echo 'for redirects in /proc/sys/net/ipv4/conf/*/send_redirects; do echo 0 >$redirects; done'
  setting ipv4/ip_forward 1
  if [[ -w /proc/sys/net/ipv4/fib_multipath_hash_fields ]]; then
    setting ipv4/fib_multipath_hash_fields 0x37
    setting ipv4/fib_multipath_hash_policy 3
  else
    setting ipv4/fib_multipath_hash_policy 1
  fi
  setting ipv4/fib_multipath_hash_seed "$seed"
  setting ipv4/icmp_errors_use_inbound_ifaddr 1
  [[ $icmp_limits == off ]] || limited_icmp
}

unlimited_icmp() {
  setting ipv4/icmp_ratelimit 0
  setting ipv4/icmp_msgs_per_sec 100000
  setting ipv4/icmp_msgs_burst 100000
}

# A budget for the whole switch, as the policer of a real one's TTL trap has; or, where the kernel has
# no such budget per namespace, one towards each host.
limited_icmp() {
  if [[ -w /proc/sys/net/ipv4/icmp_msgs_per_sec ]]; then
    setting ipv4/icmp_ratelimit 0
    setting ipv4/icmp_msgs_per_sec 100
    setting ipv4/icmp_msgs_burst 20
  else
    setting ipv4/icmp_ratelimit 10
  fi
}

warn_of_kernel() {
  [[ -w /proc/sys/net/ipv4/fib_multipath_hash_seed ]] || echo "kernel-fabric: this kernel has no\
 fib_multipath_hash_seed: all switches hash alike, and not as in another run" >&2
  [[ -w /proc/sys/net/ipv4/icmp_msgs_per_sec || $icmp_limits == off ]] || echo "kernel-fabric: this\
 kernel limits ICMP per destination: 100 answers a second to each host, not in all" >&2
}

# ---- Routes

# Asks for the next hops of every node, without what is given as NODE or NODE:INTERFACE, in words. That
# some hosts have no way to each other is said and taken as it is.
ask_next_hops() {  # DOWN
  local without=() down status=0
  for down in $1; do without+=(--without "$down"); done
  weft-topo next-hops - "${without[@]}" --format csv <"$WEFT_LAB/fabric" >"$WEFT_LAB/next-hops" ||
    status=$?
  ((status == 0 || status == 4)) || exit "$status"
}

# Writes routes/NODE of every switch from what was answered.
write_routes() {
  local node kind
  while IFS=$'\t' read -r node kind; do
    [[ $kind == host ]] || : >"$WEFT_LAB/routes/$node"
  done <"$WEFT_LAB/nodes"
  awk -v folder="$WEFT_LAB/routes" '
    FILENAME ~ /nodes$/ { if ($2 != "host") is_switch[$1] = 1; next }
    !seen_heading++ { for (i = 1; i <= NF; i++) column[$i] = i; next }
    !($column["node"] in is_switch) { next }
    { key = $column["node"] FS $column["destination_address"]
      if (!(key in group)) order[++count] = key
      group[key] = group[key] " nexthop via " $column["next_hop_address"] \
                   " dev " $column["interface"] }
    END { for (i = 1; i <= count; i++) {
            split(order[i], part, FS)
            print "route replace " part[2] "/32" group[order[i]] >(folder "/" part[1]) } }' \
    FS='\t' "$WEFT_LAB/nodes" FS=, "$WEFT_LAB/next-hops"
}
